"""The built-in formats, in the order in which they are tested for a text."""

import re
from collections.abc import Iterator
from typing import Any

from sudokucrypt.sudoku.formats.contract import PUZZLE_FORMATS, PuzzleFormat, StoredPuzzle
from sudokucrypt.sudoku.formats.fpuzzles import FPUZZLES_FORMAT
from sudokucrypt.sudoku.formats.json_files import JSON_FORMAT
from sudokucrypt.sudoku.formats.lines import (
    CROSSED_FORMAT,
    CSV_FORMAT,
    HODOKU_FORMAT,
    LINE_FORMAT,
    PENCIL_FORMAT,
    SDK_FORMAT,
    SPACED_FORMAT,
)
from sudokucrypt.sudoku.formats.links import FPUZZLES_LINK_FORMAT, SUDOKUPAD_FORMAT
from sudokucrypt.sudoku.formats.opensudoku import OPENSUDOKU_FORMAT

__all__ = [
    "BUILT_IN_FORMATS",
    "PUZZLE_FORMATS",
    "detect_format",
    "make_link",
    "read_stored_puzzles",
    "split_puzzles",
]

BUILT_IN_FORMATS = (
    JSON_FORMAT, FPUZZLES_FORMAT, FPUZZLES_LINK_FORMAT, SUDOKUPAD_FORMAT, OPENSUDOKU_FORMAT,
    HODOKU_FORMAT, PENCIL_FORMAT, SPACED_FORMAT,
    CROSSED_FORMAT, SDK_FORMAT, CSV_FORMAT, LINE_FORMAT,
)  # fmt: skip

# Texts for which formats of other packages are not tried, since looking for such packages takes
# too long.
_CELL_TEXT_PATTERN = re.compile(r"[\s.*_|+A-Z0-9,-]*")

for _format in BUILT_IN_FORMATS:
    PUZZLE_FORMATS.register(_format)


def detect_format(text: str) -> PuzzleFormat | None:
    """Return the format that a text is in, or None for lines, rows and tables of cells."""
    for format_group in (
        BUILT_IN_FORMATS,
        () if _CELL_TEXT_PATTERN.fullmatch(text) else PUZZLE_FORMATS.values(),
    ):
        for form in format_group:
            if form.read and form.matches(_strip_text(form, text)):
                return form
    return None


def split_puzzles(form: PuzzleFormat, text: str) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a text in a format, one for each puzzle, with their names in messages."""
    yield from form.split(_strip_text(form, text))


def read_stored_puzzles(text: str) -> Iterator[StoredPuzzle] | None:
    """Return the stored puzzles of a text, or None if `detect_format` returns None.

    >>> [stored.puzzle.number_of_givens for stored in read_stored_puzzles("[[1, 0], [0, 1]]") or ()]
    [2]
    """
    form = detect_format(text)
    read = form and form.read
    return (read(part) for _, part in split_puzzles(form, text)) if form and read else None


def make_link(stored_puzzle: StoredPuzzle) -> str:
    """Return a link to SudokuPad; raise `InvalidGridError` for rules that it does not support."""
    return SUDOKUPAD_FORMAT.write([stored_puzzle]).strip() if SUDOKUPAD_FORMAT.write else ""


def _strip_text(form: PuzzleFormat, text: str) -> str:
    return text.strip("\r\n" if form.raw else None)
