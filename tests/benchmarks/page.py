"""The page that the benchmark writes: tables in Markdown, headed by what they were measured on."""

import os
import platform
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sudokucrypt.kernels import is_compiled
from tests.benchmarks.contestants import COPY, FLOOR
from tests.benchmarks.measuring import SLOW, SLOW_ROUNDS, Timing, Timings, run
from tests.benchmarks.pictures import Subject

_PACKAGES = (
    *("sudokucrypt", "numpy", "imagecodecs", "zlib-ng", "pillow", "cryptography"),
    *("pyscramble", "image-scramble"),
)
_PAGE = Path(__file__).with_name("performance.md.txt")
_TRIAL = "**A quick trial on small pictures: its numbers mean nothing.**\n\n"


@dataclass(frozen=True, kw_only=True)
class Size:
    """A picture: its bytes, rounds of the cipher, times, and the peak of memory in bytes."""

    subject: Subject
    bytes: int
    rounds: int
    copy: Timing
    scramble: Timing
    peak: int

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds per pixel."""
        return self.scramble.median * 1e9 / self.subject.pixels


@dataclass(frozen=True)
class Target:
    """A limit for the quotient of two figures, or for the first where none divides it."""

    name: str
    limit: float
    figure: str
    divisor: str | None = None
    unit: str = "x"
    at_most: bool = True

    def row(self, figures: Mapping[str, float]) -> list[str]:
        """Return the cells of the table; a peer that is not installed has no figures."""
        bound = f"{'at most' if self.at_most else 'at least'} {self.limit:g}{self.unit}"
        if self.figure not in figures:
            return [self.name, bound, "-", "not measured"]
        value = figures[self.figure] / (figures[self.divisor] if self.divisor else 1)
        met = value <= self.limit if self.at_most else value >= self.limit
        return [self.name, bound, format_number(value) + self.unit, "met" if met else "not met"]


@dataclass(frozen=True, kw_only=True)
class Results:
    """Everything that was measured."""

    quick: bool
    repeats: int
    subject: Subject
    targets: Sequence[Target]
    figures: Mapping[str, float]
    notes: Sequence[str]
    ours: Timings
    fallbacks: Timings
    peers: Timings
    missing: Sequence[str]
    files: Timings
    sizes: Sequence[Size]
    shapes: Sequence[Size]


def render(results: Results) -> str:
    """Return the page."""
    return _PAGE.read_text(encoding="utf-8").format(
        trial=_TRIAL if results.quick else "",
        options=f"{'--quick ' if results.quick else ''}--repeats {results.repeats}",
        slow=SLOW,
        slow_rounds=SLOW_ROUNDS,
        rows=results.subject.rows,
        columns=results.subject.columns,
        surroundings="\n".join(_describe_surroundings()),
        targets=_render_table(
            ["target", "limit", "measured", "result"],
            [target.row(results.figures) for target in results.targets],
        ),
        notes="\n".join(results.notes),
        copy=COPY,
        ours=_render_timings(results.ours),
        fallbacks=_render_timings(results.fallbacks),
        peers=_render_timings(results.peers, missing=results.missing),
        files=_render_timings(results.files, references=(COPY, FLOOR)),
        sizes=_render_sizes(results.sizes),
        shapes=_render_sizes(results.shapes),
    )


def format_number(value: float) -> str:
    """Return a positive number with three digits or more."""
    digits = next((digits for digits in range(6) if value >= 100 / 10**digits), 6)
    return f"{value:.{digits}f}"


def _format_milliseconds(timing: Timing) -> list[str]:
    edges = (format_number(1e3 * edge(timing.seconds)) for edge in (min, max))
    return [format_number(1e3 * timing.median), "..".join(edges)]


def _render_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _render_timings(
    timings: Timings, *, references: Sequence[str] = (COPY,), missing: Sequence[str] = ()
) -> str:
    """Return a table of times with the ratio to each reference."""
    rows = []
    for name, timing in timings.items():
        ratios = [format_number(timing.median / timings[other].median) for other in references]
        rows.append([name, *_format_milliseconds(timing), *ratios, str(len(timing.seconds))])
    rows += [[name, "not installed", *["-"] * (len(references) + 2)] for name in missing]
    head = ["what", "median ms", "min..max ms", *(f"ratio to {other}" for other in references)]
    return _render_table([*head, "rounds measured"], rows)


def _render_sizes(sizes: Sequence[Size]) -> str:
    rows = [
        [
            str(size.subject),
            format_number(size.subject.pixels / 1e6),
            str(size.rounds),
            *_format_milliseconds(size.scramble),
            format_number(size.nanoseconds),
            format_number(size.scramble.median / size.copy.median),
            format_number(size.peak / size.bytes),
        ]
        for size in sizes
    ]
    head = ["picture", "megapixels", "rounds of the cipher", "median ms", "min..max ms"]
    ratios = ["ns per pixel", f"ratio to {COPY}", "extra memory, pictures"]
    return _render_table([*head, *ratios], rows)


def _describe_surroundings() -> list[str]:
    """Return what the numbers depend on; never which machine it was."""
    return [
        f"- CPU: {_name_cpu()}, {_count_cores()} cores for this process",
        f"- kernels: {_describe_kernels()}",
        f"- Python: {platform.python_version()} on {platform.system()}",
        *(f"- {package}: {_find_version(package)}" for package in _PACKAGES),
        f"- date: {datetime.now(UTC):%Y-%m-%d}",
    ]


def _name_cpu() -> str:
    facts = Path("/proc/cpuinfo")
    text = facts.read_text(encoding="utf-8") if facts.is_file() else ""
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def _count_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def _describe_kernels() -> str:
    """Return the compiler that left its name in the kernels, else the one that is here."""
    if not is_compiled():
        return "not in use, so that all tables show the fallbacks"
    data = Path(str(import_module("sudokucrypt.bijections._kernels.passes").__file__)).read_bytes()
    named = re.search(rb"(?:GCC: |clang version )[ -~]+", data)
    if named:
        return f"compiled by {named[0].decode()}"
    result = shutil.which("gcc")
    return (
        f"compiled, perhaps by {run([result, '--version']).splitlines()[0]}"
        if result
        else "compiled"
    )


def _find_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
