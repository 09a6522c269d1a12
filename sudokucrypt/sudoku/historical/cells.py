"""Cell by cell with look-ahead: a digit stays only if the grid can still be completed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.search import check_digits, fill
from sudokucrypt.typing import Box, RandomSource


def grid_by_cells(
    box: Box, source: RandomSource, *, trace: Callable[[int, int, bool], object] | None = None
) -> SudokuGrid:
    """Make a grid cell by cell in reading order, without ever taking a digit back.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box; meant for orders up to 16, where it takes moments.
    source : RandomSource
        For each cell it draws the order in which digits are tried, then what each search for a
        completion needs.
    trace : callable, optional
        Called with the cell, counted from 0 in reading order, the digit from 0, and whether it
        stays, for each digit that no cell in the same row, column or box holds.

    Raises
    ------
    UnsupportedError
        If the order is above 64, or the search for a completion got lost too often.

    Notes
    -----
    A digit that stands in the completion found last needs no new search.
    Not uniform: digits that leave few grids are as likely as those that leave many.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> grid_by_cells((3, 3), seeded_draws(1))
    <SudokuGrid of order 9 with 3x3 boxes>
    """
    box = checked_box(box)
    check_digits(box[0] * box[1])
    rules = Variant.standard(box).rules
    filled = np.full(rules.cells, -1, dtype=np.int32)
    known = filled.copy()
    for cell in range(rules.cells):
        near = filled[rules.peers[rules.peer_ends[cell] : rules.peer_ends[cell + 1]]]
        for digit in source.permutations([rules.values]).tolist():
            if digit in near:
                continue
            filled[cell] = digit
            completion = known if known[cell] == digit else fill(rules, source, givens=filled)
            if trace is not None:
                trace(cell, digit, completion is not None)
            if completion is not None:
                known = completion
                break
    return SudokuGrid._trusted(filled.reshape(rules.values, rules.values), box)
