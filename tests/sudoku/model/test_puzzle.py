"""SudokuPuzzle: givens, the rules they may break, and their text forms."""

from collections.abc import Callable
from string import ascii_uppercase
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import BrokenRuleError, InvalidGridError, InvalidParameterError
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import ParametricGrid
from sudokucrypt.sudoku.model.text import SYMBOLS
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.solver import random_solution
from tests.sudoku.puzzles import make_engine_puzzle

VARIANTS = [
    Variant.standard((2, 3)),
    Variant.standard((4, 4)),
    Variant.latin(5),
    Variant.samurai(),
    Variant.array((2, 3, 1, 2)),
]


def make_puzzle_with_holes(variant: Variant) -> SudokuPuzzle:
    """Return a random solution of a variant with some open cells."""
    givens = random_solution(variant, seeded_draws(1)).givens.copy()
    givens[np.random.default_rng(1).random(len(givens)) < 0.5] = -1
    return make_engine_puzzle(givens, variant)


def make_grid_with_holes(box: tuple[int, int]) -> SudokuPuzzle:
    """Return the base grid without every third digit."""
    cells = np.array(ParametricGrid.base(box).to_grid()).ravel()
    cells[::3] = 0
    return SudokuPuzzle(cells, Variant.standard(box))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_text_round_trips(variant: Variant) -> None:
    """from_text(to_text) is the puzzle, with periods or zeros, and with any line breaks."""
    puzzle = make_puzzle_with_holes(variant)
    text = puzzle.to_text()
    assert len(text) == len(variant.cells)
    for written in (text, text.replace(".", "0"), text.lower(), "\n".join(text)):
        assert SudokuPuzzle.from_text(written, variant) == puzzle
        assert SudokuPuzzle.from_text(str(puzzle), variant) == puzzle


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_arrays_round_trip(variant: Variant) -> None:
    """The array of a puzzle gives the same puzzle, with any `first` and `empty`."""
    puzzle = make_puzzle_with_holes(variant)
    assert SudokuPuzzle(puzzle, variant) == puzzle
    assert SudokuPuzzle((puzzle.givens + 1).astype(np.uint8), variant) == puzzle
    assert make_engine_puzzle(puzzle.cells, variant) == puzzle
    assert make_engine_puzzle(puzzle.givens, variant) == puzzle
    marked = np.where(puzzle.givens < 0, 99, puzzle.givens)
    assert SudokuPuzzle(marked, variant, first=0, empty=99) == puzzle


@pytest.mark.parametrize("side", range(2, 7))
def test_printed_puzzles_are_read(side: int) -> None:
    """Lines between boxes decide the boxes, also above order 35; an explicit variant overrides
    them."""
    for box in [(side, side), (2, side), (side, 2)]:
        puzzle = make_grid_with_holes(box)
        assert SudokuPuzzle.from_text(str(puzzle)) == puzzle
        assert SudokuPuzzle.from_text(str(puzzle).replace("\n", "\r\n")) == puzzle
        frame = "+---" * box[0] + "+"
        lines = (frame if "-" in line else f"|{line}|" for line in str(puzzle).splitlines())
        assert SudokuPuzzle.from_text("\n".join([frame, *lines, frame])) == puzzle
        grid = ParametricGrid.base(box).to_grid()
        assert SudokuGrid.from_text(str(grid)) == SudokuGrid.from_text(str(grid), box) == grid
    grid = ParametricGrid.base((2, 3)).to_grid()
    with pytest.raises(InvalidGridError, match="box 1 lacks"):
        SudokuGrid.from_text(str(grid), (3, 2))


def test_large_orders_are_spaced_numbers() -> None:
    """Above order 35, cells are read and written as numbers, and open cells as periods or 0."""
    grid = ParametricGrid.base((6, 6)).to_grid()
    givens = grid.cells.copy()
    givens[::2] = -1
    puzzle = SudokuPuzzle(givens, first=0, empty=-1)
    text = puzzle.to_text()
    assert text.split()[35:38] == [".", "7", "8"]
    for variant in (None, Variant.standard((6, 6))):
        assert SudokuPuzzle.from_text(text, variant) == puzzle
        assert SudokuPuzzle.from_text(text.replace(".", "0"), variant) == puzzle
    assert len({len(line) for line in puzzle.pretty().splitlines()}) == 1


@pytest.mark.parametrize("box", [(2, 5), (4, 4), (5, 5)])
@pytest.mark.parametrize("case", [str.upper, str.lower])
def test_other_symbols(box: tuple[int, int], case: Callable[[str], str]) -> None:
    """Letters from A, digits from 0, and numbers are read as the same puzzle as `SYMBOLS`."""
    order = box[0] * box[1]
    puzzle, grid = make_grid_with_holes(box), ParametricGrid.base(box).to_grid()
    for symbols in (ascii_uppercase, f"0{SYMBOLS}"):
        table = str.maketrans(SYMBOLS[:order], symbols[:order])
        assert SudokuPuzzle.from_text(case(puzzle.to_text().translate(table))) == puzzle
        assert SudokuGrid.from_text(case(grid.to_text().translate(table)), box) == grid
    for item in (puzzle, grid):
        numbers = " ".join("_" if digit == 0 else str(digit) for digit in np.asarray(item).flat)
        assert SudokuPuzzle.from_text(numbers) == SudokuPuzzle.from_text(item.to_text())


def test_symbols_are_the_usual_ones_where_they_can_be() -> None:
    """Zeros are open cells and letters count from 10, unless the text has no such reading."""
    open_symbols = "." * 240
    for text, first in {
        "AG" + "." * 14 + open_symbols: 10,
        "AH" + "." * 14 + open_symbols: 1,
        "1A0" + "0" * 253: 1,
        "1A0" + "." * 13 + open_symbols: 2,
        "1G0" + "." * 13 + open_symbols: 1,
        "100" + "." * 78: 1,
        "ab" + "." * 79: 1,
    }.items():
        assert SudokuPuzzle.from_text(text)[0, 0] == first
    assert [*SudokuPuzzle.from_text("1*_0.... ........")[0]] == [1, 0, 0, 0]


def test_samurai_lines_may_have_blanks() -> None:
    """A Samurai puzzle is read from 369 symbols or 21 lines, and printed with blanks."""
    puzzle = make_puzzle_with_holes(Variant.samurai())
    symbols = np.full((21, 21), " ")
    symbols[Variant.samurai().positions] = list(puzzle.to_text())
    lines = "\n".join("".join(row) for row in symbols)
    assert SudokuPuzzle.from_text(lines, Variant.samurai()) == puzzle
    printed_lines = puzzle.pretty().splitlines()
    assert len(printed_lines) == 21 + 6
    assert printed_lines[3] == "------+-------+-------+       +-------+-------+------"
    assert printed_lines[7] == "------+-------+-------+-------+-------+-------+------"
    assert printed_lines[12].startswith(" " * 14 + "| ")


def test_pretty_print_marks_open_cells() -> None:
    """Open cells are printed as periods, with lines between boxes."""
    puzzle = SudokuPuzzle.from_text("1... ..2. .3.. ...4")
    assert str(puzzle).splitlines() == [
        "1 . | . .",
        ". . | 2 .",
        "----+----",
        ". 3 | . .",
        ". . | . 4",
    ]
    grid = ParametricGrid.base((2, 3)).to_grid()
    assert SudokuPuzzle.from_grid(grid).pretty() == grid.pretty()


@pytest.mark.parametrize(
    ("text", "variant", "message"),
    [
        ("11..............", None, "row 1 holds 1 twice"),
        ("..2...2.........", None, "column 3 holds 2 twice"),
        ("..1....1........", None, "box 2 holds 1 twice"),
        ("4.........4.....", Variant.x((2, 2)), "diagonal 1 holds 4 twice"),
        ("...3..3.........", Variant.x((2, 2)), "box 2 holds 3 twice"),
        ("...3.....3......", Variant.x((2, 2)), "diagonal 2 holds 3 twice"),
        ("33" + "." * 367, Variant.samurai(), "row 1 of grid 1 holds 3 twice"),
        ("." * 368, Variant.samurai(), "368 cells do not fit Samurai"),
        ("5...............", None, "r1c1 holds '5', not a digit 1 to 4"),
        ("...............", None, "15 symbols are too few or too many: a 4x4 grid has 16"),
        ("", None, "0 symbols are too few or too many"),
        ("1..?............", None, r"r1c4 holds '\?', not a digit 1 to 4"),
        ("1 x " * 648, None, "r1c2 holds 'x', not a digit 1 to 36"),
        (("9" * 5000 + " ") * 1296, None, f"r1c1 holds '{'9' * 20}', not a digit 1 to 36"),
    ],
)
def test_the_first_conflict_is_named(text: str, variant: Variant | None, message: str) -> None:
    """Invalid givens are refused; the message names the house and digit, or the cell."""
    with pytest.raises(InvalidGridError, match=message) as caught:
        SudokuPuzzle.from_text(text, variant)
    assert isinstance(caught.value, BrokenRuleError) == message.endswith("twice")


def test_arrays_must_fit() -> None:
    """Arrays of other shapes and types, and digits in gaps of the grid, are refused."""
    with pytest.raises(InvalidGridError, match="do not fit 9x9"):
        SudokuPuzzle(np.zeros((4, 4), dtype=int), Variant.standard())
    with pytest.raises(InvalidGridError, match="must be integers"):
        SudokuPuzzle(np.full((4, 4), 1.0))
    sheet = np.zeros((21, 21), dtype=int)
    sheet[0, 10] = 3
    assert SudokuPuzzle(sheet * 0, Variant.samurai()).number_of_givens == 0
    with pytest.raises(
        InvalidGridError, match=r"^Samurai of five 9x9 grids has no cell r1c11\nhint: "
    ):
        SudokuPuzzle(sheet, Variant.samurai())


@pytest.mark.parametrize(
    ("cells", "message", "hint"),
    [
        (
            [[1, 5], [0, 0]],
            "r1c2 holds 5, not a digit 1 to 2, or 0 for an open cell",
            "set first and empty",
        ),
        ([[0, -1], [-1, 1]], "r1c2 holds -1, not a digit 1 to 2, or 0", "set first and empty"),
        ([["1", "2"], ["2", "1"]], "cells must be integers, not <U1", "from_text reads text"),
        ("12..", "cells must be integers, not <U4", "from_text reads text"),
        (
            np.zeros(71, int),
            "71 symbols are too few or too many: a 9x9 grid has 81",
            "give its variant",
        ),
    ],
)
def test_errors_name_the_expected_form(cells: Any, message: str, hint: str) -> None:
    """An array with an invalid value is refused with the expected digits and a hint."""
    variant = None if "symbols are" in message else Variant.latin(2)
    with pytest.raises(InvalidGridError) as caught:
        SudokuPuzzle(cells, variant)
    assert str(caught.value).startswith(message)
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(("first", "empty"), [(1, 3), (0, 0), (2, 0), (1, -2), (True, 0)])
def test_arrays_count_in_one_way(first: int, empty: int) -> None:
    """`first` other than 0 or 1, and `empty` equal to a digit, are refused."""
    with pytest.raises(InvalidParameterError):
        SudokuPuzzle(np.full((4, 4), 3), Variant.latin(4), first=first, empty=empty)


def test_a_full_puzzle_is_a_grid() -> None:
    """from_grid and to_grid are inverse; puzzles with open cells or of other shapes have no
    grid."""
    for box in [(2, 3), (3, 3), (1, 5)]:
        grid = ParametricGrid.base(box).to_grid()
        assert SudokuPuzzle.from_grid(grid).to_grid() == grid
        assert SudokuPuzzle.from_grid(grid).number_of_givens == grid.order**2
    with pytest.raises(
        InvalidGridError, match=r"^the puzzle has 81 open cells, a grid has none\nhint: "
    ):
        SudokuPuzzle.empty(Variant.standard()).to_grid()
    with pytest.raises(InvalidGridError, match="is not one grid"):
        random_solution(Variant.samurai((2, 2)), seeded_draws(1)).to_grid()
    assert isinstance(random_solution(Variant.x(), seeded_draws(1)).to_grid(), SudokuGrid)
