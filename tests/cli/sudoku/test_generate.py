"""`sudoku generate`: every method, every kind of sheet, and what does not go together."""

import json
import re

import pytest

from sudokucrypt.sudoku import SudokuPuzzle, Variant
from tests.cli.conftest import Run

METHODS = {
    "rows": "612739854458162973397458216274615398186943725935827461763281549821594637549376182",
    "boxes": "612458973739162548854973621927384165386521794145796382291645837463817259578239416",
    "cells": "729643158654718392183295467976581234831426975542379681215967843497832516368154729",
    "search": "651723849874159263923846751145698327796432518382517694467985132539271486218364975",
    "shuffle": "871492356563817942429536187346175298157928634982364715218649573735281469694753821",
    "stir": "513926478647318295982745631871569324235471986496832157158294763369157842724683519",
}
GOLDEN = {
    **{f"--method {name}": grid for name, grid in METHODS.items()},
    "": "385762941469138257217594368821956473543817692976243815138679524792485136654321789",
    "--amount 3": (
        "416295387523871946789463125168927534237154698945386712871532469352649871694718253"
    ),
    "--x": "583127649174963285629485173835674912796231854412598736957312468361849527248756391",
    "--box 2x3": "654321321465512643463512236154145236",
    "--array 2,2,2,3": "153264426135514326632541",
    "--samurai --box 2x2": "3412213412344312432134212143124321342134431243123241324114231423",
    "--windoku": (
        "725349861638251947419786253154698372976432518382517694843975126567123489291864735"
    ),
    "--anti-knight --box 2x3": "135264264135546312312546621453453621",
    "--jigsaw --box 1x5 --count 2": "2345115324312455413242513\n3425145312215435312412435",
    "--box 2x2 --count 3": "4231312424131342\n4132324123141423\n3214412314322341",
}
"""What seed 1 gives, on any platform and without kernels too."""


@pytest.mark.parametrize("options", GOLDEN)
def test_a_seed_decides(run: Run, options: str) -> None:
    """A seed gives the same lines for ever, and nothing else is printed."""
    done = run("sudoku", "generate", "--seed", "1", "--format", "line", *options.split())
    assert (done.code, done.out, done.err) == (0, GOLDEN[options] + "\n", "")


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
def test_sheets_are_full_and_right(run: Run, options: str, variant: Variant) -> None:
    """Whatever is made is a full sheet that breaks no rule."""
    line = run("sudoku", "generate", "--seed", "5", "--format", "line", *options.split()).out
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
    """JSON tells the kind of sheet, its boxes and the method that was chosen."""
    done = run("sudoku", "generate", "--seed", "4", "--format", "json", *options.split())
    fields = json.loads(done.out)
    sides = ["array"] if variant == "array" else []
    assert list(fields) == ["variant", "box", "digits", *sides, "grid", "method", "seed", "number"]
    assert (fields["variant"], fields["box"], fields["method"]) == (variant, box, method)
    assert (fields["seed"], fields["number"]) == (4, 1)


def test_a_new_seed_is_told(run: Run) -> None:
    """Without a seed each run is another one, and the note says how to have it again."""
    first, second = (run("sudoku", "generate", "--format", "line") for _ in range(2))
    assert first.out != second.out
    told = re.fullmatch(
        r"sudokucrypt: note: seed (\d+); '--seed \1' makes the same again\n", first.err
    )
    assert told
    assert run("sudoku", "generate", "--seed", told[1], "--format", "line").out == first.out


def test_text_has_ruled_boxes(run: Run) -> None:
    """By default grids are ruled, with a blank line between two."""
    done = run("sudoku", "generate", "--seed", "1", "--box", "2x2", "--count", "2")
    assert done.out == (
        "4 2 | 3 1\n3 1 | 2 4\n----+----\n2 4 | 1 3\n1 3 | 4 2\n\n"
        "4 1 | 3 2\n3 2 | 4 1\n----+----\n2 3 | 1 4\n1 4 | 2 3\n"
    )


@pytest.mark.parametrize(
    ("options", "first", "last"),
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
def test_the_way_of_a_method(run: Run, options: str, first: str, last: str) -> None:
    """--trace prints how the grid was made before it, and does not make another one."""
    making = ("sudoku", "generate", "--seed", "1", *options.split())
    lines = run(*making, "--trace", "--format", "line").out.splitlines()
    assert lines[0].startswith(first)
    assert lines[-2].startswith(last)
    assert run(*making, "--format", "line").out == f"{lines[-1]}\n"
    assert json.loads(run(*making, "--trace", "--format", "json").out)["steps"] == lines[:-1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--trace", "'uniform' has no steps for --trace; these have: search, rows, boxes, cells"),
        ("--trace --box 1x100", "nor has another for grids with 1x100 boxes"),
        ("--trace --method rows --format svg", "cannot show --trace"),
        ("--method boxes --box 2x2", "'boxes' does not make grids with 2x2 boxes"),
        ("--method rows --box 4x4", "'rows' does not make grids with 4x4 boxes"),
        ("--method uniform --box 2x5", "these do: search, stir, cells, shuffle"),
        ("--method stir --x", "'stir' does not make X-Sudoku with 3x3 boxes; these do: search"),
        ("--method rows --samurai", "'rows' does not make Samurai sheets"),
        ("--method cells --array 2", "'cells' does not make arrays; these do: search, shuffle"),
        ("--amount 3 --method rows", "--amount is for stirring"),
        ("--x --samurai", "a sheet is of one kind; leave out --x or --samurai"),
        ("--array 2 --x", "leave out --array or --x"),
        ("--array 2 --box 2x2", "--array sets the whole shape"),
        ("--array 2,2", "arrays take A,B,C,D, not '2,2'"),
        ("--array 99", "up to 1048576 cells"),
        ("--box 3", "a box is rows x columns"),
        ("--box 0x3", "a box is rows x columns"),
        ("--box 33x32", "more than 1024 rows"),
        ("--seed -1", "--seed"),
        ("--count 0", "--count"),
        ("--method guess", "--method"),
        ("--format gif", "--format"),
    ],
)
def test_what_does_not_go_together(run: Run, options: str, said: str) -> None:
    """Wrong options give code 2, and say which ones would do."""
    done = run("sudoku", "generate", *options.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--x --box 9x9", 4, "at most 64 digits"),
        ("--samurai --box 1x9", 4, "sides of 2 or more"),
        ("--x --box 1x2", 5, "there is no full sheet of X, 2x2"),
    ],
)
def test_sheets_that_cannot_be(run: Run, options: str, code: int, said: str) -> None:
    """Sheets that are too large or have no such rules give code 4, that do not exist code 5."""
    done = run("sudoku", "generate", *options.split())
    assert (done.code, done.out) == (code, "")
    assert said in done.err
