"""Files here and elsewhere: bounded reading, and writing that leaves the whole file or nothing."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeAlias
from urllib.parse import unquote, urlsplit

from sudokucrypt import remote
from sudokucrypt.errors import OutputExistsError, SudokucryptError, reason_of
from sudokucrypt.remote import Url

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sudokucrypt.typing import Buffer


Location: TypeAlias = Path | Url
"""Where a file is: on this machine or elsewhere."""

REPLACE_HINT = "choose another name, or pass replace=True"
"""What to do about a file that is in the way."""


_NEVER_REPLACED = "a key file is never replaced; choose another name"

PART_SUFFIX: Final = ".sudokucrypt-part"
"""How the names of unfinished files end."""

_PART = re.compile(rf"\..{{1,24}}\.[0-9a-f]{{16}}\{PART_SUFFIX}", re.DOTALL)
# What Windows reads otherwise: wildcards and the like, dropped ends, and devices with any suffix.
_UNUSABLE = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]\Z')
_DEVICE = re.compile(
    r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[1-9\xb9\xb2\xb3]) *(\.|\Z)", re.I
)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_DAY = 24 * 60 * 60
_swept: set[tuple[int, int]] = set()


@dataclass(frozen=True)
class FileStatus:
    """What a new file may take over from another one.

    Parameters
    ----------
    mode : int or None
        Permission bits, 0..0o7777.
    time : int or None
        Time of the last change, in nanoseconds since 1970.
    """

    mode: int | None = None
    time: int | None = None

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Self:
        """Return the status of a file or folder, without numbers where it cannot be read."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):  # a name may hold a zero character
            return cls()
        return cls(stat.S_IMODE(status.st_mode), status.st_mtime_ns)


def parse_location(name: str | os.PathLike[str] | Url) -> Location:
    """Return the place that a name means; a text may be a URL, and a path never is.

    Raises
    ------
    InvalidParameterError
        If the URL contains a password.
    """
    if isinstance(name, Url):
        return name
    url = Url.read(name) if isinstance(name, str) else None
    if url is None:
        return Path(name)
    return Path(unquote(urlsplit(url.text).path)) if url.scheme == "file" else url


def name_here(name: str) -> str:
    """Return the name that a file from elsewhere gets here: on Windows, some mean something else.

    The file is still found by it: characters that cannot stand there become ``_``, and one comes
    before the name of a device, such as ``NUL.txt``. Other systems take every name as it is.
    """
    if fcntl is not None:
        return name
    usable = _UNUSABLE.sub("_", name)
    return f"_{usable}" if _DEVICE.match(usable) else usable


def exists(place: Location) -> bool:
    """Tell whether something is at a place, be it a link to nothing."""
    if not isinstance(place, Url):
        return os.path.lexists(place)
    try:
        return remote.exists(place)
    except OSError as error:
        raise SudokucryptError(
            f"cannot see whether '{place}' exists: {reason_of(error)}"
        ) from error


def is_folder(place: Location) -> bool:
    """Tell whether a place is a folder."""
    return remote.is_folder(place) if isinstance(place, Url) else os.path.isdir(place)


def flush(descriptor: int) -> None:
    """Wait until all that was written to an open file is on the disk.

    On macOS `os.fsync` leaves it in the cache of the drive, where a power failure loses it.
    """
    if hasattr(fcntl, "F_FULLFSYNC"):
        with suppress(OSError):  # some file systems have no such command
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def read_limited(path: Location, limit: int) -> bytes:
    """Return the content of a file of at most `limit` bytes; `OSError` if it cannot be read."""
    if isinstance(path, Url):
        return remote.read(path, limit=limit)[0]
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(27, f"file is larger than {limit} bytes, or still grows")
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
        write_atomically({path: [data]}, replace=False, like=FileStatus(mode=0o600))
    except OutputExistsError:
        raise _exists(path, hint=_NEVER_REPLACED) from None


def require_free(path: Location, *, secret: bool = False) -> None:
    """Raise `OutputExistsError` if something stands at `path`; a secret is never replaced."""
    there = exists(path)
    if there and secret:
        raise _exists(path, hint=_NEVER_REPLACED)
    if there:
        raise _exists(path, hint=REPLACE_HINT, hint_key="replace")


def size_of(path: Location) -> int | None:
    """Return the bytes of a file, or none if there is no such file."""
    if isinstance(path, Url):
        with suppress(OSError):
            return remote.size(path)
        return None
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def same_file(first: Location, second: Location) -> bool:
    """Tell whether two paths lead to one file, through links and relative parts too."""
    if isinstance(first, Url) or isinstance(second, Url):
        return first == second
    try:
        return first.samefile(second)
    except OSError:
        # A path would raise an error of another kind for links that lead in a ring.
        return os.path.realpath(first) == os.path.realpath(second)


def write_atomically(
    contents: Mapping[Path, Iterable[Buffer]] | Mapping[Location, Iterable[Buffer]],
    *,
    replace: bool,
    like: FileStatus | None = None,
) -> None:
    """Write files so that each is there whole or not at all, even if the machine stops.

    Every file is first written under a temporary name beside its target and flushed to disk; the
    targets change only when all of them are ready. What a killed process left in a folder is
    removed before this process first writes there. Files elsewhere are written after those here,
    one after the other; if one fails, those before it that are new are removed.

    Parameters
    ----------
    contents : mapping of Path or Url to iterable of bytes
        What to write where, in parts; the targets appear in this order.
    replace : bool
        Whether existing targets may be replaced. They keep the permissions that they have.
    like : FileStatus, optional
        What new targets take over, as far as the file system allows it: exactly these permissions,
        and the time. One that is replaced keeps the permissions that it shares with `like`. By
        default new targets have the permissions that the process gives.

    Raises
    ------
    OutputExistsError
        If a target exists and `replace` is false.
    SudokucryptError
        If writing fails, or a target is a folder or device; no target was changed by the failing
        step.
    """
    pending: dict[Path, _Part] = {}
    elsewhere: dict[Url, Iterable[Buffer]] = {}
    try:
        for path, parts in contents.items():
            if isinstance(path, Url):
                elsewhere[path] = parts
                continue
            if not replace:
                require_free(path)
            elif path.exists() and not path.is_file():
                raise SudokucryptError(f"cannot write '{path}': it is not a regular file")
            sweep_once(path.parent)
            pending[path] = _Part(path, like or FileStatus())
            pending[path].write(parts)
        for path in list(pending):
            _move(pending[path].place, path, replace=replace)
            pending.pop(path).close()
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        for part in pending.values():
            part.discard()
    written = []
    try:
        for url, parts in elsewhere.items():
            remote.write(url, b"".join(parts), replace=replace)
            written.append(url)
    except BaseException as error:
        for place in [] if replace else written:
            remote.remove(place)
        if isinstance(error, OSError):
            raise _failed(url, error) from error
        raise


def sweep(folder: Path) -> list[Path]:
    """Remove the unfinished files that killed processes left in a folder, and return their paths.

    Those that somebody is writing stay, and so do those on file systems without locks. On Windows
    only files of more than a day count as left.
    """
    removed = []
    with suppress(OSError, ValueError):
        with os.scandir(folder) as entries:
            found = [Path(entry.path) for entry in entries if _PART.fullmatch(entry.name)]
        for place in found:
            with suppress(OSError):
                if _removed(place):
                    removed.append(place)
    return removed


def sweep_once(folder: Location) -> None:
    """Sweep a folder here unless this process has swept it already."""
    if isinstance(folder, Url):
        return
    with suppress(OSError):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) not in _swept:
            _swept.add((status.st_dev, status.st_ino))
            sweep(folder)


def _removed(place: Path) -> bool:
    """Remove an unfinished file unless somebody may be writing it; tell whether that was done."""
    status = os.lstat(place)
    if not stat.S_ISREG(status.st_mode):
        return False
    if fcntl is None:
        # The time of change may be that of another file; Windows gives the time of birth too.
        if time.time() - max(status.st_mtime, status.st_ctime) > _DAY:
            place.unlink()
            return True
        return False
    # Some network file systems lock only what is open for writing.
    descriptor = os.open(place, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _locked(descriptor, place):
            place.unlink()
            return True
        return False
    finally:
        os.close(descriptor)


def _locked(descriptor: int, place: Path) -> bool | None:
    """Lock an open file; return whether it is ours alone and at its place, none without locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), os.lstat(place))
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        return None


class _Part:
    """A file that becomes the target when it is finished; locked, so that no sweep removes it."""

    def __init__(self, target: Path, like: FileStatus) -> None:
        self._target = target
        self._like = like
        self._rename()

    def _rename(self) -> None:
        # 24 letters of four bytes each fit even where names have 143 bytes, as in some encrypted
        # folders.
        name = f".{self._target.name[:24]}.{secrets.token_hex(8)}{PART_SUFFIX}"
        self.place = self._target.parent / name
        self._descriptor = -1

    def write(self, parts: Iterable[Buffer]) -> None:
        """Write everything, and wait until it is on the disk."""
        self._open()
        _write(self._descriptor, parts)
        self._take_over()
        flush(self._descriptor)
        if fcntl is None:  # Windows renames no open file
            self.close()

    def close(self) -> None:
        """Close the file, which unlocks it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def discard(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self.place.unlink()
        self.close()

    def _open(self) -> None:
        """Create the file and lock it; a sweep that came between the two has removed it."""
        while True:
            # While it is written it is its owner's alone, unless the process decides who reads it.
            mode = 0o666 if self._mode() is None else 0o600
            self._descriptor = os.open(self.place, _CREATE, mode)
            if _locked(self._descriptor, self.place) is not False:
                return
            self.discard()
            self._rename()

    def _mode(self) -> int | None:
        """Return the permissions that the target shall have, none for those of any new file."""
        given = (self._like.mode, FileStatus.of(self._target).mode)
        modes = [mode for mode in given if mode is not None]
        return modes[0] & modes[-1] & 0o777 if modes else None

    def _take_over(self) -> None:
        """Set permissions and time; some file systems refuse, and some times do not fit."""
        place = self._descriptor if os.chmod in os.supports_fd else self.place
        if (mode := self._mode()) is not None:
            with suppress(OSError):
                os.chmod(place, mode)
        if self._like.time is not None:
            with suppress(OSError, OverflowError):
                os.utime(place, ns=(time.time_ns(), self._like.time))


def _move(temporary: Path, target: Path, *, replace: bool) -> None:
    """Give the finished file its name; a link fails where a rename would replace."""
    if replace:
        temporary.replace(target)
        return
    try:
        if fcntl is None:  # Windows: a rename replaces nothing, and read-only files stay
            temporary.rename(target)
            return
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(target, hint=REPLACE_HINT, hint_key="replace") from None
    except OSError:
        # This file system has no hard links: the check above is the best there is.
        require_free(target)
        temporary.replace(target)
    else:
        temporary.unlink()


def _write(descriptor: int, parts: Iterable[Buffer]) -> None:
    """Write everything, whatever the system takes at a time."""
    for part in parts:
        view = memoryview(part)
        while view:
            view = view[os.write(descriptor, view) :]


def _exists(path: Location, *, hint: str, hint_key: str | None = None) -> OutputExistsError:
    return OutputExistsError(f"'{path}' exists", hint=hint, hint_key=hint_key)


def _failed(path: Location, error: OSError) -> SudokucryptError:
    reason = reason_of(error)
    hint = "choose a shorter name" if error.errno == errno.ENAMETOOLONG else None
    return SudokucryptError(f"cannot write '{path}': {reason}", hint=hint)
