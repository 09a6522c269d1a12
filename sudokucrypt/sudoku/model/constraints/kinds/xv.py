"""XV: two neighbours add up to 10 or 5; and what the absence of both says."""

from collections.abc import Iterator

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS, ConstrainedSheet, Constraint
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    each,
    flag,
    is_missing,
    names_of,
    numbers_of,
)
from sudokucrypt.sudoku.model.constraints.marks import WHITE, Label, Mark, MarkStroke, between
from sudokucrypt.sudoku.model.constraints.paired import paired, unmarked

_TOTALS = {"V": 5, "X": 10}


def _read(entry: Entry, size: int) -> Iterator[Constraint | None]:
    letter = entry.get("value")
    if is_missing(letter):
        yield None
        return
    if not isinstance(letter, str) or letter.upper() not in _TOTALS:
        raise InvalidGridError("an XV clue of f-puzzles is X or V")
    yield Constraint("xv", numbers_of(entry.get("cells"), size), _TOTALS[letter.upper()])


def _write(it: Constraint, size: int) -> Entry:
    return {"cells": names_of(it.cells, size), "value": "X" if it.value == _TOTALS["X"] else "V"}


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    one, other = (sheet.cells[cell] for cell in it.cells)
    yield MarkStroke((between(one, other),), 0.34, WHITE)
    yield Label(between(one, other), 0.34, "X" if it.value == _TOTALS["X"] else "V")


CONSTRAINTS.register(
    paired(
        lambda value: lambda a, b: a + b == value,
        name="xv",
        sentence=lambda it, names: f"{' '.join(names)} sum to {it.value}.",
        legend="Digits beside an X sum to 10, beside a V to 5.",
        sizes=range(2, 3),
        values=range(5, 11, 5),
        marks=_marks,
        entry=each("xv", _read, _write),
    )
)
CONSTRAINTS.register(
    paired(
        lambda _: lambda a, b: a + b not in _TOTALS.values(),
        unmarked("xv"),
        name="negative-xv",
        sentence=lambda *_: "Neighbors without X or V do not sum to 10 or 5.",
        sizes=range(1),
        entry=flag("negative xv", "negative-xv"),
    )
)
