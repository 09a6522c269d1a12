"""Odd and even cells."""

from collections.abc import Iterator

from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
    on_own,
)
from sudokucrypt.sudoku.model.constraints.entries import single
from sudokucrypt.sudoku.model.constraints.marks import GRAY, Mark, MarkStroke, middles, square
from sudokucrypt.sudoku.model.constraints.relations import Relation


def _kind(name: str, shape: str, remainder: int) -> ConstraintKind:
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


CONSTRAINTS.register(_kind("odd", "circles", 1))
CONSTRAINTS.register(_kind("even", "squares", 0))
