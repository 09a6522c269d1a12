"""The complete check: style, types, import contracts, documentation, tests and their coverage.

Run ``python tests/check.py`` before merging. ``--fast`` runs only the fast tests of modules that
have changed since the last commit, and tests that any change can break. ``--nightly`` also runs the
longest tests, draws new examples for property tests, and fuzzes. The first failing step ends the
run with its exit code. Each run of the tests lists skipped tests with the reason. Programs in the
environment variable CHECK_REQUIRES must be installed, so that their tests are not skipped.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # when run as a script

from sudokucrypt.kernels import is_compiled
from tests.fuzz.targets import NAMES

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(sys.prefix) / "check-cache"
"""In the virtual environment, so that nothing stays in the tree and later runs are quick."""

COVERED = ("keys", "header", "ciphers", "recipes")
"""Packages and modules on whose branches secrecy and exact restoring depend."""

COVERAGE_TESTS = [
    f"tests/{name}"
    for name in (*COVERED, "cli/test_sessions.py", "kit", "test_first_calls.py", "vectors")
]
"""Tests that take those branches; measuring the others would make them slower for nothing."""

MIN_BRANCH_SHARE = 0.95
"""Least share of the branches of each of them that the tests take."""

CORE_TESTS = [
    f"tests/{name}" for name in ("bijections", "ciphers", "header", "keys", "test_draws.py")
]
"""What ``--fast`` tests where nothing has changed."""

_LAWS_OF_DOCS = (
    "api_pages_are_up_to_date",
    "claims_name_tests_that_exist",
    "each_parameter_of_public_functions_has_its_sentence",
    "examples_exist",
    "one_command_runs_all_generators",
    "public_names_are_sorted_and_documented",
    "relative_links_lead_somewhere",
    "the_manual_page_is_that_of_the_program",
    "the_page_of_the_package_is_made_from_the_readme",
    "the_table_of_commands_is_complete",
)
PROJECT_TESTS = [
    "tests/cli/test_hiding.py",
    *(f"tests/test_docs.py::test_{law}" for law in _LAWS_OF_DOCS),
    *(f"tests/test_{name}.py" for name in ("lazy", "programs", "project", "registry")),
]
"""What a change anywhere can break: tests of lists, names and pages, always part of ``--fast``."""

TESTS_OF_OTHER_FILES = {
    "README.md": "tests/test_docs.py",
    "docs": "tests/test_docs.py",
    "samples": "tests/test_samples.py",
}
"""The tests of what is not in the package, by the first part of its path."""

WORKFLOWS = sorted(str(path) for path in (ROOT / ".github" / "workflows").glob("*.yml"))
TESTS = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-n", "auto"]
TESTS += ["--dist", "worksteal"]  # neighbors share fixtures, and stay in one process
FAST_ONLY = ["-m", "not nightly and not long"]
MORE_PROCESSES = ["-n", str((os.cpu_count() or 1) + 1)]
"""One process more than cores, for tests that wait for programs, servers and browsers."""


def main() -> int:
    """Run all steps, the tests last; return the first exit code that is not 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--fast",
        action="store_true",
        help="leave out docs, slow tests, and tests of packages without a change",
    )
    parser.add_argument(
        "--nightly", action="store_true", help="only tests, with new examples, and fuzzing"
    )
    parser.add_argument(
        "--debug-kernels", action="store_true", help="only test kernels that check every access"
    )
    parser.add_argument(
        "--fuzz", type=int, metavar="SECONDS", help="only fuzz, all targets together this long"
    )
    options = parser.parse_args()
    required_programs = os.environ.get("CHECK_REQUIRES", "").split()
    if missing_programs := [name for name in required_programs if shutil.which(name) is None]:
        print("tests would be skipped, because CHECK_REQUIRES names:", *missing_programs)
        return 1
    if options.debug_kernels:
        return _run_until_failure([["tests/debug_kernels.py"]])
    if options.nightly:
        # Random examples: Hypothesis prints the seed of a failure, so that it can be repeated.
        random_tests = [*TESTS, "--hypothesis-profile=nightly"]
        return _run_until_failure([random_tests, *_make_fuzzing_steps(options.fuzz or 3600)])
    if options.fuzz is not None:
        return _run_until_failure(_make_fuzzing_steps(options.fuzz))
    if options.fast:  # in parallel, since static checks use one core most of the time
        return _run_in_parallel(
            [
                _make_style_steps(),
                [[*TESTS, "-m", "not slow", *PROJECT_TESTS, *list_changed_tests()]],
            ]
        )
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-check-") as scratch:
        data = Path(scratch) / "coverage"
        os.environ["COVERAGE_FILE"] = str(data)
        packages = [f"--cov=sudokucrypt.{name}" for name in COVERED]
        fallbacks = [*TESTS, *_list_kernel_files(), "--no-kernels", "-m", "kernels and not slow"]
        core = [*TESTS, *FAST_ONLY, *COVERAGE_TESTS, *packages, "--cov-branch", "--cov-report="]
        other_tests = [
            *TESTS,
            *MORE_PROCESSES,
            *FAST_ONLY,
            *(f"--ignore={path}" for path in COVERAGE_TESTS),
        ]
        return (
            _run_in_parallel(  # building the docs keeps one core busy for a minute
                [[*_make_style_steps(), fallbacks, core], [_make_docs_steps(Path(scratch))]]
            )
            or _run_until_failure([other_tests])
            # Without kernels, tests of JPEG are skipped, so that branches are missing.
            or (check_floor(data) if is_compiled() else 0)
        )


def _list_kernel_files() -> list[str]:
    """Return only the files with tests of kernels, since collecting all files takes long."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return [
        str(path.relative_to(ROOT)) for path in paths if "mark.kernels" in path.read_text("utf-8")
    ]


def list_changed_tests() -> list[str]:
    """Return the tests of files that have changed by git, or those of the core."""
    paths: list[Path] = []
    for command in (["diff", "--name-only", "HEAD"], ["ls-files", "-o", "--exclude-standard"]):
        git = subprocess.run(
            ["git", *command], cwd=ROOT, check=True, capture_output=True, text=True
        )
        paths += map(Path, git.stdout.splitlines())
    tests = {test for path in paths for test in _find_tests(path)}
    return sorted(tests.union(_list_message_tests())) or CORE_TESTS


def _list_message_tests() -> list[str]:
    """Return the test of sessions if a session contains a text that the package has lost."""
    command = ["git", "diff", "-U0", "HEAD", "--", "sudokucrypt"]
    diff = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    texts = re.findall(r'^-.*?"([^"{}\\]{16,})', diff, re.MULTILINE)
    sessions = (ROOT / "tests" / "cli" / "sessions").rglob("*.txt")
    session_texts = (path.read_text(encoding="utf-8") for path in sessions if texts)
    return (
        ["tests/cli/test_sessions.py"]
        if any(text_line in page for page in session_texts for text_line in texts)
        else []
    )


def _find_tests(path: Path) -> list[str]:
    """Return the test file of a module, else the nearest folder of tests, or None."""
    if path.parts[0] not in ("sudokucrypt", "tests"):
        return (
            [TESTS_OF_OTHER_FILES[path.parts[0]]] if path.parts[0] in TESTS_OF_OTHER_FILES else []
        )
    mirror = Path("tests", *path.parts[1:])
    file = mirror.with_name(f"test_{mirror.stem.removeprefix('test_')}.py")
    nearest = next(parent for parent in (file, *mirror.parents) if (ROOT / parent).exists())
    return [] if nearest == Path("tests") else [str(nearest)]


def check_floor(data: Path) -> int:
    """Return 1 and print the packages whose tests take too few branches, or return 0."""
    shares = measure_branch_shares(data)
    low_shares = {name: share for name, share in shares.items() if share < MIN_BRANCH_SHARE}
    for name, share in low_shares.items():
        print(f"tests take {share:.1%} of the branches of {name}, less than {MIN_BRANCH_SHARE:.0%}")
    return 1 if low_shares else 0


def measure_branch_shares(data: Path) -> dict[str, float]:
    """Return the share of branches that tests took, for each package in `COVERED`."""
    report = [sys.executable, "-m", "coverage", "json", "-q", "-o", "-"]
    environment = {**_make_environment(), "COVERAGE_FILE": str(data)}
    printed = subprocess.run(report, cwd=ROOT, env=environment, check=True, capture_output=True)
    counts = {f"sudokucrypt/{name}": [0, 0] for name in COVERED}
    for path, file in json.loads(printed.stdout)["files"].items():
        summary = file["summary"]
        count = counts["/".join(Path(path).with_suffix("").parts[:2])]
        count[0] += summary["covered_branches"]
        count[1] += summary["num_branches"]
    return {name: branches_taken / branches for name, (branches_taken, branches) in counts.items()}


def _make_fuzzing_steps(seconds: int) -> list[list[str]]:
    """Return a step for each fuzz target; they share the seconds equally."""
    seconds_each = str(max(1, seconds // len(NAMES)))  # 0 would mean without limit
    return [["tests/fuzz/run.py", target, seconds_each] for target in NAMES]


def _run_in_parallel(step_lists: Sequence[Sequence[Sequence[str]]]) -> int:
    """Run lists of steps in parallel; return the first exit code that is not 0."""
    with ThreadPoolExecutor(len(step_lists)) as pool:
        return next(filter(None, pool.map(_run_until_failure, step_lists)), 0)


def _run_until_failure(commands: Sequence[Sequence[str]]) -> int:
    """Run steps until one fails; return its exit code, or 0."""
    for step in commands:
        print("$ python", *step, flush=True)
        command = [sys.executable, *step]
        code = subprocess.run(command, cwd=ROOT, env=_make_environment(), check=False).returncode
        if code:
            return code
    return 0


def _make_style_steps() -> list[list[str]]:
    return [
        ["-m", "ruff", "format", "--check", "--no-cache", "--quiet"],
        ["-m", "ruff", "check", "--no-cache", "--quiet"],
        ["-m", "mypy", "--cache-dir", str(CACHE / "mypy")],
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        ["-m", "codespell_lib"],
        ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS],
    ]


def _make_docs_steps(scratch: Path) -> list[str]:
    trees, pages = str(scratch / "doctrees"), str(scratch / "docs")
    return ["-m", "sphinx", "-W", "-q", "-d", trees, "docs", pages]


def _make_environment() -> dict[str, str]:
    """Return an environment without keys and settings of the developer; bytecode is cached."""
    dropped = ("SUDOKUCRYPT_", "PYTHONDONTWRITEBYTECODE")
    environment = {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
    return {**environment, "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")}


if __name__ == "__main__":
    sys.exit(main())
