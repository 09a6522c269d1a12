"""Kinds of Sudoku in every command: a registered one, ones from files, jigsaws, built-in ones."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click import Context

from sudokucrypt import InvalidParameterError
from sudokucrypt.cli.plugins import load_object
from sudokucrypt.cli.sudoku import command as group
from sudokucrypt.sudoku import (
    VARIANTS,
    House,
    SudokuPuzzle,
    Symmetry,
    Variant,
    VariantKind,
    canonical_form,
    canonical_puzzle,
    cover_solutions,
    is_unique,
    make_puzzle,
    register_variant,
    seeded_draws,
)
from sudokucrypt.typing import Box
from tests.cli.conftest import Run
from tests.sudoku.enumeration import list_reduced_grids

COMMANDS = ("generate", "puzzle", "solve", "check", "count")

FILE = """
from dataclasses import replace
from sudokucrypt.sudoku import House, Variant

def cornered(box):
    plain = Variant.standard(box)
    n = plain.digits
    corners = House("corners", (0, n - 1, n * n - n, n * n - 1), "tint")
    return replace(plain, name="cornered " + plain.name, houses=(*plain.houses, corners))

jigsaw = Variant("jigsaw", 4, (1, 4), Variant.latin(4).cells, (
    *Variant.latin(4).houses,
    House("region 0", (0, 1, 2, 5), "border"), House("region 1", (3, 6, 7, 11), "border"),
    House("region 2", (4, 8, 9, 12), "border"), House("region 3", (10, 13, 14, 15), "border"),
))
"""


def panes(box: Box) -> Variant:
    """Return a variant like Windoku, with as many windows between the boxes as fit."""
    standard = Variant.standard(box)
    (rows, columns), digits = standard.box, standard.digits
    numbers = np.arange(digits * digits).reshape(digits, digits)
    tops = [
        (top, left)
        for top in range(1, digits - rows, rows + 1)
        for left in range(1, digits - columns, columns + 1)
    ]
    windows = tuple(
        House(
            f"window {index}",
            tuple(numbers[top : top + rows, left : left + columns].ravel().tolist()),
            "tint",
        )
        for index, (top, left) in enumerate(tops)
    )
    return replace(standard, name=f"Panes, {standard.name}", houses=standard.houses + windows)


@pytest.fixture
def toy() -> Iterator[VariantKind]:
    """Register the kind of Sudoku for one test."""
    yield register_variant(
        VariantKind(name="panes", title="Panes", flag="panes", help="Four windows.", build=panes)
    )
    VARIANTS.remove("panes")
    VARIANTS.remove("windows")
    for name in COMMANDS:
        command = group.get_command(Context(group), name)
        assert command is not None
        command.params = [parameter for parameter in command.params if parameter.name != "panes"]


def test_a_registered_kind_works_in_every_command(run: Run, toy: VariantKind) -> None:
    """A registered kind has a flag; its grids are made, solved, checked and read from JSON."""
    for command in COMMANDS:
        assert "--panes" in run("sudoku", command, "--help").out
    variant = toy.build((3, 3))
    result = run("sudoku puzzle --panes --seed 1 --with-solution --format json")
    fields = json.loads(result.out)
    assert fields["variant"] == "panes"
    puzzle = SudokuPuzzle.from_text(fields["givens"], variant)
    assert is_unique(puzzle)
    puzzle_without_rule = SudokuPuzzle.from_text(fields["givens"])
    assert not is_unique(
        puzzle_without_rule
    )  # without the rule of windows, there would be several solutions
    for text, flags in ((result.out, []), (fields["givens"], ["--panes"])):
        run("sudoku solve -", *flags, stdin=text.encode(), out=fields["solution"] + "\n")
        checked = run("sudoku check -", *flags, stdin=text.encode())
        valid = f"valid: a puzzle of {variant.name} with one solution; "
        assert checked.out.startswith(valid)
    trace_result = run("sudoku solve --trace", fields["givens"], "--panes")
    assert trace_result.out.endswith(fields["solution"] + "\n")


def test_a_registered_kind_is_made_counted_and_drawn(
    run: Run, toy: VariantKind, tmp_path: Path
) -> None:
    """Full grids of a registered kind keep its rules, are drawn with windows, and are counted."""
    path = tmp_path / "sheet.svg"
    run("sudoku generate --panes --seed 1 -o", str(path))
    assert path.read_text("utf-8").count("#fdeecb") == 1  # one group contains the tinted cells
    line = run("sudoku generate --panes --seed 1 --format line").out
    assert SudokuPuzzle.from_text(line, toy.build((3, 3))).number_of_givens == 81
    window = [
        grid[5:7] + grid[9:11]
        for grid in map(list, list_reduced_grids((2, 2)).reshape(-1, 16).tolist())
    ]
    expected = 24 * sum(len(set(digits)) == 4 for digits in window)
    run("sudoku count --panes --box 2x2", out=f"{expected}\n")
    run("sudoku count --panes", code=4)
    result = run("sudoku generate --panes --method stir", code=2)
    assert "'stir' does not make Panes with 3x3 boxes; these do: search" in result.err


def test_kinds_from_a_file(run: Run, tmp_path: Path) -> None:
    """--variant accepts a function of a box, or a variant such as a jigsaw, in a Python file."""
    path = tmp_path / "mine.py"
    path.write_text(FILE, "utf-8")
    result = run("sudoku generate --variant", f"{path}:jigsaw", "--seed", "1", "--format", "line")
    assert len(result.out) == 17
    regions = [(0, 1, 2, 5), (3, 6, 7, 11), (4, 8, 9, 12), (10, 13, 14, 15)]
    assert all(len({result.out[cell] for cell in region}) == 4 for region in regions)
    rules = ("--variant", f"{path}:cornered", "--box", "2x2")
    puzzle = run("sudoku puzzle", *rules, "--seed", "1", "--format", "json").out
    assert json.loads(puzzle)["variant"] == "cornered"
    solution = run("sudoku solve", *rules, "-", stdin=puzzle.encode()).out
    assert len({solution[cell] for cell in (0, 3, 12, 15)}) == 4
    grids = list_reduced_grids((2, 2)).reshape(-1, 16)
    expected = 24 * sum(len({*grid[[0, 3, 12, 15]].tolist()}) == 4 for grid in grids)
    run("sudoku count", *rules, out=f"{expected}\n")
    run("sudoku count", *rules, "--samurai", says="cannot be combined", code=2)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("json", "names no object"),
        ("nowhere.at.all:name", "cannot import 'nowhere.at.all'"),
        ("json:nothing", "'json' has no 'nothing'"),
        ("missing.py:name", "there is no Python file 'missing.py'"),
    ],
)
def test_missing_objects_are_named(run: Run, spec: str, message: str) -> None:
    """If --variant names a missing object, the message says which part of the name is missing."""
    with pytest.raises(InvalidParameterError, match=message):
        load_object(spec)
    run("sudoku generate --variant", spec, code=2, says=message)


def test_invalid_kinds_are_refused(run: Run) -> None:
    """An object of another type and a name that exists are refused as kinds."""
    run("sudoku generate --variant math:pi", says="is not a kind of Sudoku", code=2)
    with pytest.raises(InvalidParameterError, match="a kind of Sudoku 'x' already"):
        register_variant(replace(VARIANTS["x"], flag=None))
    with pytest.raises(InvalidParameterError, match="--x, which 'x' uses"):
        register_variant(replace(VARIANTS["x"], name="y"))
    with pytest.raises(InvalidParameterError, match="--hyper, which 'windoku' uses"):
        register_variant(replace(VARIANTS["x"], name="y", flag="hyper"))


def test_kinds_of_entry_points(toy: VariantKind, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of an entry point is registered; a broken entry point only causes a warning."""

    class Entry:
        name, value = "windows", "windows:kind"

        @staticmethod
        def load() -> object:
            return panes

    class Broken(Entry):
        load = staticmethod(lambda: 1)

    result = {"sudokucrypt.variants": [Broken, Entry]}
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: result[group])
    monkeypatch.setattr(VARIANTS, "_is_complete", False)
    with pytest.warns(RuntimeWarning, match="left out: .*windows is not a kind of Sudoku"):
        kinds = dict(VARIANTS)
    assert kinds["windows"].build((3, 3)) == toy.build((3, 3))


# `sudoku rank`, `unrank`, `count` and `canonical`, and the help of the group.


TOTAL = 6670903752021072936960  # Felgenhauer and Jarvis, 2005
GRID = "385762941469138257217594368821956473543817692976243815138679524792485136654321789"


@pytest.mark.parametrize(
    ("box", "last_number"), [("3x3", TOTAL - 1), ("2x2", 287), ("3x2", 28200959)]
)
def test_numbers_and_grids(run: Run, box: str, last_number: int) -> None:
    """`unrank` and `rank` are inverse for the first, the last and a middle number."""
    for number in (0, last_number // 3, last_number):
        grid = run("sudoku unrank", str(number), "--box", box).out.strip()
        run("sudoku rank", grid, "--box", box, out=f"{number}\n")
    run("sudoku unrank", str(last_number + 1), "--box", box, code=2, out="")


def test_numbers_of_classes(run: Run) -> None:
    """The number of the last class leads to its canonical form, and back."""
    grid = run("sudoku unrank 5472730537 --classes").out.strip()
    run("sudoku rank", grid, "--classes", out="5472730537\n")
    run("sudoku canonical", grid, out=f"{grid}\n")


def test_canonical_puzzles(run: Run, tmp_path: Path) -> None:
    """Equivalent puzzles have the same canonical form; a file gives a form for each puzzle."""
    puzzle = make_puzzle(71).puzzle
    image = Symmetry.random((3, 3), seeded_draws(72)).apply(puzzle)
    canonical_text = canonical_puzzle(puzzle).puzzle.to_text()
    (tmp_path / "two.txt").write_text(f"{puzzle.to_text()}\n{image.to_text()}\n")
    run("sudoku canonical", str(tmp_path / "two.txt"), out=f"{canonical_text}\n{canonical_text}\n")


def test_canonical(run: Run) -> None:
    """The canonical form is equivalent to the grid, and is its own canonical form."""
    canonical_text = run("sudoku canonical", GRID).out.strip()
    assert canonical_text.startswith("123456789")
    assert canonical_form(canonical_text).grid == canonical_form(GRID).grid
    run("sudoku canonical", canonical_text, out=f"{canonical_text}\n")


def test_help(run: Run) -> None:
    """The help of the group lists all commands, and each command has its own help."""
    help_text = run("sudoku --help").out
    for command in (
        *("generate", "puzzle", "solve", "check"),
        *("canonical", "count", "rank", "unrank"),
    ):
        assert f"  {command} " in help_text
        assert f"Usage: sudokucrypt sudoku {command}" in run("sudoku", command, "--help").out
    assert "Make, solve, count and rank Sudoku grids." in run("--help").out


# Jigsaws, Windoku and anti-knight grids in every command.


MAP = "# of mine\nAABCCC\nAABCCD\nAABCDD\nBBBDDD\nEEEFFF\nEEEFFF\n"
ROWS = MAP.split()[3:]
JIGSAW = Variant.jigsaw(ROWS)


@pytest.fixture(autouse=True)
def _map(tmp_path: Path) -> None:
    """Write a map of regions to the current folder."""
    (tmp_path / "map.txt").write_text(MAP, "utf-8")


def test_a_map_works_in_every_command(run: Run) -> None:
    """With --regions, a puzzle is made, solved, checked and counted by the rules of the map."""
    rules = ("--regions", "map.txt")
    actual = run("sudoku puzzle", *rules, "--seed", "1", "--with-solution", "--format", "line")
    givens, solution = actual.out.strip().split(",")
    puzzle = SudokuPuzzle.from_text(givens, JIGSAW)
    assert [result.to_text() for result in cover_solutions(puzzle)] == [solution]
    run("sudoku solve", givens, *rules, out=f"{solution}\n")
    run("sudoku solve -", *rules, stdin=givens.encode(), out=f"{solution}\n")
    expected = "valid: a puzzle of Jigsaw, 6x6 with one solution; "
    assert run("sudoku check", givens, *rules).out.startswith(expected)
    run("sudoku check", solution, *rules, out="valid: a full grid of Jigsaw, 6x6\n")
    Path("small.txt").write_text("AAAB\nCABB\nCCDB\nCDDD\n", "utf-8")
    counted = json.loads(run("sudoku count --regions small.txt --json").out)
    empty = SudokuPuzzle.empty(Variant.jigsaw(counted["regions"]))
    assert counted["count"] == len(list(cover_solutions(empty))) == 96
    assert "box" not in counted


@pytest.mark.parametrize("flags", [["--regions", "map.txt"], ["--jigsaw", "--box", "2x3"]])
def test_results_contain_their_regions(run: Run, flags: list[str]) -> None:
    """JSON and printed text of a jigsaw are read by every command without the map."""
    actual = run("sudoku puzzle", *flags, "--seed", "2", "--count", "2", "--format", "json").out
    fields = [json.loads(line) for line in actual.splitlines()]
    assert fields[0]["variant"] == "jigsaw"
    assert (fields[0]["regions"] == ROWS) == (fields[1]["regions"] == ROWS) == ("map.txt" in flags)
    solution_json = run("sudoku solve - --format json", stdin=actual.encode()).out
    for line, expected_fields in zip(solution_json.splitlines(), fields, strict=True):
        answer = json.loads(line)
        assert answer["regions"] == expected_fields["regions"]
        variant = Variant.jigsaw(expected_fields["regions"])
        puzzle = SudokuPuzzle.from_text(expected_fields["givens"], variant)
        assert [result.to_text() for result in cover_solutions(puzzle)] == [answer["solution"]]
        puzzle_result = run("sudoku puzzle --from - --format json", stdin=line.encode())
        assert json.loads(puzzle_result.out)["regions"] == expected_fields["regions"]
    text = run("sudoku puzzle", *flags, "--seed", "2", "--count", "2").out.encode()
    for options in ([], ["--jigsaw"]):
        second_output = run("sudoku solve - --format json", *options, stdin=text).out
        assert second_output == solution_json
    run("sudoku check -", stdin=text)


def test_a_seed_draws_regions(run: Run) -> None:
    """--jigsaw draws new regions for each result, the same for the same seed."""
    result = [
        run("sudoku generate --jigsaw --seed 5 --count 3 --format json").out for _ in range(2)
    ]
    assert result[0] == result[1]
    assert len({str(json.loads(line)["regions"]) for line in result[0].splitlines()}) == 3
    trace_result = run("sudoku generate --jigsaw --box 2x2 --seed 5 --trace")
    assert trace_result.out.startswith("node 1: ")


@pytest.mark.parametrize(
    ("flag", "box", "variant"),
    [
        ("--windoku", "3x3", Variant.windoku()),
        ("--hyper", "2x2", Variant.windoku((2, 2))),
        ("--anti-knight", "2x3", Variant.anti_knight((2, 3))),
    ],
)
def test_named_kinds(run: Run, flag: str, box: str, variant: Variant) -> None:
    """Puzzles of a named kind have one solution by its rules; JSON contains its name."""
    rules = (flag, "--box", box)
    actual = run("sudoku puzzle", *rules, "--seed", "1", "--format", "json").out
    fields = json.loads(actual)
    puzzle = SudokuPuzzle.from_text(fields["givens"], variant)
    result = [solution.to_text() for solution in cover_solutions(puzzle)]
    assert len(result) == 1
    assert fields["variant"] == {"--hyper": "windoku"}.get(flag, flag[2:])
    for text in (actual, actual.replace('"windoku"', '"hyper"')):
        assert run("sudoku solve -", stdin=text.encode()).sheets == f"{result[0]}\n"
    assert run("sudoku solve", fields["givens"], *rules).sheets == f"{result[0]}\n"
