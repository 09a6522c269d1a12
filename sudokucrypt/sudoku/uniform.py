"""Random grids, every one of them exactly equally likely.

A random symmetry of one grid and a search in random order do not give that: the first reaches
fewer than one grid in five thousand million, the second prefers grids beside dead ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku.counts import checked_count
from sudokucrypt.sudoku.ranking import grid_total, unrank, unrank_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.sudoku.grid import SudokuGrid
    from sudokucrypt.typing import Box, RandomSource

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
    count = checked_count("the count of grids", count, least=0)
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
