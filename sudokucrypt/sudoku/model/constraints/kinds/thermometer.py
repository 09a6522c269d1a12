"""Thermometers: digits rise from the bulb."""

from collections.abc import Iterator

from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS, ConstrainedSheet, Constraint
from sudokucrypt.sudoku.model.constraints.entries import lined
from sudokucrypt.sudoku.model.constraints.marks import GRAY, Mark, MarkStroke, middles
from sudokucrypt.sudoku.model.constraints.paired import paired


def _marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
    points = middles([sheet.cells[cell] for cell in it.cells])
    yield MarkStroke(points[:1], 0.72, GRAY)
    yield MarkStroke(points, 0.3, GRAY)


CONSTRAINTS.register(
    paired(
        lambda _: lambda a, b: a < b,
        name="thermometer",
        sentence=lambda _, names: f"Digits rise along {' '.join(names)}.",
        legend="Digits rise along thermometers from the bulb.",
        marks=_marks,
        entry=lined("thermometer"),
    )
)
