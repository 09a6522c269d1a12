"""Measure which tests take long, and list them: ``python -m tests.long_tests [TESTS]``.

Listed tests are marked `long` and only run nightly, so that the daily check is short. A run
executes the tests in one process, and replaces their lines in the list.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LIST = Path(__file__).with_suffix(".txt")
LONG = 1.5
"""Seconds of CPU, with child processes, from which on a test runs nightly alone."""

COMMENT = f"# More than {LONG:g} s of CPU; written by python -m tests.long_tests.\n"


def list_long() -> set[str]:
    """Return the identifiers of all long tests."""
    return {line for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#")}


class Stopwatch:
    """A plugin of pytest that measures the CPU time of each test."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure a test together with its fixtures."""
        start_times = os.times()
        result = yield
        self.seconds[item.nodeid] = sum(os.times()[:4]) - sum(start_times[:4])
        return result


def main(tests: list[str]) -> int:
    """Run tests, and write the list of those that took long."""
    stopwatch = Stopwatch()
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not nightly", *tests], [stopwatch])
    long_ids = {test for test, seconds in stopwatch.seconds.items() if seconds > LONG}
    tests = sorted(list_long() - stopwatch.seconds.keys() | long_ids)
    LIST.write_text(COMMENT + "".join(f"{test}\n" for test in tests), "utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
