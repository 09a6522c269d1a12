"""Row by row, each a permutation by its number, and cell by cell with look-ahead."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.historical.anagrams import DescentTrace, anagrams, random_descent, set_masks
from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.solver import check_digits, fill
from sudokucrypt.typing import Box, IntArray


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
    """Yield the grids whose first row is 1..n, in lexicographic order; all others by relabelling.

    As Randall's row-by-row generator, which numbers permutations by their anagram index:
    depth-first, a partial grid is extended by every permutation that breaks no rule. `limit` is 0
    or more (else `InvalidParameterError`), the order at most 9 (else `UnsupportedError`). `trace`
    is called with the anagram indices of each partial or full grid taken from the stack.

    Parameters
    ----------
    limit : int, optional
        The number of grids after which it ends, 0 or more. By default it goes on to the last one.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 9.
    trace : callable, optional
        Called with the anagram indices of each grid, partial or full, that is taken from the stack.
        By default nothing is called.

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
    source: SeedLike = None, *, box: Box = (3, 3), trace: DescentTrace | None = None
) -> SudokuGrid:
    """Make a grid row by row, each drawn from all rows that fit below those before it.

    Each row costs one draw; a row below which nothing fits is drawn again without it. Not uniform:
    rows that leave few grids below them are as likely as those that leave many. The order is at
    most 9 (else `UnsupportedError`). `trace` is called with the anagram indices of each partial
    grid, and among how many rows its last one was drawn: those that fit and were not tried before.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 9.
    trace : callable, optional
        Called with the anagram indices of each partial grid and the number of rows that its last
        one was drawn from. By default nothing is called.
    """
    rows = _Rows.of(box)
    return rows.grid(
        random_descent(rows.fitting, rows.table.shape[1], as_source(source), trace=trace)
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows of an order, and the digits that each has in each stack, as bits."""

    box: Box
    table: NDArray[np.uint8]
    stacks: IntArray

    @classmethod
    def of(cls, box: Box) -> "_Rows":
        p, q = box = checked_box(box)
        table = anagrams(p * q)
        # A box of one column is a part of its column, which is looked at anyway.
        stacks = set_masks(table.reshape(-1, p, q), p * q) if q > 1 else np.zeros(len(table), int)
        return cls(box, table, stacks)

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
        return SudokuGrid.wrap_valid(self.table[list(rows)].astype(np.int32), self.box)


def _walk(
    rows: _Rows, limit: int | None, trace: Callable[[tuple[int, ...]], object] | None
) -> Iterator[GridOfRows]:
    """Yield from a stack of partial grids, each with the rows that differ from all but its last."""
    stack: list[tuple[tuple[int, ...], IntArray]] = [((0,), np.arange(len(rows.table)))]
    count = 0
    while stack and count != limit:
        indices, candidates = stack.pop()
        if trace is not None:
            trace(indices)
        if len(indices) == rows.table.shape[1]:
            count += 1
            yield GridOfRows(rows.grid(indices), indices)
            continue
        differing = rows.differing(candidates, indices[-1])
        following = rows.in_boxes(differing, indices)[::-1].tolist()
        stack += [((*indices, row), differing) for row in following]


def grid_by_cells(
    source: SeedLike = None,
    *,
    box: Box = (3, 3),
    trace: Callable[[int, int, bool], object] | None = None,
) -> SudokuGrid:
    """Make a grid cell by cell in reading order, without ever taking a digit back.

    A digit stays only if the grid can still be completed. Not uniform, as in `grid_by_rows`. Meant
    for orders up to 16, where it takes moments; `UnsupportedError` above 64, and `UndecidedError`
    if the search for a completion got lost too often.

    For each cell `source` draws the order in which digits are tried, then what each search for a
    completion needs. `trace` is called with the cell, counted from 0 in reading order, the digit
    from 0, and whether it stays, for each digit that no cell in the same row, column or box holds.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 64.
    trace : callable, optional
        Called for each digit that is tried, with its cell, the digit, and whether it stays. By
        default nothing is called.
    """
    box = checked_box(box)
    check_digits(box[0] * box[1])
    variant = Variant.standard(box)
    filled = np.full(len(variant.cells), -1, dtype=np.int32)
    known = filled.copy()
    source = as_source(source)
    for cell in range(len(filled)):
        for digit in source.permutations([variant.digits]).tolist():
            if digit in filled[variant.peers(cell)]:
                continue
            filled[cell] = digit
            # What is in the completion found last needs no new search.
            completion = known if known[cell] == digit else fill(variant, source, givens=filled)
            if trace is not None:
                trace(cell, digit, completion is not None)
            if completion is not None:
                known = completion
                break
    return SudokuGrid.wrap_valid(filled.reshape(variant.digits, variant.digits), box)
