"""Quadruples: the digits in a circle stand in the cells around it, each as often as shown."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

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
    is_missing,
    names_of,
    number_of,
    numbers_of,
)
from sudokucrypt.sudoku.model.constraints.marks import Label, Mark, between, ring
from sudokucrypt.sudoku.model.constraints.relations import Relation, automaton


@lru_cache(maxsize=256)
def _table(digits: int, clues: tuple[int, ...]) -> tuple[int, ...]:
    """Return an automaton whose states are the clues that are still missing."""

    def step(missing: Any, digit: int) -> Any:
        if digit not in missing:
            return missing
        at = missing.index(digit)
        return (*missing[:at], *missing[at + 1 :])

    return automaton(digits, tuple(sorted(clues)), step, lambda missing: not missing)


def _fits(it: Constraint, sheet: ConstrainedSheet) -> bool:
    rows, columns = zip(*(sheet.cells[cell] for cell in it.cells), strict=True)
    near = max(rows) - min(rows) == 1 == max(columns) - min(columns)
    return near and 0 < len(it.clues) <= 4 and all(1 <= d <= sheet.digits for d in it.clues)


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    positions = sorted(sheet.cells[cell] for cell in it.cells)
    middle = between(positions[0], positions[-1])
    yield from ring(middle, size=0.6)
    half = (len(it.clues) + 1) // 2
    rows = [it.clues] if len(it.clues) < 3 else [it.clues[:half], it.clues[half:]]
    for row, clues in enumerate(rows):
        height = middle[0] + 0.22 * (row - (len(rows) - 1) / 2)
        yield Label((height, middle[1]), 0.24, " ".join(map(str, clues)))


def _read(entry: Entry, size: int) -> Iterator[Constraint | None]:
    values = entry.get("values")
    clues = tuple(number_of(value) for value in values) if isinstance(values, list) else ()
    cells = numbers_of(entry.get("cells"), size)
    yield None if is_missing(values) else Constraint("quadruple", cells, clues=clues)


def _write(it: Constraint, size: int) -> Entry:
    return {"cells": names_of(it.cells, size), "values": [*it.clues]}


CONSTRAINTS.register(
    ConstraintKind(
        name="quadruple",
        sentence=lambda it, names: f"{' '.join(names)} hold {' '.join(map(str, it.clues))}.",
        legend="The digits in a circle stand in the four cells around it.",
        relations=lambda it, sheet: [Relation(3, it.cells, _table(sheet.digits, it.clues))],
        holds=on_own(lambda it, digits: Counter(it.clues) <= Counter(digits)),
        sizes=range(4, 5),
        fits=_fits,
        marks=_marks,
        entry=each("quadruple", _read, _write),
    )
)
