"""`sudoku puzzle`: one solution, as many givens and as hard as wanted."""

import json
from pathlib import Path

import pytest

from sudokucrypt.sudoku import SudokuPuzzle, Variant, is_unique, level_of, rating_of, solve
from tests.cli.conftest import Run

GRID = "385762941469138257217594368821956473543817692976243815138679524792485136654321789"

GOLDEN = {
    "": ".85...9....9.3.2.7..75..3.8.2..5.....4..........24..1...86..5..7............21...",
    "--level beginner": (
        ".85...9....9.3.2.7...5..3.8....5.....4..1..9....24..1...86.95..7.2..........21..."
    ),
    "--givens 30": (
        "385...9....9.3.2.72.75..3.8.2..5.....4..1.......24..1..386.95..792..........21..."
    ),
    "--symmetric": (
        "..5.....1....38.5.2.7.9.3......56.....3...6.....24......8.7.5.4.9.48....6.....7.."
    ),
    "--method add": (
        ".....2..146....25...759.....2..5.4..54............38....86......9.....36....21..."
    ),
    "--x --box 2x3": ".....6.............1........4....52.",
    "--samurai --box 2x2 --method add": (
        ".......412...3..4.2.3.2...............3........232............23"
    ),
    "--box 3x4": (
        ".....B.5....7.C.2.A134..1.....C...5..B...5.8..41..2..........5.A.7...C.9...C.86.....47."
        "....B............C.32...9.C4.7......2....5.B.81.462....9."
    ),
    "--box 2x2 --count 2": "..3..12..4......\n....3..1....42..",
}
"""What seed 1 gives, on any platform and without kernels too."""


@pytest.mark.parametrize("options", GOLDEN)
def test_a_seed_decides(run: Run, options: str) -> None:
    """A seed gives the same puzzles for ever, and nothing else is printed."""
    done = run("sudoku", "puzzle", "--seed", "1", "--format", "line", *options.split())
    assert (done.code, done.out, done.err) == (0, GOLDEN[options] + "\n", "")


@pytest.mark.parametrize(
    ("options", "variant"), [("--x", Variant.x()), ("--samurai --box 2x2", Variant.samurai((2, 2)))]
)
def test_the_solution_is_the_only_one(run: Run, options: str, variant: Variant) -> None:
    """The line form holds the puzzle and, after a comma, what it leads to."""
    done = run(
        *("sudoku", "puzzle", "--seed", "2", "--format", "line", "--with-solution"),
        *options.split(),
    )
    givens, _, solution = done.out.strip().partition(",")
    assert solve(SudokuPuzzle.from_text(givens, variant)).to_text() == solution


def test_json_has_stable_keys(run: Run) -> None:
    """Each puzzle is one line of JSON, with its solution if asked, level and rating."""
    done = run("sudoku", "puzzle", "--seed", "3", "--count", "2", "--format", "json")
    bare = [json.loads(line) for line in done.out.splitlines()]
    keys = ["variant", "box", "digits", "givens", "number_of_givens", "level", "rating"]
    keys += ["seed", "number"]
    assert [list(fields) for fields in bare] == [keys, keys]
    done = run(
        *("sudoku", "puzzle", "--seed", "3", "--count", "2", "--format", "json"), "--with-solution"
    )
    for number, line in enumerate(done.out.splitlines(), 1):
        fields = json.loads(line)
        assert list(fields) == [*keys[:4], "solution", *keys[4:]]
        puzzle = SudokuPuzzle.from_text(fields["givens"])
        assert solve(puzzle).to_text() == fields["solution"]
        assert fields["number_of_givens"] == puzzle.number_of_givens
        assert fields["level"] == level_of(puzzle).label
        assert fields["rating"] == rating_of(puzzle)
        assert (fields["seed"], fields["number"]) == (3, number)


def test_a_puzzle_from_a_grid(run: Run) -> None:
    """--from takes a grid by line form, file or stdin, and the puzzle leads to it."""
    Path("grid.txt").write_text(SudokuPuzzle.from_text(GRID).pretty())
    made = [
        run("sudoku", "puzzle", "--seed", "1", "--format", "line", "--from", place, stdin=stdin).out
        for place, stdin in ((GRID, b""), ("grid.txt", b""), ("-", GRID.encode()))
    ]
    assert len(set(made)) == 1
    puzzle = SudokuPuzzle.from_text(made[0])
    assert is_unique(puzzle)
    assert run("sudoku", "solve", made[0].strip()).out == GRID + "\n"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--symmetric --pattern diagonal", 2, "leave out one"),
        ("--givens 82", 2, "cannot have 82 givens"),
        ("--givens -1", 2, "--givens"),
        ("--level impossible", 2, "--level"),
        ("--method guess", 2, "--method"),
        ("--x --samurai", 2, "a sheet is of one kind"),
        ("--box 2x3 --samurai --pattern quarter-turn", 2, "no quarter-turn pattern"),
        ("--givens 16", 2, "9x9 with 3x3 boxes needs 17 or more"),
        ("--givens 18 --pattern quarter-turn", 4, "17 to 19 givens are too rare"),
        pytest.param("--box 2x2 --givens 3", 1, "ask for more --givens or", marks=pytest.mark.slow),
        ("--box 9x9", 4, "at most 64 digits"),
        ("--from 12..............", 4, "open cells"),
        ("--from missing", 4, "is not a file"),
        ("--from empty", 4, "no grid in the input"),
        ("--from two", 4, "holds 2 grids"),
    ],
)
def test_what_cannot_be_made(run: Run, options: str, code: int, said: str) -> None:
    """Wrong options give code 2, bad grids code 4, and puzzles that are not found code 1."""
    Path("empty").touch()
    Path("two").write_text(f"{GRID}\n{GRID}\n")
    done = run("sudoku", "puzzle", "--seed", "1", *options.split())
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_givens_in_places_of_a_file(run: Run, tmp_path: Path) -> None:
    """Givens stand where the file has no point; what else would place them is refused."""
    places = tmp_path / "places.txt"
    places.write_text("\ufeffxx..\n..xx\n.x..\n..x.\n", encoding="utf-8")
    options = ["--places", str(places), "--box", "2x2", "--seed", "1"]
    for text in run("sudoku", "puzzle", *options, "--count", "2", "--format", "line").out.split():
        puzzle = SudokuPuzzle.from_text(text)
        assert is_unique(puzzle)
        assert "".join("x."[int(digit < 0)] for digit in puzzle.givens) == "xx....xx.x....x."
    for more in (
        ["--givens", "5"],
        ["--level", "easy"],
        ["--symmetric"],
        ["--from", "1234341221434321"],
    ):
        done = run("sudoku", "puzzle", *options, *more)
        assert (done.code, done.out) == (2, "")
        assert "--places" in done.err
    for content, said in ((b"xx", "do not fit"), (b"\xff", "is not text"), (b"." * 16, "0 places")):
        places.write_bytes(content)
        done = run("sudoku", "puzzle", *options)
        assert (done.code, done.out) == (4, "")
        assert said in done.err
    assert "cannot read" in run("sudoku", "puzzle", "--places", str(tmp_path / "none")).err
