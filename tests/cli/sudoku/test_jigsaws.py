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
    actual = run("sudoku", "puzzle", *rules, "--seed", "1", "--with-solution", "--format", "line")
    givens, solution = actual.out.strip().split(",")
    puzzle = SudokuPuzzle.from_text(givens, JIGSAW)
    assert [result.to_text() for result in cover_solutions(puzzle)] == [solution]
    assert run("sudoku", "solve", givens, *rules).out == f"{solution}\n"
    assert run("sudoku", "solve", "-", *rules, stdin=givens.encode()).out == f"{solution}\n"
    expected = "valid: a puzzle of Jigsaw, 6x6 with one solution; "
    assert run("sudoku", "check", givens, *rules).out.startswith(expected)
    assert run("sudoku", "check", solution, *rules).out == "valid: a full grid of Jigsaw, 6x6\n"
    Path("small.txt").write_text("AAAB\nCABB\nCCDB\nCDDD\n", "utf-8")
    counted = json.loads(run("sudoku", "count", "--regions", "small.txt", "--json").out)
    empty = SudokuPuzzle.empty(Variant.jigsaw(counted["regions"]))
    assert counted["count"] == len(list(cover_solutions(empty))) == 96
    assert "box" not in counted


@pytest.mark.parametrize("flags", [["--regions", "map.txt"], ["--jigsaw", "--box", "2x3"]])
def test_results_say_their_regions(run: Run, flags: list[str]) -> None:
    """JSON and printed text are read back without a map, by every command."""
    actual = run("sudoku", "puzzle", *flags, "--seed", "2", "--count", "2", "--format", "json").out
    fields = [json.loads(line) for line in actual.splitlines()]
    assert fields[0]["variant"] == "jigsaw"
    assert (fields[0]["regions"] == ROWS) == (fields[1]["regions"] == ROWS) == ("map.txt" in flags)
    solved = run("sudoku", "solve", "-", "--format", "json", stdin=actual.encode()).out
    for line, asked in zip(solved.splitlines(), fields, strict=True):
        answer = json.loads(line)
        assert answer["regions"] == asked["regions"]
        variant = Variant.jigsaw(asked["regions"])
        puzzle = SudokuPuzzle.from_text(asked["givens"], variant)
        assert [result.to_text() for result in cover_solutions(puzzle)] == [answer["solution"]]
        thinned = run("sudoku", "puzzle", "--from", "-", "--format", "json", stdin=line.encode())
        assert json.loads(thinned.out)["regions"] == asked["regions"]
    text = run("sudoku", "puzzle", *flags, "--seed", "2", "--count", "2").out.encode()
    for known in ([], ["--jigsaw"]):
        again = run("sudoku", "solve", "-", "--format", "json", *known, stdin=text).out
        assert again == solved
    assert run("sudoku", "check", "-", stdin=text).code == 0


def test_a_seed_draws_regions(run: Run) -> None:
    """Each result has regions of its own, the same ones for a seed."""
    result = [
        run("sudoku", "generate", "--jigsaw", "--seed", "5", "--count", "3", "--format", "json").out
        for _ in range(2)
    ]
    assert result[0] == result[1]
    assert len({str(json.loads(line)["regions"]) for line in result[0].splitlines()}) == 3
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
    actual = run("sudoku", "puzzle", *rules, "--seed", "1", "--format", "json").out
    fields = json.loads(actual)
    puzzle = SudokuPuzzle.from_text(fields["givens"], variant)
    result = [solution.to_text() for solution in cover_solutions(puzzle)]
    assert len(result) == 1
    assert fields["variant"] == {"--hyper": "windoku"}.get(flag, flag[2:])
    for text in (actual, actual.replace('"windoku"', '"hyper"')):
        assert run("sudoku", "solve", "-", stdin=text.encode()).sheets == f"{result[0]}\n"
    assert run("sudoku", "solve", fields["givens"], *rules).sheets == f"{result[0]}\n"
