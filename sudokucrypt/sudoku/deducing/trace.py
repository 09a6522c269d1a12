"""The course of a solution by hand: always the easiest step, trial when there is no other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.board import Board, digits_of
from sudokucrypt.sudoku.deducing.finders import (
    fish,
    hidden_single,
    hidden_subset,
    locked_candidates,
    naked_single,
    naked_subset,
    xy_wing,
)
from sudokucrypt.sudoku.deducing.steps import Level, Step, Technique
from sudokucrypt.sudoku.solving.solver import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
    from sudokucrypt.sudoku.model.variant import Variant

_FINDERS: dict[Technique, Callable[[Board], Step | None]] = {
    Technique.NAKED_SINGLE: naked_single,
    Technique.HIDDEN_SINGLE: hidden_single,
    Technique.LOCKED_CANDIDATES: locked_candidates,
    Technique.NAKED_PAIR: partial(naked_subset, size=2),
    Technique.HIDDEN_PAIR: partial(hidden_subset, size=2),
    Technique.NAKED_TRIPLE: partial(naked_subset, size=3),
    Technique.HIDDEN_TRIPLE: partial(hidden_subset, size=3),
    Technique.X_WING: partial(fish, size=2),
    Technique.XY_WING: xy_wing,
    Technique.SWORDFISH: partial(fish, size=3),
    Technique.NAKED_QUAD: partial(naked_subset, size=4),
    Technique.HIDDEN_QUAD: partial(hidden_subset, size=4),
}


def deductions(puzzle: SudokuPuzzle) -> Iterator[Step]:
    """Solve a puzzle of any variant as people do.

    Parameters
    ----------
    puzzle : SudokuPuzzle
        With exactly one solution.

    Returns
    -------
    iterator of Step
        Each follows from the givens and the steps before it; after the last one every cell is
        filled. There is a step for each open cell that fills it.

    Raises
    ------
    NoSolutionError, MultipleSolutionsError
        At once, if there is not exactly one solution.
    UnsupportedError
        If the puzzle has more than 64 digits.

    Notes
    -----
    The easiest technique that leads on is taken, in the order of `Technique`. When there is none
    but trial, candidates are supposed one after the other, first those of cells with fewest,
    until one fails by singles alone. If none does, the first candidate that a search refutes is
    struck. The steps do not lean on the fact that there is one solution.

    Examples
    --------
    >>> from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
    >>> steps = list(deductions(SudokuPuzzle.from_text("1... ..2. .3.. ...4")))
    >>> len(steps), str(steps[0])
    (12, 'naked single: 4 in r2c2')
    """
    return _steps(puzzle, solve(puzzle).givens.tolist())


def _steps(puzzle: SudokuPuzzle, solution: list[int]) -> Iterator[Step]:
    board = Board(puzzle.variant, puzzle.givens.tolist())
    while board.left:
        step = easiest_step(board) or _trial(board, solution)
        yield step
        board.apply(step)


def easiest_step(board: Board, most: Technique = Technique.HIDDEN_QUAD) -> Step | None:
    """Return a step of the easiest technique, or None if none up to `most` leads on."""
    for technique, find in _FINDERS.items():
        if technique > most:
            break
        if step := find(board):
            return step
        if board.broken:
            break
    return None


def _trial(board: Board, solution: list[int]) -> Step:
    """Return a candidate that is wrong."""
    bits = board.candidates
    order = sorted(board.open_cells(range(len(bits))), key=lambda cell: bits[cell].bit_count())
    candidates = [(cell, digit) for cell in order for digit in digits_of(bits[cell])]
    for cell, digit in candidates:
        if _fails(board, cell, digit):
            break
    else:
        # All other solutions were searched for in vain, so any other digit fails.
        cell, digit = next((cell, digit) for cell, digit in candidates if digit != solution[cell])
    struck = ((cell, digit),)
    return Step(Technique.TRIAL, (cell,), (digit,), (), struck, board.layout.variant)


def _fails(board: Board, cell: int, digit: int) -> bool:
    """Return whether singles refute a candidate."""
    supposed = board.copy()
    supposed.settle(cell, digit)
    while not supposed.broken and (step := easiest_step(supposed, Technique.HIDDEN_SINGLE)):
        supposed.apply(step)
    return supposed.broken


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
    >>> from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
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


def fills(variant: Variant, givens: list[int], level: Level, cells: Collection[int]) -> bool:
    """Return whether the techniques of a level, trial left out, fill these cells."""
    board = Board(variant, givens)
    most = min(level.hardest, Technique.HIDDEN_QUAD)
    while not all(board.settled[cell] for cell in cells):
        step = easiest_step(board, most)
        if step is None:
            return False
        board.apply(step)
    return True
