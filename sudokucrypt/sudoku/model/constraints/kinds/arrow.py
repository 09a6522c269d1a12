"""Arrows: the digits of the shaft add up to the number in the circle or pill at its start."""

from collections.abc import Iterator, Sequence

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    Constraint,
    ConstraintKind,
    Sheet,
    on_own,
)
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    each,
    lines_of,
    names_of,
    numbers_of,
)
from sudokucrypt.sudoku.model.constraints.marks import GRAY, WHITE, Mark, Stroke, middles
from sudokucrypt.sudoku.model.constraints.relations import Relation, total_of

_LONGEST_PILL = 3


def _number(digits: Sequence[int]) -> int:
    """Return the number that the digits of a pill are, in decimal."""
    return sum(digit * 10**place for place, digit in enumerate(reversed(digits)))


def _relations(it: Constraint, _: Sheet) -> Iterator[Relation]:
    head = it.value
    places = [10**position for position in range(head)][::-1]
    yield total_of(it.cells, 0, [*places, *[-1] * (len(it.cells) - head)])


def _marks(it: Constraint, sheet: Sheet) -> Iterator[Mark]:
    points = middles([sheet.cells[cell] for cell in it.cells])
    head, tail = points[: it.value], points[it.value - 1 :]
    (row, column), (last_row, last_column) = tail[-2:]
    down, right = last_row - row, last_column - column
    length = max(1.0, (down * down + right * right) ** 0.5) * 4
    yield Stroke(tail, 0.08, GRAY)
    for turn in (-1, 1):
        barb = (
            last_row - (down + turn * right) / length,
            last_column - (right - turn * down) / length,
        )
        yield Stroke((barb, tail[-1]), 0.08, GRAY)
    yield Stroke(head, 0.86, GRAY)
    yield Stroke(head, 0.72, WHITE)


def _read(entry: Entry, size: int) -> Iterator[Constraint]:
    head = numbers_of(entry.get("cells"), size)
    for line in lines_of(entry, size):
        if line[:1] and line[0] not in head:
            raise InvalidGridError("an arrow of an f-puzzles puzzle does not start in its circle")
        yield Constraint("arrow", (*head, *line[1:]), len(head))


def _write(it: Constraint, size: int) -> Entry:
    names = names_of(it.cells, size)
    return {"cells": names[: it.value], "lines": [names[it.value - 1 :]]}


CONSTRAINTS.register(
    ConstraintKind(
        name="arrow",
        sentence=lambda it, names: (
            f"{' '.join(names[it.value :])} sum to {' '.join(names[: it.value])}."
        ),
        legend="Digits along an arrow sum to the number at its start.",
        relations=_relations,
        holds=on_own(lambda it, digits: _number(digits[: it.value]) == sum(digits[it.value :])),
        values=range(1, 1 + _LONGEST_PILL),
        fits=lambda it, _: it.value < len(it.cells),
        marks=_marks,
        entry=each("arrow", _read, _write),
    )
)
