"""Define results of metrics: values, their expectation for random images, and verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, isnan, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.inputs import require_library
from sudokucrypt.errors import InvalidParameterError

# The level of significance that papers on image encryption use for NPCR and UACI.
SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One measured value and its expected value.

    `name` is a stable identifier, such as "npcr", and `value` the measured value, which is a
    fraction if the metric is a share. For random images of this size, `expected` is the mean,
    `lower` and `upper` are the ends of the accepted interval, both included, `level` is the share
    of rejected images, and `p_value` the probability of a value that is at least as extreme, 0..1.
    A field that a metric does not have is None. `note` explains the value and its limits.

    >>> Measurement(name="npcr", value=0.9962, lower=0.995693, level=0.05).passed
    True
    """

    name: str
    value: float
    expected: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    level: float | None = None
    note: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the value is as expected for a random image; None if undefined or not tested."""
        if isnan(self.value):
            return None
        if self.lower is None and self.upper is None:
            if self.p_value is None or self.level is None:
                return None
            return bool(self.p_value >= self.level)
        is_above_lower = self.lower is None or self.value >= self.lower
        return bool(is_above_lower and (self.upper is None or self.value <= self.upper))


def check_level(level: float) -> float:
    """Return the level of significance if it is valid, or raise `InvalidParameterError`."""
    if not 0 < level < 1:
        raise InvalidParameterError(
            f"a level of significance must be between 0 and 1, not {level!r}",
            hint="0.05 rejects one random image in twenty",
        )
    return level


def make_normal_measurement(
    name: str,
    value: float,
    expected: float,
    deviation: float,
    level: float,
    *,
    sides: Literal["both", "low"] = "both",
    note: str = "",
) -> Measurement:
    """Test a value that is normal for random images, on both sides or only against low values."""
    check_level(level)
    score = (value - expected) / deviation
    is_two_sided = sides == "both"
    margin = -NormalDist().inv_cdf(level / 2 if is_two_sided else level) * deviation
    return Measurement(
        name=name,
        value=value,
        expected=expected,
        lower=expected - margin,
        upper=expected + margin if is_two_sided else None,
        p_value=erfc(abs(score) / sqrt(2)) if is_two_sided else erfc(-score / sqrt(2)) / 2,
        level=level,
        note=note,
    )


# A larger p-value is rarer than one in a thousand: counts are more even than by chance.
_TOO_EVEN_P_VALUE = 0.999


def make_chi_square_measurement(
    name: str, value: float, degrees_of_freedom: int, level: float, *, notes: list[str]
) -> Measurement:
    """Test a value with a chi-square distribution for random images or maps against high values."""
    check_level(level)
    with require_library("scipy"):
        from scipy import special
    p_value = float(special.chdtrc(degrees_of_freedom, value))
    if p_value > _TOO_EVEN_P_VALUE:
        notes.insert(1, "more even than by chance")
    return Measurement(
        name=name,
        value=value,
        expected=float(degrees_of_freedom),
        upper=float(special.chdtri(degrees_of_freedom, level)),
        p_value=p_value,
        level=level,
        note="; ".join(notes),
    )


def make_count_measurement(
    name: str,
    count: int,
    probabilities: NDArray[np.float64],
    level: float,
    *,
    sides: Literal["both", "high"] = "both",
    note: str = "",
) -> Measurement:
    """Test a count by the probabilities of the counts 0..n-1 for random images.

    High and low counts are rejected, or only high ones. The interval contains the counts whose
    p-value is not below the level. The p-value is the probability of this or a higher count, or
    with both sides twice the smaller of both tails. Counts of n or more have the probability 0.
    """
    check_level(level)
    # Tails are summed from the smallest probabilities on, which keeps them precise.
    upper_tails = np.minimum(1.0, np.cumsum(probabilities[::-1])[::-1])
    p_values = upper_tails
    if sides == "both":
        p_values = np.minimum(1.0, 2 * np.minimum(upper_tails, np.cumsum(probabilities)))
    accepted_counts = np.flatnonzero(p_values >= level)
    return Measurement(
        name=name,
        value=float(count),
        expected=float(np.arange(len(probabilities)) @ probabilities),
        lower=float(accepted_counts[0]) if sides == "both" else None,
        upper=float(accepted_counts[-1]),
        p_value=float(p_values[count]) if count < len(probabilities) else 0.0,
        level=level,
        note=note,
    )


SERIES_SIGNIFICANCE_LEVEL = 0.001
"""The probability that a random series fails as a whole."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """One metric over many keys, with a measurement for each key.

    `compute_fail_limit` is the number of failed tests that a random series exceeds with a
    probability of one in a thousand; it is None if the metric is not a test.
    """

    name: str
    measurements: tuple[Measurement, ...]
    most_fails: int | None

    @property
    def values(self) -> list[float]:
        """The measured values, without those that are undefined."""
        return [each.value for each in self.measurements if not isnan(each.value)]

    @property
    def fails(self) -> int:
        """The number of failed tests."""
        return sum(each.passed is False for each in self.measurements)

    @property
    def passed(self) -> bool | None:
        """Whether no more tests failed than chance allows; for one test, whether it passed."""
        # With a single test, no failure is allowed for chance.
        if len(self.measurements) == 1:
            return self.measurements[0].passed
        if self.most_fails is None or not self.values:
            return None
        return self.fails <= self.most_fails


def make_series(group: Sequence[Measurement]) -> Series:
    """Return the measurements of one metric under all keys as a series."""
    limit = None
    level = group[0].level
    if level is not None and any(each.passed is not None for each in group):
        limit = compute_fail_limit(len(group), level)
    return Series(name=group[0].name, measurements=tuple(group), most_fails=limit)


def compute_fail_limit(test_count: int, level: float) -> int:
    """Return the number of failed tests that a random series exceeds once in a thousand cases.

    >>> compute_fail_limit(20, 0.05), compute_fail_limit(10, 0.001)
    (5, 1)
    """
    fail_probabilities = [
        comb(test_count, count) * level**count * (1 - level) ** (test_count - count)
        for count in range(test_count + 1)
    ]
    return next(
        count
        for count in range(test_count + 1)
        if sum(fail_probabilities[count + 1 :]) <= SERIES_SIGNIFICANCE_LEVEL
    )
