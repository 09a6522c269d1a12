"""An exact number for every grid, and the grid for every number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.counting.band_classes import grid_tables
from sudokucrypt.sudoku.counting.halves import MAX_HALVES, halves_tables, rank_halves, unrank_halves
from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.typing import AnyArray, Box, RandomSource

_kernels = load_kernels("sudokucrypt.sudoku._kernels", "numbering")

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


_WORD_BITS = 32
_BATCH = 4096


def random_grid(source: RandomSource, box: Box = (3, 3)) -> SudokuGrid:
    """Draw a full grid, each equally likely.

    Parameters
    ----------
    source : RandomSource
        Where the choice comes from. The grid is ``unrank(source.below(grid_total(box)), box)``,
        in this version and all later ones.
    box : tuple of int, optional
        3x3, 2x2, or 2x3 and 2x4 in either order.

    Raises
    ------
    UnsupportedError
        If grids with such boxes are not numbered.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> random_grid(seeded_draws(1)) == random_grid(seeded_draws(1))
    True
    """
    return unrank(source.below(grid_total(box)), box)


def random_grids(source: RandomSource, count: int, *, box: Box = (3, 3)) -> NDArray[np.uint8]:
    """Draw many full grids, each equally likely and independent of the others.

    Parameters
    ----------
    source : RandomSource
        Where the choices come from.
    count : int
        0 or more.
    box : tuple of int, optional
        As in `random_grid`.

    Returns
    -------
    ndarray of shape (count, n, n), dtype uint8
        Digits 0..n-1.

    Raises
    ------
    InvalidParameterError
        If the count is negative or no integer.
    UnsupportedError
        If grids with such boxes are not numbered.

    Notes
    -----
    The order of the draws is fixed for ever. For each grid as many words below 2**32 are drawn as
    its number needs (three for 3x3 boxes) and joined, the first one lowest. A value in the
    incomplete last multiple of the number of grids is dropped and the next words are taken; any
    other is reduced modulo that number. A source that draws large numbers in the same way, as
    those of this package do, gives the grids that as many calls of `random_grid` would give.
    With the kernel a second is enough for some hundred thousand grids of order 9.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> random_grids(seeded_draws(1), 5).shape
    (5, 9, 9)
    """
    count = checked_integer("the count of grids", count, least=0)
    total = grid_total(box)
    order = box[0] * box[1]
    grids = np.empty((count, order, order), dtype=np.uint8)
    done = 0
    while done < count:
        numbers = _draw(source, total, min(_BATCH, count - done))
        cells = (
            unrank_cells(numbers)
            if order == 9
            else [unrank(number, box).cells for number in numbers]
        )
        grids[done : done + len(numbers)] = cells
        done += len(numbers)
    return grids


def _draw(source: RandomSource, total: int, count: int) -> list[int]:
    """Draw up to `count` numbers below `total`: those of `count` tries that are not dropped."""
    words = -(-(total - 1).bit_length() // _WORD_BITS)
    bounds = np.full(words * count, 1 << _WORD_BITS, dtype=np.int64)
    data = source.below_each(bounds).astype("<u4").tobytes()
    size = 4 * words
    span = 1 << (_WORD_BITS * words)
    limit = span - span % total
    values = (
        int.from_bytes(data[start : start + size], "little") for start in range(0, len(data), size)
    )
    return [value % total for value in values if value < limit]
