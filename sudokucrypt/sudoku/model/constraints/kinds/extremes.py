"""Minimum and maximum: a cell is less, or greater, than its neighbours that are not marked so."""

from collections.abc import Callable, Iterator

from sudokucrypt.sudoku.model.constraints.contract import (
    CONSTRAINTS,
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
)
from sudokucrypt.sudoku.model.constraints.entries import single
from sudokucrypt.sudoku.model.constraints.marks import INK, Mark, MarkStroke
from sudokucrypt.sudoku.model.constraints.paired import neighbours, paired


def _around(it: Constraint, sheet: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    (cell,) = it.cells
    alike = {other.cells[0] for other in sheet.constraints if other.kind == it.kind}
    for one, other in neighbours(sheet):
        if cell in (one, other) and (one if other == cell else other) not in alike:
            yield cell, one if other == cell else other


def _chevrons(inward: int) -> Callable[[Constraint, ConstrainedSheet], Iterator[Mark]]:
    """Return what draws a chevron at each side, whose tip is on that of the smaller digit."""

    def marks(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Mark]:
        for cell, other in _around(it, sheet):
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


def _kind(name: str, word: str, *, less: bool) -> ConstraintKind:
    return paired(
        lambda _: lambda a, b: a < b if less else a > b,
        _around,
        name=name,
        sentence=lambda _, names: f"{names[0]} is {word} than its neighbours that are no {name}.",
        legend="Chevrons point to the smaller digit.",
        sizes=range(1, 2),
        marks=_chevrons(1 if less else -1),
        entry=single(name),
    )


CONSTRAINTS.register(_kind("minimum", "less", less=True))
CONSTRAINTS.register(_kind("maximum", "greater", less=False))
