"""Read and write constraints in the JSON of f-puzzles, which is untrusted input."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import Constraint, EntryForm

_MAX_ENTRIES = 512  # a board of 16x16 cells has 480 pairs of neighbors
_CELL_NAME = re.compile(r"[Rr]([0-9]{1,2})[Cc]([0-9]{1,2})")

Entry = dict[str, Any]


def list_entries(value: object) -> list[Entry]:
    """Return the checked list of entries of a key."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InvalidGridError("a constraint of an f-puzzles puzzle is damaged")
    if len(value) > _MAX_ENTRIES:
        raise InvalidGridError("an f-puzzles puzzle has too many constraints")
    return value


def parse_position(name: object) -> tuple[int, int]:
    """Return the row and column, from 1, of a cell such as R1C1, which may be outside the grid."""
    match = _CELL_NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise InvalidGridError("a cell of an f-puzzles puzzle has no name such as R1C1")
    return int(match[1]), int(match[2])


def number_cells(names: object, size: int) -> tuple[int, ...]:
    """Return the numbers of named cells, or raise `InvalidGridError` if one is off the board."""
    if not isinstance(names, list) or len(names) > size * size:
        raise InvalidGridError("a constraint of an f-puzzles puzzle lacks its cells")
    cells = [parse_position(name) for name in names]
    if not all(1 <= row <= size and 1 <= column <= size for row, column in cells):
        raise InvalidGridError("a constraint of an f-puzzles puzzle has a cell outside the grid")
    return tuple((row - 1) * size + column - 1 for row, column in cells)


def list_cell_names(cells: Iterable[int], size: int) -> list[str]:
    """Return the names of cells, such as R1C1, by their numbers."""
    return [f"R{cell // size + 1}C{cell % size + 1}" for cell in cells]


def parse_number(value: object) -> int:
    """Return a value 0..999 that f-puzzles writes as a number or as text."""
    text = str(value) if type(value) in (int, str) else ""
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise InvalidGridError(f"the value {text[:20]!r} of a constraint is not 0 to 999")
    return int(text)


def is_missing(value: object) -> bool:
    """Return whether the value of an entry is missing, so that the entry is ignored."""
    return value is None or value in ("", [])


def iterate_lines(entry: Entry, size: int) -> Iterator[tuple[int, ...]]:
    """Yield the lines of an entry as numbers of cells; one empty line if it has none."""
    lines = entry.get("lines")
    lines = [[]] if lines == [] else lines
    if not isinstance(lines, list):
        raise InvalidGridError("a line of an f-puzzles puzzle is damaged")
    yield from (number_cells(line, size) for line in lines)


def make_list_form(
    key: str,
    read: Callable[[Entry, int], Iterable[Constraint | None]],
    write: Callable[[Constraint, int], Entry | None],
) -> EntryForm:
    """Return the form of a key with a list of entries, each of one or more constraints.

    `read` yields None for an empty entry.
    """

    def read_entries(value: object, size: int) -> Iterator[Constraint | None]:
        for entry in list_entries(value):
            yield from read(entry, size)

    def write_entries(constraints: Sequence[Constraint], size: int) -> list[Entry] | None:
        entries = [write(constraint, size) for constraint in constraints]
        return None if None in entries else [entry for entry in entries if entry]

    return EntryForm(key, read_entries, write_entries)


def make_group_form(key: str, name: str, *, default: int = 0) -> EntryForm:
    """Return the form of entries with cells and a value; a missing value becomes `default`."""

    def read_entry(entry: Entry, size: int) -> Iterator[Constraint | None]:
        cells, value = number_cells(entry.get("cells"), size), entry.get("value") or default
        yield Constraint(name, cells, parse_number(value)) if cells else None

    def write_entry(constraint: Constraint, size: int) -> Entry:
        value = {"value": str(constraint.value)} if constraint.value else {}
        return {"cells": list_cell_names(constraint.cells, size), **value}

    return make_list_form(key, read_entry, write_entry)


def make_line_form(name: str, *, default: int = 0, min_length: int = 2) -> EntryForm:
    """Return the form of entries with lines, whose key is the name of the kind.

    A line of fewer than `min_length` cells is ignored.
    """

    def read_entry(entry: Entry, size: int) -> Iterator[Constraint | None]:
        value = parse_number(entry.get("value") or default) if default else 0
        for line in iterate_lines(entry, size):
            yield Constraint(name, line, value) if len(line) >= min_length else None

    def write_entry(constraint: Constraint, size: int) -> Entry:
        value = {"value": str(constraint.value)} if constraint.value else {}
        return {"lines": [list_cell_names(constraint.cells, size)], **value}

    return make_list_form(name, read_entry, write_entry)


def make_cell_form(name: str) -> EntryForm:
    """Return the form of entries with one cell, whose key is the name of the kind."""
    return make_list_form(
        name,
        lambda entry, size: [Constraint(name, number_cells([entry.get("cell")], size))],
        lambda constraint, size: {"cell": list_cell_names(constraint.cells, size)[0]},
    )


def make_flag_form(key: str, name: str) -> EntryForm:
    """Return the form of a rule for the whole board that is on or off."""
    return EntryForm(key, lambda value, _: [Constraint(name)] if value else [], lambda *_: True)
