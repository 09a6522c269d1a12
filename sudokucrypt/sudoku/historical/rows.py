"""Row by row: grids as lists of the numbers of their rows, in lexicographic order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.checks import checked_integer
from sudokucrypt.sudoku.historical.anagrams import DescentTrace, anagrams, random_descent, set_masks
from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.typing import Box, IntArray, RandomSource


class GridOfRows(NamedTuple):
    """A grid, and the anagram index of each of its rows from the top."""

    grid: SudokuGrid
    indices: tuple[int, ...]


def enumerate_rows(
    limit: int | None = None,
    box: Box = (3, 3),
    *,
    trace: Callable[[tuple[int, ...]], object] | None = None,
) -> Iterator[GridOfRows]:
    """Yield the grids whose first row is 1..n, in lexicographic order.

    All others follow by relabelling: there are n! times as many.

    Parameters
    ----------
    limit : int, optional
        How many grids to yield at most, 0 or more; all by default.
    box : tuple of int, optional
        Rows p and columns q of a box, with p * q at most 9.
    trace : callable, optional
        Called with the anagram indices of each partial grid that is taken from the stack, full
        grids included.

    Yields
    ------
    GridOfRows
        The grid and the anagram indices of its rows.

    Raises
    ------
    InvalidParameterError
        If the limit is negative.
    UnsupportedError
        If the order is above 9.

    Notes
    -----
    Depth-first with a stack: a partial grid is extended by every permutation of the digits that
    differs from all earlier rows in every place, and those are kept whose boxes repeat no digit.

    References
    ----------
    Randall's row-by-row generator, which numbers permutations by their anagram index.

    Examples
    --------
    >>> first = next(enumerate_rows())
    >>> first.grid.to_text()[:27], first.indices[:3]
    ('123456789456789123789123456', (0, 138690, 276480))
    """
    rows = _Rows.of(box)
    if limit is not None:
        limit = checked_integer("the limit", limit, least=0)
    return _walk(rows, limit, trace)


def grid_by_rows(
    box: Box, source: RandomSource, *, trace: DescentTrace | None = None
) -> SudokuGrid:
    """Make a grid row by row, each drawn from all rows that fit below those before it.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box, with p * q at most 9.
    source : RandomSource
        Each row costs one draw; a row below which nothing fits is drawn again without it.
    trace : callable, optional
        Called with the anagram indices of each partial grid, and among how many rows its last one
        was drawn: those that fit and were not tried there before.

    Raises
    ------
    UnsupportedError
        If the order is above 9.

    Notes
    -----
    Not uniform: rows that leave few grids below them are as likely as those that leave many.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> grid_by_rows((2, 3), seeded_draws(1))
    <SudokuGrid of order 6 with 2x3 boxes>
    """
    rows = _Rows.of(box)
    return rows.grid(random_descent(rows.fitting, rows.order, source, trace=trace))


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows of an order, and the digits that each has in each stack, as bits."""

    box: Box
    table: NDArray[np.uint8]
    stacks: IntArray

    @classmethod
    def of(cls, box: Box) -> _Rows:
        p, q = box = checked_box(box)
        table = anagrams(p * q)
        # A box of one column is a part of its column, which is looked at anyway.
        stacks = set_masks(table.reshape(-1, p, q), p * q) if q > 1 else np.zeros(len(table), int)
        return cls(box, table, stacks)

    @property
    def order(self) -> int:
        return self.box[0] * self.box[1]

    def differing(self, candidates: IntArray, row: int) -> IntArray:
        """Return those candidates that differ from a row in every place."""
        differing: IntArray = candidates[(self.table[candidates] != self.table[row]).all(axis=1)]
        return differing

    def in_boxes(self, candidates: IntArray, rows: tuple[int, ...]) -> IntArray:
        """Return those candidates that repeat no digit in the boxes that `rows` have begun."""
        begun = rows[len(rows) - len(rows) % self.box[0] :]
        if not begun:
            return candidates
        taken = np.bitwise_or.reduce(self.stacks[list(begun)])
        fitting: IntArray = candidates[self.stacks[candidates] & taken == 0]
        return fitting

    def fitting(self, rows: tuple[int, ...]) -> IntArray:
        """Return the rows that fit below `rows`."""
        candidates = self.in_boxes(np.arange(len(self.table)), rows)
        for row in rows:
            candidates = self.differing(candidates, row)
        return candidates

    def grid(self, rows: tuple[int, ...]) -> SudokuGrid:
        return SudokuGrid._trusted(self.table[list(rows)].astype(np.int32), self.box)


def _walk(
    rows: _Rows, limit: int | None, trace: Callable[[tuple[int, ...]], object] | None
) -> Iterator[GridOfRows]:
    """Yield from a stack of partial grids, each with the rows that differ from all but its last."""
    stack: list[tuple[tuple[int, ...], IntArray]] = [((0,), np.arange(len(rows.table)))]
    found = 0
    while stack and found != limit:
        indices, candidates = stack.pop()
        if trace is not None:
            trace(indices)
        if len(indices) == rows.order:
            found += 1
            yield GridOfRows(rows.grid(indices), indices)
            continue
        differing = rows.differing(candidates, indices[-1])
        following = rows.in_boxes(differing, indices)[::-1].tolist()
        stack += [((*indices, row), differing) for row in following]
