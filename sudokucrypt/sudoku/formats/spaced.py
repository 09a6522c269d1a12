"""Puzzles of 9x9 with spaces for open cells: in a line of 81 columns, or in rows with borders."""

from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import RULE

# The columns of the cells of a row.
_LAYOUTS = (
    range(9),  # 53  7
    range(0, 17, 2),  # 5 3     7
    (0, 1, 2, 4, 5, 6, 8, 9, 10),  # 53 | 7 |
    (1, 2, 3, 5, 6, 7, 9, 10, 11),  # |53 | 7 |   |
    (0, 2, 4, 8, 10, 12, 16, 18, 20),  # 5 3   |   7   |
    (2, 4, 6, 10, 12, 14, 18, 20, 22),  # | 5 3   |   7   |       |
    range(1, 18, 2),  # |5|3| | |7|
    range(2, 35, 4),  # | 5 | 3 |   |   | 7 |
)

# Longer texts are collections: only a single sheet is read by its columns.
_LONGEST = 2000
_FEWEST = 17  # of no ordinary puzzle with fewer givens is the solution alone


def _cells(text: str) -> str | None:
    """Return 81 digits and spaces, or None for anything else."""
    rows = [row for row in text.splitlines() if not RULE.match(row)] if len(text) < _LONGEST else []
    if len(rows) == 1 and 81 - 9 <= len(rows[0]) <= 81:
        rows = [rows[0][start : start + 9] for start in range(0, 81, 9)]
    if len(rows) != 9:
        return None
    given = sum(map(str.isdigit, text))
    for layout in _LAYOUTS:
        width = max(map(len, rows))
        padded = [row.ljust(layout[-1] + 1) for row in rows]
        cells = "".join(row[column] for row in padded for column in layout)
        digits = len(cells) - cells.count(" ")
        # Every digit is in a cell, and besides the cells there is nothing but borders.
        if _FEWEST <= digits == given < 81 and width <= layout[-1] + 3:
            rest = text.translate({ord(symbol): "" for symbol in "123456789 |\t\r\n+-=:*"})
            if not rest and not cells.strip("123456789 "):
                return cells
    return None


def _read(text: str) -> StoredPuzzle:
    cells = _cells(text) or ""
    return StoredPuzzle(SudokuPuzzle.from_text(cells.replace(" ", ".")))


SPACED = PuzzleFormat(
    name="spaced",
    title="rows with spaces",
    matches=lambda text: " " in text and _cells(text) is not None,
    read=_read,
    raw=True,
)
