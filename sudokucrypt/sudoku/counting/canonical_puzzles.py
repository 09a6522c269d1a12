"""Puzzles that are the same up to the symmetries of the rules."""

from dataclasses import dataclass
from itertools import permutations, product
from math import factorial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.model.array_interface import OPEN
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.symmetry import Symmetry, can_transpose
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import Box

SheetDigits = NDArray[np.int8]

_MOST = 4_000_000  # orders of lines to try at a time: those of 3x3 boxes without any given


@dataclass(frozen=True, eq=False, kw_only=True)
class CanonicalPuzzle:
    """The first in reading order of all puzzles that a puzzle is essentially the same as.

    `symmetry` maps the puzzle in question to it. `automorphisms` says how many symmetries do, if
    digits that are not given keep their order; as many map the puzzle to itself.
    """

    puzzle: SudokuPuzzle
    symmetry: Symmetry
    automorphisms: int


def canonical_puzzle(puzzle: PuzzleLike) -> CanonicalPuzzle:
    """Find the first puzzle, in reading order, among all images under symmetries of the rules.

    An open cell comes before all digits. Boxes are those of `canonical_form`, which gives the same
    for a full grid; `UnsupportedError` for others, for other rules, and for boxes other than 3x3 if
    there are too few givens. A 9x9 puzzle takes some ten milliseconds, an empty one some seconds.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle; an array has 0 in open cells.

    Examples
    --------
    >>> canonical_puzzle("1... ..2. .3.. ...4").puzzle.to_text()
    '...1.2....3.4...'
    """
    puzzle = as_puzzle(puzzle)
    box = puzzle.variant.box
    if puzzle.variant != Variant.standard(box):
        raise UnsupportedError(
            f"puzzles of {puzzle.variant.name} have no canonical form",
            hint="ordinary Sudoku and Latin squares do",
        )
    sheets = puzzle.cells.astype(np.int8)[None]
    if can_transpose(box):
        sheets = np.stack([sheets[0], sheets[0].T])
    search = _RowByRow(sheets, box)
    for _ in range(search.order):
        search.add_row()
    transposed = bool(search.sheet[0])
    down, across = search.rows[0].astype(np.int64), search.columns[0].astype(np.int64)
    label = search.labels[0].astype(np.int64)
    label[label == OPEN] = np.setdiff1d(np.arange(search.order), label)
    image = np.array(search.image, dtype=np.int32).ravel()
    return CanonicalPuzzle(
        puzzle=SudokuPuzzle.wrap_valid(image, puzzle.variant),
        symmetry=Symmetry.wrap_valid(
            box, *((across, down) if transposed else (down, across)), label, transposed=transposed
        ),
        automorphisms=len(search.sheet),
    )


class _RowByRow:
    """All ways to order the lines and to name the digits that begin with the first image."""

    def __init__(self, sheets: SheetDigits, box: Box) -> None:
        self.sheets, (self.p, self.q), self.order = sheets, box, sheets.shape[1]
        orders = factorial(self.p) * factorial(self.q) ** self.p
        self._check(orders)
        inside = list(permutations(range(self.q)))
        columns = np.array(
            [
                [
                    stack * self.q + column
                    for stack, order in zip(stacks, within, strict=True)
                    for column in order
                ]
                for stacks in permutations(range(self.p))
                for within in product(inside, repeat=self.p)
            ],
            dtype=np.int8,
        )
        self.sheet = np.repeat(np.arange(len(sheets)), len(columns))
        self.columns = np.tile(columns, (len(sheets), 1))
        self.rows = np.empty((len(self.sheet), 0), dtype=np.int8)
        self.labels = np.full((len(self.sheet), self.order), OPEN, dtype=np.int8)
        self.image: list[list[int]] = []

    def add_row(self) -> None:
        """Choose the next row, and keep what makes it the first in reading order."""
        done = self.rows.shape[1]
        used = np.zeros((len(self.sheet), self.order), dtype=bool)
        np.put_along_axis(used, self.rows.astype(np.int64), values=True, axis=1)
        band = np.repeat(used.reshape(-1, self.q, self.p).any(axis=2), self.p, axis=1)
        # Inside a band only its other rows, at its end those of bands that are not begun.
        allowed = ~band
        if done % self.p:
            allowed = (np.arange(self.order) // self.p == self.rows[:, -1:] // self.p) & ~used
        self._check(int(allowed.sum()))
        old, row = np.nonzero(allowed)
        self._keep(old)
        self.rows = np.column_stack([self.rows, row.astype(np.int8)])
        self.image.append([self._first(column) for column in range(self.order)])

    def _first(self, column: int) -> int:
        """Keep what has the smallest digit in a column of the last row, and return it."""
        every = np.arange(len(self.sheet))
        digits = self.sheets[self.sheet, self.rows[:, -1], self.columns[:, column]]
        images = np.where(digits == OPEN, OPEN, self.labels[every, digits])
        # A digit that has no name yet gets the smallest free one, which is best in reading order.
        fresh = (digits != OPEN) & (images == OPEN)
        images[fresh] = self.labels[fresh].max(axis=1) + 1
        best = images.min()
        keep = np.flatnonzero(images == best)
        self._keep(keep)
        if best != OPEN:
            self.labels[np.arange(len(keep)), digits[keep]] = best
        return int(best)

    def _keep(self, which: NDArray[np.intp]) -> None:
        self.sheet, self.rows = self.sheet[which], self.rows[which]
        self.columns, self.labels = self.columns[which], self.labels[which]

    def _check(self, orders: int) -> None:
        if orders > _MOST:
            raise UnsupportedError(
                f"a puzzle with {self.p}x{self.q} boxes and so few givens has {orders} orders to "
                "try",
                hint=f"up to {_MOST} are tried",
            )
