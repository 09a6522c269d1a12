"""What files of grids have around these: byte order marks, comments, sections, tables, JSON."""

import codecs
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from sudokucrypt.errors import InvalidGridError, reason_of
from sudokucrypt.storage import read_limited
from sudokucrypt.sudoku.datasets.columns import COLUMNS
from sudokucrypt.sudoku.formats import puzzle_in
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS, is_number

# Lines that are drawn with box-drawing characters, and middle dots, as ASCII has them.
RULINGS = {
    **dict.fromkeys(range(0x2500, 0x2580), "+"),
    **dict.fromkeys((0x2500, 0x2501, 0x2504, 0x2505, 0x2508, 0x2509, 0x254C, 0x254D, 0x2550), "-"),
    **dict.fromkeys((0x2502, 0x2503, 0x2506, 0x2507, 0x250A, 0x250B, 0x254E, 0x254F, 0x2551), "|"),
    0xB7: ".",
}

_DECODER = json.JSONDecoder()
_NOT_BLANK = re.compile(r"\S")
_SECTION = re.compile(r"\s*\[([A-Za-z ]+)\]\s*")
_BETWEEN_CELLS = re.compile(r"[,;\t]")
_BETWEEN_COLUMNS = re.compile(r"[,;]")


class NumberedLine(NamedTuple):
    """A row of text, and the number of its line in the input, from 1."""

    line: int
    text: str


def stored_text(path: Path | str, limit: int) -> str:
    """Return the text in a file of at most `limit` bytes, or from stdin for ``-``.

    It is UTF-8, or the UTF-16 that its mark says; `InvalidGridError` is raised for any other.
    """
    try:
        # One byte more than allowed, to see that there is more.
        data = sys.stdin.buffer.read(limit + 1) if path == "-" else read_limited(Path(path), limit)
    except OSError as error:
        reason = reason_of(error)
        raise InvalidGridError(f"cannot read '{path}': {reason}") from None
    if len(data) > limit:
        raise InvalidGridError(f"the input is larger than {limit} bytes")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidGridError(
            f"'{path}' is not text", hint="type what a picture shows into a text file"
        ) from None


def rows_of(content: str) -> list[NumberedLine]:
    """Return all lines but those that begin with ``#``."""
    lines = enumerate(content.splitlines(), 1)
    return [NumberedLine(line, text) for line, text in lines if not text.lstrip().startswith("#")]


def objects(rows: Sequence[NumberedLine]) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the JSON objects that follow each other, and the numbers of their first lines.

    What is no object comes as None, once for all up to the next line that begins with one.
    """
    starts = [at for at, row in enumerate(rows) if at and row.text.startswith("{")]
    for start, stop in pairwise([0, *starts, len(rows)]):
        content = "\n".join(row.text for row in rows[start:stop])
        end = line = begin = 0
        while match := _NOT_BLANK.search(content, end):
            line += content.count("\n", begin, match.start())
            begin = match.start()
            try:
                fields, end = _DECODER.raw_decode(content, begin)
            except (ValueError, RecursionError):
                fields, end = None, len(content)
            yield rows[start + line].line, fields if isinstance(fields, dict) else None


def rows_of_grids(rows: Sequence[NumberedLine], keys: Sequence[str]) -> list[NumberedLine]:
    """Return the lines of grids alone, with spaces between cells that had commas.

    That is what stands under ``[Puzzle]`` where there are sections, and in a table the column of
    the first of the keys, or the first column where they have no names.
    """
    if any(_SECTION.fullmatch(row.text) for row in rows):
        rows = list(_puzzle_section(rows))
    head = next((row for row in rows if row.text.strip()), None)
    names = [name.lower() for name in _fields(head.text)] if head else []
    known = [name for key in (*keys, *COLUMNS) for name in COLUMNS[key] if name in names]
    column = names.index(known[0]) if known else None
    return [
        NumberedLine(row.line, _grid_of(row.text, column))
        for row in rows
        if not known or row != head
    ]


def _puzzle_section(rows: Sequence[NumberedLine]) -> Iterator[NumberedLine]:
    """Yield the lines of each section of this name, and blank lines between."""
    inside = False
    for row in rows:
        if section := _SECTION.fullmatch(row.text):
            inside = section[1].strip().lower() == "puzzle"
            yield NumberedLine(row.line, "")
        elif inside:
            yield row


def _fields(text: str) -> list[str]:
    return [field.strip(" \"'") for field in _BETWEEN_CELLS.split(text)]


def _grid_of(text: str, column: int | None) -> str:
    """Return what a line has of a grid; where that is nothing, all of it, as something unknown."""
    text = puzzle_in(text) if column is None else text
    fields = _fields(text)
    if column is not None:
        cells = "".join(fields[column : column + 1])
        return cells or (text if any(fields) else "")
    if len(fields) > 2 and all(len(field) < 2 or is_number(field) for field in fields):
        return " ".join(field or OPEN_SYMBOLS[0] for field in fields)
    first = _BETWEEN_COLUMNS.split(text, 1)[0].strip("\"'")
    return first if first.strip() else text
