"""The bijections of a grid as maps on its cells, and the algebra of such maps."""

from collections import Counter
from math import lcm

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.bijections.representation import Numbering, Representation, compute_name_indexes
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.typing import IntArray


def bijection(
    grid: SudokuGrid,
    source: Representation,
    target: Representation,
    *,
    numbering: Numbering = Numbering.PUBLISHED,
) -> IntArray:
    """Return the map F[source -> target], which moves cells between two representations.

    Each cell moves to the cell whose target name equals its source name.

    The inverse of F[A -> B] is F[B -> A], and F[B -> C] after F[A -> B] is F[A -> C]. Cell i
    (raster order) goes to cell F[i], of n * n cells; move contents with ``moved[F] = cells``.
    Equal representations give the identity. Source: Wu, Agaian, Noonan: arXiv:1207.5856 (2012).

    Parameters
    ----------
    grid : SudokuGrid
        The full grid of order n.
    source : Representation
        The representation that names a cell before the move.
    target : Representation
        The representation that names the cell to which it moves.
    numbering : Numbering, default `Numbering.PUBLISHED`
        How blocks and the places inside them are counted.

    Examples
    --------
    >>> from sudokucrypt import Representation, SudokuGrid
    >>> grid = SudokuGrid.from_text("1234341221434321")
    >>> bijection(grid, Representation.ROW_DIGIT, Representation.ROW_COLUMN)[:8].tolist()
    [0, 1, 2, 3, 6, 7, 4, 5]
    """
    names = compute_name_indexes(grid, source, numbering)
    return invert(compute_name_indexes(grid, target, numbering))[names]


def invert(permutation: ArrayLike) -> IntArray:
    """Return the inverse map: ``invert(f)[f[i]] == i``.

    Raises `InvalidParameterError` if `permutation` is not a permutation of 0..N-1.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The map, a permutation of 0..N-1.
    """
    checked_permutation = _check_permutation(permutation)
    inverse_map = np.empty_like(checked_permutation)
    inverse_map[checked_permutation] = np.arange(len(checked_permutation))
    return inverse_map


def compose(first: ArrayLike, second: ArrayLike) -> IntArray:
    """Return the map that applies `first`, then `second`: ``second[first[i]]``.

    Raises `InvalidParameterError` if `first` or `second` is not a permutation of 0..N-1, or their
    lengths differ.

    Parameters
    ----------
    first : array_like of int, shape (N,)
        The map that is applied first, a permutation of 0..N-1.
    second : array_like of int, shape (N,)
        The map that is applied to the result of `first`.
    """
    first_map, second_map = _check_permutation(first), _check_permutation(second)
    if len(first_map) != len(second_map):
        raise InvalidParameterError(
            f"cannot compose maps of {len(first_map)} and {len(second_map)} places"
        )
    return second_map[first_map]


def cycle_type(permutation: ArrayLike) -> dict[int, int]:
    """Return the number of cycles of each length of a map, in order of length.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The map, a permutation of 0..N-1.
    """
    next_positions = _check_permutation(permutation).tolist()
    is_visited = bytearray(len(next_positions))
    lengths: Counter[int] = Counter()
    for first_position in range(len(next_positions)):
        length, index = 0, first_position
        while not is_visited[index]:
            is_visited[index] = 1
            index = next_positions[index]
            length += 1
        if length:
            lengths[length] += 1
    return dict(sorted(lengths.items()))


def order(permutation: ArrayLike) -> int:
    """Return the order of a map: after this many applications each item is in its old place.

    Parameters
    ----------
    permutation : array_like of int, shape (N,)
        The map, a permutation of 0..N-1.
    """
    return lcm(*cycle_type(permutation))


def _check_permutation(permutation: ArrayLike) -> IntArray:
    array = np.asarray(permutation)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidParameterError("a map is a one-dimensional array of integers")
    count = len(array)
    if count and (array.min() < 0 or array.max() >= count):
        raise InvalidParameterError(
            f"a map of {count} places must contain only the numbers 0..{count - 1}"
        )
    if (np.bincount(array, minlength=count) != 1).any():
        raise InvalidParameterError("a map must reach every place exactly once")
    return array.astype(np.int64)
