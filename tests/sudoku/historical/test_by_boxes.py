"""Box by box: every published figure, computed, and grids made that way."""

from math import factorial
from typing import Any

import numpy as np
import pytest

from sudokucrypt import InvalidGridError, InvalidParameterError, SudokuGrid
from sudokucrypt.sudoku import anagram_index, seeded_draws
from sudokucrypt.sudoku.historical.by_boxes import (
    all_boxes,
    box_by_box,
    centre_counts,
    fitting_boxes,
    grid_by_boxes,
)

GRIDS = 6670903752021072936960
"""The number of grids, by Felgenhauer and Jarvis (2005)."""


@pytest.mark.slow
def test_the_figures_are_those_published() -> None:
    """All counts of the box-by-box method; centres of 384 to 448, and about 7.17e21 grids."""
    report = box_by_box(seeded_draws(1))
    assert (report.right, report.below, report.pairs) == (12096, 12096, 146313216)
    assert report.centre == 392
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
    """Right 456/789/123, below 214/367/598, between them 365/891/247."""
    boxes = all_boxes()
    right = boxes.fitting(boxes.rows[0], 0)[0]
    below = min(boxes.fitting(0, boxes.columns[0]), key=boxes.by_columns)
    centre = boxes.fitting(boxes.rows[below], boxes.columns[right])[0]
    texts = ["".join(str(digit + 1) for digit in boxes.table[b]) for b in (right, below, centre)]
    assert texts == ["456789123", "214367598", "365891247"]


def test_lists_are_those_printed() -> None:
    """Lists have the published lengths and first boxes, and a box fits where its list says so."""
    first = np.arange(1, 10).reshape(3, 3)
    right, under = fitting_boxes(beside=[first]), fitting_boxes(below=[first])
    assert (len(right), len(under)) == (12096, 12096)
    assert (under[np.lexsort(under.swapaxes(1, 2).reshape(-1, 9).T[::-1])[0]]).tolist() == [
        [2, 1, 4],
        [3, 6, 7],
        [5, 9, 8],
    ]
    centre = fitting_boxes(beside=[[[2, 1, 4], [3, 6, 7], [5, 9, 8]]], below=[right[0]])
    assert (len(centre), centre[0].tolist()) == (392, [[3, 6, 5], [8, 9, 1], [2, 4, 7]])
    assert len(fitting_boxes(beside=[first, right[0]])) == 216
    assert {box.T.tobytes() for box in right} == {
        box.tobytes() for box in fitting_boxes(below=[first.T])
    }
    assert len(fitting_boxes()) == factorial(9)
    assert not len(fitting_boxes(beside=[first, first[[1, 2, 0]], first[[2, 0, 1]]]))


@pytest.mark.parametrize(
    "box", [np.arange(9).reshape(3, 3), [*range(1, 10)], np.ones((3, 3), int), "x", [[1, 2], [3]]]
)
def test_other_things_are_no_boxes(box: Any) -> None:
    """A box holds each digit 1 to 9 once, in three rows."""
    with pytest.raises(InvalidGridError):
        fitting_boxes(below=[box])


@pytest.mark.slow
def test_centres_over_all_pairs() -> None:
    """Exact counts for all pairs are what random pairs show, to within the sample's error."""
    counts = centre_counts()
    total = sum(counts.values())
    assert total == 12096**2
    assert (min(counts), max(counts)) == (384, 448)
    mean = sum(number * pairs for number, pairs in counts.items()) / total
    spread = sum((number - mean) ** 2 * pairs for number, pairs in counts.items()) / total
    sampled = box_by_box(seeded_draws(9), samples=400).sampled
    assert set(sampled) <= set(counts)
    assert abs(np.mean(sampled) - mean) < 4 * (spread / 400) ** 0.5


def test_grids_are_valid() -> None:
    """Every seed makes a valid grid, its own."""
    grids = [grid_by_boxes(seeded_draws(seed)) for seed in range(3)]
    assert all(SudokuGrid(grid) == grid for grid in grids)
    assert len(set(grids)) == 3


def test_draws_are_traced() -> None:
    """Choices are those counted: 9!, twice 12096, 384 to 448, 216; the last boxes are the grid's.

    With this seed a box is drawn again without those after which nothing fits.
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
    """Without any pair there is no estimate."""
    with pytest.raises(InvalidParameterError, match="number of samples must be an integer of 1"):
        box_by_box(seeded_draws(1), samples=0)
