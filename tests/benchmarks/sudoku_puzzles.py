"""How long puzzles take to make and to grade; run by hand, with words of the names it should time.

For each, the median and the worst of some seeds in milliseconds, and the givens on average. Each
seed's puzzles are made twice and the quicker time counts, since a busy machine only adds time.
"""

import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import mean, median

from sudokucrypt.draws import StreamDraws
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku import Level, Made, Variant, grade, make_puzzle, make_puzzles, seeded_draws

_KERNELS = load_kernels("sudokucrypt.sudoku._kernels", "search").__name__

REPEATS = 2
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
LEVELLED = [Variant.standard(), Variant.standard((4, 4)), Variant.standard((5, 5))]

CONTESTANTS: dict[str, tuple[int, Callable[[StreamDraws], Made | list[Made]]]] = {
    "1000 puzzles of 9x9": (5, partial(make_puzzles, 1000)),
    "1000 half-turn puzzles of 9x9": (5, partial(make_puzzles, 1000, pattern="half-turn")),
    "100 puzzles of 9x9 with 24 givens": (5, partial(make_puzzles, 100, givens=24)),
    **{sheet.name: (20, partial(make_puzzle, sheet=sheet)) for sheet in SHEETS},
    **{
        f"{sheet.name}, added": (10, partial(make_puzzle, sheet=sheet, method="add"))
        for sheet in SHEETS
    },
    **{
        f"{sheet.name}, {level.label}": (5, partial(make_puzzle, sheet=sheet, level=level))
        for sheet in LEVELLED
        for level in Level
    },
}


def main() -> None:
    """Print one line for each contestant."""
    print(f"Python {platform.python_version()} on {platform.machine()}, {_KERNELS}")
    chosen = sys.argv[1:]
    for name, (seeds, make) in CONTESTANTS.items():
        if not chosen or any(word in name for word in chosen):
            make(seeded_draws(0))  # tables are built once
            _report(name, [_quickest(make, seed) for seed in range(seeds)])
    if not chosen or "grade" in chosen:
        puzzles = [puzzle for puzzle, _ in make_puzzles(200, seeded_draws(1))]
        start = time.perf_counter()
        for puzzle in puzzles:
            grade(puzzle)
        each = (time.perf_counter() - start) / len(puzzles)
        print(f"{'grade of a minimal puzzle of 9x9, on average':45} {1000 * each:10.2f} ms")


def _quickest(
    make: Callable[[StreamDraws], Made | list[Made]], seed: int
) -> tuple[float, list[Made]]:
    """Return the least time in seconds that one seed takes, and what was made."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        made = make(seeded_draws(seed))
        times.append(time.perf_counter() - start)
    return min(times), made if isinstance(made, list) else [made]


def _report(name: str, results: list[tuple[float, list[Made]]]) -> None:
    """Print what the seeds of one contestant took."""
    times = [1000 * seconds for seconds, _ in results]
    givens = mean(puzzle.number_of_givens for _, made in results for puzzle, _ in made)
    print(
        f"{name:45} {len(times):3} seeds {median(times):10.2f} .. {max(times):10.2f} ms, "
        f"{givens:6.1f} givens",
        flush=True,
    )


if __name__ == "__main__":
    main()
