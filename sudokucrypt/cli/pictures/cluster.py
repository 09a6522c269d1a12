"""Inputs on their way through a Dask cluster: small tasks, few at a time, and no key in them."""

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

from sudokucrypt.cli.interrupts import defer, exit_immediately
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.pictures import local, worker
from sudokucrypt.cli.pictures.job import Done, InputTask
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome
from sudokucrypt.cli.pictures.remote_tasks import RemoteTask
from sudokucrypt.errors import SudokucryptError, UnsupportedError, extra_hint
from sudokucrypt.storage import sweep

# A worker that dies of an input takes others in its batch with it; three did not die by accident.
_TRIES = 3
_MOST = 64  # inputs in a batch
_BATCH = 1.0  # seconds that a batch should take
_WAIT = 5.0  # seconds between looks at which workers there are
_PATIENCE = 60.0  # seconds for the first worker to come, and for batches to end once stopped


@dataclass(frozen=True)
class _Batch:
    """Inputs that one worker gets at a time, and how often workers died of them."""

    tasks: tuple[InputTask, ...]
    deaths: int = 0


class Cluster:
    """A running Dask cluster, or one of processes on this machine; use it in a `with` statement.

    `address` is where the scheduler is, such as ``tls://10.0.0.1:8786``, or ``local`` for one of
    `jobs` processes.
    """

    def __init__(self, address: str, order: RemoteTask, *, jobs: int) -> None:
        self._order = order
        self._waiting: dict[Future[Any], _Batch] = {}
        self._again: list[_Batch] = []
        self._seconds, self._count = 0.0, 0
        self._looked, self._threads = -_WAIT, 1
        self._jobs = jobs
        self._local: Any = None
        self._folders: set[Path] = set()
        self._stack = ExitStack()
        try:
            self._client = self._connect(address, jobs)
            self._pool = self._client.get_executor(pure=False)
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        for folder in self._folders:  # what workers left that died
            sweep(folder)

    def outcomes(self, tasks: Iterable[InputTask]) -> Iterator[list[Done]]:
        """Work on inputs, as `Engine` says."""
        left = iter(tasks)
        while True:
            self._submit(left)
            if not self._waiting:
                return
            ended, _ = wait(self._waiting, timeout=_WAIT, return_when=FIRST_COMPLETED)
            for future in [each for each in self._waiting if each in ended]:
                yield self._receive(future, self._waiting.pop(future))

    def stop(self) -> Iterator[list[Done]]:
        """Let workers finish the inputs that they have begun."""
        from distributed import Event

        Event(self._order.run, client=self._client).set()
        wait(self._waiting, timeout=_PATIENCE if self._client.nthreads() else 0)
        for future, batch in self._waiting.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                yield self._name_here(future.result(), batch)
            else:
                future.cancel()

    def _connect(self, address: str, jobs: int) -> Any:
        """Return the client of the cluster, once it has a worker."""
        if address == "local":
            local.begin_to_import()
        try:
            from distributed import Client
        except ImportError as error:
            raise UnsupportedError("Dask is not installed", hint=extra_hint("dask")) from error
        # Dask logs whole tracebacks of what is reported here in one line.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._stack.enter_context(warnings.catch_warnings(action="ignore"))
        try:
            if address == "local":
                with defer():
                    self._local = self._stack.enter_context(local.cluster(jobs))
                    client = self._stack.enter_context(Client(self._local, set_as_default=False))
            else:
                with exit_immediately():
                    client = self._stack.enter_context(Client(address, set_as_default=False))
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise SudokucryptError(f"'{address}' has no worker", hint="start one first") from error
        except (OSError, ValueError, TypeError) as error:
            raise SudokucryptError(
                f"cannot reach a Dask scheduler at '{address}'",
                hint="name its address, such as tcp://HOST:8786, or 'local'",
            ) from error
        return client

    def _submit(self, left: Iterator[InputTask]) -> None:
        """Keep two batches for each thread of the cluster under way."""
        if time.monotonic() - self._looked > _WAIT:
            self._look()
        while len(self._waiting) < max(1, 2 * self._threads):
            batch = (
                self._again.pop()
                if self._again
                else _Batch(tuple(islice(left, self._choose_batch_size())))
            )
            if not batch.tasks:
                return
            sent = [
                # Workers run in folders of their own.
                (index, replace(item, source=item.source.absolute()), known)
                for index, item, known in batch.tasks
            ]
            self._waiting[self._pool.submit(worker.work, self._order, sent)] = batch

    def _look(self) -> None:
        """See which workers there are, and start those of ours again that died twice in a row."""
        workers = self._client.nthreads()
        if self._local is not None and len(workers) < self._jobs:
            self._local.scale(self._jobs)
        elif not workers and self._threads:
            say("note", "the cluster has no worker any more; waiting for one")
        self._threads = sum(workers.values())
        self._looked = time.monotonic()

    def _choose_batch_size(self) -> int:
        """Return how many inputs a batch has, so that it takes about a second."""
        # The first batches show how long an input takes.
        if not self._count:
            return 1
        return max(1, min(_MOST, int(_BATCH * self._count / max(self._seconds, 1e-3))))

    def _receive(self, future: Future[Any], batch: _Batch) -> list[Done]:
        """Return the outcomes of a batch; it is done again in parts if its workers died."""
        from distributed import KilledWorker

        try:
            done = self._name_here(future.result(), batch)
        except KilledWorker:
            if batch.deaths < _TRIES:
                # One by one, so that the input that workers die of takes no others with it.
                self._again += [_Batch((task,), batch.deaths + 1) for task in batch.tasks]
                return []
            error = SudokucryptError(
                "the workers that worked on it died",
                hint="give workers more memory, or work on it here without --dask",
            )
            failure = Failure.of(error)
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
        if len(done) < len(batch.tasks):  # some other run has stopped ours
            raise SudokucryptError("the run was stopped on the cluster")
        self._count += len(done)
        self._seconds += sum(outcome.seconds for _, outcome in done)
        return done

    def _name_here(self, result: list[Done] | Failure, batch: _Batch) -> list[Done]:
        """Return outcomes with the names that inputs and outputs have here."""
        if isinstance(result, Failure):
            raise SudokucryptError(f"a worker cannot begin: {result.error}", hint=result.hint)
        items = {index: item for index, item, _ in batch.tasks}
        named = []
        for index, outcome in result:
            source, report = items[index].source, outcome.result
            if not isinstance(report, Failure) and isinstance(target := report.target, Path):
                self._folders.add(target.parent)
                if not source.is_absolute():
                    here = Path(str(target).removeprefix(f"{os.getcwd()}/"))
                    report = replace(report, target=here)
            named.append((index, replace(outcome, source=str(source), result=report)))
        return named
