"""Cells and entries in the JSON of f-puzzles, none of which is trusted."""

import re
from collections.abc import Iterable
from typing import Any

from sudokucrypt.errors import InvalidGridError

_MOST_ENTRIES = 4096
_CELL = re.compile(r"[Rr]([0-9]{1,2})[Cc]([0-9]{1,2})")


def listed(value: object) -> list[dict[str, Any]]:
    """Return the entries of a constraint."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InvalidGridError("a constraint of an f-puzzles puzzle is damaged")
    if len(value) > _MOST_ENTRIES:
        raise InvalidGridError("an f-puzzles puzzle has too many constraints")
    return value


def cells_of(entry: dict[str, Any], size: int) -> tuple[int, ...]:
    """Return the numbers of the cells of an entry, such as R1C1, all of them on the board."""
    names = entry.get("cells")
    every = names if isinstance(names, list) and len(names) <= size * size else [None]
    matches = [_CELL.fullmatch(name) if isinstance(name, str) else None for name in every]
    cells = [(int(match[1]), int(match[2])) for match in matches if match]
    if len(cells) != len(matches) or not all(1 <= r <= size and 1 <= c <= size for r, c in cells):
        raise InvalidGridError("a constraint of an f-puzzles puzzle has a cell outside the grid")
    return tuple((row - 1) * size + column - 1 for row, column in cells)


def names_of(cells: Iterable[int], size: int) -> list[str]:
    """Return the names of cells."""
    return [f"R{cell // size + 1}C{cell % size + 1}" for cell in cells]
