"""Grading: how hard a puzzle is, by the techniques that it needs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.board import Board
from sudokucrypt.sudoku.deducing.levels import Level
from sudokucrypt.sudoku.deducing.techniques import Technique
from sudokucrypt.sudoku.deducing.trace import deductions, easiest_step
from sudokucrypt.sudoku.solver import solve

if TYPE_CHECKING:
    from collections.abc import Collection

    from sudokucrypt.sudoku.puzzle import SudokuPuzzle
    from sudokucrypt.sudoku.variant import Variant


@dataclass(frozen=True)
class Grade:
    """What a solution by hand took.

    Parameters
    ----------
    level : Level
        The level that knows every technique that was needed.
    steps : dict of Technique to int
        How many steps of each technique were taken, the easiest first; no zeros.
    """

    level: Level
    steps: dict[Technique, int]


def grade(puzzle: SudokuPuzzle) -> Grade:
    """Solve a puzzle as people do, and tell which techniques that took.

    Raises
    ------
    NoSolutionError, MultipleSolutionsError, UnsupportedError
        As for `deductions`.

    Notes
    -----
    Every step is one of the easiest that lead on, so that a harder technique is counted only where
    nothing easier helps.

    Examples
    --------
    >>> from sudokucrypt.sudoku.puzzle import SudokuPuzzle
    >>> grade(SudokuPuzzle.from_text("1... ..2. .3.. ...4")).level
    <Level.BEGINNER: 0>
    """
    counts = Counter(step.technique for step in deductions(puzzle))
    hardest = max(counts, default=Technique.NAKED_SINGLE)
    return Grade(Level.of(hardest), dict(sorted(counts.items())))


def level_of(puzzle: SudokuPuzzle) -> Level:
    """Return the level of a puzzle: that of its `grade`, found without any trial.

    Raises
    ------
    NoSolutionError, MultipleSolutionsError, UnsupportedError
        As for `deductions`.
    """
    solve(puzzle)
    return level_by_hand(puzzle.variant, puzzle.givens.tolist())


def level_by_hand(variant: Variant, givens: list[int]) -> Level:
    """Return the level of givens that are known to have exactly one solution."""
    board = Board(variant, givens)
    hardest = Technique.NAKED_SINGLE
    while board.left:
        step = easiest_step(board)
        if step is None:
            return Level.EXPERT
        hardest = max(hardest, step.technique)
        board.apply(step)
    return Level.of(hardest)


def tells(variant: Variant, givens: list[int], level: Level, cells: Collection[int]) -> bool:
    """Return whether the techniques of a level, trial left out, fill these cells."""
    board = Board(variant, givens)
    most = min(level.hardest, Technique.HIDDEN_QUAD)
    while not all(board.settled[cell] for cell in cells):
        step = easiest_step(board, most)
        if step is None:
            return False
        board.apply(step)
    return True
