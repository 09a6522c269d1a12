"""The room's front: every public name is there, and each is imported when it is first used."""

import subprocess
import sys

import pytest

from sudokucrypt import errors, sudoku


def test_every_name_leads_somewhere() -> None:
    """At run time a name is what type checkers see under it."""
    assert all(getattr(sudoku, name) is not None for name in sudoku.__all__)
    assert {*sudoku.__all__} <= {*dir(sudoku)}


def test_the_errors_of_the_room_are_there() -> None:
    """Users catch them where they find the functions that raise them."""
    for name in (
        *("BrokenRuleError", "InvalidGridError", "MultipleSolutionsError", "NoSolutionError"),
        "UndecidedError",
    ):
        assert getattr(sudoku, name) is getattr(errors, name)
        assert name in sudoku.__all__


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "name"), [("sudoku", "solve"), ("sudoku.drawing", "draw"), ("analysis", "avalanche")]
)
def test_rooms_are_found_from_the_top(room: str, name: str) -> None:
    """After one import each room is an attribute, and completion shows it and what it has."""
    above, _, last = f"sudokucrypt.{room}".rpartition(".")
    script = f"import sudokucrypt; print(*dir({above})); print(*dir(sudokucrypt.{room}))"
    shown = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert last in shown[0].split()
    assert name in shown[1].split()


def test_unknown_names_are_refused() -> None:
    """As by any module, and nothing that is only needed to build the front is offered."""
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sudoku.nothing  # type: ignore[attr-defined] # noqa: B018
    assert not {"lazy_names", "TYPE_CHECKING"} & {*sudoku.__all__}


@pytest.mark.slow
def test_the_front_is_light() -> None:
    """To import the model loads no other room, and no tables."""
    script = "import sys, sudokucrypt.sudoku.model; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "sudokucrypt.sudoku.model.grid" in loaded
    for room in ("solving", "counting", "making", "deducing", "historical", "drawing"):
        assert f"sudokucrypt.sudoku.{room}" not in loaded
