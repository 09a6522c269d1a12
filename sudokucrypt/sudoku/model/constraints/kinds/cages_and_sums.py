"""Constraints that are sums: killer cages, little killers, sandwiches."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    SUM_VALUES,
    ConstrainedGrid,
    Constraint,
    ConstraintKind,
    make_digits_test,
)
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    is_missing,
    list_cell_names,
    make_group_form,
    make_list_form,
    number_cells,
    parse_number,
    parse_position,
)
from sudokucrypt.sudoku.model.constraints.marks import (
    BLUE,
    INK,
    Label,
    Mark,
    MarkStroke,
    make_outline,
)
from sudokucrypt.sudoku.model.constraints.relations import (
    Relation,
    build_automaton,
    list_digit_sets,
    relate_total,
)

# Killer cages: the digits have a given sum and all differ; without a sum they only differ.


def _make_killer_relations(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Relation]:
    if constraint.value:  # the cage is also a house, so its digits differ
        yield Relation(
            1,
            constraint.cells,
            list_digit_sets(grid.digits, len(constraint.cells), constraint.value),
        )
        yield relate_total(constraint.cells, constraint.value)


def _describe_killer(constraint: Constraint, names: list[str]) -> str:
    cells = " ".join(names)
    return (
        f"{cells} sum to {constraint.value}, no digit twice."
        if constraint.value
        else f"{cells} all differ."
    )


def _mark_killer(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    positions = [grid.cells[cell] for cell in constraint.cells]
    yield from make_outline(positions, color=BLUE)
    row, column = min(positions)
    if constraint.value:
        yield Label((row + 0.2, column + 0.24), 0.24, str(constraint.value))


CONSTRAINTS.register(
    ConstraintKind(
        name="killer",
        sentence=_describe_killer,
        legend="Cages sum to their number, no digit twice.",
        relations=_make_killer_relations,
        holds=make_digits_test(
            lambda constraint, digits: (
                constraint.value in (0, sum(digits)) and len({*digits}) == len(digits)
            )
        ),
        sizes=range(1, 65),
        values=range(1000),
        distinct=True,
        marks=_mark_killer,
        entry=make_group_form("killercage", "killer"),
    )
)


# Sums of any cells, in which digits may repeat, such as the diagonals of little killers.

_DIRECTIONS = {"UL": (-1, -1), "UR": (-1, 1), "DL": (1, -1), "DR": (1, 1)}


def _list_diagonal(name: str, direction: object, size: int) -> list[str]:
    """Return the cells along the diagonal to which an arrow outside the grid points."""
    if not isinstance(direction, str) or direction not in _DIRECTIONS:
        raise InvalidGridError("the direction of an f-puzzles little killer is UL, UR, DL or DR")
    row, column = parse_position(name)
    row_step, column_step = _DIRECTIONS[direction]
    positions = ((row + n * row_step, column + n * column_step) for n in range(1, size + 1))
    return [f"R{r}C{c}" for r, c in positions if 1 <= r <= size and 1 <= c <= size]


def _read_little_killer(entry: Entry, size: int) -> Iterator[Constraint | None]:
    names = entry.get("cells") or _list_diagonal(
        entry.get("cell", ""), entry.get("direction"), size
    )
    cells, value = number_cells(names, size), entry.get("value")
    yield None if is_missing(value) else Constraint("sum", cells, parse_number(value))


def _write_little_killer(constraint: Constraint, size: int) -> Entry:
    names = list_cell_names(constraint.cells, size)
    row, column = parse_position(names[0])
    entry = {"cells": names, "value": str(constraint.value)}
    for direction, (row_step, column_step) in _DIRECTIONS.items():
        clue_position = row - row_step, column - column_step
        is_outside = not all(0 < coordinate <= size for coordinate in clue_position)
        cell = f"R{clue_position[0]}C{clue_position[1]}"
        if is_outside and _list_diagonal(cell, direction, size) == names:
            return {"cell": cell, "direction": direction, **entry}
    return entry  # the cells are no diagonal, so f-puzzles keeps but does not draw them


def _mark_little_killer(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    (row, column), *other_cells = (grid.cells[cell] for cell in constraint.cells)
    row_step, column_step = (
        (other_cells[0][0] - row, other_cells[0][1] - column) if other_cells else (1, 1)
    )
    middle = row + 0.5 - 0.8 * row_step, column + 0.5 - 0.8 * column_step
    yield Label(middle, 0.36, str(constraint.value))
    ends = ((middle[0] + n * row_step, middle[1] + n * column_step) for n in (0.24, 0.42))
    yield MarkStroke(tuple(ends), 0.06, INK)


CONSTRAINTS.register(
    ConstraintKind(
        name="sum",
        sentence=lambda constraint, names: f"{' '.join(names)} sum to {constraint.value}.",
        legend="Arrows beside the grid point along cells that sum to their number.",
        relations=lambda constraint, _: [relate_total(constraint.cells, constraint.value)],
        holds=make_digits_test(lambda constraint, digits: sum(digits) == constraint.value),
        sizes=range(1, 257),
        values=SUM_VALUES,
        marks=_mark_little_killer,
        entry=make_list_form("littlekillersum", _read_little_killer, _write_little_killer),
    )
)


# Sandwiches: the digits between the lowest and the highest digit of a line add up to a sum.

# The states before the first and after the second outer digit. They are negative, so that they
# differ from all sums.
_STATE_BEFORE_FIRST, _STATE_AFTER_SECOND = -1, -2


@lru_cache(maxsize=256)
def _build_sandwich_automaton(digits: int, total: int) -> tuple[int, ...]:
    """Return the automaton of a sandwich; its states are partial sums and two special states."""

    def find_next_state(state: Any, digit: int) -> Any:
        if digit in (1, digits):
            next_states = {_STATE_BEFORE_FIRST: 0, total: _STATE_AFTER_SECOND}
            return next_states.get(state)
        new_sum = state + digit if state >= 0 else state
        return new_sum if new_sum <= total else None

    return build_automaton(
        digits, _STATE_BEFORE_FIRST, find_next_state, lambda state: state == _STATE_AFTER_SECOND
    )


def _satisfies_sandwich(constraint: Constraint, digits: list[int]) -> bool:
    first, second = sorted((digits.index(1), digits.index(len(digits))))
    return sum(digits[first + 1 : second]) == constraint.value


def _map_clue_positions(size: int) -> dict[tuple[int, ...], tuple[int, int]]:
    """Map each row and column of a board to the position, counted from 1, of its clue."""
    indexes = range(size)
    rows = {tuple(n * size + m for m in indexes): (n + 1, 0) for n in indexes}
    return rows | {tuple(m * size + n for m in indexes): (0, n + 1) for n in indexes}


def _read_sandwich(entry: Entry, size: int) -> Iterator[Constraint | None]:
    row, column = parse_position(entry.get("cell"))
    is_outside = (row % (size + 1) == 0, column % (size + 1) == 0)
    clue_position = (0 if is_outside[0] else row, 0 if is_outside[1] else column)
    line = next(
        (
            cells
            for cells, position in _map_clue_positions(size).items()
            if position == clue_position
        ),
        None,
    )
    if line is None or max(row, column) > size + 1 or is_outside == (True, True):
        raise InvalidGridError("a sandwich of an f-puzzles puzzle is not next to a row or column")
    value = entry.get("value")
    yield None if is_missing(value) else Constraint("sandwich", line, parse_number(value))


def _write_sandwich(constraint: Constraint, size: int) -> Entry | None:
    position = _map_clue_positions(size).get(constraint.cells)
    return (
        {"cell": f"R{position[0]}C{position[1]}", "value": str(constraint.value)}
        if position
        else None
    )


def _mark_sandwich(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    (row, column), (next_row, _) = (grid.cells[cell] for cell in constraint.cells[:2])
    point = (row - 0.35, column + 0.5) if next_row > row else (row + 0.5, column - 0.4)
    yield Label(point, 0.36, str(constraint.value))


CONSTRAINTS.register(
    ConstraintKind(
        name="sandwich",
        sentence=lambda constraint, names: (
            f"Between the lowest and the highest digit of {names[0]} to {names[-1]} the sum is "
            f"{constraint.value}."
        ),
        legend="A number beside a line is the sum between its lowest and its highest digit.",
        relations=lambda constraint, grid: [
            Relation(3, constraint.cells, _build_sandwich_automaton(grid.digits, constraint.value))
        ],
        holds=make_digits_test(_satisfies_sandwich),
        values=range(1000),
        fits=lambda constraint, grid: len(constraint.cells) == grid.digits,
        distinct=True,
        marks=_mark_sandwich,
        entry=make_list_form("sandwichsum", _read_sandwich, _write_sandwich),
    )
)
