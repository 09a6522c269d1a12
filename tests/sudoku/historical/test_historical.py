"""Historical methods: grids by rows and by boxes, and permutations by their number."""

from collections.abc import Callable
from itertools import islice, pairwise, permutations
from math import factorial
from typing import Any

import numpy as np
import pytest

from sudokucrypt import InvalidGridError, InvalidParameterError, SudokuGrid
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.historical import (
    anagram_index,
    anagrams,
    box_by_box,
    center_counts,
    enumerate_rows,
    fitting_boxes,
    get_all_boxes,
    grid_by_boxes,
    grid_by_cells,
    grid_by_rows,
    make_set_masks,
    random_descent,
)
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import Box
from tests.sudoku.puzzles import make_engine_puzzle

TOP = "123456789456789123789123456214365897365897214897214365"
PRINTED = """
    531642978642978531978531642 531642978648971532972538641 531642978672938541948571632
    531642978678931542942578631 531642978942578631678931542
"""


def test_first_five_grids_equal_printed_grids() -> None:
    """enumerate_rows begins with the published five grids."""
    assert [result.grid.to_text() for result in enumerate_rows(5)] == [
        TOP + end for end in PRINTED.split()
    ]


@pytest.mark.parametrize(
    ("box", "grids", "labelings"),
    [
        ((1, 1), 1, 1),
        ((2, 2), 288, 24),
        ((1, 4), 576, 24),
        ((4, 1), 576, 24),
        ((1, 5), 161280, 120),
        pytest.param((2, 3), 28200960, 720, marks=pytest.mark.slow),
    ],
)
def test_all_grids_are_found(box: tuple[int, int], grids: int, labelings: int) -> None:
    """enumerate_rows yields as many grids as published, each once and in order."""
    result = list(enumerate_rows(box=box))
    assert len(result) == grids // labelings
    texts = [solution.grid.to_text() for solution in result]
    assert texts == sorted(set(texts))
    assert all(SudokuGrid(solution.grid, box) == solution.grid for solution in result)


def test_hundreds_of_grids_come_lazily() -> None:
    """The first 300 grids are valid, in order, begin with 123456789, and have the right indices."""
    result = list(islice(enumerate_rows(), 300))
    texts = [solution.grid.to_text() for solution in result]
    assert texts == sorted(set(texts))
    for solution in result[::20]:
        grid = SudokuGrid(solution.grid)
        assert grid.to_text().startswith("123456789")
        assert solution.indices == tuple(anagram_index(row) for row in grid.cells.tolist())


def test_trace_shows_partial_grids() -> None:
    """Each traced partial grid extends an earlier one, and the full ones are those that are
    yielded."""
    traced: list[tuple[int, ...]] = []
    result = list(enumerate_rows(box=(2, 2), trace=traced.append))
    assert traced[0] == (0,)
    assert all(
        indices[:-1] in traced[:position] for position, indices in enumerate(traced) if position
    )
    assert [indices for indices in traced if len(indices) == 4] == [s.indices for s in result]


def test_limits() -> None:
    """enumerate_rows yields at most `limit` grids, and refuses bad limits and orders at once."""
    assert list(enumerate_rows(0)) == []
    assert len(list(enumerate_rows(7, (2, 2)))) == 7
    with pytest.raises(UnsupportedError, match="order 9, not 10"):
        enumerate_rows(box=(2, 5))


@pytest.mark.parametrize("method", [grid_by_rows, grid_by_cells])
@pytest.mark.parametrize("box", [(1, 1), (1, 6), (2, 3), (3, 2)])
def test_random_grids_are_valid(method: Callable[..., SudokuGrid], box: Box) -> None:
    """Every seed gives a valid grid, and different seeds give different grids."""
    grids = {method(seeded_draws(seed), box=box) for seed in range(3)}
    assert all(SudokuGrid(grid, box) == grid for grid in grids)
    assert len(grids) > 1 or box == (1, 1)


def test_draws_by_rows_are_traced() -> None:
    """The first row is drawn from all rows, and the last partial grids form the grid."""
    traced: list[tuple[tuple[int, ...], int]] = []
    grid = grid_by_rows(seeded_draws(1), box=(3, 3), trace=lambda *draw: traced.append(draw))
    assert traced[0][1] == 362880
    assert traced[1][1] == 12096  # as published for the box to the right
    assert traced[-1][0] == tuple(anagram_index(row) for row in grid.cells.tolist())
    for (before, _), (after, choices) in pairwise(traced):
        assert after[:-1] == before[: len(after) - 1]
        assert choices > 0


def test_digits_that_do_not_stay_lead_nowhere() -> None:
    """Kept digits form the grid in reading order; other traced digits have no completion."""
    steps: list[tuple[int, int, bool]] = []
    grid = grid_by_cells(seeded_draws(1), box=(2, 3), trace=lambda *step: steps.append(step))
    digits = grid.cells.reshape(-1).tolist()
    assert [(cell, digit) for cell, digit, stays in steps if stays] == list(enumerate(digits))
    refused = [(cell, digit) for cell, digit, stays in steps if not stays]
    assert refused
    for cell, digit in refused:
        partial_digits = [*digits[:cell], digit, *[-1] * (35 - cell)]
        assert count_solutions(make_engine_puzzle(partial_digits, Variant.standard((2, 3)))) == 0


# Box by box: every published figure, computed, and grids made that way.


GRIDS = 6670903752021072936960
"""The number of grids, by Felgenhauer and Jarvis (2005)."""


@pytest.mark.slow
def test_figures_equal_published_figures() -> None:
    """box_by_box returns the published counts, centers of 384 to 448, and an estimate of about
    7.17e21."""
    report = box_by_box(seeded_draws(1))
    assert (report.right, report.below, report.pairs) == (12096, 12096, 146313216)
    assert report.center == 392
    assert (report.top_right, report.under_each) == (216, (8,))
    assert (report.right_columns, report.distinct) == (1728, 216)
    assert (report.bottom_left, report.usable, report.beside_each) == (216, 192, (8,))
    assert report.bottom_rows == 1536
    assert report.completions == 337536
    assert (min(report.sampled), max(report.sampled)) == (384, 448)
    rounded = factorial(9) * report.pairs * 400 * report.completions
    assert f"{rounded:.3g}" == "7.17e+21"
    assert report.estimate == pytest.approx(rounded * np.mean(report.sampled) / 400)
    assert report.estimate == pytest.approx(GRIDS, rel=0.1)


def test_first_boxes_are_those_printed() -> None:
    """The first boxes are those published: 456/789/123 to the right, 214/367/598 below, 365/891/247
    in the center."""
    boxes = get_all_boxes()
    right_box = boxes.list_fitting_boxes(boxes.rows[0], 0)[0]
    lower_box = min(boxes.list_fitting_boxes(0, boxes.columns[0]), key=boxes.make_column_key)
    center = boxes.list_fitting_boxes(boxes.rows[lower_box], boxes.columns[right_box])[0]
    texts = [
        "".join(str(digit + 1) for digit in boxes.table[b]) for b in (right_box, lower_box, center)
    ]
    assert texts == ["456789123", "214367598", "365891247"]


def test_lists_are_those_printed() -> None:
    """fitting_boxes returns lists of the published lengths and first boxes, and only boxes that
    fit."""
    first_box = np.arange(1, 10).reshape(3, 3)
    right_boxes, lower_boxes = fitting_boxes(beside=[first_box]), fitting_boxes(below=[first_box])
    assert (len(right_boxes), len(lower_boxes)) == (12096, 12096)
    assert (
        lower_boxes[np.lexsort(lower_boxes.swapaxes(1, 2).reshape(-1, 9).T[::-1])[0]]
    ).tolist() == [
        [2, 1, 4],
        [3, 6, 7],
        [5, 9, 8],
    ]
    center = fitting_boxes(beside=[[[2, 1, 4], [3, 6, 7], [5, 9, 8]]], below=[right_boxes[0]])
    assert (len(center), center[0].tolist()) == (392, [[3, 6, 5], [8, 9, 1], [2, 4, 7]])
    assert len(fitting_boxes(beside=[first_box, right_boxes[0]])) == 216
    assert {box.T.tobytes() for box in right_boxes} == {
        box.tobytes() for box in fitting_boxes(below=[first_box.T])
    }
    assert len(fitting_boxes()) == factorial(9)
    assert not len(fitting_boxes(beside=[first_box, first_box[[1, 2, 0]], first_box[[2, 0, 1]]]))


@pytest.mark.parametrize(
    "box", [np.arange(9).reshape(3, 3), [*range(1, 10)], np.ones((3, 3), int), "x", [[1, 2], [3]]]
)
def test_other_things_are_no_boxes(box: Any) -> None:
    """fitting_boxes refuses arrays that are not boxes of digits 1 to 9 in three rows."""
    with pytest.raises(InvalidGridError):
        fitting_boxes(below=[box])


@pytest.mark.slow
def test_centers_over_all_pairs() -> None:
    """center_counts agrees with random pairs within the sampling error."""
    counts = center_counts()
    total = sum(counts.values())
    assert total == 12096**2
    assert (min(counts), max(counts)) == (384, 448)
    mean = sum(number * pairs for number, pairs in counts.items()) / total
    spread = sum((number - mean) ** 2 * pairs for number, pairs in counts.items()) / total
    sampled = box_by_box(seeded_draws(9), samples=400).sampled
    assert set(sampled) <= set(counts)
    assert abs(np.mean(sampled) - mean) < 4 * (spread / 400) ** 0.5


def test_grids_are_valid() -> None:
    """Every seed gives a valid and different grid by boxes."""
    grids = [grid_by_boxes(seeded_draws(seed)) for seed in range(3)]
    assert all(SudokuGrid(grid) == grid for grid in grids)
    assert len(set(grids)) == 3


def test_draws_by_boxes_are_traced() -> None:
    """Traced choices are 9!, twice 12096, 384 to 448 and 216; the last form the grid.

    With this seed a box is drawn again, after excluding boxes that lead to a dead end.
    """
    traced: list[tuple[int, int, int, int]] = []
    grid = grid_by_boxes(seeded_draws(1), trace=lambda *draw: traced.append(draw))
    assert [choices for *_, choices in traced[:3]] == [factorial(9), 12096, 12096]
    assert 384 <= traced[3][3] <= 448
    assert traced[4][3] == 216
    assert len(traced) > 9
    last = {(band, stack): index for band, stack, index, _ in traced}
    for (band, stack), index in last.items():
        box = grid.cells[3 * band : 3 * band + 3, 3 * stack : 3 * stack + 3]
        assert anagram_index(box.reshape(-1).tolist()) == index
    assert len(last) == 9


def test_an_empty_sample_is_refused() -> None:
    """box_by_box refuses zero samples."""
    with pytest.raises(InvalidParameterError, match="number of samples must be an integer of 1"):
        box_by_box(seeded_draws(1), samples=0)


# Anagrams: permutations by their number in lexicographic order.


@pytest.mark.parametrize("order", [0, 1, 2, 5, 7])
def test_the_table_is_in_lexicographic_order(order: int) -> None:
    """anagrams lists the rows of itertools.permutations, and anagram_index returns row numbers."""
    table = anagrams(order)
    assert [tuple(row) for row in table.tolist()] == list(permutations(range(order)))
    for number in range(0, len(table), 97):
        assert anagram_index(table[number].tolist()) == number


def test_bad_input_is_refused() -> None:
    """anagram_index refuses repeated or missing digits, and anagrams orders above 9."""
    with pytest.raises(InvalidParameterError, match="not a permutation"):
        anagram_index([1, 1, 0])
    with pytest.raises(UnsupportedError, match="up to order 9, not 10"):
        anagrams(10)


def test_masks_hold_the_sets_side_by_side() -> None:
    """In set_masks, digit d of set s is bit s * order + d."""
    digit_sets = np.array([[[0, 2], [1, 3]]], dtype=np.uint8)
    assert make_set_masks(digit_sets, 4).tolist() == [0b1010_0101]


def test_descent_goes_back_and_ends() -> None:
    """If only one binary word succeeds, random_descent finds it and visits each dead end at most
    once."""
    goal = (1, 0, 1, 1, 0)
    visited: list[tuple[int, ...]] = []

    def fitting(path: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        visited.append(path)
        return np.arange(2 if path == goal[: len(path)] else 0)

    assert random_descent(fitting, 5, seeded_draws(1)) == goal
    assert len(visited) == len(set(visited)) > 6
