"""Count the steps of long work, limit its time, and run foreign code in a separate process."""

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

Result = TypeVar("Result")

# The seconds after which an interrupt is repeated, since the interrupted work may catch the first
# one.
_INTERRUPT_SECONDS = 0.5
# The maximum length of an error of foreign code in a report.
_MAX_ERROR_LENGTH = 300
# Whether this process is already a separate process for foreign code, which needs no further one.
_is_fork = False


class StepCounter:
    """Counts the steps of a piece of work, and reports the progress after each step."""

    def __init__(self, total: int, progress: ProgressCallback | None) -> None:
        self._done_steps, self._total_steps, self._report_progress = 0, total, progress

    def count_step(self, result: Result) -> Result:
        """Count a step, and return its result."""
        self._done_steps += 1
        if self._report_progress is not None:
            self._report_progress(self._done_steps, self._total_steps)
        return result


class TimeLimitError(BaseException):
    """The time limit has passed; foreign code that catches `Exception` does not catch this."""


class StoppedError(UnsupportedError):
    """Work took longer than its limit."""


@contextmanager
def limit_time(seconds: float | None) -> Iterator[None]:
    """Raise `StoppedError` in work that takes longer than `seconds`; None for no limit.

    The work is interrupted between two instructions of Python; work that does not end then is
    stopped by `run_in_fork`. A limit needs the main thread and a system with timers; otherwise it
    is refused with `UnsupportedError`.
    """
    if seconds is None:
        yield
        return
    if not 0 < seconds < float("inf"):
        raise InvalidParameterError(f"a limit is a number of seconds above 0, not {seconds!r}")
    if not hasattr(signal, "setitimer"):
        raise UnsupportedError("this system cannot limit the time of a scheme")

    def interrupt(*_: object) -> None:
        raise TimeLimitError

    try:
        previous_handler = signal.signal(signal.SIGALRM, interrupt)
    except ValueError as error:
        raise UnsupportedError("time can be limited in the main thread only") from error
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _INTERRUPT_SECONDS)
        yield
    except TimeLimitError as error:
        raise StoppedError(f"stopped after {seconds:g} seconds") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous_handler)


def format_error(error: BaseException) -> str:
    """Return the type and the first line of an error of foreign code."""
    try:
        text = str(error)
    except Exception:  # the conversion to text is foreign code too
        text = ""
    return f"{type(error).__name__}: {text}".partition("\n")[0].removesuffix(": ")[
        :_MAX_ERROR_LENGTH
    ]


def run_guarded(
    function: Callable[[], Result], *, foreign: bool, limit: float | None = None
) -> Result:
    """Return the result of `function`, which runs a scheme; convert errors to `SudokucryptError`.

    Work on a `foreign` scheme, which runs code of another package, is run by `run_in_fork`. Work
    that takes longer than `limit` seconds is stopped.
    """
    try:
        if foreign:
            return run_in_fork(function, limit=limit)
        with limit_time(limit):
            return function()
    except (SudokucryptError, KeyboardInterrupt):
        raise
    # No error, of this package or of foreign code, may end the rest of a report.
    except BaseException as error:
        raise UnsupportedError(f"could not be run: {format_error(error)}") from error


def run_in_fork(function: Callable[[], Result], *, limit: float | None = None) -> Result:
    """Return the result of `function`, run in a copy of this process, or raise its error.

    If the copy ends early, for example by a crash of a library or for lack of memory,
    `UnsupportedError` is raised, and `StoppedError` if work takes longer than `limit` seconds, even
    inside of a library. Results are returned by pickle, printed output goes to stderr, and
    processes that the work leaves running are ended. Inside of a copy, and on a system that cannot
    copy processes, the work runs in the same process.
    """
    if _is_fork or not hasattr(os, "fork"):
        with limit_time(limit):
            return function()
    with TemporaryFile() as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        end_process, child_id = os._exit, os.fork()
        if not child_id:
            exit_code = 1
            try:
                _prepare_fork()
                _write_outcome(function, file)
                sys.stderr.flush()
                exit_code = 0
            finally:
                end_process(exit_code)
        try:
            with limit_time(limit):
                status = os.waitpid(child_id, 0)[1]
        except BaseException:
            with suppress(ProcessLookupError, ChildProcessError):  # the copy may have just ended
                os.kill(child_id, signal.SIGKILL)
                os.waitpid(child_id, 0)
            raise
        finally:
            with suppress(OSError):  # an error means that the process group has already ended
                os.killpg(child_id, signal.SIGKILL)
        if status:
            exit_code = os.waitstatus_to_exitcode(status)
            ending_text = (
                f"was ended by signal {-exit_code}"
                if exit_code < 0
                else f"ended with exit code {exit_code}"
            )
            raise UnsupportedError(f"the process {ending_text}")
        file.seek(0)
        result, error = pickle.load(file)  # noqa: S301 - written by a copy of this process
    if error is not None:
        raise error
    return cast("Result", result)


def _prepare_fork() -> None:
    """Start a process group without input, whose output goes to stderr."""
    global _is_fork  # noqa: PLW0603 - a property of the process
    _is_fork = True
    os.setpgid(0, 0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)


def _write_outcome(function: Callable[[], object], file: IO[bytes]) -> None:
    """Run `function`, and write the pair of its result and its error, one of which is None."""
    try:
        outcome = pickle.dumps((function(), None))
    except BaseException as error:
        try:
            outcome = pickle.dumps((None, error))
            pickle.loads(outcome)  # noqa: S301 - some errors can be written but not read
        except Exception:
            outcome = pickle.dumps((None, UnsupportedError(f"{type(error).__name__}: {error}")))
    file.write(outcome)
    file.flush()
