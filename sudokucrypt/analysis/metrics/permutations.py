"""Compare a permutation of N units with uniform permutations: fixed points, cycles, neighbors.

Units are numbered in reading order, and unit i moves to position ``permutation[i]``. Expected
values and intervals are for uniform permutations, of two units or more.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.inputs import check_permutation, check_sides
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import (
    SIGNIFICANCE_LEVEL,
    Measurement,
    make_chi_square_measurement,
    make_count_measurement,
    make_normal_measurement,
)
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.typing import AnyArray, IntArray

_MEAN_NOTE = "expected: the mean for a uniform map; a larger distance is not better"


@metric("map", "map", "mean distance that a pixel moves")
def displacement(
    permutation: ArrayLike,
    *,
    shape: tuple[int, int] | None = None,
    level: float = SIGNIFICANCE_LEVEL,
) -> Measurement:
    """Return the mean distance that a pixel moves, as the sum of rows and columns.

    The expected mean is (M^2 - 1) / 3M + (N^2 - 1) / 3N. The sum of all distances has the
    variance (N^2 s(M) + M^2 s(N)) / (MN - 1) with s(m) = (m^2 - 1)(2 m^2 + 7) / 45, and is normal
    in the limit. For one row it is Spearman's footrule.

    Source: P. Diaconis, R. L. Graham, 1977, doi:10.1111/j.2517-6161.1977.tb01624.x. W. Hoeffding,
    1951, doi:10.1214/aoms/1177729545.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    shape : tuple of int, optional
        Rows M and columns N of the image whose pixels move, in reading order. By default one row.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> result = displacement(np.arange(256)[::-1], shape=(16, 16))
    >>> result.value, result.expected, result.passed
    (16.0, 10.625, False)
    """
    distances, (rows, columns) = _measure_displacements(permutation, shape)
    units = rows * columns
    variance = (
        columns**2 * _sum_centered_squares(rows) + rows**2 * _sum_centered_squares(columns)
    ) / (units - 1)
    value, deviation = int(distances.sum()) / units, sqrt(variance) / units
    expected_value = (rows**2 - 1) / (3 * rows) + (columns**2 - 1) / (3 * columns)
    return make_normal_measurement(
        "displacement", value, expected_value, deviation, level, note=_MEAN_NOTE
    )


def _sum_centered_squares(side: int) -> float:
    """Return the sum of squares of the doubly centered table of abs(a - b), for a side."""
    return (side**2 - 1) * (2 * side**2 + 7) / 45


def _measure_displacements(
    permutation: ArrayLike, shape: tuple[int, int] | None
) -> tuple[IntArray, tuple[int, int]]:
    """Return the distance that each pixel moves, and the sides of the image."""
    targets = check_permutation(permutation)
    sides = check_sides(shape, len(targets))
    rows, columns = np.divmod(np.arange(len(targets)), sides[1])
    new_rows, new_columns = np.divmod(targets, sides[1])
    return np.abs(rows - new_rows) + np.abs(columns - new_columns), sides


class DisplacementCounts(NamedTuple):
    """The number of pixels that move by each distance, and its mean for a uniform map."""

    counts: IntArray
    expected: NDArray[np.float64]


def displacement_counts(
    permutation: ArrayLike, *, shape: tuple[int, int] | None = None
) -> DisplacementCounts:
    """Count the pixels that move by each distance 0..M+N-2; arguments as in `displacement`.

    A pixel moves by d > 0 of m rows with the probability 2 (m - d) / m^2, and stays in its row with
    the probability 1 / m; columns are independent of rows.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    shape : tuple of int, optional
        Rows M and columns N of the image whose pixels move, in reading order. By default one row.
    """
    distances, (rows, columns) = _measure_displacements(permutation, shape)
    probabilities = np.convolve(
        _find_distance_probabilities(rows), _find_distance_probabilities(columns)
    )
    counts = np.bincount(distances, minlength=len(probabilities)).astype(np.int64)
    return DisplacementCounts(counts, probabilities * len(distances))


def _find_distance_probabilities(side: int) -> NDArray[np.float64]:
    """Return the probability of each distance between two independent positions of a line."""
    distances = np.arange(side)
    return np.where(distances == 0, 1, 2) * (side - distances) / side**2


_TABLE_NOTE = "tests single units over many keys: maps that move units together may pass"


def position_table(permutations: Iterable[ArrayLike], *, bins: int = 16) -> IntArray:
    """Count how often units of each interval of positions move to each interval.

    Row a, column b is the number of units of interval a that moved to interval b, over all keys.
    The N positions are cut into `bins` intervals of nearly equal length. Permutations, one for each
    key, are read one at a time.

    Parameters
    ----------
    permutations : iterable of array_like of int, shape (N,)
        A permutation for each key: the positions to which the N units move.
    bins : int, default 16
        The number of intervals, 2..N.

    Examples
    --------
    >>> position_table([np.arange(6), np.arange(6)[::-1]], bins=2).tolist()
    [[3, 3], [3, 3]]
    """
    table = np.zeros(bins**2, dtype=np.int64) if bins > 0 else np.zeros(0, dtype=np.int64)
    interval_numbers: IntArray | None = None
    for permutation in permutations:
        targets = check_permutation(permutation)
        # Permutations may be an endless iterable, so the length is known from the first one.
        if interval_numbers is None:
            interval_numbers = _number_intervals(len(targets), bins)
        if len(targets) != len(interval_numbers):
            raise InvalidParameterError(
                f"one permutation has {len(interval_numbers)} units and another {len(targets)}"
            )
        table += np.bincount(interval_numbers * bins + interval_numbers[targets], minlength=bins**2)
    if interval_numbers is None:
        raise InvalidParameterError("the table needs at least one permutation")
    return table.reshape(bins, bins)


def _number_intervals(units: int, bins: int) -> IntArray:
    """Return the index of the interval of each position."""
    if not 2 <= bins <= units:
        raise InvalidParameterError(f"bins must be in 2..{units}, not {bins}")
    return np.arange(units, dtype=np.int64) * bins // units


def position_uniformity(
    table: ArrayLike, *, units: int, level: float = SIGNIFICANCE_LEVEL
) -> Measurement:
    """Test whether units move uniformly, by chi-square with (bins - 1)^2 degrees of freedom.

    The value is (N - 1)/N times the sum of (count - e)^2 / e, with e = K n_a n_b / N for K keys and
    intervals of n_a and n_b units; the factor makes the mean exact, since units of one map never
    share a position. Large values are rejected. The p-value needs SciPy.

    Source: K. Pearson as in `chi_square_uniformity`; W. Hoeffding as in `displacement`.

    Parameters
    ----------
    table : ndarray of int, shape (bins, bins)
        The counts, from `position_table`.
    units : int
        The number N of units of the permutations.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> table = position_table([np.roll(np.arange(64), key) for key in range(64)])
    >>> result = position_uniformity(table, units=64)
    >>> result.value, result.expected, result.note.rpartition("; ")[2]
    (0.0, 225.0, 'more even than by chance')
    """
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or counts.dtype.kind not in "iu":
        raise InvalidParameterError(
            f"a position table is square and of integers, not {counts.dtype} of shape "
            f"{counts.shape}"
        )
    sizes = np.bincount(_number_intervals(units, len(counts)))
    keys = int(counts.sum()) // units
    margins = (counts.sum(axis=0), counts.sum(axis=1))
    if keys < 1 or counts.min() < 0 or any((margin != keys * sizes).any() for margin in margins):
        raise InvalidParameterError(f"this is not a table of permutations of {units} units")
    means = keys * np.outer(sizes, sizes) / units
    value = (units - 1) / units * float(np.sum((counts - means) ** 2 / means))
    warnings = ["fewer than 5 units per cell: the p-value is rough"] if means.min() < 5 else []
    degrees_of_freedom = (len(counts) - 1) ** 2
    return make_chi_square_measurement(
        "position_uniformity", value, degrees_of_freedom, level, notes=[_TABLE_NOTE, *warnings]
    )


@metric("map", "maps", "whether units move uniformly, over all keys", name="position_uniformity")
def _measure_uniformity(maps: Sequence[IntArray], *, level: float) -> Measurement:
    return position_uniformity(position_table(maps), units=len(maps[0]), level=level)


_NEIGHBOR_NOTE = "separated neighbors do not prevent an attack by chosen images"
# Larger numbers of kept pairs have a probability below 1e-60 in a Poisson distribution with a mean
# of 8.
_MAX_KEPT_PAIRS = 128


class _TableSums(NamedTuple):
    """Sums over a symmetric table without its diagonal: entries, their squares, squared row sums.

    Metrics of neighbors are sums over all pairs of neighbors of a function of their positions
    after the map. Mantel's formula gives the exact mean and variance of such a sum over all
    permutations, from a few sums over the tables of neighbors and of the function.
    """

    entry_sum: int
    squares: int
    row_sum_squares: int


def _compute_moments(
    first: _TableSums, second: _TableSums, units: int
) -> tuple[Fraction, Fraction]:
    """Return mean and variance of the sum of first[i, j] second[p(i), p(j)] for a random map p."""
    pair_count = units * (units - 1)
    triple_count = pair_count * (units - 2)
    mean = Fraction(first.entry_sum * second.entry_sum, pair_count)
    mean_square = (
        Fraction(2 * first.squares * second.squares, pair_count)
        + Fraction(
            4 * (first.row_sum_squares - first.squares) * (second.row_sum_squares - second.squares),
            triple_count,
        )
        + Fraction(
            _sum_disjoint_pairs(first) * _sum_disjoint_pairs(second), triple_count * (units - 3)
        )
    )
    return mean, mean_square - mean**2


def _sum_disjoint_pairs(table: _TableSums) -> int:
    return table.entry_sum**2 - 4 * table.row_sum_squares + 2 * table.squares


def _sum_adjacency(rows: int, columns: int) -> _TableSums:
    """Return the sums of the table with 1 for neighbors in a row or column, and 0 for others."""
    total = 2 * (rows * (columns - 1) + columns * (rows - 1))
    first, second = _sum_line_adjacency(rows), _sum_line_adjacency(columns)
    squares = columns * first[1] + 2 * first[0] * second[0] + rows * second[1]
    return _TableSums(total, total, squares)


def _sum_line_adjacency(side: int) -> tuple[int, int]:
    return 2 * (side - 1), 4 * side - 6 if side > 1 else 0


def _sum_distances(rows: int, columns: int) -> _TableSums:
    """Return the sums of the table of distances; a distance is a number of rows plus columns."""
    row_total, column_total = rows * (rows**2 - 1) // 3, columns * (columns**2 - 1) // 3
    row_square_sum, column_square_sum = (
        rows**2 * (rows**2 - 1) // 6,
        columns**2 * (columns**2 - 1) // 6,
    )
    row_sum_squares = rows * (rows**2 - 1) * (7 * rows**2 - 8) // 60
    column_sum_squares = columns * (columns**2 - 1) * (7 * columns**2 - 8) // 60
    return _TableSums(
        columns**2 * row_total + rows**2 * column_total,
        columns**2 * row_square_sum + rows**2 * column_square_sum + 2 * row_total * column_total,
        columns**3 * row_sum_squares
        + rows**3 * column_sum_squares
        + 2 * rows * columns * row_total * column_total,
    )


def _measure_neighbor_distances(
    permutation: ArrayLike, shape: tuple[int, int] | None
) -> tuple[AnyArray, tuple[int, int]]:
    """Return the distance after the map of each pair of neighbors, and the sides of the image."""
    targets = check_permutation(permutation, least=4)
    sides = check_sides(shape, len(targets))
    rows, columns = (coordinates.reshape(sides) for coordinates in np.divmod(targets, sides[1]))
    vertical_distances = np.abs(np.diff(rows, axis=0)) + np.abs(np.diff(columns, axis=0))
    horizontal_distances = np.abs(np.diff(rows, axis=1)) + np.abs(np.diff(columns, axis=1))
    return np.concatenate([vertical_distances.ravel(), horizontal_distances.ravel()]), sides


@metric("map", "map", "number of pairs of neighbors that stay neighbors")
def neighbors_kept(
    permutation: ArrayLike,
    *,
    shape: tuple[int, int] | None = None,
    level: float = SIGNIFICANCE_LEVEL,
) -> Measurement:
    """Count the pairs of neighbors that are still neighbors after the map, in any direction.

    The image has at least 4 pixels. The expected count is 2 E^2 / (MN (MN - 1)) for the
    E = M (N - 1) + N (M - 1) pairs: nearly 8 for large images, and 2 for one row. For uniform
    permutations the count has nearly a Poisson distribution with the exact mean.

    Source: A. D. Barbour, L. Holst, S. Janson, Poisson approximation, Oxford, 1992.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    shape : tuple of int, optional
        Rows M and columns N of the image whose pixels move, in reading order. By default one row.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> result = neighbors_kept(np.roll(np.arange(4096), 64), shape=(64, 64))
    >>> result.value, round(result.expected, 3), result.passed
    (8000.0, 7.754, False)
    """
    distances, (rows, columns) = _measure_neighbor_distances(permutation, shape)
    units = rows * columns
    mean = 2 * len(distances) ** 2 / (units * (units - 1))
    ratios = np.concatenate([[1.0], mean / np.arange(1, _MAX_KEPT_PAIRS)])
    kept_pair_count, probabilities = (
        int(np.count_nonzero(distances == 1)),
        exp(-mean) * np.cumprod(ratios),
    )
    return make_count_measurement(
        "neighbors_kept", kept_pair_count, probabilities, level, note=_NEIGHBOR_NOTE
    )


@metric("map", "map", "mean distance of former neighbors")
def neighbor_separation(
    permutation: ArrayLike,
    *,
    shape: tuple[int, int] | None = None,
    level: float = SIGNIFICANCE_LEVEL,
) -> Measurement:
    """Return the mean distance of pixels that were neighbors, as the sum of rows and columns.

    The expected mean is MN / (MN - 1) times (M^2 - 1) / 3M + (N^2 - 1) / 3N. The mean over all
    pairs of neighbors in rows and columns is normal in the limit, with Mantel's exact variance.

    Source: N. Mantel, The detection of disease clustering and a generalized regression approach,
    Cancer Research 27, 1967.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    shape : tuple of int, optional
        Rows M and columns N of the image whose pixels move, in reading order. By default one row.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    distances, (rows, columns) = _measure_neighbor_distances(permutation, shape)
    mean, variance = _compute_moments(
        _sum_adjacency(rows, columns), _sum_distances(rows, columns), rows * columns
    )
    pair_count = len(distances)
    value, deviation = int(distances.sum()) / pair_count, sqrt(variance) / (2 * pair_count)
    expected_value = float(mean / (2 * pair_count))
    return make_normal_measurement(
        "neighbor_separation", value, expected_value, deviation, level, note=_NEIGHBOR_NOTE
    )


@metric("map", "map", "correlation of the positions of units that were adjacent")
def serial_correlation(permutation: ArrayLike, *, level: float = SIGNIFICANCE_LEVEL) -> Measurement:
    """Correlate the positions of units that were adjacent, -1..1; -1/N is expected.

    The map needs 4 units or more, of any kind.

    Sum of (p_i - c)(p_(i+1) - c) over the N - 1 pairs with c = (N - 1)/2, divided by the sum of
    all (p_i - c)^2; normal in the limit, with Mantel's exact variance.
    Source: A. Wald, J. Wolfowitz, 1943, doi:10.1214/aoms/1177731358; as `neighbor_separation`.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    targets = check_permutation(permutation, least=4)
    units = len(targets)
    centered_targets = targets - (units - 1) / 2
    # Doubled centered positions are integers, whose sums of powers are known.
    square_sum = units * (units**2 - 1) // 3
    fourth_power_sum = square_sum * (3 * units**2 - 7) // 5
    product_sums = _TableSums(-square_sum, square_sum**2 - fourth_power_sum, fourth_power_sum)
    mean, variance = _compute_moments(_sum_adjacency(1, units), product_sums, units)
    value = float(centered_targets[:-1] @ centered_targets[1:]) / (square_sum / 4)
    expected_value, deviation = (
        float(mean / (2 * square_sum)),
        sqrt(variance / (2 * square_sum) ** 2),
    )
    return make_normal_measurement(
        "serial_correlation", value, expected_value, deviation, level, note=_NEIGHBOR_NOTE
    )


_ONE_MAP_NOTE = (
    "for one map; chosen images break any map that is used twice, however uniform it looks"
)
# Larger numbers of fixed points or cycles have probabilities below 1e-60. Odd, since the generating
# function is 0 at -1.
_COUNT_BOUND = 129
# The number of factors that are multiplied; Stirling's series for the others has an error below
# 1e-13.
_MAX_MULTIPLIED_FACTORS = 1000


@metric("map", "map", "number of units that do not move")
def fixed_points(permutation: ArrayLike, *, level: float = SIGNIFICANCE_LEVEL) -> Measurement:
    """Count the units that do not move; 1 is expected, and large counts are rejected.

    The probability of k fixed points is 1/k! times the sum of (-1)^j / j! for j = 0..N-k: nearly a
    Poisson distribution with mean 1, except for tiny N.
    Source: P. R. de Montmort, Essay d'analyse sur les jeux de hazard, 1713. R. Arratia, S. Tavare,
    1992, doi:10.1214/aop/1176989707.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> result = fixed_points(np.arange(100))
    >>> result.value, round(result.expected, 6), result.upper, result.passed
    (100.0, 1.0, 3.0, False)
    """
    targets = check_permutation(permutation)
    factorials = np.cumprod(np.maximum(1.0, np.arange(_COUNT_BOUND)))
    signs = np.where(np.arange(_COUNT_BOUND) % 2, -1.0, 1.0)
    moved_unit_counts = len(targets) - np.arange(_COUNT_BOUND)
    derangement_shares = np.cumsum(signs / factorials)[
        np.clip(moved_unit_counts, 0, _COUNT_BOUND - 1)
    ]
    probabilities = np.where(moved_unit_counts >= 0, derangement_shares / factorials, 0.0)
    count = int(np.count_nonzero(targets == np.arange(len(targets))))
    return make_count_measurement(
        "fixed_points", count, probabilities, level, sides="high", note=_ONE_MAP_NOTE
    )


@metric("map", "map", "number of cycles of the map")
def cycles(permutation: ArrayLike, *, level: float = SIGNIFICANCE_LEVEL) -> Measurement:
    """Count the cycles, including fixed points; about ln N + 0.577 are expected.

    The mean is 1 + 1/2 + ... + 1/N. The number of cycles has the generating function
    x (x + 1) ... (x + N - 1) / N!, whose values on the unit circle give the probabilities by a
    Fourier transform. See Arratia and Tavare as in `fixed_points`.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    targets = check_permutation(permutation)
    probabilities = _compute_count_probabilities(len(targets))
    least_units = units = np.arange(len(targets))
    # The least unit of each cycle is passed along the cycle to all its units, in log N steps for
    # all cycles at once.
    for _ in range(len(targets).bit_length()):  # the distance doubles in each step
        least_units, targets = np.minimum(least_units, least_units[targets]), targets[targets]
    count = int(np.count_nonzero(least_units == units))
    return make_count_measurement("cycles", count, probabilities, level, note=_ONE_MAP_NOTE)


@lru_cache(maxsize=16)
def _compute_count_probabilities(units: int) -> NDArray[np.float64]:
    # The transform of the generating function on the unit circle gives all probabilities at once.
    circle_points = np.exp(2j * np.pi * np.arange(_COUNT_BOUND) / _COUNT_BOUND)
    factor_count = min(units, _MAX_MULTIPLIED_FACTORS)
    factors = np.arange(factor_count)[:, None]
    # Logarithms, since a product of a million factors exceeds the range of floating point.
    log_products = np.log((factors + circle_points) / (factors + 1)).sum(axis=0)
    values = np.exp(
        log_products
        + _compute_log_gamma_ratio(units, circle_points)
        - _compute_log_gamma_ratio(factor_count, circle_points)
    )
    probabilities = np.maximum(0.0, np.fft.fft(values).real)
    return np.asarray(probabilities / probabilities.sum(), dtype=np.float64)


def _compute_log_gamma_ratio(number: int, shift: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return the logarithm of Gamma(n + x) / n! by Stirling's series, for large n."""
    product = shift * (shift - 1)
    return (
        (shift - 1) * log(number)
        + product / (2 * number)
        - product * (2 * shift - 1) / (12 * number**2)
        + product**2 / (12 * number**3)
    )


@metric("map", "map", "correlation of the positions before and after")
def rank_correlation(permutation: ArrayLike, *, level: float = SIGNIFICANCE_LEVEL) -> Measurement:
    """Correlate the positions before and after: Spearman's coefficient, -1..1; 0 is expected.

    Sum of (i - c)(p_i - c) with c = (N - 1)/2, divided by N (N^2 - 1) / 12. The deviation is
    1 / sqrt(N - 1).
    Source: C. Spearman, 1904, doi:10.2307/1412159.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    targets = check_permutation(permutation)
    units = len(targets)
    center = (units - 1) / 2
    product_sum = float((np.arange(units) - center) @ (targets - center))
    coefficient = product_sum / (units * (units**2 - 1) / 12)
    return make_normal_measurement(
        "rank_correlation", coefficient, 0.0, 1 / sqrt(units - 1), level, note=_ONE_MAP_NOTE
    )


def permutation_statistics(
    permutation: ArrayLike,
    *,
    shape: tuple[int, int] | None = None,
    level: float = SIGNIFICANCE_LEVEL,
) -> tuple[Measurement, ...]:
    """Return all seven statistics of one permutation of 4 units or more.

    They are `fixed_points`, `cycles`, `rank_correlation`, `serial_correlation`, `displacement`,
    `neighbors_kept` and `neighbor_separation`; at level 0.05 one or more of them fails for about
    every fourth uniform permutation.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position to which each of the N units moves, 0..N-1.
    shape : tuple of int, optional
        Rows M and columns N of the image whose pixels move, in reading order. By default one row.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> still = permutation_statistics(np.arange(256), shape=(16, 16))
    >>> [row.name for row in still if row.passed]
    []
    """
    unit_metrics = (fixed_points, cycles, rank_correlation, serial_correlation)
    pixel_metrics = (displacement, neighbors_kept, neighbor_separation)
    return (
        *(measure(permutation, level=level) for measure in unit_metrics),
        *(measure(permutation, shape=shape, level=level) for measure in pixel_metrics),
    )
