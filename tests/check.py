"""The one check: style, types, import contracts, documentation and tests.

Run ``python tests/check.py`` before landing, ``--fast`` while working. The first step that fails
ends the run with its exit code. Each run of the tests lists what it skipped, and why. Programs that
the environment variable CHECK_REQUIRES names must be there: no test is skipped without them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(sys.prefix) / "check-cache"
"""In the virtual environment, so that nothing stays in the tree and later runs are quick."""

WITHOUT_KERNELS = (
    "analysis",
    "cli/analysis",
    "cli/test_batch.py",
    "cli/test_cluster.py",
    "cli/test_crash.py",
    "cli/test_elsewhere.py",
    "cli/test_hostile.py",
    "cli/test_manifest.py",
    "cli/test_resume.py",
    "fuzz",
    "header",
    "images",
    "keys",
    "leaks",
    "recipes/test_flips.py",
    "reference",
    "reports",
    "test_engines.py",
    "test_figures.py",
    "test_samples.py",
    "test_security_proof.py",
    "vectors/test_mutants.py",
)
"""Tests of what never runs a kernel, or runs them only as a user of the package does."""

TESTS = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-n", "auto"]

FUZZ_TARGETS = (
    "header",
    "sidecar",
    "description",
    "png",
    "key",
    "tiff",
    "gif",
    "bmp",
    "webp",
    "flat",
    "jpeg",
)


def main() -> int:
    """Run every step, the tests last, and return the first exit code that is not 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true", help="leave out docs and slow tests")
    parser.add_argument(
        "--debug-kernels", action="store_true", help="only test kernels that check every access"
    )
    parser.add_argument(
        "--fuzz", type=int, metavar="SECONDS", help="only fuzz, all targets together this long"
    )
    options = parser.parse_args()
    required = os.environ.get("CHECK_REQUIRES", "").split()
    if missing := [name for name in required if shutil.which(name) is None]:
        print("tests would be skipped, because CHECK_REQUIRES names:", *missing)
        return 1
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-check-") as scratch:
        if options.debug_kernels:
            return _first_failure([["tests/debug_kernels.py"]])
        if options.fuzz is not None:
            seconds = str(max(1, options.fuzz // len(FUZZ_TARGETS)))  # 0 would mean for ever
            return _first_failure([["tests/fuzz/run.py", each, seconds] for each in FUZZ_TARGETS])
        if options.fast:  # looking at the code leaves one core idle most of the time
            return _together([_style(), [[*TESTS, "-m", "not slow"]]])
        dropped = [f"--ignore=tests/{name}" for name in WITHOUT_KERNELS]
        without = [*TESTS, "--no-kernels", "-m", "not slow", *dropped]
        return _together([_style(), [_docs(Path(scratch))]]) or _first_failure([without, TESTS])


def _together(lists: Sequence[Sequence[Sequence[str]]]) -> int:
    """Run lists of steps at the same time, and return the first exit code that is not 0."""
    with ThreadPoolExecutor(len(lists)) as pool:
        return next(filter(None, pool.map(_first_failure, lists)), 0)


def _first_failure(steps: Sequence[Sequence[str]]) -> int:
    """Run steps until one fails, and return its exit code, or 0."""
    for step in steps:
        print("$ python", *step, flush=True)
        command = [sys.executable, *step]
        code = subprocess.run(command, cwd=ROOT, env=_environment(), check=False).returncode
        if code:
            return code
    return 0


def _style() -> list[list[str]]:
    return [
        ["-m", "ruff", "format", "--check", "--no-cache", "--quiet"],
        ["-m", "ruff", "check", "--no-cache", "--quiet"],
        ["-m", "mypy", "--cache-dir", str(CACHE / "mypy")],
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
    ]


def _docs(scratch: Path) -> list[str]:
    trees, pages = str(scratch / "doctrees"), str(scratch / "docs")
    return ["-m", "sphinx", "-W", "-q", "-d", trees, "docs", pages]


def _environment() -> dict[str, str]:
    """Keep bytecode out of the tree, and keys and settings of the developer out of the tests."""
    dropped = ("SUDOKUCRYPT_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")}


if __name__ == "__main__":
    sys.exit(main())
