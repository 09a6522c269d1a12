"""Between lines: digits along a line lie strictly between those at its ends."""

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
from sudokucrypt.sudoku.model.constraints.entries import lined
from sudokucrypt.sudoku.model.constraints.marks import GRAY, Mark, line, middles, ring
from sudokucrypt.sudoku.model.constraints.relations import Relation, automaton


@lru_cache(maxsize=16)
def _table(digits: int) -> tuple[int, ...]:
    """Return an automaton that reads both ends first: its states are what it knows of them."""

    def step(ends: Any, digit: int) -> Any:
        if len(ends) < 2:
            return tuple(sorted((*ends, digit)))
        return ends if ends[0] < digit < ends[1] else None

    return automaton(digits, (), step, lambda ends: len(ends) == 2)


def _holds(_: Constraint, digits: list[int]) -> bool:
    low, high = sorted((digits[0], digits[-1]))
    return all(low < digit < high for digit in digits[1:-1])


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    positions = [sheet.cells[cell] for cell in it.cells]
    yield line(positions, width=0.1, color=GRAY)
    for point in middles([positions[0], positions[-1]]):
        yield from ring(point, size=0.8, color=GRAY)


CONSTRAINTS.register(
    ConstraintKind(
        name="betweenline",
        sentence=lambda _, names: (
            f"{' '.join(names[1:-1])} lie strictly between {names[0]} and {names[-1]}."
        ),
        legend="Digits on a line between two circles lie strictly between those in them.",
        relations=lambda it, sheet: [
            Relation(3, (it.cells[0], it.cells[-1], *it.cells[1:-1]), _table(sheet.digits))
        ],
        holds=on_own(_holds),
        sizes=range(3, 257),
        marks=_marks,
        entry=lined("betweenline", least=3),
    )
)
