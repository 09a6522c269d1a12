"""What an audit finds: what is wrong in a collection, and what it consists of."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.datasets.digests import PuzzleDigits
from sudokucrypt.sudoku.datasets.faults import FAULTS, Fault, FaultKind, fault_of
from sudokucrypt.sudoku.datasets.rows import Row
from sudokucrypt.sudoku.deducing.trace import Grade, grade
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

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
    """What a collection consists of, and what is wrong with it."""

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
        return map(fault_of, self.records)

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
