"""The targets that take contestants of their own, each with its limit."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np

from sudokucrypt import scramble, scramble_file, unscramble_file
from sudokucrypt.sudoku import make_puzzle, random_grids, seeded_draws, solve
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import AnyArray
from tests.benchmarks import contestants as field
from tests.benchmarks import sudoku_solver
from tests.benchmarks.page import Target
from tests.benchmarks.past import Worker, checkout
from tests.benchmarks.pictures import PHOTO, ROOT, SMALL, TINY, WIDE, reduced

Say = Callable[[str], None]

_PERMUTE = """
import numpy as np
from sudokucrypt import KeyStream, StreamDraws
from sudokucrypt.bijections import UnitPermutation
from sudokucrypt.workers import Workers
count, workers = int(sys.argv[1]), Workers(1)
units = np.random.default_rng(1).integers(0, 256, count * 3, dtype=np.uint8).view("V3")
target = np.zeros_like(units)
def run():
    draws = StreamDraws(KeyStream(bytes(32)))
    UnitPermutation(count, 2, draws).apply(units, target, workers)
"""
_CANONICAL = """
from pathlib import Path
from sudokucrypt import SudokuGrid
from sudokucrypt.sudoku import canonical_form
grids = [SudokuGrid.from_text(line) for line in Path(sys.argv[1]).read_text().split()]
def run():
    for grid in grids:
        canonical_form(grid)
"""
_ANALYZE = """
import re, resource, sys
from pathlib import Path
import sudokucrypt.analysis.metrics, sudokucrypt.reports, scipy.fft, PIL.Image, imagecodecs
from sudokucrypt.cli.main import main
def peak():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime, peak() - before)
"""
_BULK = """
import sys
from pathlib import Path
from sudokucrypt.sudoku.solving.batch import read_batch, solve_batch
solve_batch(read_batch(Path(sys.argv[1]).read_text()))
"""


def small_pictures(repeats: int, say: Say) -> list[Target]:
    """Compare scrambling with what NumPy needs to shuffle the same pixels."""
    rng, contestants = np.random.default_rng(1), {}
    for subject, calls in ((TINY, 100), (SMALL, 5)):
        picture = subject.draw()
        pixels = picture.reshape(-1, 3)

        def shuffled(pixels: AnyArray = pixels) -> None:
            pixels[rng.permutation(len(pixels))]

        for name, call in (("ours", partial(scramble, picture, field.KEY)), ("NumPy", shuffled)):
            contestants[f"{name} {subject}"] = partial(_several, call, calls)
    medians = {name: t.median for name, t in field.take_turns(contestants, repeats, say).items()}
    tiny, middle = (medians[f"ours {s}"] / medians[f"NumPy {s}"] for s in (TINY, SMALL))
    return [
        Target(f"`scramble` of 64x64 RGB / {field.FANCY}", 2.2, tiny),
        Target(f"{field.FANCY} / `scramble` of 512x512 RGB", 2.5, 1 / middle, at_most=False),
    ]


def _several(call: Callable[[], object], times: int) -> None:
    for _ in range(times):
        call()


def against_the_start(repeats: int, folder: Path, say: Say, *, quick: bool) -> list[Target]:
    """Let the kernels of today and those of the first days take turns in two processes."""
    pixels, grids = (reduced(WIDE[2]) if quick else WIDE[2]).pixels, 2 if quick else 200
    tasks = (
        ("permutation alone, one thread", 0.65, _PERMUTE, pixels),
        ("canonical forms of grids", 1 / 5, _CANONICAL, folder / "grids.txt"),
    )
    built = checkout(folder, "passes", "canonical")
    digits = random_grids(grids, 1).reshape(grids, -1)  # both ways read them as text
    lines = ("".join(map(str, grid)) for grid in digits.tolist())
    (folder / "grids.txt").write_text("\n".join(lines))
    targets = []
    for name, limit, setup, argument in tasks:
        ratio = None
        if built:
            workers = {place: Worker(Path(place), setup, str(argument)) for place in (folder, ROOT)}
            timings = field.take_turns({str(p): w for p, w in workers.items()}, repeats, say)
            ratio = timings[str(ROOT)].median / timings[str(folder)].median
            for worker in workers.values():
                worker.close()
        targets.append(Target(f"{name} / before optimisation", limit, ratio))
    return targets


def file_to_file(picture: AnyArray, repeats: int, folder: Path, say: Say) -> list[Target]:
    """Compare a PNG scrambled and restored with one that is only decoded and encoded."""
    source, there, back, other = (folder / f"{name}.png" for name in ("in", "there", "back", "x"))
    contestants: dict[str, Callable[[], object]] = {}
    levels = (0, 6)
    for level in levels:
        source.write_bytes(imagecodecs.png_encode(picture, level=6))
        options: dict[str, Any] = {"compress": level, "replace": True}
        contestants |= {
            f"scramble {level}": partial(scramble_file, source, there, field.KEY, **options),
            f"decode and encode {level}": partial(_recoded, source, other, level),
            f"unscramble {level}": partial(unscramble_file, there, back, field.KEY, **options),
            f"decode and encode back {level}": partial(_recoded, there, other, level),
        }
    medians = {name: t.median for name, t in field.take_turns(contestants, repeats, say).items()}
    return [
        Target(
            f"`{name}_file` of a PNG, level {level} / imagecodecs decode + encode",
            limit,
            medians[f"{name} {level}"] / medians[f"decode and encode{way} {level}"],
        )
        for level in levels
        for name, limit, way in (("scramble", 0.9, ""), ("unscramble", 1.0, " back"))
    ]


def _recoded(source: Path, target: Path, level: int) -> None:
    pixels = imagecodecs.png_decode(source.read_bytes())
    target.write_bytes(imagecodecs.png_encode(pixels, level=level))


def sudoku(repeats: int, folder: Path, say: Say, *, quick: bool) -> list[Target]:
    """Solve lists, files and large puzzles."""
    ratios = sudoku_solver.old_and_new(40, 2) if quick else sudoku_solver.old_and_new()
    targets = [
        Target(f"puzzles a second, {name} / before optimisation", limit, ratio, at_most=False)
        for (name, ratio), limit in zip(ratios.items(), sudoku_solver.WANTED.values(), strict=True)
    ]
    lists = sudoku_solver.make_lists(200 if quick else 2000)
    lines = np.where(lists["minimal"] < 0, 0, lists["minimal"] + 1)
    path = folder / "puzzles.txt"
    text = "\n".join("".join(map(str, line)) for line in lines.tolist())
    path.write_text("\n".join([text] * 25) + "\n", encoding="ascii")
    bulk = [sys.executable, "-c", _BULK, str(path)]
    command = [sys.executable, "-m", "sudokucrypt", "sudoku", "solve", str(path)]
    contestants = {"bulk": partial(field.run, bulk), "command": partial(field.run, command)}
    medians = {name: t.median for name, t in field.take_turns(contestants, repeats, say).items()}
    seeds = range(2 if quick else 50)
    seconds = [
        field.take_turns(
            {
                "solve": partial(
                    solve, make_puzzle(seeded_draws(seed), sheet=Variant.standard((5, 5)))[0]
                )
            },
            1,
            say,
        )["solve"].median
        for seed in seeds
    ]
    return [
        *targets,
        Target("`sudoku solve` of a file / the bulk call", 2, medians["command"] / medians["bulk"]),
        Target("slowest of 50 puzzles of 25x25", 1, max(seconds), unit=" s"),
    ]


def analysis(folder: Path, *, quick: bool) -> list[Target]:
    """Measure the longest report of a photo."""
    picture = (reduced(PHOTO) if quick else PHOTO).draw()
    source = folder / "photo.png"
    source.write_bytes(imagecodecs.png_encode(picture, level=1))
    output = folder / "report.html"
    command = [sys.executable, "-c", _ANALYZE, "analyze", str(source), "--html", str(output)]
    seconds, peak = map(float, field.run(command).split()[-2:])
    return [
        Target("`analyze --html` of 12 megapixels, seconds of CPU", 6, seconds, unit=" s"),
        Target(
            "`analyze --html` of 12 megapixels, memory / the picture", 10, peak / picture.nbytes
        ),
    ]
