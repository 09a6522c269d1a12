"""Measure the package next to version 1.1.0 and its peers, and write a page of tables.

Run ``python tests/benchmarks/run.py --old PYTHON --output docs/explanation/performance.md`` on a
quiet machine; further arguments choose tables. PYTHON has version 1.1.0 with the extra
``analysis``. Neither version should be installed as editable: that adds a tenth to the start of a
command. ``pip install --group bench`` installs other tools; age, jpegtran and Node are used if
found.
"""

import argparse
import os
import platform
import re
import shlex
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from tests.benchmarks.measuring import KEY, Bench, Kind, Timing, run_process, take_turns
from tests.benchmarks.tables import TABLES, Table

_SCRIPT = "python tests/benchmarks/run.py"
_PACKAGES = (
    *("sudokucrypt", "numpy", "pillow", "zlib-ng", "cryptography", "click", "imagecodecs"),
    *("scipy", "matplotlib", "pyscramble"),
)
_PAGE_HEAD = """# Performance

`{command}` generated these tables. They compare version {version} with version 1.1.0 and other
programs.
Contestants take turns, once per round, after a round that is not counted. Ratios use the least
times, since other work only adds time. CPU time includes all threads and child processes.
{machine}
[A record](../development/decisions/0029-bounds-of-speed-2.md) says which goals are missed, and what
bounds them.
"""
_UNITS: Mapping[Kind, float] = {"wall": 1e3, "cpu": 1e3, "peak": 1e-6}
_TRIAL = "\n**A quick trial on small inputs: its numbers mean nothing.**\n"


def main() -> None:
    """Measure the chosen tables, and write the page."""
    options = _parse_options()
    names = options.tables or [name for name in TABLES if name != "install"]
    command = [_SCRIPT, *(["--quick"] if options.quick else []), f"--rounds {options.rounds}"]
    old = ["--old PYTHON"] if options.old else []
    sections = [
        _PAGE_HEAD.format(
            command=" ".join([*command, *old, *options.tables]),
            version=version("sudokucrypt"),
            machine="\n".join(["", *_list_environment(), ""]),
        )
    ]
    sections += [_TRIAL] * options.quick
    for name in names:
        with (
            tempfile.TemporaryDirectory(
                prefix="sudokucrypt-benchmark-", dir=options.folder
            ) as folder,
            ExitStack() as stack,
        ):
            KEY.to_file(Path(folder) / "my.key")
            table = TABLES[name](Bench(Path(folder), stack, options.old, quick=options.quick))
            timings = take_turns(table.calls, options.rounds, name)
        print(
            section := _format_section(table, timings, " ".join([*command, *old, name])), flush=True
        )
        sections.append(section)
    if options.output:
        options.output.write_text("\n".join(sections), encoding="utf-8")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "tables", nargs="*", choices=[[], *TABLES], metavar="TABLE", help=", ".join(TABLES)
    )
    parser.add_argument("--old", help="the Python that has version 1.1.0")
    parser.add_argument("--output", type=Path, help="the page; tables are printed in any case")
    parser.add_argument("--rounds", type=int, default=0, help="by default 7, or 1 if quick")
    parser.add_argument("--quick", action="store_true", help="a trial with small inputs")
    parser.add_argument("--folder", help="where files are written; large ones take 12 GB")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 7)
    if options.old:
        run_process(
            [options.old, "-P", "-c", "import sudokucrypt as s; assert s.__version__ == '1.1.0'"]
        )
        options.old = str(Path(options.old).absolute())
    return options


def _format_section(table: Table, timings: Mapping[str, Timing], command: str) -> str:
    """Return a table as a section of the page."""
    rows = []
    for row in table.rows:
        value = row.compute_value(timings)
        judgment = "not measured" if value is None else "met" if value <= row.goal else "missed"
        cost_name = {"cpu": "CPU", "wall": "time", "peak": "memory"}[row.kind]
        rows.append([row.title, cost_name, f"{row.goal:g}", _format_number(value), judgment])
    cost_rows = [
        [name, *(_format_number(scale * timing.find_least(kind)) for kind, scale in _UNITS.items())]
        for name, timing in timings.items()
    ]
    lines = [
        *("", f"## {table.title}", "", table.text, ""),
        *_format_table(["what", "of", "goal, at most", "measured", ""], rows),
        *("", "The lowest values of each program and task:", ""),
        *_format_table(["", "ms", "ms of CPU", "MB"], cost_rows),
        *("", f"`{command}`", ""),
    ]
    return "\n".join(lines)


def _format_table(titles: list[str], rows: list[list[str]]) -> list[str]:
    alignments = ["---", *["---:"] * (len(titles) - 1)]
    return ["| " + " | ".join(cells) + " |" for cells in (titles, alignments, *rows)]


def _format_number(value: float | None) -> str:
    """Return a number with at least three digits, or a dash if it is unknown."""
    if not value:
        return "-"
    digits = next((digits for digits in range(6) if abs(value) >= 100 / 10**digits), 6)
    return f"{value:.{digits}f}"


def _list_environment() -> list[str]:
    """Return lines that name the machine, the programs and the packages."""
    lines = [f"CPU: {_find_processor()}, {len(os.sched_getaffinity(0))} cores for this process"]
    lines.append(f"Python: {platform.python_version()} on {platform.system()} {platform.machine()}")
    for package in _PACKAGES:
        try:
            lines.append(f"{package}: {version(package)}")
        except PackageNotFoundError:
            continue
    for program in ("age --version", "node --version"):
        try:
            lines.append(f"{program.split()[0]}: {run_process(shlex.split(program)).strip()}")
        except OSError:
            continue
    lines.append(f"date: {datetime.now(tz=UTC).date()}")
    return [f"- {line}" for line in lines]


def _find_processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    match = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return match[1] if match else platform.machine()


if __name__ == "__main__":
    main()
