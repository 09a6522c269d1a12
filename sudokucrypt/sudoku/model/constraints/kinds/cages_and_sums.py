"""Constraints that are sums: killer cages, little killers, sandwiches."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    SUMS,
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
    test_own_digits,
)
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    each,
    is_missing,
    make_group_form,
    names_of,
    number_cells,
    parse_number,
    parse_position,
)
from sudokucrypt.sudoku.model.constraints.marks import BLUE, INK, Label, Mark, MarkStroke, outline
from sudokucrypt.sudoku.model.constraints.relations import (
    Relation,
    automaton,
    list_sets,
    relate_total,
)

# Killer cages: a sum, and no digit twice; without a sum the latter alone.


def _relate_killer(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Relation]:
    if it.value:  # the cage is a house too, in which no digit stands twice
        yield Relation(1, it.cells, list_sets(sheet.digits, len(it.cells), it.value))
        yield relate_total(it.cells, it.value)


def _tell_killer(it: Constraint, names: list[str]) -> str:
    cells = " ".join(names)
    return f"{cells} sum to {it.value}, no digit twice." if it.value else f"{cells} all differ."


def _mark_killer(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    positions = [sheet.cells[cell] for cell in it.cells]
    yield from outline(positions, color=BLUE)
    row, column = min(positions)
    if it.value:
        yield Label((row + 0.2, column + 0.24), 0.24, str(it.value))


CONSTRAINTS.register(
    ConstraintKind(
        name="killer",
        sentence=_tell_killer,
        legend="Cages sum to their number, no digit twice.",
        relations=_relate_killer,
        holds=test_own_digits(
            lambda it, digits: it.value in (0, sum(digits)) and len({*digits}) == len(digits)
        ),
        sizes=range(1, 65),
        values=range(1000),
        distinct=True,
        marks=_mark_killer,
        entry=make_group_form("killercage", "killer"),
    )
)


# Sums of any cells, digits twice allowed, such as those along the diagonals of little killers.

_DIRECTIONS = {"UL": (-1, -1), "UR": (-1, 1), "DL": (1, -1), "DR": (1, 1)}


def _list_diagonal(name: str, direction: object, size: int) -> list[str]:
    """Return the cells that an arrow beside the grid points at."""
    if not isinstance(direction, str) or direction not in _DIRECTIONS:
        raise InvalidGridError("a little killer of f-puzzles points to UL, UR, DL or DR")
    row, column = parse_position(name)
    down, right = _DIRECTIONS[direction]
    steps = ((row + n * down, column + n * right) for n in range(1, size + 1))
    return [f"R{r}C{c}" for r, c in steps if 1 <= r <= size and 1 <= c <= size]


def _read_little_killer(entry: Entry, size: int) -> Iterator[Constraint | None]:
    names = entry.get("cells") or _list_diagonal(
        entry.get("cell", ""), entry.get("direction"), size
    )
    cells, value = number_cells(names, size), entry.get("value")
    yield None if is_missing(value) else Constraint("sum", cells, parse_number(value))


def _write_little_killer(it: Constraint, size: int) -> Entry:
    names = names_of(it.cells, size)
    row, column = parse_position(names[0])
    entry = {"cells": names, "value": str(it.value)}
    for direction, (down, right) in _DIRECTIONS.items():
        clue = row - down, column - right
        outside = not all(0 < side <= size for side in clue)
        cell = f"R{clue[0]}C{clue[1]}"
        if outside and _list_diagonal(cell, direction, size) == names:
            return {"cell": cell, "direction": direction, **entry}
    return entry  # of other cells than a diagonal, which f-puzzles keeps but does not draw


def _mark_little_killer(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
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
        relations=lambda it, _: [relate_total(it.cells, it.value)],
        holds=test_own_digits(lambda it, digits: sum(digits) == it.value),
        sizes=range(1, 257),
        values=SUMS,
        marks=_mark_little_killer,
        entry=each("littlekillersum", _read_little_killer, _write_little_killer),
    )
)


# Sandwiches: the digits between the lowest and the highest digit of a line add up to a sum.

# States that no sum between the outer digits can be.
_BEFORE, _AFTER = -1, -2


@lru_cache(maxsize=256)
def _build_sandwich_automaton(digits: int, total: int) -> tuple[int, ...]:
    """Return an automaton whose states are the sums between the two, or before or after them."""

    def step(state: Any, digit: int) -> Any:
        if digit in (1, digits):
            after = {_BEFORE: 0, total: _AFTER}
            return after.get(state)
        grown = state + digit if state >= 0 else state
        return grown if grown <= total else None

    return automaton(digits, _BEFORE, step, lambda state: state == _AFTER)


def _holds_sandwich(it: Constraint, digits: list[int]) -> bool:
    start, stop = sorted((digits.index(1), digits.index(len(digits))))
    return sum(digits[start + 1 : stop]) == it.value


def _list_clues(size: int) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return the rows and columns of a board, and where before them a clue stands, from 1."""
    every = range(size)
    rows = {tuple(n * size + m for m in every): (n + 1, 0) for n in every}
    return rows | {tuple(m * size + n for m in every): (0, n + 1) for n in every}


def _read_sandwich(entry: Entry, size: int) -> Iterator[Constraint | None]:
    row, column = parse_position(entry.get("cell"))
    outside = (row % (size + 1) == 0, column % (size + 1) == 0)
    clue = (0 if outside[0] else row, 0 if outside[1] else column)
    line = next((cells for cells, at in _list_clues(size).items() if at == clue), None)
    if line is None or max(row, column) > size + 1 or outside == (True, True):
        raise InvalidGridError("a sandwich of an f-puzzles puzzle is not beside a row or column")
    value = entry.get("value")
    yield None if is_missing(value) else Constraint("sandwich", line, parse_number(value))


def _write_sandwich(it: Constraint, size: int) -> Entry | None:
    at = _list_clues(size).get(it.cells)
    return {"cell": f"R{at[0]}C{at[1]}", "value": str(it.value)} if at else None


def _mark_sandwich(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
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
        relations=lambda it, sheet: [
            Relation(3, it.cells, _build_sandwich_automaton(sheet.digits, it.value))
        ],
        holds=test_own_digits(_holds_sandwich),
        values=range(1000),
        fits=lambda it, sheet: len(it.cells) == sheet.digits,
        distinct=True,
        marks=_mark_sandwich,
        entry=each("sandwichsum", _read_sandwich, _write_sandwich),
    )
)
