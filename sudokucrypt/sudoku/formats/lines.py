"""Formats of plain lines: .sdk, CSV and the line form."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import StringIO

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import (
    PuzzleFormat,
    StoredPuzzle,
    ordinary,
    with_typed,
    with_words,
)
from sudokucrypt.sudoku.model.boxes import default_box
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_SECTION = re.compile(r"\[([A-Za-z ]+)\]")


def _lines(puzzles: Sequence[StoredPuzzle]) -> str:
    """Return lines, before those of each kind a comment with what no line shows."""
    written, last = [], ""
    for stored in puzzles:
        words = _words(stored)
        if words and words != last:
            written.append(f"# {words}\n")
        last = words
        written.append(f"{_line(stored)}\n")
    return "".join(written)


def _line(stored: StoredPuzzle) -> str:
    """Return the line form of a puzzle whose board a line, with its rule in words, can say."""
    variant = stored.puzzle.variant
    if variant.regions or (variant.box != default_box(variant.digits) and not variant.rule):
        raise InvalidGridError(
            f"a line does not show the boxes or regions of {variant.name}",
            hint="the formats fpuzzles and sudokupad hold them",
        )
    return stored.puzzle.to_text()


def _words(stored: StoredPuzzle) -> str:
    """Return title, author and rules in one line, as far as there are some."""
    named = " by ".join(filter(None, (stored.title, stored.author)))
    rules = stored.rules or stored.puzzle.variant.rule
    return " ".join(": ".join(filter(None, (named, rules))).split())


def _csv(puzzles: Sequence[StoredPuzzle]) -> str:
    """Return a table, with columns of title, author and rules if some puzzle has them."""
    columns = {
        "puzzle": [_line(stored) for stored in puzzles],
        "title": [stored.title for stored in puzzles],
        "author": [stored.author for stored in puzzles],
        "rule": [stored.rules or stored.puzzle.variant.rule for stored in puzzles],
    }
    columns = {name: column for name, column in columns.items() if any(column)}
    buffer = StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*columns.values(), strict=True))
    return buffer.getvalue()


def _sdk(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored,) = puzzles
    head = [f"#{key}{' '.join(value.split())}" for key, value in
            (("A", stored.author), ("D", stored.title), ("C", stored.rules)) if value]  # fmt: skip
    text = ordinary(stored, ".sdk").puzzle.to_text()
    rows = [text[start : start + 9] for start in range(0, 81, 9)]
    return "\n".join([*head, "[Puzzle]", *rows]) + "\n"


def _split_sdk(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the sections of each puzzle by name, and the comments before them by letter."""
    number, name, parts = 1, "", dict[str, str]()
    for line in map(str.strip, text.splitlines()):
        section = _SECTION.fullmatch(line)
        if "puzzle" in parts and (line[:1] == "#" or (section and section[1].lower() == "puzzle")):
            yield f"puzzle {number}", parts
            number, name, parts = number + 1, "", {}
        if line[:1] == "#":
            parts[line[:2]] = line[2:].strip()
        elif section:
            name = section[1].strip().lower()
            parts[name] = ""
        elif name:
            parts[name] += f"{line}\n"
    if "puzzle" in parts:
        yield f"puzzle {number}", parts


def _read_sdk(parts: dict[str, str]) -> StoredPuzzle:
    words = {"title": parts.get("#D"), "author": parts.get("#A"), "rules": parts.get("#C")}
    stored = with_words(StoredPuzzle(SudokuPuzzle.from_text(parts["puzzle"])), words)
    with suppress(InvalidGridError):
        state = SudokuPuzzle.from_text(parts.get("state", ""), stored.puzzle.variant)
        return with_typed(stored, np.where(stored.puzzle.givens < 0, state.givens + 1, 0).tolist())
    return stored


SDK = PuzzleFormat(
    name="sdk",
    title=".sdk",
    matches=lambda text: re.search(r"^[ \t]*\[[a-z ]+\][ \t\r]*$", text, re.I | re.M) is not None,
    split=_split_sdk,
    read=_read_sdk,
    write=_sdk,
    single=True,
)
LINES = PuzzleFormat(name="line", title="the line form", write=_lines)
CSV = PuzzleFormat(name="csv", title="a table (CSV)", write=_csv)
