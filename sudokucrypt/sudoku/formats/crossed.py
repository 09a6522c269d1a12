"""Ordinary 9x9 puzzles with other symbols: X, - or ? in open cells, or letters and z.

Each is a line of 81 symbols, or one puzzle is in rows. Letters A to I are the digits 1 to 9 where z
stands for open cells, as in the lines of the programs from which this project began.
"""

import re
from collections.abc import Iterator

from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import words_of

_OPEN = re.compile("[Xx?-]")
_SYMBOLS = re.compile(r"[-1-9Xx?|+\s]*")
_LETTERS = re.compile(r"[A-Ia-iZz|+\s-]*")
_DIGITS = str.maketrans("ABCDEFGHIZ", "123456789.")


def _lines(text: str) -> list[str]:
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


def _split(text: str) -> Iterator[tuple[str, str]]:
    yield from ((f"line {number}", line) for number, line in enumerate(_lines(text), 1))


def _read(line: str) -> StoredPuzzle:
    plain = _OPEN.sub(".", line)
    letters = plain.upper().translate(_DIGITS)
    note = "letters A to I are read as 1 to 9, and z as an open cell"
    return StoredPuzzle(SudokuPuzzle.from_text(letters), notes=(note,) if letters != plain else ())


CROSSED = PuzzleFormat(
    name="crossed",
    title="cells with X, -, ? or letters",
    matches=lambda text: bool(_lines(text)),
    split=_split,
    read=_read,
)
