"""True candidates: the digits that some solution has in each cell, and in how many solutions."""

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import NoSolutionError, UndecidedError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.solving.solver import solutions
from sudokucrypt.typing import IntArray

_AT_FIRST = 100  # solutions that are looked at before single candidates are


def true_candidates(puzzle: PuzzleLike, *, patience: int | None = None) -> NDArray[np.bool_]:
    """Return which digits some solution has in each cell.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        Any puzzle, with any number of solutions.
    patience : int, optional
        Nodes of one search without a solution after which it is given up; by default none is.

    Returns
    -------
    ndarray of bool, shape (number of cells, number of digits)
        True where a solution has the digit, counted from 0, in the cell.

    Raises
    ------
    NoSolutionError
        If there is no solution.
    UndecidedError
        If a search was given up.

    Examples
    --------
    >>> [int(row.sum()) for row in true_candidates("1... .... .... ..34")][:4]
    [1, 3, 2, 2]
    """
    puzzle = as_puzzle(puzzle)
    givens, variant = puzzle.givens, puzzle.variant
    found = np.zeros((len(givens), variant.digits), dtype=bool)
    cells = np.arange(len(givens))
    count = 0
    for solution in islice(solutions(puzzle, patience=patience), _AT_FIRST):
        found[cells, solution.givens] = True
        count += 1
    if not count:
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    if count < _AT_FIRST:
        return found
    for cell in np.flatnonzero(givens < 0).tolist():
        near = {*givens[variant.peers(cell)].tolist()}
        for digit in range(variant.digits):
            if found[cell, digit] or digit in near:
                continue
            tried = givens.copy()
            tried[cell] = digit
            trial = SudokuPuzzle.wrap_valid(tried, variant)
            for solution in islice(solutions(trial, patience=patience), 1):
                found[cells, solution.givens] = True
    return found


def count_candidates(
    puzzle: PuzzleLike, limit: int = 1_000_000, *, patience: int | None = None
) -> IntArray:
    """Return how many solutions have each digit in each cell.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        Any puzzle; all of its solutions are visited.
    limit : int
        The most solutions that are visited, by default a million.
    patience : int, optional
        As in `true_candidates`.

    Returns
    -------
    ndarray of int64, shape (number of cells, number of digits)
        Numbers of solutions; each row adds up to the number of all solutions.

    Raises
    ------
    NoSolutionError
        If there is no solution.
    UndecidedError
        If there are more solutions than the limit, or the search was given up.

    Examples
    --------
    >>> count_candidates("12.. .... .... ..34")[4].tolist()
    [0, 0, 2, 2]
    """
    puzzle = as_puzzle(puzzle)
    limit = checked_integer("the limit", limit, least=1)
    counts: NDArray[Any] = np.zeros((len(puzzle.givens), puzzle.variant.digits), dtype=np.int64)
    cells = np.arange(len(puzzle.givens))
    visited = 0
    for solution in solutions(puzzle, patience=patience):
        visited += 1
        if visited > limit:
            raise UndecidedError(
                f"there are more than {limit} solutions", hint="ask for candidates without numbers"
            )
        counts[cells, solution.givens] += 1
    if not visited:
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    return counts
