"""Taking givens away, from many puzzles at once, and putting some back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.sudoku.making.judging import Judge
    from sudokucrypt.sudoku.making.patterns import Groups
    from sudokucrypt.typing import IntArray

    Cells = NDArray[np.int32]


def remove(
    givens: Cells, groups: Groups, orders: IntArray, judge: Judge, *, fewest: int = 0
) -> None:
    """Take away every group that a judge can spare, in place.

    Parameters
    ----------
    givens : ndarray of shape (N, cells), dtype int32
        Puzzles that the judge holds for good.
    groups : Groups
        What is taken away together. Each is given or open as a whole.
    orders : ndarray of shape (N, groups), dtype int64
        In which order the groups of each puzzle are tried.
    judge : Judge
        Sees one trial of each puzzle at a time.
    fewest : int, optional
        How many givens are left at least.

    Notes
    -----
    What cannot be spared once cannot be spared later, when fewer givens are left. Hence a puzzle
    that has been through it with ``fewest=0`` is minimal.
    """
    rows = np.arange(len(givens))
    counts = (givens >= 0).sum(axis=1)
    for chosen in orders.T:
        opened, sizes = groups.members[chosen], groups.sizes[chosen]
        wanted = (givens[rows, opened[:, 0]] >= 0) & (counts - sizes >= fewest)
        active = np.flatnonzero(wanted)
        if not len(active):
            continue
        opened = opened[active]
        trials = givens[active]
        digits = np.take_along_axis(trials, opened, axis=1)
        np.put_along_axis(trials, opened, -1, axis=1)
        good = judge(trials, opened, digits)
        givens[active[good]] = trials[good]
        counts[active[good]] -= sizes[active[good]]
