"""Puzzles that tests share: puzzles.txt has a line for each."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.sudoku import SudokuPuzzle, is_unique, random_solution, seeded_draws
from sudokucrypt.sudoku.model.variant import Variant

_ROWS = [
    line.split(":")
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
SOLUTIONS = {puzzle: solution for puzzle, _, solution, *_ in _ROWS}
HARD = {name: puzzle for puzzle, *_, name in _ROWS if name and name != "Royle"}
"""Puzzles that were at some time called the hardest."""
RATED = {puzzle: float(rating) for puzzle, _, _, rating, _ in _ROWS if rating}
"""Ratings by the program whose scale ours follows."""
ROYLE = next((puzzle, solution) for puzzle, _, solution, _, name in _ROWS if name == "Royle")
"""The first puzzle of Gordon Royle's collection with 17 givens, and its solution."""


def make_engine_puzzle(givens: ArrayLike, variant: Variant) -> SudokuPuzzle:
    """Return the puzzle with givens in the internal form: digits from 0, and -1 in open cells."""
    return SudokuPuzzle(givens, variant, first=0, empty=-1)


def make_sparse_puzzle(variant: Variant, seed: int, *, attempts: int | None = None) -> SudokuPuzzle:
    """Return a puzzle with one solution: a random grid without most removable givens."""
    rng = np.random.default_rng(seed)
    givens = random_solution(variant, seeded_draws(seed)).givens.copy()
    for cell in rng.permutation(len(givens))[:attempts]:
        digit, givens[cell] = givens[cell], -1
        if not is_unique(make_engine_puzzle(givens, variant)):
            givens[cell] = digit
    return make_engine_puzzle(givens, variant)


def make_unsolvable_puzzle(puzzle: SudokuPuzzle, seed: int) -> SudokuPuzzle:
    """Return the puzzle with a wrong digit in an open cell, which leaves it without a solution."""
    rng = np.random.default_rng(seed)
    givens = puzzle.givens.copy()
    for cell in rng.permutation(np.flatnonzero(givens < 0)):
        peer_givens = givens[puzzle.variant.peers(int(cell))]
        free = np.setdiff1d(np.arange(puzzle.variant.digits), peer_givens)
        for digit in rng.permutation(free):
            givens[cell] = digit
            changed = make_engine_puzzle(givens, puzzle.variant)
            if not is_unique(changed):
                return changed
        givens[cell] = -1
    raise AssertionError("every digit fits everywhere")


def remove_random_givens(puzzle: SudokuPuzzle, seed: int, count: int) -> SudokuPuzzle:
    """Return the puzzle without `count` of its givens."""
    rng = np.random.default_rng(seed)
    givens = puzzle.givens.copy()
    givens[rng.choice(np.flatnonzero(givens >= 0), count, replace=False)] = -1
    return make_engine_puzzle(givens, puzzle.variant)
