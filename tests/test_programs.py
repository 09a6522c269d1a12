"""Tests that need programs say so, and nothing else depends on what is installed."""

import re
from pathlib import Path

import pytest

from tests import check, programs

_TOOLS = ("programs.py", "check.py", "release.py", "benchmarks/")
"""What is not a test: it looks for programs by itself."""


def test_programs_are_found_in_one_place() -> None:
    """No test asks by itself whether a program is there: without it, it would say less unseen."""
    tests = check.ROOT / "tests"
    asking = [
        name
        for path in tests.rglob("*.py")
        if not (name := path.relative_to(tests).as_posix()).startswith(_TOOLS)
        and re.search(r"shutil.which|import which", path.read_text("utf-8"))
    ]
    assert asking == [Path(__file__).name]


@pytest.mark.parametrize(
    ("present", "skipped"), [((), True), (("first",), True), (("first", "second"), False)]
)
def test_a_test_needs_all_that_it_names(
    present: tuple[str, ...],
    skipped: bool,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """It is skipped where one of its programs is missing, and run where all are there."""
    item = pytest.Function.from_parent(request.node.parent, name="f", callobj=lambda: None)
    item.add_marker(pytest.mark.programs("first", "second"))
    monkeypatch.setattr(programs, "find", lambda name: name if name in present else None)
    programs.skip_without(item)
    assert bool(list(item.iter_markers("skip"))) == skipped


def test_a_bare_path_has_no_program_that_a_test_names() -> None:
    """What tests name is not among what the README asks for."""
    text = "".join(path.read_text("utf-8") for path in (check.ROOT / "tests").rglob("test_*.py"))
    named = set(re.findall(r'mark\.programs\("([^"]+)"', text))
    assert {"age", "bash", "chromium", "jpegtran", "node"} <= named
    assert not named & {*programs.PRESENT}
