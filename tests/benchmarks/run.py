"""Measure sudokucrypt and its peers on the same pictures, and write a page of tables.

Run ``python tests/benchmarks/run.py --output docs/explanation/performance.md`` on a quiet machine;
``pip install --group bench`` brings the peers.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

import imagecodecs

from sudokucrypt import scramble
from sudokucrypt.kernels import is_compiled
from sudokucrypt.sudoku import Variant, make_puzzle, seeded_draws, solve
from tests.benchmarks import contestants as field
from tests.benchmarks.measuring import (
    KEY,
    Calls,
    Timing,
    Timings,
    measure_peak_memory,
    run,
    take_turns,
)
from tests.benchmarks.page import Results, Size, Target, format_number, render
from tests.benchmarks.pictures import (
    KINDS,
    LARGE_PHOTO,
    PHOTO,
    SHAPES,
    SMALL,
    TINY,
    WIDE,
    Subject,
    reduce_subject,
)

FASTEST = "fastest method"
TARGETS = (
    Target(f"`scramble` on 2 threads / {field.COPY}", 16, field.THERE, field.COPY),
    Target(f"`scramble` on 2 threads / {field.SHA}", 1.5, field.THERE, field.SHA),
    Target("`unscramble` / `scramble`, on 2 threads", 1.1, field.BACK, field.THERE),
    Target("`encrypt` / `scramble`, on 2 threads", 1.15, field.ENCRYPT, field.THERE),
    Target(
        f"fastest method of {field.PYSCRAMBLE} / `scramble`",
        *(30, FASTEST, field.THERE),
        at_most=False,
    ),
    Target(
        "a pixel of the largest picture / one of the second in size",
        *(1.5, f"pixel of {WIDE[-1]}", f"pixel of {WIDE[1]}"),
    ),
    *(
        Target(
            f"a pixel of {name} / one of 3840x2160",
            1.15,
            f"pixel of {photo}",
            f"pixel of {WIDE[2]}",
        )
        for name, photo in (("4000x3000", PHOTO), ("6000x4000", LARGE_PHOTO))
    ),
    *(
        Target(
            f"a byte of {subject.kind} / one of RGB", 1.5, f"byte of {subject}", f"byte of {PHOTO}"
        )
        for subject in KINDS
        if subject.kind != "RGBA"
    ),
    # What bounds this one, the start of commands and reports is in decision 0022.
    Target(f"`scramble` of 64x64 RGB / {field.FANCY}", 2.2, f"ours, {TINY}", f"NumPy, {TINY}"),
    Target("memory of `scramble` beside the input / a picture of 4000x3000", 1.6, "memory"),
    Target(
        f"{field.FANCY} / `scramble` of 512x512 RGB",
        *(2.5, f"NumPy, {SMALL}", f"ours, {SMALL}"),
        at_most=False,
    ),
    *(
        Target(
            f"`{action}_file` of a PNG, level {level} / imagecodecs decode + encode",
            *(limit, f"{action} {level}", f"{other} {level}"),
        )
        for level in (0, 6)
        for action, limit, other in (("scramble", 0.9, "recode"), ("unscramble", 1, "recode back"))
    ),
    Target(field.HELP, 1.6, field.HELP, field.CLICK),
    Target(field.VERSION, 1.6, field.VERSION, field.CLICK),
    Target("`sudoku solve` of a file / the bulk call", 2, "command", "bulk"),
    Target("slowest of 50 puzzles of 25x25", 1, "puzzle", unit=" s"),
    Target("`analyze -o page.html` of 12 megapixels, seconds of CPU", 6, "report", unit=" s"),
    Target("`analyze -o page.html` of 12 megapixels, memory / the picture", 10, "report memory"),
)
"""What is to be reached: the quotient of two measured figures."""

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


def main() -> None:
    """Measure everything and write the page."""
    options = _parse_options()
    if options.fallbacks:
        if is_compiled():
            raise AssertionError("these are the kernels")
        picture = options.main.draw()
        group = {**field.copy(picture), **field.list_ours(picture)}
        timings = take_turns(group, options.repeats, "fallbacks")
        print(json.dumps({name: timing.seconds for name, timing in timings.items()}))
        return
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-benchmark-") as folder:
        text = render(_measure(options, Path(folder)))
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="the page; by default it is printed")
    parser.add_argument("--repeats", type=_count, help="rounds; by default 9, or 2 if quick")
    parser.add_argument("--quick", action="store_true", help="a trial on small pictures")
    parser.add_argument("--fallbacks", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.main = reduce_subject(WIDE[2]) if options.quick else WIDE[2]
    options.repeats = options.repeats or (2 if options.quick else 9)
    return options


def _count(text: str) -> int:
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def _measure(options: argparse.Namespace, folder: Path) -> Results:
    """Measure one group after the other."""
    repeats, quick = options.repeats, options.quick
    picture, photo = options.main.draw(), folder / "photo.png"
    photo.write_bytes(imagecodecs.png_encode(picture, level=6))
    copy, ours = field.copy(picture), field.list_ours(picture)
    peers, missing = field.list_peers(picture, photo)
    memory = take_turns({**copy, **ours, **peers}, repeats, "in memory")
    fallbacks = _measure_fallbacks(options)
    files = take_turns({**copy, **field.list_processes(photo)}, repeats, "processes")
    field.require_restored(picture, photo)
    sizes, shapes = (_measure_sizes(subjects, repeats, quick=quick) for subjects in (WIDE, SHAPES))
    others = (
        take_turns(field.list_small_pictures(), repeats, "small pictures"),
        take_turns(field.list_file_to_file(photo), repeats, "file to file"),
        take_turns(field.list_puzzle_files(folder, 200 if quick else 2000), repeats, "puzzles"),
    )
    timings = {name: time for group in (memory, files, *others) for name, time in group.items()}
    figures = {name: timing.median for name, timing in timings.items()}
    for subject, size in {**sizes, **shapes}.items():
        figures[f"pixel of {subject}"] = size.nanoseconds
        figures[f"byte of {subject}"] = size.scramble.median / size.bytes
    if fastest := _find_fastest(figures, core=False):
        figures[FASTEST] = figures[fastest]
    figures["memory"] = shapes[PHOTO].peak / shapes[PHOTO].bytes
    figures |= _time_slowest_puzzle(2 if quick else 50)
    figures |= _measure_report(reduce_subject(PHOTO) if quick else PHOTO, folder)
    return Results(
        quick=quick,
        repeats=repeats,
        subject=options.main,
        targets=TARGETS,
        figures=figures,
        notes=_write_notes(figures),
        ours={name: memory[name] for name in (*copy, *ours)},
        fallbacks=fallbacks,
        peers={name: memory[name] for name in (*copy, field.THERE, *peers)},
        missing=missing,
        files=files,
        sizes=list(sizes.values()),
        shapes=list(shapes.values()),
    )


def _measure_fallbacks(options: argparse.Namespace) -> Timings:
    """Measure the fallbacks in a process of their own: the choice is made at import."""
    command = [sys.executable, __file__, "--fallbacks", "--repeats", str(options.repeats)]
    printed = run([*command, *(["--quick"] if options.quick else [])], SUDOKUCRYPT_PLAIN="1")
    return {name: Timing(tuple(seconds)) for name, seconds in json.loads(printed).items()}


def _measure_sizes(
    subjects: Sequence[Subject], repeats: int, *, quick: bool
) -> dict[Subject, Size]:
    """Scramble pictures in turns, and then once more for their memory."""
    pictures = {
        subject: (reduce_subject(subject) if quick else subject).draw() for subject in subjects
    }
    calls = {
        subject: partial(scramble, picture, KEY, threads=2) for subject, picture in pictures.items()
    }
    group: Calls = {}
    for subject, picture in pictures.items():
        group[f"copy {subject}"] = field.copy(picture)[field.COPY]
        group[f"scramble {subject}"] = calls[subject]
    timings = take_turns(group, repeats, "sizes")
    return {
        subject: Size(
            subject=reduce_subject(subject) if quick else subject,
            bytes=pictures[subject].nbytes,
            rounds=call().header.rounds,
            copy=timings[f"copy {subject}"],
            scramble=timings[f"scramble {subject}"],
            peak=measure_peak_memory(call),
        )
        for subject, call in calls.items()
    }


def _find_fastest(figures: Mapping[str, float], *, core: bool) -> str | None:
    """Return the fastest method of pyscramble, as users call it or of its core alone."""
    methods = [name for name in figures if name.startswith(field.PYSCRAMBLE)]
    chosen = [name for name in methods if name.endswith(field.CORE) == core]
    return min(chosen, key=figures.__getitem__, default=None)


def _time_slowest_puzzle(count: int) -> dict[str, float]:
    """Return the most seconds that one of some puzzles of 25x25 takes."""
    sheet = Variant.standard((5, 5))
    puzzles = [make_puzzle(seeded_draws(seed), sheet=sheet)[0] for seed in range(count)]
    timings = [take_turns({"": partial(solve, puzzle)}, 1)[""] for puzzle in puzzles]
    return {"puzzle": max(timing.median for timing in timings)}


def _measure_report(subject: Subject, folder: Path) -> dict[str, float]:
    """Return what the longest report of a photo takes."""
    picture, source = subject.draw(), folder / "report.png"
    source.write_bytes(imagecodecs.png_encode(picture, level=1))
    output = ["-o", str(folder / "report.html")]
    printed = run([sys.executable, "-c", _ANALYZE, "analyze", str(source), *output])
    seconds, peak = map(float, printed.split()[-2:])
    return {"report": seconds, "report memory": peak / picture.nbytes}


def _write_notes(figures: Mapping[str, float]) -> list[str]:
    """Return what the strictest readings of the targets give."""
    there = figures[field.THERE]
    ratio = format_number(figures[field.TAKE] / there)
    lines = [f"With `take` instead of fancy indexing, NumPy takes {ratio}x as long as `scramble`."]
    if core := _find_fastest(figures, core=True):
        ratio, method = format_number(figures[core] / there), core.removesuffix(f", {field.CORE}")
        lines.append(
            f"Without its conversions, the fastest method, {method}, takes {ratio}x as long."
        )
    return lines


if __name__ == "__main__":
    main()
