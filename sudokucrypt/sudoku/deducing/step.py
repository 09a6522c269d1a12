"""One step of a solution by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.techniques import Technique
from sudokucrypt.sudoku.text import write_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudokucrypt.sudoku.variant import Variant


@dataclass(frozen=True, slots=True)
class Step:
    """What is concluded, and from what. Cells, digits and houses are counted from 0.

    Parameters
    ----------
    technique : Technique
        How it is concluded.
    cells : tuple of int
        The cells that the conclusion rests on; for a single the cell that is filled.
    digits : tuple of int
        The digits that it is about, lowest first.
    houses : tuple of int
        The houses that it rests on, none for naked singles, wings and trials.
    struck : tuple of (cell, digit)
        The candidates that go. Those of a digit that is placed are in the cells that see it.
    variant : Variant
        What the numbers refer to.

    Examples
    --------
    >>> from sudokucrypt.sudoku.variant import Variant
    >>> step = Step(Technique.HIDDEN_SINGLE, (3,), (8,), (0,), ((12, 8),), Variant.standard())
    >>> step.placed, str(step)
    ((3, 8), 'hidden single: 9 in r1c4 (row 1)')
    """

    technique: Technique
    cells: tuple[int, ...]
    digits: tuple[int, ...]
    houses: tuple[int, ...]
    struck: tuple[tuple[int, int], ...]
    variant: Variant = field(repr=False)

    @property
    def placed(self) -> tuple[int, int] | None:
        """The cell that is filled and its digit, or None if candidates are struck alone."""
        if self.technique > Technique.HIDDEN_SINGLE:
            return None
        return self.cells[0], self.digits[0]

    def __str__(self) -> str:
        """Return the text form, which counts rows, columns and houses from 1 as people do."""
        text = f"{self.technique.label}: {self._symbols(self.digits)} in {self._names(self.cells)}"
        if self.houses:
            names = (self.variant.houses[house].name for house in self.houses)
            text += f" ({', '.join(_from_one(name) for name in names)})"
        if self.placed:
            return text
        if self.technique is Technique.TRIAL:
            return f"{text} fails"
        gone = (
            f"no {self._symbols((digit,))} in "
            + self._names(cell for cell, struck in self.struck if struck == digit)
            for digit in sorted({digit for _, digit in self.struck})
        )
        return f"{text}: {', '.join(gone)}"

    def _symbols(self, digits: Iterable[int]) -> str:
        return " ".join(write_line([digit], self.variant.digits) for digit in digits)

    def _names(self, cells: Iterable[int]) -> str:
        places = (self.variant.cells[cell] for cell in cells)
        return " ".join(f"r{row + 1}c{column + 1}" for row, column in places)


def _from_one(name: str) -> str:
    """Return the name of a house with its numbers counted from 1."""
    return re.sub(r"\d+", lambda number: str(int(number[0]) + 1), name)
