"""The room's front: every public name is there, and each is imported when it is first used."""

import subprocess
import sys

import pytest

from sudokucrypt import sudoku


def test_every_name_leads_somewhere() -> None:
    """At run time a name is what type checkers see under it."""
    assert all(getattr(sudoku, name) is not None for name in sudoku.__all__)
    assert {*sudoku.__all__} <= {*dir(sudoku)}


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
