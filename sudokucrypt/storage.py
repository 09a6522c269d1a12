"""Files here and elsewhere: locations, bounded reading, and writing all of a file or nothing.

A file is written under a temporary name next to its target, flushed to the disk, and only then
given its name: in one step that also fails if the name is taken. The unfinished file is locked, by
which a later process knows what a killed one left, and removes it. What nobody may see before it is
finished has no name at all until then, where the system has such files.
"""

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
_PART = re.compile(rf"\..{{1,24}}\.[0-9a-f]{{16}}\{PART_SUFFIX}", re.DOTALL)
# Exclusively: a link or a file that was put there beforehand is an error, not a target.
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# Seconds; what is older than that is left from a process that was killed.
_DAY = 24 * 60 * 60
# Where this process finds its open files, also those without a name.
_OPEN_FILES = "/proc/self/fd"
# What systems answer that have no files without a name, all of them or in this folder.
_NO_HIDING = {
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EISDIR,
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOENT,
}
_swept: set[tuple[int, int]] = set()


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

    The name stays recognizable: characters that Windows forbids become ``_``, and one comes before
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
    except OSError as error:
        if isinstance(error, FileNotFoundError) and os.path.exists(first) != os.path.exists(second):
            return False  # as most results, which are yet to be written
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


def flush(descriptor: int) -> None:
    """Wait until all that was written to an open file is on the disk.

    On macOS `os.fsync` leaves it in the cache of the drive, where a power failure loses it.
    """
    if hasattr(fcntl, "F_FULLFSYNC"):
        with suppress(OSError):  # some file systems have no such command
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def write_secret(path: Path, data: bytes) -> None:
    """Create a file that only its owner may read, and never replace one.

    Raises `OutputExistsError` if `path` exists, and `SudokucryptError` if it cannot be written.
    Then nothing is left behind.
    """
    try:
        write_atomically({path: [data]}, replace=False, like=FileStatus(mode=0o600))
    except OutputExistsError:
        raise output_exists(path, secret=True) from None


def write_atomically(
    contents: Mapping[Path, Iterable[Buffer]] | Mapping[Location, Iterable[Buffer]],
    *,
    replace: bool,
    like: FileStatus | None = None,
    hidden: bool = False,
) -> None:
    """Write files so that each is there whole or not at all, even if the machine stops.

    Every file is first written under a temporary name next to its target and flushed to disk; the
    targets change only when all of them are ready. What a killed process left in a folder is
    removed before this process first writes there. Files elsewhere are written after those here,
    one after the other; if one fails, those before it that are new are removed.

    Raises `OutputExistsError` if a target exists and `replace` is false; and `SudokucryptError` if
    writing fails, or a target is a folder or device; no target was changed by the failing step.

    Contents come in parts; targets appear in their order. Of `like` they take over the time, if the
    file system allows it, and permissions, as far as the umask of the process leaves them. None is
    executable, and one that is replaced becomes readable to nobody else. With `hidden`, unfinished
    files here have no name: `can_hide` says whether that is possible.
    """
    here = {path: parts for path, parts in contents.items() if not isinstance(path, Url)}
    elsewhere = {url: parts for url, parts in contents.items() if isinstance(url, Url)}
    _write_here(here, replace=replace, like=like or FileStatus(), hidden=hidden)
    _write_elsewhere(elsewhere, replace=replace)


def _write_here(
    contents: Mapping[Path, Iterable[Buffer]],
    *,
    replace: bool,
    like: FileStatus,
    hidden: bool,
) -> None:
    pending: dict[Path, _Part] = {}
    try:
        for path, parts in contents.items():
            if not replace:
                require_free(path)
            elif path.exists() and not path.is_file():
                raise SudokucryptError(f"cannot write '{path}': it is not a regular file")
            sweep_once(path.parent)
            pending[path] = _Part(path, like, hidden=hidden)
            pending[path].write(parts)
        # No target changes before all contents are safe on the disk.
        for path in list(pending):
            pending[path].move(replace=replace)
            pending.pop(path).close()
    except OutputExistsError:  # an error of the system too
        raise
    except OSError as error:
        raise _write_error(path, error) from error
    finally:
        for part in pending.values():
            part.discard()


def _write_elsewhere(contents: Mapping[Url, Iterable[Buffer]], *, replace: bool) -> None:
    written = []
    try:
        for url, parts in contents.items():
            # As bytes, since what was yielded may be overwritten by the next part.
            remote.write(url, b"".join(map(bytes, parts)), replace=replace)
            written.append(url)
    except BaseException as error:
        # What was replaced cannot be brought back, but what is new can be removed.
        for new in [] if replace else written:
            remote.remove(new)
        if isinstance(error, FileExistsError):
            raise output_exists(url) from None
        if isinstance(error, OSError):
            raise _write_error(url, error) from error
        raise


def sweep(folder: Path) -> list[Path]:
    """Remove the unfinished files that killed processes left in a folder, and return their paths.

    Those that are being written stay, and so do those on file systems without locks. On Windows
    only files of more than a day count as left.
    """
    removed = []
    with suppress(OSError, ValueError):
        with os.scandir(folder) as entries:
            unfinished = [Path(entry.path) for entry in entries if _PART.fullmatch(entry.name)]
        for path in unfinished:
            with suppress(OSError):
                if _remove_unfinished(path):
                    removed.append(path)
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


def _remove_unfinished(path: Path) -> bool:
    """Remove an unfinished file unless it may be being written; return whether it was removed."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        return False
    if fcntl is None:
        # The time of change may be that of another file; Windows gives the time of birth too.
        if time.time() - max(status.st_mtime, status.st_ctime) > _DAY:
            path.unlink()
            return True
        return False
    # Some network file systems lock only what is open for writing.
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock_file(descriptor, path):
            path.unlink()
            return True
        return False
    finally:
        os.close(descriptor)


def _lock_file(descriptor: int, path: Path) -> bool | None:
    """Lock an open file; return whether it is ours and still at `path`, or none."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        return None


def can_hide(folder: Path) -> bool:
    """Return whether a file that is being written in a folder has no name until it is finished.

    If nothing can be written there for now, it is not clear, and writing raises the error.
    """
    try:
        os.close(_open_hidden(folder, 0o600))
    except OSError as error:
        return error.errno not in _NO_HIDING
    return True


def _open_hidden(folder: Path, mode: int) -> int:
    """Open a new file without a name, and return its descriptor; `OSError` if it cannot be."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not os.path.isdir(_OPEN_FILES):
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    descriptor = os.open(folder, os.O_WRONLY | flag, mode)
    with suppress(OSError):  # where it has a name for a moment, no sweep removes it
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


class _Part:
    """A file that becomes the target when it is finished; locked, so that no sweep removes it."""

    def __init__(self, target: Path, like: FileStatus, *, hidden: bool = False) -> None:
        self._target = target
        self._hidden = hidden  # whether it has no name
        self._like = like
        self._rename()

    def _rename(self) -> None:
        # 24 letters of four bytes each fit even where names have 143 bytes, as in some encrypted
        # folders.
        name = f".{self._target.name[:24]}.{secrets.token_hex(8)}{PART_SUFFIX}"
        self.path = self._target.parent / name
        self._descriptor = -1

    def write(self, parts: Iterable[Buffer]) -> None:
        """Write everything, and wait until it is on the disk."""
        self._open()
        for part in parts:
            view = memoryview(part)
            while view:  # whatever the system takes at a time
                view = view[os.write(self._descriptor, view) :]
        self._take_over_time()
        flush(self._descriptor)
        if fcntl is None:  # Windows renames no open file
            self.close()

    def close(self) -> None:
        """Close the file, which unlocks it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def move(self, *, replace: bool) -> None:
        """Give the finished file the name of the target."""
        if not self._hidden:
            _move(self.path, self._target, replace=replace)
            return
        name = self.path if replace else self._target
        try:
            # Only with a descriptor of a folder does Python 3.11 follow links, of which this is
            # one; since its path is absolute, any descriptor does.
            source = f"{_OPEN_FILES}/{self._descriptor}"
            os.link(source, name, src_dir_fd=self._descriptor)
        except FileExistsError:
            raise output_exists(self._target) from None
        if replace:
            self._hidden = False  # for a moment it has a name of its own
            self.path.replace(self._target)

    def discard(self) -> None:
        """Remove the file."""
        if not self._hidden:
            with suppress(OSError):
                self.path.unlink()
        self.close()

    def _open(self) -> None:
        """Create the file and lock it; a sweep that came between the two has removed it."""
        if self._hidden:  # if that fails, no name shows what it should hide
            self._descriptor = _open_hidden(self.path.parent, self._mode())
        while not self._hidden:
            # Only the system knows the umask, and applies it where a file begins.
            self._descriptor = os.open(self.path, _CREATE, self._mode())
            if _lock_file(self._descriptor, self.path) is not False:
                return
            self.discard()
            self._rename()

    def _mode(self) -> int:
        """Return the permissions that the target shall have, of which the umask takes some away."""
        mode = 0o666
        for given in (self._like.mode, FileStatus.of(self._target).mode):
            mode &= 0o666 if given is None else given
        return mode

    def _take_over_time(self) -> None:
        """Set the time; some file systems refuse, and some times do not fit."""
        if self._like.time is not None:
            target = self._descriptor if os.utime in os.supports_fd else self.path
            with suppress(OSError, OverflowError):
                os.utime(target, ns=(time.time_ns(), self._like.time))


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
        raise output_exists(target) from None
    except OSError:
        # This file system has no hard links: the check above is the best there is.
        require_free(target)
        temporary.replace(target)
    else:
        temporary.unlink()


def _write_error(path: Location, error: OSError) -> SudokucryptError:
    reason = reason_of(error)
    hint = "choose a shorter name" if error.errno == errno.ENAMETOOLONG else None
    return SudokucryptError(f"cannot write '{path}': {reason}", hint=hint)
