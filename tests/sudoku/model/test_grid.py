"""SudokuGrid: the rules, what breaks them, and its text forms."""

import numpy as np
import pytest

from sudokucrypt import InvalidGridError, ParametricGrid, SudokuGrid
from sudokucrypt.sudoku.model.boxes import default_box
from sudokucrypt.sudoku.model.text import digit_name

BOXES = [(2, 2), (2, 3), (3, 2), (3, 4), (5, 7), (6, 6)]


@pytest.mark.parametrize("box", BOXES)
def test_each_rule_holds(box: tuple[int, int]) -> None:
    """Every row, column and box of a valid grid holds every digit once."""
    grid = ParametricGrid.base(box).to_grid()
    p, q = box
    n = p * q
    cells = SudokuGrid(grid, box).cells
    boxes = cells.reshape(q, p, p, q).swapaxes(1, 2).reshape(n, n)
    for unit in (cells, cells.T, boxes):
        assert np.array_equal(np.sort(unit, axis=1), np.tile(np.arange(n), (n, 1)))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[0, 1, 2, 3], [2, 3, 0, 0], [1, 0, 3, 2], [3, 2, 1, 0]], "row 2 lacks 2"),
        ([[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 3, 2], [1, 0, 3, 2]], "column 1 lacks 4"),
        ([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]], "box 1 lacks 3"),
        (
            [[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 3, 2], [3, 2, 1, 4]],
            "r4c4 holds 4, not a digit 0 to 3",
        ),
        ([[0, 1], [1]], "cells must be integers, in rows of one length"),
        ([[0.0]], "cells must be integers"),
        ([], "cells must form a square"),
    ],
)
def test_the_first_broken_rule_is_named(cells: list[list[int]], message: str) -> None:
    """An invalid grid is refused with the row, column, box or cell that is wrong."""
    with pytest.raises(InvalidGridError, match=message):
        SudokuGrid(cells, first=0)


def test_box_must_fit() -> None:
    """A box whose sides do not multiply to the order is refused."""
    cells = ParametricGrid.base((2, 3)).to_grid().cells
    for box in [(2, 2), (0, 6), (-2, -3)]:
        with pytest.raises(InvalidGridError):
            SudokuGrid(cells, box)


def test_a_box_of_one_row_is_a_latin_square() -> None:
    """With 1 x n boxes only rows and columns count."""
    cells = (np.arange(5)[:, None] + np.arange(5)) % 5 + 1
    assert SudokuGrid(cells, (1, 5)).order == 5


@pytest.mark.parametrize("box", BOXES)
def test_text_form_round_trips(box: tuple[int, int]) -> None:
    """from_text(to_text) is the grid, with letters up to order 35 and numbers beyond."""
    grid = ParametricGrid.base(box).to_grid()
    text = grid.to_text()
    assert SudokuGrid.from_text(text, box) == grid
    assert (" " in text) == (grid.order > 35)
    assert SudokuGrid.from_text(text.lower().replace("5", "5\n", 1), box) == grid


def test_bad_text_is_refused() -> None:
    """Text that is no square of digits is an InvalidGridError, never another one."""
    for text in ("", "123", "1234341221434320", "12343412214343.1", "1 2 x" * 1000):
        with pytest.raises(InvalidGridError):
            SudokuGrid.from_text(text)


def test_open_cells_are_named() -> None:
    """A grid with an open cell is a puzzle that was not solved."""
    with pytest.raises(InvalidGridError, match=r"^r4c4 is open, but") as caught:
        SudokuGrid.from_text("1234341221434320")
    assert caught.value.hint == "solve the puzzle first"
    with pytest.raises(
        InvalidGridError, match=r"^r1c1 holds 0, not a digit 1 to 2\nhint: "
    ) as caught:
        SudokuGrid([[0, 1], [1, 0]], (1, 2))
    assert "first=0" in (caught.value.hint or "")


def test_large_digits_have_two_names() -> None:
    """A message names letters with their numbers, for those who gave an array."""
    cells = np.array(ParametricGrid.base((3, 4)).to_grid())
    cells[0, 9] = 1
    with pytest.raises(InvalidGridError, match=r"^row 1 lacks A \(10\)\nhint: "):
        SudokuGrid(cells)


def test_the_usual_box_is_nearly_square() -> None:
    """Its sides multiply to the order, rows are the fewer, and no order is below 1."""
    assert [default_box(order) for order in (1, 7, 12, 16, 18)] == [
        (1, 1),
        (1, 7),
        (3, 4),
        (4, 4),
        (3, 6),
    ]
    with pytest.raises(InvalidGridError, match="at least one row"):
        default_box(0)


def test_pretty_print_rules_boxes_off() -> None:
    """Boxes are separated by bars and rules of the same width."""
    assert str(ParametricGrid.base((2, 3)).to_grid()).splitlines() == [
        "1 2 3 | 4 5 6",
        "4 5 6 | 1 2 3",
        "------+------",
        "2 3 4 | 5 6 1",
        "5 6 1 | 2 3 4",
        "------+------",
        "3 4 5 | 6 1 2",
        "6 1 2 | 3 4 5",
    ]
    assert str(ParametricGrid.base((1, 3)).to_grid()) == "1 2 3\n2 3 1\n3 1 2"
    assert str(ParametricGrid.base((3, 1)).to_grid()) == "1 2 3\n2 3 1\n3 1 2"
    wide = str(ParametricGrid.base((6, 6)).to_grid()).splitlines()
    assert len({len(line) for line in wide}) == 1


def test_messages_name_letters_by_their_numbers_too() -> None:
    """A symbol that is the digit itself needs no more."""
    assert [digit_name(digit, 12) for digit in (0, 8, 9)] == ["1", "9", "A (10)"]
