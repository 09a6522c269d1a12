"""Measure the Sudoku solvers on puzzles made here: ``python tests/benchmarks/sudoku_solver.py``.

One thread, best of many short rounds, since a busy machine only ever adds time. The 9x9 sets are
minimal puzzles, of which no given can be taken away (random grids from which givens were removed
in random order, about 24 are left), and random images under the symmetries of the rules of known
puzzles with 17 givens and of known hard ones. The larger puzzles are minimal as far as
`make_puzzle` can tell.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku import make_puzzle
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import Symmetry
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.batch import read_batch, solve_batch
from sudokucrypt.sudoku.solving.solver import is_unique, random_solution, solve
from tests.sudoku.puzzles import HARD, ROYLE

ROUNDS = 50
LARGE = [Variant.x(), Variant.samurai(), Variant.standard((4, 4)), Variant.x((4, 4))]


def main() -> None:
    """Print a line for each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000, help="puzzles in the first set")
    count = parser.parse_args().count
    print("kernels:", load_kernels("sudokucrypt.sudoku._kernels", "solver").__name__)
    minimal = _minimal(count)
    print(f"minimal: {(minimal >= 0).sum() / count:.2f} givens on average")
    _measure("minimal", minimal)
    _measure("17 givens", _images([ROYLE[0]], count))
    _measure("hard", _images(list(HARD.values()), max(1, count // 4)))
    for variant in LARGE:
        seconds = []
        for seed in range(5):
            puzzle, _ = make_puzzle(seeded_draws(seed), variant)
            seconds.append(min(_seconds(puzzle) for _ in range(ROUNDS)))
        print(
            f"{variant.name}: {puzzle.number_of_givens} givens in the last of 5 minimal puzzles, "
            f"{np.median(seconds) * 1e3:.2f} ms median, {max(seconds) * 1e3:.2f} ms at most"
        )


def _minimal(count: int) -> np.ndarray:
    """Return minimal 9x9 puzzles."""
    source, puzzles = seeded_draws(1), []
    variant = Variant.standard()
    for _ in range(count):
        givens = random_solution(variant, source).givens.astype(np.int32)
        for cell in source.permutations([81]).tolist():
            digit, givens[cell] = givens[cell], -1
            if not is_unique(SudokuPuzzle._trusted(givens.copy(), variant)):
                givens[cell] = digit
        puzzles.append(givens)
    return np.array(puzzles)


def _images(texts: list[str], count: int) -> np.ndarray:
    """Return random images of these puzzles."""
    source, images = seeded_draws(2), []
    puzzles = read_batch("\n".join(texts)).reshape(-1, 9, 9)
    for number in range(count):
        symmetry = Symmetry.random((3, 3), source)
        moved = puzzles[number % len(puzzles)][np.ix_(symmetry.rows, symmetry.columns)]
        image = np.where(moved < 0, -1, symmetry.digits[moved])
        images.append((image.T if symmetry.transposed else image).ravel())
    return np.array(images)


def _measure(name: str, puzzles: np.ndarray) -> None:
    """Print how many puzzles are solved and proved unique in a second."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        counts, _ = solve_batch(puzzles, threads=1)
        best = min(best, time.perf_counter() - start)
    if (counts != 1).any():
        raise SystemExit(f"{name}: a puzzle has not one solution")
    print(f"{name}: {len(puzzles)} puzzles, {len(puzzles) / best:,.0f} per second")


def _seconds(puzzle: SudokuPuzzle) -> float:
    """Return how long it takes to solve a puzzle and prove its solution the only one."""
    start = time.perf_counter()
    solve(puzzle)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
