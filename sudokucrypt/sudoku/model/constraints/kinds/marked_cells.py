"""Constraints of marked cells: clones, dots, extremes, odd and even cells, quadruples, XV."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedGrid,
    Constraint,
    ConstraintKind,
    list_neighbor_pairs,
    make_digits_test,
    make_pair_kind,
    make_unmarked_pair_lister,
)
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    is_missing,
    list_cell_names,
    make_cell_form,
    make_flag_form,
    make_group_form,
    make_list_form,
    number_cells,
    parse_number,
)
from sudokucrypt.sudoku.model.constraints.marks import (
    GRAY,
    INK,
    WHITE,
    Label,
    Mark,
    MarkStroke,
    get_centers,
    get_midpoint,
    make_ring,
    make_square,
)
from sudokucrypt.sudoku.model.constraints.relations import (
    Relation,
    build_automaton,
    make_pair_table,
)

# Clones: two groups of cells of the same shape contain the same digits in the same places.


def _iterate_half_pairs(constraint: Constraint, _: ConstrainedGrid) -> Iterator[tuple[int, int]]:
    half_length = len(constraint.cells) // 2
    return zip(constraint.cells[:half_length], constraint.cells[half_length:], strict=True)


def _mark_clone(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    clones = [other for other in grid.constraints if other.kind == "clone"]
    letter = chr(ord("a") + clones.index(constraint) % 26)
    for cell in dict.fromkeys(constraint.cells):
        row, column = grid.cells[cell]
        yield make_square((row, column), color=GRAY)
        yield Label((row + 0.22, column + 0.22), 0.2, letter)


def _read_clone(entry: Entry, size: int) -> Iterator[Constraint | None]:
    cells, clone_cells = (number_cells(entry.get(key), size) for key in ("cells", "cloneCells"))
    if len(cells) != len(clone_cells):
        raise InvalidGridError("a clone of f-puzzles has more or fewer cells than its original")
    yield Constraint("clone", (*cells, *clone_cells)) if cells else None


def _write_clone(constraint: Constraint, size: int) -> Entry:
    names, half_length = list_cell_names(constraint.cells, size), len(constraint.cells) // 2
    return {"cells": names[:half_length], "cloneCells": names[half_length:]}


CONSTRAINTS.register(
    make_pair_kind(
        lambda _: lambda a, b: a == b,
        _iterate_half_pairs,
        name="clone",
        sentence=lambda _, names: (
            f"{' '.join(names[len(names) // 2 :])} hold the digits of "
            f"{' '.join(names[: len(names) // 2])} in this order."
        ),
        legend="Gray cells with one letter hold the same digits in the same places.",
        sizes=range(2, 257, 2),
        repeats=True,
        marks=_mark_clone,
        entry=make_list_form("clone", _read_clone, _write_clone),
    )
)


# Kropki dots: a white dot marks a difference of two digits, and a black dot marks a ratio. A rule
# may forbid these differences or ratios between neighbors without a dot.

_TWO_CELLS = range(2, 3)
_list_undotted_pairs = make_unmarked_pair_lister("difference", "ratio")


def _make_dot_marker(
    color: str, default: int
) -> Callable[[Constraint, ConstrainedGrid], Iterator[Mark]]:
    """Return a function that draws a dot, with its value if that is not the usual one."""

    def make_marks(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
        first, second = (grid.cells[cell] for cell in constraint.cells)
        shows_value = constraint.value != default
        yield from make_ring(
            get_midpoint(first, second),
            size=0.34 if shows_value else 0.26,
            fill=WHITE if shows_value else color,
        )
        if shows_value:
            text = f"1:{constraint.value}" if color == INK else str(constraint.value)
            yield Label(get_midpoint(first, second), 0.2, text)

    return make_marks


def _register_dot(name: str, **options: Any) -> None:
    CONSTRAINTS.register(make_pair_kind(name=name, **options))


_register_dot(
    "difference",
    choose_test=lambda value: lambda a, b: abs(a - b) == value,
    sentence=lambda constraint, names: f"{' '.join(names)} differ by {constraint.value}.",
    legend="Digits beside a white dot differ by 1, or by its number.",
    sizes=_TWO_CELLS, values=range(1, 64),
    marks=_make_dot_marker(WHITE, 1), entry=make_group_form("difference", "difference", default=1),
)  # fmt: skip
_register_dot(
    "ratio",
    choose_test=lambda value: lambda a, b: a == value * b or b == value * a,
    sentence=lambda constraint, names: f"{' '.join(names)} have the ratio 1:{constraint.value}.",
    legend="Of digits beside a black dot one is twice the other, or as a ratio says.",
    sizes=_TWO_CELLS, values=range(1, 64),
    marks=_make_dot_marker(INK, 2), entry=make_group_form("ratio", "ratio", default=2),
)  # fmt: skip
_register_dot(
    "nonconsecutive",
    choose_test=lambda _: lambda a, b: abs(a - b) != 1,
    pairs=_list_undotted_pairs,
    sentence=lambda *_: "Neighbors without a dot do not differ by 1.",
    sizes=range(1), entry=make_flag_form("nonconsecutive", "nonconsecutive"),
)  # fmt: skip


@lru_cache(maxsize=64)
def _make_no_ratio_test(values: frozenset[int]) -> Callable[[int, int], bool]:
    return lambda a, b: all(a != value * b and b != value * a for value in values)


def _find_excluded_ratios(grid: ConstrainedGrid) -> frozenset[int]:
    """Return the ratios that a missing dot excludes: 2, and the ratios of all dots of the grid."""
    return frozenset(
        {2, *(constraint.value for constraint in grid.constraints if constraint.kind == "ratio")}
    )


def _make_no_ratio_relations(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Relation]:
    table = make_pair_table(grid.digits, _make_no_ratio_test(_find_excluded_ratios(grid)))
    return (Relation(0, pair, table) for pair in _list_undotted_pairs(constraint, grid))


def _has_no_ratio(constraint: Constraint, solution: Sequence[int], grid: ConstrainedGrid) -> bool:
    test = _make_no_ratio_test(_find_excluded_ratios(grid))
    return all(test(solution[a], solution[b]) for a, b in _list_undotted_pairs(constraint, grid))


CONSTRAINTS.register(
    ConstraintKind(
        name="negative-ratio",
        sentence=lambda *_: (
            "Neighbors without a dot have neither the ratio 1:2 nor that of another dot."
        ),
        relations=_make_no_ratio_relations,
        holds=_has_no_ratio,
        sizes=range(1),
        entry=make_flag_form("negative ratio", "negative-ratio"),
    )
)


# Minimum and maximum: a marked cell is less, or greater, than its neighbors without that mark.


def _pair_with_neighbors(
    constraint: Constraint, grid: ConstrainedGrid
) -> Iterator[tuple[int, int]]:
    (cell,) = constraint.cells
    marked_cells = {
        second.cells[0] for second in grid.constraints if second.kind == constraint.kind
    }
    for first, second in list_neighbor_pairs(grid):
        if cell in (first, second) and (first if second == cell else second) not in marked_cells:
            yield cell, first if second == cell else second


def _make_chevron_marker(
    inward_sign: int,
) -> Callable[[Constraint, ConstrainedGrid], Iterator[Mark]]:
    """Return a function that draws chevrons between a cell and its neighbors.

    The tip of a chevron points to the smaller digit.
    """

    def make_marks(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
        for cell, neighbor in _pair_with_neighbors(constraint, grid):
            (row, column), (neighbor_row, neighbor_column) = grid.cells[cell], grid.cells[neighbor]
            row_step, column_step = neighbor_row - row, neighbor_column - column
            tip, end = 0.5 - 0.08 - 0.05 * inward_sign, 0.5 - 0.08 + 0.05 * inward_sign
            middle = row + 0.5, column + 0.5
            points = [
                (
                    middle[0] + distance * row_step + offset * column_step,
                    middle[1] + distance * column_step + offset * row_step,
                )
                for distance, offset in ((end, -0.12), (tip, 0.0), (end, 0.12))
            ]
            yield MarkStroke(tuple(points), 0.04, INK)

    return make_marks


def _make_extremes_kind(name: str, relation: str, *, is_minimum: bool) -> ConstraintKind:
    return make_pair_kind(
        lambda _: lambda a, b: a < b if is_minimum else a > b,
        _pair_with_neighbors,
        name=name,
        sentence=lambda _, names: (
            f"{names[0]} is {relation} than its neighbors that are no {name}."
        ),
        legend="Chevrons point to the smaller digit.",
        sizes=range(1, 2),
        marks=_make_chevron_marker(1 if is_minimum else -1),
        entry=make_cell_form(name),
    )


CONSTRAINTS.register(_make_extremes_kind("minimum", "less", is_minimum=True))
CONSTRAINTS.register(_make_extremes_kind("maximum", "greater", is_minimum=False))


# Odd and even cells.


def _make_parity_kind(name: str, shape: str, remainder: int) -> ConstraintKind:
    def make_relations(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Relation]:
        digits = range(1, grid.digits + 1)
        yield Relation(1, constraint.cells, tuple(1 << d - 1 for d in digits if d % 2 == remainder))

    def make_marks(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
        position = grid.cells[constraint.cells[0]]
        disc = MarkStroke(get_centers([position]), 0.78, GRAY)
        yield disc if remainder else make_square(position, color=GRAY)

    return ConstraintKind(
        name=name,
        sentence=lambda _, names: f"{names[0]} is {name}.",
        legend=f"Digits in gray {shape} are {name}.",
        relations=make_relations,
        holds=make_digits_test(lambda _, digits: digits[0] % 2 == remainder),
        sizes=range(1, 2),
        marks=make_marks,
        entry=make_cell_form(name),
    )


CONSTRAINTS.register(_make_parity_kind("odd", "circles", 1))
CONSTRAINTS.register(_make_parity_kind("even", "squares", 0))


# Quadruples: the four cells around a circle contain its digits, each as often as shown.


@lru_cache(maxsize=256)
def _build_quadruple_automaton(digits: int, clues: tuple[int, ...]) -> tuple[int, ...]:
    """Return an automaton whose states are the clues that are still missing."""

    def remove_clue(missing_clues: Any, digit: int) -> Any:
        if digit not in missing_clues:
            return missing_clues
        index = missing_clues.index(digit)
        return (*missing_clues[:index], *missing_clues[index + 1 :])

    return build_automaton(digits, tuple(sorted(clues)), remove_clue, lambda missing: not missing)


def _fits_quadruple(constraint: Constraint, grid: ConstrainedGrid) -> bool:
    rows, columns = zip(*(grid.cells[cell] for cell in constraint.cells), strict=True)
    is_square = max(rows) - min(rows) == 1 == max(columns) - min(columns)
    return (
        is_square
        and 0 < len(constraint.clues) <= 4
        and all(1 <= clue <= grid.digits for clue in constraint.clues)
    )


def _mark_quadruple(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    positions = sorted(grid.cells[cell] for cell in constraint.cells)
    middle = get_midpoint(positions[0], positions[-1])
    yield from make_ring(middle, size=0.6)
    half_length = (len(constraint.clues) + 1) // 2
    rows = (
        [constraint.clues]
        if len(constraint.clues) < 3
        else [constraint.clues[:half_length], constraint.clues[half_length:]]
    )
    for row, clues in enumerate(rows):
        height = middle[0] + 0.22 * (row - (len(rows) - 1) / 2)
        yield Label((height, middle[1]), 0.24, " ".join(map(str, clues)))


def _read_quadruple(entry: Entry, size: int) -> Iterator[Constraint | None]:
    values = entry.get("values")
    clues = tuple(parse_number(value) for value in values) if isinstance(values, list) else ()
    cells = number_cells(entry.get("cells"), size)
    yield None if is_missing(values) else Constraint("quadruple", cells, clues=clues)


def _write_quadruple(constraint: Constraint, size: int) -> Entry:
    return {"cells": list_cell_names(constraint.cells, size), "values": [*constraint.clues]}


CONSTRAINTS.register(
    ConstraintKind(
        name="quadruple",
        sentence=lambda constraint, names: (
            f"{' '.join(names)} hold {' '.join(map(str, constraint.clues))}."
        ),
        legend="The digits in a circle stand in the four cells around it.",
        relations=lambda constraint, grid: [
            Relation(3, constraint.cells, _build_quadruple_automaton(grid.digits, constraint.clues))
        ],
        holds=make_digits_test(
            lambda constraint, digits: Counter(constraint.clues) <= Counter(digits)
        ),
        sizes=range(4, 5),
        fits=_fits_quadruple,
        marks=_mark_quadruple,
        entry=make_list_form("quadruple", _read_quadruple, _write_quadruple),
    )
)


# XV: neighbors with an X or V add up to 10 or 5; a rule may forbid both sums elsewhere.

_XV_TOTALS = {"V": 5, "X": 10}


def _read_xv(entry: Entry, size: int) -> Iterator[Constraint | None]:
    letter = entry.get("value")
    if is_missing(letter):
        yield None
        return
    if not isinstance(letter, str) or letter.upper() not in _XV_TOTALS:
        raise InvalidGridError("an XV clue of f-puzzles is X or V")
    yield Constraint("xv", number_cells(entry.get("cells"), size), _XV_TOTALS[letter.upper()])


def _write_xv(constraint: Constraint, size: int) -> Entry:
    return {
        "cells": list_cell_names(constraint.cells, size),
        "value": "X" if constraint.value == _XV_TOTALS["X"] else "V",
    }


def _mark_xv(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Mark]:
    first, second = (grid.cells[cell] for cell in constraint.cells)
    yield MarkStroke((get_midpoint(first, second),), 0.34, WHITE)
    yield Label(
        get_midpoint(first, second), 0.34, "X" if constraint.value == _XV_TOTALS["X"] else "V"
    )


CONSTRAINTS.register(
    make_pair_kind(
        lambda value: lambda a, b: a + b == value,
        name="xv",
        sentence=lambda constraint, names: f"{' '.join(names)} sum to {constraint.value}.",
        legend="Digits beside an X sum to 10, beside a V to 5.",
        sizes=range(2, 3),
        values=range(5, 11, 5),
        marks=_mark_xv,
        entry=make_list_form("xv", _read_xv, _write_xv),
    )
)
CONSTRAINTS.register(
    make_pair_kind(
        lambda _: lambda a, b: a + b not in _XV_TOTALS.values(),
        make_unmarked_pair_lister("xv"),
        name="negative-xv",
        sentence=lambda *_: "Neighbors without X or V do not sum to 10 or 5.",
        sizes=range(1),
        entry=make_flag_form("negative xv", "negative-xv"),
    )
)
