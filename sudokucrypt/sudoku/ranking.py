"""An exact number for every grid, and the grid for every number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt._native import load
from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku.band_classes import grid_tables
from sudokucrypt.sudoku.grid import SudokuGrid, checked_box
from sudokucrypt.sudoku.halves_ranking import (
    MAX_HALVES,
    halves_tables,
    rank_halves,
    unrank_halves,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sudokucrypt.typing import AnyArray, Box

_kernels = load("ranking")

_NINE = (3, 3)


def grid_total(box: Box = _NINE) -> int:
    """Return how many grids `rank` and `unrank` number.

    Parameters
    ----------
    box : tuple of int, optional
        3x3, 2x2, or 2x3 and 2x4 in either order.

    Raises
    ------
    UnsupportedError
        If grids with such boxes are not numbered.

    Examples
    --------
    >>> grid_total(), grid_total((2, 3))
    (6670903752021072936960, 28200960)
    """
    p, q = sorted(_numbered(box))
    return grid_tables().total if (p, q) == _NINE else halves_tables(q).total(q)


def rank(grid: SudokuGrid) -> int:
    """Return the number of a full grid among all grids with its boxes.

    Returns
    -------
    int
        0 <= rank < ``grid_total(grid.box)``; `unrank` is its inverse.

    Raises
    ------
    UnsupportedError
        If grids with such boxes are not numbered.

    Notes
    -----
    The order of the grids is not the lexicographic one. It is fixed for ever, since a seed gives
    grids by their numbers. For 3x3 boxes a number is made, from the highest place down, of: the
    column sets of the first box; the orders of the columns in the three boxes of band one; the
    class of the band by column sets and the member of that class; the filling of band one; the
    column sets below in the first two boxes and in the third; the fillings of bands two and three.
    A grid takes some microseconds with the kernel, under a millisecond without. The tables, made
    by the first call in a process, take a fraction of a second.

    Examples
    --------
    >>> grid = unrank(123456789)
    >>> rank(grid)
    123456789
    """
    p, q = _numbered(grid.box)
    if (p, q) == _NINE:
        return rank_cells(grid.cells[None])[0]
    return rank_halves(grid.cells if q == 2 else grid.cells.T, max(p, q))


def unrank(number: int, box: Box = _NINE) -> SudokuGrid:
    """Return the full grid with this number.

    Parameters
    ----------
    number : int
        0 <= number < ``grid_total(box)``.
    box : tuple of int, optional
        As in `grid_total`.

    Raises
    ------
    InvalidParameterError
        If there is no such number.
    UnsupportedError
        If grids with such boxes are not numbered.

    Examples
    --------
    >>> unrank(0, (2, 2)).to_text()
    '1324241331424231'
    """
    p, q = _numbered(box)
    total = grid_total((p, q))
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < total:
        raise InvalidParameterError(
            f"grids with {p}x{q} boxes have numbers 0..{total - 1}, not {number!r}"
        )
    cells: AnyArray
    if (p, q) == _NINE:
        cells = unrank_cells([number])[0]
    else:
        cells = unrank_halves(number, max(p, q))
        cells = cells if q == 2 else cells.T
    return SudokuGrid._trusted(cells.astype(np.int32), (p, q))


def unrank_cells(numbers: Sequence[int]) -> NDArray[np.uint8]:
    """Return the 9x9 grids with these numbers, known to be in range, shape (count, 9, 9)."""
    tables = grid_tables()
    parts = [divmod(number, int(tables.start[-1])) for number in numbers]
    outer, inner = np.array(parts, dtype=np.int64).reshape(-1, 2).T.copy()
    cells = np.empty((len(parts), 9, 9), dtype=np.uint8)
    _kernels.unrank(tables, outer, inner, cells)
    return cells


def rank_cells(cells: AnyArray) -> list[int]:
    """Return the numbers of 9x9 grids, known to be full and valid, shape (count, 9, 9)."""
    tables = grid_tables()
    outer, inner = np.empty((2, len(cells)), dtype=np.int64)
    _kernels.rank(tables, np.ascontiguousarray(cells, dtype=np.uint8), outer, inner)
    inside = int(tables.start[-1])
    return [high * inside + low for high, low in zip(outer.tolist(), inner.tolist(), strict=True)]


def _numbered(box: Box) -> Box:
    """Return a valid box whose grids are numbered."""
    p, q = checked_box(box)
    if (p, q) != _NINE and not (min(p, q) == 2 and max(p, q) <= MAX_HALVES):
        raise UnsupportedError(
            f"grids with {p}x{q} boxes are not numbered",
            hint="those with 2x2, 2x3, 3x2, 2x4, 4x2 and 3x3 boxes are",
        )
    return p, q
