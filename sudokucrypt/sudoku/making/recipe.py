"""One attempt at puzzles as they are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.deducing.steps import Level
from sudokucrypt.sudoku.deducing.trace import level_by_hand
from sudokucrypt.sudoku.making.judging import AtSight, ByHand, Judge, Unique, patience
from sudokucrypt.sudoku.making.patterns import Groups
from sudokucrypt.sudoku.model.puzzle import OPEN, SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.search import begin_search
from sudokucrypt.typing import IntArray, RandomSource

Cells = NDArray[np.int32]

Method: TypeAlias = Literal["remove", "add"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True)
class Recipe:
    """What puzzles shall be like; `make_puzzle` says what the parts mean.

    Raises
    ------
    InvalidParameterError
        If the number of givens is out of range, or level or method is unknown.
    """

    variant: Variant
    groups: Groups
    givens: int | None
    level: Level | None
    minimal: bool
    method: Method

    def __post_init__(self) -> None:
        cells = len(self.variant.cells)
        if self.givens is not None and (
            not isinstance(self.givens, int) or not 0 <= self.givens <= cells
        ):
            raise InvalidParameterError(
                f"a puzzle of {cells} cells cannot have {self.givens!r} givens",
                hint=f"ask for a whole number up to {cells}",
            )
        if self.level is not None and not isinstance(self.level, Level):
            raise InvalidParameterError(f"{self.level!r} is no level", hint="use Level.from_text")
        if self.method not in METHODS:
            raise InvalidParameterError(
                f"unknown method {self.method!r}", hint=f"methods are {', '.join(METHODS)}"
            )

    def attempt(self, solutions: Cells, source: RandomSource) -> tuple[Cells, NDArray[np.bool_]]:
        """Return a puzzle for each solution, and which of them are as wanted."""
        number = len(self.groups.sizes)
        orders = source.permutations([number] * len(solutions)).reshape(-1, number)
        # With a level, too many givens are taken away first: it decides which come back.
        fewest = 0 if self.givens is None or self.level is not None else self.givens
        if self.method == "add":
            puzzles = np.array([add(self.variant, row, self.groups, source) for row in solutions])
        else:
            puzzles = solutions.copy()
            remove(puzzles, self.groups, orders, AtSight(self.variant), fewest=fewest)
        if self.minimal or self.givens is not None:
            judge: Judge = Unique(self.variant)
            if self.level is not None and self.level < Level.EXPERT:
                judge = ByHand(self.variant, self.level)
            remove(puzzles, self.groups, orders, judge, fewest=fewest)
        good = np.ones(len(puzzles), dtype=bool)
        if self.level is not None:
            for row, puzzle in enumerate(puzzles):
                good[row] = level_by_hand(self.variant, puzzle.tolist()) is self.level
                if good[row] and self.givens is not None:
                    put_back(
                        self.variant, puzzle, solutions[row], self.groups, orders[row],
                        self.givens, self.level,
                    )  # fmt: skip
        if self.givens is not None:
            good &= (puzzles >= 0).sum(axis=1) == self.givens
        return puzzles, good


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
    A given that was needed once is needed later too, when fewer are left. Hence a puzzle
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
