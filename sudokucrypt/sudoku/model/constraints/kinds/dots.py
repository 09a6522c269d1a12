"""Kropki dots: white for a difference, black for a ratio; and what their absence says."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
)
from sudokucrypt.sudoku.model.constraints.entries import flag, grouped
from sudokucrypt.sudoku.model.constraints.marks import INK, WHITE, Label, Mark, between, ring
from sudokucrypt.sudoku.model.constraints.paired import paired, unmarked
from sudokucrypt.sudoku.model.constraints.relations import Relation, pair_table

_PAIR = range(2, 3)
_undotted = unmarked("difference", "ratio")


def _dot(color: str, usual: int) -> Callable[[Constraint, ConstrainedSheet], Iterator[Mark]]:
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


def _registered(name: str, **more: Any) -> None:
    CONSTRAINTS.register(paired(name=name, **more))


_registered(
    "difference",
    allowed=lambda value: lambda a, b: abs(a - b) == value,
    sentence=lambda it, names: f"{' '.join(names)} differ by {it.value}.",
    legend="Digits beside a white dot differ by 1, or by its number.",
    sizes=_PAIR, values=range(1, 64),
    marks=_dot(WHITE, 1), entry=grouped("difference", "difference", missing=1),
)  # fmt: skip
_registered(
    "ratio",
    allowed=lambda value: lambda a, b: a == value * b or b == value * a,
    sentence=lambda it, names: f"{' '.join(names)} have the ratio 1:{it.value}.",
    legend="Of digits beside a black dot one is twice the other, or as a ratio says.",
    sizes=_PAIR, values=range(1, 64),
    marks=_dot(INK, 2), entry=grouped("ratio", "ratio", missing=2),
)  # fmt: skip
_registered(
    "nonconsecutive",
    allowed=lambda _: lambda a, b: abs(a - b) != 1,
    pairs=_undotted,
    sentence=lambda *_: "Neighbors without a dot do not differ by 1.",
    sizes=range(1), entry=flag("nonconsecutive", "nonconsecutive"),
)  # fmt: skip


@lru_cache(maxsize=64)
def _in_no_ratio(values: frozenset[int]) -> Callable[[int, int], bool]:
    return lambda a, b: all(a != value * b and b != value * a for value in values)


def _ratios(sheet: ConstrainedSheet) -> frozenset[int]:
    """Return the ratios that a missing dot rules out: 2, and what the dots of a sheet show."""
    return frozenset({2, *(it.value for it in sheet.constraints if it.kind == "ratio")})


def _without_ratio(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Relation]:
    table = pair_table(sheet.digits, _in_no_ratio(_ratios(sheet)))
    return (Relation(0, pair, table) for pair in _undotted(it, sheet))


def _has_no_ratio(it: Constraint, solution: Sequence[int], sheet: ConstrainedSheet) -> bool:
    test = _in_no_ratio(_ratios(sheet))
    return all(test(solution[a], solution[b]) for a, b in _undotted(it, sheet))


CONSTRAINTS.register(
    ConstraintKind(
        name="negative-ratio",
        sentence=lambda *_: (
            "Neighbors without a dot have neither the ratio 1:2 nor that of another dot."
        ),
        relations=_without_ratio,
        holds=_has_no_ratio,
        sizes=range(1),
        entry=flag("negative ratio", "negative-ratio"),
    )
)
