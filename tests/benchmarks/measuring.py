"""Contestants take turns, so that all meet one machine, and medians count."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sudokucrypt import Key
from tests.spies import watch_memory

Calls = dict[str, Callable[[], object]]
Contestants = Mapping[str, Callable[[], object]]
Timings = Mapping[str, "Timing"]

KEY = Key(bytes(range(32)))
SLOW, SLOW_ROUNDS = 1.0, 3
"""What takes over so many seconds takes part in so many rounds only."""


@dataclass(frozen=True)
class Timing:
    """The seconds that a contestant took in each round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def take_turns(contestants: Contestants, repeats: int, stage: str = "") -> Timings:
    """Time the contestants in rounds, each once a round, after a round that is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    slow = set()
    for index in range(repeats + 1):
        if stage:
            print(f"{stage}: round {index} of {repeats}", file=sys.stderr, flush=True)
        for name, call in contestants.items():
            if name in slow and index > SLOW_ROUNDS:
                continue
            start = time.perf_counter()
            call()
            spent = time.perf_counter() - start
            if index:
                seconds[name].append(spent)
            elif spent > SLOW:
                slow.add(name)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}


def run(command: list[str], data: bytes | None = None, **settings: str) -> str:
    """Run a process without the developer's own settings and return what it prints."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SUDOKUCRYPT_")}
    done = subprocess.run(
        command, input=data, env={**kept, **settings}, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()


def measure_peak_memory(call: Callable[[], object]) -> int:
    """Return the most bytes that Python and NumPy held during a call, its result included."""
    with watch_memory() as memory:
        call()
    return memory.peak
