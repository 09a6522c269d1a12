"""Pearson's chi-square, as the tests use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.extras import require

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def chi_square(counts: ArrayLike, probabilities: ArrayLike) -> tuple[float, float]:
    """Return statistic and p-value of counts of classes with known probabilities.

    Examples
    --------
    >>> [round(x, 6) for x in chi_square([16, 34], [0.5, 0.5])]
    [6.48, 0.010909]
    """
    observed, shares = np.asarray(counts, dtype=float), np.asarray(probabilities, dtype=float)
    expected = observed.sum() * shares
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    return statistic, upper_tail(statistic, len(observed) - 1)


def upper_tail(statistic: float, freedom: float) -> float:
    """Return how often a chi-square variable with these degrees of freedom is at least this."""
    return float(require("scipy.special").gammaincc(freedom / 2, max(statistic, 0.0) / 2))
