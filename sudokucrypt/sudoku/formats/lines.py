"""Formats of plain text: .sdk, CSV, lines with other symbols, and grids of pencil marks."""

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
    add_metadata,
    add_pencil_marks,
    add_typed_digits,
    get_candidates,
    label_parts,
    make_marked_puzzle,
    require_ordinary_puzzle,
)
from sudokucrypt.sudoku.model.boxes import default_box
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import BORDER_LINE, split_words

# Formats of plain lines: .sdk, CSV and the line form.

_SECTION_HEADER = re.compile(r"\[([A-Za-z ]+)\]")


def _format_lines(puzzles: Sequence[StoredPuzzle]) -> str:
    """Return a line for each puzzle, with a comment before it about data that lines cannot show."""
    lines, last_comment = [], ""
    for stored_puzzle in puzzles:
        words = _format_metadata(stored_puzzle)
        if words and words != last_comment:
            lines.append(f"# {words}\n")
        last_comment = words
        lines.append(f"{_format_line(stored_puzzle)}\n")
    return "".join(lines)


def _format_line(stored_puzzle: StoredPuzzle) -> str:
    """Return the line form of a puzzle; raise `InvalidGridError` if it cannot show the board."""
    variant = stored_puzzle.puzzle.variant
    if variant.regions or (variant.box != default_box(variant.digits) and not variant.rule):
        raise InvalidGridError(
            f"a line does not show the boxes or regions of {variant.name}",
            hint="the formats fpuzzles and sudokupad hold them",
        )
    return stored_puzzle.puzzle.to_text()


def _format_metadata(stored_puzzle: StoredPuzzle) -> str:
    """Return one line with the title, author and rules of a puzzle, as far as it has them."""
    heading = " by ".join(filter(None, (stored_puzzle.title, stored_puzzle.author)))
    rules = stored_puzzle.rules or stored_puzzle.puzzle.variant.rule
    return " ".join(": ".join(filter(None, (heading, rules))).split())


def _format_csv(puzzles: Sequence[StoredPuzzle]) -> str:
    """Return a CSV table, with columns of title, author and rules if some puzzle has them."""
    columns = {
        "puzzle": [_format_line(stored_puzzle) for stored_puzzle in puzzles],
        "title": [stored_puzzle.title for stored_puzzle in puzzles],
        "author": [stored_puzzle.author for stored_puzzle in puzzles],
        "rule": [
            stored_puzzle.rules or stored_puzzle.puzzle.variant.rule for stored_puzzle in puzzles
        ],
    }
    columns = {name: column for name, column in columns.items() if any(column)}
    buffer = StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*columns.values(), strict=True))
    return buffer.getvalue()


def _format_sdk(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored_puzzle,) = puzzles
    comments = [f"#{key}{' '.join(value.split())}" for key, value in
            (("A", stored_puzzle.author), ("D", stored_puzzle.title), ("C", stored_puzzle.rules))
            if value]  # fmt: skip
    text = require_ordinary_puzzle(stored_puzzle, ".sdk").puzzle.to_text()
    rows = [text[start : start + 9] for start in range(0, 81, 9)]
    return "\n".join([*comments, "[Puzzle]", *rows]) + "\n"


def _split_sdk(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the sections of each puzzle by name, and the comments before them by letter."""
    puzzle_number, section_name, sections = 1, "", dict[str, str]()
    for line in map(str.strip, text.splitlines()):
        match = _SECTION_HEADER.fullmatch(line)
        if "puzzle" in sections and (line[:1] == "#" or (match and match[1].lower() == "puzzle")):
            yield f"puzzle {puzzle_number}", sections
            puzzle_number, section_name, sections = puzzle_number + 1, "", {}
        if line[:1] == "#":
            sections[line[:2]] = line[2:].strip()
        elif match:
            section_name = match[1].strip().lower()
            sections[section_name] = ""
        elif section_name:
            sections[section_name] += f"{line}\n"
    if "puzzle" in sections:
        yield f"puzzle {puzzle_number}", sections


def _read_sdk(sections: dict[str, str]) -> StoredPuzzle:
    text_fields = {
        "title": sections.get("#D"),
        "author": sections.get("#A"),
        "rules": sections.get("#C"),
    }
    stored_puzzle = add_metadata(
        StoredPuzzle(SudokuPuzzle.from_text(sections["puzzle"])), text_fields
    )
    with suppress(InvalidGridError):
        entered_puzzle = SudokuPuzzle.from_text(
            sections.get("state", ""), stored_puzzle.puzzle.variant
        )
        return add_typed_digits(
            stored_puzzle,
            np.where(stored_puzzle.puzzle.givens < 0, entered_puzzle.givens + 1, 0).tolist(),
        )
    return stored_puzzle


SDK_FORMAT = PuzzleFormat(
    name="sdk",
    title=".sdk",
    matches=lambda text: re.search(r"^[ \t]*\[[a-z ]+\][ \t\r]*$", text, re.I | re.M) is not None,
    split=_split_sdk,
    read=_read_sdk,
    write=_format_sdk,
    single=True,
)
LINE_FORMAT = PuzzleFormat(name="line", title="the line form", write=_format_lines)
CSV_FORMAT = PuzzleFormat(name="csv", title="a table (CSV)", write=_format_csv)


# Ordinary 9x9 puzzles with other symbols or spaces for open cells, or letters for digits.
# X, - and ? stand for open cells in lines of 81 symbols, or in the rows of one puzzle. Spaces stand
# for open cells in a line of 81 columns, or in rows with borders. If z stands for open cells,
# letters A to I are the digits 1 to 9, as in the programs from which this project began.

_CROSS_SYMBOL = re.compile("[Xx?-]")
_CROSSED_TEXT = re.compile(r"[-1-9Xx?|+\s]*")
_LETTER_TEXT = re.compile(r"[A-Ia-iZz|+\s-]*")
_LETTER_DIGITS = str.maketrans("ABCDEFGHIZ", "123456789.")


def _split_crossed_puzzles(text: str) -> list[str]:
    """Return the cells of each puzzle, or an empty list for other texts."""
    has_letters = _LETTER_TEXT.fullmatch(text) is not None and "Z" in text.upper()
    if not has_letters and not (_CROSS_SYMBOL.search(text) and _CROSSED_TEXT.fullmatch(text)):
        return []
    words = text.split()
    # A row of hyphens is a border unless there are nine rows of nine symbols.
    if {len(words), *map(len, words)} != {9}:
        words = split_words(text)
    lines = words if {*map(len, words)} == {81} else ["".join(words)]
    return lines if len(lines[0]) == 81 else []


def _read_crossed_puzzle(line: str) -> StoredPuzzle:
    plain = _CROSS_SYMBOL.sub(".", line)
    letters = plain.upper().translate(_LETTER_DIGITS)
    note = "letters A to I are read as 1 to 9, and z as an open cell"
    return StoredPuzzle(SudokuPuzzle.from_text(letters), notes=(note,) if letters != plain else ())


CROSSED_FORMAT = PuzzleFormat(
    name="crossed",
    title="cells with X, -, ? or letters",
    matches=lambda text: bool(_split_crossed_puzzles(text)),
    split=lambda text: label_parts("line", _split_crossed_puzzles(text)),
    read=_read_crossed_puzzle,
)

# Layouts of a row: the index of each cell's symbol in the line, with an example of each.
_COLUMN_LAYOUTS = (
    range(9),  # 53  7
    range(0, 17, 2),  # 5 3     7
    (0, 1, 2, 4, 5, 6, 8, 9, 10),  # 53 | 7 |
    (1, 2, 3, 5, 6, 7, 9, 10, 11),  # |53 | 7 |   |
    (0, 2, 4, 8, 10, 12, 16, 18, 20),  # 5 3   |   7   |
    (2, 4, 6, 10, 12, 14, 18, 20, 22),  # | 5 3   |   7   |       |
    range(1, 18, 2),  # |5|3| | |7|
    range(2, 35, 4),  # | 5 | 3 |   |   | 7 |
)

# Longer texts are collections; only a single grid is read by its columns.
_MAX_GRID_LENGTH = 2000
_FEWEST_GIVENS = 17  # no ordinary puzzle with fewer givens has a unique solution


def _find_spaced_cells(text: str) -> str | None:
    """Return the 81 digits and spaces of a grid, or None for other texts."""
    rows = (
        [row for row in text.splitlines() if not BORDER_LINE.match(row)]
        if len(text) < _MAX_GRID_LENGTH
        else []
    )
    if len(rows) == 1 and 81 - 9 <= len(rows[0]) <= 81:
        rows = [rows[0][start : start + 9] for start in range(0, 81, 9)]
    if len(rows) != 9:
        return None
    digit_count = sum(map(str.isdigit, text))
    for layout in _COLUMN_LAYOUTS:
        width = max(map(len, rows))
        padded_rows = [row.ljust(layout[-1] + 1) for row in rows]
        cells = "".join(row[column] for row in padded_rows for column in layout)
        cell_digit_count = len(cells) - cells.count(" ")
        # Every digit must be in a cell, and all other text must be borders.
        if _FEWEST_GIVENS <= cell_digit_count == digit_count < 81 and width <= layout[-1] + 3:
            other_text = text.translate({ord(symbol): "" for symbol in "123456789 |\t\r\n+-=:*"})
            if not other_text and not cells.strip("123456789 "):
                return cells
    return None


def _read_spaced_puzzle(text: str) -> StoredPuzzle:
    cells = _find_spaced_cells(text) or ""
    return StoredPuzzle(SudokuPuzzle.from_text(cells.replace(" ", ".")))


SPACED_FORMAT = PuzzleFormat(
    name="spaced",
    title="rows with spaces",
    matches=lambda text: " " in text and _find_spaced_cells(text) is not None,
    read=_read_spaced_puzzle,
    raw=True,
)


# Pencil marks: grids of candidates, and lines of HoDoKu's library.

_FRAME_LINE = re.compile(r"^[-+|*.:',=\s]+$", re.MULTILINE)
_MARKS_WORD = re.compile(r"[1-9]{1,9}")
_LIBRARY_LINE = re.compile(r"(?::[^:]*:[^:]*:)?((?:\+?[.0-9]){81})(?::([^:]*):.*)?")


def _split_pencil_grid(text: str) -> list[str]:
    """Return the words of a grid of pencil marks, without frames."""
    return _FRAME_LINE.sub("", text[:10_000]).replace("|", " ").split()


def _is_pencil_grid(text: str) -> bool:
    words = _split_pencil_grid(text) if "\n" in text and len(text) < 10_000 else []
    return (
        len(words) == 81
        and any(len(w) > 1 for w in words)
        and all(map(_MARKS_WORD.fullmatch, words))
    )


def _read_pencil_grid(text: str) -> StoredPuzzle:
    return make_marked_puzzle(
        [sum(1 << int(digit) - 1 for digit in {*word}) for word in _split_pencil_grid(text)]
    )


def _format_marks(mask: int) -> str:
    return "".join(str(digit) for digit in range(1, 10) if mask >> digit - 1 & 1)


def _format_pencil_grid(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored_puzzle,) = puzzles
    words = [
        _format_marks(mask)
        for mask in get_candidates(require_ordinary_puzzle(stored_puzzle, "a grid of pencil marks"))
    ]
    width = max(map(len, words))
    cells = [word.ljust(width) for word in words]
    border = "+".join(["", *["-" * (3 * width + 4)] * 3, ""])
    lines = []
    for row in range(9):
        lines += [border] * (row % 3 == 0)
        box_texts = [" ".join(cells[9 * row + start : 9 * row + start + 3]) for start in (0, 3, 6)]
        lines.append("".join(f"| {box_text} " for box_text in box_texts) + "|")
    return "\n".join([*lines, border]) + "\n"


def _is_library_text(text: str) -> bool:
    """Return whether the first line is in the form of HoDoKu: plus signs mark entered digits."""
    line = text.partition("\n")[0].strip()
    return (line[:1] == ":" or "+" in line) and _LIBRARY_LINE.fullmatch(line) is not None


def _read_library_line(line: str) -> StoredPuzzle:
    match = _LIBRARY_LINE.fullmatch(line.strip())
    if match is None:
        raise InvalidGridError(f"{line[:20]!r} is no line of HoDoKu's library")
    cells = re.findall(r"\+?[.0-9]", match[1])
    stored_puzzle = StoredPuzzle(
        SudokuPuzzle.from_text("".join(cell if cell[0] != "+" else "." for cell in cells))
    )
    stored_puzzle = add_typed_digits(
        stored_puzzle, [int(f"0{cell[1:]}".strip(".")) for cell in cells]
    )
    masks = [*get_candidates(stored_puzzle)]
    for word in (match[2] or "").split():
        if not re.fullmatch("[1-9]{3}", word):
            raise InvalidGridError(f"{word[:20]!r} is not digit, row and column, each 1 to 9")
        digit, row, column = map(int, word)
        masks[9 * row + column - 10] &= ~(1 << digit - 1)
    # The mask 1024, which is no candidate, marks a cell whose candidates were all struck.
    return add_pencil_marks(stored_puzzle, [mask or 1 << 10 for mask in masks])


PENCIL_FORMAT = PuzzleFormat(
    name="pencil",
    title="a grid of pencil marks",
    matches=_is_pencil_grid,
    read=_read_pencil_grid,
    write=_format_pencil_grid,
    single=True,
)
HODOKU_FORMAT = PuzzleFormat(
    name="hodoku",
    title="HoDoKu's library",
    matches=_is_library_text,
    split=lambda text: label_parts("line", filter(str.strip, text.split("\n"))),
    read=_read_library_line,
)
