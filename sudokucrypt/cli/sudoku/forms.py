"""What files of grids have around these: byte order marks, comments, titles, tables."""

import codecs
import re
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from sudokucrypt.errors import InvalidGridError, format_reason
from sudokucrypt.sudoku.formats.columns import COLUMNS
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS, RULE, is_number

# Lines that are drawn with box-drawing characters, and middle dots, as ASCII has them.
RULINGS = {
    **dict.fromkeys(range(0x2500, 0x2580), "+"),
    **dict.fromkeys((0x2500, 0x2501, 0x2504, 0x2505, 0x2508, 0x2509, 0x254C, 0x254D, 0x2550), "-"),
    **dict.fromkeys((0x2502, 0x2503, 0x2506, 0x2507, 0x250A, 0x250B, 0x254E, 0x254F, 0x2551), "|"),
    0xB7: ".",
}

_ROW = re.compile(r"[0-9.*_Xx?-]{9}")
_BLANKS = re.compile(r"[\s|,;]")
_LONGEST_ROW = 80  # characters of nine cells, with much space and rules between
_RULER = "123456789"
_GRID = re.compile(r"[0-9.*_]{16,}")  # what may be a puzzle in a line
_ENCODING = re.compile(rb"<\?xml[^>]{0,99}encoding=.([A-Za-z0-9._-]{1,20})")
_BETWEEN_CELLS = re.compile(r"[,;\t]")
_BETWEEN_COLUMNS = re.compile(r"[,;]")


class NumberedLine(NamedTuple):
    """A row of text, and the number of its line in the input, from 1."""

    line: int
    text: str


def read_stored_text(path: Path | str, limit: int) -> str:
    """Return the text in a file of at most `limit` bytes, or from stdin for ``-``.

    It is UTF-8, the UTF-16 that its mark says, or what XML says of itself; `InvalidGridError` is
    raised for any other.
    """
    from sudokucrypt.storage import read_limited

    try:
        # One byte more than allowed, to see that there is more.
        data = sys.stdin.buffer.read(limit + 1) if path == "-" else read_limited(Path(path), limit)
    except OSError as error:
        reason = format_reason(error)
        raise InvalidGridError(f"cannot read '{path}': {reason}") from None
    if len(data) > limit:
        raise InvalidGridError(f"the input is larger than {limit} bytes")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    named = _ENCODING.match(data)
    encoding = "utf-16" if wide else named[1].decode() if named else "utf-8-sig"
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        raise InvalidGridError(
            f"'{path}' is not text", hint="type what a picture shows into a text file"
        ) from None


def remove_comment_lines(content: str) -> list[NumberedLine]:
    """Return all lines but those that begin with ``#``."""
    lines = enumerate(content.splitlines(), 1)
    return [NumberedLine(line, text) for line, text in lines if not text.lstrip().startswith("#")]


def remove_titles(rows: Sequence[NumberedLine]) -> list[list[NumberedLine]]:
    """Return parts of nine rows of nine symbols that have titles or rulers around them.

    Nothing is returned where there are no titles, or where one could be a puzzle too.
    """
    full = [row for row in rows if row.text.strip() and not RULE.match(row.text)]
    short = [row for row in full if len(row.text) < _LONGEST_ROW]
    cells = [row for row in short if _ROW.fullmatch(_BLANKS.sub("", row.text))]
    if len(cells) % 9 == 1 and _BLANKS.sub("", cells[0].text) == _RULER:
        cells = cells[1:]
    lines = {row.line for row in cells}
    runs = [(own, [*part]) for own, part in groupby(full, lambda row: row.line in lines)]
    if len(runs) < 2 or any(
        len(part) % 9 if own else any(_GRID.search(row.text) for row in part) for own, part in runs
    ):
        return []
    ends = [(cells[at].line, cells[at + 8].line) for at in range(0, len(cells), 9)]
    filled = [row for row in rows if row.text.strip()]
    return [[row for row in filled if first <= row.line <= last] for first, last in ends]


def split_grid_rows(rows: Sequence[NumberedLine], keys: Sequence[str]) -> list[NumberedLine]:
    """Return the lines of grids alone, with spaces between cells that had commas.

    In a table that is the column of the first of the keys, or the first column where they have no
    names.
    """
    head = next((row for row in rows if row.text.strip()), None)
    names = [name.lower() for name in _split_fields(head.text)] if head else []
    known = [name for key in (*keys, *COLUMNS) for name in COLUMNS[key] if name in names]
    column = names.index(known[0]) if known else None
    return [
        NumberedLine(row.line, _find_grid(row.text, column))
        for row in rows
        if not known or row != head
    ]


def _split_fields(text: str) -> list[str]:
    return [field.strip(" \"'") for field in _BETWEEN_CELLS.split(text)]


def _find_grid(text: str, column: int | None) -> str:
    """Return what a line has of a grid; where that is nothing, all of it, as something unknown."""
    if column is None:
        if _GRID.fullmatch(text):
            return text
        from sudokucrypt.sudoku.datasets.columns import find_puzzle

        text = find_puzzle(text)
    fields = _split_fields(text)
    if column is not None:
        cells = "".join(fields[column : column + 1])
        return cells or (text if any(fields) else "")
    if len(fields) > 2 and all(len(field) < 2 or is_number(field) for field in fields):
        return " ".join(field or OPEN_SYMBOLS[0] for field in fields)
    first = _BETWEEN_COLUMNS.split(text, 1)[0].strip("\"'")
    return first if first.strip() else text
