"""Ordinary 9x9 puzzles with other symbols or spaces for open cells, or letters for digits.

X, - or ? stand for open cells in lines of 81 symbols, or in the rows of one puzzle; spaces do in a
line of 81 columns, or in rows with borders. Letters A to I are the digits 1 to 9 where z stands for
open cells, as in the lines of the programs from which this project began.
"""

import re

from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle, numbered
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import RULE, words_of

_OPEN = re.compile("[Xx?-]")
_SYMBOLS = re.compile(r"[-1-9Xx?|+\s]*")
_LETTERS = re.compile(r"[A-Ia-iZz|+\s-]*")
_DIGITS = str.maketrans("ABCDEFGHIZ", "123456789.")


def _crossed_lines(text: str) -> list[str]:
    """Return the cells of each puzzle, or nothing for anything else."""
    lettered = _LETTERS.fullmatch(text) is not None and "Z" in text.upper()
    if not lettered and not (_OPEN.search(text) and _SYMBOLS.fullmatch(text)):
        return []
    words = text.split()
    # A row of hyphens is a rule where the rows are not nine of nine.
    if {len(words), *map(len, words)} != {9}:
        words = words_of(text)
    lines = words if {*map(len, words)} == {81} else ["".join(words)]
    return lines if len(lines[0]) == 81 else []


def _read_crossed(line: str) -> StoredPuzzle:
    plain = _OPEN.sub(".", line)
    letters = plain.upper().translate(_DIGITS)
    note = "letters A to I are read as 1 to 9, and z as an open cell"
    return StoredPuzzle(SudokuPuzzle.from_text(letters), notes=(note,) if letters != plain else ())


CROSSED = PuzzleFormat(
    name="crossed",
    title="cells with X, -, ? or letters",
    matches=lambda text: bool(_crossed_lines(text)),
    split=lambda text: numbered("line", _crossed_lines(text)),
    read=_read_crossed,
)

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


def _read_spaced(text: str) -> StoredPuzzle:
    cells = _cells(text) or ""
    return StoredPuzzle(SudokuPuzzle.from_text(cells.replace(" ", ".")))


SPACED = PuzzleFormat(
    name="spaced",
    title="rows with spaces",
    matches=lambda text: " " in text and _cells(text) is not None,
    read=_read_spaced,
    raw=True,
)
