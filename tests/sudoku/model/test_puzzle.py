"""SudokuPuzzle: givens, the rules they may break, and their text forms."""

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import ParametricGrid
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.solver import random_solution

VARIANTS = [
    Variant.standard((2, 3)), Variant.standard((4, 4)), Variant.latin(5), Variant.samurai(),
    Variant.array((2, 3, 1, 2)),
]  # fmt: skip


def holed(variant: Variant) -> SudokuPuzzle:
    """A random solution with holes."""
    givens = random_solution(variant, seeded_draws(1)).givens.copy()
    givens[np.random.default_rng(1).random(len(givens)) < 0.5] = -1
    return SudokuPuzzle(givens, variant)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_text_round_trips(variant: Variant) -> None:
    """from_text(to_text) is the puzzle, with points or zeros, and with any line breaks."""
    puzzle = holed(variant)
    text = puzzle.to_text()
    assert len(text) == len(variant.cells)
    for written in (text, text.replace(".", "0"), text.lower(), "\n".join(text)):
        assert SudokuPuzzle.from_text(written, variant) == puzzle
    assert SudokuPuzzle(puzzle.cells, variant) == puzzle
    assert SudokuPuzzle(puzzle.givens, variant) == puzzle


def test_large_orders_are_spaced_numbers() -> None:
    """Above order 35 cells are numbers, and points or 0 where they are open."""
    grid = ParametricGrid.base((6, 6)).to_grid()
    givens = grid.cells.copy()
    givens[::2] = -1
    puzzle = SudokuPuzzle(givens)
    text = puzzle.to_text()
    assert text.split()[35:38] == [".", "7", "8"]
    for variant in (None, Variant.standard((6, 6))):
        assert SudokuPuzzle.from_text(text, variant) == puzzle
        assert SudokuPuzzle.from_text(text.replace(".", "0"), variant) == puzzle
    assert len({len(line) for line in puzzle.pretty().splitlines()}) == 1


def test_samurai_lines_may_have_blanks() -> None:
    """A Samurai sheet is read from 369 symbols or 21 lines, and printed with blanks."""
    puzzle = holed(Variant.samurai())
    symbols = np.full((21, 21), " ")
    symbols[Variant.samurai().positions] = list(puzzle.to_text())
    lines = "\n".join("".join(row) for row in symbols)
    assert SudokuPuzzle.from_text(lines, Variant.samurai()) == puzzle
    printed = puzzle.pretty().splitlines()
    assert len(printed) == 21 + 6
    assert printed[3] == "------+-------+-------+       +-------+-------+------"
    assert printed[7] == "------+-------+-------+-------+-------+-------+------"
    assert printed[12].startswith(" " * 14 + "| ")


def test_pretty_print_marks_open_cells() -> None:
    """Open cells are points, and boxes are ruled off as in a grid."""
    puzzle = SudokuPuzzle.from_text("1... ..2. .3.. ...4")
    assert str(puzzle).splitlines() == ["1 . | . .", ". . | 2 .", "----+----", ". 3 | . .",
                                        ". . | . 4"]  # fmt: skip
    grid = ParametricGrid.base((2, 3)).to_grid()
    assert SudokuPuzzle.from_grid(grid).pretty() == grid.pretty()


@pytest.mark.parametrize(
    ("text", "variant", "message"),
    [
        ("11..............", None, "row 0 holds digit 0 twice"),
        ("..2...2.........", None, "column 2 holds digit 1 twice"),
        ("..1....1........", None, "box 1 holds digit 0 twice"),
        ("4.........4.....", Variant.x((2, 2)), "diagonal 0 holds digit 3 twice"),
        ("...3..3.........", Variant.x((2, 2)), "box 1 holds digit 2 twice"),
        ("...3.....3......", Variant.x((2, 2)), "diagonal 1 holds digit 2 twice"),
        ("33" + "." * 367, Variant.samurai(), "row 0 of grid 0 holds digit 2 twice"),
        ("." * 368, Variant.samurai(), "368 cells do not fit Samurai"),
        ("5...............", None, r"cell \(0, 0\) holds 4, not a digit 0..3 or -1"),
        ("...............", None, "15 cells do not form a square"),
        ("", None, "0 cells do not form a square"),
        ("1..?............", None, r"'\?' is not a digit of a puzzle"),
        ("1 x " * 648, None, "decimal numbers"),
        (("9" * 5000 + " ") * 1296, None, "decimal numbers"),
    ],
)
def test_the_first_conflict_is_named(text: str, variant: Variant | None, message: str) -> None:
    """Bad givens are refused with the house and digit, or the cell, that is wrong."""
    with pytest.raises(InvalidGridError, match=message):
        SudokuPuzzle.from_text(text, variant)


def test_arrays_must_fit() -> None:
    """Other shapes and types, and digits where the sheet has no cell, are refused."""
    with pytest.raises(InvalidGridError, match="do not fit 9x9"):
        SudokuPuzzle(np.zeros((4, 4), dtype=int), Variant.standard())
    with pytest.raises(InvalidGridError, match="must be integers"):
        SudokuPuzzle(np.full((4, 4), -1.0))
    sheet = np.full((21, 21), -1)
    sheet[0, 10] = 3
    with pytest.raises(InvalidGridError, match=r"no cell at \(0, 10\)"):
        SudokuPuzzle(sheet, Variant.samurai())


def test_a_full_puzzle_is_a_grid() -> None:
    """from_grid and to_grid are inverse; an open cell or a sheet of another form has no grid."""
    for box in [(2, 3), (3, 3), (1, 5)]:
        grid = ParametricGrid.base(box).to_grid()
        assert SudokuPuzzle.from_grid(grid).to_grid() == grid
        assert SudokuPuzzle.from_grid(grid).number_of_givens == grid.order**2
    with pytest.raises(InvalidGridError):
        SudokuPuzzle.empty(Variant.standard()).to_grid()
    with pytest.raises(InvalidGridError):
        random_solution(Variant.samurai((2, 2)), seeded_draws(1)).to_grid()
    assert isinstance(random_solution(Variant.x(), seeded_draws(1)).to_grid(), SudokuGrid)
