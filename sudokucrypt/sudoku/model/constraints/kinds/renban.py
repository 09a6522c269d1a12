"""Renban: the digits of a line are consecutive, in any order."""

from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS, ConstraintKind, on_own
from sudokucrypt.sudoku.model.constraints.entries import lined
from sudokucrypt.sudoku.model.constraints.marks import line
from sudokucrypt.sudoku.model.constraints.relations import Relation, sets_of

CONSTRAINTS.register(
    ConstraintKind(
        name="renban",
        sentence=lambda _, names: f"{' '.join(names)} are consecutive digits in any order.",
        legend="Purple lines hold consecutive digits in any order.",
        relations=lambda it, sheet: [
            Relation(1, it.cells, sets_of(sheet.digits, len(it.cells), 0))
        ],
        holds=on_own(lambda _, f: len({*f}) == len(f) == max(f) - min(f) + 1),
        sizes=range(1, 65),
        distinct=True,
        marks=lambda it, sheet: [
            line([sheet.cells[cell] for cell in it.cells], width=0.18, color="#d59be0")
        ],
        entry=lined("renban", least=1),
    )
)
