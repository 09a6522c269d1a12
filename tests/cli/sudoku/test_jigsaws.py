"""Jigsaws, Windoku and anti-knight grids in every command: made, drawn, read back, refused."""

import json
from pathlib import Path

import pytest

from sudokucrypt.sudoku import Variant, cover_solutions
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from tests.cli.conftest import Run

MAP = "# of mine\nAABCCC\nAABCCD\nAABCDD\nBBBDDD\nEEEFFF\nEEEFFF\n"
ROWS = MAP.split()[3:]
JIGSAW = Variant.jigsaw(ROWS)


@pytest.fixture(autouse=True)
def _map(tmp_path: Path) -> None:
    """Put a map where the commands run."""
    (tmp_path / "map.txt").write_text(MAP, "utf-8")


def test_a_map_works_in_every_command(run: Run) -> None:
    """A puzzle is made, solved, checked and counted under the rules of the map."""
    rules = ("--regions", "map.txt")
    made = run("sudoku", "puzzle", *rules, "--seed", "1", "--with-solution", "--format", "line")
    givens, solution = made.out.strip().split(",")
    puzzle = SudokuPuzzle.from_text(givens, JIGSAW)
    assert [found.to_text() for found in cover_solutions(puzzle)] == [solution]
    assert run("sudoku", "solve", givens, *rules).out == f"{solution}\n"
    assert run("sudoku", "solve", "-", *rules, stdin=givens.encode()).out == f"{solution}\n"
    said = "valid: a puzzle of Jigsaw, 6x6 with one solution\n"
    assert run("sudoku", "check", givens, *rules).out == said
    assert run("sudoku", "check", solution, *rules).out == "valid: a full grid of Jigsaw, 6x6\n"
    Path("small.txt").write_text("AAAB\nCABB\nCCDB\nCDDD\n", "utf-8")
    counted = json.loads(run("sudoku", "count", "--regions", "small.txt", "--json").out)
    empty = SudokuPuzzle.empty(Variant.jigsaw(counted["regions"]))
    assert counted["count"] == len(list(cover_solutions(empty))) == 96
    assert "box" not in counted


@pytest.mark.parametrize("flags", [["--regions", "map.txt"], ["--jigsaw", "--box", "2x3"]])
def test_results_say_their_regions(run: Run, flags: list[str]) -> None:
    """JSON and printed text are read back without a map, by every command."""
    made = run("sudoku", "puzzle", *flags, "--seed", "2", "--count", "2", "--format", "json").out
    fields = [json.loads(line) for line in made.splitlines()]
    assert fields[0]["variant"] == "jigsaw"
    assert (fields[0]["regions"] == ROWS) == (fields[1]["regions"] == ROWS) == ("map.txt" in flags)
    solved = run("sudoku", "solve", "-", "--format", "json", stdin=made.encode()).out
    for line, asked in zip(solved.splitlines(), fields, strict=True):
        answer = json.loads(line)
        assert answer["regions"] == asked["regions"]
        variant = Variant.jigsaw(asked["regions"])
        puzzle = SudokuPuzzle.from_text(asked["givens"], variant)
        assert [found.to_text() for found in cover_solutions(puzzle)] == [answer["solution"]]
        thinned = run("sudoku", "puzzle", "--from", "-", "--format", "json", stdin=line.encode())
        assert json.loads(thinned.out)["regions"] == asked["regions"]
    text = run("sudoku", "puzzle", *flags, "--seed", "2", "--count", "2").out.encode()
    for known in ([], ["--jigsaw"]):
        again = run("sudoku", "solve", "-", "--format", "json", *known, stdin=text).out
        assert again == solved
    assert run("sudoku", "check", "-", stdin=text).code == 0


def test_a_seed_draws_regions(run: Run) -> None:
    """Each result has regions of its own, the same ones for a seed."""
    made = [
        run("sudoku", "generate", "--jigsaw", "--seed", "5", "--count", "3", "--format", "json").out
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert len({str(json.loads(line)["regions"]) for line in made[0].splitlines()}) == 3
    traced = run("sudoku", "generate", "--jigsaw", "--box", "2x2", "--seed", "5", "--trace")
    assert traced.out.startswith("node 1: ")


@pytest.mark.parametrize(
    ("flag", "box", "variant"),
    [
        ("--windoku", "3x3", Variant.windoku()),
        ("--hyper", "2x2", Variant.windoku((2, 2))),
        ("--anti-knight", "2x3", Variant.anti_knight((2, 3))),
    ],
)
def test_named_kinds(run: Run, flag: str, box: str, variant: Variant) -> None:
    """Puzzles of a named kind have one solution under its rules; JSON names it in one way."""
    rules = (flag, "--box", box)
    made = run("sudoku", "puzzle", *rules, "--seed", "1", "--format", "json").out
    fields = json.loads(made)
    puzzle = SudokuPuzzle.from_text(fields["givens"], variant)
    found = [solution.to_text() for solution in cover_solutions(puzzle)]
    assert len(found) == 1
    assert fields["variant"] == {"--hyper": "windoku"}.get(flag, flag[2:])
    for text in (made, made.replace('"windoku"', '"hyper"')):
        assert run("sudoku", "solve", "-", stdin=text.encode()).out == f"{found[0]}\n"
    assert run("sudoku", "solve", fields["givens"], *rules).out == f"{found[0]}\n"


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("generate --regions none.txt", 4, "cannot read 'none.txt': no such file"),
        ("generate --regions photo.png", 4, "'photo.png' is not text"),
        ("generate --regions bad.txt", 4, "row 3 of the map of regions has 2 cells"),
        ("generate --regions long.txt", 4, "a map of regions has up to 64 rows, not 65"),
        ("generate --regions short.txt", 4, "region A has 3 cells, not 2"),
        ("generate --regions map.txt --box 2x3", 2, "--regions sets the whole shape; leave out"),
        ("generate --regions map.txt --x", 2, "leave out --regions or --x"),
        ("generate --regions map.txt --method stir", 2, "'stir' does not make jigsaws; these do:"),
        ("generate --jigsaw --box 5x5", 4, "random jigsaws have at most 20 rows, not 25"),
        ("generate --windoku --box 2x3", 4, "windows need square boxes"),
        ("solve --jigsaw 1...2...3...4...", 4, "--regions FILE"),
        ("count --jigsaw", 4, "a jigsaw needs its regions"),
        ('solve {"variant":"jigsaw","givens":"1..."}', 4, "its map under 'regions'"),
        ('solve {"variant":"jigsaw","regions":["AB"],"givens":"1..."}', 4, "the map has 2 rows"),
        ("generate --regions impossible.txt", 5, "there is no full sheet of Jigsaw, 4x4"),
        ("puzzle --regions impossible.txt", 5, "there is no full sheet of Jigsaw, 4x4"),
        ("check --regions impossible.txt 1...............", 5, "has no solution"),
        ("solve --patience 1 --regions impossible.txt ................", 1, "given up at node 1 "),
    ],
)
def test_what_cannot_be(run: Run, command: str, code: int, said: str) -> None:
    """Each refusal names what is wrong, with the code that the reference states for it."""
    Path("bad.txt").write_text("AAB\nABB\nCC\n", "utf-8")
    Path("short.txt").write_text("AA\nAB\n", "utf-8")
    Path("impossible.txt").write_text("AAAB\nBBBA\nCCDD\nCCDD\n", "utf-8")
    Path("long.txt").write_text("\n".join(chr(0x4E00 + row) * 65 for row in range(65)), "utf-8")
    done = run("sudoku", *command.split())
    assert done.code == code
    assert said in done.err
    assert "Traceback" not in done.err
