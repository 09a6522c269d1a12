"""What every target asks of the package: no foreign exception, and not a word on the terminal."""

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
    """Turn whatever escapes the block, or is printed by Python or C code in it, into a finding.

    A target catches `SudokucryptError` itself, around the parsing alone: behind that, even this
    one is a finding.
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
    kept = [(descriptor, os.dup(descriptor)) for descriptor in (1, 2)]
    for descriptor, _ in kept:
        os.dup2(_caught.fileno(), descriptor)
    try:
        yield
    finally:
        for descriptor, copy in kept:
            os.dup2(copy, descriptor)
            os.close(copy)
        size = os.lseek(_caught.fileno(), 0, os.SEEK_CUR)
        text = os.pread(_caught.fileno(), size, 0)
        if size:
            os.ftruncate(_caught.fileno(), 0)
            os.lseek(_caught.fileno(), 0, os.SEEK_SET)
    assert not text, f"printed: {text!r}"
