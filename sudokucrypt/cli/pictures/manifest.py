"""Manifests: files with one line of JSON for each finished input, flushed to disk."""

import contextlib
import json
import os
import stat
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from sudokucrypt.cli.pictures.outcomes import Outcome
from sudokucrypt.errors import FormatError, OutputExistsError, SudokucryptError, format_reason
from sudokucrypt.recipes.carriers.contract import FileReport
from sudokucrypt.storage import Location, flush_to_disk, parse_location

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

# The maximum length of a line in bytes, longer than any line of a manifest. Other files, which may
# be named by mistake, may have no line breaks at all.
_MAX_LINE_BYTES = 1 << 20
_LINE_START = b'{"source": '
_RESULT_FIELDS = ("target", "error", "mode", "source_bytes", "target_bytes", "tag")


class Manifest:
    """A file that gets a line for each finished input; use it in a `with` statement.

    It is locked against other runs. `run_id` is from `compute_run_id`; lines with another id are
    ignored. An existing manifest is continued with `resume` and overwritten with `replace`; without
    either, `OutputExistsError` is raised. Raises `FormatError` if `path` is no manifest,
    without changing the file, and `SudokucryptError` if it cannot be written.
    """

    def __init__(self, path: Path, run_id: str, *, resume: bool, replace: bool) -> None:
        self.path = path
        self._run_id = run_id
        # The offset of the last line about each input. Keys are hashes instead of names, so that
        # a million inputs take only 100 MB.
        self._offsets: dict[int, int] = {}
        try:
            # A manifest contains plain names, so only the owner of a new one may read it.
            self._file: BinaryIO = open(  # noqa: SIM115 - closed by exit
                path, "a+b", buffering=0, opener=partial(os.open, mode=0o600)
            )
        except OSError as error:
            raise self._make_write_error(error) from error
        try:
            if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
                raise self._make_write_error(OSError(0, "it is not a regular file"))
            self._lock()
            end_offset = self._read_offsets()
            if end_offset and not (resume or replace):
                raise OutputExistsError(
                    f"'{path}' exists",
                    hint="--resume goes on with the run that wrote it, --force begins a new one",
                )
            # A killed run may have left an incomplete last line.
            self._file.truncate(0 if replace else end_offset)
        except BaseException as error:
            self._file.close()
            if isinstance(error, OSError) and not isinstance(error, SudokucryptError):
                raise self._make_write_error(error) from error
            raise
        if replace:
            self._offsets.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def find_report(self, source: str) -> FileReport | None:
        """Return the report of an input if its last line is about a success, or None.

        Layers that stay covered are numbered from 1, since a line only has their count.
        """
        line_start = self._offsets.get(hash(source))
        if line_start is None:
            return None
        self._file.seek(line_start)
        line = json.loads(self._file.readline(_MAX_LINE_BYTES))
        values = line.get("target"), line.get("source_bytes"), line.get("target_bytes")
        if line["source"] != source or [type(value) for value in values] != [str, int, int]:
            return None
        if type(covered_layer_count := line.get("covered", 0)) is not int:
            return None
        return FileReport(
            shape=(),
            target=parse_location(line["target"]),
            kept=True,
            source_bytes=line["source_bytes"],
            target_bytes=line["target_bytes"],
            covered=tuple(range(1, covered_layer_count + 1)),
        )

    def write(self, outcomes: Iterable[Outcome]) -> None:
        """Append a line for each outcome that has none, and wait until they are on the disk."""
        lines = [self._format_line(outcome) for outcome in outcomes if not outcome.is_recorded]
        if not lines:
            return
        # All lines are written at once, since each wait for the disk takes long.
        unwritten_bytes = memoryview("".join(lines).encode("ascii"))
        try:
            while unwritten_bytes:
                unwritten_bytes = unwritten_bytes[self._file.write(unwritten_bytes) :]
            flush_to_disk(self._file.fileno())
        except OSError as error:
            raise self._make_write_error(error) from error

    def _format_line(self, outcome: Outcome) -> str:
        """Return the line of an outcome; without a result, its location and size are null."""
        result = outcome.result
        fields = {
            "source": outcome.source,
            **{name: getattr(result, name, None) for name in _RESULT_FIELDS},
            "seconds": outcome.seconds,
            "kept": getattr(result, "kept", False),
            "covered": len(getattr(result, "covered", ())),
            "run": self._run_id,
        }
        return json.dumps(fields, default=_format_value) + "\n"

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SudokucryptError(
                f"another run writes the manifest '{self.path}'",
                hint="give each run a manifest of its own",
            ) from None
        except OSError:  # a file system without locks
            return

    def _read_offsets(self) -> int:
        """Store the offsets of lines of this run; return where the last complete line ends."""
        self._file.seek(0)
        line_start, line_number = 0, 0
        with contextlib.closing(os.fdopen(os.dup(self._file.fileno()), "rb")) as file:
            while line := file.readline(_MAX_LINE_BYTES):
                line_number += 1
                if not line.endswith(b"\n"):
                    is_manifest_line = line.startswith(_LINE_START) or _LINE_START.startswith(line)
                    if len(line) == _MAX_LINE_BYTES or not is_manifest_line:
                        raise self._make_format_error(line_number)
                    break  # a killed process did not finish this line
                self._store_offset(line, line_start, line_number)
                line_start += len(line)
        return line_start

    def _store_offset(self, line: bytes, line_start: int, line_number: int) -> None:
        try:
            fields = json.loads(line)
            source, error, run_id = fields["source"], fields["error"], fields["run"]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise self._make_format_error(line_number) from None
        if not isinstance(source, str):
            raise self._make_format_error(line_number)
        if run_id == self._run_id and error is None:
            self._offsets[hash(source)] = line_start
        else:
            self._offsets.pop(hash(source), None)

    def _make_format_error(self, line_number: int) -> FormatError:
        return FormatError(
            f"'{self.path}' is not a manifest: line {line_number} says nothing of an input",
            hint="name another file",
        )

    def _make_write_error(self, error: OSError) -> SudokucryptError:
        reason = format_reason(error)
        return SudokucryptError(f"cannot write the manifest '{self.path}': {reason}")


def _format_value(value: bytes | Location) -> str:
    """Convert a tag to hexadecimal digits, or a location to text."""
    return value.hex() if isinstance(value, bytes) else str(value)
