"""An engine of threads that work on the inputs of a run."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TYPE_CHECKING

from sudokucrypt.keys import CostlyDerivationError, defer_costly_derivations
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sudokucrypt.cli.options import InputItem
    from sudokucrypt.cli.pictures.job import InputOutcome, InputTask, Job
    from sudokucrypt.recipes import FileReport


class ThreadEngine:
    """An engine of threads, which work on `jobs` inputs at a time."""

    def __init__(self, job: Job, jobs: int) -> None:
        with Workers() as workers:
            self._threads_per_input = max(1, workers.threads // jobs)
        self._job, self._job_count = job, jobs
        self._pool = ThreadPoolExecutor(jobs)
        self._pending_futures: list[Future[InputOutcome | None]] = []
        self._ended_futures: list[Future[InputOutcome | None]] = []
        self._deferred_tasks: list[InputTask] = []

    def run_tasks(self, tasks: Iterable[InputTask]) -> Iterator[list[InputOutcome]]:
        """Process inputs, and yield their outcomes; inputs with costly keys are last."""
        yield from self._run_pass(tasks, defers_costly_keys=True)
        yield from self._run_pass(list(self._deferred_tasks), defers_costly_keys=False)
        self._pool.shutdown()

    def _run_pass(
        self, tasks: Iterable[InputTask], *, defers_costly_keys: bool
    ) -> Iterator[list[InputOutcome]]:
        for key in self._job.work.keys:
            defer_costly_derivations(key, deferring=defers_costly_keys)
        remaining_tasks = iter(tasks)
        while True:
            free_slot_count = 2 * self._job_count - len(self._pending_futures)
            self._pending_futures += [
                self._pool.submit(self._run_task, *task)
                for task in islice(remaining_tasks, free_slot_count)
            ]
            if not self._pending_futures:
                break
            finished_futures = wait(self._pending_futures, return_when=FIRST_COMPLETED).done
            self._ended_futures += [
                future for future in self._pending_futures if future in finished_futures
            ]
            self._pending_futures = [
                future for future in self._pending_futures if future not in finished_futures
            ]
            while self._ended_futures:
                if outcome := self._ended_futures.pop(0).result():
                    yield [outcome]

    def stop(self) -> Iterator[list[InputOutcome]]:
        """Finish the inputs that were begun, so that no file is incomplete."""
        self._pool.shutdown(cancel_futures=True)
        for future in [*self._ended_futures, *self._pending_futures]:
            if (
                not future.cancelled()
                and future.exception() is None
                and (outcome := future.result())
            ):
                yield [outcome]

    def _run_task(
        self, index: int, item: InputItem, known_report: FileReport | None
    ) -> InputOutcome | None:
        """Return the outcome of an input, or None if it is deferred to the second pass."""
        try:
            return index, self._job.find_outcome(
                item, threads=self._threads_per_input, known_report=known_report
            )
        except CostlyDerivationError:
            self._deferred_tasks.append((index, item, known_report))
            return None
