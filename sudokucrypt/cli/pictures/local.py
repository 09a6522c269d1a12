"""A Dask cluster of processes on this machine."""

import logging
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver
from tempfile import TemporaryDirectory
from typing import Any

from sudokucrypt.cli.interrupts import ignored

_WORKER = "sudokucrypt.cli.pictures.worker"
_IMPORTED = ["distributed", "sudokucrypt.cli.pictures.commands"]
# Each process works on one input at a time: threads of libraries would only compete.
_ENVIRONMENT = {"OMP_NUM_THREADS": "1"}
_FORKS = platform.system() == "Linux"  # elsewhere, libraries may not survive a fork


def begin_to_import() -> None:
    """Start the server that workers are forked from, if they are: it imports once for all."""
    if not _FORKS:
        return
    forkserver.set_forkserver_preload(_IMPORTED)
    before = os.environ.copy()
    os.environ.update(_ENVIRONMENT)
    try:
        with ignored():
            forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def cluster(jobs: int) -> Iterator[Any]:
    """Run a cluster with some processes; begin it where interrupts are put off."""
    import dask
    from distributed import LocalCluster

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
        TemporaryDirectory(prefix="sudokucrypt-dask-") as scratch,
        dask.config.set(settings),
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
