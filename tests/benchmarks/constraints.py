"""Compare how long puzzles with constraints take in this package and in CP-SAT of OR-tools.

Run ``python tests/benchmarks/constraints.py [COUNT]`` by hand. Both solvers solve each puzzle in
turn, three times, and the shortest time counts. This package proves that there is no second
solution; CP-SAT, on one thread, stops at the first solution, and the time to build its model is not
counted.
"""

import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from sudokucrypt.sudoku import SudokuPuzzle, make_constrained, solve
from sudokucrypt.sudoku.making.constrained import CONSTRAINT_MAKERS
from tests.sudoku.constraints import make_cp_model

REPEATS = 3


class Times(NamedTuple):
    """Seconds that both solvers take for one puzzle."""

    ours: float
    theirs: float


def time_solvers(puzzle: SudokuPuzzle) -> Times:
    """Measure the seconds that both solvers take for a puzzle."""
    from ortools.sat.python import cp_model

    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        solve(puzzle)
        ours = perf_counter() - start
        search = cp_model.CpSolver()
        search.parameters.num_workers = 1
        model, _ = make_cp_model(cp_model, puzzle)
        start = perf_counter()
        search.solve(model)
        times.append((ours, perf_counter() - start))
    return Times(*map(min, zip(*times, strict=True)))


def main(count: int = 20) -> None:
    """Print, for each kind of puzzle, the median times and the median and least of their
    quotients."""
    print(f"{'kind':12} {'ours, ms':>9} {'CP-SAT, ms':>10} {'times':>6} {'least':>6}")
    for kind in CONSTRAINT_MAKERS:
        times = [time_solvers(make_constrained(seed, kind=kind).puzzle) for seed in range(count)]
        ours, theirs = (median(column) * 1000 for column in zip(*times, strict=True))
        total = sum(t.theirs for t in times) / sum(t.ours for t in times)
        least = min(t.theirs / t.ours for t in times)
        print(f"{kind:12} {ours:9.2f} {theirs:10.1f} {total:6.0f} {least:6.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
