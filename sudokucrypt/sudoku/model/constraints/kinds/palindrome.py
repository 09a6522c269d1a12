"""Palindromes: a line reads the same both ways."""

from collections.abc import Iterator

from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS, ConstrainedSheet, Constraint
from sudokucrypt.sudoku.model.constraints.entries import lined
from sudokucrypt.sudoku.model.constraints.marks import GRAY, line
from sudokucrypt.sudoku.model.constraints.paired import paired


def _ends(it: Constraint, _: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    half = len(it.cells) // 2
    return zip(it.cells[:half], it.cells[::-1][:half], strict=True)


CONSTRAINTS.register(
    paired(
        lambda _: lambda a, b: a == b,
        _ends,
        name="palindrome",
        sentence=lambda _, names: f"{' '.join(names)} read the same both ways.",
        legend="Gray lines read the same both ways.",
        repeats=True,
        marks=lambda it, sheet: [
            line([sheet.cells[cell] for cell in it.cells], width=0.16, color=GRAY)
        ],
        entry=lined("palindrome"),
    )
)
