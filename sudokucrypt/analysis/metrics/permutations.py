"""Whether a permutation of N units looks like a uniform one: points, cycles, order, and the rest.

Units are counted in reading order, and unit i lands at place ``permutation[i]``. Expected values
and intervals are those of uniform permutations, of two units or more.
"""

from functools import lru_cache
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.inputs import checked_permutation
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.metrics.positions import displacement
from sudokucrypt.analysis.metrics.separation import (
    neighbour_separation,
    neighbours_kept,
    serial_correlation,
)
from sudokucrypt.analysis.results import LEVEL, Measurement, count_measurement, normal_measurement
from sudokucrypt.typing import IntArray

_NOTE = "of one map; a map that is used twice falls to chosen images however uniform it looks"
# More fixed points or cycles than this have chances below 1e-60. Odd, to keep off the zero at -1.
_MOST = 129
# Factors that are multiplied one by one; the error of the series for the rest is below 1e-13.
_HEAD = 1000


@metric("map", "map", "how many units stay where they are")
def fixed_points(permutation: ArrayLike, *, level: float = LEVEL) -> Measurement:
    """Count the units that stay where they are; 1 is expected, and great counts are rejected.

    The chance of k fixed points is 1/k! times the sum of (-1)^j / j! for j = 0..N-k: Poisson's law
    with mean 1, but for tiny N.
    Source: P. R. de Montmort, Essay d'analyse sur les jeux de hazard, 1713. R. Arratia, S. Tavare,
    1992, doi:10.1214/aop/1176989707.

    Examples
    --------
    >>> result = fixed_points(np.arange(100))
    >>> result.value, round(result.expected, 6), result.upper, result.passed
    (100.0, 1.0, 3.0, False)
    """
    places = checked_permutation(permutation)
    factorials = np.cumprod(np.maximum(1.0, np.arange(_MOST)))
    signs = np.where(np.arange(_MOST) % 2, -1.0, 1.0)
    left = len(places) - np.arange(_MOST)
    none = np.cumsum(signs / factorials)[np.clip(left, 0, _MOST - 1)]
    chances = np.where(left >= 0, none / factorials, 0.0)
    count = int(np.count_nonzero(places == np.arange(len(places))))
    return count_measurement("fixed_points", count, chances, level, sides="high", note=_NOTE)


@metric("map", "map", "how many cycles the map has")
def cycles(permutation: ArrayLike, *, level: float = LEVEL) -> Measurement:
    """Count the cycles, fixed points included; about ln N + 0.577 are expected.

    The mean is 1 + 1/2 + ... + 1/N. The number of cycles has the generating function
    x (x + 1) ... (x + N - 1) / N!, whose values on the unit circle give the chances through a
    Fourier transform. See Arratia and Tavare as in `fixed_points`.
    """
    places = checked_permutation(permutation)
    chances = _cycle_chances(len(places))
    return count_measurement("cycles", _count_cycles(places), chances, level, note=_NOTE)


def _count_cycles(places: IntArray) -> int:
    following = places.tolist()
    seen = bytearray(len(following))
    count = 0
    for start, place in enumerate(following):
        if seen[start]:
            continue
        count += 1
        while not seen[place]:
            seen[place] = 1
            place = following[place]  # noqa: PLW2901
    return count


@lru_cache(maxsize=16)
def _cycle_chances(units: int) -> NDArray[np.float64]:
    circle = np.exp(2j * np.pi * np.arange(_MOST) / _MOST)
    head = min(units, _HEAD)
    factors = np.arange(head)[:, None]
    logs = np.log((factors + circle) / (factors + 1)).sum(axis=0)
    values = np.exp(logs + _log_ratio(units, circle) - _log_ratio(head, circle))
    chances = np.maximum(0.0, np.fft.fft(values).real)
    return np.asarray(chances / chances.sum(), dtype=np.float64)


def _log_ratio(n: int, x: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return the logarithm of Gamma(n + x) / n! by Stirling's series, for large n."""
    y = x * (x - 1)
    return (x - 1) * log(n) + y / (2 * n) - y * (2 * x - 1) / (12 * n**2) + y**2 / (12 * n**3)


@metric("map", "map", "correlation of the places before and after")
def rank_correlation(permutation: ArrayLike, *, level: float = LEVEL) -> Measurement:
    """Correlate the places before and after: Spearman's coefficient, -1..1; 0 is expected.

    Sum of (i - c)(p_i - c) with c = (N - 1)/2, divided by N (N^2 - 1) / 12. The deviation is
    1 / sqrt(N - 1).
    Source: C. Spearman, 1904, doi:10.2307/1412159.
    """
    places = checked_permutation(permutation)
    units = len(places)
    centre = (units - 1) / 2
    moment = float((np.arange(units) - centre) @ (places - centre))
    rho = moment / (units * (units**2 - 1) / 12)
    return normal_measurement("rank_correlation", rho, 0.0, 1 / sqrt(units - 1), level, note=_NOTE)


def permutation_statistics(
    permutation: ArrayLike, *, shape: tuple[int, int] | None = None, level: float = LEVEL
) -> tuple[Measurement, ...]:
    """Return all seven figures of one permutation of 4 units or more.

    They are `fixed_points`, `cycles`, `rank_correlation`, `serial_correlation`, `displacement`,
    `neighbours_kept` and `neighbour_separation`; at level 0.05 one or more of them fails for about
    every fourth uniform permutation. `shape` is that of the image whose pixels move, one row by
    default.

    Examples
    --------
    >>> still = permutation_statistics(np.arange(256), shape=(16, 16))
    >>> [row.name for row in still if row.passed]
    []
    """
    of_units = (fixed_points, cycles, rank_correlation, serial_correlation)
    of_pixels = (displacement, neighbours_kept, neighbour_separation)
    return (
        *(measure(permutation, level=level) for measure in of_units),
        *(measure(permutation, shape=shape, level=level) for measure in of_pixels),
    )
