"""Tests that need external programs are marked, and no other test depends on such programs."""

import re
from pathlib import Path

import pytest

from tests import check, programs

_TOOLS = ("programs.py", "check.py", "release.py", "benchmarks/")
"""Files that are no tests, and look for programs themselves."""


def test_programs_are_found_in_one_place() -> None:
    """No test looks for a program itself, since a missing one would silently reduce the test."""
    tests = check.ROOT / "tests"
    files_that_look = [
        name
        for path in tests.rglob("*.py")
        if not (name := path.relative_to(tests).as_posix()).startswith(_TOOLS)
        and re.search(r"shutil.which|import which", path.read_text("utf-8"))
    ]
    assert files_that_look == [Path(__file__).name]


@pytest.mark.parametrize(
    ("present", "skipped"), [((), True), (("first",), True), (("first", "second"), False)]
)
def test_a_test_needs_all_that_it_names(
    present: tuple[str, ...],
    skipped: bool,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """A test is skipped if one of its programs is missing, and run if all are installed."""
    item = pytest.Function.from_parent(request.node.parent, name="f", callobj=lambda: None)
    item.add_marker(pytest.mark.programs("first", "second"))
    monkeypatch.setattr(programs, "find_program", lambda name: name if name in present else None)
    programs.skip_without(item)
    assert bool(list(item.iter_markers("skip"))) == skipped


def test_a_bare_path_has_no_program_that_a_test_names() -> None:
    """Programs that tests name are not on the bare path of `python -m tests.programs`."""
    text = "".join(path.read_text("utf-8") for path in (check.ROOT / "tests").rglob("test_*.py"))
    program_names = set(re.findall(r'mark\.programs\("([^"]+)"', text))
    assert {"age", "bash", "chromium", "jpegtran", "node"} <= program_names
    assert not program_names & {*programs.PRESENT}
