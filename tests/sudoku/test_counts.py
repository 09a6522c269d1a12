"""Counts and limits: integers of any type, none too small, and nothing that only looks like one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError
from sudokucrypt.sudoku import (
    ExactCover,
    SudokuPuzzle,
    Variant,
    count_solutions,
    enumerate_rows,
    make_puzzles,
    random_grids,
    seeded_draws,
    solve_batch,
    stirred_grid,
)

LATIN = SudokuPuzzle.empty(Variant.latin(3))
TAKERS: dict[str, Callable[[Any], object]] = {
    "solver": lambda limit: count_solutions(LATIN, limit),
    "cover": lambda limit: ExactCover("a", {1: "a"}).count(limit),
    "rows": enumerate_rows,
    "batch": lambda limit: solve_batch(np.zeros((1, 81), int), limit=limit),
    "uniform": lambda count: random_grids(count, seeded_draws(1), box=(2, 2)),
    "puzzles": lambda count: make_puzzles(count, seeded_draws(1), sheet=Variant.standard((2, 2))),
    "stirring": lambda amount: stirred_grid(seeded_draws(1), box=(2, 2), amount=amount),
    "seed": seeded_draws,
}


@pytest.mark.parametrize("taker", TAKERS)
def test_everything_else_is_refused(taker: str) -> None:
    """At once and by value, wherever a count or a limit is taken."""
    for value in (-1, 2.0, True, "2"):
        with pytest.raises(InvalidParameterError, match="must be an integer of") as caught:
            TAKERS[taker](value)
        assert repr(value) in str(caught.value)
