"""Formats of plain lines: .sdk, collections (.sdm), CSV, puzzle banks, and lines with notes.

Of a line with a grid of 81 cells, whatever comes before or after it is a note: the solution and
count that tdoku writes after colons, the hash before and the rating after a line of a puzzle bank,
a comment.
"""

import csv
import re
from collections.abc import Sequence
from io import StringIO

from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle, ordinary

_BETWEEN = re.compile(r"[\s,;:|\"'#]+")
_COMMENT = re.compile(r"\s+#.*")
_RATED = re.compile(r"(\S{16,})\s+\d+\.\d+\s*")


def puzzle_in(text: str) -> str:
    """Return what a line has of a grid without notes, and else the line.

    >>> puzzle_in("1.....2..3.....4 7.2")
    '1.....2..3.....4'
    """
    for word in _BETWEEN.split(text) if len(text) > 81 else ():
        digits = word.replace("+", "")  # how HoDoKu marks digits that are no givens
        if len(digits) == 81 and not digits.strip(".0123456789*_"):
            return digits
    rated = _RATED.fullmatch(text)
    return rated[1] if rated else _COMMENT.sub("", text)


def _lines(puzzles: Sequence[StoredPuzzle]) -> str:
    """Return lines, before those of each kind a comment with the rules that no line shows."""
    written, last_rule = [], ""
    for stored in puzzles:
        rule = stored.puzzle.variant.rule
        if rule and rule != last_rule:
            written.append(f"# {rule}\n")
        last_rule = rule
        written.append(f"{stored.puzzle.to_text()}\n")
    return "".join(written)


def _csv(puzzles: Sequence[StoredPuzzle]) -> str:
    """Return a table, with a column of the rules if some are shown by no line."""
    rules = [stored.puzzle.variant.rule for stored in puzzles]
    if not any(rules):
        return f"puzzle\n{_lines(puzzles)}"
    buffer = StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(["puzzle", "rule"])
    lines = (stored.puzzle.to_text() for stored in puzzles)
    table.writerows(zip(lines, rules, strict=True))
    return buffer.getvalue()


def _zeros(puzzles: Sequence[StoredPuzzle]) -> str:
    return _lines([ordinary(stored, "a collection") for stored in puzzles]).replace(".", "0")


def _sdk(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored,) = puzzles
    head = [f"#{key}{' '.join(value.split())}" for key, value in
            (("A", stored.author), ("D", stored.title)) if value]  # fmt: skip
    text = ordinary(stored, ".sdk").puzzle.to_text()
    rows = [text[start : start + 9] for start in range(0, 81, 9)]
    return "\n".join([*head, "[Puzzle]", *rows]) + "\n"


SDK = PuzzleFormat(name="sdk", title=".sdk", write=_sdk, single=True)
SDM = PuzzleFormat(name="sdm", title="a collection (.sdm)", write=_zeros)
LINES = PuzzleFormat(name="line", title="the line form", write=_lines)
CSV = PuzzleFormat(name="csv", title="a table (CSV)", write=_csv)
