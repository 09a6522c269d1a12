"""An engine that works on inputs in a Dask cluster, in small batches and without sending keys."""

import logging
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from sudokucrypt.cli.interrupts import allow_immediate_exit, defer_interrupts
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.pictures import local, worker
from sudokucrypt.cli.pictures.job import InputOutcome, InputTask
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome
from sudokucrypt.cli.pictures.remote_tasks import RemoteTask
from sudokucrypt.errors import SudokucryptError, UnsupportedError, format_extra_hint
from sudokucrypt.storage import sweep_folder

# An input fails after this number of workers died while working on it, since three deaths are
# probably not a coincidence.
_MAX_DEATH_COUNT = 3
_MAX_BATCH_SIZE = 64  # inputs in a batch
_BATCH_SECONDS = 1.0  # time that a batch should take
_CHECK_SECONDS = 5.0  # seconds between two checks of the list of workers
_TIMEOUT_SECONDS = 60.0  # seconds to wait for the first worker, and for batches to end after a stop


@dataclass(frozen=True)
class _Batch:
    """Inputs that are sent to a worker together, and how many workers died processing them."""

    tasks: tuple[InputTask, ...]
    death_count: int = 0


class ClusterEngine:
    """An engine that uses a Dask cluster; use it in a `with` statement.

    `address` is the address of the scheduler, such as ``tls://10.0.0.1:8786``, or ``local`` to
    start a cluster of `jobs` processes on this machine.
    """

    def __init__(self, address: str, task: RemoteTask, *, jobs: int) -> None:
        self._remote_task = task
        self._batches: dict[Future[Any], _Batch] = {}
        self._retried_batches: list[_Batch] = []
        self._finished_seconds, self._finished_input_count = 0.0, 0
        self._last_check_time, self._thread_count = -_CHECK_SECONDS, 1
        self._job_count = jobs
        self._local_cluster: Any = None
        self._target_folders: set[Path] = set()
        self._exit_stack = ExitStack()
        try:
            self._client = self._connect(address, jobs)
            self._pool = self._client.get_executor(pure=False)
        except BaseException:
            self._exit_stack.close()
            raise

    def __enter__(self) -> "ClusterEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self._exit_stack.close()
        for folder in self._target_folders:  # remove temporary files of workers that died
            sweep_folder(folder)

    def run_tasks(self, tasks: Iterable[InputTask]) -> Iterator[list[InputOutcome]]:
        """Process inputs, and yield their outcomes in any order."""
        remaining_tasks = iter(tasks)
        while True:
            self._submit_batches(remaining_tasks)
            if not self._batches:
                return
            finished_futures, _ = wait(
                self._batches, timeout=_CHECK_SECONDS, return_when=FIRST_COMPLETED
            )
            for future in [future for future in self._batches if future in finished_futures]:
                yield self._receive_outcomes(future, self._batches.pop(future))

    def stop(self) -> Iterator[list[InputOutcome]]:
        """Let workers finish the inputs that they have begun."""
        from distributed import Event

        Event(self._remote_task.run, client=self._client).set()
        wait(self._batches, timeout=_TIMEOUT_SECONDS if self._client.nthreads() else 0)
        for future, batch in self._batches.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                yield self._restore_names(future.result(), batch)
            else:
                future.cancel()

    def _connect(self, address: str, jobs: int) -> Any:
        """Connect to the scheduler, wait for a worker, and return the client."""
        if address == "local":
            local.start_fork_server()
        try:
            from distributed import Client
        except ImportError as error:
            raise UnsupportedError(
                "Dask is not installed", hint=format_extra_hint("dask")
            ) from error
        # Dask logs tracebacks of errors that are reported here in one line.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._exit_stack.enter_context(warnings.catch_warnings(action="ignore"))
        try:
            if address == "local":
                with defer_interrupts():
                    self._local_cluster = self._exit_stack.enter_context(local.run_cluster(jobs))
                    client = self._exit_stack.enter_context(
                        Client(self._local_cluster, set_as_default=False)
                    )
            else:
                with allow_immediate_exit():
                    client = self._exit_stack.enter_context(Client(address, set_as_default=False))
            client.wait_for_workers(1, timeout=_TIMEOUT_SECONDS)
        except TimeoutError as error:
            raise SudokucryptError(f"'{address}' has no worker", hint="start one first") from error
        except (OSError, ValueError, TypeError) as error:
            raise SudokucryptError(
                f"cannot reach a Dask scheduler at '{address}'",
                hint="name its address, such as tcp://HOST:8786, or 'local'",
            ) from error
        return client

    def _submit_batches(self, remaining_tasks: Iterator[InputTask]) -> None:
        """Submit batches until there are two for each thread of the cluster."""
        if time.monotonic() - self._last_check_time > _CHECK_SECONDS:
            self._count_workers()
        while len(self._batches) < max(1, 2 * self._thread_count):
            batch = (
                self._retried_batches.pop()
                if self._retried_batches
                else _Batch(tuple(islice(remaining_tasks, self._choose_batch_size())))
            )
            if not batch.tasks:
                return
            tasks = [
                # Paths are absolute, since workers run in other folders.
                (index, replace(item, source=item.source.absolute()), known_report)
                for index, item, known_report in batch.tasks
            ]
            self._batches[self._pool.submit(worker.process_tasks, self._remote_task, tasks)] = batch

    def _count_workers(self) -> None:
        """Count the workers of the cluster; replace workers of a local cluster that died."""
        workers = self._client.nthreads()
        if self._local_cluster is not None and len(workers) < self._job_count:
            self._local_cluster.scale(self._job_count)
        elif not workers and self._thread_count:
            say("note", "the cluster has no worker any more; waiting for one")
        self._thread_count = sum(workers.values())
        self._last_check_time = time.monotonic()

    def _choose_batch_size(self) -> int:
        """Return how many inputs take about a second; 1 until the first batch was timed."""
        if not self._finished_input_count:
            return 1
        batch_size = _BATCH_SECONDS * self._finished_input_count / max(self._finished_seconds, 1e-3)
        return max(1, min(_MAX_BATCH_SIZE, int(batch_size)))

    def _receive_outcomes(self, future: Future[Any], batch: _Batch) -> list[InputOutcome]:
        """Return the outcomes of a batch, or an empty list if it is retried after a crash."""
        from distributed import KilledWorker

        try:
            outcomes = self._restore_names(future.result(), batch)
        except KilledWorker:
            if batch.death_count < _MAX_DEATH_COUNT:
                # Inputs are retried one by one, so that an input that crashes workers does not
                # stop the others.
                self._retried_batches += [
                    _Batch((task,), batch.death_count + 1) for task in batch.tasks
                ]
                return []
            error = SudokucryptError(
                "the workers that worked on it died",
                hint="give workers more memory, or work on it here without --dask",
            )
            failure = Failure.from_error(error)
            return [
                (index, Outcome(source=str(item.source), result=failure))
                for index, item, _ in batch.tasks
            ]
        except SudokucryptError:
            raise
        except CancelledError:
            raise SudokucryptError("the cluster was stopped, or has dropped the work") from None
        except Exception as error:
            raise SudokucryptError(
                f"the cluster cannot work on pictures: {type(error).__name__}: {error}",
                hint="install sudokucrypt on every worker",
            ) from error
        if len(outcomes) < len(batch.tasks):  # another client of the cluster has stopped the run
            raise SudokucryptError("the run was stopped on the cluster")
        self._finished_input_count += len(outcomes)
        self._finished_seconds += sum(outcome.seconds for _, outcome in outcomes)
        return outcomes

    def _restore_names(
        self, result: list[InputOutcome] | Failure, batch: _Batch
    ) -> list[InputOutcome]:
        """Replace absolute paths in outcomes by the names that the user gave."""
        if isinstance(result, Failure):
            raise SudokucryptError(f"a worker cannot begin: {result.error}", hint=result.hint)
        items = {index: item for index, item, _ in batch.tasks}
        renamed_outcomes = []
        for index, outcome in result:
            source, report = items[index].source, outcome.result
            if not isinstance(report, Failure) and isinstance(target := report.target, Path):
                self._target_folders.add(target.parent)
                if not source.is_absolute():
                    relative_path = Path(str(target).removeprefix(f"{os.getcwd()}/"))
                    report = replace(report, target=relative_path)
            renamed_outcomes.append((index, replace(outcome, source=str(source), result=report)))
        return renamed_outcomes
