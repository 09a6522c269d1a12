"""Counting the steps of long work, stopping it, and running it in a process of its own."""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, TypeVar, cast

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.typing import ProgressCallback

T = TypeVar("T")

# How often, in seconds, work is interrupted that catches what interrupts it.
_AGAIN = 0.5


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


class StoppedError(UnsupportedError):
    """Work took longer than it might."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `StoppedError` in work that takes longer; None is not a limit.

    The work is interrupted between two steps of Python; what does not end then is stopped by
    `run_apart`. Needs the main thread and a system with timers; elsewhere any limit is refused with
    `UnsupportedError`.
    """
    if seconds is None:
        yield
        return
    if not 0 < seconds < float("inf"):
        raise InvalidParameterError(f"a limit is a number of seconds above 0, not {seconds!r}")
    if not hasattr(signal, "setitimer"):
        raise UnsupportedError("this system cannot limit the time of a scheme")

    def interrupt(*_: object) -> None:
        raise LateError

    try:
        before = signal.signal(signal.SIGALRM, interrupt)
    except ValueError as error:
        raise UnsupportedError("time can be limited in the main thread only") from error
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        yield
    except LateError as error:
        raise StoppedError(f"stopped after {seconds:g} seconds") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_apart(work: Callable[[], T], *, limit: float | None = None) -> T:
    """Return the result of work in a copy of this process, or raise what it raises there.

    What ends the copy, such as a crash of a library or a lack of memory, raises `UnsupportedError`,
    and work that takes longer than `limit` seconds `StoppedError`, wherever it is. Results are
    passed on by pickle. A system that cannot copy a process runs the work in this one.
    """
    if not hasattr(os, "fork"):
        with time_limit(limit):
            return work()
    with TemporaryFile() as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        end_process, copy = os._exit, os.fork()
        if not copy:
            code = 1
            try:
                _write_outcome(work, file)
                sys.stderr.flush()
                code = 0
            finally:
                end_process(code)
        try:
            with time_limit(limit):
                status = os.waitpid(copy, 0)[1]
        except BaseException:
            with suppress(ProcessLookupError, ChildProcessError):  # it may have ended just then
                os.kill(copy, signal.SIGKILL)
                os.waitpid(copy, 0)
            raise
        if status:
            code = os.waitstatus_to_exitcode(status)
            end = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise UnsupportedError(f"the process {end}")
        file.seek(0)
        result, error = pickle.load(file)  # noqa: S301 - written by a copy of this process
    if error is not None:
        raise error
    return cast("T", result)


def _write_outcome(work: Callable[[], object], file: IO[bytes]) -> None:
    """Write what work returns, or raises, with nothing for the other."""
    try:
        outcome = pickle.dumps((work(), None))
    except BaseException as error:
        try:
            outcome = pickle.dumps((None, error))
            pickle.loads(outcome)  # noqa: S301 - some errors are written and cannot be read
        except Exception:
            outcome = pickle.dumps((None, UnsupportedError(f"{type(error).__name__}: {error}")))
    file.write(outcome)
    file.flush()
