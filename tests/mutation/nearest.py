"""The tests that run each line, recorded once, so that a mutant meets the fastest of them first."""

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from coverage import CoverageData

from tests.mutation.mutants import ROOT

_DURATION = re.compile(r"^(\d+\.\d\d)s (?:setup|call|teardown) +(.+)$", re.MULTILINE)
_GROUPS = (0, 25, 200, None)
"""Where groups of tests end, by their order; most mutants fail one of the first group."""


def record(tests: Sequence[str], folder: Path, jobs: int) -> None:
    """Run the fast tests without any mutant, and write which lines each runs, and how long."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    command += ["-n", str(jobs), "--durations=0", "-vv"]
    command += ["--cov=sudokucrypt", "--cov-context=test", "--cov-report="]
    environment = {**os.environ, "COVERAGE_FILE": str(folder / "coverage")}
    with (folder / "durations.txt").open("w", encoding="utf-8") as output:
        subprocess.run([*command, *tests], cwd=ROOT, env=environment, stdout=output, check=False)


class Nearest:
    """What `record` wrote.

    Parameters
    ----------
    folder : Path
        Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self._seconds = defaultdict[str, float](float)
        output = (folder / "durations.txt").read_text(encoding="utf-8")
        for seconds, test in _DURATION.findall(output):
            self._seconds[test] += float(seconds)

    def is_seen(self, path: str, line: int) -> bool:
        """Return whether a line runs inside of tests."""
        return bool(self._tests(path, [line]))

    def is_outside(self, path: str, line: int) -> bool:
        """Return whether a line runs outside of tests, at import or not at all in this process."""
        return "" in self._contexts(path).get(line, [""])

    def groups(self, path: str, line: int, own: str) -> Iterator[tuple[list[str], float]]:
        """Return groups of tests that run a line, and their seconds: the own room's fastest first.

        What isn't seen to run in a test concerns all tests that run the module.
        """
        found = self._tests(path, [line]) or self._tests(path, self._contexts(path))
        tests = sorted(
            found, key=lambda test: (not test.startswith(own), self._seconds[test], test)
        )
        for start, end in pairwise(_GROUPS):
            if group := tests[start:end]:
                yield group, sum(self._seconds[test] for test in group)

    def _tests(self, path: str, lines: Iterable[int]) -> set[str]:
        contexts = self._contexts(path)
        found = {context for line in lines for context in contexts.get(line, ())}
        return {context.rpartition("|")[0] for context in found if context}

    def _contexts(self, path: str) -> dict[int, list[str]]:
        return self._data.contexts_by_lineno(path)
