"""Requests to stores: tried again where that may help, with errors in plain words."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from sudokucrypt.errors import UnsupportedError, extra_hint
from sudokucrypt.remote.url import Url, without_secrets

_Result = TypeVar("_Result")

# Enough for a connection that is lost for a second; what lasts longer, the user should hear of.
_TRIES: Final = 4
# Seconds before the second try; each further one waits twice as long.
_PAUSE: Final = 0.2

LARGE: Final = 27  # EFBIG, which Windows does not have
_UNKNOWN: Final = 5  # EIO
# Statuses of HTTP (RFC 9110).
_MISSING, _DENIED, _SERVER_ERROR = (404, 410), (401, 403), 500
# Errors that a second try does not resolve.
_FINAL = (
    FileExistsError,
    FileNotFoundError,
    ImportError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
    PermissionError,
)


def retry(url: Url, request: Callable[[Any, str], _Result]) -> _Result:
    """Return ``request(store, path)``, tried again after errors that may not last.

    Whatever a store raises becomes an `OSError` in plain words.
    """
    store, path = open_store(url)
    tried = 0
    while True:
        tried += 1
        try:
            return request(store, path)
        except Exception as error:  # stores have dozens of error classes of their own
            final = isinstance(error, _FINAL) and not _may_pass(error)
            if tried == _TRIES or final or getattr(error, "errno", 0) == LARGE:
                raise _make_os_error(error) from error
        time.sleep(_PAUSE * 2 ** (tried - 1))


def _iterate_causes(error: Exception) -> Iterator[BaseException]:
    """Yield the causes of an error: fsspec calls every failure over HTTP a missing file."""
    cause = error.__cause__
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _may_pass(error: Exception) -> bool:
    """Return whether a second try may succeed, by the answer of a server, or without one."""
    statuses = [status for each in _iterate_causes(error) if (status := getattr(each, "status", 0))]
    unreachable = any(isinstance(each, OSError | TimeoutError) for each in _iterate_causes(error))
    return statuses[0] >= _SERVER_ERROR if statuses else unreachable


def _answer(error: Exception) -> str:
    """Return the answer of a server in words, or an empty text if the file is missing."""
    for each in _iterate_causes(error):
        status = getattr(each, "status", 0)
        if status in _MISSING:
            return ""
        if status in _DENIED:
            return f"permission denied (status {status})"
        if status:
            return f"the server answers with status {status}"
        if isinstance(each, OSError | TimeoutError):
            return "the server cannot be reached"
    return ""


def _make_os_error(error: Exception) -> OSError:
    """Return an error whose `strerror` says in our words, without secrets, what went wrong."""
    number = getattr(error, "errno", None) or _UNKNOWN
    kinds = {FileNotFoundError: "no such file or directory", PermissionError: "permission denied"}
    reason = next((text for kind, text in kinds.items() if isinstance(error, kind)), "")
    if isinstance(error, FileNotFoundError) and (answer := _answer(error)):
        number, reason = _UNKNOWN, answer
    if isinstance(error, NotImplementedError):
        reason = "this store can only be read"
    reason = reason or getattr(error, "strerror", None) or str(error) or type(error).__name__
    shown = without_secrets(reason.splitlines()[0].rstrip(".: "))
    return (
        FileExistsError(number, shown)
        if isinstance(error, FileExistsError)
        else OSError(number, shown)
    )


def open_store(url: Url) -> tuple[Any, str]:
    """Return the store of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise _is_missing(url, error) from error
    try:
        # A cached list would hide what other programs write meanwhile.
        store, path = url_to_fs(url.text, use_listings_cache=False)
    except ImportError as error:
        raise _is_missing(url, error) from error
    except ValueError as error:
        if "not known" not in str(error):
            raise _make_os_error(error) from error
        raise UnsupportedError(
            f"cannot open '{url}': there is no store called {url.scheme}",
            hint="use s3, gs, az, https, memory or another one that fsspec knows",
        ) from error
    except Exception as error:  # an archive is opened at once
        raise _make_os_error(error) from error
    return store, path


def _is_missing(url: Url, error: ImportError) -> UnsupportedError:
    name = str(getattr(error, "name", "") or url.scheme)
    return UnsupportedError(
        f"cannot open '{url}': the module for it is missing ({name})",
        hint=f"{extra_hint('cloud')} for S3, and fsspec's extras for other stores",
    )
