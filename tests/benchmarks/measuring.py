"""Measure calls, snippets of Python and whole commands in turn on one machine.

The shortest times count, since other programs can only make a call slower.
"""

import json
import os
import statistics
import subprocess
import sys
import time
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

_EMPTY: Variables = {}

_SNIPPET_SERVER = """
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
    """The cost of a call: seconds, seconds of CPU, and the most memory in bytes, 0 if unknown."""

    wall: float
    cpu: float
    peak: int = 0


@dataclass(frozen=True)
class Timing:
    """The costs of a contestant in all rounds."""

    costs: tuple[Cost, ...]

    @property
    def median(self) -> float:
        """The median of the seconds."""
        return statistics.median(cost.wall for cost in self.costs)

    def find_least(self, kind: Kind) -> float:
        """Return the least cost of one kind."""
        values: list[float] = [getattr(cost, kind) for cost in self.costs]
        return min(values)


def take_turns(calls: Calls, rounds: int, stage: str = "") -> dict[str, Timing]:
    """Call each contestant once a round, after a round that is not counted, and return the costs.

    A call that returns a `Cost` has measured itself. A contestant that fails in the first round
    takes part no more.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in calls}
    for index in range(rounds + 1):
        if stage:
            print(f"{stage}: round {index} of {rounds}", file=sys.stderr, flush=True)
        for name in list(costs):
            start, cpu_start = time.perf_counter(), time.process_time()
            try:
                result = calls[name]()
            except subprocess.CalledProcessError as error:
                if index:
                    raise
                print(f"{name}: {error}", file=sys.stderr)
                del costs[name]
                continue
            spent = Cost(time.perf_counter() - start, time.process_time() - cpu_start)
            if index:
                costs[name].append(result if isinstance(result, Cost) else spent)
    return {name: Timing(tuple(each)) for name, each in costs.items()}


def run_process(command: list[str], data: bytes | None = None, **settings: str) -> str:
    """Run a process without the developer's own settings and return its output."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SUDOKUCRYPT_")}
    process = subprocess.run(
        command, input=data, env={**kept, **settings}, check=True, stdout=subprocess.PIPE
    )
    return process.stdout.decode()


@dataclass(frozen=True)
class Bench:
    """Run and measure processes.

    The process of the bench stays small, since its child processes begin as large as it is.
    """

    folder: Path  # the working directory of the processes, with their input and output files
    stack: ExitStack  # ends the processes that wait for snippets
    old: str | None = None  # the Python that has version 1.1.0
    quick: bool = False  # whether this is a trial with small inputs

    def build_environment(self, variables: Variables = _EMPTY) -> dict[str, str]:
        """Return the developer's variables without those for Python and Sudokucrypt, and
        `variables`; bytecode is kept in the folder."""
        environment = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("SUDOKUCRYPT_", "PYTHON"))
        }
        return {**environment, "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"), **variables}

    def prepare(self, text: str) -> None:
        """Run a snippet once, in a process of its own."""
        command = [sys.executable, "-c", text]
        subprocess.run(command, cwd=self.folder, env=self.build_environment(), check=True)

    def make_command(
        self, *words: str | Path, data: str = "", code: int = 0, variables: Variables = _EMPTY
    ) -> Callable[[], Cost]:
        """Return a call that runs and measures a process with `data` as its input.

        The process must end with `code`; its output is dropped.
        """
        arguments, environment = list(map(str, words)), self.build_environment(variables)

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
                _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.perf_counter() - start
            if process.returncode != code:
                raise subprocess.CalledProcessError(process.returncode, arguments)
            return Cost(wall, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss)

        return measure

    def make_command_pair(self, name: str, *words: str | Path) -> Calls:
        """Return a command of the package and, if version 1.1.0 is installed, the same of that
        version."""
        pythons = {name: sys.executable, f"{name}, 1.1.0": self.old}
        return {
            title: self.make_command(python, "-m", "sudokucrypt", *words)
            for title, python in pythons.items()
            if python
        }

    def make_snippets(
        self,
        setup: str,
        calls: Mapping[str, str],
        variables: Variables = _EMPTY,
        *,
        old: bool = False,
    ) -> Calls:
        """Return calls that run statements in one process, after its setup; `old` runs version
        1.1.0."""
        python = self.old if old else sys.executable
        if python is None:
            return {}
        process = self.stack.enter_context(
            subprocess.Popen(
                [python, "-c", _SNIPPET_SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=self.folder,
                env=self.build_environment(variables),
                text=True,
            )
        )

        def measure(text: str) -> Cost:
            assert process.stdin is not None
            assert process.stdout is not None
            print(json.dumps(text), file=process.stdin, flush=True)
            return Cost(*json.loads(process.stdout.readline()))

        measure(setup)
        suffix = ", 1.1.0" if old else ""
        return {f"{name}{suffix}": partial(measure, text) for name, text in calls.items()}

    def make_snippet_pairs(
        self, setup: str, calls: Mapping[str, str], variables: Variables = _EMPTY
    ) -> Calls:
        """Return the statements for the package and for version 1.1.0."""
        return {
            **self.make_snippets(setup, calls, variables),
            **self.make_snippets(setup, calls, variables, old=True),
        }
