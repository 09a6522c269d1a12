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
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
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


def make_fault(record: NDArray[np.void]) -> Fault:
    """Return the fault of a record."""
    line, kind, value, position = record.item()
    return Fault(line, FaultKind(kind), value, position)


Records: TypeAlias = NDArray[np.void]


@dataclass
class Ratings:
    """How hard the puzzles with one solution are: how many have each level, rating or technique.

    `techniques` counts the puzzles whose solution by hand takes some step of a technique, `hardest`
    those of whose steps it is the hardest.
    """

    levels: Counter[str] = field(default_factory=Counter)
    ratings: Counter[float] = field(default_factory=Counter)
    techniques: Counter[str] = field(default_factory=Counter)
    hardest: Counter[str] = field(default_factory=Counter)

    def add(self, graded: Grade) -> None:
        """Count a puzzle."""
        self.levels[graded.level.label] += 1
        self.ratings[graded.rating] += 1
        self.techniques.update(technique.label for technique in graded.steps)
        if graded.hardest is not None:
            self.hardest[graded.hardest.label] += 1


@dataclass
class Audit:
    """The contents of a collection, and its faults."""

    rows: int = 0
    puzzles: int = 0  #: Rows with a puzzle that can be read.
    unique: int = 0  #: Rows whose puzzle has one solution.
    solved: int = 0  #: Rows in which a solution stands beside it.
    classes: int = 0  #: How many puzzles with one solution there are up to symmetry.
    solution_classes: int = 0  #: How many solutions of theirs.
    givens: Counter[int] = field(default_factory=Counter)  #: How many puzzles have each number.
    faults: Counter[FaultKind] = field(default_factory=Counter)  #: How many there are of each kind.
    remarks: list[str] = field(default_factory=list)  #: What is unusual about the text.
    ratings: Ratings | None = None  #: None unless they were asked for.
    against: int | None = None  #: The puzzles of the other file, if there is one.
    #: Puzzles whose solution is, up to symmetry, that of a puzzle of the other file.
    shared_solutions: int = 0
    #: The faults by line; iteration yields each as a `Fault`.
    records: Records = field(default_factory=lambda: np.empty(0, FAULTS), repr=False)

    def __iter__(self) -> Iterator[Fault]:
        """Yield every fault, by line."""
        return map(make_fault, self.records)

    def count(self, rows: Sequence[Row], puzzles: PuzzleDigits, one: NDArray[np.bool_]) -> None:
        """Count some rows and their readable puzzles, of which some have one solution."""
        self.rows += len(rows)
        self.puzzles += len(puzzles)
        self.unique += int(one.sum())
        self.solved += sum(row.pair is not None and row.pair.solution is not None for row in rows)
        self.givens.update((puzzles > 0).sum(axis=1).tolist())
        if self.ratings is not None:
            for puzzle in puzzles[one]:
                self.ratings.add(grade(SudokuPuzzle(puzzle)))

    def keep(self, records: Records) -> None:
        """Keep all faults, by line, and count them."""
        self.records = records[np.lexsort((records["kind"], records["line"]))]
        kinds, counts = np.unique(records["kind"], return_counts=True)
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            self.faults[FaultKind(kind)] = count
