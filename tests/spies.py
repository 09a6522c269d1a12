"""Helpers of tests: they watch calls, measure memory, and imitate a full disk."""

import errno
import os
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def watch_calls(
    patch: pytest.MonkeyPatch, owner: object, name: str, note_call: Callable[..., object]
) -> None:
    """Before each call of a function, call `note_call` with the same arguments."""
    original = getattr(owner, name)

    def note_and_call(*arguments: Any, **options: Any) -> Any:
        note_call(*arguments, **options)
        return original(*arguments, **options)

    patch.setattr(owner, name, note_and_call)


class Memory:
    """The largest number of bytes that Python and NumPy held during a block."""

    peak: int


@contextmanager
def watch_memory() -> Iterator[Memory]:
    """Measure the memory that a block takes; `peak` is set at its end."""
    memory = Memory()
    tracemalloc.start()
    try:
        yield memory
        memory.peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def fill_disk(patch: pytest.MonkeyPatch, free_bytes: int) -> None:
    """Raise the error of a full disk after the given number of bytes."""
    write, remaining = os.write, free_bytes

    def write_some(descriptor: int, data: bytes) -> int:
        nonlocal remaining
        if remaining <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = write(descriptor, memoryview(data)[:remaining])
        remaining -= count
        return count

    patch.setattr(os, "write", write_some)
