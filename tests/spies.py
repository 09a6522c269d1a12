"""Functions that tell when they are called, memory that is measured, a disk that is full."""

import errno
import os
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def watch_calls(
    patch: pytest.MonkeyPatch, owner: object, name: str, note: Callable[..., object]
) -> None:
    """Call `note` with the arguments of each call of a function, before the call itself."""
    call = getattr(owner, name)

    def note_and_call(*arguments: Any, **options: Any) -> Any:
        note(*arguments, **options)
        return call(*arguments, **options)

    patch.setattr(owner, name, note_and_call)


class Memory:
    """The most bytes that Python and NumPy held during a block, once it is over."""

    peak: int


@contextmanager
def watch_memory() -> Iterator[Memory]:
    """Measure the memory that a block takes."""
    memory = Memory()
    tracemalloc.start()
    try:
        yield memory
        memory.peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def fill_disk(patch: pytest.MonkeyPatch, room: int) -> None:
    """Let the disk be full after the given number of bytes."""
    write, left = os.write, room

    def write_some(descriptor: int, data: bytes) -> int:
        nonlocal left
        if left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = write(descriptor, memoryview(data)[:left])
        left -= count
        return count

    patch.setattr(os, "write", write_some)
