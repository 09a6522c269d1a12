"""Puzzles that the tests of the solvers share."""

import numpy as np

from sudokucrypt.sudoku import SudokuPuzzle, is_unique, random_solution, seeded_draws
from sudokucrypt.sudoku.model.variant import Variant

ROYLE = (
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
    "693784512487512936125963874932651487568247391741398625319475268856129743274836159",
)
"""The first puzzle of Gordon Royle's collection with 17 givens, and its solution."""

HARD = {
    "AI Escargot": (
        "100007090030020008009600500005300900010080002600004000300000010040000007007000300"
    ),
    "Arto Inkala 2012": (
        "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
    ),
    "Golden Nugget": (
        "000000039000010005003005800008009006070020000100400000009008050020000600400700000"
    ),
    "Easter Monster": (
        "100000002090400050006000700050903000000070000000850040700000600030009080002000001"
    ),
    "Platinum Blonde": (
        "000000012000000003002300400001800005060070800000009000008500000900040500470006000"
    ),
}
"""Puzzles that were at some time called the hardest, as they are known in the puzzle forums."""


def sparse(variant: Variant, seed: int, *, tries: int | None = None) -> SudokuPuzzle:
    """Return a puzzle with one solution: a random grid without what could be taken away."""
    rng = np.random.default_rng(seed)
    givens = random_solution(variant, seeded_draws(seed)).givens.copy()
    for cell in rng.permutation(len(givens))[:tries]:
        digit, givens[cell] = givens[cell], -1
        if not is_unique(SudokuPuzzle(givens, variant, first=0, empty=-1)):
            givens[cell] = digit
    return SudokuPuzzle(givens, variant, first=0, empty=-1)


def spoilt(puzzle: SudokuPuzzle, seed: int) -> SudokuPuzzle:
    """Return the puzzle with another digit in an open cell, which leaves it without a solution."""
    rng = np.random.default_rng(seed)
    givens = puzzle.givens.copy()
    for cell in rng.permutation(np.flatnonzero(givens < 0)):
        near = givens[puzzle.variant.peers(int(cell))]
        free = np.setdiff1d(np.arange(puzzle.variant.digits), near)
        for digit in rng.permutation(free):
            givens[cell] = digit
            changed = SudokuPuzzle(givens, puzzle.variant, first=0, empty=-1)
            if not is_unique(changed):
                return changed
        givens[cell] = -1
    raise AssertionError("every digit fits everywhere")


def thinned(puzzle: SudokuPuzzle, seed: int, count: int) -> SudokuPuzzle:
    """Return the puzzle with some givens less."""
    rng = np.random.default_rng(seed)
    givens = puzzle.givens.copy()
    givens[rng.choice(np.flatnonzero(givens >= 0), count, replace=False)] = -1
    return SudokuPuzzle(givens, puzzle.variant, first=0, empty=-1)
