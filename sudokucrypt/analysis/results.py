"""Results of metrics: a value, its expectation for a random image, and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, isnan, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.inputs import optional_library
from sudokucrypt.errors import InvalidParameterError

# The level that papers on image encryption use for NPCR and UACI.
LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One figure and its expected value.

    `name` is a stable one, such as "npcr", and `value` what was measured, a fraction where the
    metric is a share. For random images of this size `expected` is the mean, `lower` and `upper`
    are the ends of the interval that is accepted, both included, `level` is the share that it
    rejects, and `p_value` how often a figure is at least as extreme, 0..1. What a metric does not
    have is None. `note` says what the figure does and does not show.

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
        """Whether the figure is as for a random image; None if this is not a test or undefined."""
        if isnan(self.value):
            return None
        if self.lower is None and self.upper is None:
            if self.p_value is None or self.level is None:
                return None
            return bool(self.p_value >= self.level)
        above = self.lower is None or self.value >= self.lower
        return bool(above and (self.upper is None or self.value <= self.upper))


def checked_level(level: float) -> float:
    """Return a level of significance, or raise `InvalidParameterError`."""
    if not 0 < level < 1:
        raise InvalidParameterError(
            f"a level of significance lies between 0 and 1, not {level!r}",
            hint="0.05 rejects one random image in twenty",
        )
    return level


def normal_test(
    name: str,
    value: float,
    expected: float,
    deviation: float,
    level: float,
    *,
    sides: Literal["both", "low"] = "both",
    note: str = "",
) -> Measurement:
    """Test a figure that is normal for random images, on both sides or against small ones."""
    checked_level(level)
    score = (value - expected) / deviation
    both = sides == "both"
    margin = -NormalDist().inv_cdf(level / 2 if both else level) * deviation
    return Measurement(
        name=name,
        value=value,
        expected=expected,
        lower=expected - margin,
        upper=expected + margin if both else None,
        p_value=erfc(abs(score) / sqrt(2)) if both else erfc(-score / sqrt(2)) / 2,
        level=level,
        note=note,
    )


# As rare as one in a thousand, and a sign of counting rather than of chance.
_TOO_EVEN = 0.999


def chi_square_test(
    name: str, value: float, freedom: int, level: float, *, notes: list[str]
) -> Measurement:
    """Test a figure that is chi-square for random images or maps against great ones."""
    checked_level(level)
    with optional_library("scipy"):
        from scipy import special
    p_value = float(special.chdtrc(freedom, value))
    if p_value > _TOO_EVEN:
        notes.insert(1, "more even than chance makes it")
    return Measurement(
        name=name,
        value=value,
        expected=float(freedom),
        upper=float(special.chdtri(freedom, level)),
        p_value=p_value,
        level=level,
        note="; ".join(notes),
    )


def count_test(
    name: str,
    count: int,
    chances: NDArray[np.float64],
    level: float,
    *,
    sides: Literal["both", "high"] = "both",
    note: str = "",
) -> Measurement:
    """Test a count by the chance of each count 0..n-1 for random images; greater ones have none.

    Counts are rejected on both sides, or only great ones. The interval holds the counts whose
    p-value is no less than the level; the p-value is the chance of so great a count, or twice the
    smaller one of both tails.
    """
    checked_level(level)
    # Summed from the far end, where chances are smallest, so that tails keep their digits.
    at_least = np.minimum(1.0, np.cumsum(chances[::-1])[::-1])
    tails = at_least
    if sides == "both":
        tails = np.minimum(1.0, 2 * np.minimum(at_least, np.cumsum(chances)))
    accepted = np.flatnonzero(tails >= level)
    return Measurement(
        name=name,
        value=float(count),
        expected=float(np.arange(len(chances)) @ chances),
        lower=float(accepted[0]) if sides == "both" else None,
        upper=float(accepted[-1]),
        p_value=float(tails[count]) if count < len(chances) else 0.0,
        level=level,
        note=note,
    )


SURE = 0.001
"""How often chance may fail a whole series."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """One figure over many keys, in a measurement for each.

    `most_fails` is None for what is not a test; else more tests fail for one truly random series in
    a thousand only.
    """

    name: str
    measurements: tuple[Measurement, ...]
    most_fails: int | None

    @property
    def values(self) -> list[float]:
        """The figures that are defined."""
        return [each.value for each in self.measurements if not isnan(each.value)]

    @property
    def fails(self) -> int:
        """How many tests failed."""
        return sum(each.passed is False for each in self.measurements)

    @property
    def passed(self) -> bool | None:
        """Whether no more failed than chance explains; of a single test, whether it passed."""
        # A single test has no series in which chance could be allowed for.
        if len(self.measurements) == 1:
            return self.measurements[0].passed
        if self.most_fails is None or not self.values:
            return None
        return self.fails <= self.most_fails


def get_series(group: Sequence[Measurement]) -> Series:
    """Return one figure over all keys, and how many of its tests chance may fail."""
    most = None
    level = group[0].level
    if level is not None and any(each.passed is not None for each in group):
        most = most_fails(len(group), level)
    return Series(name=group[0].name, measurements=tuple(group), most_fails=most)


def most_fails(tests: int, level: float) -> int:
    """Return how many of some tests at one level may fail: more do once in a thousand series.

    >>> most_fails(20, 0.05), most_fails(10, 0.001)
    (5, 1)
    """
    chances = [
        comb(tests, count) * level**count * (1 - level) ** (tests - count)
        for count in range(tests + 1)
    ]
    return next(count for count in range(tests + 1) if sum(chances[count + 1 :]) <= SURE)
