"""What can be wrong with a puzzle of a collection, and how a report words it."""

from enum import IntEnum
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.variant import Variant

MOST_COUNTED = 100
"""Solutions up to which they are counted."""

FAULTS = np.dtype([("line", "u8"), ("kind", "u1"), ("value", "i8"), ("position", "i8")])
"""One fault as a record, as small as millions of them need."""


class FaultKind(IntEnum):
    """What is wrong.

    The attribute `text` is what reports say, with ``value`` and ``position`` of the fault in it: a
    digit and its house or cell, a symbol and its position, a number of symbols or solutions, or the
    line of another puzzle.
    """

    NO_TEXT = 0, "is not text, or too long for a puzzle"
    NO_PUZZLE = 1, "has no puzzle"
    LENGTH = 2, "has {value} symbols, not 81"
    SYMBOL = 3, "has the unknown symbol {symbol} at position {position}"
    REPEATED = 4, "has {value} twice in {house}"
    UNSOLVABLE = 5, "has no solution"
    SEVERAL = 6, "has {count} solutions"
    SOLUTION_LENGTH = 7, "has a solution with {value} symbols, not 81"
    SOLUTION_SYMBOL = 8, "has a solution with the symbol {symbol} at position {position}"
    SOLUTION_REPEATED = 9, "has a solution with {value} twice in {house}"
    SOLUTION_OTHER = 10, "has a solution with {value} in {cell}, which contradicts the given"
    DUPLICATE = 11, "is the same as line {value}"
    EQUIVALENT = 12, "is the same as line {value} up to symmetry"
    DUPLICATE_AGAINST = 13, "is the same as line {value} of the other file"
    EQUIVALENT_AGAINST = 14, "is the same as line {value} of the other file up to symmetry"

    SOLUTION_AGAINST = 15, "has the solution of line {value} of the other file up to symmetry"

    text: str

    def __new__(cls, value: int, text: str = "") -> Self:
        """Make a member, which is equal to the number."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.text = text
        return member

    @property
    def label(self) -> str:
        """The word for it in reports and JSON."""
        return self.name.lower().replace("_", "-")


class Fault(NamedTuple):
    """Something that is wrong with a line.

    `value` and `position` depend on the kind, whose text names them; positions count from 1,
    houses and cells from 0.
    """

    line: int
    kind: FaultKind
    value: int = 0
    position: int = 0

    def __str__(self) -> str:
        """Return what a report says."""
        houses, cells = Variant.standard().houses, Variant.standard().cells
        words = {
            "value": self.value,
            "position": self.position,
            "symbol": repr(chr(self.value)),
            "house": houses[self.position % len(houses)].name,
            "cell": cell_name(*cells[self.position % len(cells)]),
            "count": self.value if self.value <= MOST_COUNTED else f"more than {MOST_COUNTED}",
        }
        return f"line {self.line} {self.kind.text.format_map(words)}"


def fault_of(record: NDArray[np.void]) -> Fault:
    """Return the fault of a record."""
    line, kind, value, position = record.item()
    return Fault(line, FaultKind(kind), value, position)
