"""Box by box: grids put together from boxes that fit those before them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku.grid import SudokuGrid
from sudokucrypt.sudoku.historical.anagrams import anagrams, random_descent, set_masks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sudokucrypt.typing import IntArray, RandomSource

_ORDER = ((0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2), (2, 0), (2, 1), (2, 2))
"""Band and stack of each box, as they are placed."""


def grid_by_boxes(
    source: RandomSource, *, trace: Callable[[int, int, int, int], object] | None = None
) -> SudokuGrid:
    """Make a 9x9 grid box by box, each drawn from all boxes that fit those before it.

    Parameters
    ----------
    source : RandomSource
        Each box costs one draw; a box after which nothing fits is drawn again without it.
    trace : callable, optional
        Called with band and stack of each box that is placed, its anagram index (it is read row by
        row), and among how many boxes it was drawn: those that fit and were not tried there before.

    Notes
    -----
    Not uniform: boxes that leave few grids are as likely as those that leave many.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> grid_by_boxes(seeded_draws(1))
    <SudokuGrid of order 9 with 3x3 boxes>
    """
    boxes = Boxes.all()

    def tell(path: tuple[int, ...], choices: int) -> None:
        if trace is not None:
            trace(*_ORDER[len(path) - 1], path[-1], choices)

    path = random_descent(boxes.after, len(_ORDER), source, trace=tell)
    cells = np.empty((3, 3, 3, 3), dtype=np.int32)
    for (band, stack), box in zip(_ORDER, path, strict=True):
        cells[band, :, stack] = boxes.table[box].reshape(3, 3)
    return SudokuGrid._trusted(cells.reshape(9, 9), (3, 3))


@dataclass(frozen=True, eq=False)
class Boxes:
    """All 9! boxes in lexicographic order, with the digits of their rows and columns as bits."""

    table: NDArray[np.uint8]

    @classmethod
    @lru_cache(maxsize=1)
    def all(cls) -> Boxes:
        """Return the boxes, which are listed once."""
        return cls(anagrams(9))

    @cached_property
    def rows(self) -> IntArray:
        """The digits of the three rows of each box."""
        return set_masks(self.table.reshape(-1, 3, 3), 9)

    @cached_property
    def columns(self) -> IntArray:
        """The digits of the three columns of each box."""
        return set_masks(self.table.reshape(-1, 3, 3).swapaxes(1, 2), 9)

    def fitting(self, rows: int | np.int64, columns: int | np.int64) -> IntArray:
        """Return the boxes without any of these digits in the same row or column."""
        return np.flatnonzero((self.rows & rows | self.columns & columns) == 0)

    def by_columns(self, box: int) -> bytes:
        """Return the digits of a box column by column, for an order by them."""
        digits: bytes = self.table[box].reshape(3, 3).T.tobytes()
        return digits

    def after(self, path: tuple[int, ...]) -> IntArray:
        """Return the boxes that fit at the next place in `_ORDER`."""
        if len(path) == len(_ORDER):
            return np.empty(0, dtype=np.int64)
        band, stack = _ORDER[len(path)]
        rows = columns = np.int64(0)
        for (other_band, other_stack), box in zip(_ORDER, path, strict=False):
            rows |= self.rows[box] if other_band == band else 0
            columns |= self.columns[box] if other_stack == stack else 0
        return self.fitting(rows, columns)
