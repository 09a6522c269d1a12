"""Measure sudokucrypt and its peers on the same pictures, and write a page of tables.

Run ``python tests/benchmarks/run.py --output docs/explanation/performance.md`` on a quiet machine;
``pip install --group bench`` brings the peers.
"""

import argparse
import json
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from collections.abc import Callable, Sequence

from sudokucrypt import scramble
from sudokucrypt.kernels import compiled
from tests.benchmarks import contestants as field
from tests.benchmarks import goals
from tests.benchmarks.contestants import (
    CLICK,
    COPY,
    CORE,
    ENCRYPT,
    HELP,
    PYSCRAMBLE,
    SHA,
    TAKE,
    VERSION,
    Timings,
)
from tests.benchmarks.page import Results, Size, Target, number, render
from tests.benchmarks.pictures import KINDS, SHAPES, WIDE, Subject, reduced

THERE, BACK = (field.ours_name(action, "pixel", 2) for action in ("scramble", "unscramble"))


def main() -> None:
    """Measure everything and write the page."""
    options = _options()
    if options.twins:
        timings = _arrays(options.main, options.repeats)
        print(json.dumps({name: timing.seconds for name, timing in timings.items()}))
        return
    text = render(_measure(options))
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="the page; by default it is printed")
    parser.add_argument("--repeats", type=_count, help="rounds; by default 9, or 2 if quick")
    parser.add_argument("--quick", action="store_true", help="a trial on small pictures")
    parser.add_argument("--twins", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.main = reduced(WIDE[2]) if options.quick else WIDE[2]
    options.repeats = options.repeats or (2 if options.quick else 9)
    return options


def _count(text: str) -> int:
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def _say(stage: str, text: str) -> None:
    print(f"{stage}: {text}", file=sys.stderr, flush=True)


def _measure(options: argparse.Namespace) -> Results:
    """Measure one table after the other."""
    repeats, quick = options.repeats, options.quick
    picture = options.main.draw()
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-benchmark-") as name:
        folder = Path(name)
        ours = field.ours(picture)
        peers, missing = field.peers(picture, folder)
        memory = field.take_turns(
            {**field.copy(picture), **ours, **peers}, repeats, partial(_say, "in memory")
        )
        twins = _twins(repeats, quick=quick)
        files = field.take_turns(
            {**field.copy(picture), **field.processes(picture, folder)},
            repeats,
            partial(_say, "processes"),
        )
        field.require_restored(picture, folder)
        sizes, shapes = (_sizes(subjects, repeats, quick=quick) for subjects in (WIDE, SHAPES))
        targets = [
            *_targets(memory, sizes, shapes),
            *goals.against_the_start(
                repeats, folder / "start", partial(_say, "the start"), quick=quick
            ),
            *goals.small_pictures(repeats, partial(_say, "small pictures")),
            *goals.file_to_file(picture, repeats, folder, partial(_say, "file to file")),
            *(
                Target(name, 1.6, files[name].median / files[CLICK].median)
                for name in (HELP, VERSION)
            ),
            *goals.sudoku(repeats, folder, partial(_say, "Sudoku"), quick=quick),
            *goals.analysis(folder, quick=quick),
        ]
    return Results(
        quick=quick,
        repeats=repeats,
        subject=options.main,
        targets=targets,
        notes=_notes(memory),
        ours={name: memory[name] for name in (COPY, *ours)},
        twins=twins,
        peers={name: memory[name] for name in (COPY, THERE, *peers)},
        missing=missing,
        files=files,
        sizes=sizes,
        shapes=shapes,
    )


def _arrays(subject: Subject, repeats: int) -> Timings:
    """Measure ours alone; for the process that has only the fallbacks."""
    if compiled():
        raise AssertionError("these are the kernels")
    picture = subject.draw()
    contestants = {**field.copy(picture), **field.ours(picture)}
    return field.take_turns(contestants, repeats, partial(_say, "fallbacks"))


def _twins(repeats: int, *, quick: bool) -> Timings:
    """Measure the fallbacks in a process of their own: the choice is made at import."""
    command = [sys.executable, __file__, "--twins", "--repeats", str(repeats)]
    printed = field.run([*command, *(["--quick"] if quick else [])], SUDOKUCRYPT_PLAIN="1")
    return {name: field.Timing(tuple(seconds)) for name, seconds in json.loads(printed).items()}


def _sizes(subjects: Sequence[Subject], repeats: int, *, quick: bool) -> list[Size]:
    """Scramble pictures in turns, and then once more for their memory."""
    pictures = {
        subject: subject.draw() for subject in (map(reduced, subjects) if quick else subjects)
    }
    calls = {
        subject: partial(scramble, picture, field.KEY, threads=2)
        for subject, picture in pictures.items()
    }
    contestants: dict[str, Callable[[], object]] = {}
    for subject, picture in pictures.items():
        contestants[f"copy {subject}"] = field.copy(picture)[COPY]
        contestants[f"scramble {subject}"] = calls[subject]
    timings = field.take_turns(contestants, repeats, partial(_say, "sizes"))
    return [
        Size(
            subject=subject,
            bytes=pictures[subject].nbytes,
            rounds=call().header.rounds,
            copy=timings[f"copy {subject}"],
            scramble=timings[f"scramble {subject}"],
            peak=field.peak_memory(call),
        )
        for subject, call in calls.items()
    ]


def _targets(memory: Timings, sizes: Sequence[Size], shapes: Sequence[Size]) -> list[Target]:
    there, back, encrypted = (memory[name].median for name in (THERE, BACK, ENCRYPT))
    fastest = _fastest(memory, core=False)
    peer = memory[fastest].median / there if fastest else None
    wide, photo, large = (size.nanoseconds for size in shapes[:3])
    kinds = {size.subject.kind: size.scramble.median / size.bytes for size in shapes[-len(KINDS) :]}
    whole = shapes[1].scramble.median / shapes[1].bytes
    growth = sizes[-1].nanoseconds / sizes[1].nanoseconds
    return [
        Target(f"`scramble` on 2 threads / {COPY}", 16, there / memory[COPY].median),
        Target(f"`scramble` on 2 threads / {SHA}", 1.5, there / memory[SHA].median),
        Target("`unscramble` / `scramble`, on 2 threads", 1.1, back / there),
        Target("`encrypt` / `scramble`, on 2 threads", 1.15, encrypted / there),
        Target(f"fastest method of {PYSCRAMBLE} / `scramble`", 30, peer, at_most=False),
        Target("a pixel of the largest picture / one of the second in size", 1.5, growth),
        Target("a pixel of 4000x3000 / one of 3840x2160", 1.15, photo / wide),
        Target("a pixel of 6000x4000 / one of 3840x2160", 1.15, large / wide),
        *(
            Target(f"a byte of {kind} / one of RGB", 1.5, kinds[kind] / whole)
            for kind in ("gray", "RGB, 16 bits")
        ),
    ]


def _notes(memory: Timings) -> list[str]:
    """Return how the strictest readings of the targets turn out."""
    there = memory[THERE].median
    ratio = number(memory[TAKE].median / there)
    lines = [f"With `take` instead of fancy indexing, NumPy takes {ratio}x as long as `scramble`."]
    core = _fastest(memory, core=True)
    if core:
        ratio, method = number(memory[core].median / there), core.removesuffix(f", {CORE}")
        lines.append(
            f"Without its conversions, the fastest method, {method}, takes {ratio}x as long."
        )
    return lines


def _fastest(memory: Timings, *, core: bool) -> str | None:
    """Return the fastest method of pyscramble, as users call it or of its core alone."""
    methods = [
        name for name in memory if name.startswith(PYSCRAMBLE) and name.endswith(CORE) == core
    ]
    return min(methods, key=lambda name: memory[name].median, default=None)


if __name__ == "__main__":
    main()
