"""The folder that the page works on: list and read its regular files, and write new ones."""

from __future__ import annotations

import os
import re
import stat
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from sudokucrypt.cli.finding import MAX_DEPTH
from sudokucrypt.errors import InvalidParameterError, SudokucryptError, format_reason
from sudokucrypt.recipes.naming import make_safe_name
from sudokucrypt.storage import (
    UNFINISHED_SUFFIX,
    decode_in_this_locale,
    supports_nameless_files,
    write_atomically,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sudokucrypt.typing import Buffer

_MAX_FILES: Final = 100_000  # with more files, the page becomes slow
_MAX_SKIPPED_NOTES: Final = 20  # skipped folders that are listed; the others are only counted
_SEPARATOR_PATTERN = re.compile(r"[/\\]")
# Whether the system can open files relative to an open folder, so that no link leads out of it.
_CAN_OPEN_RELATIVELY = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_NO_LINK_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(
    os, "O_NONBLOCK", 0
)  # opening must not wait for a pipe


class Folder:
    """A folder whose files have numbers; only files in it are read, and none is replaced.

    Links are skipped. If `path` is a file, only this file of its folder is listed.
    """

    def __init__(self, path: Path, *, recursive: bool = False) -> None:
        self._is_recursive = recursive
        try:
            resolved_path = path.resolve(strict=True)
        except OSError as error:
            raise SudokucryptError(f"cannot read '{path}': {format_reason(error)}") from None
        self._single_file_name = None if resolved_path.is_dir() else resolved_path.name
        self.root = resolved_path if self._single_file_name is None else resolved_path.parent
        self._paths: list[tuple[str, ...]] = []
        self._numbers_by_path: dict[tuple[str, ...], int] = {}
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name of the folder that the page shows."""
        return self.root.name or str(self.root)

    def list_files(self) -> dict[str, Any]:
        """Return number, path, size (bytes) and time (ms since 1970) of each file.

        The list "left" describes skipped folders. A file keeps its number as long as the program
        runs.
        """
        files: list[list[Any]] = []
        skipped_notes: list[str] = []
        with self._lock:
            for names, status in self._walk((), skipped_notes):
                if len(files) == _MAX_FILES:
                    skipped_notes.append(f"more than {_MAX_FILES:,} files")
                    break
                number = self._numbers_by_path.setdefault(names, len(self._paths))
                if number == len(self._paths):
                    self._paths.append(names)
                modification_time = status.st_mtime_ns // 1_000_000
                files.append([number, "/".join(names), status.st_size, modification_time])
        if len(skipped_notes) > _MAX_SKIPPED_NOTES:
            skipped_notes[_MAX_SKIPPED_NOTES:] = [
                f"{len(skipped_notes) - _MAX_SKIPPED_NOTES:,} more folders"
            ]
        return {"files": files, "left": skipped_notes}

    def _walk(
        self, folder: tuple[str, ...], skipped_notes: list[str]
    ) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
        """Yield each regular file below a folder; append unread folders to `skipped_notes`."""
        if len(folder) > MAX_DEPTH:
            skipped_notes.append(f"'{'/'.join(folder)}': more than {MAX_DEPTH} folders deep")
            return
        try:
            with os.scandir(self.root.joinpath(*folder)) as entries:
                sorted_entries = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            skipped_notes.append(f"'{'/'.join(folder) or self.name}': {format_reason(error)}")
            return
        for entry in sorted_entries:
            names = (*folder, entry.name)
            if self._single_file_name not in (None, entry.name) or entry.name.endswith(
                UNFINISHED_SUFFIX
            ):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # the file was removed
                continue
            if stat.S_ISREG(status.st_mode):
                yield names, status
            elif stat.S_ISDIR(status.st_mode) and self._is_recursive:
                yield from self._walk(names, skipped_notes)
            elif stat.S_ISDIR(status.st_mode):
                skipped_notes.append(f"the folder '{entry.name}': start with -r to enter it")

    def open(self, number: int) -> BinaryIO:
        """Open a listed file for reading.

        Raises `SudokucryptError` if the file was removed, or was replaced by a link.
        """
        with self._lock:
            names = self._paths[number] if 0 <= number < len(self._paths) else None
        if names is None:
            raise SudokucryptError("there is no such file")
        try:
            file = os.fdopen(self._open_descriptor(names), "rb")
        except OSError as error:
            raise SudokucryptError(f"cannot read '{names[-1]}': {format_reason(error)}") from None
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise SudokucryptError(f"cannot read '{names[-1]}': it is no regular file")
        return file

    def _open_descriptor(self, names: tuple[str, ...]) -> int:
        """Open a file below the folder; raise an error if any part of its path is a link."""
        if not _CAN_OPEN_RELATIVELY:
            path = self.root.joinpath(*names)
            if path.resolve() != path:
                raise SudokucryptError(f"cannot read '{names[-1]}': a link leads to it")
            return os.open(path, _READ_FLAGS)
        folder = os.open(self.root, _READ_FLAGS | os.O_DIRECTORY)
        try:
            for folder_name in names[:-1]:
                subfolder_descriptor = os.open(
                    folder_name, _READ_FLAGS | os.O_DIRECTORY | _NO_LINK_FLAGS, dir_fd=folder
                )
                os.close(folder)
                folder = subfolder_descriptor
            return os.open(names[-1], _READ_FLAGS | _NO_LINK_FLAGS, dir_fd=folder)
        finally:
            os.close(folder)

    def write(self, name: str, pieces: Iterable[Buffer]) -> str:
        """Write a new file, with unsafe characters of its name replaced; return its name.

        Raises `OutputExistsError` if a file of this name exists, and `SudokucryptError` if the
        file cannot be written.
        """
        file_name = _SEPARATOR_PATTERN.split(name)[-1]
        if file_name in ("", ".", ".."):
            raise InvalidParameterError("the file has no name")
        new_name = decode_in_this_locale(make_safe_name(file_name))
        if new_name.endswith(UNFINISHED_SUFFIX):  # a later run would remove a file with this suffix
            new_name += "_"
        hides_part_file = supports_nameless_files(self.root)
        write_atomically({self.root / new_name: pieces}, replace=False, is_nameless=hides_part_file)
        return new_name
