"""Processes that work on the inputs of a run, for the work that holds the interpreter lock.

They are forked, so that they begin at once, with the keys in their memory: no key is sent. Each
asks the parent for the names of its results where they depend on what is in the inputs, and the
parent answers in the order of the inputs, so that it does not depend on speed who gets a name.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.interrupts import defer
from sudokucrypt.cli.pictures.dry_run import names_are_clear
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome
from sudokucrypt.cli.pictures.run_ids import split_key
from sudokucrypt.errors import SudokucryptError, format_reason
from sudokucrypt.keys import Passphrase
from sudokucrypt.recipes.naming import ResultNaming
from sudokucrypt.recipes.sinks import Claims
from sudokucrypt.storage import get_file_size, sweep
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from sudokucrypt.cli.options import Item
    from sudokucrypt.cli.pictures.job import Done, Engine, InputTask, Job
    from sudokucrypt.storage import Location

# Inputs that a process is given at a time, so that it need not wait for the next one.
_AHEAD = 2
# From so many inputs on processes are worth their start; one of several pieces counts as several.
_WORTHWHILE, _PIECE = 40, 1 << 18
# Bytes that one input takes beside its own, and how often it takes its own where it is decoded.
_NEED, _COPIES = 1 << 28, 8
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current"))


def start_engine(job: Job, jobs: int | None) -> Engine:
    """Return what works on inputs: `jobs` of them at a time, by default one for each core.

    By default there are no more than the memory at hand takes, and one where processes cannot
    share the work, whose threads then share each input.
    """
    items = job.items
    forks = _can_fork(job) and _is_worthwhile(items)
    if jobs is None:
        with Workers() as workers:
            jobs = min(workers.threads, _count_that_fit(items)) if forks else 1
    jobs = min(jobs, max(1, len(items)))
    if forks and jobs > 1:
        return Processes(job, jobs)
    from sudokucrypt.cli.pictures.threads import Threads

    return Threads(job, jobs)


def _can_fork(job: Job) -> bool:
    """Return whether processes may be forked, and can do what is to be done.

    Each would derive the keys of passphrases for itself.
    """
    return (
        sys.platform == "linux"
        and threading.active_count() == 1
        and job.work.found is None
        and not any(item.piped for item in job.items)
        and not any(isinstance(one, Passphrase) for key in job.work.keys for one in split_key(key))
    )


def _is_worthwhile(items: Sequence[Item]) -> bool:
    count = 0
    for item in items:
        count += (
            1 + (get_file_size(item.source) or 0) // _PIECE if isinstance(item.source, Path) else 1
        )
        if count >= _WORTHWHILE:
            return len(items) > 1
    return False


def _count_that_fit(items: Sequence[Item]) -> int:
    """Return how many of the largest inputs fit into the memory at hand; at least one."""
    largest = max(
        (get_file_size(item.source) or 0 for item in items if isinstance(item.source, Path)),
        default=0,
    )
    return max(1, _measure_free_memory() // (_NEED + _COPIES * largest))


def _measure_free_memory() -> int:
    """Return the bytes that programs may still take, as far as the system says."""
    found = sys.maxsize
    with suppress(OSError, ValueError, IndexError):
        text = Path("/proc/meminfo").read_text("ascii")
        found = int(text.partition("MemAvailable:")[2].split()[0]) << 10
    with suppress(OSError, ValueError):
        most, taken = (int(path.read_text("ascii")) for path in _LIMITS)
        found = min(found, max(0, most - taken))
    return found


class _AskedClaims(Claims):
    """The claims of a run, which the parent keeps."""

    def __init__(self, claims: Claims, connection: Connection) -> None:
        super().__init__(*claims.__reduce__()[1])
        self._connection = connection
        self._tasks: deque[InputTask] = deque()  # those that came before an answer

    def next_task(self) -> InputTask:
        """Wait for an input to work on; `EOFError` if there are no more."""
        while not self._tasks:
            self._tasks.append(self._connection.recv())
        return self._tasks.popleft()

    def claim(self, location: Location, source: Location, *, sealed: bool = False) -> None:
        """Keep a location for the result of one input, as the parent says."""
        self._ask("claim", location, source, sealed=sealed)

    def check(self, location: Location, source: Location, *, sealed: bool = False) -> None:
        """Raise an error if a location is not free, as the parent says."""
        self._ask("check", location, source, sealed=sealed)

    def is_shared(self, location: Location, source: Location) -> bool:
        """Return whether a location was given to the result of another input, too."""
        return bool(self._ask("is_shared", location, source))

    def _ask(self, name: str, *arguments: Location, **options: bool) -> object:
        self._connection.send((name, arguments, options))
        while isinstance(answer := self._connection.recv(), tuple):
            self._tasks.append(answer)
        if isinstance(answer, Exception):
            raise answer
        return answer


class _Child:
    """A process, and the inputs that it has."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.process, self.connection = process, connection
        self.tasks: deque[InputTask] = deque()
        self.question: tuple[str, tuple[Location, ...], dict[str, bool]] | None = None


class Processes:
    """Processes of this computer, each of which works on one input at a time."""

    def __init__(self, job: Job, jobs: int) -> None:
        with Workers() as workers:
            self._threads = max(1, workers.threads // jobs)
        self._job, self._jobs = job, jobs
        self._children: list[_Child] = []
        self._done: list[Done] = []
        self._fault: click.ClickException | None = None  # what stops the run
        self._stopped = mmap.mmap(-1, 1)  # all processes see it
        self._unnamed: set[int] = set()  # inputs whose results have no name yet
        self._writers: dict[Location, int] = {}  # the input that got a name last

    def outcomes(self, tasks: Iterable[InputTask]) -> Iterator[list[Done]]:
        """Work on inputs, as `Engine` says."""
        left = iter(tasks)
        while True:
            self._give(left)
            if not any(child.tasks for child in self._children):
                break
            yield from self._gather()
        self._end()

    def stop(self) -> Iterator[list[Done]]:
        """Finish what has begun, so that no file is cut."""
        self._stopped[0], self._fault = 1, None
        while self._done or any(child.tasks for child in self._children):
            yield from self._gather()
        self._end()

    def _give(self, left: Iterator[InputTask]) -> None:
        """Give each process inputs, beginning with those that have fewest."""
        for depth in range(1, _AHEAD + 1):
            for number in range(self._jobs):
                if number < len(self._children) and len(self._children[number].tasks) >= depth:
                    continue
                if (task := next(left, None)) is None:
                    return
                with defer():
                    if number == len(self._children) and not self._add_child():
                        self._send(self._children[0], task)
                        return
                    self._send(self._children[number], task)

    def _add_child(self) -> bool:
        """Start a process; return whether the system allowed one more."""
        try:
            self._children.append(self._fork())
        except OSError as error:
            if not self._children:
                raise SudokucryptError(
                    f"cannot start a process: {format_reason(error)}", hint="use --jobs 1"
                ) from error
            self._jobs = len(self._children)
            return False
        return True

    def _send(self, child: _Child, task: InputTask) -> None:
        child.tasks.append(task)
        self._unnamed.add(task[0])
        with suppress(OSError):  # it has died, as reading from it shows
            child.connection.send(task)

    def _gather(self) -> Iterator[list[Done]]:
        """Wait for processes, answer their questions, and yield what they have done."""
        busy = [child.connection for child in self._children if child.tasks]
        ready = wait(busy) if busy else []
        with defer():  # so that no message is lost, for which a process or this one would wait
            for child in [child for child in self._children if child.connection in ready]:
                self._receive(child)
            self._answer()
        while self._done:
            yield [self._done.pop(0)]
        if self._fault is not None:
            raise self._fault

    def _receive(self, child: _Child) -> None:
        """Take a question, or the outcome of an input."""
        try:
            message = child.connection.recv()
        except (EOFError, OSError):
            self._replace(child)
            return
        if isinstance(message, tuple):
            child.question = message
            return
        index, _, _ = child.tasks.popleft()
        self._unnamed.discard(index)
        if isinstance(message, Outcome):
            self._done.append((index, message))
        elif message is not None and not self._stopped[0]:
            self._fault = message

    def _answer(self) -> None:
        """Answer the questions of the first inputs that have no names yet."""
        asking = [child for child in self._children if child.question is not None]
        for child in sorted(asking, key=lambda child: child.tasks[0][0]):
            index = child.tasks[0][0]
            if child.question is None or min(self._unnamed, default=index) < index:
                continue
            name, arguments, options = child.question
            if self._is_being_written(arguments[0], index):
                continue  # what another input has written first is what this one is compared with
            child.question = None
            try:
                answer = getattr(self._job.claims, name)(*arguments, **options)
            except SudokucryptError as error:
                answer = error
            if name == "claim":
                self._unnamed.discard(index)
                self._writers[arguments[0]] = index
            with suppress(OSError):
                child.connection.send(answer)

    def _is_being_written(self, location: Location, index: int) -> bool:
        """Return whether an earlier input that has the same name is not done yet."""
        writer = self._writers.get(location, index)
        return writer < index and any(
            writer == task[0] for child in self._children for task in child.tasks
        )

    def _replace(self, child: _Child) -> None:
        """Start another process for one that died, of which the first input has failed."""
        child.process.join()
        child.connection.close()
        failed, *others = child.tasks
        number = self._children.index(child)
        try:
            self._children[number] = self._fork()
            for task in others:
                self._send(self._children[number], task)
        except OSError:  # with another process they might wait for names of each other
            self._children.remove(child)
            self._jobs = max(1, len(self._children))
            self._fail(*others)
        self._fail(failed)

    def _fail(self, *tasks: InputTask) -> None:
        """Report inputs whose process has died."""
        error = SudokucryptError(
            "the process that worked on it ended", hint="if memory is short, use --jobs 1"
        )
        failure = Failure.of(error)
        for index, item, _ in tasks:
            self._unnamed.discard(index)
            self._done.append((index, Outcome(source=str(item.source), result=failure)))
            self._remove_leftovers(item)

    def _remove_leftovers(self, item: Item) -> None:
        """Remove what a process left of a result, which may be plain."""
        if isinstance(named := self._job.name_result(item), ResultNaming):
            folder = named.make_path("").parent
            if isinstance(folder, Path):
                sweep(folder)

    def _fork(self) -> _Child:
        ours, theirs = multiprocessing.Pipe()
        others = [ours, *(child.connection for child in self._children)]
        process = multiprocessing.get_context("fork").Process(
            target=self._work, args=(theirs, others), daemon=True
        )
        ends = {signal.SIGINT, signal.SIGHUP}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ends)
        try:
            with warnings.catch_warnings():
                # Python warns of threads of libraries, which do nothing now.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        return _Child(process, ours)

    def _work(self, connection: Connection, others: Sequence[Connection]) -> None:
        """Work on inputs in a process of its own, until the parent has no more, or is gone."""
        for signum in (signal.SIGINT, signal.SIGHUP):  # the parent stops all
            signal.signal(signum, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGHUP})
        try:
            for other in others:
                other.close()
            asked = _AskedClaims(self._job.claims, connection)
            # Names that are clear were claimed before the processes began.
            known = Claims(*self._job.claims.__reduce__()[1])
            claims = known if names_are_clear(self._job) else asked
            while True:
                task = asked.next_task()
                connection.send(None if self._stopped[0] else self._get_outcome(task, claims))
        finally:  # nothing of the parent is cleaned up here, and it says what went wrong
            os._exit(0)

    def _get_outcome(self, task: InputTask, claims: Claims) -> Outcome | click.ClickException:
        _, item, known = task
        try:
            return self._job.outcome(item, threads=self._threads, known=known, claims=claims)
        except click.ClickException as error:
            return type(error)(error.message)

    def _end(self) -> None:
        """End the processes, which have nothing to do."""
        for child in self._children:
            child.connection.close()
        for child in self._children:
            child.process.join()
        self._children = []
