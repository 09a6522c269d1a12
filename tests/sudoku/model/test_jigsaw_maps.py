"""Maps of regions: every way to write one, and borders that are drawn and read again."""

from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.making.jigsaws import random_jigsaw
from sudokucrypt.sudoku.model.boxes import regions
from sudokucrypt.sudoku.model.jigsaw_maps import label_regions, outlined_map
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import random_solution

ROWS = ("AAAB", "CABB", "CCDB", "CDDD")
OUTLINES = """\
.   .   . | .
--+   +---+
. | . | .   .
  +---+---+
.   . | . | .
  +---+   +--
. | .   .   ."""


@pytest.mark.parametrize(
    "written",
    [
        "\n".join(ROWS),
        "# a map\r\n\r\n" + "\r\n".join(ROWS) + "\r\n",
        "".join(ROWS),
        ROWS,
        [*ROWS],
        [[*row] for row in ROWS],
        np.array([[*row] for row in ROWS]),
        np.array(ROWS),
        "\n".join(" ".join(row) for row in ROWS),
        "  A A A B\n\tC A B B\nC C D B\nC D D D",
    ],
)
def test_a_map_is_read(written: Any) -> None:
    """Lines, one line, words, rows of texts and arrays are the same map, and it is given back."""
    variant = Variant.jigsaw(written)
    assert variant.regions == ROWS
    assert variant == Variant.jigsaw(variant.regions)
    houses = {house.name: house.cells for house in variant.houses[8:]}
    assert houses["region C"] == (4, 8, 9, 12)
    assert [*houses] == ["region A", "region B", "region C", "region D"]


def test_labels_may_be_words() -> None:
    """Numbers of regions keep their names, and the rows of the map have spaces between them."""
    variant = Variant.jigsaw([[10, 10], [2, 2]])
    assert variant.regions == ("10 10", "2 2")
    assert Variant.jigsaw(variant.regions) == Variant.jigsaw("10 10\n2 2") == variant


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "the map of regions is empty"),
        ("# AB\n# AB", "the map of regions is empty"),
        ([], "the map of regions is empty"),
        ("AAB\nABB\nCC", "row 3 of the map of regions has 2 cells, but the map has 3 rows"),
        ("AAB", "row 1 of the map of regions has 1 cell, but the map has 3 rows"),
        ([["A"], []], "row 1 of the map of regions has 1 cell, but the map has 2 rows"),
        ("AB\nAA", "region A has 3 cells, not 2"),
        ("AABB\nAABC\nDDCC\nDDCC", "region B has 3 cells, not 4"),
        (5, "a map of regions is text or rows of labels, not int"),
        ([1, 2], "a map of regions is text or rows of labels, not list"),
    ],
)
def test_bad_maps_are_refused(written: Any, said: str) -> None:
    """The message names the row or the region that is too long, too short or not there."""
    with pytest.raises(InvalidGridError, match=said):
        Variant.jigsaw(written)


def test_borders_are_drawn() -> None:
    """Borders stand between regions and nowhere else."""
    assert SudokuPuzzle.empty(Variant.jigsaw(ROWS)).pretty() == OUTLINES


@pytest.mark.parametrize("order", [4, 6, 9, 12])
def test_printed_jigsaws_are_read(order: int) -> None:
    """The borders say which regions there are, as those of boxes do."""
    for seed in range(5):
        variant = random_jigsaw(seed, order=order)
        puzzle = random_solution(variant, seed) if order < 9 else SudokuPuzzle.empty(variant)
        text = puzzle.pretty()
        assert SudokuPuzzle.from_text(text) == puzzle
        assert SudokuPuzzle.from_text(text.replace("\n", "\r\n") + "\n\n") == puzzle


def test_large_jigsaws_are_spaced_numbers() -> None:
    """Above order 35 digits are numbers, between the borders too."""
    variant = Variant.jigsaw(label_regions(regions((36, 36), (4, 9))["box"]))
    cells = np.zeros((36, 36), dtype=int)
    cells[5, 7] = 36
    puzzle = SudokuPuzzle(cells, variant)
    assert SudokuPuzzle.from_text(puzzle.pretty()) == puzzle


def test_regions_may_lie_apart() -> None:
    """A region may have several parts; its borders alone do not say that they are one."""
    variant = Variant.jigsaw(["AABB", "BBAA", "CCDD", "DDCC"])
    puzzle = SudokuPuzzle.empty(variant)
    assert random_solution(variant, 1).number_of_givens == 16
    assert SudokuPuzzle.from_text(puzzle.pretty(), variant) == puzzle
    with pytest.raises(InvalidGridError, match="region A has 2 cells, not 4"):
        SudokuPuzzle.from_text(puzzle.pretty())


@pytest.mark.parametrize(
    "variant",
    [
        Variant.standard((2, 3)),
        Variant.standard((6, 6)),
        Variant.latin(4),
        Variant.samurai(),
        Variant.array((2, 3, 4, 1)),
        Variant.standard((1, 1)),
    ],
    ids=str,
)
def test_borders_of_boxes_are_no_map(variant: Variant) -> None:
    """Sheets that are ruled in the ordinary way, or not at all, are no jigsaws."""
    assert outlined_map(SudokuPuzzle.empty(variant).pretty()) is None
    assert variant.regions == ()
