"""Solving puzzles of any variant: all solutions, the one solution, how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import MultipleSolutionsError, NoSolutionError
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.search import NodeTrace, begin_search, check_digits, fill
from sudokucrypt.typing import RandomSource

_SLICE = 2000
"""Nodes of the search between two looks at the keyboard."""

_ROWS = 64
"""Solutions fetched at a time, at most."""


def solutions(
    puzzle: SudokuPuzzle, *, source: RandomSource | None = None
) -> Iterator[SudokuPuzzle]:
    """Yield every solution once, while the search goes on.

    Parameters
    ----------
    puzzle : SudokuPuzzle
        Of any variant with at most 64 digits.
    source : RandomSource, optional
        Draws the order in which candidates are tried; without it the order is always the same.
        Any solution may come first, but not all are equally likely to.

    Yields
    ------
    SudokuPuzzle
        Without open cells.

    Raises
    ------
    UnsupportedError
        If there are more digits.

    Notes
    -----
    Ordinary 9x9 puzzles go to band bit boards with locked candidates, naked and hidden singles;
    everything else to bit sets with naked and hidden singles. Both then try a candidate of the
    cell, or the place of a digit, that leaves the least choice.

    Examples
    --------
    >>> puzzle = SudokuPuzzle.from_text("12.. .... .... ..34")
    >>> [solution.to_text() for solution in islice(solutions(puzzle), 2)]
    ['1243341243212134', '1243342143122134']
    """
    search, found = begin_search(puzzle, source, rows=_ROWS)
    while not search.finished:
        for row in found[: search.advance(found, _ROWS, _SLICE)]:
            yield SudokuPuzzle._trusted(row.astype(np.int32), puzzle.variant)


def solve(puzzle: SudokuPuzzle) -> SudokuPuzzle:
    """Return the only solution.

    Raises
    ------
    NoSolutionError
        If there is none.
    MultipleSolutionsError
        If there is more than one.
    UnsupportedError
        As for `solutions`.

    Examples
    --------
    >>> solve(SudokuPuzzle.from_text("1... ..2. .3.. ...4")).to_grid().to_text()
    '1243342143122134'
    """
    first = list(islice(solutions(puzzle), 2))
    if not first:
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    if len(first) > 1:
        raise MultipleSolutionsError(
            "the puzzle has more than one solution", hint="ask for all of them, or for their number"
        )
    return first[0]


def count_solutions(puzzle: SudokuPuzzle, limit: int | None = None) -> int:
    """Return how many solutions there are, or `limit` if there are at least as many.

    Parameters
    ----------
    puzzle : SudokuPuzzle
        As for `solutions`.
    limit : int, optional
        A positive number at which to stop.

    Raises
    ------
    InvalidParameterError
        If the limit is not positive.
    UnsupportedError
        As for `solutions`.

    Notes
    -----
    Each solution is visited: some millions a second for 9x9 with compiled kernels. Ctrl-C works.

    Examples
    --------
    >>> count_solutions(SudokuPuzzle.empty(Variant.standard((2, 2))))
    288
    """
    if limit is not None:
        limit = checked_integer("the limit", limit, least=1)
    search, nothing = begin_search(puzzle, None, rows=0)
    count = 0
    while not search.finished and (limit is None or count < limit):
        wanted = _SLICE if limit is None else min(_SLICE, limit - count)
        count += search.advance(nothing, wanted, _SLICE)
    return count


def is_unique(puzzle: SudokuPuzzle) -> bool:
    """Return whether there is exactly one solution; the search stops at a second one."""
    return count_solutions(puzzle, limit=2) == 1


def random_solution(
    puzzle: SudokuPuzzle | Variant, source: RandomSource, *, trace: NodeTrace | None = None
) -> SudokuPuzzle:
    """Return some solution, chosen at random; of a variant, some full sheet.

    Parameters
    ----------
    puzzle : SudokuPuzzle or Variant
        A variant stands for its empty sheet.
    source : RandomSource
        Draws the order of cells and candidates, anew for each attempt.
    trace : callable, optional
        Called with number, cell and digit of each cell that is filled, tried or followed, all
        from 0; the numbers of each attempt begin anew.

    Raises
    ------
    NoSolutionError
        If there is none.
    UnsupportedError
        As for `solutions`.

    Notes
    -----
    The minimum-candidates search. One that has not come to its end soon begins again in another
    order, at last with twice the patience each time. Every solution can be found, but they are
    *not* equally likely. Up to 25 digits a full sheet takes milliseconds, five overlapping grids
    of order 25 a tenth of a second, 49 digits a second or two and 64 up to a minute.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> random_solution(Variant.x((2, 2)), seeded_draws(1)).number_of_givens
    16
    """
    if isinstance(puzzle, Variant):
        puzzle = SudokuPuzzle.empty(puzzle)
    variant = puzzle.variant
    check_digits(variant.digits)
    filled = fill(variant.rules, source, givens=puzzle.givens, attempts=None, trace=trace)
    if filled is None:
        if puzzle.number_of_givens == 0:
            raise NoSolutionError(f"there is no full sheet of {variant.name}")
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    return SudokuPuzzle._trusted(filled, variant)
