"""Threads that work on the inputs of a run."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TYPE_CHECKING

from sudokucrypt.keys import CostlyDerivationError, defer_costly
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sudokucrypt.cli.options import Item
    from sudokucrypt.cli.pictures.job import Done, InputTask, Job
    from sudokucrypt.recipes import FileReport


class Threads:
    """Threads of this process, which work on as many inputs at a time as `jobs` says."""

    def __init__(self, job: Job, jobs: int) -> None:
        with Workers() as workers:
            self._threads = max(1, workers.threads // jobs)
        self._job, self._jobs = job, jobs
        self._pool = ThreadPoolExecutor(jobs)
        self._waiting: list[Future[Done | None]] = []
        self._ended: list[Future[Done | None]] = []
        self._deferred: list[InputTask] = []

    def outcomes(self, tasks: Iterable[InputTask]) -> Iterator[list[Done]]:
        """Work on inputs, as `Engine` says; those with costly derivations come last."""
        yield from self._pass(tasks, deferring=True)
        yield from self._pass(list(self._deferred), deferring=False)
        self._pool.shutdown()

    def _pass(self, tasks: Iterable[InputTask], *, deferring: bool) -> Iterator[list[Done]]:
        for key in self._job.work.keys:
            defer_costly(key, deferring=deferring)
        left = iter(tasks)
        while True:
            room = 2 * self._jobs - len(self._waiting)
            self._waiting += [self._pool.submit(self._do, *task) for task in islice(left, room)]
            if not self._waiting:
                break
            ended = wait(self._waiting, return_when=FIRST_COMPLETED).done
            self._ended += [future for future in self._waiting if future in ended]
            self._waiting = [future for future in self._waiting if future not in ended]
            while self._ended:
                if done := self._ended.pop(0).result():
                    yield [done]

    def stop(self) -> Iterator[list[Done]]:
        """Finish what has begun, so that no file is cut."""
        self._pool.shutdown(cancel_futures=True)
        for future in [*self._ended, *self._waiting]:
            if not future.cancelled() and future.exception() is None and (done := future.result()):
                yield [done]

    def _do(self, index: int, item: Item, known: FileReport | None) -> Done | None:
        """Return the outcome of an input, or nothing if it is put off."""
        try:
            return index, self._job.outcome(item, threads=self._threads, known=known)
        except CostlyDerivationError:
            self._deferred.append((index, item, known))
            return None
