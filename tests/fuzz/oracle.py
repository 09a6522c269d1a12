"""Check two rules for every target: only SudokucryptError is raised, and nothing is printed."""

import atexit
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

_caught = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed at exit
atexit.register(_caught.close)


@contextmanager
def watch_output() -> Iterator[None]:
    """Raise an AssertionError if an exception escapes the block or if code in it prints.

    A target catches `SudokucryptError` itself, around the parsing alone: outside the parsing, even
    a `SudokucryptError` is a finding.
    """
    printed = io.StringIO()
    try:
        with _silence_output(), redirect_stdout(printed), redirect_stderr(printed):
            yield
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} escaped: {error}") from error
    assert not printed.getvalue(), f"printed: {printed.getvalue()!r}"


@contextmanager
def _silence_output() -> Iterator[None]:
    """Point the descriptors of stdout and stderr, which C libraries write to, at a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved_descriptors = [(descriptor, os.dup(descriptor)) for descriptor in (1, 2)]
    for descriptor, _ in saved_descriptors:
        os.dup2(_caught.fileno(), descriptor)
    try:
        yield
    finally:
        for descriptor, saved_copy in saved_descriptors:
            os.dup2(saved_copy, descriptor)
            os.close(saved_copy)
        size = os.lseek(_caught.fileno(), 0, os.SEEK_CUR)
        text = os.pread(_caught.fileno(), size, 0)
        if size:
            os.ftruncate(_caught.fileno(), 0)
            os.lseek(_caught.fileno(), 0, os.SEEK_SET)
    assert not text, f"printed: {text!r}"
