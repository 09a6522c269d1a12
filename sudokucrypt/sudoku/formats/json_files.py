"""Read puzzles in JSON: boards of f-puzzles and SudokuPad, arrays, objects, arrays in programs."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats import columns, fpuzzles, links
from sudokucrypt.sudoku.formats.contract import (
    MAX_CHARACTERS,
    PuzzleFormat,
    StoredPuzzle,
    add_metadata,
    add_solution,
    label_parts,
)
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_NONBLANK_CHARACTER = re.compile(r"\S")
_DECODER = json.JSONDecoder()
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_BOARD_START = re.compile(r'"grid"\s*:\s*\[\s*\[\s*[{\[]')
# The start of an array in a program: a name and an equals sign, or a call of ``array``.
_ARRAY_IN_CODE = re.compile(
    r"^[^\n{(\"'=]{0,120}(?:=\s*|\breturn\s|array\s*|matrix\s*)(?:new\b[\w\s\[\]]*|[\w.]*\s*)"
    r"[(\[{]\s*[(\[{\"'0-9.-]", re.MULTILINE
)  # fmt: skip
_ARRAY_START = re.compile(r"\{|\[\s*(?:[\[{(\"'0-9.*_\]-]|nan|null|none)", re.IGNORECASE)
# The first field that may be a puzzle, and the start of text or of cells in it.
_PUZZLE_FIELD = re.compile(
    rf'"(?:{"|".join(columns.PUZZLE_NAMES)})"\s*:\s*("|\[\s*[\[0-9])?', re.IGNORECASE
)
_TRAILING_COMMA = re.compile(r",\s*([\]}])")
_KEY_END = re.compile(r"[\"']\s*:")  # the end of the name of a field
# Text that is not a value, such as dtype=int8, and the sides of an array, as in grid[9][9].
_VALUELESS_TEXT = re.compile(r",?\s*\w+\s*=\s*[\w.'\"]+(?=\s*\))|\[\s*\w*\s*\](?=\s*[\[={])")
_CODE_TOKEN = re.compile(
    r"\"[^\"]*\"|'[^']*'|[\[\](){}]|//[^\n]*|/\*.*?\*/|[^\s,;\[\](){}\"']+", re.DOTALL
)
_OPEN_WORDS = {"none", "null", "nan", ".", "_", "*"}
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{0,9})?")
_MAX_DEPTH = 8


def iterate_values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of a text that begins with one, as pairs of line number and value.

    Damaged text is yielded once as None, up to the next line that begins with a brace.
    """
    text = _COMMENT.sub("", text)
    starts = [match.start() for match in re.finditer(r"^\{", text, re.MULTILINE)]
    line, line_start = 1, 0
    for start, stop in pairwise([*starts, len(text)]):
        end = start
        while match := _NONBLANK_CHARACTER.search(text, end, stop):
            value_start = match.start()
            line, line_start = line + text.count("\n", line_start, value_start), value_start
            value, end = _decode_json(text, value_start, stop)
            yield line, value


def _decode_json(text: str, start: int, stop: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, stop


def _find_arrays(text: str) -> list[Any]:
    """Return as lists the arrays in the source code of a program or in the output of NumPy."""
    open_arrays: list[list[Any]] = [[]]
    for match in _CODE_TOKEN.finditer(_VALUELESS_TEXT.sub("", text)):
        sign = match[0]
        if sign in "[({":
            open_arrays.append([])
            if len(open_arrays) > _MAX_DEPTH:
                raise InvalidGridError("the array is nested too deep for puzzles")
        elif sign in "])}":
            if len(open_arrays) == 1:
                raise InvalidGridError("a bracket is closed that was not opened")
            values = open_arrays.pop()
            # The sides of an array, as in grid[9][9], are not a puzzle.
            if (
                len(open_arrays) > 1
                or len(values) > 3
                or any(isinstance(item, list) for item in values)
            ):
                open_arrays[-1].append(values)
        elif len(open_arrays) > 1 and not sign.startswith(("//", "/*")):
            open_arrays[-1].append(_parse_value(sign))
    if len(open_arrays) > 1:
        raise InvalidGridError("a bracket of the array is not closed")
    return open_arrays[0]


def _parse_value(token: str) -> int | float | str | None:
    if token[0] in "\"'":
        return token[1:-1]
    if token.lower() in _OPEN_WORDS:
        return None
    if not _NUMBER.fullmatch(token):
        raise InvalidGridError(f"an array contains {token[:20]!r} instead of a digit")
    return float(token) if "." in token else int(token)


def is_json(start: str) -> bool:
    """Return whether a text with this start is one JSON value, not an object on each line."""
    start = start.lstrip()
    if start[:1] != "{":
        return start[:1] == "[" and _ARRAY_START.match(start) is not None
    line, line_end, _ = start.partition("\n")
    value, _ = _decode_json(line, 0, len(line))
    if value is None:  # the value is incomplete in `start`, spans several lines, or is damaged
        field = _PUZZLE_FIELD.search(line)
        return not (field and field[1]) and (not line_end or line.count("{") != line.count("}"))
    return (
        isinstance(value, dict)
        and not columns.is_puzzle(columns.find_field(value, columns.PUZZLE_NAMES))
        and bool(value)
    )


def _is_code(text: str) -> bool:
    """Return whether braces enclose arrays of a program rather than JSON objects."""
    return _KEY_END.search(text) is None


def load_json_puzzles(text: str) -> list[tuple[str, Any]]:
    """Return the puzzles in JSON or in a program, with their names in messages.

    A puzzle is a text, a list of cells or rows, or an object with named fields.
    """
    if text.startswith("{") and len(text) > MAX_CHARACTERS and _BOARD_START.search(text[: 2**21]):
        raise InvalidGridError(f"a puzzle of more than {MAX_CHARACTERS} characters is refused")
    if text.startswith("{") and not _is_code(text):
        values = [*iterate_values(text)]
        if len(values) > 1:
            records = [(line, value if isinstance(value, dict) else None) for line, value in values]
            return [(f"line {line}", value) for line, value in records]
    return label_parts("puzzle", columns.iterate_records(_load_value(text)))


def _load_value(text: str) -> Any:
    """Return one JSON value; the variants that Python and other programs write are accepted."""
    for form in (text, _TRAILING_COMMA.sub(r"\1", text.replace("'", '"').replace("None", "null"))):
        with suppress(ValueError, RecursionError):
            return json.loads(form)
    if _is_code(text):
        return _find_arrays(text)
    raise InvalidGridError("the input looks like JSON, but is damaged")


def _read_puzzle(value: Any) -> StoredPuzzle:
    if columns.is_board(value):
        return links.parse_drawing(value) if "cells" in value else fpuzzles.parse_fpuzzles(value)
    fields = value if isinstance(value, dict) else {"puzzle": value}
    puzzle = columns.find_field(fields, columns.PUZZLE_NAMES)
    if not columns.is_puzzle(puzzle):
        raise InvalidGridError("the JSON has no puzzle under a name such as 'puzzle' or 'givens'")
    stored_puzzle = StoredPuzzle(SudokuPuzzle.from_text(columns.format_cells(puzzle)))
    solution = columns.find_field(fields, columns.COLUMNS["solution"])
    text = columns.format_cells(solution) if columns.is_puzzle(solution) else None
    return add_solution(add_metadata(stored_puzzle, fields), text)


JSON_FORMAT = PuzzleFormat(
    name="json",
    title="JSON",
    matches=lambda text: bool(_ARRAY_START.match(text) or _ARRAY_IN_CODE.search(text[:2000])),
    split=load_json_puzzles,
    read=_read_puzzle,
)
