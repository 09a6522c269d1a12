"""Row by row and cell by cell: order, numbers, traces, and the grids that were printed."""

from collections.abc import Callable
from itertools import islice, pairwise

import pytest

from sudokucrypt import SudokuGrid
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.historical.anagrams import anagram_index
from sudokucrypt.sudoku.historical.by_rows import enumerate_rows, grid_by_cells, grid_by_rows
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import Box
from tests.sudoku.puzzles import puzzle_of

TOP = "123456789456789123789123456214365897365897214897214365"
PRINTED = """
    531642978642978531978531642 531642978648971532972538641 531642978672938541948571632
    531642978678931542942578631 531642978942578631678931542
"""


def test_the_first_five_are_those_printed() -> None:
    """The published first solutions, in their order."""
    assert [result.grid.to_text() for result in enumerate_rows(5)] == [
        TOP + end for end in PRINTED.split()
    ]


@pytest.mark.parametrize(
    ("box", "grids", "labellings"),
    [
        ((1, 1), 1, 1),
        ((2, 2), 288, 24),
        ((1, 4), 576, 24),
        ((4, 1), 576, 24),
        ((1, 5), 161280, 120),
        pytest.param((2, 3), 28200960, 720, marks=pytest.mark.slow),
    ],
)
def test_all_grids_are_found(box: tuple[int, int], grids: int, labellings: int) -> None:
    """As many as the published numbers of grids and Latin squares, each once and in order."""
    result = list(enumerate_rows(box=box))
    assert len(result) == grids // labellings
    texts = [solution.grid.to_text() for solution in result]
    assert texts == sorted(set(texts))
    assert all(SudokuGrid(solution.grid, box) == solution.grid for solution in result)


def test_hundreds_of_grids_come_lazily() -> None:
    """The first 300 are valid, in order, begin with 123456789, and know their rows' numbers."""
    result = list(islice(enumerate_rows(), 300))
    texts = [solution.grid.to_text() for solution in result]
    assert texts == sorted(set(texts))
    for solution in result[::20]:
        grid = SudokuGrid(solution.grid)
        assert grid.to_text().startswith("123456789")
        assert solution.indices == tuple(anagram_index(row) for row in grid.cells.tolist())


def test_trace_shows_partial_grids() -> None:
    """Each partial grid extends one before it; full ones are those that are yielded."""
    seen: list[tuple[int, ...]] = []
    result = list(enumerate_rows(box=(2, 2), trace=seen.append))
    assert seen[0] == (0,)
    assert all(indices[:-1] in seen[:position] for position, indices in enumerate(seen) if position)
    assert [indices for indices in seen if len(indices) == 4] == [s.indices for s in result]


def test_limits() -> None:
    """No more are yielded than asked for; bad limits and orders are refused at once."""
    assert list(enumerate_rows(0)) == []
    assert len(list(enumerate_rows(7, (2, 2)))) == 7
    with pytest.raises(UnsupportedError, match="order 9, not 10"):
        enumerate_rows(box=(2, 5))


@pytest.mark.parametrize("method", [grid_by_rows, grid_by_cells])
@pytest.mark.parametrize("box", [(1, 1), (1, 6), (2, 3), (3, 2)])
def test_random_grids_are_valid(method: Callable[..., SudokuGrid], box: Box) -> None:
    """Every seed makes a valid grid, and not always the same."""
    grids = {method(seeded_draws(seed), box=box) for seed in range(3)}
    assert all(SudokuGrid(grid, box) == grid for grid in grids)
    assert len(grids) > 1 or box == (1, 1)


def test_draws_are_traced() -> None:
    """The first row is drawn from all; of partial grids, the last ones make up the grid."""
    traced: list[tuple[tuple[int, ...], int]] = []
    grid = grid_by_rows(seeded_draws(1), box=(3, 3), trace=lambda *draw: traced.append(draw))
    assert traced[0][1] == 362880
    assert traced[1][1] == 12096  # as published for the box to the right
    assert traced[-1][0] == tuple(anagram_index(row) for row in grid.cells.tolist())
    for (before, _), (after, choices) in pairwise(traced):
        assert after[:-1] == before[: len(after) - 1]
        assert choices > 0


def test_digits_that_do_not_stay_lead_nowhere() -> None:
    """Digits that stay make up the grid in reading order; the others have no completion."""
    steps: list[tuple[int, int, bool]] = []
    grid = grid_by_cells(seeded_draws(1), box=(2, 3), trace=lambda *step: steps.append(step))
    digits = grid.cells.reshape(-1).tolist()
    assert [(cell, digit) for cell, digit, stays in steps if stays] == list(enumerate(digits))
    refused = [(cell, digit) for cell, digit, stays in steps if not stays]
    assert refused
    for cell, digit in refused:
        begun = [*digits[:cell], digit, *[-1] * (35 - cell)]
        assert count_solutions(puzzle_of(begun, Variant.standard((2, 3)))) == 0
