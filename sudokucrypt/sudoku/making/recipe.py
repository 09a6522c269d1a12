"""One attempt at puzzles as they are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.deducing.grading import level_by_hand
from sudokucrypt.sudoku.deducing.levels import Level
from sudokucrypt.sudoku.making.adding import add, put_back
from sudokucrypt.sudoku.making.judging import AtSight, ByHand, Unique
from sudokucrypt.sudoku.making.removal import remove

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.sudoku.making.judging import Judge
    from sudokucrypt.sudoku.making.patterns import Groups
    from sudokucrypt.sudoku.variant import Variant
    from sudokucrypt.typing import RandomSource

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
