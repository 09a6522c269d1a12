"""The course of a solution by hand: always the easiest step, trial when there is no other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.across import fish, xy_wing
from sudokucrypt.sudoku.deducing.board import Board, digits_of
from sudokucrypt.sudoku.deducing.in_houses import (
    hidden_single,
    hidden_subset,
    locked_candidates,
    naked_single,
    naked_subset,
)
from sudokucrypt.sudoku.deducing.step import Step
from sudokucrypt.sudoku.deducing.techniques import Technique
from sudokucrypt.sudoku.solver import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sudokucrypt.sudoku.puzzle import SudokuPuzzle

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
    >>> from sudokucrypt.sudoku.puzzle import SudokuPuzzle
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
