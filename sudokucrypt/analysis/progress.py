"""Counting the steps of long work, and stopping it when its time is over."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, cycle
from types import FrameType
from typing import Any, TypeVar

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.typing import ProgressCallback

T = TypeVar("T")

# How often, in seconds, code under test is interrupted that catches what interrupts it. After some
# times the next interrupt comes so soon that it hits the code which caught the last one.
_AGAIN, _PATIENT = 0.5, 3
_SHORT = (1e-6, 3e-6, 5e-6, 8e-6, 12e-6, 20e-6, 40e-6, 100e-6)


class Steps:
    """Counts the steps of a piece of work, and reports after each how far it is."""

    def __init__(self, total: int, progress: ProgressCallback | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def after(self, result: T) -> T:
        """Count one more step, and pass on its result."""
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
        return result


class LateError(BaseException):
    """Time is over; no error that the code of others would take for one of its own."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `UnsupportedError` in work that takes longer; None is no limit.

    The work is interrupted between two steps of Python, and again and again if it catches what
    interrupts it. Needs the main thread and a system with timers; elsewhere any limit is refused
    with `UnsupportedError`.
    """
    if seconds is None:
        yield
        return
    if not 0 < seconds < float("inf"):
        raise InvalidParameterError(f"a limit is a number of seconds above 0, not {seconds!r}")
    if not hasattr(signal, "setitimer"):
        raise UnsupportedError("this system cannot limit the time of a scheme")
    delays = chain([_AGAIN] * _PATIENT, cycle(_SHORT))

    def interrupt(_: int, frame: FrameType | None) -> None:
        delay = next(delays)
        signal.setitimer(signal.ITIMER_REAL, delay, _AGAIN)
        module = "" if frame is None else str(frame.f_globals.get("__name__"))
        # An interrupt on its way out passes our own code, which is not hit again.
        if delay == _AGAIN or not module.startswith(("sudokucrypt.", "contextlib")):
            raise LateError

    def drop_interrupt(lost: Any) -> None:
        # Finalizers swallow the interrupt, which comes again: Python need not print it.
        if lost.exc_type is not LateError:
            hook(lost)

    try:
        before = signal.signal(signal.SIGALRM, interrupt)
    except ValueError as error:
        raise UnsupportedError("time can be limited in the main thread only") from error
    hook, sys.unraisablehook = sys.unraisablehook, drop_interrupt
    output, process_exit = sys.stdout, os._exit
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        yield
    except LateError as error:
        raise UnsupportedError(f"stopped after {seconds:g} seconds") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook
        # The interrupt may have come just before what a scheme sees was what it had been.
        sys.stdout, os._exit = output, process_exit
