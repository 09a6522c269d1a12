"""Remote files: objects in stores, archives and on servers, each read or written as a whole.

Every URL that fsspec knows is a location: ``s3://bucket/photo.png``, ``memory://photo.png``,
``zip://photo.png::s3://bucket/photos.zip``. Credentials come from the settings of fsspec, never
from a URL.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sudokucrypt.remote.stores import FILE_TOO_LARGE_ERRNO, open_store, retry
from sudokucrypt.remote.url import Url

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Url",
    "exists",
    "get_size",
    "is_folder",
    "read",
    "read_beginning",
    "remove",
    "walk",
    "write",
]


def get_size(url: Url) -> int | None:
    """Return the number of bytes of an object, or None if there is no such object."""
    info = retry(url, _get_information)
    return None if info is None or info["type"] != "file" else info["size"]


def exists(url: Url) -> bool:
    """Return whether an object or folder exists.

    The first byte is read, since in large stores this takes a tenth of the time of listing.
    """

    def is_existing_object(store: Any, path: str) -> bool:
        try:
            store.cat_file(path, start=0, end=1)
        except FileNotFoundError:
            return False
        except PermissionError:
            raise
        except Exception:  # reading a byte of an empty object or a folder fails
            return bool(store.exists(path))
        return True

    return retry(url, is_existing_object)


def is_folder(url: Url) -> bool:
    """Return whether a URL is a folder; if the store cannot tell, return False."""
    try:
        return retry(url, lambda store, path: bool(store.isdir(path)))
    except OSError:  # when the caller reads the URL, the error is raised again
        return False


def walk(url: Url) -> Iterator[tuple[Url, list[str], list[str]]]:
    """Yield a folder with the names of its folders and objects, then do so for the inner folders.

    An empty name stands for objects with an empty part in their names, as in ``a//b``. If the
    caller removes a folder from the list, it is not entered.

    Raises `OSError` if a folder cannot be listed.
    """

    def list_entries(store: Any, path: str) -> list[dict[str, Any]]:
        return list(store.ls(path, detail=True))

    folders: list[str] = []
    object_names: list[str] = []
    folder_path = open_store(url)[1].strip("/")
    for entry in retry(url, list_entries):
        entry_path, is_directory = entry["name"].strip("/"), entry["type"] == "directory"
        name = "" if entry_path == folder_path else entry_path.rpartition("/")[2]
        # Some stores keep an empty object for a folder, and some list the folder itself.
        if name or (entry["name"].endswith("/") and (is_directory or entry["size"])):
            (folders if is_directory else object_names).append(name)
    folders.sort()
    yield url, folders, sorted(object_names)
    for name in folders:
        yield from walk(url / name)


def read_beginning(url: Url, length: int) -> bytes:
    """Return the first bytes of an object; `OSError` if it cannot be read."""
    return retry(url, lambda store, path: bytes(store.cat_file(path, start=0, end=length)))


def read(url: Url, *, limit: int) -> tuple[bytes, int | None]:
    """Return an object of at most `limit` bytes, and the time of its last change.

    The time is in nanoseconds since 1970, or None if the store does not know it.

    Raises `OSError` if the object is larger, or cannot be read.
    """

    def read_object(store: Any, path: str) -> tuple[bytes, int | None]:
        info = store.info(path)
        if info["type"] != "file":
            raise IsADirectoryError(21, "is a directory")
        size = info["size"]
        # The size is checked before the store sends the object, which it can only do as a whole.
        if size is not None and size > limit:
            raise OSError(
                FILE_TOO_LARGE_ERRNO, f"it has {size} bytes, more than the {limit} that are read"
            )
        data: bytes = store.cat_file(path)
        if size is not None and len(data) != size:
            raise ConnectionError(f"received only {len(data)} of {size} bytes")
        return data, _get_change_time(info)

    return retry(url, read_object)


def write(url: Url, data: bytes, *, replace: bool) -> None:
    """Write an object so that it appears whole or not at all.

    If the store can move objects, it is first written under another name; else in one request.

    Raises `OSError` if writing fails, and `FileExistsError` if the object exists and `replace` is
    false.
    """

    def write_object(store: Any, path: str) -> None:
        if _can_move(store):
            folder, _, name = path.rpartition("/")
            if folder:
                store.makedirs(folder, exist_ok=True)
            part_name = f".{name[:24]}.{secrets.token_hex(8)}.sudokucrypt-part"
            part_path = f"{folder}/{part_name}" if folder else part_name
            try:
                store.pipe_file(part_path, data)
                if not replace and store.exists(path):
                    raise FileExistsError(path)
                store.mv(part_path, path)
            except BaseException:
                with suppress(Exception):
                    store.rm_file(part_path)
                raise
        elif replace:
            store.pipe_file(path, data)
        else:
            _create_object(store, path, data)

    retry(url, write_object)


def remove(url: Url) -> None:
    """Remove an object, if that is possible."""
    with suppress(Exception):
        store, path = open_store(url)
        store.rm_file(path)


def _create_object(store: Any, path: str, data: bytes) -> None:
    """Write a new object; raise `FileExistsError` if it exists.

    Only some stores can check this in the same request.
    """
    try:
        store.pipe_file(path, data, mode="create")
    except FileExistsError:
        # An earlier try may have written the object although its answer was lost.
        if store.cat_file(path) != data:
            raise
    except TypeError:  # the store does not support the parameter `mode`
        if store.exists(path):
            raise FileExistsError(path) from None
        store.pipe_file(path, data)


def _can_move(store: Any) -> bool:
    """Return whether a store can move files; else fsspec would copy, which is not atomic."""
    from fsspec import AbstractFileSystem

    return type(store).mv is not AbstractFileSystem.mv


def _get_change_time(info: dict[str, Any]) -> int | None:
    """Return the time of the last change, which each store calls by another name."""
    for name in ("LastModified", "mtime", "last_modified", "updated", "modified", "created"):
        value = info.get(name)
        if isinstance(value, datetime):
            return int(value.timestamp() * 1e6) * 1000
        if isinstance(value, float | int):
            return int(value * 1e6) * 1000
    return None


def _get_information(store: Any, path: str) -> dict[str, Any] | None:
    """Return the type and size of an object, or None if there is no such object."""
    try:
        info: dict[str, Any] = store.info(path)
    except FileNotFoundError:
        return None
    return info
