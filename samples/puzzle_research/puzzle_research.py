"""Research on a puzzle: its unavoidable sets, its backdoors, and its neighbors.

Usage: python puzzle_research.py [PUZZLE]

PUZZLE is an ordinary 9x9 puzzle with one solution, in line form.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku import Level, SudokuPuzzle, find_level, solutions, solve, solve_batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXAMPLE = "100007090030020008009600500005300900010080002600004000300000010040000007007000300"


def find_unavoidable_sets(grid: NDArray[np.int_], digits: int = 2) -> list[tuple[int, ...]]:
    """Return the minimal sets of cells whose digits, `digits` different ones, can be exchanged.

    Every puzzle with this single solution has a given in each set. All cells of each choice of
    digits are opened; the cells that differ in another solution are a set. It is minimal if it
    contains no other set.
    """
    unavoidable_sets = set()
    for chosen in combinations(range(1, 10), digits):
        open_puzzle = SudokuPuzzle(np.where(np.isin(grid, chosen), 0, grid))
        for other_solution in solutions(open_puzzle):
            cells = np.flatnonzero(np.asarray(other_solution).reshape(-1) != grid)
            unavoidable_sets.add(frozenset(cells.tolist()))
    unavoidable_sets.discard(frozenset())  # the grid itself
    minimal = [
        cells
        for cells in unavoidable_sets
        if not any(subset < cells for subset in unavoidable_sets)
    ]
    return sorted(
        (tuple(sorted(cells)) for cells in minimal), key=lambda cells: (len(cells), cells)
    )


def find_backdoors(givens: NDArray[np.int_], grid: NDArray[np.int_]) -> list[tuple[int, ...]]:
    """Return the smallest sets of one or two cells after which singles solve the puzzle."""
    for size in range(3):
        backdoors = []
        for cells in combinations(np.flatnonzero(givens == 0).tolist(), size):
            easier_puzzle = givens.copy()
            easier_puzzle[list(cells)] = grid[list(cells)]
            if find_level(SudokuPuzzle(easier_puzzle)) <= Level.EASY:
                backdoors.append(cells)
        if backdoors:
            return backdoors
    return []


def find_neighbors(givens: NDArray[np.int_]) -> NDArray[np.int_]:
    """Return the puzzles with one solution in which one given is replaced by another given."""
    trials = []
    for removed_cell in np.flatnonzero(givens):
        other_givens = givens.copy()
        other_givens[removed_cell] = 0
        for cell in np.flatnonzero(other_givens == 0):
            trials += [
                [*other_givens[:cell], digit, *other_givens[cell + 1 :]]
                for digit in range(1, 10)
                if (cell, digit) != (removed_cell, givens[removed_cell])
            ]
    array = np.array(trials)
    unique: NDArray[np.int_] = array[solve_batch(array).counts == 1]
    return unique


def main() -> None:
    """Print the results for the puzzle."""
    puzzle = SudokuPuzzle.from_text(sys.argv[1] if len(sys.argv) > 1 else EXAMPLE)
    givens, grid = (np.asarray(sheet).reshape(-1) for sheet in (puzzle, solve(puzzle)))
    sets = find_unavoidable_sets(grid)
    print(f"unavoidable sets of two digits: {len(sets)}, the smallest of {len(sets[0])} cells")
    missed_sets = [cells for cells in sets if not givens[list(cells)].any()]
    print(f"without a given of the puzzle: {len(missed_sets)}")
    backdoors = find_backdoors(givens, grid)
    print(f"backdoors: {len(backdoors)} of {len(backdoors[0]) if backdoors else 'over 2'} cells")
    print(f"puzzles with one given exchanged: {len(find_neighbors(givens))}")


if __name__ == "__main__":
    main()
