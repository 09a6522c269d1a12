"""Sandwiches: the digits between the lowest and the highest digit of a line add up to a sum."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

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
    is_missing,
    number_of,
    position_of,
)
from sudokucrypt.sudoku.model.constraints.marks import Label, Mark
from sudokucrypt.sudoku.model.constraints.relations import Relation, automaton

# States that no sum between the outer digits can be.
_BEFORE, _AFTER = -1, -2


@lru_cache(maxsize=256)
def _table(digits: int, total: int) -> tuple[int, ...]:
    """Return an automaton whose states are the sums between the two, or before or after them."""

    def step(state: Any, digit: int) -> Any:
        if digit in (1, digits):
            after = {_BEFORE: 0, total: _AFTER}
            return after.get(state)
        grown = state + digit if state >= 0 else state
        return grown if grown <= total else None

    return automaton(digits, _BEFORE, step, lambda state: state == _AFTER)


def _holds(it: Constraint, digits: list[int]) -> bool:
    start, stop = sorted((digits.index(1), digits.index(len(digits))))
    return sum(digits[start + 1 : stop]) == it.value


def _lines(size: int) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return the rows and columns of a board, and where before them a clue stands, from 1."""
    every = range(size)
    rows = {tuple(n * size + m for m in every): (n + 1, 0) for n in every}
    return rows | {tuple(m * size + n for m in every): (0, n + 1) for n in every}


def _read(entry: Entry, size: int) -> Iterator[Constraint | None]:
    row, column = position_of(entry.get("cell"))
    outside = (row % (size + 1) == 0, column % (size + 1) == 0)
    clue = (0 if outside[0] else row, 0 if outside[1] else column)
    line = next((cells for cells, at in _lines(size).items() if at == clue), None)
    if line is None or max(row, column) > size + 1 or outside == (True, True):
        raise InvalidGridError("a sandwich of an f-puzzles puzzle is not beside a row or column")
    value = entry.get("value")
    yield None if is_missing(value) else Constraint("sandwich", line, number_of(value))


def _write(it: Constraint, size: int) -> Entry | None:
    at = _lines(size).get(it.cells)
    return {"cell": f"R{at[0]}C{at[1]}", "value": str(it.value)} if at else None


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    (row, column), (below, _) = (sheet.cells[cell] for cell in it.cells[:2])
    point = (row - 0.35, column + 0.5) if below > row else (row + 0.5, column - 0.4)
    yield Label(point, 0.36, str(it.value))


CONSTRAINTS.register(
    ConstraintKind(
        name="sandwich",
        sentence=lambda it, names: (
            f"Between the lowest and the highest digit of {names[0]} to {names[-1]} the sum is "
            f"{it.value}."
        ),
        legend="A number beside a line is the sum between its lowest and its highest digit.",
        relations=lambda it, sheet: [Relation(3, it.cells, _table(sheet.digits, it.value))],
        holds=on_own(_holds),
        values=range(1000),
        fits=lambda it, sheet: len(it.cells) == sheet.digits,
        distinct=True,
        marks=_marks,
        entry=each("sandwichsum", _read, _write),
    )
)
