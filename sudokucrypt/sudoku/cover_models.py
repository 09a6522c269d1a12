"""Puzzles of every variant as exact cover problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sudokucrypt.sudoku.exact_cover import ExactCover
from sudokucrypt.sudoku.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.typing import RandomSource

CoverItem: TypeAlias = tuple[str, int]
"""("cell", number), or the name of a house and a digit."""

Placement: TypeAlias = tuple[int, int]
"""Cell and digit, both from 0."""


def puzzle_cover(puzzle: SudokuPuzzle | Variant) -> ExactCover[CoverItem, Placement]:
    """Return the exact cover problem of a puzzle, or of the empty sheet of a variant.

    Each option puts a digit in a cell. Items are the cells, and each digit of each house; the
    digits of a house with fewer cells than there are digits are optional.

    Notes
    -----
    An empty 9x9 sheet has 729 options and 324 items. A given leaves one option for its cell.

    Examples
    --------
    >>> puzzle_cover(Variant.latin(3)).count()
    12
    >>> puzzle_cover(Variant.array((2, 1, 1, 2))).count()
    2
    """
    if isinstance(puzzle, Variant):
        puzzle = SudokuPuzzle.empty(puzzle)
    variant = puzzle.variant
    every = range(variant.digits)
    names: list[list[str]] = [[] for _ in variant.cells]
    items: list[CoverItem] = [("cell", cell) for cell in range(len(variant.cells))]
    optional: list[CoverItem] = []
    for house in variant.houses:
        for cell in house.cells:
            names[cell].append(house.name)
        kind = items if len(house.cells) == variant.digits else optional
        kind += [(house.name, digit) for digit in every]
    options = {
        (cell, digit): [("cell", cell), *((name, digit) for name in names[cell])]
        for cell, given in enumerate(puzzle.givens.tolist())
        for digit in (every if given < 0 else (given,))
    }
    return ExactCover(items, options, optional=optional)


def cover_solutions(
    puzzle: SudokuPuzzle, *, source: RandomSource | None = None
) -> Iterator[SudokuPuzzle]:
    """Yield every solution once, by dancing links.

    The same as `solutions` in another order, for any number of digits; slower, and a check on it.

    Examples
    --------
    >>> puzzle = SudokuPuzzle.from_text("1... ..2. .3.. ...4")
    >>> [solution.to_text() for solution in cover_solutions(puzzle)]
    ['1243342143122134']
    """
    for placements in puzzle_cover(puzzle).solutions(source=source):
        givens = np.empty(len(puzzle.givens), dtype=np.int32)
        for cell, digit in placements:
            givens[cell] = digit
        yield SudokuPuzzle._trusted(givens, puzzle.variant)
