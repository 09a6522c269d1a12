"""How files name the columns of puzzles and solutions, and what such a file has in a row."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sudokucrypt.sudoku.formats.columns import COLUMNS, PUZZLES, cells_text, find_field, is_puzzle
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS, SYMBOLS

_CELLS = 81
_SYMBOLS = SYMBOLS[:9] + OPEN_SYMBOLS
_NO_SYMBOLS = dict.fromkeys(map(ord, _SYMBOLS))
# Most lines are so, and need no look at their words.
_PLAIN = re.compile(rf"([{re.escape(_SYMBOLS)}]{{81}})(?:[,;:\s](?:1:)?([1-9]{{81}}))?")
_BETWEEN_COLUMNS = re.compile(r"[,;\t]")
_COMMENT = re.compile(r"\s+#.*")
_RATED = re.compile(r"(\S{16,})\s+\d+\.\d+\s*")
_BETWEEN_WORDS = re.compile(r"[\s,;:|\"'#]+")


class Pair(NamedTuple):
    """The texts of a puzzle and its solution; None where there is no such text."""

    puzzle: str | None
    solution: str | None = None


RowReader: TypeAlias = Callable[[str], Pair]


def row_reader(first: str) -> tuple[RowReader, bool]:
    """Return what reads the rows of a file with this first one, and whether that names columns."""
    if first.lstrip().startswith("{"):
        return _read_object, False
    mark = _BETWEEN_COLUMNS.search(first)
    separator = mark[0] if mark else ","
    names = [name.lower() for name in _split_fields(first, separator)]
    puzzle = next((names.index(name) for name in PUZZLES if name in names), None)
    if puzzle is None:
        return pair_in, False
    named = [names.index(name) for name in COLUMNS["solution"] if name in names]
    return _Table(separator, puzzle, named[0] if named else None), True


@dataclass(frozen=True)
class _Table:
    """The rows of a table with named columns."""

    separator: str
    puzzle: int
    solution: int | None

    def __call__(self, text: str) -> Pair:
        fields = _split_fields(text, self.separator)
        fields += [""] * (max(self.puzzle, self.solution or 0) + 1 - len(fields))
        solution = None if self.solution is None else fields[self.solution]
        return Pair(fields[self.puzzle] or None, solution)


def _split_fields(text: str, separator: str) -> list[str]:
    """Return the fields of a row, of which quoted ones may hold the separator."""
    row = next(csv.reader([text], delimiter=separator)) if '"' in text else text.split(separator)
    return [field.strip(" \"'") for field in row]


def pair_in(text: str) -> Pair:
    """Return the puzzle of a line without named columns, and the solution behind it.

    What comes before, between and after them is a note. Where nothing looks like a grid, the
    longest word is taken for the puzzle.

    >>> pair_in("53..7".ljust(81, ".") + ":1:").puzzle.strip(".")
    '53..7'
    """
    if plain := _PLAIN.fullmatch(text):
        return Pair(plain[1], plain[2])
    words = _split_words(text)
    if len(words) >= _CELLS and all(len(word) == 1 for word in words[:_CELLS]):
        return Pair("".join(words[:_CELLS]), "".join(words[_CELLS:]) or None)
    grids = [word for word in words if _is_like_a_grid(word)]
    grids = grids or [max(words, key=len, default="")]
    return Pair(grids[0] or None, grids[1] if len(grids) > 1 else None)


def puzzle_in(text: str) -> str:
    """Return the grid in a line without its notes, or the line if it has no grid.

    Of a line with a grid of 81 cells, whatever comes before or after it is a note: the solution and
    count that tdoku writes after colons, the hash before and the rating after a line of a puzzle
    bank, a comment.

    >>> puzzle_in("1.....2..3.....4 7.2")
    '1.....2..3.....4'
    """
    for word in _split_words(text) if len(text) > _CELLS else ():
        if len(word) == _CELLS and not word.translate(_NO_SYMBOLS):
            return word
    rated = _RATED.fullmatch(text)
    return rated[1] if rated else _COMMENT.sub("", text)


def _split_words(text: str) -> list[str]:
    """Return the words of a line, where plus signs mark digits that were typed in HoDoKu."""
    return [re.sub(r"\+[1-9]", ".", word) for word in _BETWEEN_WORDS.split(text) if word]


def _is_like_a_grid(word: str) -> bool:
    """Return whether a word is a puzzle or a solution, though perhaps a damaged one."""
    return 2 * len(word) > _CELLS and 2 * len(word.translate(_NO_SYMBOLS)) < len(word)


def _read_object(text: str) -> Pair:
    """Read the puzzle in a line of JSON; digits may be in lists."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    return read_record(fields)


def read_record(record: object) -> Pair:
    """Return what one record of JSON has: an object with named fields, a text, or cells."""
    if isinstance(record, dict):
        return Pair(
            _get_text(find_field(record, PUZZLES)),
            _get_text(find_field(record, COLUMNS["solution"])),
        )
    return Pair(_get_text(record))


def _get_text(value: object) -> str | None:
    if not is_puzzle(value):
        return None
    text = cells_text(value)
    # A number of two digits must not pass for two cells.
    return re.sub(r"\S\S+", "?", text) if isinstance(value, list) and " " in text else text
