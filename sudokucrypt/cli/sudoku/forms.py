"""Read files with grids: decode text, and remove comments, titles and columns of tables."""

import codecs
import re
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from sudokucrypt.errors import InvalidGridError, format_reason
from sudokucrypt.sudoku.formats.columns import COLUMNS
from sudokucrypt.sudoku.model.text import BORDER_LINE, OPEN_SYMBOLS, is_number

# A translation of box-drawing characters and middle dots to ASCII.
RULING_TRANSLATION = {
    **dict.fromkeys(range(0x2500, 0x2580), "+"),
    **dict.fromkeys((0x2500, 0x2501, 0x2504, 0x2505, 0x2508, 0x2509, 0x254C, 0x254D, 0x2550), "-"),
    **dict.fromkeys((0x2502, 0x2503, 0x2506, 0x2507, 0x250A, 0x250B, 0x254E, 0x254F, 0x2551), "|"),
    0xB7: ".",
}

_ROW_PATTERN = re.compile(r"[0-9.*_Xx?-]{9}")
_BLANK_PATTERN = re.compile(r"[\s|,;]")
_MAX_ROW_LENGTH = 80  # maximum length of a row of nine cells with spaces and lines between cells
_RULER = "123456789"
_GRID_PATTERN = re.compile(r"[0-9.*_]{16,}")  # a puzzle in line form
_XML_ENCODING_PATTERN = re.compile(rb"<\?xml[^>]{0,99}encoding=.([A-Za-z0-9._-]{1,20})")
_CELL_SEPARATOR_PATTERN = re.compile(r"[,;\t]")
_COLUMN_SEPARATOR_PATTERN = re.compile(r"[,;]")


class NumberedLine(NamedTuple):
    """A row of text, and the number of its line in the input, from 1."""

    line: int
    text: str


def read_stored_text(path: Path | str, limit: int) -> str:
    """Return the text in a file of at most `limit` bytes, or from stdin for ``-``.

    The encoding is UTF-16 if the file has its byte order mark, otherwise the encoding that XML
    declares, otherwise UTF-8. Raises `InvalidGridError` if the file cannot be decoded.
    """
    from sudokucrypt.storage import read_limited_file

    try:
        # One byte more than allowed, to notice an input that is too large.
        data = (
            sys.stdin.buffer.read(limit + 1)
            if path == "-"
            else read_limited_file(Path(path), limit)
        )
    except OSError as error:
        reason = format_reason(error)
        raise InvalidGridError(f"cannot read '{path}': {reason}") from None
    if len(data) > limit:
        raise InvalidGridError(f"the input is larger than {limit} bytes")
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    xml_match = _XML_ENCODING_PATTERN.match(data)
    encoding = "utf-16" if is_utf16 else xml_match[1].decode() if xml_match else "utf-8-sig"
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        raise InvalidGridError(
            f"'{path}' is not text",
            hint="if it is a picture of a puzzle, type the puzzle into a text file",
        ) from None


def remove_comment_lines(content: str) -> list[NumberedLine]:
    """Return all lines except those that begin with ``#``."""
    lines = enumerate(content.splitlines(), 1)
    return [NumberedLine(line, text) for line, text in lines if not text.lstrip().startswith("#")]


def split_titled_grids(rows: Sequence[NumberedLine]) -> list[list[NumberedLine]]:
    """Return the rows of each 9x9 grid in a text with titles or rulers between the grids.

    An empty list is returned if there are no titles, or if a title could be a puzzle itself.
    """
    content_rows = [row for row in rows if row.text.strip() and not BORDER_LINE.match(row.text)]
    short_rows = [row for row in content_rows if len(row.text) < _MAX_ROW_LENGTH]
    grid_rows = [
        row for row in short_rows if _ROW_PATTERN.fullmatch(_BLANK_PATTERN.sub("", row.text))
    ]
    if len(grid_rows) % 9 == 1 and _BLANK_PATTERN.sub("", grid_rows[0].text) == _RULER:
        grid_rows = grid_rows[1:]
    grid_line_numbers = {row.line for row in grid_rows}
    groups = [
        (is_grid, [*group])
        for is_grid, group in groupby(content_rows, lambda row: row.line in grid_line_numbers)
    ]
    if len(groups) < 2 or any(
        len(group) % 9 if is_grid else any(_GRID_PATTERN.search(row.text) for row in group)
        for is_grid, group in groups
    ):
        return []
    line_spans = [
        (grid_rows[start].line, grid_rows[start + 8].line) for start in range(0, len(grid_rows), 9)
    ]
    filled_rows = [row for row in rows if row.text.strip()]
    return [[row for row in filled_rows if first <= row.line <= last] for first, last in line_spans]


def extract_grid_rows(rows: Sequence[NumberedLine], keys: Sequence[str]) -> list[NumberedLine]:
    """Return the lines that contain grids, with spaces in place of commas between cells.

    Of a table only one column is returned: the first that has a name in `keys`, or the first
    column if there are no names.
    """
    header = next((row for row in rows if row.text.strip()), None)
    names = [name.lower() for name in _split_fields(header.text)] if header else []
    known_names = [name for key in (*keys, *COLUMNS) for name in COLUMNS[key] if name in names]
    column = names.index(known_names[0]) if known_names else None
    return [
        NumberedLine(row.line, _find_grid(row.text, column))
        for row in rows
        if not known_names or row != header
    ]


def _split_fields(text: str) -> list[str]:
    return [field.strip(" \"'") for field in _CELL_SEPARATOR_PATTERN.split(text)]


def _find_grid(text: str, column: int | None) -> str:
    """Return the part of a line that is a grid, or the complete line if no part is a grid."""
    if column is None:
        if _GRID_PATTERN.fullmatch(text):
            return text
        from sudokucrypt.sudoku.datasets.columns import find_puzzle

        text = find_puzzle(text)
    fields = _split_fields(text)
    if column is not None:
        cells = "".join(fields[column : column + 1])
        return cells or (text if any(fields) else "")
    if len(fields) > 2 and all(len(field) < 2 or is_number(field) for field in fields):
        return " ".join(field or OPEN_SYMBOLS[0] for field in fields)
    first_column = _COLUMN_SEPARATOR_PATTERN.split(text, 1)[0].strip("\"'")
    return first_column if first_column.strip() else text
