"""Constraints of marked cells: clones, dots, extremes, odd and even cells, quadruples, XV."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
    find_unmarked_pairs,
    make_pair_kind,
    neighbors,
    on_own,
)
from sudokucrypt.sudoku.model.constraints.entries import (
    Entry,
    each,
    flag,
    is_missing,
    make_group_form,
    names_of,
    number_of,
    numbers_of,
    single,
)
from sudokucrypt.sudoku.model.constraints.marks import (
    GRAY,
    INK,
    WHITE,
    Label,
    Mark,
    MarkStroke,
    between,
    middles,
    ring,
    square,
)
from sudokucrypt.sudoku.model.constraints.relations import Relation, automaton, pair_table

# Clones: a group of cells holds the same digits as another one of the same form.


def _pair_halves(it: Constraint, _: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    half = len(it.cells) // 2
    return zip(it.cells[:half], it.cells[half:], strict=True)


def _mark_clone(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    clones = [other for other in sheet.constraints if other.kind == "clone"]
    letter = chr(ord("a") + clones.index(it) % 26)
    for cell in dict.fromkeys(it.cells):
        row, column = sheet.cells[cell]
        yield square((row, column), color=GRAY)
        yield Label((row + 0.22, column + 0.22), 0.2, letter)


def _read_clone(entry: Entry, size: int) -> Iterator[Constraint | None]:
    one, other = (numbers_of(entry.get(key), size) for key in ("cells", "cloneCells"))
    if len(one) != len(other):
        raise InvalidGridError("a clone of f-puzzles has more or fewer cells than its original")
    yield Constraint("clone", (*one, *other)) if one else None


def _write_clone(it: Constraint, size: int) -> Entry:
    names, half = names_of(it.cells, size), len(it.cells) // 2
    return {"cells": names[:half], "cloneCells": names[half:]}


CONSTRAINTS.register(
    make_pair_kind(
        lambda _: lambda a, b: a == b,
        _pair_halves,
        name="clone",
        sentence=lambda _, names: (
            f"{' '.join(names[len(names) // 2 :])} hold the digits of "
            f"{' '.join(names[: len(names) // 2])} in this order."
        ),
        legend="Gray cells with one letter hold the same digits in the same places.",
        sizes=range(2, 257, 2),
        repeats=True,
        marks=_mark_clone,
        entry=each("clone", _read_clone, _write_clone),
    )
)


# Kropki dots: white for a difference, black for a ratio; and what their absence says.

_PAIR = range(2, 3)
_undotted = find_unmarked_pairs("difference", "ratio")


def _mark_dot(color: str, usual: int) -> Callable[[Constraint, ConstrainedSheet], Iterator[Mark]]:
    """Return what draws a dot, with its value where that is not the usual one."""

    def marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
        one, other = (sheet.cells[cell] for cell in it.cells)
        shown = it.value != usual
        yield from ring(
            between(one, other), size=0.34 if shown else 0.26, fill=WHITE if shown else color
        )
        if shown:
            text = f"1:{it.value}" if color == INK else str(it.value)
            yield Label(between(one, other), 0.2, text)

    return marks


def _register_dot(name: str, **more: Any) -> None:
    CONSTRAINTS.register(make_pair_kind(name=name, **more))


_register_dot(
    "difference",
    allowed=lambda value: lambda a, b: abs(a - b) == value,
    sentence=lambda it, names: f"{' '.join(names)} differ by {it.value}.",
    legend="Digits beside a white dot differ by 1, or by its number.",
    sizes=_PAIR, values=range(1, 64),
    marks=_mark_dot(WHITE, 1), entry=make_group_form("difference", "difference", missing=1),
)  # fmt: skip
_register_dot(
    "ratio",
    allowed=lambda value: lambda a, b: a == value * b or b == value * a,
    sentence=lambda it, names: f"{' '.join(names)} have the ratio 1:{it.value}.",
    legend="Of digits beside a black dot one is twice the other, or as a ratio says.",
    sizes=_PAIR, values=range(1, 64),
    marks=_mark_dot(INK, 2), entry=make_group_form("ratio", "ratio", missing=2),
)  # fmt: skip
_register_dot(
    "nonconsecutive",
    allowed=lambda _: lambda a, b: abs(a - b) != 1,
    pairs=_undotted,
    sentence=lambda *_: "Neighbors without a dot do not differ by 1.",
    sizes=range(1), entry=flag("nonconsecutive", "nonconsecutive"),
)  # fmt: skip


@lru_cache(maxsize=64)
def _forbid_ratios(values: frozenset[int]) -> Callable[[int, int], bool]:
    return lambda a, b: all(a != value * b and b != value * a for value in values)


def _list_ratios(sheet: ConstrainedSheet) -> frozenset[int]:
    """Return the ratios that a missing dot rules out: 2, and what the dots of a sheet show."""
    return frozenset({2, *(it.value for it in sheet.constraints if it.kind == "ratio")})


def _relate_without_ratio(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Relation]:
    table = pair_table(sheet.digits, _forbid_ratios(_list_ratios(sheet)))
    return (Relation(0, pair, table) for pair in _undotted(it, sheet))


def _has_no_ratio(it: Constraint, solution: Sequence[int], sheet: ConstrainedSheet) -> bool:
    test = _forbid_ratios(_list_ratios(sheet))
    return all(test(solution[a], solution[b]) for a, b in _undotted(it, sheet))


CONSTRAINTS.register(
    ConstraintKind(
        name="negative-ratio",
        sentence=lambda *_: (
            "Neighbors without a dot have neither the ratio 1:2 nor that of another dot."
        ),
        relations=_relate_without_ratio,
        holds=_has_no_ratio,
        sizes=range(1),
        entry=flag("negative ratio", "negative-ratio"),
    )
)


# Minimum and maximum: a cell is less, or greater, than its neighbors that are not marked so.


def _pair_with_neighbors(it: Constraint, sheet: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    (cell,) = it.cells
    alike = {other.cells[0] for other in sheet.constraints if other.kind == it.kind}
    for one, other in neighbors(sheet):
        if cell in (one, other) and (one if other == cell else other) not in alike:
            yield cell, one if other == cell else other


def _mark_chevrons(inward: int) -> Callable[[Constraint, ConstrainedSheet], Iterator[Mark]]:
    """Return what draws a chevron at each side, whose tip is on that of the smaller digit."""

    def marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
        for cell, other in _pair_with_neighbors(it, sheet):
            (row, column), (there, beside) = sheet.cells[cell], sheet.cells[other]
            down, right = there - row, beside - column
            tip, wide = 0.5 - 0.08 - 0.05 * inward, 0.5 - 0.08 + 0.05 * inward
            middle = row + 0.5, column + 0.5
            points = [
                (middle[0] + reach * down + side * right, middle[1] + reach * right + side * down)
                for reach, side in ((wide, -0.12), (tip, 0.0), (wide, 0.12))
            ]
            yield MarkStroke(tuple(points), 0.04, INK)

    return marks


def _make_extremes_kind(name: str, word: str, *, less: bool) -> ConstraintKind:
    return make_pair_kind(
        lambda _: lambda a, b: a < b if less else a > b,
        _pair_with_neighbors,
        name=name,
        sentence=lambda _, names: f"{names[0]} is {word} than its neighbors that are no {name}.",
        legend="Chevrons point to the smaller digit.",
        sizes=range(1, 2),
        marks=_mark_chevrons(1 if less else -1),
        entry=single(name),
    )


CONSTRAINTS.register(_make_extremes_kind("minimum", "less", less=True))
CONSTRAINTS.register(_make_extremes_kind("maximum", "greater", less=False))


# Odd and even cells.


def _make_parity_kind(name: str, shape: str, remainder: int) -> ConstraintKind:
    def relations(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Relation]:
        digits = range(1, sheet.digits + 1)
        yield Relation(1, it.cells, tuple(1 << d - 1 for d in digits if d % 2 == remainder))

    def marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
        position = sheet.cells[it.cells[0]]
        round_ = MarkStroke(middles([position]), 0.78, GRAY)
        yield round_ if remainder else square(position, color=GRAY)

    return ConstraintKind(
        name=name,
        sentence=lambda _, names: f"{names[0]} is {name}.",
        legend=f"Digits in gray {shape} are {name}.",
        relations=relations,
        holds=on_own(lambda _, digits: digits[0] % 2 == remainder),
        sizes=range(1, 2),
        marks=marks,
        entry=single(name),
    )


CONSTRAINTS.register(_make_parity_kind("odd", "circles", 1))
CONSTRAINTS.register(_make_parity_kind("even", "squares", 0))


# Quadruples: the digits in a circle stand in the cells around it, each as often as shown.


@lru_cache(maxsize=256)
def _build_quadruple_automaton(digits: int, clues: tuple[int, ...]) -> tuple[int, ...]:
    """Return an automaton whose states are the clues that are still missing."""

    def step(missing: Any, digit: int) -> Any:
        if digit not in missing:
            return missing
        at = missing.index(digit)
        return (*missing[:at], *missing[at + 1 :])

    return automaton(digits, tuple(sorted(clues)), step, lambda missing: not missing)


def _fits_quadruple(it: Constraint, sheet: ConstrainedSheet) -> bool:
    rows, columns = zip(*(sheet.cells[cell] for cell in it.cells), strict=True)
    near = max(rows) - min(rows) == 1 == max(columns) - min(columns)
    return near and 0 < len(it.clues) <= 4 and all(1 <= d <= sheet.digits for d in it.clues)


def _mark_quadruple(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    positions = sorted(sheet.cells[cell] for cell in it.cells)
    middle = between(positions[0], positions[-1])
    yield from ring(middle, size=0.6)
    half = (len(it.clues) + 1) // 2
    rows = [it.clues] if len(it.clues) < 3 else [it.clues[:half], it.clues[half:]]
    for row, clues in enumerate(rows):
        height = middle[0] + 0.22 * (row - (len(rows) - 1) / 2)
        yield Label((height, middle[1]), 0.24, " ".join(map(str, clues)))


def _read_quadruple(entry: Entry, size: int) -> Iterator[Constraint | None]:
    values = entry.get("values")
    clues = tuple(number_of(value) for value in values) if isinstance(values, list) else ()
    cells = numbers_of(entry.get("cells"), size)
    yield None if is_missing(values) else Constraint("quadruple", cells, clues=clues)


def _write_quadruple(it: Constraint, size: int) -> Entry:
    return {"cells": names_of(it.cells, size), "values": [*it.clues]}


CONSTRAINTS.register(
    ConstraintKind(
        name="quadruple",
        sentence=lambda it, names: f"{' '.join(names)} hold {' '.join(map(str, it.clues))}.",
        legend="The digits in a circle stand in the four cells around it.",
        relations=lambda it, sheet: [
            Relation(3, it.cells, _build_quadruple_automaton(sheet.digits, it.clues))
        ],
        holds=on_own(lambda it, digits: Counter(it.clues) <= Counter(digits)),
        sizes=range(4, 5),
        fits=_fits_quadruple,
        marks=_mark_quadruple,
        entry=each("quadruple", _read_quadruple, _write_quadruple),
    )
)


# XV: two neighbors add up to 10 or 5; and what the absence of both says.

_TOTALS = {"V": 5, "X": 10}


def _read_xv(entry: Entry, size: int) -> Iterator[Constraint | None]:
    letter = entry.get("value")
    if is_missing(letter):
        yield None
        return
    if not isinstance(letter, str) or letter.upper() not in _TOTALS:
        raise InvalidGridError("an XV clue of f-puzzles is X or V")
    yield Constraint("xv", numbers_of(entry.get("cells"), size), _TOTALS[letter.upper()])


def _write_xv(it: Constraint, size: int) -> Entry:
    return {"cells": names_of(it.cells, size), "value": "X" if it.value == _TOTALS["X"] else "V"}


def _mark_xv(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    one, other = (sheet.cells[cell] for cell in it.cells)
    yield MarkStroke((between(one, other),), 0.34, WHITE)
    yield Label(between(one, other), 0.34, "X" if it.value == _TOTALS["X"] else "V")


CONSTRAINTS.register(
    make_pair_kind(
        lambda value: lambda a, b: a + b == value,
        name="xv",
        sentence=lambda it, names: f"{' '.join(names)} sum to {it.value}.",
        legend="Digits beside an X sum to 10, beside a V to 5.",
        sizes=range(2, 3),
        values=range(5, 11, 5),
        marks=_mark_xv,
        entry=each("xv", _read_xv, _write_xv),
    )
)
CONSTRAINTS.register(
    make_pair_kind(
        lambda _: lambda a, b: a + b not in _TOTALS.values(),
        find_unmarked_pairs("xv"),
        name="negative-xv",
        sentence=lambda *_: "Neighbors without X or V do not sum to 10 or 5.",
        sizes=range(1),
        entry=flag("negative xv", "negative-xv"),
    )
)
