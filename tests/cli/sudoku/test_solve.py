"""`sudoku solve` and `check`: solutions, their number, steps, and all inputs of puzzles."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sudokucrypt.sudoku import SudokuPuzzle, Variant, cover_solutions
from tests.cli.conftest import Run
from tests.programs import run_python
from tests.sudoku.kernels import COMPILED
from tests.sudoku.puzzles import HARD, ROYLE

MINI, MINI_SOLVED = "1.....2..3.....4", "1243342143122134"
OPEN = "12............34"
WITHOUT_SOLUTION = "123....4........"
FORMS = sorted((Path(__file__).parent / "forms").iterdir())


@pytest.mark.parametrize(
    "odd_puzzle", [OPEN, WITHOUT_SOLUTION, "x" + ROYLE[0][1:], "11" + ROYLE[0][2:], "." * 81]
)
def test_many_at_once_are_solved_as_one_by_one(run: Run, odd_puzzle: str) -> None:
    """Many puzzles have the same results, in order, as single ones; errors name their line."""
    lines = [ROYLE[0], HARD["AI Escargot"], odd_puzzle, MINI, ROYLE[0], ROYLE[1]]
    for command in (["solve"], ["solve", "--count", "--limit", "2"], ["check"]):
        result = run("sudoku", *command, "-", stdin="\n".join(lines).encode(), code=None)
        single_results = [run("sudoku", *command, line, code=None) for line in lines]
        odd_result = single_results[lines.index(odd_puzzle)]  # the puzzle that may fail
        assert result.code == odd_result.code
        # `check` prints the difficulty only of a single puzzle.
        assert result.out == re.sub(
            "; .*", "", "".join(single_result.out for single_result in single_results)
        )
        assert result.err == odd_result.err.replace(
            "error: ", f"error: line {lines.index(odd_puzzle) + 1}: "
        )
    puzzles = "\n".join([*HARD.values(), ROYLE[0]]).encode()
    json_lines = run("sudoku solve - --format json", stdin=puzzles).out.splitlines()
    assert [json.loads(line)["number"] for line in json_lines] == [1, 2, 3, 4, 5, 6]
    expected = "".join(json.loads(line)["solution"] + "\n" for line in json_lines)
    run("sudoku solve - -o {number}.sdm", stdin=puzzles)
    assert "".join(Path(f"{number}.sdm").read_text() for number in range(1, 7)) == expected
    run("sudoku solve -", stdin=puzzles, out=expected)


def test_all_solutions_and_their_number(run: Run) -> None:
    """--all and --count give the same solutions as dancing links."""
    expected = {result.to_text() for result in cover_solutions(SudokuPuzzle.from_text(OPEN))}
    assert set(run("sudoku solve", OPEN, "--all").out.split()) == expected
    run("sudoku solve", OPEN, "--count", out=f"{len(expected)}\n")


def test_puzzles_are_solved_by_their_rules(run: Run) -> None:
    """Puzzles with other boxes, diagonals and Samurai grids are solved by their rules."""
    empty_grid = "." * 36
    run("sudoku solve", empty_grid, "--box", "3x2", "--limit", "1")
    rules = ("--samurai", "--box", "2x2")
    result = run("sudoku puzzle", *rules, "--seed", "1", "--format", "line").out
    solution = run("sudoku solve", result.strip(), *rules).out
    assert SudokuPuzzle.from_text(solution, Variant.samurai((2, 2))).number_of_givens == 64


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_files_and_stdin(run: Run, path: Path) -> None:
    """Puzzles in lines, rows or ruled boxes are read from a file, stdin or the argument."""
    content = path.read_bytes()
    for argument in (str(path), "-", content.decode()):
        run("sudoku solve", argument, stdin=content, out=f"{MINI_SOLVED}\n" * 2)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(run: Run, encoding: str) -> None:
    """A byte order mark before the text is ignored."""
    Path("marked").write_bytes(f"{MINI}\r\n{MINI}\r\n".encode(encoding))
    run("sudoku solve marked", out=f"{MINI_SOLVED}\n" * 2)


@pytest.mark.slow
@pytest.mark.programs("bash")
def test_pipes_have_names() -> None:
    """A pipe of a shell, such as <(...), is read and written by its name."""
    script = f"{sys.executable} -m sudokucrypt sudoku solve"
    for line in (
        f"echo {MINI} | {script} /dev/stdin",
        f"{script} <(echo {MINI})",
        f"{script} {MINI} -o >(cat) | cat",
    ):
        result = subprocess.run(["bash", "-c", line], check=True, capture_output=True, text=True)
        assert (result.stdout, result.stderr) == (f"{MINI_SOLVED}\n", "")


def test_larger_orders_in_other_symbols(run: Run) -> None:
    """Letters from A, digits from 0 and numbers are read; a note tells how they are printed."""
    puzzle = run("sudoku puzzle --box 3x4 --seed 1 --format line").out.strip()
    solution_result = run("sudoku solve", puzzle)
    sources = {
        "ABCDEFGHIJKL": "digits A to L of the input are printed as 1 to C",
        "0123456789AB": "digits 0 to B of the input are printed as 1 to C",
        "123456789abc": "",
    }
    for symbols, note in sources.items():
        puzzle_text = puzzle.translate(str.maketrans("123456789ABC", symbols))
        run(
            "sudoku solve",
            f"{puzzle_text}\n{puzzle_text}",
            out=solution_result.out * 2,
            err=f"sudokucrypt: note: {note}\n" if note else "",
        )
    numbers = ["" if symbol == "." else str(int(symbol, 13)) for symbol in puzzle]
    rows = [",".join(numbers[row_start : row_start + 12]) for row_start in range(0, 144, 12)]
    run("sudoku solve", "\n".join(rows), out=solution_result.out)
    run("sudoku solve", " ".join(number or "." for number in numbers), out=solution_result.out)


def test_a_long_file_with_bad_lines(run: Run) -> None:
    """In a long file, good lines are solved, and errors name the number of each bad line."""
    lines = [ROYLE[0]] * (10_000 if COMPILED else 100)
    bad_lines = {
        1: ("x" * 81, "r1c1 holds 'x'"),
        17: ("11" + ROYLE[0][2:], "row 1 holds 1 twice"),
        18: ("123", "3 symbols are too few or too many"),
        60: ("." * 81, ""),
        61: ("5" + ROYLE[0][1:], ""),
        90: ("." * 80, "80 symbols are too few or too many"),
        len(lines): (ROYLE[0][:80] + "8", "row 9 holds 8 twice"),
    }
    for number, (line, _) in bad_lines.items():
        lines[number - 1] = line
    lines.insert(2, "# a comment")
    Path("many").write_text("\n".join(lines))
    for command in ("solve", "check"):
        result = run("sudoku", command, "many", code=4)
        assert result.out.count("\n") == len(lines) - 8
        errors = [line for line in result.err.splitlines() if "error" in line]
        for line, (number, (_, text)) in zip(errors, bad_lines.items(), strict=True):
            shifted_lines = number + (number > 2)
            assert line.startswith(f"sudokucrypt: error: line {shifted_lines}: {text}")
    assert result.err.count("hint: take away one of the two givens") == 1


def test_errors_leave_no_empty_file(run: Run) -> None:
    """With some bad puzzles, the output has the other results; without results there is no file."""
    Path("three").write_text(f"{WITHOUT_SOLUTION}\n{MINI}\n{MINI}\n")
    for output in ("out.sdm", "{number}.sdm", "out.svg"):
        run("sudoku solve three -o", output, code=5)
    assert Path("out.sdm").read_text() == f"{MINI_SOLVED}\n" * 2
    assert sorted(path.name for path in Path.cwd().glob("?.sdm")) == ["1.sdm", "2.sdm"]
    paths_before = set(Path.cwd().iterdir())
    for output in ("none.sdm", "none.svg"):
        run("sudoku solve", f"{WITHOUT_SOLUTION}\n{OPEN}", "-o", output, code=5)
    assert set(Path.cwd().iterdir()) == paths_before


@pytest.mark.parametrize(
    "options", ["--box 3x3 --count 3", "--samurai --box 2x2 --count 2", "--box 6x6"]
)
@pytest.mark.parametrize("form", ["text", "line"])
def test_generated_grids_can_be_read(run: Run, options: str, form: str) -> None:
    """Generated grids in lines or text are read again, also several and large ones."""
    rules = [word for word in options.split() if word not in ("--count", "2", "3")]
    result = run("sudoku generate --seed 1 --format", form, *options.split()).out
    lines = run("sudoku generate --seed 1 --format line", *options.split()).out
    run("sudoku solve -", *rules, stdin=result.encode(), out=lines)


@pytest.mark.parametrize(
    "rules", ["--x --box 2x3", "--samurai --box 2x2", "--array 2,2,2,3", "--array 1,2,2,2"]
)
def test_json_is_read(run: Run, rules: str) -> None:
    """JSON of the commands is read with its rules, on one line or several lines."""
    command = ("sudoku", "puzzle", "--seed", "1", "--count", "2", "--with-solution", *rules.split())
    result = run(*command, "--format", "json").out
    puzzles = [json.loads(line) for line in result.splitlines()]
    expected = "".join(f"{puzzle['solution']}\n" for puzzle in puzzles)
    indented_json = "\n".join(json.dumps(puzzle, indent=2) for puzzle in puzzles)
    for content in (result, indented_json):
        Path("made.json").write_text(content)
        assert run("sudoku solve made.json").sheets == expected
        assert run("sudoku solve", content).sheets == expected
    solution_json = run("sudoku solve made.json --format json").out
    assert json.loads(solution_json.splitlines()[0])["variant"] == puzzles[0]["variant"]
    assert run("sudoku check made.json").out.count("with one solution") == 2
    second_result = run("sudoku puzzle --from", json.dumps(puzzles[0]), "--format", "json")
    assert json.loads(second_result.out)["variant"] == puzzles[0]["variant"]


def test_counts_end_at_the_budget(run: Run) -> None:
    """A count that needs more nodes than --budget ends with the number found so far."""
    result = run("sudoku solve", "." * 81, "--count", "--budget", "1000", code=1, out="")
    assert re.search(r"stopped at node 1000 with [1-9]\d* solutions so far", result.err)


def test_ruled_text_shows_its_boxes(run: Run) -> None:
    """Printed grids are read with the boxes that their ruled text shows, without an option."""
    command = ("sudoku", "generate", "--box", "3x2", "--seed", "1", "--count", "2")
    text = run(*command).out
    run("sudoku solve -", stdin=text.encode(), out=run(*command, "--format", "line").out)
    run("sudoku rank", text.partition("\n\n")[0])


@pytest.mark.skipif(not COMPILED, reason="needs compiled kernels")
def test_one_puzzle_in_a_line_needs_no_numpy() -> None:
    """The fast path prints the same as the command, imports no NumPy, and skips other inputs."""
    code = (
        "import sys\n"
        "from sudokucrypt.cli import one_line\n"
        "print([one_line.find_solution(['sudoku', 'solve', text]) for text in sys.argv[1:]])\n"
        "print('numpy' in sys.modules)\n"
    )
    invalid, ambiguous = "11" + ROYLE[0][2:], "." * 81
    texts = [
        ROYLE[0],
        ROYLE[0].replace("0", "."),
        HARD["AI Escargot"],
        invalid,
        ambiguous,
        MINI,
        "x",
    ]
    results, numpy = run_python("-c", code, *texts).stdout.splitlines()
    escargot_solution = next(cover_solutions(SudokuPuzzle.from_text(HARD["AI Escargot"]))).to_text()
    assert results == str([ROYLE[1], ROYLE[1], escargot_solution, None, None, None, None])
    assert numpy == "False"


@pytest.mark.skipif(not COMPILED, reason="needs compiled kernels")
def test_one_puzzle_in_a_line_is_printed_as_others(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the fast path the output is the same; a file with the name of a puzzle is read."""
    puzzles = [*HARD.values(), ROYLE[0]]
    lines = [run("sudoku solve", puzzle) for puzzle in puzzles]
    monkeypatch.setattr("sudokucrypt.cli.one_line.find_solution", lambda _: None)
    assert [run("sudoku solve", puzzle) for puzzle in puzzles] == lines
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    Path(ROYLE[0]).write_text(HARD["AI Escargot"])
    run("sudoku solve", ROYLE[0], out=lines[puzzles.index(HARD["AI Escargot"])].out)
