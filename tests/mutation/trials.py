"""Try mutants one after the other in forks of a process that has collected the tests once."""

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.mutation import separate
from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.nearest import Nearest
from tests.mutation.swapping import Loaded

ABOVE = tuple(f"tests/{room}" for room in ("recipes", "vectors", "leaks", "images", "cli"))
"""Tests that notice more of the core than those of its rooms."""

_LIMIT = 400.0
"""Seconds for tests whose time isn't known; what still runs then is taken for endless."""

_Failing = Callable[[Sequence[str], float, bool], str]
"""Runs fast or slow tests, by name or folder, for some seconds; returns the first that fails."""


def tests_of(room: str) -> str:
    """Return the tests of a room."""
    name = room.removesuffix(".py")
    return f"tests/{name}" if (ROOT / "tests" / name).is_dir() else f"tests/test_{name}.py"


class Trials:
    """A plugin of pytest that tries mutants instead of running the tests."""

    def __init__(
        self, mutants: Sequence[Mutant], nearest: Nearest, jobs: int, folder: Path
    ) -> None:
        self._mutants, self._nearest, self._jobs, self._folder = mutants, nearest, jobs, folder
        self._failed = ""
        self.alive: list[Mutant] = []

    def pytest_configure(self) -> None:
        """Don't look for the simplest example of a failure."""
        from hypothesis import Phase, settings  # pytest wants to be the first to import it

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutation", settings.get_profile("repeatable"), phases=phases)
        settings.load_profile("mutation")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = self._failed or f"FAILED {report.nodeid}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        loaded, running = Loaded(), dict[int, Mutant]()
        gc.freeze()
        for mutant in (*self._mutants, *[None] * self._jobs):
            if len(running) == self._jobs or (running and mutant is None):
                process, _ = os.wait()
                self._report(process, running.pop(process))
            if mutant is None:
                continue
            process = os.fork()
            if not process:
                self._try(mutant, loaded, session.items)
            running[process] = mutant
        return True

    def _report(self, process: int, mutant: Mutant) -> None:
        """Say what is alive; what wrote nothing was ended."""
        result = self._folder / str(process)
        if result.exists() and not result.read_text(encoding="utf-8"):
            self.alive.append(mutant)
            print(f"\nALIVE {mutant.path}:{mutant.line}\n  {mutant.name}", flush=True)

    def _try(self, mutant: Mutant, loaded: Loaded, items: Sequence[pytest.Item]) -> None:
        """Write the first test that fails; end this process in any case."""
        os.setsid()
        try:
            failure = self._killer(mutant, loaded, items)
            (self._folder / str(os.getpid())).write_text(failure, encoding="utf-8")
        finally:
            os._exit(0)

    def _killer(self, mutant: Mutant, loaded: Loaded, items: Sequence[pytest.Item]) -> str:
        def separately(tests: Sequence[str], seconds: float, slow: bool) -> str:
            return separate.failing(mutant, self._folder, tests, seconds, slow=slow)

        def here(tests: Sequence[str], seconds: float, slow: bool) -> str:
            return self._failing(list(_chosen(items, tests, slow=slow)), seconds)

        swapped = loaded.swap(mutant)
        failure = self._first(mutant, here) if swapped else ""
        if failure or (swapped and not self._nearest.is_outside(mutant.path, mutant.line)):
            return failure
        return self._first(mutant, separately)

    def _first(self, mutant: Mutant, failing: _Failing) -> str:
        """Return the first test that fails: of those that run the line, or of all there are."""
        own = tests_of(Path(mutant.path).relative_to("sudokucrypt").parts[0])
        for tests, seconds in self._nearest.groups(mutant.path, mutant.line, own):
            if failure := failing(tests, 60 + 20 * seconds, False):
                return failure
        if not self._nearest.is_seen(mutant.path, mutant.line):
            for group in (own, *ABOVE):
                if failure := failing([group], _LIMIT, False):
                    return failure
        return failing([own], _LIMIT, True)

    def _failing(self, items: Sequence[pytest.Item], seconds: float) -> str:
        """Run tests in this process, which the alarm ends."""
        self._failed = ""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        for item, following in zip(items, (*items[1:], None), strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                break
        signal.setitimer(signal.ITIMER_REAL, 0)
        return self._failed


def _chosen(
    items: Sequence[pytest.Item], tests: Sequence[str], *, slow: bool
) -> Iterator[pytest.Item]:
    """Return the fast or the slow ones of tests, by name or folder."""
    names, folders = set(tests), tuple(test for test in tests if "::" not in test)
    for item in items:
        if (item.nodeid in names or item.nodeid.startswith(folders)) and slow == bool(
            item.get_closest_marker("slow")
        ):
            yield item
