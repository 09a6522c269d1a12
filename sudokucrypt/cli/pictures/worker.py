"""What a Dask worker does: it reads the keys that a task names, and works on batches."""

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
from sudokucrypt.cli.pictures.job import Done, InputTask, Job
from sudokucrypt.cli.pictures.outcomes import Failure
from sudokucrypt.cli.pictures.remote_tasks import RemoteTask
from sudokucrypt.errors import InvalidKeyError, UnsupportedVersionError

_ONE_AT_A_TIME = Lock()  # what stdin and stderr are is the same for all threads
_LOOK = 1.0  # seconds between looks at whether the run was stopped


def work(order: RemoteTask, tasks: Sequence[InputTask]) -> list[Done] | Failure:
    """Work on inputs as ordered, until the run is stopped; what is not done is left out.

    Return why nothing can be done if the worker cannot begin.
    """
    from distributed import Event

    try:
        with _ONE_AT_A_TIME:
            job = _prepare_job(order)
    except click.ClickException as error:
        return Failure(error=error.format_message(), hint=None, code=error.exit_code)
    except Exception as error:
        return Failure.of(error)
    stopped = Event(order.run)
    done: list[Done] = []
    looked = 0.0
    for index, item, known in tasks:
        # Each look is a message to the scheduler.
        if time.monotonic() - looked > _LOOK:
            if stopped.is_set():
                break
            looked = time.monotonic()
        done.append((index, job.outcome(item, threads=1, known=known)))
    return done


def dask_setup(_: object) -> None:
    """Ignore Ctrl-C and silence stderr; the client handles both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silent = os.open(os.devnull, os.O_WRONLY)
    # By its descriptor, since libraries in C write there too.
    os.dup2(silent, 2)
    os.close(silent)


@contextmanager
def _forbid_questions() -> Iterator[None]:
    """Ask for no passphrase, and show no warnings, which the user has seen already."""
    held, sys.stdin = sys.stdin, StringIO()
    try:
        with redirect_stderr(StringIO()):
            yield
    finally:
        sys.stdin = held


@lru_cache(maxsize=2)
def _prepare_job(order: RemoteTask) -> Job:
    """Return the job of a task, with the keys that this machine has."""
    if order.version != __version__:
        raise UnsupportedVersionError(
            f"it has sudokucrypt {__version__}, and this is {order.version}",
            hint="install the same version everywhere",
        )
    from sudokucrypt.cli.keys.secret_options import load, load_protecting
    from sudokucrypt.cli.options import register_own_scheme

    if order.scheme is not None:
        register_own_scheme(order.scheme)
    with _forbid_questions():
        keys = tuple(
            load_protecting(secret) if secret.to else load(secret) for secret in order.work.secrets
        )
    if not order.passes(keys):
        raise InvalidKeyError(
            "its key is another one", hint="give every worker the same key file or variable"
        )
    return order.make_job(keys)
