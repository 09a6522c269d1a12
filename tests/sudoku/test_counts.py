"""Counts and limits: integers of any type, none too small, and nothing that only looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError
from sudokucrypt.checks import checked_integer
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

if TYPE_CHECKING:
    from collections.abc import Callable

LATIN = SudokuPuzzle.empty(Variant.latin(3))
TAKERS: dict[str, Callable[[Any], object]] = {
    "solver": lambda limit: count_solutions(LATIN, limit),
    "cover": lambda limit: ExactCover("a", {1: "a"}).count(limit),
    "rows": enumerate_rows,
    "batch": lambda limit: solve_batch(np.full((1, 81), -1), limit=limit),
    "uniform": lambda count: random_grids(seeded_draws(1), count, box=(2, 2)),
    "puzzles": lambda count: make_puzzles(seeded_draws(1), count, Variant.standard((2, 2))),
    "stirring": lambda amount: stirred_grid((2, 2), seeded_draws(1), amount=amount),
    "seed": seeded_draws,
}


@pytest.mark.parametrize("value", [1, 7, np.int64(7), np.uint8(7)])
def test_integers_of_any_type_pass(value: int) -> None:
    """They come back plain."""
    number = checked_integer("it", value, least=1)
    assert (type(number), number) == (int, value)


@pytest.mark.parametrize("value", [-1, 2.5, 2.0, "2", True, [2]])
@pytest.mark.parametrize("taker", TAKERS)
def test_everything_else_is_refused(taker: str, value: object) -> None:
    """At once and by value, wherever a count or a limit is taken."""
    with pytest.raises(InvalidParameterError, match="must be an integer of") as caught:
        TAKERS[taker](value)
    assert repr(value) in str(caught.value)
