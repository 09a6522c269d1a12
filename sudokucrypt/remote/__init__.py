"""Files elsewhere: objects in stores, archives and on servers, by URL, read and written whole.

Every URL that fsspec knows is a location: ``s3://bucket/photo.png``, ``memory://photo.png``,
``zip://photo.png::s3://bucket/photos.zip``. Credentials come from its settings, never from a URL.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sudokucrypt.remote.stores import LARGE, open_store, retry
from sudokucrypt.remote.url import Url

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Url", "beginning", "exists", "is_folder", "read", "remove", "size", "walk", "write"]


def size(url: Url) -> int | None:
    """Return the number of bytes of an object, or None if there is no such object."""
    info = retry(url, _get_information)
    return None if info is None or info["type"] != "file" else info["size"]


def exists(url: Url) -> bool:
    """Return whether an object or folder exists.

    To read a byte of what does not exist costs a tenth of what listing does, in the large stores.
    """

    def probe(store: Any, path: str) -> bool:
        try:
            store.cat_file(path, start=0, end=1)
        except FileNotFoundError:
            return False
        except PermissionError:
            raise
        except Exception:  # an empty object, or a folder
            return bool(store.exists(path))
        return True

    return retry(url, probe)


def is_folder(url: Url) -> bool:
    """Return whether other objects are below this URL; if that cannot be seen, return False."""
    try:
        return retry(url, lambda store, path: bool(store.isdir(path)))
    except OSError:  # reading it says why
        return False


def walk(url: Url) -> Iterator[tuple[Url, list[str], list[str]]]:
    """Yield a folder with the names of its folders and objects, and so the folders below.

    An empty name represents objects with an empty part in their names, as in ``a//b``. Folders
    that the caller takes out of the list are not entered.

    Raises `OSError` if a folder cannot be listed.
    """

    def list_store(store: Any, path: str) -> list[dict[str, Any]]:
        return list(store.ls(path, detail=True))

    below: list[str] = []
    names: list[str] = []
    own = open_store(url)[1].strip("/")
    for entry in retry(url, list_store):
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
    return retry(url, lambda store, path: bytes(store.cat_file(path, start=0, end=length)))


def read(url: Url, *, limit: int) -> tuple[bytes, int | None]:
    """Return an object of at most `limit` bytes, and the time of its last change.

    The time is in nanoseconds since 1970, none where the store has none.

    Raises `OSError` if it is larger, or cannot be read.
    """

    def whole(store: Any, path: str) -> tuple[bytes, int | None]:
        info = store.info(path)
        if info["type"] != "file":
            raise IsADirectoryError(21, "is a directory")
        size = info["size"]
        # The size is asked first, since a store returns an object whole or not at all.
        if size is not None and size > limit:
            raise OSError(LARGE, f"it has {size} bytes, more than the {limit} that are read")
        data: bytes = store.cat_file(path)
        if size is not None and len(data) != size:
            raise ConnectionError(f"received only {len(data)} of {size} bytes")
        return data, _time(info)

    return retry(url, whole)


def write(url: Url, data: bytes, *, replace: bool) -> None:
    """Write an object so that it appears whole or not at all.

    In a store that moves objects, it is written under another name first; elsewhere in one request.

    Raises `OSError` if writing fails; `FileExistsError` if there is an object, and `replace` is
    false.
    """

    def put(store: Any, path: str) -> None:
        if _can_move(store):
            folder, _, name = path.rpartition("/")
            if folder:
                store.makedirs(folder, exist_ok=True)
            part = f".{name[:24]}.{secrets.token_hex(8)}.sudokucrypt-part"
            unfinished = f"{folder}/{part}" if folder else part
            try:
                store.pipe_file(unfinished, data)
                if not replace and store.exists(path):
                    raise FileExistsError(path)
                store.mv(unfinished, path)
            except BaseException:
                with suppress(Exception):
                    store.rm_file(unfinished)
                raise
        elif replace:
            store.pipe_file(path, data)
        else:
            _create_object(store, path, data)

    retry(url, put)


def remove(url: Url) -> None:
    """Remove an object, if that is possible."""
    with suppress(Exception):
        store, path = open_store(url)
        store.rm_file(path)


def _create_object(store: Any, path: str, data: bytes) -> None:
    """Write a new object; a store that can refuses to replace another."""
    try:
        store.pipe_file(path, data, mode="create")
    except FileExistsError:
        # A first try may have succeeded although its answer was lost.
        if store.cat_file(path) != data:
            raise
    except TypeError:  # it does not know the mode
        if store.exists(path):
            raise FileExistsError(path) from None
        store.pipe_file(path, data)


def _can_move(store: Any) -> bool:
    """Return whether a store moves files by itself; fsspec's copy would not be atomic."""
    from fsspec import AbstractFileSystem

    return type(store).mv is not AbstractFileSystem.mv


def _time(info: dict[str, Any]) -> int | None:
    """Return the time of the last change, for which each store has its own name."""
    for name in ("LastModified", "mtime", "last_modified", "updated", "modified", "created"):
        value = info.get(name)
        if isinstance(value, datetime):
            return int(value.timestamp() * 1e6) * 1000
        if isinstance(value, float | int):
            return int(value * 1e6) * 1000
    return None


def _get_information(store: Any, path: str) -> dict[str, Any] | None:
    """Return type and size, or none if nothing is there."""
    try:
        info: dict[str, Any] = store.info(path)
    except FileNotFoundError:
        return None
    return info
