"""Killer cages: a sum, and no digit twice; without a sum the latter alone."""

from collections.abc import Iterator

from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
    on_own,
)
from sudokucrypt.sudoku.model.constraints.entries import grouped
from sudokucrypt.sudoku.model.constraints.marks import BLUE, Label, Mark, outline
from sudokucrypt.sudoku.model.constraints.relations import Relation, sets_of, total_of


def _relations(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Relation]:
    if it.value:  # the cage is a house too, in which no digit stands twice
        yield Relation(1, it.cells, sets_of(sheet.digits, len(it.cells), it.value))
        yield total_of(it.cells, it.value)


def _sentence(it: Constraint, names: list[str]) -> str:
    cells = " ".join(names)
    return f"{cells} sum to {it.value}, no digit twice." if it.value else f"{cells} all differ."


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    positions = [sheet.cells[cell] for cell in it.cells]
    yield from outline(positions, color=BLUE)
    row, column = min(positions)
    if it.value:
        yield Label((row + 0.2, column + 0.24), 0.24, str(it.value))


CONSTRAINTS.register(
    ConstraintKind(
        name="killer",
        sentence=_sentence,
        legend="Cages sum to their number, no digit twice.",
        relations=_relations,
        holds=on_own(
            lambda it, digits: it.value in (0, sum(digits)) and len({*digits}) == len(digits)
        ),
        sizes=range(1, 65),
        values=range(1000),
        distinct=True,
        marks=_marks,
        entry=grouped("killercage", "killer"),
    )
)
