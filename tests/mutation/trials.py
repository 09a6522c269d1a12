"""Record which tests run each line, and try the fastest of them first on each mutant."""

import functools
import gc
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import CO_NEWLOCALS
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from coverage import CoverageData

from tests.mutation import separate
from tests.mutation.mutants import ROOT, Mutant

_DURATION = re.compile(r"^(\d+\.\d\d)s (?:setup|call|teardown) +(.+)$", re.MULTILINE)
_GROUP_BOUNDS = (0, 25, 200, None)
"""The ends of groups of tests, in their order; most mutants fail a test of the first group."""


def record_runs(tests: Sequence[str], folder: Path, jobs: int) -> None:
    """Run the fast tests without any mutant, and write the lines and the duration of each test."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    command += ["-n", str(jobs), "--durations=0", "-vv"]
    command += ["--cov=sudokucrypt", "--cov-context=test", "--cov-report="]
    environment = {**os.environ, "COVERAGE_FILE": str(folder / "coverage")}
    with (folder / "durations.txt").open("w", encoding="utf-8") as output:
        subprocess.run([*command, *tests], cwd=ROOT, env=environment, stdout=output, check=False)


class Nearest:
    """The tests that run each line, as `record_runs` wrote them.

    Parameters
    ----------
    folder : Path
        The folder of the records.
    paths : iterable of str
        The modules whose lines matter.
    """

    def __init__(self, folder: Path, paths: Iterable[str]) -> None:
        coverage_data = CoverageData(str(folder / "coverage"))
        coverage_data.read()
        # Here, since this class erases the file when it is first used in a fork.
        self._contexts = {path: coverage_data.contexts_by_lineno(path) for path in set(paths)}
        self._seconds = defaultdict[str, float](float)
        output = (folder / "durations.txt").read_text(encoding="utf-8")
        for seconds, test in _DURATION.findall(output):
            self._seconds[test] += float(seconds)

    def is_seen(self, path: str, line: int) -> bool:
        """Return whether a line runs during tests."""
        return bool(self._list_tests(path, [line]))

    def is_outside(self, path: str, line: int) -> bool:
        """Return whether a line runs outside of tests, at import, or not at all in this process."""
        return "" in self._contexts[path].get(line, [""])

    def sum_seconds(self, folder: str) -> float:
        """Return the seconds that all fast tests of a folder or file take."""
        return sum(seconds for test, seconds in self._seconds.items() if test.startswith(folder))

    def list_groups(
        self, path: str, line: int, own_tests: str
    ) -> Iterator[tuple[list[str], float]]:
        """Yield groups of tests that run a line, and their seconds.

        The fastest tests come first, and those of the own package lead. Last come all other tests
        of the package that run the module: a line whose result was kept does not run again, so
        tests that depend on it are not seen to run it. A line that no test is seen to run concerns
        all tests that run the module.
        """
        module_tests = self._list_tests(path, self._contexts[path])
        found = self._list_tests(path, [line]) or module_tests
        others = {test for test in module_tests - found if test.startswith(own_tests)}
        for tests, bounds in ((found, _GROUP_BOUNDS), (others, (0, None))):
            ordered = sorted(
                tests, key=lambda test: (not test.startswith(own_tests), self._seconds[test], test)
            )
            for group_start, group_end in pairwise(bounds):
                if group := ordered[group_start:group_end]:
                    yield group, sum(self._seconds[test] for test in group)

    def _list_tests(self, path: str, lines: Iterable[int]) -> set[str]:
        contexts = self._contexts[path]
        test_names = {context for line in lines for context in contexts.get(line, ())}
        return {context.rpartition("|")[0] for context in test_names if context}


# Give functions in memory the code of a mutant, so that tests need not be collected again.


_PACKAGE = str(ROOT / "sudokucrypt")
_Cached = type(functools.cache(int))


class Loaded:
    """The functions of the package in memory, by their code, and the caches."""

    def __init__(self) -> None:
        # Compare types alone: other objects may run any code when asked for their class.
        objects = gc.get_objects()
        self._caches = [each for each in objects if type(each) is _Cached]
        self._functions: dict[CodeType, list[FunctionType]] = {}
        for each in objects:
            if type(each) is FunctionType and each.__code__.co_filename.startswith(_PACKAGE):
                self._functions.setdefault(each.__code__, []).append(each)

    def swap(self, mutant: Mutant) -> bool:
        """Change the functions; return False if the change lies outside of functions in memory.

        Changes of constants, defaults and other effects of an import lie outside.
        """
        source = (ROOT / mutant.path).read_text(encoding="utf-8")
        codes = _pair_changed_codes(compile(source, "", "exec"), compile(mutant.source, "", "exec"))
        swaps = [(each, new) for old, new in codes for each in self._functions.get(old, ())]
        if not swaps or not codes[-1][0].co_flags & CO_NEWLOCALS:
            return False
        for function, code in swaps:
            function.__code__ = code
        for cache in self._caches:
            cache.cache_clear()
        return True


def _pair_changed_codes(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]]:
    """Return the pairs of codes that differ, from the whole module to the innermost part."""
    if _describe_code(old) != _describe_code(new):
        return [(old, new)]
    for code_pair in zip(_list_parts(old), _list_parts(new), strict=True):
        if changed_pairs := _pair_changed_codes(*code_pair):
            return [(old, new), *changed_pairs]
    return []


def _describe_code(code: CodeType) -> tuple[object, ...]:
    """Return what defines a code without its parts; line numbers are left out, and 1 equals
    true."""
    constants = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return code.co_code, constants, names, len(_list_parts(code))


def _list_parts(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


# Try mutants one after the other in forks of a process that has collected the tests once.


ABOVE = tuple(f"tests/{package}" for package in ("recipes", "vectors", "leaks", "images", "cli"))
"""Tests that use the core, in addition to the tests of its packages."""

_SLOW_TIME_LIMIT = 400.0
"""Seconds for slow tests, whose durations are unknown; a mutant that still runs then is alive."""

_Failing = Callable[[Sequence[str], float], str]
"""A function that runs tests for at most some seconds and returns the first failing one."""


def find_tests(package: str) -> str:
    """Return the folder or file with the tests of a package."""
    name = package.removesuffix(".py")
    return f"tests/{name}" if (ROOT / "tests" / name).is_dir() else f"tests/test_{name}.py"


class Trials:
    """A plugin of pytest that tries mutants instead of running the tests."""

    def __init__(
        self, mutants: Sequence[Mutant], nearest: Nearest, jobs: int, folder: Path
    ) -> None:
        self._mutants, self._nearest, self._jobs, self._folder = mutants, nearest, jobs, folder
        self._failures = ""
        self.alive: list[Mutant] = []

    def pytest_configure(self) -> None:
        """Do not let Hypothesis look for the simplest example of a failure."""
        from hypothesis import Phase, settings  # pytest must import it first

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutation", settings.get_profile("repeatable"), phases=phases)
        settings.load_profile("mutation")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failures = self._failures or f"FAILED {report.nodeid}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        loaded = Loaded()
        gc.freeze()
        self.alive = self._find_alive(self._mutants, loaded, session.items, slow=False)
        self.alive = self._find_alive(self.alive, loaded, session.items, slow=True)
        return True

    def _find_alive(
        self, mutants: Sequence[Mutant], loaded: Loaded, items: Sequence[pytest.Item], *, slow: bool
    ) -> list[Mutant]:
        """Print and return the mutants that pass the fast or the slow tests."""
        running, alive = dict[int, Mutant](), list[Mutant]()
        for mutant in (*mutants, *[None] * self._jobs):
            if len(running) == self._jobs or (running and mutant is None):
                process, _ = os.wait()
                tried = running.pop(process)
                shutil.rmtree(self._get_scratch_folder(process), ignore_errors=True)
                if self._has_passed(process):
                    alive.append(tried)
                    tests = "slow tests" if slow else "fast tests"
                    print(f"\nALIVE after {tests}: {tried.path}:{tried.line}\n  {tried.name}")
                    sys.stdout.flush()
            if mutant is None:
                continue
            process = os.fork()
            if not process:
                self._try_mutant(mutant, loaded, items, slow=slow)
            running[process] = mutant
        return alive

    def _has_passed(self, process: int) -> bool:
        """Return whether a mutant passed its tests; a process without a result was ended early."""
        result = self._folder / str(process)
        return result.exists() and not result.read_text(encoding="utf-8")

    def _try_mutant(
        self, mutant: Mutant, loaded: Loaded, items: Sequence[pytest.Item], *, slow: bool
    ) -> None:
        """Write the first failing test to a file, and end this process in any case."""
        os.setsid()
        # Thousands of processes that end without cleaning up would fill the disk.
        scratch = self._get_scratch_folder(os.getpid())
        scratch.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
        result = self._folder / str(os.getpid())
        if slow:
            result.touch()  # a mutant whose time ends has not failed
        try:
            failure = self._find_killer(mutant, loaded, items, slow=slow)
            result.write_text(failure, encoding="utf-8")
        finally:
            os._exit(0)

    def _get_scratch_folder(self, process: int) -> Path:
        """Return the folder of temporary files of a process."""
        return self._folder / f"{process}-files"

    def _find_killer(
        self, mutant: Mutant, loaded: Loaded, items: Sequence[pytest.Item], *, slow: bool
    ) -> str:
        def run_separately(tests: Sequence[str], seconds: float) -> str:
            return separate.find_failure(mutant, self._folder, tests, seconds, slow=slow)

        def run_here(tests: Sequence[str], seconds: float) -> str:
            return self._find_failure(list(_choose_items(items, tests, slow=slow)), seconds)

        swapped = loaded.swap(mutant)
        failure = self._find_first_failure(mutant, run_here, slow=slow) if swapped else ""
        if failure or (swapped and not self._nearest.is_outside(mutant.path, mutant.line)):
            return failure
        return self._find_first_failure(mutant, run_separately, slow=slow)

    def _find_first_failure(self, mutant: Mutant, find_failure: _Failing, *, slow: bool) -> str:
        """Return the first failing test, of those that run the line or of all tests."""
        own_tests = find_tests(Path(mutant.path).relative_to("sudokucrypt").parts[0])
        if slow:
            return find_failure([own_tests], _SLOW_TIME_LIMIT)
        groups = list(self._nearest.list_groups(mutant.path, mutant.line, own_tests))
        if not self._nearest.is_seen(mutant.path, mutant.line):
            groups += [([name], self._nearest.sum_seconds(name)) for name in (own_tests, *ABOVE)]
        for tests, seconds in groups:
            if failure := find_failure(tests, 60 + 20 * seconds):
                return failure
        return ""

    def _find_failure(self, items: Sequence[pytest.Item], seconds: float) -> str:
        """Run tests in this process, which an alarm ends after some seconds."""
        self._failures = ""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        for item, following in zip(items, (*items[1:], None), strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failures:
                break
        signal.setitimer(signal.ITIMER_REAL, 0)
        return self._failures


def _choose_items(
    items: Sequence[pytest.Item], tests: Sequence[str], *, slow: bool
) -> Iterator[pytest.Item]:
    """Yield the fast or the slow ones of some tests, by name or folder."""
    names, folders = set(tests), tuple(test for test in tests if "::" not in test)
    for item in items:
        if (item.nodeid in names or item.nodeid.startswith(folders)) and slow == bool(
            item.get_closest_marker("slow")
        ):
            yield item
