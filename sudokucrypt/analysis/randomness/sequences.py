"""What the tests say about many sequences from one source."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.randomness.chi_square import chi_square
from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudokucrypt.analysis.randomness.outcome import RandomnessResult

_BINS = 10
_FEWEST = 55
"""Sequences that section 4.2.2 asks for before p-values are tested for uniformity."""

_UNIFORM_LEVEL = 0.0001


@dataclass(frozen=True, kw_only=True)
class SequencesSummary:
    """One kind of p-value over many sequences.

    Parameters
    ----------
    name, label : str
        The test, and which of its p-values.
    sequences : int
        Sequences that were tested, without those that were too short or not applicable.
    proportion : float
        The share of them whose p-value is not below the level.
    lower, upper : float
        The interval of section 4.2.1: 1 - level, give or take three deviations.
    proportion_p_value : float
        How often random sequences give as low a proportion, exactly (binomial).
    uniformity : float or None
        The p-value of a chi-square test over ten classes of p-values; None below 55 sequences.
    level : float
        The level of significance of the tests.
    """

    name: str
    label: str
    sequences: int
    proportion: float
    lower: float
    upper: float
    proportion_p_value: float
    uniformity: float | None
    level: float

    @property
    def inside(self) -> bool:
        """Whether the proportion lies in the interval."""
        return self.lower <= self.proportion <= self.upper

    @property
    def uniform(self) -> bool | None:
        """Whether the p-values look uniform, at the level 0.0001 of section 4.2.2."""
        return None if self.uniformity is None else self.uniformity >= _UNIFORM_LEVEL


def summarise_sequences(
    results: Iterable[Iterable[RandomnessResult]],
) -> tuple[SequencesSummary, ...]:
    """Summarise the tests of many sequences, each p-value on its own row.

    Parameters
    ----------
    results : iterable of iterable of RandomnessResult
        What `run_nist_tests` gave for each sequence; all at one level.

    Returns
    -------
    tuple of SequencesSummary
        188 rows for sequences of a million bits; none for what was never tested.

    Raises
    ------
    InvalidParameterError
        If the levels differ.

    Notes
    -----
    The interval is 1 - level +- 3 sqrt(level (1 - level) / sequences), which is rough for few
    sequences: of 100 truly random ones the proportion lies below it with probability 0.018, so
    that three or four of 188 rows do. `proportion_p_value` is exact; to judge all rows at once
    compare the smallest with the level divided by their number.

    References
    ----------
    NIST SP 800-22 rev. 1a, section 4.2, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> from sudokucrypt.analysis.randomness import frequency
    >>> row, = summarise_sequences([[frequency(bytes([17 * k] * 16))] for k in range(16)])
    >>> row.sequences, row.proportion, row.inside
    (16, 0.375, False)
    """
    p_values: dict[tuple[str, str], list[float]] = {}
    levels = set()
    for result in (result for sequence in results for result in sequence):
        levels.add(result.level)
        for label, p_value in zip(result.labels, result.p_values, strict=True):
            p_values.setdefault((result.name, label), []).append(p_value)
    if len(levels) > 1:
        raise InvalidParameterError("the results have different levels of significance")
    return tuple(
        _summary(name, label, values, level)
        for level in levels
        for (name, label), values in p_values.items()
    )


def _summary(name: str, label: str, p_values: list[float], level: float) -> SequencesSummary:
    """Return one row."""
    count = len(p_values)
    passed = sum(p_value >= level for p_value in p_values)
    margin = 3 * sqrt(level * (1 - level) / count)
    bins = np.minimum(np.array(p_values) * _BINS, _BINS - 1).astype(int)
    spread = chi_square(np.bincount(bins, minlength=_BINS), [1 / _BINS] * _BINS)
    return SequencesSummary(
        name=name,
        label=label,
        sequences=count,
        proportion=passed / count,
        lower=1 - level - margin,
        upper=1 - level + margin,
        proportion_p_value=float(require("scipy.special").bdtr(passed, count, 1 - level)),
        uniformity=spread[1] if count >= _FEWEST else None,
        level=level,
    )
