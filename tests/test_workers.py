"""Threads that work on items in order, a few ahead of whoever takes the results."""

import threading
from collections.abc import Iterator

import pytest

from sudokucrypt.workers import Workers


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_results_come_in_order(threads: int) -> None:
    """Each item is worked on once, whichever thread is the first to end."""
    begun: list[int] = []
    turn = threading.Event()

    def work(item: int) -> int:
        begun.append(item)
        if threads > 1 and item % 2 == 0:
            turn.wait(0.01)
        return item * item

    with Workers(threads) as workers:
        assert list(workers.each(work, range(20))) == [item * item for item in range(20)]
        assert list(workers.each(work, range(0))) == []
    assert sorted(begun) == list(range(20))


@pytest.mark.parametrize("threads", [1, 3])
def test_few_are_taken_ahead(threads: int) -> None:
    """Two items a thread are begun before they are asked for; the others take no memory."""
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1000):
            taken.append(item)
            yield item

    ahead = 0 if threads == 1 else 2 * threads
    with Workers(threads) as workers:
        results = workers.each(lambda item: item, items())
        for index in range(5):
            assert next(results) == index
            assert len(taken) == index + 1 + ahead


def test_whoever_stops_early_waits_for_few() -> None:
    """Nothing begins any more when the results are not wanted, and no thread stays."""
    before, begun, wait = threading.active_count(), [], threading.Event()

    def work(item: int) -> None:
        begun.append(item)
        if item:
            wait.wait(5)

    with Workers(2) as workers:
        results = workers.each(work, range(100))
        next(results)
        results.close()  # type: ignore[attr-defined]
        wait.set()
    assert len(begun) <= 1 + 2
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failure_reaches_the_caller(threads: int) -> None:
    """The results before it come first, and what has not begun is left."""
    done: list[int] = []

    def work(item: int) -> int:
        if item == 3:
            raise MemoryError("no room")
        done.append(item)
        return item

    with Workers(threads) as workers:
        results = workers.each(work, range(100))
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(MemoryError, match="no room"):
            next(results)
    assert len(done) <= 3 + 2 * threads
