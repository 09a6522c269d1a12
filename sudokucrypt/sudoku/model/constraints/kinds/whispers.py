"""German whispers: neighbours along a line differ by 5, or another value, at least."""

from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS
from sudokucrypt.sudoku.model.constraints.entries import lined
from sudokucrypt.sudoku.model.constraints.marks import line
from sudokucrypt.sudoku.model.constraints.paired import paired

# German whispers: what f-puzzles means where it names no difference.
_USUAL = 5

CONSTRAINTS.register(
    paired(
        lambda value: lambda a, b: abs(a - b) >= value,
        name="whispers",
        sentence=lambda it, names: (
            f"Neighbors along {' '.join(names)} differ by {it.value} or more."
        ),
        legend="Neighbors along green lines differ by {value} or more.",
        values=range(1, 64),
        repeats=True,
        marks=lambda it, sheet: [
            line([sheet.cells[cell] for cell in it.cells], width=0.18, color="#7fc98b")
        ],
        entry=lined("whispers", missing=_USUAL),
    )
)
