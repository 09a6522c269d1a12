"""Files on this machine and elsewhere: locations, bounded reading, and atomic writing.

A file is written under a temporary name next to its target and flushed to the disk. Only then does
it get its name, in one step that also fails if another file has this name. The unfinished file is
locked. If its process is killed the lock is gone, so that a later process removes the file. Some
files must not be seen before they are finished; until then they have no name, if the system has
files without a name.
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
from sudokucrypt.errors import OutputExistsError, SudokucryptError, format_reason
from sudokucrypt.remote import Url

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sudokucrypt.typing import Buffer


Location: TypeAlias = Path | Url

# The types that functions take as the name of a file.
LocationLike: TypeAlias = str | os.PathLike[str] | Url
"""The name of a file on this machine or elsewhere."""

UNFINISHED_SUFFIX: Final = ".sudokucrypt-part"
"""The suffix of unfinished files."""

IS_WINDOWS: Final = os.name == "nt"

REPLACE_HINT = "choose another name, or pass replace=True"
"""The hint if the output exists."""

_KEY_FILE_HINT = "a key file is never replaced; choose another name"

# Windows forbids some characters, drops a dot or space at the end, and treats some names, with
# any suffix, as devices.
_UNUSABLE_CHARACTERS = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]\Z')
DEVICE_NAME = re.compile(
    r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[1-9\xb9\xb2\xb3]) *(\.|\Z)", re.I
)
_UNFINISHED_FILE_NAME = re.compile(rf"\..{{1,24}}\.[0-9a-f]{{16}}\{UNFINISHED_SUFFIX}", re.DOTALL)
# The flags of a new file: if a file or a link has its name already, that is an error.
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# Without locks, an unfinished file older than this number of seconds counts as abandoned.
_MAX_UNFINISHED_SECONDS = 24 * 60 * 60
# The folder that shows the open files of this process, also those without a name.
_OPEN_FILES_FOLDER = "/proc/self/fd"
# Errors that mean that the system or the folder does not support files without a name.
_HIDING_UNSUPPORTED_ERRORS = {
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EISDIR,
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOENT,
}
_swept_folders: set[tuple[int, int]] = set()


@dataclass(frozen=True)
class FileStatus:
    """The time and permissions that a new file may copy from another one."""

    mode: int | None = None  # permission bits, 0..0o7777
    time: int | None = None  # time of the last change, in nanoseconds since 1970

    @classmethod
    def from_path(cls, path: str | os.PathLike[str]) -> Self:
        """Return the status of a file or folder; if it cannot be read, its fields are None."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):  # a null character in the name raises ValueError
            return cls()
        return cls(stat.S_IMODE(status.st_mode), status.st_mtime_ns)


def parse_location(name: str | os.PathLike[str] | Url) -> Location:
    """Return the location for a name; only a string can be a URL, since a `Path` is always local.

    Raises `InvalidParameterError` if the URL contains a password.
    """
    if isinstance(name, Url):
        return name
    url = Url.read(name) if isinstance(name, str) and ":" in name else None
    if url is None:
        return Path(name)
    return Path(unquote(urlsplit(url.text).path)) if url.scheme == "file" else url


def make_usable_name(name: str) -> str:
    """Return a name that this system can use, for a file that comes from another system.

    On Windows, characters that are forbidden become ``_``, and the name of a device such as
    ``NUL.txt`` gets a ``_`` in front. Other systems can use every name.
    """
    if not IS_WINDOWS:
        return name
    usable_name = _UNUSABLE_CHARACTERS.sub("_", name)
    return f"_{usable_name}" if DEVICE_NAME.match(usable_name) else usable_name


def encode_for_every_locale(name: str) -> str:
    """Return the name of a file decoded as UTF-8, independently of the encoding of this locale."""
    try:
        return os.fsencode(name).decode("utf-8")
    except UnicodeError:
        return name


def decode_in_this_locale(name: str) -> str:
    """Return a name with which Python opens the file that other programs call `name`.

    If the encoding of the locale lacks a character, the name is encoded in UTF-8.
    """
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return os.fsdecode(name.encode("utf-8", "surrogateescape"))
    return name


def exists(location: Location) -> bool:
    """Return whether a file, folder or link exists, even a link whose target does not exist."""
    if not isinstance(location, Url):
        return os.path.lexists(location)
    try:
        return remote.exists(location)
    except OSError as error:
        raise SudokucryptError(
            f"cannot see whether '{location}' exists: {format_reason(error)}"
        ) from error


def is_folder(location: Location) -> bool:
    """Return whether a location is a folder."""
    return remote.is_folder(location) if isinstance(location, Url) else os.path.isdir(location)


def make_folder(folder: Path) -> None:
    """Make a folder for results unless it exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = format_reason(error)
        raise SudokucryptError(f"cannot make the folder '{folder}': {reason}") from error


def ignores_case(folder: Location) -> bool:
    """Return whether a folder treats names that differ only in case as the same file.

    The answer may differ from folder to folder, so a probe file is created. It is named as an
    unfinished file: if the process is killed, the next sweep removes it. Stores never ignore case.
    """
    if isinstance(folder, Url):
        return False
    name = f".case.{secrets.token_hex(8)}"
    probe = folder / f"{name}{UNFINISHED_SUFFIX}"
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            return os.path.lexists(folder / f"{name}{UNFINISHED_SUFFIX.upper()}")
        finally:
            probe.unlink(missing_ok=True)
    except OSError:  # the folder is not writable
        return False


def read_limited_file(location: Location, limit: int) -> bytes:
    """Return the content of a file of at most `limit` bytes; `OSError` if it cannot be read."""
    if isinstance(location, Url):
        return remote.read(location, limit=limit)[0]
    with location.open("rb") as file:
        # One byte more is read, to find out whether the file is larger or is still growing.
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(27, f"file is larger than {limit} bytes, or is still growing")
    return data


def get_file_size(location: Location) -> int | None:
    """Return the number of bytes of a file, or None if there is no such file."""
    if isinstance(location, Url):
        with suppress(OSError):
            return remote.get_size(location)
        return None
    try:
        status = os.stat(location)
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def is_same_file(first: Location, second: Location) -> bool:
    """Return whether two locations are one file, even through links and relative paths."""
    if isinstance(first, Url) or isinstance(second, Url):
        return first == second
    try:
        return first.samefile(second)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and os.path.exists(first) != os.path.exists(second):
            return False  # the usual case: a result that is not written yet
        # If links form a ring, `Path.resolve` would raise an error of another kind.
        return os.path.realpath(first) == os.path.realpath(second)


def require_free(location: Location, *, secret: bool = False) -> None:
    """Raise `OutputExistsError` if a location is taken.

    The hint says how to replace the file. For a `secret`, which is never replaced, it does not.
    """
    if exists(location):
        raise _make_exists_error(location, secret=secret)


def _make_exists_error(location: Location, *, secret: bool = False) -> OutputExistsError:
    """Return the error for an output that exists, with the hint of `require_free`."""
    if not secret and _is_stream(location):
        return OutputExistsError(
            f"'{location}' is no place for a file: it is a pipe, a terminal or a device",
            hint="pass a stream that is open for writing",
            hint_key="stream",
        )
    return OutputExistsError(
        f"'{location}' exists",
        hint=_KEY_FILE_HINT if secret else REPLACE_HINT,
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


def flush_to_disk(descriptor: int) -> None:
    """Wait until everything that was written to an open file is on the disk.

    On macOS `os.fsync` does not empty the cache of the drive, which a power failure would erase.
    """
    if hasattr(fcntl, "F_FULLFSYNC"):
        with suppress(OSError):  # some file systems do not support this command
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def write_secret_file(path: Path, data: bytes) -> None:
    """Create a file that only its owner may read, and never replace a file.

    Raises `OutputExistsError` if `path` exists, and `SudokucryptError` if it cannot be written.
    After an error no part of the file is left.
    """
    try:
        write_atomically({path: [data]}, replace=False, source_status=FileStatus(mode=0o600))
    except OutputExistsError:
        raise _make_exists_error(path, secret=True) from None


def write_atomically(
    chunks_by_path: Mapping[Path, Iterable[Buffer]] | Mapping[Location, Iterable[Buffer]],
    *,
    replace: bool,
    source_status: FileStatus | None = None,
    is_nameless: bool = False,
) -> None:
    """Write files so that each exists whole or not at all, even if the machine stops.

    The content of a file comes in parts. Every file is first written under a temporary name next to
    its target and flushed to the disk. Only when all files are ready do they replace their targets,
    in the given order. Before the first write of this process to a folder, unfinished files of
    killed processes are removed from it. Files elsewhere are written one after the other, after
    those on this machine; if one fails, the new ones before it are removed.

    The files get the time of `source_status`, if the file system allows it, and its permissions
    without those that the umask takes away. No file becomes executable, and a file that replaces
    another gives nobody more permissions than that one. With `is_nameless`, unfinished files on
    this machine have no name; `supports_nameless_files` returns whether that is possible.

    Raises `OutputExistsError` if a target exists and `replace` is false. Raises `SudokucryptError`
    if writing fails, or if a target is a folder or a device. The target that failed is unchanged.
    """
    local_chunks_by_path = {
        path: parts for path, parts in chunks_by_path.items() if not isinstance(path, Url)
    }
    chunks_by_url = {url: parts for url, parts in chunks_by_path.items() if isinstance(url, Url)}
    _write_paths(
        local_chunks_by_path,
        replace=replace,
        source_status=source_status or FileStatus(),
        is_nameless=is_nameless,
    )
    _write_urls(chunks_by_url, replace=replace)


def _write_paths(
    chunks_by_path: Mapping[Path, Iterable[Buffer]],
    *,
    replace: bool,
    source_status: FileStatus,
    is_nameless: bool,
) -> None:
    pending_files: dict[Path, _UnfinishedFile] = {}
    try:
        for path, parts in chunks_by_path.items():
            if not replace:
                require_free(path)
            elif path.exists() and not path.is_file():
                raise SudokucryptError(f"cannot write '{path}': it is not a regular file")
            sweep_folder_once(path.parent)
            pending_files[path] = _UnfinishedFile(path, source_status, is_nameless=is_nameless)
            pending_files[path].write(parts)
        # No target changes before all contents are safe on the disk.
        for path in list(pending_files):
            pending_files[path].move(replace=replace)
            pending_files.pop(path).close()
    except OutputExistsError:  # without this clause, the next one would catch it
        raise
    except OSError as error:
        raise _make_write_error(path, error) from error
    finally:
        for temporary_file in pending_files.values():
            temporary_file.discard()


def _write_urls(chunks_by_url: Mapping[Url, Iterable[Buffer]], *, replace: bool) -> None:
    written_urls = []
    try:
        for url, parts in chunks_by_url.items():
            # Each part is copied, since the iterator may yield the same memory again.
            remote.write(url, b"".join(map(bytes, parts)), replace=replace)
            written_urls.append(url)
    except BaseException as error:
        # New objects are removed. An object that replaced another cannot be taken back.
        for written_url in [] if replace else written_urls:
            remote.remove(written_url)
        if isinstance(error, FileExistsError):
            raise _make_exists_error(url) from None
        if isinstance(error, OSError):
            raise _make_write_error(url, error) from error
        raise


def sweep_folder(folder: Path) -> list[Path]:
    """Remove the unfinished files of killed processes from a folder, and return their paths.

    Files that are being written stay, and so do all files on file systems without locks. On
    Windows, unfinished files of more than a day are removed.
    """
    removed_paths = []
    with suppress(OSError, ValueError):
        with os.scandir(folder) as entries:
            unfinished_paths = [
                Path(entry.path) for entry in entries if _UNFINISHED_FILE_NAME.fullmatch(entry.name)
            ]
        for path in unfinished_paths:
            with suppress(OSError):
                if _remove_unfinished_file(path):
                    removed_paths.append(path)
    return removed_paths


def sweep_folder_once(folder: Location) -> None:
    """Sweep a folder on this machine unless this process has swept it already."""
    if isinstance(folder, Url):
        return
    with suppress(OSError):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) not in _swept_folders:
            _swept_folders.add((status.st_dev, status.st_ino))
            sweep_folder(folder)


def _remove_unfinished_file(path: Path) -> bool:
    """Remove an unfinished file unless a process is writing it; return whether it was removed."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        return False
    if fcntl is None:
        # The time of change may be copied from another file, so the time of creation counts too.
        if time.time() - max(status.st_mtime, status.st_ctime) > _MAX_UNFINISHED_SECONDS:
            path.unlink()
            return True
        return False
    # Some network file systems lock only files that are open for writing.
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock_file(descriptor, path):
            path.unlink()
            return True
        return False
    finally:
        os.close(descriptor)


def _lock_file(descriptor: int, path: Path) -> bool | None:
    """Lock an open file; return whether that worked and the file is still at `path`.

    Returns None if the system has no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        return None


def supports_nameless_files(folder: Path) -> bool:
    """Return whether a folder supports files that get a name only when they are finished.

    Returns True if the folder is not writable: then writing raises the error.
    """
    try:
        os.close(_open_hidden_file(folder, 0o600))
    except OSError as error:
        return error.errno not in _HIDING_UNSUPPORTED_ERRORS
    return True


def _open_hidden_file(folder: Path, mode: int) -> int:
    """Open a new file without a name, and return its descriptor; `OSError` if that fails."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not os.path.isdir(_OPEN_FILES_FOLDER):
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    descriptor = os.open(folder, os.O_WRONLY | flag, mode)
    with suppress(OSError):  # a sweep must not remove the file if it is named later
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


class _UnfinishedFile:
    """An unfinished file that becomes the target; its lock keeps a sweep from removing it."""

    def __init__(self, target: Path, source_status: FileStatus, *, is_nameless: bool) -> None:
        self._target = target
        self._is_hidden = is_nameless  # whether the file has no name
        self._source_status = source_status
        self._choose_name()

    def _choose_name(self) -> None:
        # In some encrypted folders a name has at most 143 bytes, and a letter may have four.
        name = f".{self._target.name[:24]}.{secrets.token_hex(8)}{UNFINISHED_SUFFIX}"
        self.path = self._target.parent / name
        self._descriptor = -1

    def write(self, parts: Iterable[Buffer]) -> None:
        """Write all parts, and wait until they are on the disk."""
        self._open()
        for part in parts:
            unwritten_bytes = memoryview(part)
            while unwritten_bytes:  # the system may write fewer bytes than it gets
                unwritten_bytes = unwritten_bytes[os.write(self._descriptor, unwritten_bytes) :]
        self._set_time()
        flush_to_disk(self._descriptor)
        if fcntl is None:  # Windows cannot rename a file that is open
            self.close()

    def close(self) -> None:
        """Close the file, which unlocks it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def move(self, *, replace: bool) -> None:
        """Give the finished file the name of the target."""
        if not self._is_hidden:
            _name_finished_file(self.path, self._target, replace=replace)
            return
        name = self.path if replace else self._target
        try:
            # The source is a symbolic link. Python 3.11 follows it only if a descriptor of a folder
            # is given. Any descriptor will do, since the system ignores it for an absolute path.
            source = f"{_OPEN_FILES_FOLDER}/{self._descriptor}"
            os.link(source, name, src_dir_fd=self._descriptor)
        except FileExistsError:
            raise _make_exists_error(self._target) from None
        if replace:
            self._is_hidden = False  # it has a temporary name until the next line
            self.path.replace(self._target)

    def discard(self) -> None:
        """Remove the file."""
        if not self._is_hidden:
            with suppress(OSError):
                self.path.unlink()
        self.close()

    def _open(self) -> None:
        """Create the file and lock it; if a sweep removes it between these steps, begin again."""
        if self._is_hidden:  # if this fails, no file with a name is created instead
            self._descriptor = _open_hidden_file(self.path.parent, self._choose_mode())
        while not self._is_hidden:
            # The system applies the umask to the mode, since Python cannot read the umask without
            # changing it.
            self._descriptor = os.open(self.path, _CREATE_FLAGS, self._choose_mode())
            if _lock_file(self._descriptor, self.path) is not False:
                return
            self.discard()
            self._choose_name()

    def _choose_mode(self) -> int:
        """Return the permissions of the new file, before the umask is applied."""
        mode = 0o666
        for limiting_mode in (self._source_status.mode, FileStatus.from_path(self._target).mode):
            mode &= 0o666 if limiting_mode is None else limiting_mode
        return mode

    def _set_time(self) -> None:
        """Set the time of change, if the file system allows it and can store it."""
        if self._source_status.time is not None:
            target = self._descriptor if os.utime in os.supports_fd else self.path
            with suppress(OSError, OverflowError):
                os.utime(target, ns=(time.time_ns(), self._source_status.time))


def _name_finished_file(temporary_path: Path, target: Path, *, replace: bool) -> None:
    """Give the finished file its name; without `replace`, fail if the target exists."""
    if replace:
        temporary_path.replace(target)
        return
    try:
        if fcntl is None:  # on Windows, `rename` never replaces a file
            temporary_path.rename(target)
            return
        os.link(temporary_path, target)
    except FileExistsError:
        raise _make_exists_error(target) from None
    except OSError:
        # Without hard links, a file that appears between check and rename is replaced.
        require_free(target)
        temporary_path.replace(target)
    else:
        temporary_path.unlink()


def _make_write_error(path: Location, error: OSError) -> SudokucryptError:
    reason = format_reason(error)
    hint = "choose a shorter name" if error.errno == errno.ENAMETOOLONG else None
    return SudokucryptError(f"cannot write '{path}': {reason}", hint=hint)
