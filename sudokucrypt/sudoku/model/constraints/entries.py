"""Constraints in the JSON of f-puzzles, in which nothing is trusted."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import Constraint, EntryForm

_MOST_ENTRIES = 512  # as many as a board of 16 has neighbors, and some
_CELL = re.compile(r"[Rr]([0-9]{1,2})[Cc]([0-9]{1,2})")

Entry = dict[str, Any]


def list_entries(value: object) -> list[Entry]:
    """Return the entries of a constraint."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InvalidGridError("a constraint of an f-puzzles puzzle is damaged")
    if len(value) > _MOST_ENTRIES:
        raise InvalidGridError("an f-puzzles puzzle has too many constraints")
    return value


def position_of(name: object) -> tuple[int, int]:
    """Return row and column, from 1, of a cell such as R1C1, which may be beside the grid."""
    match = _CELL.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise InvalidGridError("a cell of an f-puzzles puzzle is not such as R1C1")
    return int(match[1]), int(match[2])


def numbers_of(names: object, size: int) -> tuple[int, ...]:
    """Return the numbers of cells, all of them on the board."""
    if not isinstance(names, list) or len(names) > size * size:
        raise InvalidGridError("a constraint of an f-puzzles puzzle lacks its cells")
    cells = [position_of(name) for name in names]
    if not all(1 <= row <= size and 1 <= column <= size for row, column in cells):
        raise InvalidGridError("a constraint of an f-puzzles puzzle has a cell outside the grid")
    return tuple((row - 1) * size + column - 1 for row, column in cells)


def names_of(cells: Iterable[int], size: int) -> list[str]:
    """Return the names of cells."""
    return [f"R{cell // size + 1}C{cell % size + 1}" for cell in cells]


def number_of(value: object) -> int:
    """Return a value that f-puzzles writes as a number or as text."""
    text = str(value) if type(value) in (int, str) else ""
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise InvalidGridError(f"the value {text[:20]!r} of a constraint is not 0 to 999")
    return int(text)


def is_missing(value: object) -> bool:
    """Return whether an entry was left without a value, so that it says nothing."""
    return value is None or value in ("", [])


def lines_of(entry: Entry, size: int) -> Iterator[tuple[int, ...]]:
    """Yield the lines of an entry; one empty line if there are none."""
    lines = entry.get("lines")
    lines = [[]] if lines == [] else lines
    if not isinstance(lines, list):
        raise InvalidGridError("a line of an f-puzzles puzzle is damaged")
    yield from (numbers_of(line, size) for line in lines)


def each(
    key: str,
    read: Callable[[Entry, int], Iterable[Constraint | None]],
    write: Callable[[Constraint, int], Entry | None],
) -> EntryForm:
    """Return the form of a key with a list of entries, one or more constraints to each.

    `read` yields None for what says nothing.
    """

    def read_all(value: object, size: int) -> Iterator[Constraint | None]:
        for entry in list_entries(value):
            yield from read(entry, size)

    def write_all(constraints: Sequence[Constraint], size: int) -> list[Entry] | None:
        entries = [write(it, size) for it in constraints]
        return None if None in entries else [entry for entry in entries if entry]

    return EntryForm(key, read_all, write_all)


def make_group_form(key: str, name: str, *, missing: int = 0) -> EntryForm:
    """Return the form of entries with cells and a value, which may be missing."""

    def read(entry: Entry, size: int) -> Iterator[Constraint | None]:
        cells, value = numbers_of(entry.get("cells"), size), entry.get("value") or missing
        yield Constraint(name, cells, number_of(value)) if cells else None

    def write(it: Constraint, size: int) -> Entry:
        value = {"value": str(it.value)} if it.value else {}
        return {"cells": names_of(it.cells, size), **value}

    return each(key, read, write)


def make_line_form(name: str, *, missing: int = 0, least: int = 2) -> EntryForm:
    """Return the form of entries with lines, under the name of the kind.

    A line of fewer than `least` cells says nothing.
    """

    def read(entry: Entry, size: int) -> Iterator[Constraint | None]:
        value = number_of(entry.get("value") or missing) if missing else 0
        for line in lines_of(entry, size):
            yield Constraint(name, line, value) if len(line) >= least else None

    def write(it: Constraint, size: int) -> Entry:
        value = {"value": str(it.value)} if it.value else {}
        return {"lines": [names_of(it.cells, size)], **value}

    return each(name, read, write)


def single(name: str) -> EntryForm:
    """Return the form of entries with one cell, under the name of the kind."""
    return each(
        name,
        lambda entry, size: [Constraint(name, numbers_of([entry.get("cell")], size))],
        lambda it, size: {"cell": names_of(it.cells, size)[0]},
    )


def flag(key: str, name: str) -> EntryForm:
    """Return the form of a rule for the whole board that is on or off."""
    return EntryForm(key, lambda value, _: [Constraint(name)] if value else [], lambda *_: True)
