"""Threads or processes that share a task or work on several items at a time."""

from __future__ import annotations

import os
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sudokucrypt.options import check_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_THREADS_VARIABLE = "SUDOKUCRYPT_THREADS"
# If this variable is set, Python does not search the current folder for modules.
SAFE_PATH_VARIABLE = "PYTHONSAFEPATH"
# A mistyped number of threads must not start a million threads.
_MAX_THREADS = 1024
# Starting a thread for fewer bytes than this takes longer than it saves.
_MIN_BYTES_PER_THREAD = 1 << 19


class Workers:
    """Threads for work that releases the interpreter lock; to be used in a `with` statement.

    The number of `threads` is 1..1024. By default it is the value of the environment variable
    SUDOKUCRYPT_THREADS, else the number of cores that this process may use. For few bytes of `work`
    there are fewer threads. Raises `InvalidParameterError` if the number or the variable is out of
    range.
    """

    def __init__(self, threads: int | None = None, *, work_bytes: int | None = None) -> None:
        self.threads = (
            _choose_thread_count()
            if threads is None
            else check_integer("threads", threads, most=_MAX_THREADS)
        )
        if work_bytes is not None:
            self.threads = min(self.threads, max(1, work_bytes // _MIN_BYTES_PER_THREAD))
        self._pool: Executor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def share(self, count: int, work: Callable[[int, int], None]) -> None:
        """Divide 0..count-1 into parts, call ``work(start, stop)`` on each, and wait for all.

        The calls must not depend on each other, and their result not on the number of parts.
        """
        part_count = min(self.threads, count)
        if part_count <= 1:
            work(0, count)
            return
        bounds = [count * part // part_count for part in range(part_count + 1)]
        submit = self._get_pool().submit
        futures = [submit(work, bounds[part], bounds[part + 1]) for part in range(part_count - 1)]
        try:
            # The calling thread does the last part itself.
            work(bounds[-2], bounds[-1])
        finally:
            for future in futures:
                future.result()

    def each(self, work: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        """Yield ``work(item)`` for each item in order, while threads work on a few items after it.

        When the caller stops, or an item fails, no further item is begun.
        """
        if self.threads == 1:
            yield from map(work, items)
            return
        pending_futures: deque[Future[_Result]] = deque()
        try:
            for item in items:
                pending_futures.append(self._get_pool().submit(work, item))
                if len(pending_futures) > 2 * self.threads:
                    yield pending_futures.popleft().result()
            while pending_futures:
                yield pending_futures.popleft().result()
        finally:
            for future in pending_futures:
                future.cancel()

    def start(self, work: Callable[[], _Result]) -> Callable[[], _Result]:
        """Start `work` in a thread, and return a function that waits for its result.

        If there is only one thread, that function does the work.
        """
        return work if self.threads == 1 else self._get_pool().submit(work).result

    def _get_pool(self) -> Executor:
        if self._pool is None:
            self._pool = self._start_pool()
        return self._pool

    def _start_pool(self) -> Executor:
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(self.threads)


@contextmanager
def ignore_current_folder() -> Iterator[None]:
    """Keep Python processes that start in this block from importing from the current folder.

    They would search it before the standard library, and a folder of pictures from someone else
    could contain a `json.py`.
    """
    old_value = os.environ.get(SAFE_PATH_VARIABLE)
    os.environ[SAFE_PATH_VARIABLE] = "1"
    try:
        yield
    finally:
        if old_value is None:
            os.environ.pop(SAFE_PATH_VARIABLE, None)
        else:
            os.environ[SAFE_PATH_VARIABLE] = old_value


class ProcessWorkers(Workers):
    """Processes for work that holds the interpreter lock; `threads` is their number.

    Only `each` may be called. It pickles work, items and results, unless there is one process: then
    this process does the work.
    """

    def _start_pool(self) -> Executor:
        import signal
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        class Pool(ProcessPoolExecutor):
            """Processes, each of which starts when there is work for it."""

            def submit(self, *arguments: Any, **options: Any) -> Future[Any]:
                """Submit work to the pool, which starts a process for it if none is idle."""
                with ignore_current_folder():
                    return super().submit(*arguments, **options)

        # A terminal sends Ctrl-C to all processes; workers ignore it, and this process ends them.
        with ignore_current_folder():  # the resource tracker of Python starts here
            return Pool(
                self.threads,
                mp_context=get_context("spawn"),
                initializer=signal.signal,
                initargs=(signal.SIGINT, signal.SIG_IGN),
            )


def _choose_thread_count() -> int:
    text = os.environ.get(_THREADS_VARIABLE)
    if text:
        number = int(text) if text.isascii() and text.isdigit() else text
        return check_integer(_THREADS_VARIABLE, number, most=_MAX_THREADS)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # this system does not have the function
        return os.cpu_count() or 1
