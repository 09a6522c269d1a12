"""The rows of files of puzzles, read block by block however long a file is."""

import codecs
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, cast

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.datasets.columns import Pair, pair_of, row_reader
from sudokucrypt.sudoku.datasets.npy import NUMPY, ZIP, archive_pairs, array_pairs
from sudokucrypt.sudoku.formats.json_files import is_json, read_records

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
    """A row of a file: its line, from 1, and its texts, or None for what is no text."""

    line: int
    pair: Pair | None


def _block_of(rows: Iterator[Row], size: int) -> Iterator[Row]:
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
        rows = self._rows(file)
        try:
            while block := [*_block_of(rows, size)]:
                yield block
        finally:
            if file is not self._source:
                file.detach()  # else the file of the caller would be closed

    def remarks(self) -> list[str]:
        """Return what is unusual about the text, as far as it was read."""
        remarks = [*dict.fromkeys(self._notes)]
        ends = [name for end, name in _ENDS.items() if end in self._ends]
        if ends not in ([], ["LF"]):
            remarks.append(f"lines end in {' and '.join(ends)}")
        if self._blank:
            remarks.append(f"blank lines: {self._blank}, the first is line {self._first_blank}")
        if self._comments:
            remarks.append(f"lines that begin with #: {self._comments}")
        return remarks

    def _rows(self, file: "io.BufferedReader[Any]") -> Iterator[Row]:
        """Yield the rows of an array, or the lines that are neither blank nor comments."""
        start = file.peek(len(NUMPY))
        for mark, pairs in ((NUMPY, array_pairs), (ZIP, archive_pairs)):
            if start.startswith(mark):
                each = pairs(file, self._name, self._notes)
                yield from (Row(*row) for row in enumerate(each, 1))
                return
        encoding = self._encoding(start)
        if is_json(start.decode(encoding, "replace")):
            yield from self._records(file, encoding)
            return
        read = None
        for line, text in enumerate(self._lines(file, encoding), 1):
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

    def _encoding(self, start: bytes) -> str:
        """Return the encoding of a text by its first bytes, or refuse what is no text."""
        mark = next((mark for mark in _MARKS if start.startswith(mark)), None)
        encoding, note = _MARKS[mark] if mark else ("utf-8", "")
        if start.startswith(_GZIP) or "\0" in start.decode(encoding, "replace"):
            hint = "unpack it first" if start.startswith(_GZIP) else None
            raise InvalidGridError(f"'{self._name}' is not text", hint=hint)
        self._notes += [note] if note else []
        return encoding

    def _records(self, file: "io.BufferedReader[Any]", encoding: str) -> Iterator[Row]:
        """Yield the puzzles of an array of JSON, whose rows are numbers and no lines."""
        data = file.read(_LARGEST_JSON + 1)
        if len(data) > _LARGEST_JSON:
            raise InvalidGridError(
                f"'{self._name}' is an array of JSON of more than {_LARGEST_JSON >> 20} MiB",
                hint="write an object on each line, which is read line by line",
            )
        self._notes.append("the text is an array of JSON: lines are the numbers of its puzzles")
        parts = read_records(data.decode(encoding, "replace").strip())
        yield from (Row(number, pair_of(part)) for number, part in enumerate(parts, 1))

    def _lines(self, file: "io.BufferedReader[Any]", encoding: str) -> Iterator[str]:
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
