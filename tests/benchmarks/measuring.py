"""Measuring calls, snippets of Python and whole commands, which take turns on one machine.

Least times count, since other work only ever adds some.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from sudokucrypt import Key

KEY = Key(bytes(range(32)))

Kind = Literal["wall", "cpu", "peak"]
Calls = Mapping[str, Callable[[], object]]
Variables = Mapping[str, str]

_NONE: Variables = {}

_SERVER = """
import json, resource, sys, time
space = {}
for line in sys.stdin:
    code = compile(json.loads(line), "<snippet>", "exec")
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    exec(code, space)
    wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps([wall, cpu]), flush=True)
"""


@dataclass(frozen=True)
class Cost:
    """What a call took: seconds, seconds of CPU, and the most memory in bytes, 0 if unknown."""

    wall: float
    cpu: float
    peak: int = 0


@dataclass(frozen=True)
class Timing:
    """What a contestant took in each round."""

    costs: tuple[Cost, ...]

    @property
    def median(self) -> float:
        """The median of the seconds."""
        return statistics.median(cost.wall for cost in self.costs)

    def least(self, kind: Kind) -> float:
        """Return the least of one kind."""
        values: list[float] = [getattr(cost, kind) for cost in self.costs]
        return min(values)


def take_turns(calls: Calls, rounds: int, stage: str = "") -> dict[str, Timing]:
    """Measure calls in rounds, each once a round, after a round that is not counted.

    A call that returns a `Cost` has measured itself.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in calls}
    for index in range(rounds + 1):
        if stage:
            print(f"{stage}: round {index} of {rounds}", file=sys.stderr, flush=True)
        for name, call in calls.items():
            start, before = time.perf_counter(), time.process_time()
            result = call()
            spent = Cost(time.perf_counter() - start, time.process_time() - before)
            if index:
                costs[name].append(result if isinstance(result, Cost) else spent)
    return {name: Timing(tuple(each)) for name, each in costs.items()}


def run(command: list[str], data: bytes | None = None, **settings: str) -> str:
    """Run a process without the developer's own settings and return what it prints."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SUDOKUCRYPT_")}
    done = subprocess.run(
        command, input=data, env={**kept, **settings}, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()


def peak_memory(call: Callable[[], object]) -> int:
    """Return the most bytes that Python and NumPy held during a call, its result included."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@dataclass(frozen=True)
class Bench:
    """Where processes are measured; this one stays small, since theirs begin as large as it is."""

    folder: Path  # where they run, and what they read and write
    stack: ExitStack  # ends those that wait for snippets
    old: str | None = None  # the Python that has version 1.1.0
    quick: bool = False  # whether this is a trial with small inputs

    def environment(self, variables: Variables = _NONE) -> dict[str, str]:
        """Return variables without those of the developer; bytecode is kept."""
        kept = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("SUDOKUCRYPT_", "PYTHON"))
        }
        return {**kept, "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"), **variables}

    def prepare(self, text: str) -> None:
        """Run a snippet once, in a process that ends."""
        command = [sys.executable, "-c", text]
        subprocess.run(command, cwd=self.folder, env=self.environment(), check=True)

    def command(
        self, *words: str | Path, data: str = "", code: int = 0, variables: Variables = _NONE
    ) -> Callable[[], Cost]:
        """Return a whole process that reads `data` and ends with a code; its output is dropped."""
        arguments, environment = list(map(str, words)), self.environment(variables)

        def measure() -> Cost:
            with (self.folder / "stdin").open("w+") as stdin:
                stdin.write(data)
                stdin.seek(0)
                start = time.perf_counter()
                process = subprocess.Popen(
                    arguments,
                    stdin=stdin,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL if code else None,
                    cwd=self.folder,
                    env=environment,
                )
                _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.perf_counter() - start
            if process.returncode != code:
                raise subprocess.CalledProcessError(process.returncode, arguments)
            return Cost(wall, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)

        return measure

    def both(self, name: str, *words: str | Path) -> Calls:
        """Return a command of the package, and with it that of version 1.1.0 if there is one."""
        pythons = {name: sys.executable, f"{name}, 1.1.0": self.old}
        return {
            title: self.command(python, "-m", "sudokucrypt", *words)
            for title, python in pythons.items()
            if python
        }

    def snippets(
        self,
        setup: str,
        calls: Mapping[str, str],
        variables: Variables = _NONE,
        *,
        old: bool = False,
    ) -> Calls:
        """Return statements that one process runs after its setup, perhaps one of version 1.1.0."""
        python = self.old if old else sys.executable
        if python is None:
            return {}
        process = self.stack.enter_context(
            subprocess.Popen(
                [python, "-c", _SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=self.folder,
                env=self.environment(variables),
                text=True,
            )
        )

        def measure(text: str) -> Cost:
            assert process.stdin is not None
            assert process.stdout is not None
            print(json.dumps(text), file=process.stdin, flush=True)
            return Cost(*json.loads(process.stdout.readline()))

        measure(setup)
        end = ", 1.1.0" if old else ""
        return {f"{name}{end}": partial(measure, text) for name, text in calls.items()}

    def both_snippets(
        self, setup: str, calls: Mapping[str, str], variables: Variables = _NONE
    ) -> Calls:
        """Return statements for both versions."""
        return {
            **self.snippets(setup, calls, variables),
            **self.snippets(setup, calls, variables, old=True),
        }
