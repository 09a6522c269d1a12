"""Threads or processes that share the lanes or chunks of one piece of work."""

from __future__ import annotations

import os
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sudokucrypt.options import checked_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_VARIABLE = "SUDOKUCRYPT_THREADS"
# Of Python: with it, as with -P, the current folder is not searched for modules.
SAFE_PATH = "PYTHONSAFEPATH"
# A typing error in the variable must not start a million threads.
_MAX_THREADS = 1024
# Bytes for each thread below which waiting for it costs more than it saves.
_WORTHWHILE = 1 << 19


class Workers:
    """A few threads for work that releases the interpreter lock; use it in a `with` statement.

    There are 1..1024 `threads`, by default what the environment variable SUDOKUCRYPT_THREADS says,
    else one for each core that this process may use; fewer where there is little `work`, in bytes.
    Raises `InvalidParameterError` if the number, or the variable, is out of range.
    """

    def __init__(self, threads: int | None = None, *, work: int | None = None) -> None:
        self.threads = (
            _default_threads()
            if threads is None
            else checked_integer("threads", threads, most=_MAX_THREADS)
        )
        if work is not None:
            self.threads = min(self.threads, max(1, work // _WORTHWHILE))
        self._pool: Executor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def share(self, count: int, work: Callable[[int, int], None]) -> None:
        """Call ``work(start, stop)`` on parts that together are 0..count-1, and wait for all.

        The parts must not depend on each other; what they do must not depend on their number.
        """
        parts = min(self.threads, count)
        if parts <= 1:
            work(0, count)
            return
        cuts = [count * part // parts for part in range(parts + 1)]
        submit = self._get_pool().submit
        others = [submit(work, cuts[part], cuts[part + 1]) for part in range(parts - 1)]
        try:
            # The calling thread does the last part itself.
            work(cuts[-2], cuts[-1])
        finally:
            for other in others:
                other.result()

    def each(self, work: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        """Yield ``work(item)`` for each item in order, while a few behind it are worked on.

        What has not begun when the caller stops, or an item fails, is left.
        """
        if self.threads == 1:
            yield from map(work, items)
            return
        ahead: deque[Future[_Result]] = deque()
        try:
            for item in items:
                ahead.append(self._get_pool().submit(work, item))
                if len(ahead) > 2 * self.threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()

    def start(self, work: Callable[[], _Result]) -> Callable[[], _Result]:
        """Begin some work while the caller goes on; return a function that waits for its result.

        With one thread it is done when the caller waits.
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
    """Let Python processes that start in this block look for no module in the current folder.

    They would find it before the standard library: a folder of pictures that someone sent could
    hold a `json.py`.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = before


class Processes(Workers):
    """The same number of processes, for work that holds the interpreter lock.

    Work, items and results are pickled; `each` alone is for them. One does all in this process.
    """

    def _start_pool(self) -> Executor:
        import signal
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        class Pool(ProcessPoolExecutor):
            """Processes that start when there is work for them."""

            def submit(self, *arguments: Any, **options: Any) -> Future[Any]:
                """Begin some work, perhaps in a new process."""
                with ignore_current_folder():
                    return super().submit(*arguments, **options)

        # Ctrl-C reaches all processes of a terminal, of which this one alone ends the work.
        with ignore_current_folder():  # a process that keeps track of locks starts at once
            return Pool(
                self.threads,
                mp_context=get_context("spawn"),
                initializer=signal.signal,
                initargs=(signal.SIGINT, signal.SIG_IGN),
            )


def _default_threads() -> int:
    text = os.environ.get(_VARIABLE)
    if text:
        return checked_integer(
            _VARIABLE, int(text) if text.isascii() and text.isdigit() else text, most=_MAX_THREADS
        )
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
