"""Read the rows of files of puzzles, text or NumPy arrays of any size, block by block."""

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
from sudokucrypt.sudoku.datasets.columns import PuzzlePair, make_row_reader, read_record
from sudokucrypt.sudoku.formats.columns import COLUMNS, PUZZLE_NAMES
from sudokucrypt.sudoku.formats.json_files import is_json, load_json_puzzles
from sudokucrypt.typing import AnyArray

NUMPY_MAGIC = b"\x93NUMPY"
"""The first bytes of a file with a NumPy array."""

ZIP_MAGIC = b"PK\x03\x04"
"""The first bytes of a ZIP archive."""

_CELL_COUNT = 81
_READ_SIZE = 1 << 22  # bytes of an array that are read at a time
_HIGHEST_SHIFTED_DIGIT = 10  # the highest digit in arrays whose digits are one too high
_ROW_SHAPES = ((_CELL_COUNT,), (9, 9))
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class _Layout(NamedTuple):
    """The layout of an array: the number and type of rows, the fields of puzzle and solution."""

    rows: int
    dtype: np.dtype[np.void]
    fields: list[str | None]


def iterate_array_pairs(file: BinaryIO, name: str, notes: list[str]) -> Iterator[PuzzlePair]:
    """Yield the puzzles and solutions of an array of digits, 0 in open cells.

    The array has the shape (N, 81) or (N, 9, 9), or is a record array with such fields. If its
    digits are one too high, as in the arrays of HRM and TRM, a remark is added to `notes`. Raises
    `InvalidGridError` for other arrays; `name` is the name of the file in messages.
    """
    layout = _read_layout(file, name)
    rows_per_read = max(1, _READ_SIZE // layout.dtype.itemsize)
    lowest_digits: list[int] = []
    for start in range(0, layout.rows, rows_per_read):
        count = min(rows_per_read, layout.rows - start)
        row_bytes = file.read(count * layout.dtype.itemsize)
        if len(row_bytes) < count * layout.dtype.itemsize:
            raise InvalidGridError(f"'{name}' ends before its last row")
        rows = np.frombuffer(row_bytes, dtype=layout.dtype)
        columns = [None if field is None else rows[field] for field in layout.fields]
        # The first rows show whether all digits are one too high: they have open cells and nines.
        lowest_digits = lowest_digits or [
            0 if column is None else _find_open_value(column) for column in columns
        ]
        if start == 0 and any(lowest_digits):
            notes.append("the digits are one too high, as HRM and TRM write them")
        yield from map(PuzzlePair, *(
            [None] * count if column is None else _format_rows(column - lowest_digit)
            for column, lowest_digit in zip(columns, lowest_digits, strict=True)
        ))  # fmt: skip


def _find_open_value(digits: AnyArray) -> int:
    """Return the value of open cells: 1 if digits are 2 to 10, otherwise 0."""
    return int(bool(digits.size) and 1 <= digits.min() < digits.max() == _HIGHEST_SHIFTED_DIGIT)


def iterate_archive_pairs(file: BinaryIO, name: str, notes: list[str]) -> Iterator[PuzzlePair]:
    """Yield the puzzles and solutions of arrays with known names in an archive (.npz)."""
    if not file.seekable():
        raise InvalidGridError(f"'{name}' is an archive, which cannot be read from a pipe")
    try:
        with ZipFile(file) as archive:
            members = {
                member.removesuffix(".npy").lower(): member
                for member in archive.namelist()
                if member.endswith(".npy")
            }
            names = (PUZZLE_NAMES, COLUMNS["solution"])
            known_members = [
                next((members[n] for n in kind if n in members), None) for kind in names
            ]
            if known_members[0] is None and len(members) == 1:
                known_members[0] = next(iter(members.values()))
            if known_members[0] is None:
                hint = "call one 'puzzles', as in np.savez" if members else "unpack it first"
                raise InvalidGridError(f"'{name}' has no array of puzzles", hint=hint)
            with ExitStack() as stack:
                files = [
                    stack.enter_context(archive.open(member)) for member in known_members if member
                ]
                pair_iterators = [
                    iterate_array_pairs(cast("BinaryIO", opened_file), name, notes)
                    for opened_file in files
                ]
                if len(pair_iterators) == 1:
                    yield from pair_iterators[0]
                else:
                    yield from (
                        PuzzlePair(puzzle.puzzle, solution and solution.puzzle)
                        for puzzle, solution in zip_longest(
                            *pair_iterators, fillvalue=PuzzlePair(None)
                        )
                    )
    except InvalidGridError:
        raise
    except (
        BadZipFile, zlib.error, struct.error, ValueError, KeyError, RuntimeError, EOFError, OSError,
    ) as error:  # fmt: skip
        raise InvalidGridError(f"'{name}' is a damaged archive") from error


def _read_layout(file: BinaryIO, name: str) -> _Layout:
    """Return the layout of the array from its header."""
    try:
        shape, fortran_order, dtype = _HEADER_READERS[np.lib.format.read_magic(file)](file)
        if dtype.names is None:
            dtype = np.dtype([("puzzle", dtype, shape[1:])])
    except (ValueError, KeyError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError):
        raise InvalidGridError(f"'{name}' is a damaged array") from None
    grid_fields = {
        field: field_type
        for field, (field_type, *_) in (dtype.fields or {}).items()
        if field_type.shape in _ROW_SHAPES and field_type.base.kind in "iu"
    }
    fields = [
        next(
            (field for field in (dtype.names or ()) if field in grid_fields and field in names),
            None,
        )
        for names in (PUZZLE_NAMES, COLUMNS["solution"])
    ]
    # In Fortran order the cells of a row are not contiguous.
    has_contiguous_rows = len(shape) > 0 and (len(shape) == 1 or not fortran_order)
    if not has_contiguous_rows or fields[0] is None or dtype.itemsize > _READ_SIZE:
        raise InvalidGridError(
            f"'{name}' is no array of puzzles",
            hint="one has the shape (N, 81), or is a record array with fields of this shape",
        )
    return _Layout(shape[0], dtype, fields)


def _format_rows(digits: AnyArray) -> list[str]:
    """Return rows of digits as lines of text, with ? for other numbers."""
    cells = digits.reshape(-1, _CELL_COUNT)
    symbols = np.where((cells >= 0) & (cells <= 9), cells + ord("0"), ord("?")).astype(np.uint8)
    text = symbols.tobytes().decode("ascii")
    return [text[start : start + _CELL_COUNT] for start in range(0, len(text), _CELL_COUNT)]


# The largest number of characters of a line; a line with all steps of a solution has about 10,000.
_MAX_LINE_LENGTH = 1 << 20
# The largest number of characters of the puzzles and solutions of a block.
_MAX_BLOCK_LENGTH = 1 << 24
_BYTE_ORDER_MARKS = {  # for each byte order mark: the encoding, and a remark
    codecs.BOM_UTF8: ("utf-8-sig", "the text begins with a byte order mark"),
    codecs.BOM_UTF16_LE: ("utf-16", "the text is in UTF-16"),
    codecs.BOM_UTF16_BE: ("utf-16", "the text is in UTF-16"),
}
_MAX_JSON_SIZE = 1 << 28  # the largest number of bytes of a JSON array, which is read as a whole
_GZIP_MAGIC = b"\x1f\x8b"
_LINE_END_NAMES = {"\n": "LF", "\r\n": "CR LF", "\r": "CR"}
_REPLACEMENT_CHARACTER = "\ufffd"  # replaces bytes that are not text


class Row(NamedTuple):
    """A row of a file: its line number, from 1, and its puzzle pair, or None if it is not text."""

    line: int
    pair: PuzzlePair | None


def _read_block(rows: Iterator[Row], size: int) -> Iterator[Row]:
    """Yield the next rows of a block: at most `size`, and fewer if their texts are long."""
    character_count = 0
    for row in islice(rows, size):
        yield row
        character_count += sum(map(len, filter(None, row.pair or ())))
        if character_count > _MAX_BLOCK_LENGTH:
            return


class PuzzleFile:
    """A file of puzzles: text with one on each line, a table, JSON, or arrays of NumPy.

    `file` must be at its start; `name` is its name in error messages.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._source = file
        self._name = name
        self._notes: list[str] = []
        self._blank_line_count = self._first_blank_line = self._comment_line_count = 0
        self._line_ends: Counter[str] = Counter()

    def blocks(self, size: int) -> Iterator[list[Row]]:
        """Yield blocks of at most `size` rows; raise `InvalidGridError` for unsupported files."""
        file = self._source
        if not isinstance(file, io.BufferedReader):
            file = io.BufferedReader(cast("io.RawIOBase", file))
        rows = self._iterate_rows(file)
        try:
            while block := [*_read_block(rows, size)]:
                yield block
        finally:
            if file is not self._source:
                file.detach()  # otherwise the file of the caller would be closed

    def remarks(self) -> list[str]:
        """Return remarks on unusual text in the part of the file that was read."""
        remarks = [*dict.fromkeys(self._notes)]
        line_end_names = [name for end, name in _LINE_END_NAMES.items() if end in self._line_ends]
        if line_end_names not in ([], ["LF"]):
            remarks.append(f"lines end in {' and '.join(line_end_names)}")
        if self._blank_line_count:
            remarks.append(
                f"blank lines: {self._blank_line_count}, the first is line {self._first_blank_line}"
            )
        if self._comment_line_count:
            remarks.append(f"lines that begin with #: {self._comment_line_count}")
        return remarks

    def _iterate_rows(self, file: "io.BufferedReader[Any]") -> Iterator[Row]:
        """Yield the rows of an array, or the lines except blank lines and comments."""
        first_bytes = file.peek(len(NUMPY_MAGIC))
        for signature, pairs in (
            (NUMPY_MAGIC, iterate_array_pairs),
            (ZIP_MAGIC, iterate_archive_pairs),
        ):
            if first_bytes.startswith(signature):
                puzzle_pairs = pairs(file, self._name, self._notes)
                yield from (Row(*row) for row in enumerate(puzzle_pairs, 1))
                return
        encoding = self._detect_encoding(first_bytes)
        if is_json(first_bytes.decode(encoding, "replace")):
            yield from self._iterate_records(file, encoding)
            return
        read_row = None
        for line, text in enumerate(self._iterate_lines(file, encoding), 1):
            content = text.strip()
            if not content:
                self._blank_line_count += 1
                self._first_blank_line = self._first_blank_line or line
            elif content.startswith("#"):
                self._comment_line_count += 1
            elif len(text) > _MAX_LINE_LENGTH or _REPLACEMENT_CHARACTER in text:
                yield Row(line, None)
            elif read_row is not None:
                yield Row(line, read_row(content))
            else:
                read_row, is_header_row = make_row_reader(content)
                if is_header_row:
                    self._notes.append(f"line {line} names the columns")
                else:
                    yield Row(line, read_row(content))

    def _detect_encoding(self, first_bytes: bytes) -> str:
        """Detect the encoding from the first bytes; raise an error if the file is not text."""
        byte_order_mark = next(
            (
                byte_order_mark
                for byte_order_mark in _BYTE_ORDER_MARKS
                if first_bytes.startswith(byte_order_mark)
            ),
            None,
        )
        encoding, note = _BYTE_ORDER_MARKS[byte_order_mark] if byte_order_mark else ("utf-8", "")
        if first_bytes.startswith(_GZIP_MAGIC) or "\0" in first_bytes.decode(encoding, "replace"):
            hint = "unpack it first" if first_bytes.startswith(_GZIP_MAGIC) else None
            raise InvalidGridError(f"'{self._name}' is not text", hint=hint)
        self._notes += [note] if note else []
        return encoding

    def _iterate_records(self, file: "io.BufferedReader[Any]", encoding: str) -> Iterator[Row]:
        """Yield the puzzles of a JSON array, with the number of the puzzle as the line."""
        json_bytes = file.read(_MAX_JSON_SIZE + 1)
        if len(json_bytes) > _MAX_JSON_SIZE:
            raise InvalidGridError(
                f"'{self._name}' is an array of JSON of more than {_MAX_JSON_SIZE >> 20} MiB",
                hint="write an object on each line, which is read line by line",
            )
        self._notes.append("the text is an array of JSON: lines are the numbers of its puzzles")
        records = load_json_puzzles(json_bytes.decode(encoding, "replace").strip())
        yield from (
            Row(number, read_record(record)) for number, (_, record) in enumerate(records, 1)
        )

    def _iterate_lines(self, file: "io.BufferedReader[Any]", encoding: str) -> Iterator[str]:
        """Yield the lines; a line that is too long is cut to one character more than allowed."""
        # Line ends are not translated, so that their kinds can be counted.
        reader = io.TextIOWrapper(file, encoding, errors="replace", newline="")
        try:
            while text := reader.readline(_MAX_LINE_LENGTH + 1):
                content = text.rstrip("\r\n")
                ending = text
                while len(ending) > _MAX_LINE_LENGTH and ending[-1] not in "\r\n":
                    ending = reader.readline(_MAX_LINE_LENGTH + 1)
                self._line_ends[text[len(content) :][-2:]] += 1
                yield content if len(text) <= _MAX_LINE_LENGTH else text
        finally:
            reader.detach()
