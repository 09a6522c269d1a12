"""Pencil marks: grids of candidates, and lines of HoDoKu's library."""

import re
from collections.abc import Sequence

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import (
    PuzzleFormat,
    StoredPuzzle,
    marked,
    masks_of,
    narrowed,
    numbered,
    ordinary,
    with_typed,
)
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_FRAME = re.compile(r"^[-+|*.:',=\s]+$", re.MULTILINE)
_WORD = re.compile(r"[1-9]{1,9}")
_LIBRARY = re.compile(r"(?::[^:]*:[^:]*:)?((?:\+?[.0-9]){81})(?::([^:]*):.*)?")


def _words(text: str) -> list[str]:
    """Return the words of a grid, without frames."""
    return _FRAME.sub("", text[:10_000]).replace("|", " ").split()


def _is_grid(text: str) -> bool:
    words = _words(text) if "\n" in text and len(text) < 10_000 else []
    return len(words) == 81 and any(len(w) > 1 for w in words) and all(map(_WORD.fullmatch, words))


def _read_grid(text: str) -> StoredPuzzle:
    return marked([sum(1 << int(digit) - 1 for digit in {*word}) for word in _words(text)])


def _digits(mask: int) -> str:
    return "".join(str(digit) for digit in range(1, 10) if mask >> digit - 1 & 1)


def _write_grid(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored,) = puzzles
    words = [_digits(mask) for mask in masks_of(ordinary(stored, "a grid of pencil marks"))]
    width = max(map(len, words))
    cells = [word.ljust(width) for word in words]
    border = "+".join(["", *["-" * (3 * width + 4)] * 3, ""])
    lines = []
    for row in range(9):
        lines += [border] * (row % 3 == 0)
        parts = [" ".join(cells[9 * row + at : 9 * row + at + 3]) for at in (0, 3, 6)]
        lines.append("".join(f"| {part} " for part in parts) + "|")
    return "\n".join([*lines, border]) + "\n"


def _is_library(text: str) -> bool:
    """Return whether the first line is one of HoDoKu, whose plus signs mark what was typed."""
    line = text.partition("\n")[0].strip()
    return (line[:1] == ":" or "+" in line) and _LIBRARY.fullmatch(line) is not None


def _read_library(line: str) -> StoredPuzzle:
    match = _LIBRARY.fullmatch(line.strip())
    if match is None:
        raise InvalidGridError(f"{line[:20]!r} is no line of HoDoKu's library")
    cells = re.findall(r"\+?[.0-9]", match[1])
    stored = StoredPuzzle(
        SudokuPuzzle.from_text("".join(cell if cell[0] != "+" else "." for cell in cells))
    )
    stored = with_typed(stored, [int(f"0{cell[1:]}".strip(".")) for cell in cells])
    masks = [*masks_of(stored)]
    for word in (match[2] or "").split():
        if not re.fullmatch("[1-9]{3}", word):
            raise InvalidGridError(f"{word[:20]!r} is not digit, row and column")
        digit, row, column = map(int, word)
        masks[9 * row + column - 10] &= ~(1 << digit - 1)
    # Each candidate of a cell was struck: 1024 says so, and is no candidate.
    return narrowed(stored, [mask or 1 << 10 for mask in masks])


PENCIL = PuzzleFormat(
    name="pencil",
    title="a grid of pencil marks",
    matches=_is_grid,
    read=_read_grid,
    write=_write_grid,
    single=True,
)
HODOKU = PuzzleFormat(
    name="hodoku",
    title="HoDoKu's library",
    matches=_is_library,
    split=lambda text: numbered("line", filter(str.strip, text.split("\n"))),
    read=_read_library,
)
