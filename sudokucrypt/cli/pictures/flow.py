"""Inputs on their way through threads or machines, a few at a time, whatever their number."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeAlias

from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sudokucrypt.cli.inputs import Item
    from sudokucrypt.cli.pictures.manifest import Record
    from sudokucrypt.cli.pictures.outcomes import Outcome
    from sudokucrypt.keys import RestoringKey

Task: TypeAlias = "tuple[int, Item, Record | None]"
"""The number of an input, the input, and what a manifest says of it."""

Done: TypeAlias = "tuple[int, Outcome]"


class Work(Protocol):
    """What is done to each input."""

    @property
    def keys(self) -> Sequence[RestoringKey]:
        """The keys that it takes."""
        ...

    def outcome(self, item: Item, *, threads: int, known: Record | None = None) -> Outcome:
        """Return what comes of one input."""
        ...


@dataclass
class DeferredBatch:
    """Takes the batch of a command whose context has one; the command does not begin it."""

    work: Work | None = None


class Engine(Protocol):
    """What works on inputs."""

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[list[Done]]:
        """Work on inputs, and yield what comes of them, in any order."""
        ...

    def stop(self) -> Iterator[list[Done]]:
        """Begin nothing more, and yield what came of what had begun and was not yielded."""
        ...


class Threads:
    """Threads of this process.

    Parameters
    ----------
    work : Work
        What is done to each input.
    jobs : int
        How many inputs are worked on at a time.
    """

    def __init__(self, work: Work, jobs: int) -> None:
        with Workers() as workers:
            self._threads = max(1, workers.threads // jobs)
        self._work, self._jobs = work, jobs
        self._pool = ThreadPoolExecutor(jobs)
        self._waiting: list[Future[Done]] = []
        self._ended: list[Future[Done]] = []

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[list[Done]]:
        """Work on inputs, as `Engine` says."""
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
                yield [self._ended.pop(0).result()]
        self._pool.shutdown()

    def stop(self) -> Iterator[list[Done]]:
        """Finish what has begun, so that no file is cut."""
        self._pool.shutdown(cancel_futures=True)
        for future in [*self._ended, *self._waiting]:
            if not future.cancelled() and future.exception() is None:
                yield [future.result()]

    def _do(self, number: int, item: Item, known: Record | None) -> Done:
        return number, self._work.outcome(item, threads=self._threads, known=known)
