"""Find the puzzle and the solution in a row of a file: a line, a table row or a JSON record."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sudokucrypt.sudoku.formats.columns import (
    COLUMNS,
    PUZZLE_NAMES,
    find_field,
    format_cells,
    is_puzzle,
)
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS, SYMBOLS

_CELL_COUNT = 81
_SYMBOLS = SYMBOLS[:9] + OPEN_SYMBOLS
_SYMBOL_REMOVAL = dict.fromkeys(map(ord, _SYMBOLS))
# Most lines match this pattern, which avoids splitting them into words.
_PUZZLE_LINE = re.compile(rf"([{re.escape(_SYMBOLS)}]{{81}})(?:[,;:\s](?:1:)?([1-9]{{81}}))?")
_COLUMN_SEPARATOR_PATTERN = re.compile(r"[,;\t]")
_COMMENT = re.compile(r"\s+#.*")
_RATED_LINE = re.compile(r"(\S{16,})\s+\d+\.\d+\s*")
_WORD_SEPARATOR = re.compile(r"[\s,;:|\"'#]+")


class PuzzlePair(NamedTuple):
    """The texts of a puzzle and its solution; None if the row lacks the text."""

    puzzle: str | None
    solution: str | None = None


RowReader: TypeAlias = Callable[[str], PuzzlePair]


def make_row_reader(first_row: str) -> tuple[RowReader, bool]:
    """Return a function that reads the rows of a file, and whether `first_row` names the columns.

    `first_row` is the first row of the file.
    """
    if first_row.lstrip().startswith("{"):
        return _read_object, False
    separator_match = _COLUMN_SEPARATOR_PATTERN.search(first_row)
    separator = separator_match[0] if separator_match else ","
    names = [name.lower() for name in _split_fields(first_row, separator)]
    puzzle_column = next((names.index(name) for name in PUZZLE_NAMES if name in names), None)
    if puzzle_column is None:
        return find_pair, False
    solutions = [names.index(name) for name in COLUMNS["solution"] if name in names]
    return _TableReader(separator, puzzle_column, solutions[0] if solutions else None), True


@dataclass(frozen=True)
class _TableReader:
    """A function that reads the rows of a table with named columns."""

    separator: str
    puzzle: int
    solution: int | None

    def __call__(self, text: str) -> PuzzlePair:
        fields = _split_fields(text, self.separator)
        fields += [""] * (max(self.puzzle, self.solution or 0) + 1 - len(fields))
        solution = None if self.solution is None else fields[self.solution]
        return PuzzlePair(fields[self.puzzle] or None, solution)


def _split_fields(text: str, separator: str) -> list[str]:
    """Return the fields of a row; quoted fields may contain the separator."""
    row = next(csv.reader([text], delimiter=separator)) if '"' in text else text.split(separator)
    return [field.strip(" \"'") for field in row]


def find_pair(text: str) -> PuzzlePair:
    """Return the puzzle of a line without named columns, and the solution after it.

    Other text in the line is ignored. If no word looks like a grid, the longest word is used as the
    puzzle.

    >>> find_pair("53..7".ljust(81, ".") + ":1:").puzzle.strip(".")
    '53..7'
    """
    if line_match := _PUZZLE_LINE.fullmatch(text):
        return PuzzlePair(line_match[1], line_match[2])
    words = _split_words(text)
    if len(words) >= _CELL_COUNT and all(len(word) == 1 for word in words[:_CELL_COUNT]):
        return PuzzlePair("".join(words[:_CELL_COUNT]), "".join(words[_CELL_COUNT:]) or None)
    grid_words = [word for word in words if _is_like_a_grid(word)]
    grid_words = grid_words or [max(words, key=len, default="")]
    return PuzzlePair(grid_words[0] or None, grid_words[1] if len(grid_words) > 1 else None)


def find_puzzle(text: str) -> str:
    """Return the grid in a line, without notes, or the whole line if it contains no grid.

    In a line with a grid of 81 cells, all other text is a note, such as the solution and count that
    tdoku writes after colons, the hash and the rating in a line of a puzzle bank, or a comment.

    >>> find_puzzle("1.....2..3.....4 7.2")
    '1.....2..3.....4'
    """
    for word in _split_words(text) if len(text) > _CELL_COUNT else ():
        if len(word) == _CELL_COUNT and not word.translate(_SYMBOL_REMOVAL):
            return word
    rated_match = _RATED_LINE.fullmatch(text)
    return rated_match[1] if rated_match else _COMMENT.sub("", text)


def _split_words(text: str) -> list[str]:
    """Return the words of a line; digits that HoDoKu marks with + as entered become open cells."""
    return [re.sub(r"\+[1-9]", ".", word) for word in _WORD_SEPARATOR.split(text) if word]


def _is_like_a_grid(word: str) -> bool:
    """Return whether a word is a puzzle or a solution, possibly damaged."""
    return 2 * len(word) > _CELL_COUNT and 2 * len(word.translate(_SYMBOL_REMOVAL)) < len(word)


def _read_object(text: str) -> PuzzlePair:
    """Return the puzzle and the solution in a line of JSON; digits may be in lists."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    return read_record(fields)


def read_record(record: object) -> PuzzlePair:
    """Return the puzzle and solution of a JSON record: an object, a text, or a list of cells."""
    if isinstance(record, dict):
        return PuzzlePair(
            _get_text(find_field(record, PUZZLE_NAMES)),
            _get_text(find_field(record, COLUMNS["solution"])),
        )
    return PuzzlePair(_get_text(record))


def _get_text(value: object) -> str | None:
    if not is_puzzle(value):
        return None
    text = format_cells(value)
    # A number of two digits must not be read as two cells.
    return re.sub(r"\S\S+", "?", text) if isinstance(value, list) and " " in text else text
