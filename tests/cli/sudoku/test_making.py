"""`sudoku generate` and `puzzle`: reproducible by a seed, and as the options ask for."""

import json
import re
from pathlib import Path

import pytest

from sudokucrypt.sudoku import SudokuPuzzle, Variant, find_level, is_unique, rate_puzzle, solve
from tests.cli.conftest import Run

GRID = "385762941469138257217594368821956473543817692976243815138679524792485136654321789"
GOLDEN = dict(
    line.split(" = ")
    for line in (Path(__file__).parent / "golden.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
)


@pytest.mark.parametrize("command", GOLDEN)
def test_a_seed_decides(run: Run, command: str) -> None:
    """A seed gives the lines that golden.txt lists, and no other output."""
    result = run("sudoku", *command.split(), "--seed", "1", "--format", "line")
    assert (result.sheets.split(), result.err) == (GOLDEN[command].split(), "")


@pytest.mark.parametrize(
    ("options", "variant"),
    [
        ("--x --box 2x3", Variant.x((2, 3))),
        ("--samurai --box 2x3", Variant.samurai((2, 3))),
        ("--array 2,3,4,5 --method shuffle", Variant.array((2, 3, 4, 5))),
        ("--array 3", Variant.standard()),
        ("--box 5x2 --method cells", Variant.standard((5, 2))),
        ("--box 6x6 --method search", Variant.standard((6, 6))),
    ],
)
def test_generated_grids_are_full_and_valid(run: Run, options: str, variant: Variant) -> None:
    """With any options, a generated grid is full and breaks no rule."""
    line = run("sudoku generate --seed 5 --format line", *options.split()).sheets
    sheet = SudokuPuzzle.from_text(line, variant)
    assert sheet.number_of_givens == len(variant.cells)


@pytest.mark.parametrize(
    ("options", "variant", "box", "method"),
    [
        ("--box 4x2", "standard", [4, 2], "uniform"),
        ("--box 5x5", "standard", [5, 5], "search"),
        ("--box 6x6", "standard", [6, 6], "stir"),
        ("--amount 0", "standard", [3, 3], "stir"),
        ("--x --box 2x3", "x", [2, 3], "search"),
        ("--array 2,3,4,5", "array", [4, 5], "search"),
    ],
)
def test_the_method_suits_the_sheet(
    run: Run, options: str, variant: str, box: list[int], method: str
) -> None:
    """JSON contains the kind of grid, its boxes, and the method that suits it."""
    result = run("sudoku generate --seed 4 --format json", *options.split())
    fields = json.loads(result.out)
    sides = ["array"] if variant == "array" else []
    assert list(fields) == ["variant", "box", "digits", *sides, "grid", "method", "seed", "number"]
    assert (fields["variant"], fields["box"], fields["method"]) == (variant, box, method)
    assert (fields["seed"], fields["number"]) == (4, 1)


def test_a_new_seed_is_printed(run: Run) -> None:
    """Without --seed, each run differs, and the note prints the option to repeat it."""
    first_result, second_result = (run("sudoku generate --format line") for _ in range(2))
    assert first_result.out != second_result.out
    note = re.fullmatch(
        r"sudokucrypt: note: seed (\d+); '--seed \1' makes the same again\n", first_result.err
    )
    assert note
    run("sudoku generate --seed", note[1], "--format", "line", out=first_result.out)


@pytest.mark.parametrize(
    ("options", "first_line", "last_line"),
    [
        ("--method search --box 2x2", "node 1: 4 in r1c3", "node 16: 2 in r2c2"),
        ("--method cells --box 2x2", "2 in r1c1 stays", "1 in r4c4 stays"),
        ("--method rows --box 2x3", "row 1: anagram ", "row 6: anagram "),
        pytest.param(
            "--method boxes",
            "box in band 1 and stack 1: anagram 201983, one of 362880",
            "box in band 3 and stack 3: anagram 296108, one of 1",
            marks=pytest.mark.slow,
        ),
        ("--x --box 2x2", "node 1: ", "node "),
        ("--array 1,2,2,3", "node 1: 3 in r1c4", "node 12: 5 in r2c6"),
    ],
)
def test_traces(run: Run, options: str, first_line: str, last_line: str) -> None:
    """--trace prints the steps before the grid; the grid is the same as without it."""
    command = ("sudoku", "generate", "--seed", "1", *options.split())
    lines = run(*command, "--trace", "--format", "line").sheets.splitlines()
    assert lines[0].startswith(first_line)
    assert lines[-2].startswith(last_line)
    assert run(*command, "--format", "line").sheets == f"{lines[-1]}\n"
    assert json.loads(run(*command, "--trace", "--format", "json").out)["steps"] == lines[:-1]


@pytest.mark.parametrize(
    ("options", "variant"), [("--x", Variant.x()), ("--samurai --box 2x2", Variant.samurai((2, 2)))]
)
def test_the_solution_is_the_only_one(run: Run, options: str, variant: Variant) -> None:
    """With --with-solution, a line is a puzzle, a comma and its only solution."""
    command = ("sudoku", "puzzle", "--seed", "2", "--format", "line", "--with-solution")
    givens, _, solution = run(*command, *options.split()).sheets.strip().partition(",")
    assert solve(SudokuPuzzle.from_text(givens, variant)).to_text() == solution


def test_json_has_stable_keys(run: Run) -> None:
    """Each puzzle is a line of JSON with level, rating, and with --with-solution the solution."""
    command = ("sudoku", "puzzle", "--seed", "3", "--count", "2", "--format", "json")
    keys = ["variant", "box", "digits", "givens", "number_of_givens", "level", "rating"]
    keys += ["seed", "number"]
    assert [list(json.loads(line)) for line in run(*command).out.splitlines()] == [keys, keys]
    for number, line in enumerate(run(*command, "--with-solution").out.splitlines(), 1):
        fields = json.loads(line)
        assert list(fields) == [*keys[:4], "solution", *keys[4:]]
        puzzle = SudokuPuzzle.from_text(fields["givens"])
        assert solve(puzzle).to_text() == fields["solution"]
        assert fields["number_of_givens"] == puzzle.number_of_givens
        assert fields["level"] == find_level(puzzle).label
        assert fields["rating"] == rate_puzzle(puzzle)
        assert (fields["seed"], fields["number"]) == (3, number)


def test_a_puzzle_from_a_grid(run: Run) -> None:
    """--from accepts a grid in line form, a file or stdin; the puzzle has it as solution."""
    Path("grid.txt").write_text(SudokuPuzzle.from_text(GRID).pretty())
    command = ("sudoku", "puzzle", "--seed", "1", "--format", "line", "--from")
    result = {
        run(*command, grid_source, stdin=GRID.encode()).out
        for grid_source in (GRID, "grid.txt", "-")
    }
    assert len(result) == 1
    puzzle = result.pop().strip()
    assert is_unique(puzzle)
    run("sudoku solve", puzzle, out=GRID + "\n")


def _is_symmetric(line: str) -> bool:
    """Return whether the givens of a puzzle are symmetric under a half turn."""
    positions = [symbol != "." for symbol in line]
    return positions == positions[::-1]


@pytest.mark.parametrize(
    ("options", "is_symmetric"),
    [
        ("--level easy", True),
        ("--level medium --x", True),
        ("--level easy --no-symmetric", False),
        ("--level easy --pattern diagonal", False),
        ("--level easy --minimal", False),
        ("--level easy --givens 33", False),
        ("", False),
        ("--symmetric", True),
    ],
)
def test_puzzles_for_people_are_symmetric(options: str, is_symmetric: bool, run: Run) -> None:
    """With --level, givens are symmetric under a half turn, unless another option is given."""
    command = ("sudoku", "puzzle", "--seed", "2", "--count", "2", "--format", "line")
    result = run(*command, *options.split())
    lines = [line for line in result.out.split("\n") if line and line[0] != "#"]
    assert [*map(_is_symmetric, lines)] == [is_symmetric] * 2


def test_impossible_options_fail_at_once(run: Run) -> None:
    """A level with ratings that it cannot have is an error at once, which names both."""
    result = run("sudoku puzzle --seed 1 --level expert --rating 3.0..3.5", code=2)
    assert "puzzles of the level expert are rated 4.0 to 11.0, not 3.0..3.5" in result.err
