"""What people study in puzzles: unavoidable sets, backdoors, and the puzzles next to one.

Usage: python puzzle_research.py [PUZZLE]

PUZZLE is an ordinary 9x9 puzzle with one solution, in line form.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku import Level, SudokuPuzzle, level_of, solutions, solve, solve_batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXAMPLE = "100007090030020008009600500005300900010080002600004000300000010040000007007000300"


def find_unavoidable_sets(grid: NDArray[np.int_], digits: int = 2) -> list[tuple[int, ...]]:
    """Return the minimal sets of cells whose digits, a few different ones, can be exchanged.

    A puzzle with this one solution gives a cell of each set. Each choice of digits is opened; what
    differs in another solution is a set, and is minimal if no other one is part of it.
    """
    found = set()
    for chosen in combinations(range(1, 10), digits):
        opened = SudokuPuzzle(np.where(np.isin(grid, chosen), 0, grid))
        for other in solutions(opened):
            cells = np.flatnonzero(np.asarray(other).reshape(-1) != grid)
            found.add(frozenset(cells.tolist()))
    found.discard(frozenset())  # the grid itself
    minimal = [cells for cells in found if not any(part < cells for part in found)]
    return sorted(
        (tuple(sorted(cells)) for cells in minimal), key=lambda cells: (len(cells), cells)
    )


def find_backdoors(givens: NDArray[np.int_], grid: NDArray[np.int_]) -> list[tuple[int, ...]]:
    """Return the smallest sets of up to two cells whose digits leave the rest to singles."""
    for size in range(3):
        found = []
        for cells in combinations(np.flatnonzero(givens == 0).tolist(), size):
            eased = givens.copy()
            eased[list(cells)] = grid[list(cells)]
            if level_of(SudokuPuzzle(eased)) <= Level.EASY:
                found.append(cells)
        if found:
            return found
    return []


def find_neighbors(givens: NDArray[np.int_]) -> NDArray[np.int_]:
    """Return the puzzles with one solution in which another given replaces a given."""
    trials = []
    for taken in np.flatnonzero(givens):
        rest = givens.copy()
        rest[taken] = 0
        for cell in np.flatnonzero(rest == 0):
            trials += [
                [*rest[:cell], digit, *rest[cell + 1 :]]
                for digit in range(1, 10)
                if (cell, digit) != (taken, givens[taken])
            ]
    array = np.array(trials)
    unique: NDArray[np.int_] = array[solve_batch(array).counts == 1]
    return unique


def main() -> None:
    """Print what the puzzle has of each."""
    puzzle = SudokuPuzzle.from_text(sys.argv[1] if len(sys.argv) > 1 else EXAMPLE)
    givens, grid = (np.asarray(sheet).reshape(-1) for sheet in (puzzle, solve(puzzle)))
    sets = find_unavoidable_sets(grid)
    print(f"unavoidable sets of two digits: {len(sets)}, the smallest of {len(sets[0])} cells")
    missed = [cells for cells in sets if not givens[list(cells)].any()]
    print(f"without a given of the puzzle: {len(missed)}")
    backdoors = find_backdoors(givens, grid)
    print(f"backdoors: {len(backdoors)} of {len(backdoors[0]) if backdoors else 'over 2'} cells")
    print(f"puzzles with one given exchanged: {len(find_neighbors(givens))}")


if __name__ == "__main__":
    main()
