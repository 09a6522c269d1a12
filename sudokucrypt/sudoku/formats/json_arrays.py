"""JSON arrays of digits or lines, and arrays as NumPy prints them: one puzzle, or several."""

import re
from collections.abc import Iterator
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import (
    MOST_OF_MANY,
    PuzzleFormat,
    StoredPuzzle,
    loaded_json,
)
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_IN_JSON = re.compile(r"[^\[\]0-9\s]")  # what NumPy does not print of digits


def _read(text: str) -> Iterator[StoredPuzzle]:
    if not _IN_JSON.search(text):
        text = re.sub(r"(?<=[\]0-9])\s+(?=[\[0-9])", ",", text)
    value = loaded_json(text, "a list of puzzles", most=MOST_OF_MANY)
    if isinstance(value, list) and all(isinstance(row, str) for row in value):
        one = 1 < len(value) == min(map(len, value)) == max(map(len, value))
        value = ["".join(value)] if one else value  # the rows of a puzzle
    one = _is_puzzle(value)
    for part in [value] if one else value:
        if isinstance(part, str):
            yield StoredPuzzle(SudokuPuzzle.from_text(part))
        elif _is_puzzle(part):
            cells = [[0 if cell is None else cell for cell in row] for row in _rows(part)]
            yield StoredPuzzle(SudokuPuzzle(cells[0] if len(cells) == 1 else cells))
        else:
            raise InvalidGridError("a JSON array holds rows of digits, or lines of puzzles")


def _rows(value: list[Any]) -> list[list[Any]]:
    return value if isinstance(value[0], list) else [value]


def _is_puzzle(value: object) -> bool:
    """Return whether this is a list of digits, or of rows of them."""
    if not isinstance(value, list) or not value:
        return False
    rows = _rows(value)
    sizes = {len(row) if isinstance(row, list) else -1 for row in rows}
    square = len(rows) == 1 or sizes == {len(rows)}
    return square and all(cell is None or type(cell) is int for row in rows for cell in row)


ARRAYS = PuzzleFormat(
    name="json-array",
    title="a JSON array",
    matches=lambda text: text.startswith("[") and text[1:2000].lstrip()[:1] in ("[", '"', "0",
        *"123456789", "n"),
    read=_read,
)  # fmt: skip
