"""The code of Dask workers: read the keys that a task names, and work on batches of inputs."""

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from functools import lru_cache
from io import StringIO
from threading import Lock

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.pictures.job import InputOutcome, InputTask, Job
from sudokucrypt.cli.pictures.outcomes import Failure
from sudokucrypt.cli.pictures.remote_tasks import RemoteTask
from sudokucrypt.errors import InvalidKeyError, UnsupportedVersionError

_PREPARATION_LOCK = Lock()  # preparing replaces stdin and stderr, which all threads share
_CHECK_SECONDS = 1.0  # time between two checks whether the run was stopped


def process_tasks(
    remote_task: RemoteTask, tasks: Sequence[InputTask]
) -> list[InputOutcome] | Failure:
    """Process inputs of a task until the run is stopped; return the outcomes so far.

    Return a failure if the worker cannot prepare the job, for example because a key is missing.
    """
    from distributed import Event

    try:
        with _PREPARATION_LOCK:
            job = _prepare_job(remote_task)
    except click.ClickException as error:
        return Failure(error=error.format_message(), hint=None, code=error.exit_code)
    except Exception as error:
        return Failure.from_error(error)
    stop_event = Event(remote_task.run)
    outcomes: list[InputOutcome] = []
    last_check_time = 0.0
    for index, item, known_report in tasks:
        # Not before each input, since each check is a message to the scheduler.
        if time.monotonic() - last_check_time > _CHECK_SECONDS:
            if stop_event.is_set():
                break
            last_check_time = time.monotonic()
        outcomes.append((index, job.find_outcome(item, threads=1, known_report=known_report)))
    return outcomes


def dask_setup(_: object) -> None:
    """Ignore Ctrl-C and silence stderr; the client handles both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    null_device = os.open(os.devnull, os.O_WRONLY)
    # The file descriptor is replaced, since libraries in C write to it too.
    os.dup2(null_device, 2)
    os.close(null_device)


@contextmanager
def _forbid_prompts() -> Iterator[None]:
    """Prevent prompts for passphrases, and warnings that the user has already seen."""
    saved_stdin, sys.stdin = sys.stdin, StringIO()
    try:
        with redirect_stderr(StringIO()):
            yield
    finally:
        sys.stdin = saved_stdin


@lru_cache(maxsize=2)
def _prepare_job(remote_task: RemoteTask) -> Job:
    """Read the keys that a task names on this machine, check them, and return the job."""
    if remote_task.version != __version__:
        raise UnsupportedVersionError(
            f"the worker has sudokucrypt {__version__}, and the client has {remote_task.version}",
            hint="install the same version everywhere",
        )
    from sudokucrypt.cli.keys.secret_options import load_protecting_key, load_restoring_key
    from sudokucrypt.cli.options import register_user_scheme

    if remote_task.scheme is not None:
        register_user_scheme(remote_task.scheme)
    with _forbid_prompts():
        keys = tuple(
            load_protecting_key(secret) if secret.to else load_restoring_key(secret)
            for secret in remote_task.work.secret_options
        )
    if not remote_task.accepts_keys(keys):
        raise InvalidKeyError(
            "its key is not the key of the client",
            hint="give every worker the same key file or variable",
        )
    return remote_task.make_job(keys)
