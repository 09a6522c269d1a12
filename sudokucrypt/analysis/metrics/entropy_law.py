"""Mean and variance of the entropy of random samples, exact for any number of them.

The entropy of T samples is the sum of f(M) over the L levels, with f(m) = -(m/T) log2(m/T) and M
the number of samples at a level, binomial with chance 1/L. The counts of two levels are dependent,
and the trinomial sum over both costs the square of their range. In the polynomials that are
orthonormal under the binomial law it is diagonal: the counts of two levels have the correlation
-1/(L - 1), and the n-th polynomial of one has the n-th power of it with the same of the other.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.inputs import checked_counts

Floats = NDArray[np.float64]

# The chance of a count further out is below 1e-30.
_REACH = 12
_PRECISION = 1e-17


class Moments(NamedTuple):
    """Mean and standard deviation of an entropy, in bits."""

    mean: float
    deviation: float


@lru_cache(maxsize=64)
def entropy_moments(levels: int, samples: int) -> Moments:
    """Return the moments of the Shannon entropy of uniform random samples.

    Parameters
    ----------
    levels : int
        How many values a sample can have, L; 2 or more.
    samples : int
        How many independent samples there are, T; 1 or more.

    Returns
    -------
    Moments
        Mean and standard deviation in bits.

    Raises
    ------
    InvalidParameterError
        If a number is too small.

    Notes
    -----
    mean = L E[f(M)]; variance = L E[f(M)^2] + L (L - 1) E[f(M) f(M')] - mean^2. With c_n the
    coefficients of f in the orthonormal polynomials and g = f less its constant and linear parts,
    whose shares cancel, variance = L (E[g^2] + (L - 1) sum over n > 1 of c_n^2 (-1/(L-1))^n).
    Time and memory go with sqrt(T / L).

    References
    ----------
    Y. Wu et al., Local Shannon entropy measure with statistical tests for image randomness, 2013,
    doi:10.1016/j.ins.2012.07.049. G. K. Eagleson, Polynomial expansions of bivariate
    distributions, Annals of Mathematical Statistics 35, 1964.

    Examples
    --------
    >>> mean, deviation = entropy_moments(256, 1936)
    >>> round(mean, 9), round(deviation, 7)
    (7.902469317, 0.0086942)
    """
    checked_counts(samples, levels)
    counts, weights = _binomial(samples, 1 / levels)
    shares = counts / samples
    terms = -shares * np.log2(np.where(shares > 0, shares, 1))
    mean = levels * float(weights @ terms)
    if levels == 2:
        others = 1 - shares
        both = terms - others * np.log2(np.where(others > 0, others, 1))
        return Moments(mean, sqrt(float(weights @ (both - mean) ** 2)))
    ratio = -1 / (levels - 1)
    total, power, degree = 0.0, 1.0, 0
    rest = terms
    previous, current = np.zeros_like(terms), np.ones_like(terms)
    while degree <= samples and abs(power) > _PRECISION:
        share = float(weights @ (rest * current))
        rest = rest - share * current if degree < 2 else rest
        if degree >= 2:
            total += (levels - 1) * power * share**2
        previous, current = current, _next(counts, previous, current, degree, samples, 1 / levels)
        degree, power = degree + 1, power * ratio
    total += float(weights @ rest**2)
    return Moments(mean, sqrt(max(0.0, levels * total)))


def _binomial(trials: int, chance: float) -> tuple[Floats, Floats]:
    """Return the likely counts of successes and their chances, from ratios of neighbours."""
    centre, deviation = trials * chance, sqrt(trials * chance * (1 - chance))
    reach = _REACH * deviation + 3 * _REACH
    low, high = max(0, int(centre - reach)), min(trials, int(centre + reach))
    counts = np.arange(low, high + 1, dtype=np.float64)
    steps = (trials - counts[:-1]) / counts[1:] * (chance / (1 - chance))
    logs = np.concatenate([[0.0], np.cumsum(np.log(steps))])
    weights = np.exp(logs - logs.max())
    return counts, weights / weights.sum()


def _next(
    counts: Floats, previous: Floats, current: Floats, degree: int, trials: int, chance: float
) -> Floats:
    """Return the orthonormal polynomial of the next degree at the counts."""
    if degree >= trials:
        return np.zeros_like(current)

    def side(n: int) -> float:
        return sqrt(n * chance * (1 - chance) * (trials - n + 1))

    centre = chance * (trials - degree) + degree * (1 - chance)
    return ((counts - centre) * current - side(degree) * previous) / side(degree + 1)
