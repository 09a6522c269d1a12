"""Givens that are exchanged leave the solution as it is, and are fewer in the end."""

import numpy as np
import pytest

from sudokucrypt.sudoku.making.exchange import exchange_givens
from sudokucrypt.sudoku.making.puzzles import make_puzzle
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.batch import solve_batch
from tests.sudoku.kernels import COMPILED


@pytest.mark.skipif(not COMPILED, reason="takes minutes with the twin")
def test_fewer_givens_have_the_same_solution() -> None:
    """As many are left as were asked for, and the source decides which."""
    puzzle, solution = make_puzzle(seeded_draws(1))
    result = [
        exchange_givens(puzzle.givens, solution.givens, 21, seeded_draws(seed))
        for seed in (2, 2, 3)
    ]
    assert [(givens >= 0).sum() for givens in result] == [21, 21, 21]
    assert (result[0] == result[1]).all()
    assert (result[0] != result[2]).any()
    counts, first = solve_batch(np.array(result), first=0, empty=-1)
    assert counts.tolist() == [1, 1, 1]
    assert (first == solution.givens).all()


def test_nothing_is_exchanged_without_need() -> None:
    """A puzzle that has few enough givens stays."""
    puzzle, solution = make_puzzle(seeded_draws(1))
    same = exchange_givens(puzzle.givens, solution.givens, puzzle.number_of_givens, seeded_draws(1))
    assert same is puzzle.givens
