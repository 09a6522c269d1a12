"""Row by row: lexicographic order, anagram indices, and the grids that were printed."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest

from sudokucrypt import InvalidParameterError, SudokuGrid
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.historical.anagrams import anagram_index
from sudokucrypt.sudoku.historical.rows import enumerate_rows, grid_by_rows
from sudokucrypt.sudoku.seeded import seeded_draws

TOP = "123456789456789123789123456214365897365897214897214365"
PRINTED = [
    "531642978642978531978531642",
    "531642978648971532972538641",
    "531642978672938541948571632",
    "531642978678931542942578631",
    "531642978942578631678931542",
]


def test_the_first_five_are_those_printed() -> None:
    """The published first solutions, in their order."""
    assert [found.grid.to_text() for found in enumerate_rows(5)] == [TOP + end for end in PRINTED]


@pytest.mark.parametrize(
    ("box", "grids", "labellings"),
    [
        ((1, 1), 1, 1),
        ((2, 2), 288, 24),
        ((1, 4), 576, 24),
        ((4, 1), 576, 24),
        ((1, 5), 161280, 120),
    ],
)
def test_all_grids_are_found(box: tuple[int, int], grids: int, labellings: int) -> None:
    """As many as the published numbers of grids and Latin squares, each once and in order."""
    found = list(enumerate_rows(box=box))
    assert len(found) == grids // labellings
    texts = [solution.grid.to_text() for solution in found]
    assert texts == sorted(set(texts))
    assert all(SudokuGrid(solution.grid.cells, box) == solution.grid for solution in found)


@pytest.mark.parametrize("box", [(2, 3), (3, 2)])
def test_order_6(box: tuple[int, int]) -> None:
    """28200960 grids with 2 x 3 boxes, or 3 x 2, divided by 6! labellings."""
    assert sum(1 for _ in enumerate_rows(box=box)) == 28200960 // 720


def test_thousands_of_grids_come_lazily() -> None:
    """The first 3000 are valid, in order, begin with 123456789, and know their rows' numbers."""
    found = list(islice(enumerate_rows(), 3000))
    texts = [solution.grid.to_text() for solution in found]
    assert texts == sorted(set(texts))
    for solution in found[::100]:
        grid = SudokuGrid(solution.grid.cells)
        assert grid.to_text().startswith("123456789")
        assert solution.indices == tuple(anagram_index(row) for row in grid.cells.tolist())


def test_trace_shows_partial_grids() -> None:
    """Each partial grid extends one before it; full ones are those that are yielded."""
    seen: list[tuple[int, ...]] = []
    found = list(enumerate_rows(box=(2, 2), trace=seen.append))
    assert seen[0] == (0,)
    assert all(indices[:-1] in seen[:place] for place, indices in enumerate(seen) if place)
    assert [indices for indices in seen if len(indices) == 4] == [s.indices for s in found]


def test_limits() -> None:
    """No more are yielded than asked for; bad limits and orders are refused at once."""
    assert list(enumerate_rows(0)) == []
    assert len(list(enumerate_rows(7, (2, 2)))) == 7
    with pytest.raises(InvalidParameterError, match="limit"):
        enumerate_rows(-1)
    with pytest.raises(UnsupportedError, match="order 9, not 10"):
        enumerate_rows(box=(2, 5))


@pytest.mark.parametrize("box", [(1, 1), (1, 6), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3)])
def test_random_rows_make_grids(box: tuple[int, int]) -> None:
    """Every seed makes a valid grid, and not always the same."""
    grids = {grid_by_rows(box, seeded_draws(seed)) for seed in range(4)}
    assert all(SudokuGrid(grid.cells, box) == grid for grid in grids)
    assert len(grids) > 1 or box == (1, 1)


def test_draws_are_traced() -> None:
    """The first row is drawn from all; of partial grids, the last ones make up the grid."""
    told: list[tuple[tuple[int, ...], int]] = []
    grid = grid_by_rows((3, 3), seeded_draws(1), trace=lambda *draw: told.append(draw))
    assert told[0][1] == 362880
    assert told[1][1] == 12096  # as published for the box to the right
    assert told[-1][0] == tuple(anagram_index(row) for row in grid.cells.tolist())
    for (before, _), (after, choices) in pairwise(told):
        assert after[:-1] == before[: len(after) - 1]
        assert choices > 0


def test_grids_of_a_seed_never_change() -> None:
    """A grid as recorded when the method was introduced."""
    assert grid_by_rows((3, 3), seeded_draws(1)).to_text() == (
        "612739854458162973397458216274615398186943725935827461763281549821594637549376182"
    )
