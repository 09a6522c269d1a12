"""Variant: the cells and houses of every kind of grid, and maps of regions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku.making.jigsaws import random_jigsaw
from sudokucrypt.sudoku.model.boxes import find_square_order, number_regions
from sudokucrypt.sudoku.model.jigsaw_maps import label_regions, read_outlined_map
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import House, Variant
from sudokucrypt.sudoku.solving.solver import random_solution


@pytest.mark.parametrize(
    ("variant", "cells", "houses", "peers"),
    [
        (Variant.standard(), 81, 27, {20}),
        (Variant.standard((2, 3)), 36, 18, {12}),
        (Variant.standard((5, 5)), 625, 75, {64}),
        (Variant.x(), 81, 29, {20, 26, 32}),
        (Variant.latin(5), 25, 10, {8}),
        (Variant.standard((1, 1)), 1, 2, {0}),
        (Variant.samurai(), 369, 131, {20, 32}),
        (Variant.windoku(), 81, 31, {20, 23, 24}),
        (Variant.windoku((4, 4)), 256, 57, {39, 44, 46, 47, 48}),
        (Variant.anti_knight(), 81, 27 + 224, {20, 21, 22, 24, 26, 28}),
        (Variant.jigsaw(["AAB", "ACB", "CCB"]), 9, 9, {4, 5}),
        (Variant.array((2, 3, 4, 5)), 120, 8 + 15 + 6, {14 + 7 + 19 - 4 - 3}),
    ],
)
def test_sizes(variant: Variant, cells: int, houses: int, peers: set[int]) -> None:
    """Every variant has the expected numbers of cells, houses and peers."""
    assert (len(variant.cells), len(variant.houses)) == (cells, houses)
    assert {len(variant.peers(cell)) for cell in range(cells)} == peers


@pytest.mark.parametrize("box", [(1, 1), (1, 4), (2, 3), (3, 3)])
@pytest.mark.parametrize("diagonals", [False, True])
def test_peers_are_the_cells_that_must_differ(box: tuple[int, int], diagonals: bool) -> None:
    """Peers agree with the definition cell by cell, and each cell has the expected units."""
    box_rows, box_columns = box
    order = box_rows * box_columns
    variant = (Variant.x if diagonals else Variant.standard)(box)
    for cell in range(order * order):
        row, column = divmod(cell, order)
        expected, units = set(), 2 + (min(box) > 1)
        for peer in range(order * order):
            peer_row, peer_column = divmod(peer, order)
            meet = (
                peer_row == row
                or peer_column == column
                or (peer_row // box_rows, peer_column // box_columns)
                == (row // box_rows, column // box_columns)
            )
            if diagonals:
                meet |= (
                    peer_row == peer_column and row == column
                ) or peer_row + peer_column == order - 1 == row + column
            if meet and peer != cell:
                expected.add(peer)
        if diagonals:
            units += (row == column) + (row + column == order - 1)
        assert sorted(variant.peers(cell).tolist()) == sorted(expected)
        rules = variant.rules
        of = rules.cell_units[rules.unit_offsets[cell] : rules.unit_offsets[cell + 1]]
        assert len(of) == units
        assert all(cell in rules.units[unit] for unit in of)


def test_windows_lie_between_the_boxes() -> None:
    """Windows are one cell apart and from the edge, tinted, and each covers a corner of four
    boxes."""
    variant = Variant.windoku()
    tint = variant.map_houses("tint") >= 0
    sides = np.array([False, True, True, True, False, True, True, True, False])
    assert np.array_equal(tint, np.outer(sides, sides))
    assert {house.name for house in variant.houses if house.drawn == "tint"} == {
        f"window {number}" for number in range(1, 5)
    }
    for box in [(2, 3), (1, 1), (1, 4)]:
        with pytest.raises(InvalidGridError, match="windows need square boxes"):
            Variant.windoku(box)


@pytest.mark.parametrize(
    ("make", "distances", "first_name"),
    [
        (Variant.anti_knight, {1, 2}, "knight's move r1c1-r2c3"),
        (Variant.anti_king, {1}, "king's move r1c1-r2c2"),
    ],
)
def test_chessmen_see_each_other(
    make: Callable[..., Variant], distances: set[int], first_name: str
) -> None:
    """The peers also include cells a move away, for a king at a corner; 64 rows are allowed."""
    variant, standard = make(), Variant.standard()
    for cell, (row, column) in enumerate(variant.cells):
        moves = {
            other
            for other, (r, c) in enumerate(variant.cells)
            if {abs(r - row), abs(c - column)} == distances
        }
        assert {*variant.peers(cell).tolist()} == {*standard.peers(cell).tolist()} | moves
    assert variant.houses[27].name == first_name
    with pytest.raises(UnsupportedError, match="at most 64 rows, not 65"):
        make((5, 13))


def test_houses_of_ordinary_sudoku() -> None:
    """Houses are the rows, then the columns, then the boxes, with cells in reading order."""
    variant = Variant.standard((2, 3))
    assert (variant.name, Variant.latin(5).name) == ("6x6 with 2x3 boxes", "5x5 without boxes")
    houses = {house.name: house.cells for house in variant.houses}
    assert houses["row 2"] == (6, 7, 8, 9, 10, 11)
    assert houses["column 6"] == (5, 11, 17, 23, 29, 35)
    assert houses["box 4"] == (15, 16, 17, 21, 22, 23)
    assert [*houses][::6] == ["row 1", "column 1", "box 1"]


def test_samurai_grids_overlap_in_boxes() -> None:
    """Samurai is 21x21, four boxes belong to two grids, and the middle is a full grid."""
    variant = Variant.samurai()
    assert variant.shape == (21, 21)
    assert sum(house.name.startswith("box") for house in variant.houses) == 5 * 9 - 4
    middle = {cell for house in variant.houses if "of grid 3" in house.name for cell in house.cells}
    assert {variant.cells[cell] for cell in middle} == {
        (row, column) for row in range(6, 15) for column in range(6, 15)
    }


def test_an_array_of_threes_is_ordinary_sudoku() -> None:
    """Variant.array(3) has the houses of ordinary Sudoku."""
    assert Variant.array((3, 3, 3, 3)) == Variant.array(3) == Variant.standard()
    assert hash(Variant.array((3, 3, 3, 3))) == hash(Variant.standard())
    assert Variant.x() != Variant.standard()
    assert Variant.array((2, 3, 4, 5)).digits == 20
    assert Variant.array((2, 3, 4, 5)).shape == (8, 15)


def test_anyone_can_make_a_variant() -> None:
    """Houses may be any sets of cells; only a house with as many cells as digits is a unit."""
    cells = ((0, 0), (0, 2), (1, 1))
    variant = Variant("V", 3, (1, 3), cells, (House("all", (0, 1, 2)), House("pair", (0, 1))))
    assert variant.shape == (2, 3)
    assert variant.peers(2).tolist() == [0, 1]
    assert variant.rules.units.tolist() == [[0, 1, 2]]
    assert variant.rules.unit_offsets.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("cells", "houses"),
    [
        (((0, 1), (0, 0)), ()),
        (((0, 0), (0, 0)), ()),
        ((), ()),
        (((0, 0),), (House("h", (1,)),)),
        (((0, 0),), (House("h", (-1,)),)),
        (((0, 0),), (House("h", ()),)),
        (((0, 0), (0, 1)), (House("h", (0, 0)),)),
        (((0, 0), (0, 1), (0, 2)), (House("h", (0, 1, 2)),)),
        (((0, 0),), (House("h", (0,)), House("h", (0,)))),
    ],
)
def test_bad_variants_are_refused(
    cells: tuple[tuple[int, int], ...], houses: tuple[House, ...]
) -> None:
    """Cells out of order and invalid houses raise InvalidGridError."""
    with pytest.raises(InvalidGridError):
        Variant("V", 2, (1, 2), cells, houses)


def test_bad_sizes_are_refused() -> None:
    """Boxes and arrays with sides below 1, and too small Samurai boxes, are refused."""
    for box in [(0, 3), (3,), (-1, 2), (2.5, 2), "33"]:
        with pytest.raises(InvalidGridError):
            Variant.standard(box)  # type: ignore[arg-type]
    with pytest.raises(InvalidGridError, match="sides of 2 or more"):
        Variant.samurai((1, 4))
    for shape in [(1, 2, 3), (1, 2, 0, 3), (1, 2, 1.5, 3)]:
        with pytest.raises(InvalidParameterError, match="four sides of 1 or more"):
            Variant.array(shape)  # type: ignore[arg-type]


# Maps of regions: every way to write one, and borders that are drawn and read again.


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
    "map_text",
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
def test_a_map_is_read(map_text: Any) -> None:
    """Lines, one line, words, rows of texts and arrays give the same map, which `regions`
    returns."""
    variant = Variant.jigsaw(map_text)
    assert variant.regions == ROWS
    assert variant == Variant.jigsaw(variant.regions)
    houses = {house.name: house.cells for house in variant.houses[8:]}
    assert houses["region C"] == (4, 8, 9, 12)
    assert [*houses] == ["region A", "region B", "region C", "region D"]


def test_labels_may_be_words() -> None:
    """Numbered regions keep their names, and the rows of the map then have spaces between
    labels."""
    variant = Variant.jigsaw([[10, 10], [2, 2]])
    assert variant.regions == ("10 10", "2 2")
    assert Variant.jigsaw(variant.regions) == Variant.jigsaw("10 10\n2 2") == variant


def test_cells_without_a_border_have_no_house() -> None:
    """A map of houses has -1 where no house is drawn in the style."""
    assert (Variant.latin(3).map_houses("border") == -1).all()
    assert Variant.standard((1, 2)).map_houses("tint").tolist() == [[-1, -1], [-1, -1]]


@pytest.mark.parametrize("order", [4, 6, 9, 12, 16, 25, 36, 49, 64])
def test_the_nearest_usual_order_is_suggested(order: int) -> None:
    """A number of cells that fits no square is compared with the usual orders."""
    with pytest.raises(InvalidGridError, match=f"a {order}x{order} grid has {order * order}\n"):
        find_square_order(order * order + 1)


def test_borders_of_other_houses_make_no_map() -> None:
    """A grid has no map if borders surround other houses too, even beside regions."""
    halves = (House("region A", (0, 1), "border"), House("pair", (2, 3), "border"))
    variant = Variant("V", 2, (1, 4), ((0, 0), (0, 1), (0, 2), (0, 3)), halves)
    assert variant.regions == Variant.samurai().regions == ()


@pytest.mark.parametrize(
    ("map_text", "message"),
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
def test_bad_maps_are_refused(map_text: Any, message: str) -> None:
    """The message names the row or region that is too long, too short or missing."""
    with pytest.raises(InvalidGridError, match=message):
        Variant.jigsaw(map_text)


def test_borders_are_drawn() -> None:
    """Printed jigsaws have borders exactly between different regions."""
    assert SudokuPuzzle.empty(Variant.jigsaw(ROWS)).pretty() == OUTLINES


@pytest.mark.parametrize("order", [4, 6, 9, 12])
def test_printed_jigsaws_are_read(order: int) -> None:
    """The borders of a printed jigsaw decide its regions."""
    for seed in range(5):
        variant = random_jigsaw(seed, order=order)
        puzzle = random_solution(variant, seed) if order < 9 else SudokuPuzzle.empty(variant)
        text = puzzle.pretty()
        assert SudokuPuzzle.from_text(text) == puzzle
        assert SudokuPuzzle.from_text(text.replace("\n", "\r\n") + "\n\n") == puzzle


def test_large_jigsaws_are_spaced_numbers() -> None:
    """Above order 35, digits of jigsaws are numbers, also with borders."""
    variant = Variant.jigsaw(label_regions(number_regions((36, 36), (4, 9))["box"]))
    cells = np.zeros((36, 36), dtype=int)
    cells[5, 7] = 36
    puzzle = SudokuPuzzle(cells, variant)
    assert SudokuPuzzle.from_text(puzzle.pretty()) == puzzle


def test_regions_may_lie_apart() -> None:
    """A region may have several parts, which borders alone read as several regions."""
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
    """Grids with lines between boxes, or without lines, are not read as jigsaws."""
    assert read_outlined_map(SudokuPuzzle.empty(variant).pretty()) is None
    assert variant.regions == ()
