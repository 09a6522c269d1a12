"""True candidates: digits that a cell has in some solution, with the numbers of solutions."""

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import NoSolutionError, UndecidedError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.solving.solver import solutions
from sudokucrypt.typing import IntArray

# The number of solutions after which each candidate is tested separately.
_MAX_VISITED_SOLUTIONS = 100


def true_candidates(puzzle: PuzzleLike, *, patience: int | None = None) -> NDArray[np.bool_]:
    """Return the digits that each cell has in at least one solution.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        Any puzzle, with any number of solutions.
    patience : int, optional
        The number of nodes without a solution after which a search stops; by default unlimited.

    Returns
    -------
    ndarray of bool, shape (number of cells, number of digits)
        True where a solution has the digit, counted from 0, in the cell.

    Raises
    ------
    NoSolutionError
        If there is no solution.
    UndecidedError
        If a search reached its limit.

    Examples
    --------
    >>> [int(row.sum()) for row in true_candidates("1... .... .... ..34")][:4]
    [1, 3, 2, 2]
    """
    puzzle = as_puzzle(puzzle)
    givens, variant = puzzle.givens, puzzle.variant
    candidate_flags = np.zeros((len(givens), variant.digits), dtype=bool)
    cells = np.arange(len(givens))
    count = 0
    for solution in islice(solutions(puzzle, patience=patience), _MAX_VISITED_SOLUTIONS):
        candidate_flags[cells, solution.givens] = True
        count += 1
    if not count:
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    if count < _MAX_VISITED_SOLUTIONS:
        return candidate_flags
    for cell in np.flatnonzero(givens < 0).tolist():
        peer_digits = {*givens[variant.peers(cell)].tolist()}
        for digit in range(variant.digits):
            if candidate_flags[cell, digit] or digit in peer_digits:
                continue
            givens_with_digit = givens.copy()
            givens_with_digit[cell] = digit
            trial_puzzle = SudokuPuzzle.wrap_valid(givens_with_digit, variant)
            for solution in islice(solutions(trial_puzzle, patience=patience), 1):
                candidate_flags[cells, solution.givens] = True
    return candidate_flags


def count_candidates(
    puzzle: PuzzleLike, limit: int = 1_000_000, *, patience: int | None = None
) -> IntArray:
    """Return for each cell and digit the number of solutions with this digit in the cell.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        Any puzzle; all of its solutions are visited.
    limit : int
        The largest number of solutions that are visited, by default a million.
    patience : int, optional
        The number of nodes without a solution after which the search stops; by default unlimited.

    Returns
    -------
    ndarray of int64, shape (number of cells, number of digits)
        Numbers of solutions; each row adds up to the number of all solutions.

    Raises
    ------
    NoSolutionError
        If there is no solution.
    UndecidedError
        If there are more solutions than the limit, or the search reached its own limit.

    Examples
    --------
    >>> count_candidates("12.. .... .... ..34")[4].tolist()
    [0, 0, 2, 2]
    """
    puzzle = as_puzzle(puzzle)
    limit = check_integer("the limit", limit, least=1)
    counts: NDArray[Any] = np.zeros((len(puzzle.givens), puzzle.variant.digits), dtype=np.int64)
    cells = np.arange(len(puzzle.givens))
    solution_count = 0
    for solution in solutions(puzzle, patience=patience):
        solution_count += 1
        if solution_count > limit:
            raise UndecidedError(
                f"there are more than {limit} solutions", hint="ask for candidates without numbers"
            )
        counts[cells, solution.givens] += 1
    if not solution_count:
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    return counts
