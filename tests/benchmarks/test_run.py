"""Test that the benchmark runs and writes its page; no test depends on how long anything takes."""

import os
import re
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.benchmarks.measuring import Bench, Cost, Timing, take_turns
from tests.benchmarks.tables import ROOT, TABLES, Row

TIMINGS = {name: Timing((Cost(1, float(name), 9), Cost(2, 8.0, 7))) for name in "136"}


@pytest.mark.nightly
def test_quick_run_writes_the_page(tmp_path: Path) -> None:
    """A quick run writes a page with each table and its command, and without any path or host
    name."""
    output = tmp_path / "performance.md"
    script = ROOT / "tests" / "benchmarks" / "run.py"
    done = subprocess.run(
        [sys.executable, str(script), "--quick", "--output", str(output)],
        env={**os.environ, "PYTHONWARNINGS": "error"},
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = output.read_text(encoding="utf-8")
    commands = re.findall(
        r"^`python tests/benchmarks/run.py --quick .* (\w+)`$", page, re.MULTILINE
    )
    assert commands == [name for name in TABLES if name != "install"]
    assert str(tmp_path) not in page
    assert str(ROOT) not in page
    assert len(re.findall(r"\| (met|missed) \|$", page, re.MULTILINE)) > 20


def test_contestants_take_turns() -> None:
    """Contestants run in the order A B A B; the first round is not counted, and a returned `Cost`
    is used as it is."""
    calls: list[str] = []
    contestants = {name: partial(calls.append, name) for name in "AB"}
    timings = take_turns({**contestants, "C": lambda: Cost(5, 6, 7)}, 3)
    assert calls == ["A", "B"] * 4
    assert [len(timing.costs) for timing in timings.values()] == [3, 3, 3]
    assert timings["C"].median == timings["C"].find_least("wall") == 5


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (Row("", 1, "cpu", "6", "3"), 2),
        (Row("", 1, "cpu", "6", 3), 2),
        (Row("", 1, "peak", "6", 7), 1),
        (Row("", 1, "cpu", "6", "1", "3"), 3),
        (Row("", 1, "cpu", "6", "9"), None),
    ],
)
def test_row_is_a_quotient_of_least_costs(row: Row, value: float | None) -> None:
    """The value is the quotient of two least costs or of a cost and a number, perhaps less a third
    cost, or None if a cost is missing."""
    assert row.compute_value(TIMINGS) == value


def test_processes_are_measured(tmp_path: Path) -> None:
    """Snippets keep the variables of their setup; commands read their data and end with the
    expected code."""
    with ExitStack() as stack:
        bench = Bench(tmp_path, stack)
        calls = {
            **bench.make_snippet_pairs("numbers = []", {"snippet": "numbers.append(len(numbers))"}),
            "command": bench.make_command(
                sys.executable, "-c", "exit(len(input()))", data="ab", code=2
            ),
        }
        timings = take_turns(calls, 2)
    assert list(timings) == ["snippet", "command"]  # there is no version 1.1.0
    assert timings["command"].find_least("peak") > 10**6
    assert all(timing.find_least("cpu") > 0 for timing in timings.values())
    assert take_turns({"fails": bench.make_command(sys.executable, "-c", "exit(3)")}, 1) == {}


def test_median_is_the_middle_time() -> None:
    """The median of three times is the middle one, in whichever order they came."""
    assert Timing(tuple(Cost(wall, 0) for wall in (3.0, 1.0, 2.0))).median == 2.0
