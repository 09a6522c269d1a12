"""Requests to stores: repeat them if that may help, and raise errors with readable messages."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from sudokucrypt.errors import UnsupportedError, format_extra_hint
from sudokucrypt.remote.url import Url, hide_secrets

_Result = TypeVar("_Result")

# Enough tries for a connection that is lost for about a second.
_MAX_TRIES: Final = 4
# Seconds before the second try; the pause before each further try is twice as long.
_FIRST_PAUSE_SECONDS: Final = 0.2

FILE_TOO_LARGE_ERRNO: Final = 27  # EFBIG, which Windows does not have
_INPUT_OUTPUT_ERRNO: Final = 5  # EIO
# Statuses of HTTP (RFC 9110).
_MISSING_STATUSES, _DENIED_STATUSES, _MIN_SERVER_ERROR_STATUS = (404, 410), (401, 403), 500
# Errors for which another try does not help.
_PERMANENT_ERRORS = (
    FileExistsError,
    FileNotFoundError,
    ImportError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
    PermissionError,
)


def retry(url: Url, request: Callable[[Any, str], _Result]) -> _Result:
    """Return ``request(store, path)``, and repeat it after errors that may be temporary.

    Every error of a store becomes an `OSError` in plain words.
    """
    store, path = open_store(url)
    try_count = 0
    while True:
        try_count += 1
        try:
            return request(store, path)
        except Exception as error:  # stores have dozens of error classes of their own
            is_permanent = isinstance(error, _PERMANENT_ERRORS) and not _may_be_temporary(error)
            if (
                try_count == _MAX_TRIES
                or is_permanent
                or getattr(error, "errno", 0) == FILE_TOO_LARGE_ERRNO
            ):
                raise _make_os_error(error) from error
        time.sleep(_FIRST_PAUSE_SECONDS * 2 ** (try_count - 1))


def _iterate_causes(error: Exception) -> Iterator[BaseException]:
    """Yield the causes of an error; over HTTP, fsspec raises `FileNotFoundError` for any cause."""
    cause = error.__cause__
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _may_be_temporary(error: Exception) -> bool:
    """Return whether the server has an internal error or cannot be reached."""
    statuses = [status for each in _iterate_causes(error) if (status := getattr(each, "status", 0))]
    is_unreachable = any(
        isinstance(each, OSError | TimeoutError) for each in _iterate_causes(error)
    )
    return statuses[0] >= _MIN_SERVER_ERROR_STATUS if statuses else is_unreachable


def _describe_answer(error: Exception) -> str:
    """Return the answer of a server in words, or an empty text if it has no such file."""
    for cause in _iterate_causes(error):
        status = getattr(cause, "status", 0)
        if status in _MISSING_STATUSES:
            return ""
        if status in _DENIED_STATUSES:
            return f"permission denied (status {status})"
        if status:
            return f"the server answers with status {status}"
        if isinstance(cause, OSError | TimeoutError):
            return "the server cannot be reached"
    return ""


def _make_os_error(error: Exception) -> OSError:
    """Return an error whose `strerror` says in our words what is wrong, without secrets."""
    number = getattr(error, "errno", None) or _INPUT_OUTPUT_ERRNO
    kinds = {FileNotFoundError: "no such file or directory", PermissionError: "permission denied"}
    reason = next((text for kind, text in kinds.items() if isinstance(error, kind)), "")
    if isinstance(error, FileNotFoundError) and (answer_text := _describe_answer(error)):
        number, reason = _INPUT_OUTPUT_ERRNO, answer_text
    if isinstance(error, NotImplementedError):
        reason = "this store can only be read"
    reason = reason or getattr(error, "strerror", None) or str(error) or type(error).__name__
    message = hide_secrets(reason.splitlines()[0].rstrip(".: "))
    return (
        FileExistsError(number, message)
        if isinstance(error, FileExistsError)
        else OSError(number, message)
    )


def open_store(url: Url) -> tuple[Any, str]:
    """Return the store of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise _make_missing_module_error(url, error) from error
    try:
        # With a cache, changes by other programs would not be seen.
        store, path = url_to_fs(url.text, use_listings_cache=False)
    except ImportError as error:
        raise _make_missing_module_error(url, error) from error
    except ValueError as error:
        if "not known" not in str(error):
            raise _make_os_error(error) from error
        raise UnsupportedError(
            f"cannot open '{url}': there is no store called {url.scheme}",
            hint="use s3, gs, az, https, memory or another one that fsspec knows",
        ) from error
    except Exception as error:  # fsspec reads an archive to open it, so any error is possible
        raise _make_os_error(error) from error
    return store, path


def _make_missing_module_error(url: Url, error: ImportError) -> UnsupportedError:
    name = str(getattr(error, "name", "") or url.scheme)
    return UnsupportedError(
        f"cannot open '{url}': the module for it is missing ({name})",
        hint=f"{format_extra_hint('cloud')} for S3, and fsspec's extras for other stores",
    )
