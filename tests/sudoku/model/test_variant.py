"""Variant: the cells and houses of every kind of sheet."""

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku.model.houses import House
from sudokucrypt.sudoku.model.variant import Variant


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
    """Every variant has so many cells and houses, and its cells so many peers."""
    assert (len(variant.cells), len(variant.houses)) == (cells, houses)
    assert {len(variant.peers(cell)) for cell in range(cells)} == peers


@pytest.mark.parametrize("box", [(1, 1), (1, 4), (2, 3), (3, 3)])
@pytest.mark.parametrize("diagonals", [False, True])
def test_peers_are_the_cells_that_must_differ(box: tuple[int, int], diagonals: bool) -> None:
    """Compared with the definition, cell by cell; each cell is in as many units as it should."""
    p, q = box
    n = p * q
    variant = (Variant.x if diagonals else Variant.standard)(box)
    for cell in range(n * n):
        row, column = divmod(cell, n)
        expected, units = set(), 2 + (min(box) > 1)
        for other in range(n * n):
            r, c = divmod(other, n)
            meet = r == row or c == column or (r // p, c // q) == (row // p, column // q)
            if diagonals:
                meet |= (r == c and row == column) or r + c == n - 1 == row + column
            if meet and other != cell:
                expected.add(other)
        if diagonals:
            units += (row == column) + (row + column == n - 1)
        assert sorted(variant.peers(cell).tolist()) == sorted(expected)
        rules = variant.rules
        of = rules.units_of[rules.unit_ends[cell] : rules.unit_ends[cell + 1]]
        assert len(of) == units
        assert all(cell in rules.units[unit] for unit in of)


def test_windows_lie_between_the_boxes() -> None:
    """One cell apart and from the edge, tinted, each over a corner where four boxes meet."""
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


def test_knights_see_each_other() -> None:
    """Cells differ if a knight's move joins them, beside those of ordinary Sudoku; 64 rows fit."""
    variant, plain = Variant.anti_knight(), Variant.standard()
    for cell, (row, column) in enumerate(variant.cells):
        moves = {
            other
            for other, (r, c) in enumerate(variant.cells)
            if {abs(r - row), abs(c - column)} == {1, 2}
        }
        assert {*variant.peers(cell).tolist()} == {*plain.peers(cell).tolist()} | moves
    assert variant.houses[27].name == "knight's move r1c1-r2c3"
    with pytest.raises(UnsupportedError, match="at most 64 rows, not 65"):
        Variant.anti_knight((5, 13))


def test_houses_of_ordinary_sudoku() -> None:
    """Rows come first, then columns and boxes, as cell numbers in reading order."""
    variant = Variant.standard((2, 3))
    assert (variant.name, Variant.latin(5).name) == ("6x6 with 2x3 boxes", "5x5 without boxes")
    houses = {house.name: house.cells for house in variant.houses}
    assert houses["row 2"] == (6, 7, 8, 9, 10, 11)
    assert houses["column 6"] == (5, 11, 17, 23, 29, 35)
    assert houses["box 4"] == (15, 16, 17, 21, 22, 23)
    assert [*houses][::6] == ["row 1", "column 1", "box 1"]


def test_samurai_grids_overlap_in_boxes() -> None:
    """Four boxes belong to two grids each, the sheet is 21x21, and the middle is a full grid."""
    variant = Variant.samurai()
    assert variant.shape == (21, 21)
    assert sum(house.name.startswith("box") for house in variant.houses) == 5 * 9 - 4
    middle = {cell for house in variant.houses if "of grid 3" in house.name for cell in house.cells}
    assert {variant.cells[cell] for cell in middle} == {
        (row, column) for row in range(6, 15) for column in range(6, 15)
    }


def test_an_array_of_threes_is_ordinary_sudoku() -> None:
    """The general arrays contain the ordinary grids."""
    assert Variant.array((3, 3, 3, 3)) == Variant.array(3) == Variant.standard()
    assert hash(Variant.array((3, 3, 3, 3))) == hash(Variant.standard())
    assert Variant.x() != Variant.standard()
    assert Variant.array((2, 3, 4, 5)).digits == 20
    assert Variant.array((2, 3, 4, 5)).shape == (8, 15)


def test_anyone_can_make_a_variant() -> None:
    """Houses may be any groups; only one with as many cells as digits is a unit."""
    cells = ((0, 0), (0, 2), (1, 1))
    variant = Variant("V", 3, (1, 3), cells, (House("all", (0, 1, 2)), House("pair", (0, 1))))
    assert variant.shape == (2, 3)
    assert variant.peers(2).tolist() == [0, 1]
    assert variant.rules.units.tolist() == [[0, 1, 2]]
    assert variant.rules.unit_ends.tolist() == [0, 1, 2, 3]


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
    """Cells out of order and houses that cannot be are an InvalidGridError."""
    with pytest.raises(InvalidGridError):
        Variant("V", 2, (1, 2), cells, houses)


def test_bad_sizes_are_refused() -> None:
    """Boxes and arrays need positive sides, and Samurai boxes that do not overlap too far."""
    for box in [(0, 3), (3,), (-1, 2), (2.5, 2), "33"]:
        with pytest.raises(InvalidGridError):
            Variant.standard(box)  # type: ignore[arg-type]
    with pytest.raises(InvalidGridError, match="sides of 2 or more"):
        Variant.samurai((1, 4))
    for shape in [(1, 2, 3), (1, 2, 0, 3), (1, 2, 1.5, 3)]:
        with pytest.raises(InvalidParameterError, match="four sides of 1 or more"):
            Variant.array(shape)  # type: ignore[arg-type]
