"""Arrows: the digits of the shaft add up to the number in the circle or pill at its start."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
    on_own,
)
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    each,
    lines_of,
    names_of,
    numbers_of,
)
from sudokucrypt.sudoku.model.constraints.marks import DARK, WHITE, Mark, MarkStroke, middles
from sudokucrypt.sudoku.model.constraints.relations import Relation, automaton, total_of

_LONGEST_PILL = 3
_MOST_DIGITS = 9  # beyond, there are too many ways to a sum


def _number(digits: Sequence[int]) -> int:
    """Return the number that the digits of a pill are, in decimal."""
    return sum(digit * 10**power for power, digit in enumerate(reversed(digits)))


@lru_cache(maxsize=1024)
def _table(digits: int, near: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Return an automaton that reads the shaft and then a circle.

    `near` has for each cell of the shaft those before it from which it must differ. A state is how
    many cells were read, their sum, and the digits that matter to later cells, 0 for others.
    """
    length = len(near)
    lasting = [{n for cells in near[at + 1 :] for n in cells} for at in range(length)]

    def step(state: tuple[int, int, tuple[int, ...]], digit: int) -> object:
        at, total, seen = state
        if at == length:
            return (length + 1, 0, ()) if digit == total else None
        grown = total + digit
        if at > length or grown > digits or digit in {seen[n] for n in near[at]}:
            return None
        kept = (d if n in lasting[at] else 0 for n, d in enumerate((*seen, digit)))
        return at + 1, grown, tuple(kept)

    return automaton(digits, (0, 0, ()), step, lambda state: state[0] > length)


def _relations(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Relation]:
    head, shaft = it.value, it.cells[it.value :]
    if head == 1 and sheet.digits <= _MOST_DIGITS:
        peers = [{*sheet.peers(cell).tolist()} for cell in shaft]
        near = (tuple(n for n in range(at) if shaft[n] in peers[at]) for at in range(len(shaft)))
        yield Relation(3, (*shaft, it.cells[0]), _table(sheet.digits, tuple(near)))
    else:
        weights = [10**position for position in range(head)][::-1]
        yield total_of(it.cells, 0, [*weights, *[-1] * len(shaft)])


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    points = middles([sheet.cells[cell] for cell in it.cells])
    head, tail = points[: it.value], points[it.value - 1 :]
    (row, column), (last_row, last_column) = tail[-2:]
    down, right = last_row - row, last_column - column
    length = max(1.0, (down * down + right * right) ** 0.5) * 4
    yield MarkStroke(tail, 0.08, DARK)
    for turn in (-1, 1):
        barb = (
            last_row - (down + turn * right) / length,
            last_column - (right - turn * down) / length,
        )
        yield MarkStroke((barb, tail[-1]), 0.08, DARK)
    yield MarkStroke(head, 0.86, DARK)
    yield MarkStroke(head, 0.72, WHITE)


def _read(entry: Entry, size: int) -> Iterator[Constraint | None]:
    head = numbers_of(entry.get("cells"), size)
    for line in lines_of(entry, size):
        if line[:1] and line[0] not in head:
            raise InvalidGridError("an arrow of an f-puzzles puzzle does not start in its circle")
        yield Constraint("arrow", (*head, *line[1:]), len(head)) if line[1:] else None


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
