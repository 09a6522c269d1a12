"""Constraints along lines: arrows, between lines, palindromes, renban, thermometers, whispers."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedGrid,
    Constraint,
    ConstraintKind,
    make_digits_test,
    make_pair_kind,
)
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    iterate_lines,
    list_cell_names,
    make_line_form,
    make_list_form,
    number_cells,
)
from sudokucrypt.sudoku.model.constraints.marks import (
    DARK_GRAY,
    GRAY,
    WHITE,
    Mark,
    MarkStroke,
    get_centers,
    make_line,
    make_ring,
)
from sudokucrypt.sudoku.model.constraints.relations import (
    Relation,
    build_automaton,
    list_digit_sets,
    relate_total,
)

# Arrows: the digits of the shaft add up to the number in the circle or pill at its start.

_MAX_PILL_LENGTH = 3
_MAX_AUTOMATON_DIGITS = 9  # with more digits the automaton would have too many states


def _read_pill(digits: Sequence[int]) -> int:
    """Return the decimal number that the digits of a pill form."""
    return sum(digit * 10**power for power, digit in enumerate(reversed(digits)))


@lru_cache(maxsize=1024)
def _build_arrow_automaton(
    digits: int, earlier_peers: tuple[tuple[int, ...], ...]
) -> tuple[int, ...]:
    """Return an automaton that reads the shaft and then a circle.

    `earlier_peers` lists for each cell of the shaft the earlier cells from which it must differ. A
    state is the number of cells read, their sum, and their digits as far as later cells depend on
    them, otherwise 0.
    """
    length = len(earlier_peers)
    cells_needed_later = [
        {n for cells in earlier_peers[position + 1 :] for n in cells} for position in range(length)
    ]

    def find_next_state(state: tuple[int, int, tuple[int, ...]], digit: int) -> object:
        position, total, seen_digits = state
        if position == length:
            return (length + 1, 0, ()) if digit == total else None
        new_total = total + digit
        if (
            position > length
            or new_total > digits
            or digit in {seen_digits[n] for n in earlier_peers[position]}
        ):
            return None
        kept_digits = (
            d if n in cells_needed_later[position] else 0
            for n, d in enumerate((*seen_digits, digit))
        )
        return position + 1, new_total, tuple(kept_digits)

    return build_automaton(digits, (0, 0, ()), find_next_state, lambda state: state[0] > length)


def _make_arrow_relations(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Relation]:
    head_length, shaft = constraint.value, constraint.cells[constraint.value :]
    if head_length == 1 and grid.digits <= _MAX_AUTOMATON_DIGITS:
        peers = [{*grid.peers(cell).tolist()} for cell in shaft]
        earlier_peers = (
            tuple(n for n in range(position) if shaft[n] in peers[position])
            for position in range(len(shaft))
        )
        yield Relation(
            3,
            (*shaft, constraint.cells[0]),
            _build_arrow_automaton(grid.digits, tuple(earlier_peers)),
        )
    else:
        weights = [10**power for power in range(head_length)][::-1]
        yield relate_total(constraint.cells, 0, [*weights, *[-1] * len(shaft)])


def _mark_arrow(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    points = get_centers([grid.cells[cell] for cell in constraint.cells])
    head_points, tail_points = points[: constraint.value], points[constraint.value - 1 :]
    (row, column), (last_row, last_column) = tail_points[-2:]
    row_step, column_step = last_row - row, last_column - column
    length = max(1.0, (row_step * row_step + column_step * column_step) ** 0.5) * 4
    yield MarkStroke(tail_points, 0.08, DARK_GRAY)
    for side in (-1, 1):
        barb = (
            last_row - (row_step + side * column_step) / length,
            last_column - (column_step - side * row_step) / length,
        )
        yield MarkStroke((barb, tail_points[-1]), 0.08, DARK_GRAY)
    yield MarkStroke(head_points, 0.86, DARK_GRAY)
    yield MarkStroke(head_points, 0.72, WHITE)


def _read_arrow(entry: Entry, size: int) -> Iterator[Constraint | None]:
    head_cells = number_cells(entry.get("cells"), size)
    for cells in iterate_lines(entry, size):
        if cells[:1] and cells[0] not in head_cells:
            raise InvalidGridError("an arrow of an f-puzzles puzzle does not start in its circle")
        yield Constraint("arrow", (*head_cells, *cells[1:]), len(head_cells)) if cells[1:] else None


def _write_arrow(constraint: Constraint, size: int) -> Entry:
    names = list_cell_names(constraint.cells, size)
    return {"cells": names[: constraint.value], "lines": [names[constraint.value - 1 :]]}


CONSTRAINTS.register(
    ConstraintKind(
        name="arrow",
        sentence=lambda constraint, names: (
            f"{' '.join(names[constraint.value :])} sum to {' '.join(names[: constraint.value])}."
        ),
        legend="Digits along an arrow sum to the number at its start.",
        relations=_make_arrow_relations,
        holds=make_digits_test(
            lambda constraint, digits: (
                _read_pill(digits[: constraint.value]) == sum(digits[constraint.value :])
            )
        ),
        values=range(1, 1 + _MAX_PILL_LENGTH),
        fits=lambda constraint, _: constraint.value < len(constraint.cells),
        marks=_mark_arrow,
        entry=make_list_form("arrow", _read_arrow, _write_arrow),
    )
)


# Between lines: digits along a line lie strictly between the digits at its ends.


@lru_cache(maxsize=16)
def _build_between_line_automaton(digits: int) -> tuple[int, ...]:
    """Return an automaton that reads both ends first; its states are the sorted ends so far."""

    def find_next_ends(ends: Any, digit: int) -> Any:
        if len(ends) < 2:
            return tuple(sorted((*ends, digit)))
        return ends if ends[0] < digit < ends[1] else None

    return build_automaton(digits, (), find_next_ends, lambda ends: len(ends) == 2)


def _is_between_ends(_: Constraint, digits: list[int]) -> bool:
    low_digit, high_digit = sorted((digits[0], digits[-1]))
    return all(low_digit < digit < high_digit for digit in digits[1:-1])


def _mark_between_line(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    positions = [grid.cells[cell] for cell in constraint.cells]
    yield make_line(positions, width=0.1, color=GRAY)
    for point in get_centers([positions[0], positions[-1]]):
        yield from make_ring(point, size=0.8, color=GRAY)


CONSTRAINTS.register(
    ConstraintKind(
        name="betweenline",
        sentence=lambda _, names: (
            f"{' '.join(names[1:-1])} lie strictly between {names[0]} and {names[-1]}."
        ),
        legend="Digits on a line between two circles lie strictly between those in them.",
        relations=lambda constraint, grid: [
            Relation(
                3,
                (constraint.cells[0], constraint.cells[-1], *constraint.cells[1:-1]),
                _build_between_line_automaton(grid.digits),
            )
        ],
        holds=make_digits_test(_is_between_ends),
        sizes=range(3, 257),
        marks=_mark_between_line,
        entry=make_line_form("betweenline", min_length=3),
    )
)


# Palindromes: a line reads the same both ways.


def _iterate_mirrored_pairs(
    constraint: Constraint, _: ConstrainedGrid
) -> Iterator[tuple[int, int]]:
    half_length = len(constraint.cells) // 2
    return zip(constraint.cells[:half_length], constraint.cells[::-1][:half_length], strict=True)


CONSTRAINTS.register(
    make_pair_kind(
        lambda _: lambda a, b: a == b,
        _iterate_mirrored_pairs,
        name="palindrome",
        sentence=lambda _, names: f"{' '.join(names)} read the same both ways.",
        legend="Gray lines read the same both ways.",
        repeats=True,
        marks=lambda constraint, grid: [
            make_line([grid.cells[cell] for cell in constraint.cells], width=0.16, color=GRAY)
        ],
        entry=make_line_form("palindrome"),
    )
)


# Renban: the digits of a line are consecutive, in any order.

CONSTRAINTS.register(
    ConstraintKind(
        name="renban",
        sentence=lambda _, names: f"{' '.join(names)} are consecutive digits in any order.",
        legend="Purple lines hold consecutive digits in any order.",
        relations=lambda constraint, grid: [
            Relation(1, constraint.cells, list_digit_sets(grid.digits, len(constraint.cells), 0))
        ],
        holds=make_digits_test(lambda _, f: len({*f}) == len(f) == max(f) - min(f) + 1),
        sizes=range(1, 65),
        distinct=True,
        marks=lambda constraint, grid: [
            make_line([grid.cells[cell] for cell in constraint.cells], width=0.18, color="#d59be0")
        ],
        entry=make_line_form("renban", min_length=1),
    )
)


# Thermometers: digits rise from the bulb.


def _mark_thermometer(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    points = get_centers([grid.cells[cell] for cell in constraint.cells])
    yield MarkStroke(points[:1], 0.72, GRAY)
    yield MarkStroke(points, 0.3, GRAY)


CONSTRAINTS.register(
    make_pair_kind(
        lambda _: lambda a, b: a < b,
        name="thermometer",
        sentence=lambda _, names: f"Digits rise along {' '.join(names)}.",
        legend="Digits rise along thermometers from the bulb.",
        marks=_mark_thermometer,
        entry=make_line_form("thermometer"),
    )
)


# German whispers: neighbors along a line differ by at least a value, usually 5.

# The difference of whispers without a value in f-puzzles.
_DEFAULT_DIFFERENCE = 5

CONSTRAINTS.register(
    make_pair_kind(
        lambda value: lambda a, b: abs(a - b) >= value,
        name="whispers",
        sentence=lambda constraint, names: (
            f"Neighbors along {' '.join(names)} differ by {constraint.value} or more."
        ),
        legend="Neighbors along green lines differ by {value} or more.",
        values=range(1, 64),
        repeats=True,
        marks=lambda constraint, grid: [
            make_line([grid.cells[cell] for cell in constraint.cells], width=0.18, color="#7fc98b")
        ],
        entry=make_line_form("whispers", default=_DEFAULT_DIFFERENCE),
    )
)
