"""All puzzles of order 4: how many have one solution, for every number of givens."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pytest

from sudokucrypt.sudoku.counting.canonical import automorphism_count, canonical_form
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import count_solutions
from tests.sudoku.enumeration import reduced_grids
from tests.sudoku.kernels import COMPILED

PLACES = [np.array([mask >> cell & 1 for cell in range(16)], dtype=bool) for mask in range(1 << 16)]
GIVENS = np.array([mask.bit_count() for mask in range(1 << 16)])

UNIQUE = [
    25728, 284160, 1041408, 2141184, 2961024, 2958336, 2204928, 1239552, 522624, 161280, 34560,
    4608, 288,
]  # fmt: skip
"""Puzzles with one solution that have 4, 5, ... 16 givens."""


@cache
def representatives() -> dict[bytes, tuple[np.ndarray, int]]:
    """Return one grid of each kind and how many there are of it, which are 288 in all."""
    found: dict[bytes, tuple[np.ndarray, int]] = {}
    for cells in reduced_grids((2, 2)):
        grid = canonical_form(SudokuGrid(cells, (2, 2))).grid
        _, number = found.get(grid.cells.tobytes(), (None, 0))
        found[grid.cells.tobytes()] = grid.cells.ravel(), number + 24
    return found


def unique_places(grid: np.ndarray) -> np.ndarray:
    """Return which sets of places determine a grid: no other one agrees with it on all of them."""
    digits = np.array(list(permutations(range(4))))
    grids = digits[:, reduced_grids((2, 2))].reshape(-1, 16)
    agreed = (grids == grid) @ (1 << np.arange(16))
    shared = np.zeros(1 << 16, dtype=bool)
    shared[agreed[agreed < (1 << 16) - 1]] = True
    for cell in range(16):  # what agrees on some places agrees on fewer
        without, with_it = np.moveaxis(shared.reshape(-1, 2, 1 << cell), 1, 0)
        without |= with_it
    return ~shared


def minimal_places(unique: np.ndarray) -> np.ndarray:
    """Return which of these sets have no smaller one among them."""
    minimal = unique.copy()
    for cell in range(16):
        minimal.reshape(-1, 2, 1 << cell)[:, 1] &= ~unique.reshape(-1, 2, 1 << cell)[:, 0]
    return minimal


def test_brute_force_counts_the_puzzles() -> None:
    """So many puzzles have one solution, and so many of them are minimal.

    The minimal ones are those of the Sudopedia article on Shi Doku. For all puzzles it names a sum
    that is larger by 1632, without saying how they were counted.
    """
    every, minimal = np.zeros(17, dtype=int), np.zeros(17, dtype=int)
    for grid, number in representatives().values():
        unique = unique_places(grid)
        every += number * np.bincount(GIVENS[unique], minlength=17)
        minimal += number * np.bincount(GIVENS[minimal_places(unique)], minlength=17)
    assert every.tolist() == [0, 0, 0, 0, *UNIQUE]
    assert minimal.tolist() == [0, 0, 0, 0, 25728, 58368, 1536, *[0] * 10]


def test_there_are_two_kinds_of_grids() -> None:
    """Their symmetries say how many grids are of each kind, and so does counting them."""
    numbers = [number for _, number in representatives().values()]
    assert sum(numbers) == 288
    group = 2 * 8**2 * 24
    grids = [SudokuGrid(grid.reshape(4, 4), (2, 2)) for grid, _ in representatives().values()]
    assert [group // automorphism_count(grid) for grid in grids] == numbers
    assert len(numbers) == 2


@pytest.mark.slow
def test_solver_finds_the_same_puzzles() -> None:
    """For every set of places, or a part of them with the twin, it agrees with brute force."""
    step = 1 if COMPILED else 61
    variant = Variant.standard((2, 2))
    for grid, _ in representatives().values():
        unique = unique_places(grid)
        for mask in range(0, 1 << 16, step):
            givens = np.where(PLACES[mask], grid, -1).astype(np.int32)
            puzzle = SudokuPuzzle._trusted(givens, variant)
            assert (count_solutions(puzzle, limit=2) == 1) == unique[mask]
