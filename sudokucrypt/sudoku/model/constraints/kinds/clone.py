"""Clones: a group of cells holds the same digits as another one of the same form."""

from collections.abc import Iterator

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS, ConstrainedSheet, Constraint
from sudokucrypt.sudoku.model.constraints.entries import Entry, each, names_of, numbers_of
from sudokucrypt.sudoku.model.constraints.marks import GRAY, Label, Mark, square
from sudokucrypt.sudoku.model.constraints.paired import paired


def _halves(it: Constraint, _: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    half = len(it.cells) // 2
    return zip(it.cells[:half], it.cells[half:], strict=True)


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    clones = [other for other in sheet.constraints if other.kind == "clone"]
    letter = chr(ord("a") + clones.index(it) % 26)
    for cell in dict.fromkeys(it.cells):
        row, column = sheet.cells[cell]
        yield square((row, column), color=GRAY)
        yield Label((row + 0.22, column + 0.22), 0.2, letter)


def _read(entry: Entry, size: int) -> Iterator[Constraint | None]:
    one, other = (numbers_of(entry.get(key), size) for key in ("cells", "cloneCells"))
    if len(one) != len(other):
        raise InvalidGridError("a clone of f-puzzles has more or fewer cells than its original")
    yield Constraint("clone", (*one, *other)) if one else None


def _write(it: Constraint, size: int) -> Entry:
    names, half = names_of(it.cells, size), len(it.cells) // 2
    return {"cells": names[:half], "cloneCells": names[half:]}


CONSTRAINTS.register(
    paired(
        lambda _: lambda a, b: a == b,
        _halves,
        name="clone",
        sentence=lambda _, names: (
            f"{' '.join(names[len(names) // 2 :])} hold the digits of "
            f"{' '.join(names[: len(names) // 2])} in this order."
        ),
        legend="Gray cells with one letter hold the same digits in the same places.",
        sizes=range(2, 257, 2),
        repeats=True,
        marks=_marks,
        entry=each("clone", _read, _write),
    )
)
