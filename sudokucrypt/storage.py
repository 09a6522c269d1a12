"""Files: bounded reading, and writing that leaves the whole new file or nothing."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from sudokucrypt.errors import OutputExistsError, SudokucryptError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sudokucrypt.typing import Buffer


REPLACE_HINT = "choose another name, or pass replace=True"
"""What to do about a file that is in the way."""


_NEVER_REPLACED = "a key file is never replaced; choose another name"


def read_limited(path: Path, limit: int) -> bytes:
    """Return the content of a file of at most `limit` bytes; `OSError` if it cannot be read."""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(27, f"file is larger than {limit} bytes")
    return data


def write_secret(path: Path, data: bytes) -> None:
    """Create a file that only its owner may read, and never replace one.

    Raises
    ------
    OutputExistsError
        If `path` exists.
    SudokucryptError
        If it cannot be written; nothing is left behind.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                _write_through(file.fileno(), [data])
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    except FileExistsError:
        raise _exists(path, hint=_NEVER_REPLACED) from None
    except OSError as error:
        raise _failed(path, error) from error


def require_free(path: Path, *, secret: bool = False) -> None:
    """Raise `OutputExistsError` if something stands at `path`; a secret is never replaced."""
    if os.path.lexists(path) and secret:
        raise _exists(path, hint=_NEVER_REPLACED)
    if os.path.lexists(path):
        raise _exists(path, hint=REPLACE_HINT, hint_key="replace")


def same_file(first: Path, second: Path) -> bool:
    """Tell whether two paths lead to one file, through links and relative parts too."""
    try:
        return first.samefile(second)
    except OSError:
        # A path would raise an error of another kind for links that lead in a ring.
        return os.path.realpath(first) == os.path.realpath(second)


def write_atomically(contents: Mapping[Path, Iterable[Buffer]], *, replace: bool) -> None:
    """Write files so that each is there whole or not at all, even if the machine stops.

    Every file is first written under a temporary name beside its target and flushed to disk; the
    targets change only when all of them are ready.

    Parameters
    ----------
    contents : mapping of Path to iterable of bytes
        What to write where, in parts; the targets appear in this order.
    replace : bool
        Whether existing targets may be replaced.

    Raises
    ------
    OutputExistsError
        If a target exists and `replace` is false.
    SudokucryptError
        If writing fails, or a target is a folder or device; no target was changed by the failing
        step.
    """
    pending: dict[Path, Path] = {}
    try:
        for path, parts in contents.items():
            if not replace:
                require_free(path)
            elif path.exists() and not path.is_file():
                raise SudokucryptError(f"cannot write '{path}': it is not a regular file")
            pending[path] = path.parent / f".{path.name[:32]}.{secrets.token_hex(8)}"
            with pending[path].open("xb") as file:
                _write_through(file.fileno(), parts)
        for path in list(pending):
            _move(pending[path], path, replace=replace)
            del pending[path]
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        for temporary in pending.values():
            with suppress(OSError):
                temporary.unlink()


def _move(temporary: Path, target: Path, *, replace: bool) -> None:
    """Give the finished file its name; a link fails where a rename would overwrite."""
    if replace:
        temporary.replace(target)
        return
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(target, hint=REPLACE_HINT, hint_key="replace") from None
    except OSError:
        # This file system has no hard links: the check above is the best there is.
        require_free(target)
        temporary.replace(target)
    else:
        temporary.unlink()


def _write_through(descriptor: int, parts: Iterable[Buffer]) -> None:
    """Write everything and wait until it is on the disk."""
    for part in parts:
        view = memoryview(part)
        while view:
            view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _exists(path: Path, *, hint: str, hint_key: str | None = None) -> OutputExistsError:
    return OutputExistsError(f"'{path}' exists", hint=hint, hint_key=hint_key)


def _failed(path: Path, error: OSError) -> SudokucryptError:
    reason = (error.strerror or str(error)).lower()
    return SudokucryptError(f"cannot write '{path}': {reason}")
