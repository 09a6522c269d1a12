"""Where permutations send pixels: how far each moves, and where those of many keys land."""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.inputs import checked_permutation, checked_sides
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import LEVEL, Measurement, chi_square_test, normal_test
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.typing import IntArray

_MEAN_NOTE = "a uniform map moves pixels by this much on average; farther is not better"


@metric("map", "map", "how far a pixel moves, on average")
def displacement(
    permutation: ArrayLike, *, shape: tuple[int, int] | None = None, level: float = LEVEL
) -> Measurement:
    """Return the mean distance that a pixel moves, rows and columns added up.

    `shape` gives rows M and columns N of the image, one row by default; pixels are counted in
    reading order. (M^2 - 1) / 3M + (N^2 - 1) / 3N is expected. The sum of all distances has the
    variance (N^2 s(M) + M^2 s(N)) / (MN - 1) with s(m) = (m^2 - 1)(2 m^2 + 7) / 45, and is normal
    in the limit. For one row it is Spearman's footrule.
    Source: P. Diaconis, R. L. Graham, 1977, doi:10.1111/j.2517-6161.1977.tb01624.x. W. Hoeffding,
    1951, doi:10.1214/aoms/1177729545.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position in which each of the N units lands, 0..N-1.
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
    distances, (rows, columns) = _distances(permutation, shape)
    units = rows * columns
    variance = (columns**2 * _spread(rows) + rows**2 * _spread(columns)) / (units - 1)
    value, deviation = int(distances.sum()) / units, sqrt(variance) / units
    expected = (rows**2 - 1) / (3 * rows) + (columns**2 - 1) / (3 * columns)
    return normal_test("displacement", value, expected, deviation, level, note=_MEAN_NOTE)


def _spread(side: int) -> float:
    """Return the sum over a and b of abs(a - b) squared, freed of the means of rows and columns."""
    return (side**2 - 1) * (2 * side**2 + 7) / 45


def _distances(
    permutation: ArrayLike, shape: tuple[int, int] | None
) -> tuple[IntArray, tuple[int, int]]:
    """Return how far each pixel moves, and the sides of the image."""
    targets = checked_permutation(permutation)
    sides = checked_sides(shape, len(targets))
    rows, columns = np.divmod(np.arange(len(targets)), sides[1])
    new_rows, new_columns = np.divmod(targets, sides[1])
    return np.abs(rows - new_rows) + np.abs(columns - new_columns), sides


class DisplacementCounts(NamedTuple):
    """How many pixels move by each distance, and how many a uniform map moves so far."""

    counts: IntArray
    expected: NDArray[np.float64]


def displacement_counts(
    permutation: ArrayLike, *, shape: tuple[int, int] | None = None
) -> DisplacementCounts:
    """Count the pixels that move by each distance 0..M+N-2; arguments as in `displacement`.

    A pixel moves by d > 0 of m rows with the chance 2 (m - d) / m^2, and stays in its row with
    1 / m; columns are independent of rows.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The position in which each of the N units lands, 0..N-1.
    shape : tuple of int, optional
        Rows M and columns N of the image whose pixels move, in reading order. By default one row.
    """
    distances, (rows, columns) = _distances(permutation, shape)
    chances = np.convolve(_chances(rows), _chances(columns))
    counts = np.bincount(distances, minlength=len(chances)).astype(np.int64)
    return DisplacementCounts(counts, chances * len(distances))


def _chances(side: int) -> NDArray[np.float64]:
    """Return the chance of each distance between two independent positions of a line."""
    distances = np.arange(side)
    return np.where(distances == 0, 1, 2) * (side - distances) / side**2


_TABLE_NOTE = "of single units over many keys: units may move together and pass"


def position_table(permutations: Iterable[ArrayLike], *, bins: int = 16) -> IntArray:
    """Count how often units of each stretch land in each stretch of the image.

    Row a, column b says how many units of stretch a landed in stretch b, over all keys. There is a
    permutation for each key, read one at a time, and the N positions are cut into `bins` stretches
    of nearly equal length, 2..N.

    Parameters
    ----------
    permutations : iterable of array_like of int, shape (N,)
        A permutation for each key: where each of the N units lands.
    bins : int, default 16
        The number of stretches, 2..N.

    Examples
    --------
    >>> position_table([np.arange(6), np.arange(6)[::-1]], bins=2).tolist()
    [[3, 3], [3, 3]]
    """
    table = np.zeros(bins**2, dtype=np.int64) if bins > 0 else np.zeros(0, dtype=np.int64)
    stretches: IntArray | None = None
    for permutation in permutations:
        targets = checked_permutation(permutation)
        # Permutations come one at a time, from keys without end: the first decides the length.
        if stretches is None:
            stretches = _stretches(len(targets), bins)
        if len(targets) != len(stretches):
            raise InvalidParameterError(
                f"one permutation has {len(stretches)} units and another {len(targets)}"
            )
        table += np.bincount(stretches * bins + stretches[targets], minlength=bins**2)
    if stretches is None:
        raise InvalidParameterError("needs at least one permutation")
    return table.reshape(bins, bins)


def _stretches(units: int, bins: int) -> IntArray:
    """Return the index of the stretch of each position."""
    if not 2 <= bins <= units:
        raise InvalidParameterError(f"bins must be in 2..{units}, not {bins}")
    return np.arange(units, dtype=np.int64) * bins // units


def position_uniformity(table: ArrayLike, *, units: int, level: float = LEVEL) -> Measurement:
    """Test whether units land everywhere alike, by chi-square with (bins - 1)^2 degrees of freedom.

    The table is one of `position_table` for permutations of N units; large figures are rejected.
    They are (N - 1)/N times the sum of (count - e)^2 / e, with e = K n_a n_b / N for stretches of
    n_a and n_b units: the factor makes the mean exact, as units of one map never share a position.
    The p-value needs SciPy.
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
    (0.0, 225.0, 'more even than chance makes it')
    """
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or counts.dtype.kind not in "iu":
        raise InvalidParameterError(
            f"a position table is square and of integers, not {counts.dtype} of shape "
            f"{counts.shape}"
        )
    sizes = np.bincount(_stretches(units, len(counts)))
    keys = int(counts.sum()) // units
    margins = (counts.sum(axis=0), counts.sum(axis=1))
    if keys < 1 or counts.min() < 0 or any((margin != keys * sizes).any() for margin in margins):
        raise InvalidParameterError(f"this is not a table of permutations of {units} units")
    means = keys * np.outer(sizes, sizes) / units
    value = (units - 1) / units * float(np.sum((counts - means) ** 2 / means))
    rough = ["fewer than 5 units a cell: the p-value is rough"] if means.min() < 5 else []
    freedom = (len(counts) - 1) ** 2
    return chi_square_test(
        "position_uniformity", value, freedom, level, notes=[_TABLE_NOTE, *rough]
    )


@metric("map", "maps", "whether units land uniformly, over all keys", name="position_uniformity")
def _uniformity(maps: Sequence[IntArray], *, level: float) -> Measurement:
    return position_uniformity(position_table(maps), units=len(maps[0]), level=level)
