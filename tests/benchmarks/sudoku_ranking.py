"""Measure counting, numbering, drawing and canonical forms of grids; run it by hand.

``python tests/benchmarks/sudoku_ranking.py``, once as it is and once with SUDOKUCRYPT_PLAIN=1.
Every time is the best of several and is also given in units of checking one grid in Python, which
says more than seconds when computers differ.
"""

import sys
from pathlib import Path
from time import perf_counter

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from collections.abc import Callable

from sudokucrypt.sudoku.counting.band_classes import _tables, grid_tables
from sudokucrypt.sudoku.counting.canonical import canonical_form
from sudokucrypt.sudoku.counting.halves import count_fillings
from sudokucrypt.sudoku.counting.ranking import random_grid, random_grids, rank, unrank
from sudokucrypt.sudoku.counting.totals import count_grids
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.seeded import seeded_draws

GRIDS = 20_000
REPEATS = 5


def main() -> None:
    """Print one line for each task."""
    source = seeded_draws(1)
    grid = random_grid(source)
    number = rank(grid)
    unit = best(lambda: SudokuGrid(grid), 100)
    print(f"{'checking one grid':34}{unit * 1e6:12.1f} us")
    tasks: list[tuple[str, Callable[[], object], int]] = [
        ("tables of order 9", tables_from_nothing, 1),
        ("count 2x4", count_from_nothing, 1),
        ("rank", lambda: rank(grid), 100),
        ("unrank", lambda: unrank(number), 100),
        ("draw one grid", lambda: random_grid(source), 100),
        (f"draw {GRIDS} grids, each", lambda: random_grids(GRIDS, source), 1),
        ("canonical form", lambda: canonical_form(grid), 10),
    ]
    for name, task, calls in tasks:
        seconds = best(task, calls) / (GRIDS if name.endswith("each") else 1)
        print(f"{name:34}{seconds * 1e6:12.1f} us{seconds / unit:12.2f} checks")


def tables_from_nothing() -> None:
    """Build what the first call in a process builds."""
    _tables.cache_clear()
    grid_tables()


def count_from_nothing() -> None:
    """Count without what an earlier count has left behind."""
    count_fillings.cache_clear()
    count_grids((2, 4))


def best(task: Callable[[], object], calls: int) -> float:
    """Return the seconds for one call, the best of several rounds."""
    rounds = []
    for _ in range(REPEATS):
        start = perf_counter()
        for _ in range(calls):
            task()
        rounds.append((perf_counter() - start) / calls)
    return min(rounds)


if __name__ == "__main__":
    main()
