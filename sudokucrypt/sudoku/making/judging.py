"""Whether givens can be taken away: three judges of different strictness.

Each takes trials, an array of shape (N, cells) with -1 in open cells, and for each of them the
cells that were opened last and the digits that stood there, both of shape (N, k). It returns which
trials are good, provided that they were before.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.deducing.steps import Level
from sudokucrypt.sudoku.deducing.trace import fills
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.sudoku.solving.search import begin_search
from sudokucrypt.typing import IntArray

Cells = NDArray[np.int32]

_NODES, _NODES_OF_OVERLAPPING, _NODES_OF_LARGE = 1_000_000, 10_000, 500
"""What one search may take; a question that takes more stays open, and the given is kept."""

_THREADED = 64
"""Puzzles from which on threads are worth it."""


class Judge(Protocol):
    """Tells which trials are good."""

    def __call__(self, trials: Cells, opened: IntArray, digits: Cells) -> NDArray[np.bool_]:
        """Return one answer for each trial."""
        ...


class AtSight:
    """All other digits are given in cells that see the open one: a naked single at sight."""

    def __init__(self, variant: Variant) -> None:
        peers = [variant.peers(cell).tolist() for cell in range(len(variant.cells))]
        most = max(map(len, peers))
        # The place after the last cell holds no digit.
        table = [near + [len(peers)] * (most - len(near)) for near in peers]
        self._peers = np.array(table, dtype=np.int64).reshape(len(peers), most)
        self._digits = variant.digits

    def __call__(self, trials: Cells, opened: IntArray, digits: Cells) -> NDArray[np.bool_]:
        """Return which trials tell all of the digits at sight."""
        bits = np.zeros((len(trials), trials.shape[1] + 1), dtype=np.uint64)
        bits[:, :-1] = np.where(trials >= 0, _bit(np.maximum(trials, 0)), 0)
        rows = np.arange(len(trials))[:, None, None]
        seen = np.bitwise_or.reduce(bits[rows, self._peers[opened]], axis=2)
        every = np.uint64((1 << self._digits) - 1)
        good: NDArray[np.bool_] = (seen == every ^ _bit(digits)).all(axis=1)
        return good


class Unique:
    """There is one solution."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._plain = variant == Variant.standard()

    def __call__(self, trials: Cells, opened: IntArray, digits: Cells) -> NDArray[np.bool_]:
        """Return which trials have one solution, as far as a bounded search can tell."""
        if self._plain:
            threads = 1 if len(trials) < _THREADED else None
            one: NDArray[np.bool_] = solve_batch(trials, threads=threads).counts == 1
            return one
        return np.array(
            [self._alone(*row) for row in zip(trials, opened, digits, strict=True)], dtype=bool
        )

    def _alone(self, trial: Cells, opened: IntArray, digits: Cells) -> bool:
        """Return whether no other digit can stand in a cell that was opened.

        A second solution has another digit in one of these cells. To suppose each of them in turn
        is far less work than to find the first solution again.
        """
        for cell, digit in zip(opened.tolist(), digits.tolist(), strict=True):
            seen = set(trial[self._variant.peers(cell)].tolist())
            for other in range(self._variant.digits):
                if other != digit and other not in seen:
                    supposed = trial.copy()
                    supposed[cell] = other
                    if not _impossible(SudokuPuzzle._trusted(supposed, self._variant)):
                        return False
        return True


class ByHand:
    """The techniques of a level fill the open cells."""

    def __init__(self, variant: Variant, level: Level) -> None:
        self._variant = variant
        self._level = level
        self._unique = Unique(variant)

    def __call__(self, trials: Cells, opened: IntArray, digits: Cells) -> NDArray[np.bool_]:
        """Return which trials tell all of the digits by the techniques of the level.

        What follows was possible before, and more digits do not make it harder. Where there is a
        second solution no technique helps, and a search sees that sooner.
        """
        good = self._unique(trials, opened, digits)
        for row in np.flatnonzero(good).tolist():
            cells = opened[row].tolist()
            good[row] = fills(self._variant, trials[row].tolist(), self._level, cells)
        return good


def patience(variant: Variant) -> int:
    """Return the nodes of one search: enough to be certain up to 9x9, few beyond.

    In overlapping grids a search may come back to the same corner again and again, with more than
    9 digits it may lose its way for ever; more patience would spare hardly another given.
    """
    if variant.digits > 9:
        return _NODES_OF_LARGE
    return _NODES if len(variant.cells) <= 81 else _NODES_OF_OVERLAPPING


def _impossible(puzzle: SudokuPuzzle) -> bool:
    """Return whether a bounded search finds that there is no solution."""
    search, nothing = begin_search(puzzle, None, rows=0)
    count: int = search.advance(nothing, 1, patience(puzzle.variant))
    return count == 0 and search.finished


def _bit(digits: Cells) -> NDArray[np.uint64]:
    return np.left_shift(np.uint64(1), digits.astype(np.uint64))
