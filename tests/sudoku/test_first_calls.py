"""All forms of arguments: texts, arrays, solutions, seeds and defaults, in all functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt import InvalidGridError, InvalidParameterError, sudoku
from sudokucrypt.sudoku import (
    ExactCover,
    SudokuGrid,
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

MINI, MINI_SOLVED = "1.....2..3.....4", "1243342143122134"
PUZZLES = {
    "text": MINI,
    "zeros": MINI.replace(".", "0"),
    "rows": "1...\n..2.\n.3..\n...4",
    "ruled": str(SudokuPuzzle.from_text(MINI)),
    "array": np.array([[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]]),
    "bytes": np.frombuffer(MINI.replace(".", "0").encode(), dtype=np.uint8) - ord("0"),
    "lists": [[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]],
    "puzzle": SudokuPuzzle.from_text(MINI),
}
SOLVED = SudokuGrid.from_text(MINI_SOLVED)
GRIDS = {
    "text": MINI_SOLVED,
    "ruled": str(SOLVED),
    "array": np.asarray(SOLVED),
    "lists": np.asarray(SOLVED).tolist(),
    "solution": sudoku.solve(MINI),
    "grid": SOLVED,
}
OF_PUZZLES: dict[str, Callable[[Any], object]] = {
    "solve": sudoku.solve,
    "solutions": lambda puzzle: list(sudoku.solutions(puzzle)),
    "count": sudoku.count_solutions,
    "unique": sudoku.is_unique,
    "random": lambda puzzle: sudoku.random_solution(puzzle, 1),
    "cover": lambda puzzle: list(sudoku.cover_solutions(puzzle)),
    "options": lambda puzzle: list(sudoku.puzzle_cover(puzzle).solutions()),
    "deductions": lambda puzzle: list(sudoku.deductions(puzzle)),
    "grade": sudoku.grade,
    "level": sudoku.find_level,
    "rating": sudoku.rate_puzzle,
    "drawing": lambda puzzle: sudoku.drawing.draw([sudoku.drawing.Sheet(shown=puzzle)]),
}
OF_GRIDS: dict[str, Callable[[Any], object]] = {
    **OF_PUZZLES,
    "rank": sudoku.rank,
    "form": lambda grid: sudoku.canonical_form(grid).grid,
    "stir": lambda grid: sudoku.stir(grid, 1),
    "made": lambda grid: sudoku.make_puzzle(1, sheet=grid),
}
DRAWING: dict[str, Callable[..., Any]] = {
    "grid": sudoku.random_grid,
    "grids": lambda *source: sudoku.random_grids(2, *source).tolist(),
    "shuffled": sudoku.shuffled_grid,
    "stirred": sudoku.stirred_grid,
    "stir": lambda *source: sudoku.stir(sudoku.unrank(0), *source),
    "search": sudoku.grid_by_search,
    "rows": sudoku.grid_by_rows,
    "cells": sudoku.grid_by_cells,
    "boxes": sudoku.grid_by_boxes,
    "array": lambda *source: sudoku.array_by_search(3, *source),
    "shuffled array": lambda *source: sudoku.shuffled_array(3, *source),
    "solution": lambda *source: sudoku.random_solution(Variant.x(), *source),
    "puzzle": sudoku.make_puzzle,
    "puzzles": lambda *source: sudoku.make_puzzles(2, *source),
    "box by box": lambda *source: sudoku.box_by_box(*source, samples=20),
}
"""All that draws at random; the source is its last positional argument."""


@pytest.mark.parametrize("form", PUZZLES)
@pytest.mark.parametrize("name", OF_PUZZLES)
def test_a_puzzle_is_taken_in_any_form(name: str, form: str) -> None:
    """Functions of puzzles accept text, text with lines, and arrays with 0 in open cells."""
    assert OF_PUZZLES[name](PUZZLES[form]) == OF_PUZZLES[name](SudokuPuzzle.from_text(MINI))


@pytest.mark.parametrize("form", GRIDS)
@pytest.mark.parametrize("name", OF_GRIDS)
def test_a_grid_is_taken_in_any_form(name: str, form: str) -> None:
    """Functions of grids accept text, arrays and solved puzzles."""
    assert OF_GRIDS[name](GRIDS[form]) == OF_GRIDS[name](SOLVED)


@pytest.mark.parametrize("puzzle", [PUZZLES["text"], PUZZLES["array"], PUZZLES["puzzle"]])
def test_open_cells_make_no_grid(puzzle: Any) -> None:
    """Functions that number grids refuse puzzles with open cells."""
    for name in ("rank", "form", "stir"):
        with pytest.raises(InvalidGridError):
            OF_GRIDS[name](puzzle)


@pytest.mark.parametrize("name", DRAWING)
def test_a_source_is_nothing_a_seed_or_a_stream(name: str) -> None:
    """A seed and its stream give the same result, None gives another, and other types are
    refused."""
    draw = DRAWING[name]
    assert draw(3) == draw(np.int64(3)) == draw(seeded_draws(3)) != draw(4)
    assert draw() != draw(None)
    for wrong in ((2, 3), 1.5, "3", True, -1, np.random.default_rng(1)):
        with pytest.raises(InvalidParameterError, match=r"^a (source is|seed must be) "):
            draw(wrong)


def test_orders_of_solutions_are_drawn() -> None:
    """A seed determines the order of solutions; without one the order is fixed."""
    empty_puzzle = SudokuPuzzle.empty(Variant.standard((2, 2)))
    for list_solutions in (sudoku.solutions, sudoku.cover_solutions):
        orders = [
            [*list_solutions(empty_puzzle, source=source)]
            for source in (1, seeded_draws(1), 2, None, None)
        ]
        assert orders[0] == orders[1] != orders[2]
        assert orders[3] == orders[4] != orders[0]


# Counts and limits: integers of any type; too small integers and other types are rejected.


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
    """Values that are not integers in range are refused wherever a count or limit is expected."""
    for value in (-1, 2.0, True, "2"):
        with pytest.raises(InvalidParameterError, match="must be an integer of") as caught:
            TAKERS[taker](value)
        assert repr(value) in str(caught.value)


# Seeded draws: the same numbers for a seed, now and on every platform.


BOUNDS = (2, 6, 9, 1000, 2**32, 2**40, 2**70)
EACH = np.array([1, 2, 3, 10, 100, 2**32])


@pytest.mark.parametrize(
    ("seed", "singles", "batch", "permutations"),
    [
        (
            1,
            [1, 5, 2, 491, 149690573, 902562292982, 594893267227570253998],
            [0, 1, 2, 1, 62, 1757496908],
            [0, 3, 0, 1, 2, 8, 3, 2, 7, 6, 4, 0, 5, 1],
        ),
        (
            12345678901234567890123456789,
            [0, 3, 6, 921, 211549211, 15160031175, 313081100093239173397],
            [0, 1, 0, 8, 35, 2457508701],
            [0, 1, 0, 2, 3, 3, 6, 4, 8, 7, 2, 0, 1, 5],
        ),
    ],
)
def test_the_draws_of_a_seed_never_change(
    seed: int, singles: list[int], batch: list[int], permutations: list[int]
) -> None:
    """Seeds give the draws that were recorded when they were introduced."""
    source = seeded_draws(seed)
    assert [source.below(bound) for bound in BOUNDS] == singles
    assert source.below_each(EACH).tolist() == batch
    assert source.permutations([1, 4, 9]).tolist() == permutations


def test_words_are_those_of_pcg64() -> None:
    """The words of a seed are the halves, lower first, of NumPy's PCG64 output."""
    raw = np.random.PCG64(np.random.SeedSequence(5)).random_raw(50_000)
    halves = np.stack([raw & np.uint64(2**32 - 1), raw >> np.uint64(32)], axis=1).reshape(-1)
    assert np.array_equal(seeded_draws(5).below_each(np.full(100_000, 2**32)), halves)


def test_without_a_seed_each_source_differs() -> None:
    """Two sources without a seed give different numbers."""
    assert seeded_draws().below(2**128) != seeded_draws().below(2**128)
