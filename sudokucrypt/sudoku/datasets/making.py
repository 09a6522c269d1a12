"""Collections of puzzles that are made: rated, with their solutions by hand, and split."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count as counted
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidParameterError, UndecidedError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.datasets.digests import class_digests
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.deducing.trace import Grade, deductions, grade
from sudokucrypt.sudoku.making.puzzles import make_puzzles
from sudokucrypt.sudoku.making.recipe import Difficulty
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.workers import Processes

Side: TypeAlias = Literal["train", "test"]

_TOGETHER = 64  # puzzles that are made by one draw of a seed; a change changes all results
_PATIENCE = 1 << 10  # times as many puzzles without one that is wanted


class Example(NamedTuple):
    """A puzzle of a collection.

    `side` is None where the collection is not split, and `steps` is empty without a trace.
    """

    puzzle: SudokuPuzzle
    solution: SudokuPuzzle
    grade: Grade
    side: Side | None
    steps: tuple[Step, ...]


class _Candidate(NamedTuple):
    """The result of a process: an example without a side, and the class of its solution."""

    example: Example
    solution_class: bytes


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

    All grids are equally likely to be solutions, and no given of a puzzle is redundant. No two
    puzzles have solutions that are equivalent, so that none is there twice up to symmetry, and
    none gives away the solution of another.

    Raises `InvalidParameterError` if a value is out of range, no puzzle can be so, or a side would
    be empty; and `UndecidedError` if 65,536 puzzles in a row were not as wanted. Puzzles come one
    after the other, in an order that the seed decides.

    Parameters
    ----------
    count : int
        How many, 1 or more.
    seed : int, optional
        It decides everything but the number of processes; by default the system draws one.
    rating : tuple of float, optional
        The lowest and the highest rating, from 1.0 to 11.0.
    technique : Technique, optional
        One of which each solution by hand takes a step.
    split : float, optional
        The share of ``train``, above 0 and below 1; the others are ``test``. The sizes are exact,
        and a digest of the class of its solution decides where a puzzle belongs: collections of
        other seeds with the same share have no puzzle of the other side.
    trace : bool, optional
        Whether to add the steps of the solution by hand.
    jobs : int, optional
        Processes, 1..1024; None for one on each core. A program that starts some must be safe to
        import.

    Examples
    --------
    >>> [example.side for example in make_dataset(4, 1, split=0.75)].count("train")
    3
    """
    count = checked_integer("the count of puzzles", count, least=1)
    seed = secrets.randbits(64) if seed is None else checked_integer("a seed", seed, least=0)
    sizes = _count_sides(count, split)
    settings = _Maker(seed, Difficulty(rating=rating, technique=technique), trace)
    return _iterate_examples(settings, sizes, split, Processes(jobs))


@dataclass(frozen=True)
class _Maker:
    """The settings by which a process makes puzzles."""

    seed: int
    difficulty: Difficulty
    trace: bool

    def candidates(self, number: int) -> list[_Candidate]:
        """Return those of the puzzles of one part that are as wanted."""
        # Each part has a seed of its own: results do not depend on the number of processes.
        drawn = blake2b(f"{self.seed} {number}".encode(), digest_size=16).digest()
        made = make_puzzles(_TOGETHER, seeded_draws(int.from_bytes(drawn)))
        graded = [(pair, grade(pair.puzzle)) for pair in made]
        wanted = [(pair, grade) for pair, grade in graded if self.difficulty.suits(grade)]
        if not wanted:
            return []
        sheets = [np.array([pair[part].givens + 1 for pair, _ in wanted]) for part in (0, 1)]
        _, classes = class_digests(*sheets, threads=1)
        return [
            _Candidate(Example(*pair, grade, None, self._list_steps(pair.puzzle)), solution)
            for (pair, grade), solution in zip(wanted, classes, strict=True)
        ]

    def _list_steps(self, puzzle: SudokuPuzzle) -> tuple[Step, ...]:
        return tuple(deductions(puzzle)) if self.trace else ()


def _count_sides(count: int, split: float | None) -> dict[Side | None, int]:
    """Return how many puzzles each side has."""
    if split is None:
        return {None: count}
    if not 0 < split < 1:
        raise InvalidParameterError(f"a split is above 0 and below 1, not {split}")
    train = round(count * split)
    if not 0 < train < count:
        raise InvalidParameterError(
            f"a side of {count} puzzles split at {split} would be empty",
            hint="make more puzzles, or split them nearer to the middle",
        )
    return {"train": train, "test": count - train}


def _iterate_examples(
    settings: _Maker, missing: dict[Side | None, int], split: float | None, jobs: Processes
) -> Iterator[Example]:
    """Yield examples until no side misses any."""
    seen: set[bytes] = set()
    barren = 0
    with jobs:
        for candidates in jobs.each(settings.candidates, counted()):
            barren = 0 if candidates else barren + 1
            if barren == _PATIENCE:
                raise UndecidedError(
                    f"none of {_PATIENCE * _TOGETHER} puzzles is as wanted",
                    hint="allow other ratings or another technique",
                )
            for example, solution in candidates:
                side = _choose_side(solution, split)
                # One puzzle for each class: no puzzle for tests is one for training in disguise.
                if solution not in seen and missing[side]:
                    seen.add(solution)
                    missing[side] -= 1
                    yield example._replace(side=side)
            if not any(missing.values()):
                return


def _choose_side(solution: bytes, split: float | None) -> Side | None:
    """Return the side of a class of solutions."""
    if split is None:
        return None
    # By the class, so that equivalent solutions are never on both sides.
    return "train" if int.from_bytes(solution[:8]) < split * 2**64 else "test"
