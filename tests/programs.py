"""External programs that some tests need, and a run of these tests without the programs.

A test names its programs by ``@pytest.mark.programs("jpegtran")``, and is skipped if one is
missing. ``python -m tests.programs`` runs all test files that name or start programs, on a path
with only Python, git and a C compiler, where each test must pass or be skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests import check

_OTHER_NAMES = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "chrome"),
    # `convert` is not searched, since other programs have this name, too.
    "imagemagick": ("magick", "convert-im7.q16", "convert-im6.q16"),
}
"""Names of a program on other systems."""
PRESENT = ("python", "python3", "git", "cc", "gcc", "as", "ld")
"""What the README asks for: Python, git and a C compiler, with what that one runs."""
_STARTS_PROGRAMS = re.compile(
    r"\bsubprocess\b|\brun_python\b|mark\.programs|programs\.find|\bcorpus\b|\bbrowser\b"
)


def find_program(name: str) -> str | None:
    """Return the path of a program under any of its names, or None."""
    return next(filter(None, map(shutil.which, _OTHER_NAMES.get(name, (name,)))), None)


def run_python(
    *arguments: str | Path, code: int | None = 0, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run code in a new Python process with further variables, and check its exit code."""
    result = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert code is None or result.returncode == code, result.stderr
    return result


def skip_without(item: pytest.Item) -> None:
    """Skip a test if a program that it names is missing."""
    program_names = [name for mark in item.iter_markers("programs") for name in mark.args]
    if missing_programs := [name for name in program_names if find_program(name) is None]:
        item.add_marker(pytest.mark.skip(reason=f"not installed: {', '.join(missing_programs)}"))


def list_files_that_start_programs() -> list[str]:
    """Return the test files that start programs, or whose data may be made by programs."""
    paths = sorted((check.ROOT / "tests").rglob("test_*.py"))
    return [
        str(path.relative_to(check.ROOT))
        for path in paths
        if _STARTS_PROGRAMS.search(path.read_text("utf-8"))
    ]


def main() -> int:
    """Run these tests without the programs; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-path-") as folder:
        for name in PRESENT:
            if (program := shutil.which(name)) is not None:
                Path(folder, name).symlink_to(program)
        selected = ["-m", "not slow and not nightly and not long"]
        command = [sys.executable, *check.TESTS, *selected, *list_files_that_start_programs()]
        environment = {**os.environ, "PATH": folder}
        return subprocess.run(command, cwd=check.ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
