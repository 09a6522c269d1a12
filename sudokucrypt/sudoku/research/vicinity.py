"""The vicinity of a puzzle: those with one solution in which one given is exchanged for another."""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.model.array_interface import OPEN
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, as_puzzle
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.sudoku.solving.solver import is_ordinary
from sudokucrypt.typing import CellDigits


def vicinity(puzzle: PuzzleLike) -> NDArray[np.uint8]:
    """Return the puzzles with one solution that differ from one by one given, {-1+1}.

    One given is taken away, and another one added, in any open cell or as another digit in the same
    cell; the solution may be another. Some need fewer givens than they have, as the puzzle may.

    Raises `UnsupportedError` if it is of another kind. The rows of the result have digits 1..9 with
    0 in open cells, in the order of what was taken away, the cell and the digit of what was added.
    The puzzle itself is not among them.

    Parameters
    ----------
    puzzle : SudokuPuzzle or what becomes one
        An ordinary puzzle of 9x9 with givens.

    Examples
    --------
    >>> grid = "1.......2" + "." * 63 + "3.......4"
    >>> vicinity(grid).shape
    (0, 81)
    """
    puzzle = as_puzzle(puzzle)
    if not is_ordinary(puzzle.variant):
        raise UnsupportedError("the vicinity of ordinary puzzles alone is searched")
    givens = puzzle.givens
    parts = [_exchanged(givens, cell) for cell in np.flatnonzero(givens != OPEN).tolist()]
    if not parts:
        return np.empty((0, 81), dtype=np.uint8)
    trials = np.concatenate(parts)
    unique = trials[solve_batch(trials, first=0, empty=OPEN, limit=2).counts == 1]
    near: NDArray[np.uint8] = (unique + 1).astype(np.uint8)
    return near


def _exchanged(givens: CellDigits, taken: int) -> CellDigits:
    """Return a puzzle without a given and with each other one that breaks no rule at sight."""
    rest = givens.copy()
    rest[taken] = OPEN
    cells, digits = np.divmod(np.arange(81 * 9), 9)
    rows, columns, boxes = cells // 9, cells % 9, cells // 27 * 3 + cells % 9 // 3
    held = np.flatnonzero(rest != OPEN)
    seen = np.zeros((3, 9, 9), dtype=bool)
    for kind, house in enumerate((held // 9, held % 9, held // 27 * 3 + held % 9 // 3)):
        seen[kind, house, rest[held]] = True
    fits = (rest[cells] == OPEN) & ~(seen[0, rows, digits] | seen[1, columns, digits])
    fits &= ~seen[2, boxes, digits] & ((cells != taken) | (digits != givens[taken]))
    trials = np.tile(rest, (int(fits.sum()), 1))
    trials[np.arange(len(trials)), cells[fits]] = digits[fits]
    return trials
