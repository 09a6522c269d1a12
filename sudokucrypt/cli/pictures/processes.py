"""Processes that work on the inputs of a run, since threads share one interpreter lock.

They are forked, so that they begin at once, with the keys in their memory: no key is sent. Where
the name of a result depends on the content of its input, the process asks the parent for it. The
parent answers in the order of the inputs, so that names do not depend on the speed of processes.
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

from sudokucrypt.cli.interrupts import defer_interrupts
from sudokucrypt.cli.pictures.dry_run import are_names_predictable
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome
from sudokucrypt.cli.pictures.run_ids import split_key
from sudokucrypt.errors import SudokucryptError, format_reason
from sudokucrypt.keys import Passphrase
from sudokucrypt.recipes.naming import ResultNaming
from sudokucrypt.recipes.sinks import Claims
from sudokucrypt.storage import get_file_size, sweep_folder
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from sudokucrypt.cli.options import InputItem
    from sudokucrypt.cli.pictures.job import Engine, InputOutcome, InputTask, Job
    from sudokucrypt.storage import Location

# Inputs that each process has at a time, so that it never waits for the next one.
_QUEUE_LENGTH = 2
# Processes are started for at least `_MIN_INPUTS` inputs; a file counts as one more input for each
# `_BYTES_PER_EXTRA_INPUT` that it contains.
_MIN_INPUTS, _BYTES_PER_EXTRA_INPUT = 40, 1 << 18
# Memory for one input: `_BASE_BYTES`, plus `_COPIES_IN_MEMORY` times the size of its file.
# `_MEMORY_FILES` contain the memory that a container may use, and the memory that it uses.
_BASE_BYTES, _COPIES_IN_MEMORY = 1 << 28, 8
_MEMORY_FILES = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current"))


def start_engine(job: Job, jobs: int | None) -> Engine:
    """Return an engine that works on `jobs` inputs at a time, in processes or threads.

    By default `jobs` is the number of cores, or less if memory is short. Where processes cannot
    share the work it is 1, and the cores share the work on each input.
    """
    items = job.items
    uses_processes = _can_fork(job) and _is_forking_worthwhile(items)
    if jobs is None:
        with Workers() as workers:
            jobs = min(workers.threads, _count_fitting_inputs(items)) if uses_processes else 1
    jobs = min(jobs, max(1, len(items)))
    if uses_processes and jobs > 1:
        return ProcessEngine(job, jobs)
    from sudokucrypt.cli.pictures.threads import ThreadEngine

    return ThreadEngine(job, jobs)


def _can_fork(job: Job) -> bool:
    """Return whether forking is safe, and forked processes can do this job.

    With a passphrase they are not used, since each would derive the keys again.
    """
    return (
        sys.platform == "linux"
        and threading.active_count() == 1
        and job.work.found_boxes is None
        and not any(item.is_stdin for item in job.items)
        and not any(
            isinstance(secret, Passphrase) for key in job.work.keys for secret in split_key(key)
        )
    )


def _is_forking_worthwhile(items: Sequence[InputItem]) -> bool:
    """Return whether the inputs are enough work to pay for the start of processes."""
    weighted_input_count = 0
    for item in items:
        weighted_input_count += (
            1 + (get_file_size(item.source) or 0) // _BYTES_PER_EXTRA_INPUT
            if isinstance(item.source, Path)
            else 1
        )
        if weighted_input_count >= _MIN_INPUTS:
            return len(items) > 1
    return False


def _count_fitting_inputs(items: Sequence[InputItem]) -> int:
    """Return how many inputs of the largest size fit into free memory; at least one."""
    largest_size = max(
        (get_file_size(item.source) or 0 for item in items if isinstance(item.source, Path)),
        default=0,
    )
    return max(1, _measure_free_memory() // (_BASE_BYTES + _COPIES_IN_MEMORY * largest_size))


def _measure_free_memory() -> int:
    """Return the free memory in bytes, or `sys.maxsize` if the system does not tell."""
    free_bytes = sys.maxsize
    with suppress(OSError, ValueError, IndexError):
        text = Path("/proc/meminfo").read_text("ascii")
        free_bytes = int(text.partition("MemAvailable:")[2].split()[0]) << 10
    with suppress(OSError, ValueError):
        limit_bytes, used_bytes = (int(path.read_text("ascii")) for path in _MEMORY_FILES)
        free_bytes = min(free_bytes, max(0, limit_bytes - used_bytes))
    return free_bytes


class _RemoteClaims(Claims):
    """Claims of a child process, which asks the parent for every decision."""

    def __init__(self, claims: Claims, connection: Connection) -> None:
        super().__init__(*claims.__reduce__()[1])
        self._connection = connection
        self._tasks: deque[InputTask] = deque()  # tasks that arrived while an answer was awaited

    def receive_task(self) -> InputTask:
        """Wait for the next input to work on; raise `EOFError` if there is none."""
        while not self._tasks:
            self._tasks.append(self._connection.recv())
        return self._tasks.popleft()

    def claim(self, location: Location, source: Location, *, is_sealed_name: bool = False) -> None:
        """Reserve a location for the result of one input, or raise the error of the parent."""
        self._ask_parent("claim", location, source, is_sealed_name=is_sealed_name)

    def check(self, location: Location, source: Location, *, is_sealed_name: bool = False) -> None:
        """Raise the error of the parent if a location is not free."""
        self._ask_parent("check", location, source, is_sealed_name=is_sealed_name)

    def is_shared(self, location: Location, source: Location) -> bool:
        """Return whether the parent gave the location to the result of another input, too."""
        return bool(self._ask_parent("is_shared", location, source))

    def _ask_parent(self, method_name: str, *arguments: Location, **options: bool) -> object:
        self._connection.send((method_name, arguments, options))
        while isinstance(answer := self._connection.recv(), tuple):
            self._tasks.append(answer)
        if isinstance(answer, Exception):
            raise answer
        return answer


class _Child:
    """A forked process, the inputs that were sent to it, and its unanswered question."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.process, self.connection = process, connection
        self.tasks: deque[InputTask] = deque()
        self.question: tuple[str, tuple[Location, ...], dict[str, bool]] | None = None


class ProcessEngine:
    """An engine of forked processes, each of which works on one input at a time."""

    def __init__(self, job: Job, jobs: int) -> None:
        with Workers() as workers:
            self._threads_per_input = max(1, workers.threads // jobs)
        self._job, self._job_count = job, jobs
        self._children: list[_Child] = []
        self._outcomes: list[InputOutcome] = []
        self._stopping_error: click.ClickException | None = None  # the error that stops the run
        self._stop_flag = mmap.mmap(-1, 1)  # 1 once the run is stopped; shared with all processes
        self._unnamed_input_indexes: set[int] = set()  # the inputs whose results have no name yet
        # For each name, the last input that got it.
        self._last_writer_indexes: dict[Location, int] = {}

    def run_tasks(self, tasks: Iterable[InputTask]) -> Iterator[list[InputOutcome]]:
        """Process inputs, and yield their outcomes in any order."""
        remaining_tasks = iter(tasks)
        while True:
            self._distribute_tasks(remaining_tasks)
            if not any(child.tasks for child in self._children):
                break
            yield from self._gather_outcomes()
        self._end_children()

    def stop(self) -> Iterator[list[InputOutcome]]:
        """Finish the inputs that were begun, so that no file is incomplete."""
        self._stop_flag[0], self._stopping_error = 1, None
        while self._outcomes or any(child.tasks for child in self._children):
            yield from self._gather_outcomes()
        self._end_children()

    def _distribute_tasks(self, remaining_tasks: Iterator[InputTask]) -> None:
        """Send inputs to the processes, first to the processes with the fewest inputs."""
        for queue_length in range(1, _QUEUE_LENGTH + 1):
            for index in range(self._job_count):
                if index < len(self._children) and len(self._children[index].tasks) >= queue_length:
                    continue
                if (task := next(remaining_tasks, None)) is None:
                    return
                with defer_interrupts():
                    if index == len(self._children) and not self._add_child():
                        self._send_task(self._children[0], task)
                        return
                    self._send_task(self._children[index], task)

    def _add_child(self) -> bool:
        """Start another process; return False if the system allows no more of them."""
        try:
            self._children.append(self._fork_child())
        except OSError as error:
            if not self._children:
                raise SudokucryptError(
                    f"cannot start a process: {format_reason(error)}", hint="use --jobs 1"
                ) from error
            self._job_count = len(self._children)
            return False
        return True

    def _send_task(self, child: _Child, task: InputTask) -> None:
        child.tasks.append(task)
        self._unnamed_input_indexes.add(task[0])
        with suppress(OSError):  # the process has died, which `_receive_message` notices
            child.connection.send(task)

    def _gather_outcomes(self) -> Iterator[list[InputOutcome]]:
        """Wait for messages, answer questions, and yield the outcomes that have arrived."""
        connections = [child.connection for child in self._children if child.tasks]
        ready_connections = wait(connections) if connections else []
        with defer_interrupts():  # an interrupt here could lose a message
            for child in [
                child for child in self._children if child.connection in ready_connections
            ]:
                self._receive_message(child)
            self._answer_questions()
        while self._outcomes:
            yield [self._outcomes.pop(0)]
        if self._stopping_error is not None:
            raise self._stopping_error

    def _receive_message(self, child: _Child) -> None:
        """Receive a message from a process: a question, or the outcome of an input."""
        try:
            message = child.connection.recv()
        except (EOFError, OSError):
            self._replace_child(child)
            return
        if isinstance(message, tuple):
            child.question = message
            return
        index, _, _ = child.tasks.popleft()
        self._unnamed_input_indexes.discard(index)
        if isinstance(message, Outcome):
            self._outcomes.append((index, message))
        elif message is not None and not self._stop_flag[0]:
            self._stopping_error = message

    def _answer_questions(self) -> None:
        """Answer questions about names, in the order of the inputs."""
        children = [child for child in self._children if child.question is not None]
        for child in sorted(children, key=lambda child: child.tasks[0][0]):
            index = child.tasks[0][0]
            if child.question is None or min(self._unnamed_input_indexes, default=index) < index:
                continue
            method_name, arguments, options = child.question
            if self._is_being_written(arguments[0], index):
                continue  # wait: the answer depends on the earlier result, which is incomplete
            child.question = None
            try:
                answer = getattr(self._job.claims, method_name)(*arguments, **options)
            except SudokucryptError as error:
                answer = error
            if method_name == "claim":
                self._unnamed_input_indexes.discard(index)
                self._last_writer_indexes[arguments[0]] = index
            with suppress(OSError):
                child.connection.send(answer)

    def _is_being_written(self, location: Location, index: int) -> bool:
        """Return whether an earlier input with the same result location is unfinished."""
        writer_index = self._last_writer_indexes.get(location, index)
        return writer_index < index and any(
            writer_index == task[0] for child in self._children for task in child.tasks
        )

    def _replace_child(self, child: _Child) -> None:
        """Start a process in place of one that died; the input that it worked on has failed."""
        child.process.join()
        child.connection.close()
        failed_task, *unstarted_tasks = child.tasks
        index = self._children.index(child)
        try:
            self._children[index] = self._fork_child()
            for task in unstarted_tasks:
                self._send_task(self._children[index], task)
        except OSError:  # fail them: in another process, inputs could wait for each other
            self._children.remove(child)
            self._job_count = max(1, len(self._children))
            self._fail_tasks(*unstarted_tasks)
        self._fail_tasks(failed_task)

    def _fail_tasks(self, *tasks: InputTask) -> None:
        """Report inputs as failed because their process has died."""
        error = SudokucryptError(
            "the process that worked on it ended", hint="if memory is short, use --jobs 1"
        )
        failure = Failure.from_error(error)
        for index, item, _ in tasks:
            self._unnamed_input_indexes.discard(index)
            self._outcomes.append((index, Outcome(source=str(item.source), result=failure)))
            self._remove_temporary_files(item)

    def _remove_temporary_files(self, item: InputItem) -> None:
        """Remove the temporary files of a process that died; they may contain plain data."""
        if isinstance(naming := self._job.name_result(item), ResultNaming):
            folder = naming.make_path("").parent
            if isinstance(folder, Path):
                sweep_folder(folder)

    def _fork_child(self) -> _Child:
        parent_connection, child_connection = multiprocessing.Pipe()
        inherited_connections = [parent_connection, *(child.connection for child in self._children)]
        process = multiprocessing.get_context("fork").Process(
            target=self._run_child, args=(child_connection, inherited_connections), daemon=True
        )
        blocked_signals = {signal.SIGINT, signal.SIGHUP}
        old_signal_mask = signal.pthread_sigmask(signal.SIG_BLOCK, blocked_signals)
        try:
            with warnings.catch_warnings():
                # Python warns that forking is unsafe with threads, but the threads of libraries
                # are idle now.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old_signal_mask)
        child_connection.close()
        return _Child(process, parent_connection)

    def _run_child(
        self, connection: Connection, inherited_connections: Sequence[Connection]
    ) -> None:
        """Work on inputs in a child process, until the parent has no more inputs or has ended."""
        for signum in (signal.SIGINT, signal.SIGHUP):  # ignored: the parent decides when to stop
            signal.signal(signum, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGHUP})
        try:
            for parent_connection in inherited_connections:
                parent_connection.close()
            remote_claims = _RemoteClaims(self._job.claims, connection)
            # Names that do not depend on the content of inputs were claimed before the processes
            # began, so a local copy of the claims suffices.
            local_claims = Claims(*self._job.claims.__reduce__()[1])
            claims = local_claims if are_names_predictable(self._job) else remote_claims
            while True:
                task = remote_claims.receive_task()
                connection.send(None if self._stop_flag[0] else self._find_outcome(task, claims))
        finally:  # skip the clean-up and the error reports, which belong to the parent
            os._exit(0)

    def _find_outcome(self, task: InputTask, claims: Claims) -> Outcome | click.ClickException:
        _, item, known_report = task
        try:
            return self._job.find_outcome(
                item, threads=self._threads_per_input, known_report=known_report, claims=claims
            )
        except click.ClickException as error:
            return type(error)(error.message)

    def _end_children(self) -> None:
        """End all processes, which are idle now."""
        for child in self._children:
            child.connection.close()
        for child in self._children:
            child.process.join()
        self._children = []
