"""What the Sudoku commands say about wrong grids: rows, columns, boxes and digits count from 1."""

import pytest

from tests.cli.conftest import Run

NO_FILE = "give a grid in line form, a file, or - for stdin"
TAKE_AWAY = "take away one of the two givens"
OPEN = "an open cell is one of . 0 * _"
OPEN_HEX = "an open cell is one of . * _"
SAMURAI = "Samurai of five 9x9 grids"


def lacks(name: str) -> str:
    """The hint about a full grid."""
    return f"each {name} must hold every digit once"


@pytest.mark.parametrize(
    ("command", "grid", "said", "hint"),
    [
        ("solve", "11..............", "row 1 holds 1 twice", TAKE_AWAY),
        ("check", "..2...2.........", "column 3 holds 2 twice", TAKE_AWAY),
        ("solve --all", "..1....1........", "box 2 holds 1 twice", TAKE_AWAY),
        ("solve --x", "4.........4.....", "diagonal 1 holds 4 twice", TAKE_AWAY),
        ("check --x", "...3.....3......", "diagonal 2 holds 3 twice", TAKE_AWAY),
        ("solve --samurai", "33" + "." * 367, "row 1 of grid 1 holds 3 twice", TAKE_AWAY),
        ("solve", "AA" + "." * 254, "row 1 holds A (10) twice", TAKE_AWAY),
        ("solve --array 1,2,2,2", "11......", "row 1 holds 1 twice", TAKE_AWAY),
        ("solve", "...............5", "r4c4 holds '5', not a digit 1 to 4", OPEN),
        ("check", "1...x...........", "r2c1 holds 'x', not a digit 1 to 4", OPEN),
        ("solve", "1h" + "." * 254, "r1c2 holds 'h', not a digit 1 to 9 or a to g", OPEN),
        ("solve", "0H1" + "." * 253, "r1c2 holds 'H', not a digit 0 to 9 or A to F", OPEN_HEX),
        ("solve", "H0H" + "." * 253, "row 1 holds H twice", TAKE_AWAY),
        ("solve", "0f0" + "." * 253, "row 1 holds 0 twice", TAKE_AWAY),
        ("solve", "1aa" + "." * 253, "row 1 holds a (10) twice", TAKE_AWAY),
        ("solve", "16 . 16" + " ." * 253, "row 1 holds 16 twice", TAKE_AWAY),
        ("solve", "37 " + ". " * 1295, "r1c1 holds '37', not a digit 1 to 36", OPEN),
        ("solve --samurai", "1A" + "." * 367, "cell 2 holds 'A', not a digit 1 to 9", OPEN),
        ("rank", "BADCDCBACDABABDD", "row 4 lacks C", lacks("row")),
        ("rank", "1234341221434322", "row 4 lacks 1", lacks("row")),
        ("rank", "1234341212343412", "column 1 lacks 2", lacks("column")),
        ("rank", "1234234134124123", "box 1 lacks 4", lacks("box")),
        ("canonical", "1234234134124123", "box 1 holds 2 twice", TAKE_AWAY),
        (
            "rank",
            "1234341221434320",
            "r4c4 is open, but each cell of a full grid holds a digit",
            "solve the puzzle first",
        ),
        (
            "rank",
            "12x4341221434321",
            "r1c3 holds 'x', not a digit 1 to 4",
            None,
        ),
        (
            "solve",
            "." * 71,
            f"'{'.' * 57}...' is not a file, and its 71 cells are not a grid: a 9x9 grid has 81",
            NO_FILE,
        ),
        (
            "check",
            "123",
            "'123' is not a file, and its 3 cells are not a grid: a 4x4 grid has 16",
            NO_FILE,
        ),
        (
            "solve --box 2x3",
            "123",
            "'123' is not a file, and its 3 cells do not fit 6x6 with 2x3 boxes",
            NO_FILE,
        ),
        ("solve --samurai", "." * 368, f"368 cells do not fit {SAMURAI}", "it has 369 cells"),
        (
            "solve",
            '{"givens": "' + "." * 71 + '"}',
            "71 cells are not a grid: a 9x9 grid has 81",
            "a sheet of another form, such as Samurai, needs its variant",
        ),
    ],
)
def test_wrong_grids(run: Run, command: str, grid: str, said: str, hint: str | None) -> None:
    """The exit code is 4, and cells, digits and houses have the names that people give them."""
    done = run("sudoku", *command.split(), grid)
    assert (done.code, done.out) == (4, "")
    hints = f"sudokucrypt: hint: {hint}\n" if hint else ""
    assert done.err == f"sudokucrypt: error: {said}\n{hints}"


def test_ruled_text_says_its_boxes(run: Run) -> None:
    """What the commands print is read under the boxes that it shows, without an option."""
    printed = run("sudoku", "generate", "--box", "3x2", "--seed", "1", "--count", "2").out
    read = run("sudoku", "solve", "-", stdin=printed.encode())
    made = run(
        "sudoku", "generate", "--box", "3x2", "--seed", "1", "--count", "2", "--format", "line"
    )
    assert (read.out, read.code) == (made.out, 0)
    assert run("sudoku", "rank", printed.partition("\n\n")[0]).code == 0
