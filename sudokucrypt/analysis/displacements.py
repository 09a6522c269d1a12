"""How far a permutation moves the pixels of an image, beside a uniform one."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudokucrypt.analysis.inputs import checked_permutation, checked_sides
from sudokucrypt.analysis.results import DEFAULT_LEVEL, Measurement, normal_measurement

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from sudokucrypt.typing import IntArray

_NOTE = "a uniform map moves pixels by this much on average; farther is not better"


def displacement(
    permutation: ArrayLike,
    *,
    shape: tuple[int, int] | None = None,
    level: float = DEFAULT_LEVEL,
) -> Measurement:
    """Return the mean distance that a pixel moves.

    Parameters
    ----------
    permutation : array_like of shape (MN,), dtype integer
        Where each pixel lands, both in reading order.
    shape : tuple of int, optional
        Rows M and columns N of the image; one row by default.
    level : float
        The level of significance, two-sided.

    Returns
    -------
    Measurement
        Rows and columns moved, added up; (M^2 - 1) / 3M + (N^2 - 1) / 3N is expected.

    Raises
    ------
    InvalidParameterError
        If this is no permutation, or the shape has another number of pixels.

    Notes
    -----
    The sum of all distances has the variance (N^2 s(M) + M^2 s(N)) / (MN - 1) with
    s(m) = (m^2 - 1)(2 m^2 + 7) / 45, and is normal in the limit. For one row it is Spearman's
    footrule.

    References
    ----------
    P. Diaconis, R. L. Graham, Spearman's footrule as a measure of disarray, 1977,
    doi:10.1111/j.2517-6161.1977.tb01624.x. W. Hoeffding, A combinatorial central limit theorem,
    1951, doi:10.1214/aoms/1177729545.

    Examples
    --------
    >>> result = displacement(np.arange(256)[::-1], shape=(16, 16))
    >>> result.value, result.expected, result.passed
    (16.0, 10.625, False)
    """
    distances, (rows, columns) = _distances(permutation, shape)
    units = rows * columns
    variance = (columns**2 * _spread(rows) + rows**2 * _spread(columns)) / (units - 1)
    return normal_measurement(
        "displacement",
        int(distances.sum()) / units,
        expected=(rows**2 - 1) / (3 * rows) + (columns**2 - 1) / (3 * columns),
        deviation=sqrt(variance) / units,
        level=level,
        note=_NOTE,
    )


def _spread(side: int) -> float:
    """Return the sum over a and b of abs(a - b) squared, freed of the means of rows and columns."""
    return (side**2 - 1) * (2 * side**2 + 7) / 45


def _distances(
    permutation: ArrayLike, shape: tuple[int, int] | None
) -> tuple[IntArray, tuple[int, int]]:
    """Return how far each pixel moves, and the sides of the image."""
    places = checked_permutation(permutation)
    sides = checked_sides(shape, len(places))
    rows, columns = np.divmod(np.arange(len(places)), sides[1])
    new_rows, new_columns = np.divmod(places, sides[1])
    return np.abs(rows - new_rows) + np.abs(columns - new_columns), sides


class DisplacementCounts(NamedTuple):
    """How many pixels move by each distance 0..M+N-2, and how many a uniform map moves so far."""

    counts: IntArray
    expected: NDArray[np.float64]


def displacement_counts(
    permutation: ArrayLike, *, shape: tuple[int, int] | None = None
) -> DisplacementCounts:
    """Count the pixels that move by each distance.

    Parameters
    ----------
    permutation, shape
        As in `displacement`.

    Returns
    -------
    DisplacementCounts
        Two arrays of shape (M + N - 1,): counts, and their means for uniform permutations.

    Raises
    ------
    InvalidParameterError
        If this is no permutation, or the shape has another number of pixels.

    Notes
    -----
    A pixel moves by d > 0 of m rows with the chance 2 (m - d) / m^2, and stays in its row with
    1 / m; columns are independent of rows.

    References
    ----------
    As for `displacement`.

    Examples
    --------
    >>> counts, expected = displacement_counts(np.array([1, 0, 3, 2]), shape=(2, 2))
    >>> counts.tolist(), expected.tolist()
    ([0, 4, 0], [1.0, 2.0, 1.0])
    """
    distances, (rows, columns) = _distances(permutation, shape)
    chances = np.convolve(_chances(rows), _chances(columns))
    counts = np.bincount(distances, minlength=len(chances)).astype(np.int64)
    return DisplacementCounts(counts, chances * len(distances))


def _chances(side: int) -> NDArray[np.float64]:
    """Return the chance of each distance between two independent places of a line."""
    distances = np.arange(side)
    return np.where(distances == 0, 1, 2) * (side - distances) / side**2
