"""The result of an audit: faults and their sentences, and counts of the collection."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.datasets.digests import PuzzleDigits
from sudokucrypt.sudoku.datasets.rows import Row
from sudokucrypt.sudoku.deducing.trace import Grade, grade
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant

MAX_COUNTED_SOLUTIONS = 100
"""The largest number of solutions that is counted exactly."""

FAULT_DTYPE = np.dtype([("line", "u8"), ("kind", "u1"), ("value", "i8"), ("position", "i8")])
"""The record type of one fault, small enough for millions of faults."""


class FaultKind(IntEnum):
    """The kind of a fault.

    The attribute `text` is the text of reports, with places for ``value`` and ``position`` of the
    fault: a digit and its house or cell, a symbol and its position, a number of symbols or of
    solutions, or the line of another puzzle.
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
        """Make a member that is equal to its number."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.text = text
        return member

    @property
    def label(self) -> str:
        """The name of the kind in reports and JSON."""
        return self.name.lower().replace("_", "-")


class Fault(NamedTuple):
    """A fault that an audit found in one line of a collection.

    The text of the kind explains `value` and `position`; positions count from 1, houses and
    cells from 0.
    """

    line: int
    kind: FaultKind
    value: int = 0
    position: int = 0

    def __str__(self) -> str:
        """Return the fault as a sentence for reports."""
        houses, cells = Variant.standard().houses, Variant.standard().cells
        text_fields = {
            "value": self.value,
            "position": self.position,
            "symbol": repr(chr(self.value)),
            "house": houses[self.position % len(houses)].name,
            "cell": get_cell_name(*cells[self.position % len(cells)]),
            "count": self.value
            if self.value <= MAX_COUNTED_SOLUTIONS
            else f"more than {MAX_COUNTED_SOLUTIONS}",
        }
        return f"line {self.line} {self.kind.text.format_map(text_fields)}"


def make_fault(record: NDArray[np.void]) -> Fault:
    """Return the fault of a record."""
    line, kind, value, position = record.item()
    return Fault(line, FaultKind(kind), value, position)


Records: TypeAlias = NDArray[np.void]


@dataclass
class Ratings:
    """The numbers of puzzles with one solution, by level, by rating and by technique.

    `techniques` counts the puzzles whose solution by hand uses a technique, and `hardest` the
    puzzles whose hardest step uses it.
    """

    levels: Counter[str] = field(default_factory=Counter)
    ratings: Counter[float] = field(default_factory=Counter)
    techniques: Counter[str] = field(default_factory=Counter)
    hardest: Counter[str] = field(default_factory=Counter)

    def add(self, grade: Grade) -> None:
        """Count a puzzle with this grade."""
        self.levels[grade.level.label] += 1
        self.ratings[grade.rating] += 1
        self.techniques.update(technique.label for technique in grade.steps)
        if grade.hardest is not None:
            self.hardest[grade.hardest.label] += 1


@dataclass
class Audit:
    """The contents of a collection, and its faults."""

    rows: int = 0
    puzzles: int = 0  #: Rows with a puzzle that can be read.
    unique: int = 0  #: Rows whose puzzle has one solution.
    solved: int = 0  #: Rows that contain a solution.
    classes: int = 0  #: The number of puzzles with one solution, up to symmetry.
    solution_classes: int = 0  #: The number of solutions of these puzzles, up to symmetry.
    #: The number of puzzles with each number of givens.
    givens: Counter[int] = field(default_factory=Counter)
    faults: Counter[FaultKind] = field(default_factory=Counter)  #: Faults of each kind.
    remarks: list[str] = field(default_factory=list)  #: Remarks about unusual text.
    ratings: Ratings | None = None  #: None unless ratings were requested.
    against: int | None = None  #: The number of puzzles of the other file, if there is one.
    #: The number of puzzles with a solution equivalent to one in the other file.
    shared_solutions: int = 0
    #: The faults by line; iteration yields each as a `Fault`.
    records: Records = field(default_factory=lambda: np.empty(0, FAULT_DTYPE), repr=False)

    def __iter__(self) -> Iterator[Fault]:
        """Yield all faults, sorted by line."""
        return map(make_fault, self.records)

    def count(
        self, rows: Sequence[Row], puzzles: PuzzleDigits, is_unique: NDArray[np.bool_]
    ) -> None:
        """Count rows and their readable puzzles; `is_unique` says which have one solution."""
        self.rows += len(rows)
        self.puzzles += len(puzzles)
        self.unique += int(is_unique.sum())
        self.solved += sum(row.pair is not None and row.pair.solution is not None for row in rows)
        self.givens.update((puzzles > 0).sum(axis=1).tolist())
        if self.ratings is not None:
            for puzzle in puzzles[is_unique]:
                self.ratings.add(grade(SudokuPuzzle(puzzle)))

    def store_faults(self, records: Records) -> None:
        """Store all faults, sorted by line, and count them."""
        self.records = records[np.lexsort((records["kind"], records["line"]))]
        kinds, counts = np.unique(records["kind"], return_counts=True)
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            self.faults[FaultKind(kind)] = count
