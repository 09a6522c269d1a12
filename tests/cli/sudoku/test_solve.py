"""`sudoku solve` and `check`: solutions, their number, the steps, and every way to give puzzles."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sudokucrypt.sudoku import SudokuPuzzle, Variant, cover_solutions
from tests.cli.conftest import Run
from tests.sudoku.kernels import COMPILED
from tests.sudoku.puzzles import HARD, ROYLE

MINI, MINI_SOLVED = "1.....2..3.....4", "1243342143122134"
OPEN = "12............34"
NONE = "123....4........"
HINTED = "..4....3..861..2.72......1.7612945839453867218..517..9..8...3.44.9..81...5....8.."


def test_the_solution_alone(run: Run) -> None:
    """A puzzle of Gordon Royle's gives the line form of its solution."""
    done = run("sudoku", "solve", ROYLE[0])
    assert (done.code, done.out, done.err) == (0, ROYLE[1] + "\n", "")


@pytest.mark.parametrize(
    ("puzzle", "code", "said"),
    [
        (OPEN, 5, "more than one solution"),
        (NONE, 5, "no solution"),
        ("11..............", 4, "row 1 holds 1 twice"),
        ("1...x...........", 4, "not a digit"),
        ("123", 4, "is not a file, and its 3 cells"),
    ],
)
def test_puzzles_that_cannot_be_solved(run: Run, puzzle: str, code: int, said: str) -> None:
    """No solution and several give code 5, puzzles that are none code 4."""
    done = run("sudoku", "solve", puzzle)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


@pytest.mark.parametrize("odd", [OPEN, NONE, "x" + ROYLE[0][1:], "11" + ROYLE[0][2:], "." * 81])
def test_many_at_once_are_solved_as_one_by_one(run: Run, odd: str) -> None:
    """Results stand in order, and an error names its line and stops none of the others."""
    lines = [ROYLE[0], HARD["AI Escargot"], odd, MINI, ROYLE[0], ROYLE[1]]
    for command in (["solve"], ["solve", "--count", "--limit", "2"], ["check"]):
        done = run("sudoku", *command, "-", stdin="\n".join(lines).encode())
        alone = [run("sudoku", *command, line) for line in lines]
        [failed] = [one for one in alone if one.code] or [alone[0]]
        assert done.code == failed.code
        assert done.out == "".join(one.out for one in alone)
        assert done.err == failed.err.replace("error: ", f"error: line {lines.index(odd) + 1}: ")
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
    assert run("sudoku", "solve", "11" + "." * 14, "--count").out == "0\n"
    none = run("sudoku", "solve", NONE, "--all")
    assert (none.code, none.out) == (5, "")


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
    """--trace prints a line for each step, the last ones fill cells, difficulty and solution."""
    done = run("sudoku", "solve", MINI, "--trace")
    lines = done.out.splitlines()
    assert lines[0] == "hidden single: 2 in r1c2 (box 1)"
    assert (len(lines), lines[-2:]) == (14, ["difficulty: beginner 1.2", MINI_SOLVED])
    fields = json.loads(run("sudoku", "solve", MINI, "--trace", "--format", "json").out)
    assert (fields["steps"], fields["level"], fields["rating"]) == (lines[:-2], "beginner", 1.2)
    text = run("sudoku", "solve", MINI, "--trace", "--format", "text").out
    assert text.startswith("\n".join(lines[:-1]))
    assert text.endswith("\n\n1 2 | 4 3\n3 4 | 2 1\n----+----\n4 3 | 1 2\n2 1 | 3 4\n")


def test_the_next_step(run: Run) -> None:
    """--hint prints the first step of the trace alone, and JSON has its parts, counted from 1."""
    assert run("sudoku", "solve", MINI, "--hint").out == "hidden single: 2 in r1c2 (box 1)\n"
    fields = json.loads(run("sudoku", "solve", HINTED, "--hint", "--format", "json").out)
    assert list(fields) == ["variant", "box", "digits", "givens", "number", "hint"]
    hint = fields["hint"]
    assert hint["text"] == run("sudoku", "solve", HINTED, "--hint", "--format", "text").out.strip()
    assert (hint["technique"], hint["rating"], hint["placed"]) == ("locked candidates", 2.6, None)
    assert (hint["cells"], hint["digits"]) == ([[7, 8], [9, 8]], ["9"])
    assert (hint["houses"], hint["struck"]) == (
        ["box 9", "column 8"],
        [{"cell": [2, 8], "digit": "9"}],
    )
    assert run("sudoku", "solve", MINI_SOLVED, "--hint").out == "nothing is left to do\n"
    done = run("sudoku", "solve", MINI_SOLVED, "--hint", "--format", "json")
    assert json.loads(done.out)["hint"] is None
    assert run("sudoku", "solve", NONE, "--hint").code == 5
    assert run("sudoku", "solve", OPEN, "--hint").code == 5


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
    "stars and lines": f"{MINI.replace('.', '*')}\n{MINI.replace('.', '_')}\n",
    "letters": "A.....B..C.....D\na.....b..c.....d\n",
    "table": f"puzzle,solution\n{MINI},{MINI_SOLVED}\n{MINI},\n",
    "quoted table": f'"id";"Quizzes"\n1;"{MINI}"\n;;\n2;"{MINI}"\n',
    "commas": "1,,,\n,,2,\n,3,,\n,,,4\n\n1;0;0;0\n0;0;2;0\n0;3;0;0\n0;0;0;4\n",
    "tabs": "1\t\t\t\n\t\t2\t\n\t3\t\t\n\t\t\t4\n\n1...\n..2.\n.3..\n...4\n",
    "one row of cells": "1,,,,,,2,,,3,,,,,,4\n1,0,0,0,0,0,2,0,0,3,0,0,0,0,0,4\n",
    "sections": (
        "#A Somebody\n[Puzzle]\n1...\n..2.\n.3..\n...4\n[State]\n1243\n..2.\n.3..\n...4\n"
        f"[Puzzle]\n{MINI}\n"
    ),
    "frames": "*-----*\n|1.|..|\n|..|2.|\n|--+--|\n|.3|..|\n|..|.4|\n*-----*\n\n"
    ".-----.\n|1.|..|\n|..|2.|\n:--+--:\n|.3|..|\n|..|.4|\n'-----'\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_files_and_stdin(run: Run, way: str) -> None:
    """Puzzles come one a line, in rows or ruled, from a file, stdin or the argument itself."""
    Path("two").write_text(WAYS[way])
    for place in ("two", "-", WAYS[way]):
        done = run("sudoku", "solve", place, stdin=WAYS[way].encode())
        assert done.out == f"{MINI_SOLVED}\n" * 2


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(run: Run, encoding: str) -> None:
    """Editors and shells that put a mark before the text do no harm."""
    Path("marked").write_bytes(f"{MINI}\r\n{MINI}\r\n".encode(encoding))
    assert run("sudoku", "solve", "marked").out == f"{MINI_SOLVED}\n" * 2


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_pipes_have_names() -> None:
    """A pipe is read and written under the name that the shell gives it."""
    script = f"{sys.executable} -m sudokucrypt sudoku solve"
    for line in (
        f"echo {MINI} | {script} /dev/stdin",
        f"{script} <(echo {MINI})",
        f"{script} {MINI} -o >(cat) | cat",
    ):
        done = subprocess.run(["bash", "-c", line], check=True, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == (f"{MINI_SOLVED}\n", "")


def test_larger_orders_in_other_symbols(run: Run) -> None:
    """Letters from A, digits from 0 and numbers are read; a note says what is printed for them."""
    puzzle = run("sudoku", "puzzle", "--box", "3x4", "--seed", "1", "--format", "line").out.strip()
    solved = run("sudoku", "solve", puzzle)
    ways = {
        "ABCDEFGHIJKL": "digits A to L of the input are printed as 1 to C",
        "0123456789AB": "digits 0 to B of the input are printed as 1 to C",
        "123456789abc": "",
    }
    for symbols, note in ways.items():
        written = puzzle.translate(str.maketrans("123456789ABC", symbols))
        done = run("sudoku", "solve", f"{written}\n{written}")
        assert (done.code, done.out) == (0, solved.out * 2)
        assert done.err == (f"sudokucrypt: note: {note}\n" if note else "")
    numbers = ["" if symbol == "." else str(int(symbol, 13)) for symbol in puzzle]
    rows = [",".join(numbers[start : start + 12]) for start in range(0, 144, 12)]
    assert run("sudoku", "solve", "\n".join(rows)).out == solved.out
    assert run("sudoku", "solve", " ".join(number or "." for number in numbers)).out == solved.out


def test_a_long_file_with_bad_lines(run: Run) -> None:
    """Every other line is solved, and each bad one is named by its number, in order."""
    lines = [ROYLE[0]] * (10_000 if COMPILED else 100)
    bad = {
        1: ("x" * 81, "r1c1 holds 'x'"),
        17: ("11" + ROYLE[0][2:], "row 1 holds 1 twice"),
        18: ("123", "3 cells are not a grid"),
        60: ("." * 81, ""),
        61: ("5" + ROYLE[0][1:], ""),
        90: ("." * 80, "80 cells are not a grid"),
        len(lines): (ROYLE[0][:80] + "8", "row 9 holds 8 twice"),
    }
    for number, (line, _) in bad.items():
        lines[number - 1] = line
    lines.insert(2, "# a comment")
    Path("many").write_text("\n".join(lines))
    for command in ("solve", "check"):
        done = run("sudoku", command, "many")
        assert (done.code, done.out.count("\n")) == (4, len(lines) - 8)
        said = [line for line in done.err.splitlines() if "error" in line]
        for line, (number, (_, text)) in zip(said, bad.items(), strict=True):
            shifted = number + (number > 2)
            assert line.startswith(f"sudokucrypt: error: line {shifted}: {text}")
    assert done.err.count("hint: take away one of the two givens") == 1


@pytest.mark.parametrize(
    ("text", "lines", "code"),
    [
        (f"{NONE}\n{MINI}\n{OPEN}\n", [1, 3], 5),
        (f"{NONE}\n{MINI}\n1221\n", [1], 5),
        (f"{NONE}\n{MINI}\n123\n", [1, 3], 4),
        (f"\n# four\n11..\n....\n....\n....\n\n{MINI}\n{OPEN}\n", [3, 9], 4),
        (
            f'{{"grid": "{MINI}"}}\n{{"grid": 5}}\n{{}} [\n 3]\n{{"grid": "{OPEN}"}}',
            [2, 3, 3, 5],
            4,
        ),
        (f'{{"grid":\n "{MINI}"}}\n\n{{"grid":\n "{NONE}"}}\n5\n{{"grid": "."}}', [4, 6], 4),
        (f"puzzle,level\n,easy\n{MINI},hard\n{NONE},hard\n", [2, 4], 4),
    ],
)
def test_others_are_solved_all_the_same(run: Run, text: str, lines: list[int], code: int) -> None:
    """Messages have the first line of each sheet, and the lowest of their codes is that of all."""
    done = run("sudoku", "solve", "-", stdin=text.encode())
    assert [int(number) for number in re.findall(r"error: line (\d+): ", done.err)] == lines
    assert done.code == code
    assert MINI_SOLVED in done.out


def test_what_is_wrong_leaves_no_empty_file(run: Run) -> None:
    """Results go to the file all the same, and where there are none there is no file."""
    Path("three").write_text(f"{NONE}\n{MINI}\n{MINI}\n")
    for output in ("out.sdm", "{number}.sdm", "out.svg"):
        assert run("sudoku", "solve", "three", "-o", output).code == 5
    assert Path("out.sdm").read_text() == f"{MINI_SOLVED}\n" * 2
    assert sorted(path.name for path in Path.cwd().glob("?.sdm")) == ["1.sdm", "2.sdm"]
    before = set(Path.cwd().iterdir())
    for output in ("none.sdm", "none.svg"):
        assert run("sudoku", "solve", f"{NONE}\n{OPEN}", "-o", output).code == 5
    assert set(Path.cwd().iterdir()) == before


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


@pytest.mark.parametrize(
    "rules", ["--x --box 2x3", "--samurai --box 2x2", "--array 2,2,2,3", "--array 1,2,2,2"]
)
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
        ("{'grid': '1221'}", "not a sequence of objects"),
        ('{"a": ' * 100_000, "not a sequence of objects"),
    ],
)
def test_json_that_holds_no_puzzle(run: Run, text: str, said: str) -> None:
    """Other JSON gives code 4 and says what is missing."""
    done = run("sudoku", "solve", "-", stdin=text.encode())
    assert (done.code, done.out) == (4, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"# nothing\n\n", "no grid"),
        (b"[State]\n1...\n", "no grid"),
        (b"\xff\xff", "not text"),
        (b"\xff\xfe1", "not text"),
        (b"." * 1025**2, "at most 1024 rows"),
        (b"1 " * 1025**2, "at most 1024 rows"),
    ],
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
        "--hint --trace",
        "--hint --format svg",
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
        (OPEN, 5, "several solutions"),
        (NONE, 5, "no solution"),
        ("1111............", 4, "twice"),
    ],
)
def test_check(run: Run, text: str, code: int, said: str) -> None:
    """A full grid must be right, and a puzzle have one solution."""
    done = run("sudoku", "check", text)
    assert done.code == code
    assert said in done.out + done.err


def test_counts_within_a_budget(run: Run) -> None:
    """A count that takes more nodes is given up, and the message says what was found."""
    assert run("sudoku", "solve", OPEN, "--count", "--budget", "1000").out == "4\n"
    done = run("sudoku", "solve", "." * 81, "--count", "--budget", "1000")
    assert (done.code, done.out) == (1, "")
    assert re.search(r"given up at node 1000 with [1-9]\d* solutions so far", done.err)
    assert run("sudoku", "solve", OPEN, "--budget", "1000").code == 2
