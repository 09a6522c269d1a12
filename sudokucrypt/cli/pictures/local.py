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
from sudokucrypt.workers import SAFE_PATH_VARIABLE, ignore_current_folder

_WORKER_MODULE = "sudokucrypt.cli.pictures.worker"
_PRELOADED_MODULES = ["distributed", "sudokucrypt.cli.pictures.commands"]
# Environment of all workers, also of those that replace dead ones. Each works on one input at a
# time, so that several threads of a library would only compete with other workers.
_WORKER_ENVIRONMENT = {"OMP_NUM_THREADS": "1", SAFE_PATH_VARIABLE: "1"}
# The prefix of the folders of workers; the number of the process that made the folder follows.
_FOLDER_PREFIX = "sudokucrypt-dask-"
_USES_FORK = platform.system() == "Linux"  # elsewhere, libraries may not survive a fork


def start_fork_server() -> None:
    """Start the server that workers are forked from; it imports the modules once for all."""
    if not _USES_FORK:
        return
    forkserver.set_forkserver_preload(_PRELOADED_MODULES)
    saved_environment = os.environ.copy()
    os.environ.update(_WORKER_ENVIRONMENT)
    try:
        with ignore_interrupts():
            resource_tracker.ensure_running()
            forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(saved_environment)


@contextmanager
def run_cluster(jobs: int) -> Iterator[Any]:
    """Run a cluster of `jobs` processes; the caller must defer interrupts while it starts."""
    import dask
    from distributed import LocalCluster

    _remove_folders_of_killed_runs()
    dask_settings = {
        "logging": {"distributed": "critical", "tornado": "critical"},
        "distributed.deploy.lost-worker-timeout": "2s",
        # No web pages about the work, which other users could read.
        "distributed.scheduler.http.routes": [],
        "distributed.worker.http.routes": [],
        "distributed.worker.profile.enabled": False,
        "distributed.worker.multiprocessing-method": "forkserver" if _USES_FORK else "spawn",
        # By default, Dask makes workers return memory after each array, which takes time.
        "distributed.nanny.pre-spawn-environ": _WORKER_ENVIRONMENT,
    }
    with (
        TemporaryDirectory(prefix=f"{_FOLDER_PREFIX}{os.getpid()}-") as scratch_folder,
        dask.config.set(dask_settings),
        ignore_current_folder(),
        # Temporary certificates keep other users of this machine from connecting to workers.
        LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            local_directory=scratch_folder,
            security=True,
            silence_logs=logging.CRITICAL,
            preload=[_WORKER_MODULE],
        ) as local_cluster,
    ):
        yield local_cluster


def _remove_folders_of_killed_runs() -> None:
    """Remove temporary folders that killed runs of this user left behind."""
    if os.name == "nt":  # Windows has no safe test whether a process still runs
        return
    for path in Path(gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        process_id = path.name.removeprefix(_FOLDER_PREFIX).partition("-")[0]
        with suppress(OSError):
            status = path.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            if not process_id.isdecimal() or not _is_process_running(int(process_id)):
                shutil.rmtree(path, ignore_errors=True)


def _is_process_running(process_id: int) -> bool:
    """Return whether a process with this number is running."""
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
