"""How fast schemes are: time, cycles of the processor and memory, over sizes of images."""

import sys
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from timeit import repeat

import numpy as np

from sudokucrypt.analysis.progress import Steps
from sudokucrypt.analysis.schemes import MeasuredScheme, report_key
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import ProgressCallback

LARGEST_SIDE = 1 << 15
"""Rows and columns of the largest picture whose speed is measured."""


@dataclass(frozen=True, kw_only=True)
class Speed:
    """One scheme on a square image of random gray samples of 8 bits.

    `seconds` is the least of several runs, and `memory` the most that one run held at a time
    besides the image, in sizes of the image. A scheme that does not take it says why in `refusal`.
    """

    scheme: str
    side: int
    seconds: float = np.nan
    memory: float = np.nan
    refusal: str = ""

    @property
    def bytes_per_second(self) -> float:
        """How much it takes in a second."""
        return self.side**2 / self.seconds

    @property
    def cycles_per_byte(self) -> float | None:
        """How many cycles a byte takes at the clock of this processor; none if it is not known."""
        clock = clock_rate()
        return None if clock is None else clock / self.bytes_per_second


def measure_speed(
    schemes: Sequence[MeasuredScheme],
    sides: Sequence[int],
    *,
    repeats: int = 3,
    progress: ProgressCallback | None = None,
) -> tuple[Speed, ...]:
    """Time schemes on square images with these sides in pixels, 1..32768, with their own threads.

    Memory is what Python and NumPy allocate, from the second run on, so that tables made once do
    not count; what other libraries take is not seen.

    Parameters
    ----------
    schemes : sequence of MeasuredScheme
        The schemes that are timed.
    sides : sequence of int
        The sides of the square images in pixels, 1..32768.
    repeats : int, default 3
        How often each scheme is timed, 1 or more; the least time counts.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES
    >>> [each.side for each in measure_speed([BASELINES["uniform"]], [16, 32], repeats=1)]
    [16, 32]
    """
    for side in sides:
        checked_integer("side", side, most=LARGEST_SIDE)
    steps = Steps(len(schemes) * len(sides), progress)
    return tuple(steps.after(_speed(scheme, side, repeats)) for scheme in schemes for side in sides)


def _speed(scheme: MeasuredScheme, side: int, repeats: int) -> Speed:
    image = np.random.default_rng(side).integers(0, 256, (side, side), dtype=np.uint8)
    key = report_key(0)
    try:
        # The first run makes tables and caches, and is not timed.
        scheme.usual(image, key)
    except SudokucryptError as error:
        return Speed(scheme=scheme.name, side=side, refusal=str(error))
    seconds = min(repeat(lambda: scheme.usual(image, key), number=1, repeat=repeats))
    # Tracing slows Python down, so memory has a run of its own.
    tracemalloc.start()
    try:
        scheme.usual(image, key)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Speed(scheme=scheme.name, side=side, seconds=seconds, memory=peak / image.nbytes)


@cache
def clock_rate() -> float | None:
    """Return the clock of this processor in hertz as the system says it, if it does (Linux)."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        rates = [float(line.split(":")[1]) for line in lines if line.startswith("cpu MHz")]
    except (OSError, ValueError, IndexError):
        return None
    return 1e6 * max(rates) if rates and max(rates) > 0 else None
