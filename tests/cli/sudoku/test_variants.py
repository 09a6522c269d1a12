"""A kind of Sudoku that is defined here, through the public contract, works in every command."""

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
    Variant,
    VariantKind,
    is_unique,
    register_variant,
)
from sudokucrypt.typing import Box
from tests.cli.conftest import Run
from tests.sudoku.enumeration import reduced_grids

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
    """Return Windoku by another name, with as many boxes between boxes as there is room for."""
    plain = Variant.standard(box)
    (p, q), n = plain.box, plain.digits
    numbers = np.arange(n * n).reshape(n, n)
    tops = [(top, left) for top in range(1, n - p, p + 1) for left in range(1, n - q, q + 1)]
    windows = tuple(
        House(
            f"window {index}",
            tuple(numbers[top : top + p, left : left + q].ravel().tolist()),
            "tint",
        )
        for index, (top, left) in enumerate(tops)
    )
    return replace(plain, name=f"Panes, {plain.name}", houses=plain.houses + windows)


@pytest.fixture
def toy() -> Iterator[VariantKind]:
    """Register the kind for one test."""
    yield register_variant(
        VariantKind(name="panes", title="Panes", flag="panes", help="Four windows.", build=panes)
    )
    VARIANTS.remove("panes")
    VARIANTS.remove("windows")
    for name in COMMANDS:
        command = group.get_command(Context(group), name)
        assert command is not None
        command.params = [own for own in command.params if own.name != "panes"]


def test_a_registered_kind_works_in_every_command(run: Run, toy: VariantKind) -> None:
    """Its flag is in the help, and what it makes is solved, checked and read back as JSON."""
    for command in COMMANDS:
        assert "--panes" in run("sudoku", command, "--help").out
    variant = toy.build((3, 3))
    done = run("sudoku", "puzzle", "--panes", "--seed", "1", "--with-solution", "--format", "json")
    fields = json.loads(done.out)
    assert fields["variant"] == "panes"
    puzzle = SudokuPuzzle.from_text(fields["givens"], variant)
    assert is_unique(puzzle)
    plain = SudokuPuzzle.from_text(fields["givens"])
    assert not is_unique(plain)  # the windows are needed
    for text, flags in ((done.out, []), (fields["givens"], ["--panes"])):
        solved = run("sudoku", "solve", "-", *flags, stdin=text.encode())
        assert solved.out == fields["solution"] + "\n"
        checked = run("sudoku", "check", "-", *flags, stdin=text.encode())
        valid = f"valid: a puzzle of {variant.name} with one solution; "
        assert checked.out.startswith(valid)
    traced = run("sudoku", "solve", "--trace", fields["givens"], "--panes")
    assert traced.out.endswith(fields["solution"] + "\n")


def test_a_registered_kind_is_made_counted_and_drawn(
    run: Run, toy: VariantKind, tmp_path: Path
) -> None:
    """A full sheet keeps its rules, the windows are tinted, and small sheets are counted."""
    path = tmp_path / "sheet.svg"
    assert run("sudoku", "generate", "--panes", "--seed", "1", "-o", str(path)).code == 0
    assert path.read_text("utf-8").count("#fdeecb") == 1  # one group with the tinted cells
    line = run("sudoku", "generate", "--panes", "--seed", "1", "--format", "line").out
    assert SudokuPuzzle.from_text(line, toy.build((3, 3))).number_of_givens == 81
    window = [
        grid[5:7] + grid[9:11] for grid in map(list, reduced_grids((2, 2)).reshape(-1, 16).tolist())
    ]
    expected = 24 * sum(len(set(digits)) == 4 for digits in window)
    assert run("sudoku", "count", "--panes", "--box", "2x2").out == f"{expected}\n"
    assert run("sudoku", "count", "--panes").code == 4
    refused = run("sudoku", "generate", "--panes", "--method", "stir")
    assert "'stir' does not make Panes with 3x3 boxes; these do: search" in refused.err


def test_kinds_from_a_file(run: Run, tmp_path: Path) -> None:
    """--variant takes a function from a box, or a variant such as a jigsaw, from any file."""
    path = tmp_path / "mine.py"
    path.write_text(FILE, "utf-8")
    result = run(
        "sudoku", "generate", "--variant", f"{path}:jigsaw", "--seed", "1", "--format", "line"
    )
    assert (result.code, len(result.out)) == (0, 17)
    regions = [(0, 1, 2, 5), (3, 6, 7, 11), (4, 8, 9, 12), (10, 13, 14, 15)]
    assert all(len({result.out[cell] for cell in region}) == 4 for region in regions)
    rules = ("--variant", f"{path}:cornered", "--box", "2x2")
    puzzle = run("sudoku", "puzzle", *rules, "--seed", "1", "--format", "json").out
    assert json.loads(puzzle)["variant"] == "cornered"
    solved = run("sudoku", "solve", *rules, "-", stdin=puzzle.encode()).out
    assert len({solved[cell] for cell in (0, 3, 12, 15)}) == 4
    grids = reduced_grids((2, 2)).reshape(-1, 16)
    expected = 24 * sum(len({*grid[[0, 3, 12, 15]].tolist()}) == 4 for grid in grids)
    assert run("sudoku", "count", *rules).out == f"{expected}\n"
    assert "cannot be combined" in run("sudoku", "count", *rules, "--samurai").err


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("json", "names no object"),
        ("nowhere.at.all:name", "cannot import 'nowhere.at.all'"),
        ("json:nothing", "'json' has no 'nothing'"),
        ("missing.py:name", "there is no Python file 'missing.py'"),
    ],
)
def test_objects_that_are_not_there(run: Run, spec: str, said: str) -> None:
    """The message says which part of the name leads nowhere."""
    with pytest.raises(InvalidParameterError, match=said):
        load_object(spec)
    done = run("sudoku", "generate", "--variant", spec)
    assert done.code == 2
    assert said in done.err


def test_what_is_no_kind_is_refused(run: Run) -> None:
    """An object of another type, and a name that is taken."""
    assert "is not a kind of Sudoku" in run("sudoku", "generate", "--variant", "math:pi").err
    with pytest.raises(InvalidParameterError, match="a kind of Sudoku 'x' already"):
        register_variant(replace(VARIANTS["x"], flag=None))
    with pytest.raises(InvalidParameterError, match="--x, which 'x' has"):
        register_variant(replace(VARIANTS["x"], name="y"))
    with pytest.raises(InvalidParameterError, match="--hyper, which 'windoku' has"):
        register_variant(replace(VARIANTS["x"], name="y", flag="hyper"))


def test_packages_bring_kinds(toy: VariantKind, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point is registered under its own name; a broken one costs a warning alone."""

    class Entry:
        name, value = "windows", "windows:kind"

        @staticmethod
        def load() -> object:
            return panes

    class Broken(Entry):
        load = staticmethod(lambda: 1)

    result = {"sudokucrypt.variants": [Broken, Entry]}
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: result[group])
    monkeypatch.setattr(VARIANTS, "_complete", False)
    with pytest.warns(RuntimeWarning, match="left out: .*windows is not a kind of Sudoku"):
        kinds = dict(VARIANTS)
    assert kinds["windows"].build((3, 3)) == toy.build((3, 3))
