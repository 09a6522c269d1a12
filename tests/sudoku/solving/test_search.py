"""Random search: valid grids from every seed, errors when it fails, and traced nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import InvalidParameterError, SudokuGrid
from sudokucrypt.errors import NoSolutionError, UndecidedError, UnsupportedError
from sudokucrypt.sudoku import (
    SudokuPuzzle,
    Variant,
    cover_solutions,
    grid_by_search,
    random_solution,
    seeded_draws,
)
from sudokucrypt.sudoku.solving import solver
from sudokucrypt.sudoku.solving.solver import fill_open_cells
from sudokucrypt.typing import AnyArray
from tests.sudoku.puzzles import make_engine_puzzle

pytestmark = pytest.mark.kernels

BOXES = [(1, 1), (7, 1), (2, 2), (2, 3), (3, 3), (2, 5), (4, 4)]


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("diagonals", [False, True])
def test_every_box_shape(box: tuple[int, int], diagonals: bool) -> None:
    """Grids of every box shape are valid, also on diagonals; other seeds give other grids."""
    order = box[0] * box[1]
    texts = set()
    for seed in range(3):
        grid = grid_by_search(seeded_draws(seed), box=box, diagonals=diagonals)
        assert SudokuGrid(grid, box) == grid
        if diagonals:
            assert len(set(grid.cells.diagonal().tolist())) == order
            assert len(set(grid.cells[:, ::-1].diagonal().tolist())) == order
        texts.add(grid)
    assert len(texts) > 1 or order == 1


def test_grids_of_a_seed_never_change() -> None:
    """A seed gives the grid that was recorded when the search was introduced."""
    crossed = grid_by_search(seeded_draws(1), box=(2, 3), diagonals=True)
    assert crossed.to_text() == "532416461352253164614235125643346521"


def test_nodes_lead_to_the_grid() -> None:
    """Traced nodes count from 0, and the last node of each cell is its digit in the grid."""
    nodes: list[tuple[int, int, int]] = []
    grid = grid_by_search(seeded_draws(4), box=(4, 4), trace=lambda *node: nodes.append(node))
    assert [node[0] for node in nodes] == list(range(len(nodes)))
    assert len(nodes) > 256  # this seed goes back somewhere
    last = {cell: value for _, cell, value in nodes}
    assert [last[cell] for cell in range(256)] == grid.cells.reshape(-1).tolist()


def test_attempts_are_traced_one_after_the_other() -> None:
    """Failed attempts are traced too, and each attempt counts from 0."""
    numbers: list[int] = []

    def trace(number: int, _cell: int, _value: int) -> None:
        numbers.append(number)

    with pytest.raises(UndecidedError, match="in each of 2 attempts"):
        grid_by_search(seeded_draws(391), box=(2, 3), diagonals=True, attempts=2, trace=trace)
    second = numbers.index(0, 1)
    assert numbers == [*range(second), *range(len(numbers) - second)]


def test_without_a_number_of_attempts_there_is_an_answer() -> None:
    """With attempts=None, a seed that fails twice succeeds, and impossible rules return None."""
    variant = Variant.x((2, 3))
    with pytest.raises(UndecidedError, match="in each of 2 attempts"):
        fill_open_cells(variant, seeded_draws(391), attempts=2)
    assert fill_open_cells(variant, seeded_draws(391), attempts=None) is not None
    assert fill_open_cells(Variant.x((1, 3)), seeded_draws(1), attempts=None) is None


MAP = ["AABCCC", "AABCCD", "AABCDD", "BBBDDD", "EEEFFF", "EEEFFF"]


@pytest.mark.parametrize("seed", range(3))
def test_the_strongest_search_comes_last(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The strongest search completes failed attempts, satisfies all rules, keeps givens and is
    traced."""
    monkeypatch.setattr(solver, "DEFAULT_ATTEMPTS", 0)
    variant = Variant.jigsaw(MAP)
    givens = np.full(36, -1, dtype=np.int32)
    givens[[0, 7]] = 5, 2
    last: dict[int, int] = {}

    def trace(_number: int, cell: int, digit: int) -> None:
        last[cell] = digit

    filled = fill_open_cells(variant, seeded_draws(seed), givens=givens, attempts=None)
    assert filled is not None
    assert make_engine_puzzle(filled, variant).number_of_givens == 36
    assert filled[[0, 7]].tolist() == [5, 2]
    repeated = fill_open_cells(
        variant, seeded_draws(seed), givens=givens, attempts=None, trace=trace
    )
    assert repeated is not None
    assert np.array_equal(repeated, filled)
    assert {cell: repeated[cell] for cell in last} == last
    assert len(last) == 34
    other_grid = fill_open_cells(variant, seeded_draws(seed + 9), givens=givens, attempts=None)
    assert other_grid is not None
    assert not np.array_equal(other_grid, filled)


@pytest.mark.parametrize("traced", [False, True])
def test_random_sheets_are_given_up(monkeypatch: pytest.MonkeyPatch, traced: bool) -> None:
    """For impossible rules, random_solution stops after the given nodes, or proves that there is no
    grid."""
    monkeypatch.setattr(solver, "DEFAULT_ATTEMPTS", 0)
    trace = (lambda *_: None) if traced else None
    impossible = Variant.jigsaw(["AAAB", "BBBA", "CCDD", "CCDD"])
    with pytest.raises(UndecidedError, match="no full grid of Jigsaw, 4x4 was found in 2 nodes"):
        random_solution(impossible, 1, patience=2, trace=trace)
    with pytest.raises(NoSolutionError, match="no full grid of Jigsaw, 4x4"):
        random_solution(impossible, 1, patience=1000, trace=trace)
    puzzle = SudokuPuzzle([1] + 35 * [0], Variant.jigsaw(MAP))
    with pytest.raises(UndecidedError, match="no solution was found in 2 nodes"):
        random_solution(puzzle, 1, patience=2, trace=trace)


def test_patience_grows_and_then_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempt i has i nodes per cell; from attempt 46 on, twice as many as the attempt before."""
    budgets: list[int] = []

    class Lost:
        finished = False

        def advance(self, _found: AnyArray, _limit: int, budget: int) -> int:
            budgets.append(budget)
            return 0

    monkeypatch.setattr(
        "sudokucrypt.sudoku.solving.solver._general_kernel.Search",
        lambda *_tables, **_options: Lost(),
    )
    with pytest.raises(UndecidedError, match="in each of 48 attempts"):
        fill_open_cells(Variant.standard((2, 2)), seeded_draws(1), attempts=48)
    assert budgets == [16 * i for i in (*range(1, 46), 64, 128, 256)]


@given(st.integers(0, 2**32 - 1), st.integers(0, 36))
@settings(max_examples=30)
def test_givens_stay_and_are_completed(seed: int, count: int) -> None:
    """fill completes any part of a grid and keeps the givens."""
    rng = np.random.default_rng(seed)
    grid = grid_by_search(seeded_draws(seed), box=(2, 3))
    givens = np.full(36, -1, dtype=np.int32)
    given_cells = rng.permutation(36)[:count]
    givens[given_cells] = grid.cells.reshape(-1)[given_cells]
    filled = fill_open_cells(Variant.standard((2, 3)), seeded_draws(seed + 1), givens=givens)
    assert filled is not None
    assert np.array_equal(filled[given_cells], givens[given_cells])
    assert SudokuGrid(filled.reshape(6, 6), first=0).order == 6


def test_answers_agree_with_dancing_links() -> None:
    """On random 4x4 givens, also contradictory ones, fill succeeds exactly if a solution exists."""
    variant = Variant.standard((2, 2))
    rng = np.random.default_rng(3)
    answers = set()
    for seed in range(80):
        cells = np.full(16, -1, dtype=np.int32)
        cells[rng.permutation(16)[:4]] = rng.integers(0, 4, 4)
        possible = any(cover_solutions(SudokuPuzzle.wrap_valid(cells, variant)))
        assert (fill_open_cells(variant, seeded_draws(seed), givens=cells) is not None) == possible
        answers.add(possible)
    assert answers == {True, False}


@pytest.mark.parametrize("box", [(1, 2), (1, 3)])
def test_grids_that_do_not_exist_are_refused(box: tuple[int, int]) -> None:
    """Latin squares of order 2 or 3 with all digits on both diagonals are refused."""
    assert grid_by_search(seeded_draws(1), box=box).box == box
    with pytest.raises(UnsupportedError, match="both diagonals"):
        grid_by_search(seeded_draws(1), box=box, diagonals=True)


def test_bad_options_are_refused() -> None:
    """Orders above 64 and attempts below 1 are refused."""
    with pytest.raises(UnsupportedError, match="at most 64 digits, not 72"):
        grid_by_search(seeded_draws(1), box=(8, 9))
    with pytest.raises(InvalidParameterError, match="number of attempts must be an integer of 1"):
        grid_by_search(seeded_draws(1), box=(2, 2), attempts=0)
