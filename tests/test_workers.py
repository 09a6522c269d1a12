"""Threads that work on items in order, a few items ahead of the caller."""

import os
import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest

from sudokucrypt.workers import _MIN_BYTES_PER_THREAD, Workers, ignore_current_folder


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_results_come_in_order(threads: int) -> None:
    """The results are in the order of the items, whichever thread finishes first."""
    items_begun: list[int] = []
    never_set = threading.Event()

    def work(item: int) -> int:
        items_begun.append(item)
        if threads > 1 and item % 2 == 0:
            never_set.wait(0.01)
        return item * item

    with Workers(threads) as workers:
        assert list(workers.each(work, range(20))) == [item * item for item in range(20)]
        assert list(workers.each(work, range(0))) == []
    assert sorted(items_begun) == list(range(20))


@pytest.mark.parametrize("threads", [1, 3])
def test_few_are_taken_ahead(threads: int) -> None:
    """Only two items per thread are taken before their results are needed."""
    items_taken: list[int] = []

    def yield_items() -> Iterator[int]:
        for item in range(1000):
            items_taken.append(item)
            yield item

    items_ahead = 0 if threads == 1 else 2 * threads
    with Workers(threads) as workers:
        results = workers.each(lambda item: item, yield_items())
        for index in range(5):
            assert next(results) == index
            assert len(items_taken) == index + 1 + items_ahead


def test_a_caller_that_stops_early() -> None:
    """When the caller stops, no further item is begun, and no thread remains."""
    thread_count, items_begun, may_finish = threading.active_count(), [], threading.Event()

    def work(item: int) -> None:
        items_begun.append(item)
        if item:
            may_finish.wait(5)

    with Workers(2) as workers:
        results = workers.each(work, range(100))
        next(results)
        results.close()  # type: ignore[attr-defined]
        may_finish.set()
    assert len(items_begun) <= 1 + 2
    assert threading.active_count() == thread_count


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failure_reaches_the_caller(threads: int) -> None:
    """The results before an error are yielded, then the error is raised and nothing more begun."""
    finished: list[int] = []

    def work(item: int) -> int:
        if item == 3:
            raise MemoryError("no room")
        finished.append(item)
        return item

    with Workers(threads) as workers:
        results = workers.each(work, range(100))
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(MemoryError, match="no room"):
            next(results)
    assert len(finished) <= 3 + 2 * threads


@pytest.mark.parametrize(
    ("threads", "count", "bounds"),
    [(1, 5, [0, 5]), (2, 5, [0, 2, 5]), (3, 2, [0, 1, 2]), (4, 1, [0, 1]), (3, 0, [0, 0])],
)
def test_threads_share_parts(threads: int, count: int, bounds: list[int]) -> None:
    """There are as many parts as threads or items; a single part is done by the caller alone."""
    parts: list[tuple[int, int]] = []
    with Workers(threads) as workers:
        workers.share(count, lambda *part: parts.append(part))
        assert sorted(parts) == list(pairwise(bounds))
        assert (workers._pool is None) == (len(parts) == 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_work_is_started_at_once_if_there_are_threads(threads: int) -> None:
    """A second thread works before the result is asked for; a single one works only then."""
    started = threading.Event()

    def work() -> int:
        started.set()
        return threading.get_ident()

    with Workers(threads) as workers:
        get_result = workers.start(work)
        assert started.wait(60 if threads > 1 else 0) == (threads > 1)
        assert (get_result() == threading.get_ident()) == (threads == 1)


@pytest.mark.parametrize(("threads", "parts", "expected"), [(8, 0, 1), (8, 3, 3), (2, 8, 2)])
def test_few_bytes_get_few_threads(threads: int, parts: int, expected: int) -> None:
    """There are as many threads as there are parts that are worth one, and no more than given."""
    work_bytes = parts * _MIN_BYTES_PER_THREAD + 1
    assert Workers(threads, work_bytes=work_bytes).threads == expected


@pytest.mark.parametrize(("count", "expected"), [(3, 3), (None, 1)])
def test_systems_that_do_not_tell_which_cores_are_free(
    monkeypatch: pytest.MonkeyPatch, count: int | None, expected: int
) -> None:
    """Where a process cannot ask for the cores that it may use, it uses all that there are."""
    monkeypatch.delenv("SUDOKUCRYPT_THREADS", raising=False)
    own_cores = {0: set(range(5))}  # of this process, which is called 0
    monkeypatch.setattr(os, "sched_getaffinity", own_cores.__getitem__, raising=False)
    assert Workers(None).threads == 5
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    assert Workers(None).threads == expected


@pytest.mark.parametrize("value", [None, "0"])
def test_processes_ignore_the_current_folder(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    """Python that starts in the block does not search the current folder; then all is as before."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if value is not None:
        monkeypatch.setenv("PYTHONSAFEPATH", value)
    with ignore_current_folder():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ.get("PYTHONSAFEPATH") == value
