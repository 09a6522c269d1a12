"""Measure how long solving, making, grading, counting, ranking and canonical forms take.

Run ``python tests/benchmarks/sudoku.py [WORD ...]`` by hand, once with kernels and once with
SUDOKUCRYPT_PLAIN=1; words choose the tasks whose names contain one of them. The work of each seed
is done several times and the shortest time counts, since a busy machine only ever adds time. The
last column is the median in units of checking one grid in Python, which can be compared between
computers better than seconds.

Lists of 9x9 puzzles are solved on one thread: minimal puzzles, of which no given can be taken away
(random grids from which givens were removed in random order; about 24 are left), the minimal
puzzles that need most nodes, and random images, under the symmetries of the rules, of known puzzles
with 17 givens and of known hard puzzles. Larger puzzles are minimal as far as `make_puzzle` can
tell.
"""

import platform
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from sudokucrypt.draws import StreamDraws
from sudokucrypt.kernels import is_compiled, load_kernels
from sudokucrypt.sudoku import (
    Level,
    SudokuGrid,
    SudokuPuzzle,
    Variant,
    box_by_box,
    canonical_form,
    enumerate_rows,
    grade,
    grid_by_boxes,
    grid_by_cells,
    grid_by_rows,
    make_puzzle,
    make_puzzles,
    random_grid,
    random_grids,
    rank,
    solve,
    unrank,
)
from sudokucrypt.sudoku.making.sheets import (
    array_by_search,
    grid_by_search,
    shuffled_array,
    shuffled_grid,
    stirred_grid,
)
from sudokucrypt.sudoku.model.symmetry import Symmetry
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.batch import read_batch, solve_batch
from tests.sudoku.puzzles import HARD, ROYLE

Task = Callable[[StreamDraws], object]
Puzzles = NDArray[np.int8]

REPEATS = 3
LIST_LENGTH = 2_000
SEVENTEEN = [
    ROYLE[0],
    "000000010300000000020000000000050407008000300001090000070400200050100000000806000",
    "000000010400000000020000000000050407008000300001090000030400200050100000000806000",
    "000000010400000000020000000000050407008000300001090000030400700050100000000806000",
    "000000010400000000020000000000050407008000300001090000070400200050100000000806000",
    "000000010400000000020000000000050407008000300001090000300400700050100000000806000",
]
"""One of Royle's puzzles, and those that come of it when one given after the other is moved."""
GRID = random_grid(seeded_draws(1))
PUZZLES = [puzzle for puzzle, _ in make_puzzles(100, seeded_draws(1))]
SHEETS = [
    Variant.standard((2, 3)),
    Variant.standard(),
    Variant.x(),
    Variant.standard((3, 4)),
    Variant.samurai(),
    Variant.standard((4, 4)),
    Variant.x((4, 4)),
    Variant.standard((5, 5)),
]


def list_tasks() -> Iterator[tuple[str, int, Task]]:
    """Yield the name, the number of seeds and the function of each task."""
    yield from _list_solving_tasks()
    yield from _list_grid_tasks()
    yield from _list_puzzle_tasks()
    yield "rank", 1, lambda _: rank(GRID)
    yield "unrank", 1, lambda _: unrank(rank(GRID))
    yield "draw 20,000 grids", 1, partial(random_grids, 20_000)
    yield "canonical form", 1, lambda _: canonical_form(GRID)


def _list_solving_tasks() -> Iterator[tuple[str, int, Task]]:
    for name, puzzles in load_lists().items():
        yield f"solve {len(puzzles)} puzzles, {name}", 10, partial(_solve_list, puzzles)
    for sheet in SHEETS[2:]:
        sheet_puzzles = [make_puzzle(seeded_draws(seed), sheet=sheet)[0] for seed in range(5)]
        yield f"solve 5 puzzles, {sheet.name}", 10, partial(_solve_puzzles, sheet_puzzles)


def _list_grid_tasks() -> Iterator[tuple[str, int, Task]]:
    yield "first 1000 grids row by row", 1, lambda _: list(enumerate_rows(1000))
    yield "counts box by box", 3, box_by_box
    yield "row by row, 9x9", 20, partial(grid_by_rows, box=(3, 3))
    yield "box by box, 9x9", 20, grid_by_boxes
    for side in (3, 4):
        name = f"cell by cell, {side**2}x{side**2}"
        yield name, 20, partial(grid_by_cells, box=(side, side))
    for side in range(3, 8):
        name = f"fewest candidates, {side**2}x{side**2}"
        yield name, 20, partial(grid_by_search, box=(side, side))
        if side < 6:
            search = partial(grid_by_search, box=(side, side), diagonals=True)
            yield f"{name} with diagonals", 20, search
    yield "array 2 3 4 5", 20, partial(array_by_search, (2, 3, 4, 5))
    yield "array 4 4 4 4", 20, partial(array_by_search, 4)
    yield "shuffled array 20 20 20 20", 5, partial(shuffled_array, 20)
    for side, seeds in ((8, 20), (10, 20), (16, 20), (32, 3)):
        for name, make_grid in (("shuffled", shuffled_grid), ("stirred", stirred_grid)):
            yield f"{name}, {side**2}x{side**2}", seeds, partial(make_grid, box=(side, side))


def _list_puzzle_tasks() -> Iterator[tuple[str, int, Task]]:
    yield "1000 puzzles of 9x9", 5, partial(make_puzzles, 1000)
    yield "1000 half-turn puzzles of 9x9", 5, partial(make_puzzles, 1000, pattern="half-turn")
    yield "100 puzzles of 9x9 with 24 givens", 5, partial(make_puzzles, 100, givens=24)
    for sheet in SHEETS:
        yield f"puzzle, {sheet.name}", 20, partial(make_puzzle, sheet=sheet)
        yield f"puzzle, {sheet.name}, added", 10, partial(make_puzzle, sheet=sheet, method="add")
    for sheet in SHEETS[1::4]:
        for level in Level:
            make_at_level = partial(make_puzzle, sheet=sheet, level=level)
            yield f"puzzle, {sheet.name}, {level.label}", 5, make_at_level
    yield "grade of 100 minimal puzzles of 9x9", 1, lambda _: [grade(each) for each in PUZZLES]


def load_lists() -> dict[str, Puzzles]:
    """Return lists of puzzles with one solution, by name, shape (N, 81)."""
    pairs = make_puzzles(LIST_LENGTH, seeded_draws(1))
    minimal = np.array([puzzle.givens for puzzle, _ in pairs], dtype=np.int8)
    order = np.argsort([-_count_nodes(row) for row in minimal], kind="stable")
    return {
        "17 givens": _draw_images(SEVENTEEN, LIST_LENGTH),
        "minimal": minimal,
        "most nodes": minimal[order[: LIST_LENGTH // 8]],
        "known hard ones": _draw_images(list(HARD.values()), LIST_LENGTH // 8),
    }


def _count_nodes(givens: Puzzles) -> int:
    """Return the number of nodes that the search of a puzzle visits."""
    search = load_kernels("sudokucrypt.sudoku._kernels", "solver").Search(givens)
    nodes = 0
    while not search.finished:
        search.advance(np.empty((0, 81), dtype=np.int8), 2, 1)
        nodes += 1
    return nodes


def _draw_images(puzzles: list[str], count: int) -> Puzzles:
    """Return `count` random images of the puzzles."""
    draws, images = seeded_draws(2), []
    sheets = (read_batch("\n".join(puzzles)) - 1).reshape(-1, 9, 9)
    for index in range(count):
        symmetry = Symmetry.random((3, 3), draws)
        moved_grid = sheets[index % len(sheets)][np.ix_(symmetry.rows, symmetry.columns)]
        image = np.where(moved_grid < 0, -1, symmetry.digits[moved_grid])
        images.append((image.T if symmetry.transposed else image).ravel())
    return np.array(images, dtype=np.int8)


def _solve_list(puzzles: Puzzles, _: StreamDraws) -> None:
    counts, _solutions = solve_batch(puzzles, first=0, empty=-1, threads=1)
    if (counts != 1).any():
        raise AssertionError("a puzzle has not one solution")


def _solve_puzzles(puzzles: list[SudokuPuzzle], _: StreamDraws) -> None:
    for puzzle in puzzles:
        solve(puzzle)


def time_quickest(task: Task, seed: int) -> float:
    """Return the shortest time in seconds for one seed."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        task(seeded_draws(seed))
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line for each task."""
    kind = "compiled kernels" if is_compiled() else "fallbacks"
    print(f"Python {platform.python_version()} on {platform.machine()}, {kind}")
    check_seconds = min(time_quickest(lambda _: SudokuGrid(GRID), seed) for seed in range(20))
    words = sys.argv[1:]
    for name, seeds, task in list_tasks():
        if not words or any(word in name for word in words):
            task(seeded_draws(0))  # tables are built once
            times = [time_quickest(task, seed) for seed in range(seeds)]
            print(
                f"{name:45} {seeds:3} seeds {1000 * median(times):10.3f} .. "
                f"{1000 * max(times):10.3f} ms {median(times) / check_seconds:12.1f} checks",
                flush=True,
            )


if __name__ == "__main__":
    main()
