"""The folder behind the page: its regular files are listed and read, and new ones are written."""

from __future__ import annotations

import os
import re
import stat
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from sudokucrypt.cli.finding import DEEPEST
from sudokucrypt.errors import InvalidParameterError, SudokucryptError, reason_of
from sudokucrypt.recipes.naming import safe_name
from sudokucrypt.storage import PART_SUFFIX, can_hide, in_this_locale, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sudokucrypt.typing import Buffer

_MOST_FILES: Final = 100_000  # beyond which a page becomes slow
_MOST_LEFT: Final = 20  # what is left out and has a line of its own
_SEPARATORS = re.compile(r"[/\\]")
# Where the system opens files relative to an open folder, no link can lead out of it.
_BELOW = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe would wait


class Folder:
    """A folder whose files have numbers: nothing outside of it is read, and nothing is replaced.

    Links are left out. `path` may also be a file, which then is the only one that is listed.
    """

    def __init__(self, path: Path, *, recursive: bool = False) -> None:
        self._recursive = recursive
        try:
            place = path.resolve(strict=True)
        except OSError as error:
            raise SudokucryptError(f"cannot read '{path}': {reason_of(error)}") from None
        self._only = None if place.is_dir() else place.name
        self.root = place if self._only is None else place.parent
        self._paths: list[tuple[str, ...]] = []
        self._numbers: dict[tuple[str, ...], int] = {}
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name of the folder, as the page shows it."""
        return self.root.name or str(self.root)

    def list_files(self) -> dict[str, Any]:
        """Return number, path, size (bytes) and time (ms since 1970) of each file, and the rest.

        A file keeps its number as long as the program runs.
        """
        files: list[list[Any]] = []
        left: list[str] = []
        with self._lock:
            for parts, status in self._walk((), left):
                if len(files) == _MOST_FILES:
                    left.append(f"more than {_MOST_FILES:,} files")
                    break
                number = self._numbers.setdefault(parts, len(self._paths))
                if number == len(self._paths):
                    self._paths.append(parts)
                time = status.st_mtime_ns // 1_000_000
                files.append([number, "/".join(parts), status.st_size, time])
        if len(left) > _MOST_LEFT:
            left[_MOST_LEFT:] = [f"{len(left) - _MOST_LEFT:,} more folders"]
        return {"files": files, "left": left}

    def _walk(
        self, folder: tuple[str, ...], left: list[str]
    ) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
        """Yield each regular file below a folder, and note folders that are not entered."""
        if len(folder) > DEEPEST:
            left.append(f"'{'/'.join(folder)}': more than {DEEPEST} folders deep")
            return
        try:
            with os.scandir(self.root.joinpath(*folder)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            left.append(f"'{'/'.join(folder) or self.name}': {reason_of(error)}")
            return
        for entry in found:
            parts = (*folder, entry.name)
            if self._only not in (None, entry.name) or entry.name.endswith(PART_SUFFIX):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # it has gone
                continue
            if stat.S_ISREG(status.st_mode):
                yield parts, status
            elif stat.S_ISDIR(status.st_mode) and self._recursive:
                yield from self._walk(parts, left)
            elif stat.S_ISDIR(status.st_mode):
                left.append(f"the folder '{entry.name}': start with -r to enter it")

    def open(self, number: int) -> BinaryIO:
        """Return a listed file, opened for reading.

        Raises `SudokucryptError` if there is no such file any more, or if it is a link now.
        """
        with self._lock:
            parts = self._paths[number] if 0 <= number < len(self._paths) else None
        if parts is None:
            raise SudokucryptError("there is no such file")
        try:
            file = os.fdopen(self._descriptor(parts), "rb")
        except OSError as error:
            raise SudokucryptError(f"cannot read '{parts[-1]}': {reason_of(error)}") from None
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise SudokucryptError(f"cannot read '{parts[-1]}': it is no regular file")
        return file

    def _descriptor(self, parts: tuple[str, ...]) -> int:
        """Open a file below the folder, of which no part of the path is a link."""
        if not _BELOW:
            path = self.root.joinpath(*parts)
            if path.resolve() != path:
                raise SudokucryptError(f"cannot read '{parts[-1]}': a link leads to it")
            return os.open(path, _READ)
        folder = os.open(self.root, _READ | os.O_DIRECTORY)
        try:
            for part in parts[:-1]:
                inner = os.open(part, _READ | os.O_DIRECTORY | _NO_LINK, dir_fd=folder)
                os.close(folder)
                folder = inner
            return os.open(parts[-1], _READ | _NO_LINK, dir_fd=folder)
        finally:
            os.close(folder)

    def write(self, name: str, parts: Iterable[Buffer]) -> str:
        """Write a new file under the name that the command line would choose; return the name.

        Raises `OutputExistsError` if there is a file of this name, and `SudokucryptError` if it
        cannot be written.
        """
        last = _SEPARATORS.split(name)[-1]
        if last in ("", ".", ".."):
            raise InvalidParameterError("the file has no name")
        safe = in_this_locale(safe_name(last))
        if safe.endswith(PART_SUFFIX):  # a later run would remove it
            safe += "_"
        hidden = can_hide(self.root)
        write_atomically({self.root / safe: parts}, replace=False, hidden=hidden)
        return safe
