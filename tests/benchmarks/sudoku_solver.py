"""Measure the Sudoku solvers on puzzles made here: ``python tests/benchmarks/sudoku_solver.py``.

One thread, best of many short rounds, since a busy machine only ever adds time. The 9x9 lists are
minimal puzzles, of which no given can be taken away (random grids from which givens were removed
in random order, about 24 are left), those of them that need most nodes, and random images under
the symmetries of the rules of known puzzles with 17 givens and of known hard ones. The larger
puzzles are minimal as far as `make_puzzle` can tell.

Where the history of the repository and a compiler are there, the lists are solved in turns by the
solver of an old commit too, and the ratio of the speeds is printed.
"""

import argparse
import sys
import tempfile
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku import make_puzzle, make_puzzles
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import Symmetry
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.batch import read_batch, solve_batch
from sudokucrypt.sudoku.solving.solver import solve
from tests.benchmarks.past import checkout
from tests.sudoku.puzzles import HARD, ROYLE

Puzzles = NDArray[np.int8]

ROUNDS = 50
OLD = "9ef396b"
"""The commit with the solver of one puzzle at a time."""
WANTED = {"17 givens": 1.2, "minimal": 1.5, "most nodes": 1.6, "known hard ones": 1.6}
"""The lists, and how many times faster than the old solver the new one is meant to be."""
SEVENTEEN = [
    ROYLE[0],
    "000000010300000000020000000000050407008000300001090000070400200050100000000806000",
    "000000010400000000020000000000050407008000300001090000030400200050100000000806000",
    "000000010400000000020000000000050407008000300001090000030400700050100000000806000",
    "000000010400000000020000000000050407008000300001090000070400200050100000000806000",
    "000000010400000000020000000000050407008000300001090000300400700050100000000806000",
]
"""One of Royle's puzzles, and those that come of it when one given after the other is moved."""
LARGE = [Variant.x(), Variant.samurai(), Variant.standard((4, 4)), Variant.x((4, 4))]


def main() -> None:
    """Print a line for each list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000, help="puzzles in the longest lists")
    count = parser.parse_args().count
    print("kernels:", load_kernels("sudokucrypt.sudoku._kernels", "solver").__name__)
    for name, puzzles in make_lists(count).items():
        givens = (puzzles >= 0).sum() / len(puzzles)
        speed = len(puzzles) / _best(puzzles)
        print(f"{name}: {len(puzzles)} puzzles of {givens:.2f} givens, {speed:,.0f} per second")
    for name, ratio in old_and_new(count).items():
        print(f"{name}: " + (f"{ratio:.2f} times as fast as before" if ratio else "not compared"))
    for variant in LARGE:
        seconds = []
        for seed in range(5):
            puzzle, _ = make_puzzle(seeded_draws(seed), sheet=variant)
            seconds.append(min(_seconds(puzzle) for _ in range(ROUNDS)))
        print(
            f"{variant.name}: {puzzle.number_of_givens} givens in the last of 5 minimal puzzles, "
            f"{np.median(seconds) * 1e3:.2f} ms median, {max(seconds) * 1e3:.2f} ms at most"
        )


def make_lists(count: int) -> dict[str, Puzzles]:
    """Return puzzles with one solution, shape (N, 81), under the names in `WANTED`."""
    made = make_puzzles(count, seeded_draws(1))
    minimal = np.array([puzzle.givens for puzzle, _ in made], dtype=np.int8)
    order = np.argsort([-_nodes(row) for row in minimal], kind="stable")
    some = max(1, count // 8)
    return {
        "17 givens": _images(read_batch("\n".join(SEVENTEEN)) - 1, count),
        "minimal": minimal,
        "most nodes": minimal[order[:some]],
        "known hard ones": _images(read_batch("\n".join(HARD.values())) - 1, some),
    }


def old_and_new(count: int = 2_000, rounds: int = ROUNDS) -> dict[str, float | None]:
    """Return for each list how many times faster our solver is than that of the commit `OLD`.

    None where that one cannot be built, or ours was not. Both solve `count` puzzles, or an eighth
    of that, in turns on one thread. AssertionError if they disagree.
    """
    old, new = _old_solver(), load_kernels("sudokucrypt.sudoku._kernels", "solver")
    if old is None or new.__name__.endswith("_plain"):
        return dict.fromkeys(WANTED)
    ratios: dict[str, float | None] = {}
    for name, puzzles in make_lists(count).items():
        best, found = [float("inf")] * 2, [b""] * 2
        for _ in range(rounds):
            for number, solver in enumerate((old, new)):
                first = np.full_like(puzzles, -1)
                counts = np.zeros(len(puzzles), dtype=np.int64)
                start = time.perf_counter()
                solver.solve_many(puzzles, first, counts, 0, len(puzzles), 2, 20_000)
                best[number] = min(best[number], time.perf_counter() - start)
                found[number] = counts.tobytes() + first.tobytes()
        if found[0] != found[1]:
            raise AssertionError(name)
        ratios[name] = best[0] / best[1]
    return ratios


def _old_solver() -> ModuleType | None:
    """Return the kernel of the old commit, built anew, or None without git or a compiler."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-benchmark-") as name:
        built = checkout(Path(name), "solver", commit=OLD)
        if built is None:
            return None
        spec = spec_from_file_location("solver", built[0])
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _nodes(givens: Puzzles) -> int:
    """Return how many nodes the search of a puzzle visits."""
    search = load_kernels("sudokucrypt.sudoku._kernels", "solver").Search(givens)
    nodes = 0
    while not search.finished:
        search.advance(np.empty((0, 81), dtype=np.int8), 2, 1)
        nodes += 1
    return nodes


def _images(puzzles: Puzzles, count: int) -> Puzzles:
    """Return random images of these puzzles."""
    source, images = seeded_draws(2), []
    sheets = puzzles.reshape(-1, 9, 9)
    for number in range(count):
        symmetry = Symmetry.random((3, 3), source)
        moved = sheets[number % len(sheets)][np.ix_(symmetry.rows, symmetry.columns)]
        image = np.where(moved < 0, -1, symmetry.digits[moved])
        images.append((image.T if symmetry.transposed else image).ravel())
    return np.array(images, dtype=np.int8)


def _best(puzzles: Puzzles) -> float:
    """Return the seconds it takes to solve a list and prove each solution the only one."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        counts, _ = solve_batch(puzzles, first=0, empty=-1, threads=1)
        best = min(best, time.perf_counter() - start)
    if (counts != 1).any():
        raise SystemExit("a puzzle has not one solution")
    return best


def _seconds(puzzle: SudokuPuzzle) -> float:
    """Return how long it takes to solve a puzzle and prove its solution the only one."""
    start = time.perf_counter()
    solve(puzzle)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
