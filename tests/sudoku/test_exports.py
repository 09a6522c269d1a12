"""The room's front: every public name is there, and each is imported when it is asked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from sudokucrypt import sudoku

TREE = ast.parse(Path(str(sudoku.__file__)).read_text("utf-8"))


def shown() -> dict[str, str]:
    """Return the names that type checkers see, and their modules."""
    imports = [node for node in ast.walk(TREE) if isinstance(node, ast.ImportFrom)]
    return {
        name.name: str(node.module)
        for node in imports
        for name in node.names
        if str(node.module).startswith("sudokucrypt.")
    }


def test_every_list_has_the_same_names() -> None:
    """What type checkers see is what is named as public, and nothing else."""
    assert sorted(shown()) == sorted(sudoku.__all__)
    assert {*sudoku.__all__} <= {*dir(sudoku)}


@pytest.mark.parametrize("name", sudoku.__all__)
def test_names_lead_to_what_is_shown(name: str) -> None:
    """At run time a name is what the module that type checkers see calls so."""
    assert getattr(sudoku, name) is getattr(import_module(shown()[name]), name)


def test_unknown_names_are_refused() -> None:
    """As by any module."""
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sudoku.nothing  # type: ignore[attr-defined] # noqa: B018


def test_the_front_is_light() -> None:
    """To import the package loads no solver, and one name loads no other room's tables."""
    script = "import sys, sudokucrypt; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()
    for module in ("solver", "counting", "ranking", "making", "deducing", "historical"):
        assert f"sudokucrypt.sudoku.{module}" not in loaded
