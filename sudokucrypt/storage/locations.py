"""Locations of files, on this machine or elsewhere: what is there, and reading with a limit."""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, TypeAlias
from urllib.parse import unquote, urlsplit

from sudokucrypt import remote
from sudokucrypt.errors import OutputExistsError, SudokucryptError, reason_of
from sudokucrypt.remote import Url

Location: TypeAlias = Path | Url

# What functions take as the name of a file.
PathName: TypeAlias = str | os.PathLike[str] | Url
"""Where a file is: on this machine or elsewhere."""

PART_SUFFIX: Final = ".sudokucrypt-part"
"""How the names of unfinished files end."""

WINDOWS: Final = os.name == "nt"

REPLACE_HINT = "choose another name, or pass replace=True"
"""What to do about a file that is in the way."""

_NEVER_REPLACED = "a key file is never replaced; choose another name"

# What Windows reads otherwise: wildcards and the like, dropped ends, and devices with any suffix.
_UNUSABLE = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]\Z')
DEVICE_NAME = re.compile(
    r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[1-9\xb9\xb2\xb3]) *(\.|\Z)", re.I
)


@dataclass(frozen=True)
class FileStatus:
    """What a new file may take over from another one."""

    mode: int | None = None  # permission bits, 0..0o7777
    time: int | None = None  # time of the last change, in nanoseconds since 1970

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Self:
        """Return the status of a file or folder, without numbers where it cannot be read."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):  # a name may hold a zero character
            return cls()
        return cls(stat.S_IMODE(status.st_mode), status.st_mtime_ns)


def parse_location(name: str | os.PathLike[str] | Url) -> Location:
    """Return the location that a name means; a text may be a URL, and a path never is.

    Raises `InvalidParameterError` if the URL contains a password.
    """
    if isinstance(name, Url):
        return name
    url = Url.read(name) if isinstance(name, str) and ":" in name else None
    if url is None:
        return Path(name)
    return Path(unquote(urlsplit(url.text).path)) if url.scheme == "file" else url


def name_here(name: str) -> str:
    """Return the name that a file from elsewhere gets here: on Windows, some mean something else.

    The name stays recognisable: characters that Windows forbids become ``_``, and one comes before
    the name of a device, such as ``NUL.txt``. Other systems take every name as it is.
    """
    if not WINDOWS:
        return name
    usable = _UNUSABLE.sub("_", name)
    return f"_{usable}" if DEVICE_NAME.match(usable) else usable


def in_every_locale(name: str) -> str:
    """Return the name of a file where names are UTF-8, which this locale may read otherwise."""
    try:
        return os.fsencode(name).decode("utf-8")
    except UnicodeError:
        return name


def in_this_locale(name: str) -> str:
    """Return a name with which Python finds the file that other programs find by this name.

    Where the encoding of the locale lacks a character, that is the name in UTF-8.
    """
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return os.fsdecode(name.encode("utf-8", "surrogateescape"))
    return name


def exists(location: Location) -> bool:
    """Return whether something is at a location, even a link to nothing."""
    if not isinstance(location, Url):
        return os.path.lexists(location)
    try:
        return remote.exists(location)
    except OSError as error:
        raise SudokucryptError(
            f"cannot see whether '{location}' exists: {reason_of(error)}"
        ) from error


def is_folder(location: Location) -> bool:
    """Return whether a location is a folder."""
    return remote.is_folder(location) if isinstance(location, Url) else os.path.isdir(location)


def make_folder(folder: Path) -> None:
    """Make a folder for results unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = reason_of(error)
        raise SudokucryptError(f"cannot make the folder '{folder}': {reason}") from error


def ignores_case(folder: Location) -> bool:
    """Return whether names in a folder that differ in case alone are one file; stores never do.

    A file of our own shows it, since one folder may ignore case and the next may not. It has the
    name of an unfinished file, so that one is swept away that a killed process left.
    """
    if isinstance(folder, Url):
        return False
    name = f".case.{secrets.token_hex(8)}"
    probe = folder / f"{name}{PART_SUFFIX}"
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            return os.path.lexists(folder / f"{name}{PART_SUFFIX.upper()}")
        finally:
            probe.unlink(missing_ok=True)
    except OSError:  # nothing can be written there
        return False


def read_limited(location: Location, limit: int) -> bytes:
    """Return the content of a file of at most `limit` bytes; `OSError` if it cannot be read."""
    if isinstance(location, Url):
        return remote.read(location, limit=limit)[0]
    with location.open("rb") as file:
        # One byte more shows a file that is larger, or has grown since it was measured.
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(27, f"file is larger than {limit} bytes, or is still growing")
    return data


def size_of(location: Location) -> int | None:
    """Return the bytes of a file, or none if there is no such file."""
    if isinstance(location, Url):
        with suppress(OSError):
            return remote.size(location)
        return None
    try:
        status = os.stat(location)
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def same_file(first: Location, second: Location) -> bool:
    """Return whether two locations are one file, through links and relative parts too."""
    if isinstance(first, Url) or isinstance(second, Url):
        return first == second
    try:
        return first.samefile(second)
    except OSError:
        # A path would raise an error of another kind for links that lead in a ring.
        return os.path.realpath(first) == os.path.realpath(second)


def require_free(location: Location, *, secret: bool = False) -> None:
    """Raise `OutputExistsError` if something is at a location; a secret is never replaced."""
    if exists(location):
        raise output_exists(location, secret=secret)


def output_exists(location: Location, *, secret: bool = False) -> OutputExistsError:
    """Return the error about an output that exists; only what is no secret may be replaced."""
    if not secret and _is_stream(location):
        return OutputExistsError(
            f"'{location}' is no place for a file: it is a pipe, a terminal or a device",
            hint="pass a stream that is open for writing",
            hint_key="stream",
        )
    return OutputExistsError(
        f"'{location}' exists",
        hint=_NEVER_REPLACED if secret else REPLACE_HINT,
        hint_key=None if secret else "replace",
    )


def _is_stream(location: Location) -> bool:
    """Return whether a location is an open stream, a pipe or a device."""
    if isinstance(location, Url):
        return False
    if str(location).startswith(("/dev/std", "/dev/fd/", "/proc/self/fd/")):
        return True
    try:
        mode = os.stat(location).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
