"""Make collections of rated puzzles with solution steps, split into training and test data."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count as counted
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidParameterError, UndecidedError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.datasets.digests import hash_classes
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.deducing.trace import Grade, deductions, grade
from sudokucrypt.sudoku.making.puzzles import make_puzzles
from sudokucrypt.sudoku.making.recipe import Difficulty
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.workers import ProcessWorkers

SplitSide: TypeAlias = Literal["train", "test"]

_BATCH_SIZE = 64  # puzzles per derived seed; another batch size would change all results
_MAX_BARREN_BATCHES = 1 << 10  # the limit of successive batches without a suitable puzzle


class Example(NamedTuple):
    """A puzzle of a collection.

    `side` is None if the collection is not split, and `steps` is empty without a trace.
    """

    puzzle: SudokuPuzzle
    solution: SudokuPuzzle
    grade: Grade
    side: SplitSide | None
    steps: tuple[Step, ...]


class _ExampleCandidate(NamedTuple):
    """An example not yet in training or test data, and the digest of its solution's class."""

    example: Example
    class_digest: bytes


def make_dataset(
    count: int,
    seed: int | None = None,
    *,
    rating: tuple[float, float] | None = None,
    technique: Technique | None = None,
    split: float | None = None,
    trace: bool = False,
    jobs: int | None = 1,
) -> Iterator[Example]:
    """Make a collection of 9x9 puzzles with one solution, as training and test data.

    All grids are equally likely as solutions, and no given of a puzzle is redundant. No two puzzles
    have equivalent solutions, so no puzzle occurs twice up to symmetry, and no puzzle reveals the
    solution of another. Puzzles are yielded one by one, in an order that the seed determines.

    Raises `InvalidParameterError` if a value is out of range, no puzzle can have the difficulty, or
    a side would be empty; and `UndecidedError` if 65,536 successive puzzles are unsuitable.

    Parameters
    ----------
    count : int
        The number of puzzles, 1 or more.
    seed : int, optional
        The number that determines all puzzles, independent of `jobs`; by default it is random.
    rating : tuple of float, optional
        The lowest and the highest rating, from 1.0 to 11.0.
    technique : Technique, optional
        A technique that each solution by hand must use.
    split : float, optional
        The share of ``train``, above 0 and below 1; the others are ``test``. The sizes are exact. A
        digest of the class of its solution decides the side of a puzzle, so with the same share a
        puzzle is on the same side in collections of any seed.
    trace : bool, optional
        Whether to add the steps of the solution by hand.
    jobs : int, optional
        The number of processes, 1..1024; None for one on each core. With several, the main module
        of the program must be safe to import.

    Examples
    --------
    >>> [example.side for example in make_dataset(4, 1, split=0.75)].count("train")
    3
    """
    count = check_integer("the count of puzzles", count, least=1)
    seed = secrets.randbits(64) if seed is None else check_integer("a seed", seed, least=0)
    sizes = _count_side_puzzles(count, split)
    maker = _BatchMaker(seed, Difficulty(rating=rating, technique=technique), trace)
    return _iterate_examples(maker, sizes, split, ProcessWorkers(jobs))


@dataclass(frozen=True)
class _BatchMaker:
    """The settings with which a process makes puzzles."""

    seed: int
    difficulty: Difficulty
    trace: bool

    def make_batch(self, number: int) -> list[_ExampleCandidate]:
        """Return the suitable puzzles of batch `number`."""
        # Each batch has a separate seed, so results do not depend on the number of processes.
        batch_seed = blake2b(f"{self.seed} {number}".encode(), digest_size=16).digest()
        made_pairs = make_puzzles(_BATCH_SIZE, seeded_draws(int.from_bytes(batch_seed)))
        graded_pairs = [(pair, grade(pair.puzzle)) for pair in made_pairs]
        suitable_pairs = [
            (pair, grade) for pair, grade in graded_pairs if self.difficulty.accepts(grade)
        ]
        if not suitable_pairs:
            return []
        digits = [
            np.array([pair[index].givens + 1 for pair, _ in suitable_pairs]) for index in (0, 1)
        ]
        _, classes = hash_classes(*digits, threads=1)
        return [
            _ExampleCandidate(Example(*pair, grade, None, self._list_steps(pair.puzzle)), solution)
            for (pair, grade), solution in zip(suitable_pairs, classes, strict=True)
        ]

    def _list_steps(self, puzzle: SudokuPuzzle) -> tuple[Step, ...]:
        return tuple(deductions(puzzle)) if self.trace else ()


def _count_side_puzzles(count: int, train_share: float | None) -> dict[SplitSide | None, int]:
    """Return the number of training puzzles and of test puzzles, or of all without a split."""
    if train_share is None:
        return {None: count}
    if not 0 < train_share < 1:
        raise InvalidParameterError(f"a split is above 0 and below 1, not {train_share}")
    train_count = round(count * train_share)
    if not 0 < train_count < count:
        raise InvalidParameterError(
            f"one side would be empty if {count} puzzles were split at {train_share}",
            hint="make more puzzles, or split them nearer to the middle",
        )
    return {"train": train_count, "test": count - train_count}


def _iterate_examples(
    maker: _BatchMaker,
    missing_counts: dict[SplitSide | None, int],
    train_share: float | None,
    jobs: ProcessWorkers,
) -> Iterator[Example]:
    """Yield examples until none is missing; `missing_counts` has the number to make per side."""
    used_class_digests: set[bytes] = set()
    barren_batch_count = 0
    with jobs:
        for candidates in jobs.each(maker.make_batch, counted()):
            barren_batch_count = 0 if candidates else barren_batch_count + 1
            if barren_batch_count == _MAX_BARREN_BATCHES:
                raise UndecidedError(
                    f"no puzzle was suitable in {_MAX_BARREN_BATCHES * _BATCH_SIZE} attempts",
                    hint="allow other ratings or another technique",
                )
            for example, class_digest in candidates:
                side = _choose_split_side(class_digest, train_share)
                # Keep one puzzle per class, so no test puzzle is equivalent to a training puzzle.
                if class_digest not in used_class_digests and missing_counts[side]:
                    used_class_digests.add(class_digest)
                    missing_counts[side] -= 1
                    yield example._replace(side=side)
            if not any(missing_counts.values()):
                return


def _choose_split_side(class_digest: bytes, train_share: float | None) -> SplitSide | None:
    """Return whether puzzles with solutions of this class are training or test data."""
    if train_share is None:
        return None
    # The class decides, so equivalent solutions are never on both sides.
    return "train" if int.from_bytes(class_digest[:8]) < train_share * 2**64 else "test"
