"""`sudoku rank`, `unrank`, `count` and `canonical`, and the group itself."""

from pathlib import Path

import pytest

from sudokucrypt.sudoku import (
    SudokuGrid,
    Symmetry,
    are_equivalent,
    canonical_puzzle,
    make_puzzle,
    seeded_draws,
)
from tests.cli.conftest import Run

TOTAL = 6670903752021072936960  # Felgenhauer and Jarvis, 2005
GRID = "385762941469138257217594368821956473543817692976243815138679524792485136654321789"


@pytest.mark.parametrize(("box", "last"), [("3x3", TOTAL - 1), ("2x2", 287), ("3x2", 28200959)])
def test_numbers_and_grids(run: Run, box: str, last: int) -> None:
    """The first and the last number, and one between, lead to grids and back."""
    for number in (0, last // 3, last):
        grid = run("sudoku", "unrank", str(number), "--box", box).out.strip()
        assert run("sudoku", "rank", grid, "--box", box).out == f"{number}\n"
    done = run("sudoku", "unrank", str(last + 1), "--box", box)
    assert (done.code, done.out) == (2, "")


def test_numbers_of_classes(run: Run) -> None:
    """The last class leads to its canonical form, and back."""
    grid = run("sudoku", "unrank", "5472730537", "--classes").out.strip()
    assert run("sudoku", "rank", grid, "--classes").out == "5472730537\n"
    assert run("sudoku", "canonical", grid).out == f"{grid}\n"


def test_canonical_puzzles(run: Run, tmp_path: Path) -> None:
    """Puzzles have a canonical form as grids do, and those of a file are taken one by one."""
    puzzle = make_puzzle(71).puzzle
    image = Symmetry.random((3, 3), seeded_draws(72)).apply(puzzle)
    form = canonical_puzzle(puzzle).puzzle.to_text()
    (tmp_path / "two.txt").write_text(f"{puzzle.to_text()}\n{image.to_text()}\n")
    assert run("sudoku", "canonical", str(tmp_path / "two.txt")).out == f"{form}\n{form}\n"


def test_canonical(run: Run) -> None:
    """The canonical form is essentially the same grid, and its own canonical form."""
    form = run("sudoku", "canonical", GRID).out.strip()
    assert form.startswith("123456789")
    assert are_equivalent(SudokuGrid.from_text(form), SudokuGrid.from_text(GRID))
    assert run("sudoku", "canonical", form).out == f"{form}\n"


def test_help(run: Run) -> None:
    """The group names every command, and each has a help of its own."""
    shown = run("sudoku", "--help").out
    for command in (
        *("generate", "puzzle", "solve", "check"),
        *("canonical", "count", "rank", "unrank"),
    ):
        assert f"  {command} " in shown
        assert f"Usage: sudokucrypt sudoku {command}" in run("sudoku", command, "--help").out
    assert "Make, solve, count and rank Sudoku grids." in run("--help").out
