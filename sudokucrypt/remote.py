"""Files elsewhere: objects in stores, archives and on servers, by URL, read and written whole.

Everything that fsspec knows is a place: ``s3://bucket/photo.png``, ``memory://photo.png``,
``zip://photo.png::s3://bucket/photos.zip``. Credentials come from its settings, never from a URL.
"""

from __future__ import annotations

import re
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import unquote

from sudokucrypt.errors import InvalidParameterError, OutputExistsError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Result = TypeVar("_Result")

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_PASSWORD = re.compile(r"://[^/@:]*:[^/@]*@")
_SECRET = re.compile(r"(?i)([?&][^=&]*(?:sig|token|key|secret|credential|auth)[^=&]*=)[^&]+")
_TRIES: Final = 4
_PAUSE: Final = 0.2
"""Seconds before the second try; each further one waits twice as long."""

_LARGE = 27  # EFBIG, which Windows does not have
_FINAL = (
    FileExistsError,
    FileNotFoundError,
    ImportError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
    PermissionError,
)
"""Errors that a second try does not mend."""


@dataclass(frozen=True, order=True)
class Url:
    """The place of a file elsewhere; it can be joined and taken apart as a `Path` can.

    Parameters
    ----------
    scheme : str
        What fsspec calls the store.
    path : str
        The place in it, without a slash at its end.
    rest : str
        What follows: the query of an address, or the place of the archive that it is in.
    """

    scheme: str
    path: str
    rest: str = ""

    @classmethod
    def read(cls, text: str) -> Url | None:
        """Return the place that a text names, or none if it is no URL of a place elsewhere.

        Raises
        ------
        InvalidParameterError
            If a password stands in it, where others can read it.
        """
        found = _URL.fullmatch(text)
        if found is None:
            return None
        scheme, place = found[1].lower(), found[2]
        if _PASSWORD.search(text):
            raise InvalidParameterError(
                "a password stands in the URL, where others can read it",
                hint="put it into the settings of fsspec, or into the environment",
            )
        place, mark, rest = place.partition("::")
        if scheme in ("http", "https"):
            place, query, after = place.partition("?")
            rest = query + after + mark + rest
        else:
            rest = mark + rest
        return cls(scheme, place.rstrip("/") if place.strip("/") else place, rest)

    @property
    def text(self) -> str:
        """The URL as it is opened; messages have `str`, which hides signatures."""
        return f"{self.scheme}://{self.path}{self.rest}"

    def __str__(self) -> str:
        return _SECRET.sub(r"\1...", self.text)

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The last part."""
        name = self.path.rpartition("/")[2]
        return unquote(name) if self.scheme in ("http", "https") else name

    @property
    def stem(self) -> str:
        """The last part without suffix."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """The suffix of the last part."""
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> Url:
        """The folder."""
        return Url(self.scheme, self.path.rpartition("/")[0], self.rest)

    def with_name(self, name: str) -> Url:
        """Return a place in the same folder."""
        return self.parent / name

    def absolute(self) -> Url:
        """Return this, which is whole."""
        return self

    def is_absolute(self) -> bool:
        """Tell that this is whole."""
        return True

    def __truediv__(self, other: str | PurePath) -> Url:
        added = PurePosixPath(other).as_posix()
        if added == ".":
            return self
        joined = f"{self.path.rstrip('/')}/{added}" if self.path else added
        return Url(self.scheme, joined, self.rest)


def size(url: Url) -> int | None:
    """Return the bytes of an object, or none if there is no such object."""
    found = _asked(url, _information)
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

    return _asked(url, look)


def is_folder(url: Url) -> bool:
    """Tell whether other objects are below this place; where that cannot be seen, they are not."""
    try:
        return _asked(url, lambda store, path: bool(store.isdir(path)))
    except OSError:  # reading it says why
        return False


def walk(url: Url) -> Iterator[tuple[Url, list[str], list[str]]]:
    """Yield a folder with the names of its folders and objects, and so the folders below.

    Folders that the caller takes out of the list are not entered.

    Raises
    ------
    OSError
        If a folder cannot be listed.
    """

    def listed(store: Any, path: str) -> list[dict[str, Any]]:
        return list(store.ls(path, detail=True))

    below: list[str] = []
    names: list[str] = []
    own = _opened(url)[1].strip("/")
    for entry in _asked(url, listed):
        inner = entry["name"].strip("/")
        if inner == own:  # some stores keep an object for a folder
            continue
        (below if entry["type"] == "directory" else names).append(inner.rpartition("/")[2])
    below.sort()
    yield url, below, sorted(names)
    for name in below:
        yield from walk(url / name)


def beginning(url: Url, length: int) -> bytes:
    """Return the first bytes of an object; `OSError` if it cannot be read."""
    return _asked(url, lambda store, path: bytes(store.cat_file(path, start=0, end=length)))


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
            raise OSError(_LARGE, f"it has {most} bytes, more than the {limit} that are read")
        data: bytes = store.cat_file(path)
        if most is not None and len(data) != most:
            raise ConnectionError(f"{len(data)} of {most} bytes have come")
        return data, _time(known)

    return _asked(url, whole)


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
        _asked(url, put)
    except FileExistsError:
        raise OutputExistsError(
            f"'{url}' exists", hint="choose another name, or pass replace=True", hint_key="replace"
        ) from None


def remove(url: Url) -> None:
    """Remove an object, if that is possible."""
    with suppress(Exception):
        store, path = _opened(url)
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


def _asked(url: Url, ask: Callable[[Any, str], _Result]) -> _Result:
    """Return what a store answers; what may be passing is tried a few times.

    Whatever a store raises becomes an `OSError` in plain words.
    """
    store, path = _opened(url)
    tried = 0
    while True:
        tried += 1
        try:
            return ask(store, path)
        except Exception as error:  # stores have dozens of error classes of their own
            if tried == _TRIES or isinstance(error, _FINAL) or getattr(error, "errno", 0) == _LARGE:
                raise _failed(error) from error
        time.sleep(_PAUSE * 2 ** (tried - 1))


def _failed(error: Exception) -> OSError:
    """Return an error whose `strerror` says in our words, without secrets, what went wrong."""
    number = getattr(error, "errno", None) or 5
    kinds = {FileNotFoundError: "no such file or directory", PermissionError: "permission denied"}
    reason = next((text for kind, text in kinds.items() if isinstance(error, kind)), "")
    if isinstance(error, NotImplementedError):
        reason = "this store can only be read"
    reason = reason or getattr(error, "strerror", None) or str(error) or type(error).__name__
    shown = _SECRET.sub(r"\1...", reason.splitlines()[0].rstrip(".: "))
    return (
        FileExistsError(number, shown)
        if isinstance(error, FileExistsError)
        else OSError(number, shown)
    )


def _opened(url: Url) -> tuple[Any, str]:
    """Return the store of a place, and the place in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise _missing(url, error) from error
    try:
        # What other programs do meanwhile must be seen.
        store, path = url_to_fs(url.text, use_listings_cache=False)
    except ImportError as error:
        raise _missing(url, error) from error
    except ValueError as error:
        if "not known" not in str(error):
            raise _failed(error) from error
        raise UnsupportedError(
            f"cannot open '{url}': there is no store called {url.scheme}",
            hint="use s3, gs, az, https, memory or another one that fsspec knows",
        ) from error
    except Exception as error:  # an archive is opened at once
        raise _failed(error) from error
    return store, path


def _missing(url: Url, error: ImportError) -> UnsupportedError:
    name = str(getattr(error, "name", "") or url.scheme)
    return UnsupportedError(
        f"cannot open '{url}': the module for it is missing ({name})",
        hint="pip install 'sudokucrypt[cloud]' for S3, and fsspec's extras for other stores",
    )
