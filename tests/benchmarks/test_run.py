"""The benchmark runs and writes its page; nothing here depends on how long anything takes."""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.benchmarks.measuring import SLOW_ROUNDS, Timing, take_turns
from tests.benchmarks.page import Target
from tests.benchmarks.pictures import ROOT, SHAPES, WIDE, reduce_subject

HEADINGS = (
    "Performance",
    "Environment",
    "Targets",
    "In memory",
    "Other tools",
    "Sizes",
    "Shapes and kinds of pixels",
)


@pytest.mark.nightly
def test_quick_run_writes_the_page(tmp_path: Path) -> None:
    """Each table is there, every number in it is positive, and no path or host is named."""
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
    for heading in HEADINGS:
        assert re.search(rf"^#+ {heading}$", page, re.MULTILINE)
    assert str(tmp_path) not in page
    assert str(ROOT) not in page
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:1] == "|"]
    rows = [row for row in rows if row[0] not in ("what", "target", "picture", "---")]
    assert len(rows) > 50
    cells = [cell for row in rows for cell in row[1:]]
    numbers = [float(text) for cell in cells for text in re.findall(r"\d+(?:\.\d+)?", cell)]
    assert len(numbers) > 100
    assert min(numbers) > 0


def test_pictures_have_their_shapes() -> None:
    """Every kind has its samples, and reduced pictures stay distinct."""
    subjects = {*WIDE, *SHAPES}
    small = {reduce_subject(subject) for subject in subjects}
    assert len(small) == len(subjects) == len(WIDE) + len(SHAPES) - 1
    result = {
        (subject.kind, *subject.draw().shape[2:], subject.draw().dtype.str) for subject in small
    }
    assert result == {
        ("RGB", 3, "|u1"),
        ("gray", "|u1"),
        ("RGBA", 4, "|u1"),
        ("RGB, 16 bits", 3, "<u2"),
    }


def test_contestants_take_turns() -> None:
    """The order is A B A B, and the first round is not counted."""
    calls: list[str] = []
    contestants = {name: partial(calls.append, name) for name in "AB"}
    timings = take_turns(contestants, 3)
    assert calls == ["A", "B"] * 4
    assert {name: len(timing.seconds) for name, timing in timings.items()} == {"A": 3, "B": 3}


def test_slow_contestants_take_part_in_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where everything is slow, there are only so many rounds."""
    monkeypatch.setattr("tests.benchmarks.measuring.SLOW", -1.0)
    timings = take_turns({"A": lambda: None}, SLOW_ROUNDS + 2)
    assert len(timings["A"].seconds) == SLOW_ROUNDS


@pytest.mark.parametrize(
    ("target", "cells"),
    [
        (Target("a", 2, "six", "three"), ["a", "at most 2x", "2.00x", "met"]),
        (Target("a", 2, "six"), ["a", "at most 2x", "6.00x", "not met"]),
        (Target("a", 2, "six", at_most=False), ["a", "at least 2x", "6.00x", "met"]),
        (Target("a", 2, "none", "six"), ["a", "at most 2x", "-", "not measured"]),
    ],
)
def test_target_is_the_limit_of_a_quotient(target: Target, cells: list[str]) -> None:
    """At most, at least, and without a measurement."""
    assert target.row({"six": 6.0, "three": 3.0}) == cells


def test_median_counts() -> None:
    """Neither the quickest nor the slowest round, in whichever order they came."""
    assert Timing((3.0, 1.0, 2.0)).median == 2.0
