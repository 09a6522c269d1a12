"""How long each generator of grids takes; run by hand, with words of the names it should time.

For each, the best and the worst of some seeds in milliseconds, each seed's grid made three times
and the quickest counted, since a busy machine only ever adds time.
"""

import platform
import sys
import time
from collections.abc import Callable
from functools import partial

from sudokucrypt.draws import StreamDraws
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku import (
    box_by_box,
    enumerate_rows,
    grid_by_boxes,
    grid_by_cells,
    grid_by_rows,
)
from sudokucrypt.sudoku.making.sheets import (
    array_by_search,
    grid_by_search,
    shuffled_array,
    shuffled_grid,
    stirred_grid,
)
from sudokucrypt.sudoku.seeded import seeded_draws

_KERNELS = load_kernels("sudokucrypt.sudoku._kernels", "search").__name__

REPEATS = 3

CONTESTANTS: dict[str, tuple[int, Callable[[StreamDraws], object]]] = {
    "first 1000 grids row by row": (1, lambda _: list(enumerate_rows(1000))),
    "counts box by box": (3, box_by_box),
    "row by row, 9x9": (20, partial(grid_by_rows, box=(3, 3))),
    "box by box, 9x9": (20, grid_by_boxes),
    "cell by cell, 9x9": (20, partial(grid_by_cells, box=(3, 3))),
    "cell by cell, 16x16": (20, partial(grid_by_cells, box=(4, 4))),
    **{
        f"fewest candidates, {p * q}x{p * q}": (20, partial(grid_by_search, box=(p, q)))
        for p, q in ((3, 3), (4, 4), (5, 5), (6, 6), (7, 7))
    },
    **{
        f"fewest candidates, {p * q}x{p * q} with diagonals": (
            20,
            partial(grid_by_search, box=(p, q), diagonals=True),
        )
        for p, q in ((3, 3), (4, 4), (5, 5))
    },
    "array 2 3 4 5": (20, partial(array_by_search, (2, 3, 4, 5))),
    "array 4 4 4 4": (20, partial(array_by_search, 4)),
    "shuffled array 20 20 20 20": (5, partial(shuffled_array, 20)),
    **{
        f"{name}, {n * n}x{n * n}": (seeds, partial(make, box=(n, n)))
        for n, seeds in ((8, 20), (10, 20), (16, 20), (32, 3))
        for name, make in (("shuffled", shuffled_grid), ("stirred", stirred_grid))
    },
}


def main() -> None:
    """Print one line for each contestant."""
    print(f"Python {platform.python_version()} on {platform.machine()}, {_KERNELS}")
    chosen = sys.argv[1:]
    for name, (seeds, make) in CONTESTANTS.items():
        if not chosen or any(word in name for word in chosen):
            make(seeded_draws(0))  # tables are built once
            seconds = [_quickest(make, seed) for seed in range(seeds)]
            least, most = 1000 * min(seconds), 1000 * max(seconds)
            print(f"{name:45} {seeds:3} seeds {least:10.3f} .. {most:10.3f} ms")


def _quickest(make: Callable[[StreamDraws], object], seed: int) -> float:
    """Return the least time in seconds that one seed takes."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        make(seeded_draws(seed))
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
