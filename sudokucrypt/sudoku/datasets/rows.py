"""The rows of files of puzzles, text or arrays of NumPy, read block by block however long."""

import codecs
import io
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice, zip_longest
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple, cast
from zipfile import BadZipFile, ZipFile

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.datasets.columns import Pair, read_record, row_reader
from sudokucrypt.sudoku.formats.columns import COLUMNS, PUZZLES
from sudokucrypt.sudoku.formats.json_files import is_json, load_json
from sudokucrypt.typing import AnyArray

NUMPY = b"\x93NUMPY"
"""The first bytes of such a file."""

ZIP = b"PK\x03\x04"
"""The first bytes of an archive."""

_CELLS = 81
_TOGETHER = 1 << 22  # bytes
_HIGHEST = 10  # of digits that are one too high
_SHAPES = ((_CELLS,), (9, 9))
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class _Layout(NamedTuple):
    """How many rows there are, of which type, and the fields of puzzle and solution."""

    rows: int
    dtype: np.dtype[np.void]
    fields: list[str | None]


def array_pairs(file: BinaryIO, name: str, notes: list[str]) -> Iterator[Pair]:
    """Yield the puzzles and solutions of an array of digits, 0 in open cells.

    It has the shape (N, 81) or (N, 9, 9), or is a record array with such fields. Where the digits
    are one too high, as in the arrays of HRM and TRM, `notes` says so. `InvalidGridError` for other
    arrays, which messages call `name`.
    """
    layout = _read_layout(file, name)
    size = max(1, _TOGETHER // layout.dtype.itemsize)
    lowest: list[int] = []
    for start in range(0, layout.rows, size):
        count = min(size, layout.rows - start)
        data = file.read(count * layout.dtype.itemsize)
        if len(data) < count * layout.dtype.itemsize:
            raise InvalidGridError(f"'{name}' ends before its last row")
        part = np.frombuffer(data, dtype=layout.dtype)
        columns = [None if field is None else part[field] for field in layout.fields]
        # The first rows decide for all: they hold a cell that is open, and a 9.
        lowest = lowest or [0 if column is None else _find_lowest(column) for column in columns]
        if start == 0 and any(lowest):
            notes.append("the digits are one too high, as HRM and TRM write them")
        yield from map(Pair, *(
            [None] * count if column is None else _format_rows(column - low)
            for column, low in zip(columns, lowest, strict=True)
        ))  # fmt: skip


def _find_lowest(digits: AnyArray) -> int:
    """Return the number of open cells: 1 where digits are 2 to 10, otherwise 0."""
    return int(bool(digits.size) and 1 <= digits.min() < digits.max() == _HIGHEST)


def archive_pairs(file: BinaryIO, name: str, notes: list[str]) -> Iterator[Pair]:
    """Yield the puzzles and solutions of arrays with known names in an archive (.npz)."""
    if not file.seekable():
        raise InvalidGridError(f"'{name}' is an archive, which is read from a file only")
    try:
        with ZipFile(file) as archive:
            members = {
                member.removesuffix(".npy").lower(): member
                for member in archive.namelist()
                if member.endswith(".npy")
            }
            names = (PUZZLES, COLUMNS["solution"])
            known = [next((members[n] for n in kind if n in members), None) for kind in names]
            if known[0] is None and len(members) == 1:
                known[0] = next(iter(members.values()))
            if known[0] is None:
                hint = "call one 'puzzles', as in np.savez" if members else "unpack it first"
                raise InvalidGridError(f"'{name}' has no array of puzzles", hint=hint)
            with ExitStack() as stack:
                files = [stack.enter_context(archive.open(one)) for one in known if one]
                parts = [array_pairs(cast("BinaryIO", one), name, notes) for one in files]
                if len(parts) == 1:
                    yield from parts[0]
                else:
                    yield from (
                        Pair(puzzle.puzzle, solution and solution.puzzle)
                        for puzzle, solution in zip_longest(*parts, fillvalue=Pair(None))
                    )
    except InvalidGridError:
        raise
    except (
        BadZipFile, zlib.error, struct.error, ValueError, KeyError, RuntimeError, EOFError, OSError,
    ) as error:  # fmt: skip
        raise InvalidGridError(f"'{name}' is a damaged archive") from error


def _read_layout(file: BinaryIO, name: str) -> _Layout:
    """Read the header."""
    try:
        shape, turned, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
        if dtype.names is None:
            dtype = np.dtype([("puzzle", dtype, shape[1:])])
    except (ValueError, KeyError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError):
        raise InvalidGridError(f"'{name}' is a damaged array") from None
    digits = {
        field: part
        for field, (part, *_) in (dtype.fields or {}).items()
        if part.shape in _SHAPES and part.base.kind in "iu"
    }
    fields = [
        next((field for field in (dtype.names or ()) if field in digits and field in names), None)
        for names in (PUZZLES, COLUMNS["solution"])
    ]
    # In Fortran order a row is not in one piece.
    rows = len(shape) > 0 and (len(shape) == 1 or not turned)
    if not rows or fields[0] is None or dtype.itemsize > _TOGETHER:
        raise InvalidGridError(
            f"'{name}' is no array of puzzles",
            hint="one has the shape (N, 81), or is a record array with fields of this shape",
        )
    return _Layout(shape[0], dtype, fields)


def _format_rows(digits: AnyArray) -> list[str]:
    """Write rows of digits as lines, with ? for what is not a digit."""
    cells = digits.reshape(-1, _CELLS)
    symbols = np.where((cells >= 0) & (cells <= 9), cells + ord("0"), ord("?")).astype(np.uint8)
    text = symbols.tobytes().decode("ascii")
    return [text[start : start + _CELLS] for start in range(0, len(text), _CELLS)]


# Characters of a line; those with all steps of a solution have some ten thousand.
_LONGEST = 1 << 20
_HEAVIEST = 1 << 24  # characters of the puzzles and solutions of a block
_MARKS = {  # by their first bytes: what reads the text, and what it is called
    codecs.BOM_UTF8: ("utf-8-sig", "the text begins with a byte order mark"),
    codecs.BOM_UTF16_LE: ("utf-16", "the text is in UTF-16"),
    codecs.BOM_UTF16_BE: ("utf-16", "the text is in UTF-16"),
}
_LARGEST_JSON = 1 << 28  # bytes of an array, which is read as a whole
_GZIP = b"\x1f\x8b"
_ENDS = {"\n": "LF", "\r\n": "CR LF", "\r": "CR"}
_REPLACED = "\ufffd"  # in place of bytes that are no text


class Row(NamedTuple):
    """A row of a file: its line, from 1, and its texts, or None for what is not a text."""

    line: int
    pair: Pair | None


def _read_block(rows: Iterator[Row], size: int) -> Iterator[Row]:
    """Yield the next rows of a block, which are fewer where their texts are long."""
    weight = 0
    for row in islice(rows, size):
        yield row
        weight += sum(map(len, filter(None, row.pair or ())))
        if weight > _HEAVIEST:
            return


class PuzzleFile:
    """A file of puzzles: text with one on each line, a table, JSON, or arrays of NumPy.

    `file` is at its start, and errors call it by its `name`.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._source = file
        self._name = name
        self._notes: list[str] = []
        self._blank = self._first_blank = self._comments = 0
        self._ends: Counter[str] = Counter()

    def blocks(self, size: int) -> Iterator[list[Row]]:
        """Yield the rows, `size` at a time; `InvalidGridError` for what is no such file."""
        file = self._source
        if not isinstance(file, io.BufferedReader):
            file = io.BufferedReader(cast("io.RawIOBase", file))
        rows = self._iterate_rows(file)
        try:
            while block := [*_read_block(rows, size)]:
                yield block
        finally:
            if file is not self._source:
                file.detach()  # else the file of the caller would be closed

    def remarks(self) -> list[str]:
        """Return remarks on unusual text, as far as it was read."""
        remarks = [*dict.fromkeys(self._notes)]
        ends = [name for end, name in _ENDS.items() if end in self._ends]
        if ends not in ([], ["LF"]):
            remarks.append(f"lines end in {' and '.join(ends)}")
        if self._blank:
            remarks.append(f"blank lines: {self._blank}, the first is line {self._first_blank}")
        if self._comments:
            remarks.append(f"lines that begin with #: {self._comments}")
        return remarks

    def _iterate_rows(self, file: "io.BufferedReader[Any]") -> Iterator[Row]:
        """Yield the rows of an array, or the lines that are neither blank nor comments."""
        start = file.peek(len(NUMPY))
        for mark, pairs in ((NUMPY, array_pairs), (ZIP, archive_pairs)):
            if start.startswith(mark):
                each = pairs(file, self._name, self._notes)
                yield from (Row(*row) for row in enumerate(each, 1))
                return
        encoding = self._detect_encoding(start)
        if is_json(start.decode(encoding, "replace")):
            yield from self._iterate_records(file, encoding)
            return
        read = None
        for line, text in enumerate(self._iterate_lines(file, encoding), 1):
            content = text.strip()
            if not content:
                self._blank += 1
                self._first_blank = self._first_blank or line
            elif content.startswith("#"):
                self._comments += 1
            elif len(text) > _LONGEST or _REPLACED in text:
                yield Row(line, None)
            elif read is not None:
                yield Row(line, read(content))
            else:
                read, named = row_reader(content)
                if named:
                    self._notes.append(f"line {line} names the columns")
                else:
                    yield Row(line, read(content))

    def _detect_encoding(self, start: bytes) -> str:
        """Return the encoding of a text by its first bytes, or refuse what is not a text."""
        mark = next((mark for mark in _MARKS if start.startswith(mark)), None)
        encoding, note = _MARKS[mark] if mark else ("utf-8", "")
        if start.startswith(_GZIP) or "\0" in start.decode(encoding, "replace"):
            hint = "unpack it first" if start.startswith(_GZIP) else None
            raise InvalidGridError(f"'{self._name}' is not text", hint=hint)
        self._notes += [note] if note else []
        return encoding

    def _iterate_records(self, file: "io.BufferedReader[Any]", encoding: str) -> Iterator[Row]:
        """Yield the puzzles of an array of JSON, whose rows are numbers and no lines."""
        data = file.read(_LARGEST_JSON + 1)
        if len(data) > _LARGEST_JSON:
            raise InvalidGridError(
                f"'{self._name}' is an array of JSON of more than {_LARGEST_JSON >> 20} MiB",
                hint="write an object on each line, which is read line by line",
            )
        self._notes.append("the text is an array of JSON: lines are the numbers of its puzzles")
        parts = load_json(data.decode(encoding, "replace").strip())
        yield from (Row(number, read_record(part)) for number, (_, part) in enumerate(parts, 1))

    def _iterate_lines(self, file: "io.BufferedReader[Any]", encoding: str) -> Iterator[str]:
        """Yield the lines; of one that is too long only its start and one character more."""
        # Line ends stay as they are, to be counted.
        reader = io.TextIOWrapper(file, encoding, errors="replace", newline="")
        try:
            while text := reader.readline(_LONGEST + 1):
                content = text.rstrip("\r\n")
                rest = text
                while len(rest) > _LONGEST and rest[-1] not in "\r\n":
                    rest = reader.readline(_LONGEST + 1)
                self._ends[text[len(content) :][-2:]] += 1
                yield content if len(text) <= _LONGEST else text
        finally:
            reader.detach()
