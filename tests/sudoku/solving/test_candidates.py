"""True candidates agree with an enumeration of all solutions, also with constraints."""

import numpy as np
import pytest

from sudokucrypt.errors import NoSolutionError, UndecidedError
from sudokucrypt.sudoku import (
    SudokuPuzzle,
    Variant,
    count_candidates,
    make_constrained,
    solutions,
    solve,
    true_candidates,
)
from tests.sudoku.puzzles import ROYLE, make_sparse_puzzle, remove_random_givens


def loosen_puzzle(seed: int) -> SudokuPuzzle:
    """Return a 4x4 or 6x6 puzzle without some of its constraints and givens."""
    rng = np.random.default_rng(seed)
    kinds = [["killer"], ["thermometer"], ["arrow", "killer"]][seed % 3]
    puzzle, _ = make_constrained(seed, kind=kinds, box=(2, 2 + seed % 2))
    kept_constraints = [
        constraint for constraint in puzzle.variant.constraints if rng.random() < 0.7
    ]
    standard = Variant.standard(puzzle.variant.box)
    givens = np.where(rng.random(len(puzzle.givens)) < 0.7, puzzle.givens, -1)
    variant = standard.with_constraints(*kept_constraints) if kept_constraints else standard
    return SudokuPuzzle(givens, variant, first=0, empty=-1)


@pytest.mark.parametrize("seed", range(12))
def test_candidates_are_those_of_all_solutions(seed: int) -> None:
    """A digit is a candidate if some solution has it, and the counts add up."""
    puzzle = loosen_puzzle(seed)
    solution_givens = []
    for solution in solutions(puzzle):
        solution_givens.append(solution.givens)
        if len(solution_givens) > 5000:
            puzzle = remove_random_givens(solution, seed, 4)
            solution_givens = [solution.givens for solution in solutions(puzzle)]
            break
    counts = np.zeros((len(puzzle.givens), puzzle.variant.digits), dtype=int)
    for givens in solution_givens:
        counts[np.arange(len(givens)), givens] += 1
    assert (true_candidates(puzzle) == (counts > 0)).all()
    assert (count_candidates(puzzle) == counts).all()


def test_open_grids_have_all_candidates() -> None:
    """With many solutions, only a few are visited, and counting them is refused."""
    assert true_candidates("." * 81).all()
    with pytest.raises(UndecidedError, match="more than 1000 solutions"):
        count_candidates("." * 81, 1000)
    puzzle = remove_random_givens(make_sparse_puzzle(Variant.x((2, 3)), 1), 1, 3)
    assert (true_candidates(puzzle) == (count_candidates(puzzle) > 0)).all()


def test_one_solution_and_none() -> None:
    """A puzzle with one solution has one candidate per cell; without solution it raises an
    error."""
    givens = solve(ROYLE[0]).givens
    assert (true_candidates(ROYLE[0]).argmax(axis=1) == givens).all()
    assert true_candidates(ROYLE[0]).sum() == 81
    for function in (true_candidates, count_candidates):
        with pytest.raises(NoSolutionError):
            function("123....4........")
