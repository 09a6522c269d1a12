"""Giving more digits: where two solutions differ, or as many as are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku.deducing.grading import level_by_hand
from sudokucrypt.sudoku.making.judging import patience
from sudokucrypt.sudoku.puzzle import OPEN, SudokuPuzzle
from sudokucrypt.sudoku.solver import begin_search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.sudoku.deducing.levels import Level
    from sudokucrypt.sudoku.making.patterns import Groups
    from sudokucrypt.sudoku.variant import Variant
    from sudokucrypt.typing import IntArray, RandomSource

    Cells = NDArray[np.int32]


def add(variant: Variant, solution: Cells, groups: Groups, source: RandomSource) -> Cells:
    """Give digits of a solution where another one differs, until there is no other one.

    Parameters
    ----------
    variant : Variant
        The rules.
    solution : ndarray of shape (cells,), dtype int32
        What the puzzle shall lead to.
    groups : Groups
        What is given together.
    source : RandomSource
        Draws one of the cells where the two differ, each time; any open cell where a short search
        ends without a second solution, which happens with large orders.

    Returns
    -------
    ndarray of shape (cells,), dtype int32
        A puzzle with one solution. It is not minimal: what was given early may follow from what
        was given late.
    """
    group_of = np.empty(len(solution), dtype=np.int64)
    group_of[groups.members] = np.arange(len(groups.sizes))[:, None]
    givens = np.full_like(solution, OPEN)
    while True:
        search, found = begin_search(SudokuPuzzle._trusted(givens.copy(), variant), None, rows=2)
        count = search.advance(found, 2, patience(variant))
        different = (found[:count] != solution).any(axis=0)
        if not different.any():
            if search.finished:
                return givens
            different = givens == OPEN
        places = np.flatnonzero(different)
        cell = places[source.below(len(places))]
        members = groups.members[group_of[cell]]
        givens[members] = solution[members]


def put_back(
    variant: Variant, givens: Cells, solution: Cells, groups: Groups, order: IntArray,
    wanted: int, level: Level,
) -> None:  # fmt: skip
    """Give more digits as long as the level stays and until so many are given, in place.

    Parameters
    ----------
    variant : Variant
        The rules.
    givens, solution : ndarray of shape (cells,), dtype int32
        A puzzle of this level, and what it leads to.
    groups : Groups
        What is given together.
    order : ndarray of shape (groups,), dtype int64
        In which order the groups are tried.
    wanted : int
        How many givens are enough.
    level : Level
        What the puzzle shall keep.
    """
    for group in order:
        missing = wanted - int((givens >= 0).sum())
        members = groups.members[group]
        if givens[members[0]] >= 0 or groups.sizes[group] > missing:
            continue
        trial = givens.copy()
        trial[members] = solution[members]
        if level_by_hand(variant, trial.tolist()) is level:
            givens[members] = solution[members]
