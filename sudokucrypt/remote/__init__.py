"""Files elsewhere: objects in stores, archives and on servers, by URL, read and written whole.

Everything that fsspec knows is a place: ``s3://bucket/photo.png``, ``memory://photo.png``,
``zip://photo.png::s3://bucket/photos.zip``. Credentials come from its settings, never from a URL.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sudokucrypt.errors import OutputExistsError
from sudokucrypt.remote.asking import LARGE, asked, opened
from sudokucrypt.remote.url import Url

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Url", "beginning", "exists", "is_folder", "read", "remove", "size", "walk", "write"]


def size(url: Url) -> int | None:
    """Return the bytes of an object, or none if there is no such object."""
    found = asked(url, _information)
    return None if found is None or found["type"] != "file" else found["size"]


def exists(url: Url) -> bool:
    """Tell whether an object or folder is there.

    To read a byte of what is not there costs a tenth of what listing does, in the large stores.
    """

    def look(store: Any, path: str) -> bool:
        try:
            store.cat_file(path, start=0, end=1)
        except FileNotFoundError:
            return False
        except PermissionError:
            raise
        except Exception:  # an empty object, or a folder
            return bool(store.exists(path))
        return True

    return asked(url, look)


def is_folder(url: Url) -> bool:
    """Tell whether other objects are below this place; where that cannot be seen, they are not."""
    try:
        return asked(url, lambda store, path: bool(store.isdir(path)))
    except OSError:  # reading it says why
        return False


def walk(url: Url) -> Iterator[tuple[Url, list[str], list[str]]]:
    """Yield a folder with the names of its folders and objects, and so the folders below.

    An empty name stands for objects with an empty part in their names, as in ``a//b``. Folders
    that the caller takes out of the list are not entered.

    Raises
    ------
    OSError
        If a folder cannot be listed.
    """

    def listed(store: Any, path: str) -> list[dict[str, Any]]:
        return list(store.ls(path, detail=True))

    below: list[str] = []
    names: list[str] = []
    own = opened(url)[1].strip("/")
    for entry in asked(url, listed):
        inner, folder = entry["name"].strip("/"), entry["type"] == "directory"
        name = "" if inner == own else inner.rpartition("/")[2]
        # Some stores keep an empty object for a folder, and some list the folder itself.
        if name or (entry["name"].endswith("/") and (folder or entry["size"])):
            (below if folder else names).append(name)
    below.sort()
    yield url, below, sorted(names)
    for name in below:
        yield from walk(url / name)


def beginning(url: Url, length: int) -> bytes:
    """Return the first bytes of an object; `OSError` if it cannot be read."""
    return asked(url, lambda store, path: bytes(store.cat_file(path, start=0, end=length)))


def read(url: Url, *, limit: int) -> tuple[bytes, int | None]:
    """Return an object of at most `limit` bytes, and the time of its last change.

    The time is in nanoseconds since 1970, none where the store has none.

    Raises
    ------
    OSError
        If it is larger, or cannot be read.
    """

    def whole(store: Any, path: str) -> tuple[bytes, int | None]:
        known = store.info(path)
        if known["type"] != "file":
            raise IsADirectoryError(21, "is a directory")
        most = known["size"]
        if most is not None and most > limit:
            raise OSError(LARGE, f"it has {most} bytes, more than the {limit} that are read")
        data: bytes = store.cat_file(path)
        if most is not None and len(data) != most:
            raise ConnectionError(f"{len(data)} of {most} bytes have come")
        return data, _time(known)

    return asked(url, whole)


def write(url: Url, data: bytes, *, replace: bool) -> None:
    """Write an object so that it appears whole or not at all.

    Where the store can move, it is written under another name first; else it is one request.

    Raises
    ------
    OutputExistsError
        If there is an object, and `replace` is false.
    OSError
        If writing fails.
    """

    def put(store: Any, path: str) -> None:
        if _moves(store):
            folder, _, name = path.rpartition("/")
            if folder:
                store.makedirs(folder, exist_ok=True)
            unfinished = f".{name[:24]}.{secrets.token_hex(8)}.sudokucrypt-part"
            other = f"{folder}/{unfinished}" if folder else unfinished
            try:
                store.pipe_file(other, data)
                if not replace and store.exists(path):
                    raise FileExistsError(path)
                store.mv(other, path)
            except BaseException:
                with suppress(Exception):
                    store.rm_file(other)
                raise
        elif replace:
            store.pipe_file(path, data)
        else:
            _create(store, path, data)

    try:
        asked(url, put)
    except FileExistsError:
        raise OutputExistsError(
            f"'{url}' exists", hint="choose another name, or pass replace=True", hint_key="replace"
        ) from None


def remove(url: Url) -> None:
    """Remove an object, if that is possible."""
    with suppress(Exception):
        store, path = opened(url)
        store.rm_file(path)


def _create(store: Any, path: str, data: bytes) -> None:
    """Write an object that is not there; a store that can refuses to replace another."""
    try:
        store.pipe_file(path, data, mode="create")
    except FileExistsError:
        # A first try may have come through though its answer did not.
        if store.cat_file(path) != data:
            raise
    except TypeError:  # it does not know the mode
        if store.exists(path):
            raise FileExistsError(path) from None
        store.pipe_file(path, data)


def _moves(store: Any) -> bool:
    """Tell whether a store has its own way to move files; to copy them would not be whole."""
    from fsspec import AbstractFileSystem

    return type(store).mv is not AbstractFileSystem.mv


def _time(known: dict[str, Any]) -> int | None:
    """Return the time of the last change, which each store calls otherwise."""
    for name in ("LastModified", "mtime", "last_modified", "updated", "modified", "created"):
        value = known.get(name)
        if isinstance(value, datetime):
            return int(value.timestamp() * 1e6) * 1000
        if isinstance(value, float | int):
            return int(value * 1e6) * 1000
    return None


def _information(store: Any, path: str) -> dict[str, Any] | None:
    """Return type and size, none where nothing is there."""
    try:
        known: dict[str, Any] = store.info(path)
    except FileNotFoundError:
        return None
    return known
