"""Ordinary puzzles of fewer givens than taking away leaves: two givens are exchanged for one.

A puzzle from which nothing can be taken has neighbours with the same solution, in which one given
is elsewhere. Some of them allow what the puzzle itself does not.
"""

from itertools import combinations

import numpy as np

from sudokucrypt.sudoku.model.array_interface import OPEN
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.typing import CellDigits, IntArray, RandomSource

# No ordinary puzzle of fewer givens has one solution (McGuire, Tugemann and Civario, 2012).
FEWEST = 17
# Numbers of givens that this finds within seconds, and that taking away seldom or never leaves.
REACHED = range(20, 24)

_ROUNDS = 30  # after which another grid is the better choice
_PAIRS = 40  # tried at once
_PLACES = 3  # givens of which one is put elsewhere


def exchange_givens(
    puzzle: CellDigits, solution: CellDigits, fewest: int, source: RandomSource
) -> CellDigits:
    """Return a puzzle of `fewest` givens, or of as few as were found, with the same solution."""
    for _ in range(_ROUNDS):
        cells = np.flatnonzero(puzzle != OPEN)
        if len(cells) <= fewest:
            break
        pairs = np.array(list(combinations(cells.tolist(), 2)))
        pairs = pairs[source.permutations([len(pairs)])]
        # Few at a time: the first puzzle that works is enough.
        for part in np.split(pairs, range(_PAIRS, len(pairs), _PAIRS)):
            unique = _unique(puzzle, solution, part)
            if len(unique):
                puzzle = unique[0]
                break
        else:
            drawn = cells[source.permutations([len(cells)])[:_PLACES], None]
            unique = _unique(puzzle, solution, drawn)
            if len(unique):
                puzzle = unique[source.below(len(unique))]
    return puzzle


def _unique(puzzle: CellDigits, solution: CellDigits, opened: IntArray) -> CellDigits:
    """Return the puzzles of one solution in which a new given replaces those of a row."""
    free = np.flatnonzero(puzzle == OPEN)
    trials = np.tile(puzzle, (len(opened) * len(free), 1))
    rows = np.arange(len(trials))
    trials[rows[:, None], np.repeat(opened, len(free), axis=0)] = OPEN
    cells = np.tile(free, len(opened))
    trials[rows, cells] = solution[cells]
    unique: CellDigits = trials[solve_batch(trials, first=0, empty=OPEN, threads=1).counts == 1]
    return unique
