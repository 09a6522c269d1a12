"""Programs that some tests need and that no package index has, and a path that has none of them.

A test names them: ``@pytest.mark.programs("jpegtran")``; it is skipped where one is missing. Run as
``python -m tests.programs``, this runs every file of tests that names one, or that starts any
program, on a path with only Python, git and a C compiler: those tests pass or are skipped.
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
    # Any program may be called `convert`.
    "imagemagick": ("magick", "convert-im7.q16", "convert-im6.q16"),
}
"""Names of a program on other systems."""
PRESENT = ("python", "python3", "git", "cc", "gcc", "as", "ld")
"""What the README asks for: Python, git and a C compiler, with what that one runs."""
_STARTS_PROGRAMS = re.compile(
    r"\bsubprocess\b|\brun_python\b|mark\.programs|programs\.find|\bcorpus\b|\bbrowser\b"
)


def find(name: str) -> str | None:
    """Return the path of a program, or None."""
    return next(filter(None, map(shutil.which, _OTHER_NAMES.get(name, (name,)))), None)


def run_python(
    *arguments: str | Path, code: int | None = 0, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run Python as a program of its own, with some variables more, and check its exit code."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert code is None or done.returncode == code, done.stderr
    return done


def skip_without(item: pytest.Item) -> None:
    """Mark a test as skipped if a program that it names is missing."""
    named = [name for mark in item.iter_markers("programs") for name in mark.args]
    if missing := [name for name in named if find(name) is None]:
        item.add_marker(pytest.mark.skip(reason=f"not installed: {', '.join(missing)}"))


def list_files_that_start_programs() -> list[str]:
    """Return the files of tests that start programs, or whose data programs may have made."""
    paths = sorted((check.ROOT / "tests").rglob("test_*.py"))
    return [
        str(path.relative_to(check.ROOT))
        for path in paths
        if _STARTS_PROGRAMS.search(path.read_text("utf-8"))
    ]


def main() -> int:
    """Run those tests without the programs, and return the exit code."""
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
