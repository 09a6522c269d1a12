"""Counting the steps of long work, stopping it, and running it in a process of its own."""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, TypeVar, cast

from sudokucrypt.errors import InvalidParameterError, SudokucryptError, UnsupportedError
from sudokucrypt.typing import ProgressCallback

T = TypeVar("T")

# How often, in seconds, work is interrupted that catches what interrupts it.
_AGAIN = 0.5
# Characters of an error of others that a report repeats.
_LONGEST = 300
# Whether this process is a copy that was made for the code of others, and needs no other.
_copied = False


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
    """Raise `StoppedError` in work that takes longer; None is no limit.

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


def format_error(error: BaseException) -> str:
    """Return the kind and the first line of what the code of others raised."""
    try:
        text = str(error)
    except Exception:  # code of others, too
        text = ""
    return f"{type(error).__name__}: {text}".partition("\n")[0].removesuffix(": ")[:_LONGEST]


def run_guarded(work: Callable[[], T], *, foreign: bool, limit: float | None = None) -> T:
    """Return the result of work on a scheme, or raise a `SudokucryptError` whatever it raises.

    Work on a `foreign` scheme, which is code of others, is run by `run_apart`. None takes longer
    than `limit` seconds.
    """
    try:
        if foreign:
            return run_apart(work, limit=limit)
        with time_limit(limit):
            return work()
    except (SudokucryptError, KeyboardInterrupt):
        raise
    # Neither a fault of ours nor the code of others may end the report on everything else.
    except BaseException as error:
        raise UnsupportedError(f"could not be run: {format_error(error)}") from error


def run_apart(work: Callable[[], T], *, limit: float | None = None) -> T:
    """Return the result of work in a copy of this process, or raise what it raises there.

    What ends the copy, such as a crash of a library or a lack of memory, raises `UnsupportedError`,
    and work that takes longer than `limit` seconds `StoppedError`, wherever it is. Results are
    passed on by pickle, what is printed goes to stderr, and processes that the work leaves running
    are ended. A copy needs no other, and a system that cannot copy a process runs the work in this
    one.
    """
    if _copied or not hasattr(os, "fork"):
        with time_limit(limit):
            return work()
    with TemporaryFile() as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        end_process, copy = os._exit, os.fork()
        if not copy:
            code = 1
            try:
                _prepare_copy()
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
        finally:
            with suppress(OSError):  # mostly, nothing is left of its group
                os.killpg(copy, signal.SIGKILL)
        if status:
            code = os.waitstatus_to_exitcode(status)
            end = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise UnsupportedError(f"the process {end}")
        file.seek(0)
        result, error = pickle.load(file)  # noqa: S301 - written by a copy of this process
    if error is not None:
        raise error
    return cast("T", result)


def _prepare_copy() -> None:
    """Begin a group of processes without input, whose output is that of messages."""
    global _copied  # noqa: PLW0603 - a property of the process
    _copied = True
    os.setpgid(0, 0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)


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
