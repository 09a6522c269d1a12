"""A Dask cluster of processes on this machine."""

import logging
import os
import platform
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from sudokucrypt.cli.interrupts import ignore_interrupts
from sudokucrypt.workers import SAFE_PATH, ignore_current_folder

_WORKER = "sudokucrypt.cli.pictures.worker"
_IMPORTED = ["distributed", "sudokucrypt.cli.pictures.commands"]
# Each process works on one input at a time: threads of libraries would only compete. Processes that
# take the place of dead ones get this too.
_ENVIRONMENT = {"OMP_NUM_THREADS": "1", SAFE_PATH: "1"}
_PREFIX = "sudokucrypt-dask-"  # of the folders of workers; the process that made it follows
_FORKS = platform.system() == "Linux"  # elsewhere, libraries may not survive a fork


def begin_to_import() -> None:
    """Start the server that workers are forked from, if they are: it imports once for all."""
    if not _FORKS:
        return
    forkserver.set_forkserver_preload(_IMPORTED)
    before = os.environ.copy()
    os.environ.update(_ENVIRONMENT)
    try:
        with ignore_interrupts():
            resource_tracker.ensure_running()
            forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def cluster(jobs: int) -> Iterator[Any]:
    """Run a cluster with some processes; begin it where interrupts are put off."""
    import dask
    from distributed import LocalCluster

    _remove_folders_of_killed_runs()
    settings = {
        "logging": {"distributed": "critical", "tornado": "critical"},
        "distributed.deploy.lost-worker-timeout": "2s",
        "distributed.scheduler.http.routes": [],  # no pages for others to read
        "distributed.worker.http.routes": [],
        "distributed.worker.profile.enabled": False,
        "distributed.worker.multiprocessing-method": "forkserver" if _FORKS else "spawn",
        # Dask has workers give memory back after each array, which takes time.
        "distributed.nanny.pre-spawn-environ": _ENVIRONMENT,
    }
    with (
        TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as scratch,
        dask.config.set(settings),
        ignore_current_folder(),
        # Temporary certificates: whoever else uses this machine cannot talk to the workers.
        LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            local_directory=scratch,
            security=True,
            silence_logs=logging.CRITICAL,
            preload=[_WORKER],
        ) as running,
    ):
        yield running


def _remove_folders_of_killed_runs() -> None:
    """Remove what runs of this user left in the temporary directory that could not clean up."""
    if os.name == "nt":  # a process cannot be asked there whether it still runs
        return
    for path in Path(gettempdir()).glob(f"{_PREFIX}*"):
        number = path.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError):
            status = path.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            if not number.isdecimal() or not _is_running(int(number)):
                shutil.rmtree(path, ignore_errors=True)


def _is_running(process: int) -> bool:
    """Return whether there is a process with this number."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
