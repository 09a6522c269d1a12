"""Sums of any cells, digits twice allowed, such as those along the diagonals of little killers."""

from collections.abc import Iterator

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    SUMS,
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
    position_of,
)
from sudokucrypt.sudoku.model.constraints.marks import INK, Label, Mark, MarkStroke
from sudokucrypt.sudoku.model.constraints.relations import total_of

_DIRECTIONS = {"UL": (-1, -1), "UR": (-1, 1), "DL": (1, -1), "DR": (1, 1)}


def _diagonal(name: str, direction: object, size: int) -> list[str]:
    """Return the cells that an arrow beside the grid points at."""
    if not isinstance(direction, str) or direction not in _DIRECTIONS:
        raise InvalidGridError("a little killer of f-puzzles points to UL, UR, DL or DR")
    row, column = position_of(name)
    down, right = _DIRECTIONS[direction]
    steps = ((row + n * down, column + n * right) for n in range(1, size + 1))
    return [f"R{r}C{c}" for r, c in steps if 1 <= r <= size and 1 <= c <= size]


def _read(entry: Entry, size: int) -> Iterator[Constraint | None]:
    names = entry.get("cells") or _diagonal(entry.get("cell", ""), entry.get("direction"), size)
    cells, value = numbers_of(names, size), entry.get("value")
    yield None if is_missing(value) else Constraint("sum", cells, number_of(value))


def _write(it: Constraint, size: int) -> Entry:
    names = names_of(it.cells, size)
    row, column = position_of(names[0])
    entry = {"cells": names, "value": str(it.value)}
    for direction, (down, right) in _DIRECTIONS.items():
        clue = row - down, column - right
        outside = not all(0 < side <= size for side in clue)
        cell = f"R{clue[0]}C{clue[1]}"
        if outside and _diagonal(cell, direction, size) == names:
            return {"cell": cell, "direction": direction, **entry}
    return entry  # of other cells than a diagonal, which f-puzzles keeps but does not draw


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    (row, column), *others = (sheet.cells[cell] for cell in it.cells)
    down, right = (others[0][0] - row, others[0][1] - column) if others else (1, 1)
    middle = row + 0.5 - 0.8 * down, column + 0.5 - 0.8 * right
    yield Label(middle, 0.36, str(it.value))
    ends = ((middle[0] + n * down, middle[1] + n * right) for n in (0.24, 0.42))
    yield MarkStroke(tuple(ends), 0.06, INK)


CONSTRAINTS.register(
    ConstraintKind(
        name="sum",
        sentence=lambda it, names: f"{' '.join(names)} sum to {it.value}.",
        legend="Arrows beside the grid point along cells that sum to their number.",
        relations=lambda it, _: [total_of(it.cells, it.value)],
        holds=on_own(lambda it, digits: sum(digits) == it.value),
        sizes=range(1, 257),
        values=SUMS,
        marks=_marks,
        entry=each("littlekillersum", _read, _write),
    )
)
