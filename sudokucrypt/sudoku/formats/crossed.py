"""Ordinary 9x9 puzzles whose open cells are X, - or ?: lines of 81, or one puzzle in rows."""

import re
from collections.abc import Iterator

from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import words_of

_OPEN = re.compile("[Xx?-]")
_SYMBOLS = re.compile(r"[-1-9Xx?|+\s]*")


def _lines(text: str) -> list[str]:
    """Return the cells of each puzzle, or nothing for anything else."""
    if not _OPEN.search(text) or not _SYMBOLS.fullmatch(text):
        return []
    words = text.split()
    # A row of hyphens is a rule where the rows are not nine of nine.
    if {len(words), *map(len, words)} != {9}:
        words = words_of(text)
    lines = words if {*map(len, words)} == {81} else ["".join(words)]
    return lines if len(lines[0]) == 81 else []


def _read(text: str) -> Iterator[StoredPuzzle]:
    for line in _lines(text):
        yield StoredPuzzle(SudokuPuzzle.from_text(_OPEN.sub(".", line)))


CROSSED = PuzzleFormat(
    name="crossed",
    title="cells with X, - or ?",
    matches=lambda text: bool(_lines(text)),
    read=_read,
)
