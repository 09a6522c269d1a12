"""`sudoku solve` and `check`: solutions, their number, the steps, and every way to give puzzles."""

import json
from pathlib import Path

import pytest

from sudokucrypt.sudoku import SudokuPuzzle, Variant, cover_solutions
from tests.cli.conftest import Run
from tests.sudoku.puzzles import HARD, ROYLE

MINI, MINI_SOLVED = "1.....2..3.....4", "1243342143122134"
OPEN = "12............34"
NONE = "123....4........"


def test_the_solution_alone(run: Run) -> None:
    """A puzzle of Gordon Royle's gives the line form of its solution."""
    done = run("sudoku", "solve", ROYLE[0])
    assert (done.code, done.out, done.err) == (0, ROYLE[1] + "\n", "")


@pytest.mark.parametrize(
    ("puzzle", "code", "said"),
    [
        (OPEN, 1, "more than one solution"),
        (NONE, 1, "no solution"),
        ("11..............", 4, "row 1 holds 1 twice"),
        ("1...x...........", 4, "not a digit"),
        ("123", 4, "is not a file, and its 3 cells"),
    ],
)
def test_puzzles_that_cannot_be_solved(run: Run, puzzle: str, code: int, said: str) -> None:
    """No solution and several give code 1, puzzles that are none code 4."""
    done = run("sudoku", "solve", puzzle)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


@pytest.mark.parametrize("odd", [OPEN, NONE, "x" + ROYLE[0][1:], "11" + ROYLE[0][2:], "." * 81])
def test_many_at_once_are_solved_as_one_by_one(run: Run, odd: str) -> None:
    """Solutions stand in order, other sheets between them, and those before an error are kept."""
    lines = [ROYLE[0], *HARD.values(), odd, MINI, ROYLE[0], ROYLE[1]]
    for command in (["solve"], ["solve", "--count", "--limit", "2"], ["check"]):
        done = run("sudoku", *command, "-", stdin="\n".join(lines).encode())
        expected = ""
        for line in lines:
            alone = run("sudoku", *command, line)
            expected += alone.out
            if alone.code:
                break
        assert (done.out, done.err, done.code) == (expected, alone.err, alone.code)
    puzzles = "\n".join([*HARD.values(), ROYLE[0]]).encode()
    written = run("sudoku", "solve", "-", "--format", "json", stdin=puzzles).out.splitlines()
    assert [json.loads(line)["number"] for line in written] == [1, 2, 3, 4, 5, 6]
    expected = "".join(json.loads(line)["solution"] + "\n" for line in written)
    run("sudoku", "solve", "-", "-o", "{number}.sdm", stdin=puzzles)
    assert "".join(Path(f"{number}.sdm").read_text() for number in range(1, 7)) == expected
    assert run("sudoku", "solve", "-", stdin=puzzles).out == expected


def test_a_search_is_given_up(run: Run) -> None:
    """After so many nodes there is an error, which is none of those that a puzzle can have."""
    for command in ("solve", "check"):
        done = run("sudoku", command, "." * 36, "--x", "--patience", "1")
        assert (done.code, done.out) == (1, "")
        assert "given up at node 1 " in done.err


def test_all_solutions_and_their_number(run: Run) -> None:
    """--all agrees with dancing links, --limit stops, --count prints the number alone."""
    expected = {found.to_text() for found in cover_solutions(SudokuPuzzle.from_text(OPEN))}
    assert set(run("sudoku", "solve", OPEN, "--all").out.split()) == expected
    assert len(run("sudoku", "solve", OPEN, "--limit", "2").out.split()) == 2
    assert run("sudoku", "solve", OPEN, "--count").out == f"{len(expected)}\n"
    assert run("sudoku", "solve", OPEN, "--count", "--limit", "2").out == "2\n"
    assert run("sudoku", "solve", "." * 16, "--count").out == "288\n"
    assert run("sudoku", "solve", NONE, "--count").out == "0\n"
    none = run("sudoku", "solve", NONE, "--all")
    assert (none.code, none.out) == (1, "")


def test_other_rules(run: Run) -> None:
    """Boxes, diagonals and Samurai sheets are solved by their own rules."""
    empty = "." * 36
    assert run("sudoku", "solve", empty, "--box", "3x2", "--limit", "1").code == 0
    assert run("sudoku", "solve", "." * 16, "--x", "--count").out == "48\n"
    assert run("sudoku", "solve", "." * 4, "--box", "1x2", "--count").out == "2\n"
    rules = ("--samurai", "--box", "2x2")
    made = run("sudoku", "puzzle", *rules, "--seed", "1", "--format", "line").out
    solved = run("sudoku", "solve", made.strip(), *rules).out
    assert SudokuPuzzle.from_text(solved, Variant.samurai((2, 2))).number_of_givens == 64


def test_steps(run: Run) -> None:
    """--trace prints a line for each step, the last ones fill cells, then the solution."""
    done = run("sudoku", "solve", MINI, "--trace")
    lines = done.out.splitlines()
    assert lines[0] == "naked single: 4 in r2c2"
    assert (len(lines), lines[-1]) == (13, MINI_SOLVED)
    fields = json.loads(run("sudoku", "solve", MINI, "--trace", "--format", "json").out)
    assert fields["steps"] == lines[:-1]
    text = run("sudoku", "solve", MINI, "--trace", "--format", "text").out
    assert text.startswith("naked single: 4 in r2c2\n")
    assert text.endswith("\n\n1 2 | 4 3\n3 4 | 2 1\n----+----\n4 3 | 1 2\n2 1 | 3 4\n")


def test_json(run: Run) -> None:
    """JSON has puzzle and solution; the number is that of the puzzle."""
    done = run("sudoku", "solve", OPEN, "--limit", "2", "--format", "json")
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert list(first) == ["variant", "box", "digits", "givens", "solution", "number"]
    assert (first["givens"], first["number"], second["number"]) == (OPEN, 1, 1)
    assert first["solution"] != second["solution"]


WAYS = {
    "one a line": f"# a comment\n{MINI}\n\n{MINI}\n",
    "with solutions": f"{MINI},{MINI_SOLVED}\n{MINI},{MINI_SOLVED}\n",
    "rows": "1...\n..2.\n.3..\n...4\n\n1 . . .\n. . 2 .\n. 3 . .\n. . . 4\n",
    "ruled": f"{SudokuPuzzle.from_text(MINI).pretty()}\n\n{SudokuPuzzle.from_text(MINI)}\n",
    "zeros": f"{MINI.replace('.', '0')}\r\n{MINI}\r\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_files_and_stdin(run: Run, way: str) -> None:
    """Puzzles come one a line, in rows or ruled, from a file, stdin or the argument itself."""
    Path("two").write_text(WAYS[way])
    for place in ("two", "-", WAYS[way]):
        done = run("sudoku", "solve", place, stdin=WAYS[way].encode())
        assert done.out == f"{MINI_SOLVED}\n" * 2


@pytest.mark.parametrize(
    "options", ["--box 3x3 --count 3", "--samurai --box 2x2 --count 2", "--box 6x6"]
)
@pytest.mark.parametrize("form", ["text", "line"])
def test_what_was_made_can_be_read(run: Run, options: str, form: str) -> None:
    """Grids come back from both forms, several and large ones too."""
    rules = [word for word in options.split() if word not in ("--count", "2", "3")]
    made = run("sudoku", "generate", "--seed", "1", "--format", form, *options.split()).out
    lines = run("sudoku", "generate", "--seed", "1", "--format", "line", *options.split()).out
    assert run("sudoku", "solve", "-", *rules, stdin=made.encode()).out == lines


@pytest.mark.parametrize("rules", ["--x --box 2x3", "--samurai --box 2x2"])
def test_json_is_read(run: Run, rules: str) -> None:
    """What the commands write as JSON comes back under its own rules, on one line or several."""
    making = ("sudoku", "puzzle", "--seed", "1", "--count", "2", "--with-solution", *rules.split())
    made = run(*making, "--format", "json").out
    puzzles = [json.loads(line) for line in made.splitlines()]
    expected = "".join(f"{puzzle['solution']}\n" for puzzle in puzzles)
    spread = "\n".join(json.dumps(puzzle, indent=2) for puzzle in puzzles)
    for content in (made, spread):
        Path("made.json").write_text(content)
        assert run("sudoku", "solve", "made.json").out == expected
        assert run("sudoku", "solve", content).out == expected
    solved = run("sudoku", "solve", "made.json", "--format", "json").out
    assert json.loads(solved.splitlines()[0])["variant"] == puzzles[0]["variant"]
    assert run("sudoku", "check", "made.json").out.count("with one solution") == 2
    again = run("sudoku", "puzzle", "--from", json.dumps(puzzles[0]), "--format", "json")
    assert json.loads(again.out)["variant"] == puzzles[0]["variant"]


def test_options_win_over_json(run: Run) -> None:
    """The rules that an object names hold unless others are asked for."""
    fields = {"variant": "standard", "box": [1, 4], "givens": "." * 16}
    for options, count in (([], 576), (["--box", "2x2"], 288), (["--x"], 48)):
        assert run("sudoku", "solve", json.dumps(fields), "--count", *options).out == f"{count}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"givens": 5}', "no line form under givens or grid"),
        ('{"givens": "1...", "box": [2]}', "two positive integers"),
        ('{"givens": "1...", "box": [2, 1024]}', "up to 1024 cells"),
        ('{"grid": "1221", "variant": "array"}', "'array' in JSON must be positive integers"),
        ('{"grid": "1221", "variant": "round"}', "'round' cannot be read"),
        ('{"grid": "1221"} 5', "not a sequence of objects"),
        ('{"a": ' * 100_000, "not a sequence of objects"),
    ],
)
def test_json_that_holds_no_puzzle(run: Run, text: str, said: str) -> None:
    """Other JSON gives code 4 and says what is missing."""
    done = run("sudoku", "solve", "-", stdin=text.encode())
    assert (done.code, done.out) == (4, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("content", "said"), [(b"# nothing\n\n", "no grid"), (b"\xff\xfe", "not text")]
)
def test_files_without_a_puzzle(run: Run, content: bytes, said: str) -> None:
    """Empty files and bytes that are no text give code 4."""
    Path("file").write_bytes(content)
    for place in ("file", "-"):
        done = run("sudoku", "solve", place, stdin=content)
        assert (done.code, done.out) == (4, "")
        assert said in done.err


@pytest.mark.parametrize(
    "options",
    [
        "--count --all",
        "--count --trace",
        "--count --format json",
        "--count -o out.txt",
        "--trace --all",
        "--trace --limit 2",
        "--trace --format png",
        "--limit 0",
    ],
)
def test_what_does_not_go_together(run: Run, options: str) -> None:
    """Wrong options give code 2 and write nothing."""
    before = set(Path.cwd().iterdir())
    done = run("sudoku", "solve", MINI, *options.split())
    assert (done.code, done.out) == (2, "")
    assert set(Path.cwd().iterdir()) == before


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (MINI, 0, "valid: a puzzle of 4x4 with 2x2 boxes with one solution\n"),
        (MINI_SOLVED, 0, "valid: a full grid of 4x4 with 2x2 boxes\n"),
        (OPEN, 1, "several solutions"),
        (NONE, 1, "no solution"),
        ("1111............", 4, "twice"),
    ],
)
def test_check(run: Run, text: str, code: int, said: str) -> None:
    """A full grid must be right, and a puzzle have one solution."""
    done = run("sudoku", "check", text)
    assert done.code == code
    assert said in done.out + done.err
