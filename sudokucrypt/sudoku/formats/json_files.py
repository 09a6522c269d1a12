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
    MOST_CHARACTERS,
    PuzzleFormat,
    StoredPuzzle,
    add_solution,
    add_words,
    number_parts,
)
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_NOT_BLANK = re.compile(r"\S")
_DECODER = json.JSONDecoder()
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_BOARD = re.compile(r'"grid"\s*:\s*\[\s*\[\s*[{\[]')
# The start of an array in a program: a name and an equals sign, or a call of ``array``.
_CODE = re.compile(
    r"^[^\n{(\"'=]{0,120}(?:=\s*|\breturn\s|array\s*|matrix\s*)(?:new\b[\w\s\[\]]*|[\w.]*\s*)"
    r"[(\[{]\s*[(\[{\"'0-9.-]", re.MULTILINE
)  # fmt: skip
_ARRAY = re.compile(r"\{|\[\s*(?:[\[{(\"'0-9.*_\]-]|nan|null|none)", re.IGNORECASE)
# The first field that may be a puzzle, and the start of text or of cells in it.
_FIELD = re.compile(rf'"(?:{"|".join(columns.PUZZLES)})"\s*:\s*("|\[\s*[\[0-9])?', re.IGNORECASE)
_TRAILING = re.compile(r",\s*([\]}])")
_KEY = re.compile(r"[\"']\s*:")  # the end of the name of a field
# Text that is not a value, such as dtype=int8, and the sides of an array, as in grid[9][9].
_NAMED = re.compile(r",?\s*\w+\s*=\s*[\w.'\"]+(?=\s*\))|\[\s*\w*\s*\](?=\s*[\[={])")
_TOKEN = re.compile(
    r"\"[^\"]*\"|'[^']*'|[\[\](){}]|//[^\n]*|/\*.*?\*/|[^\s,;\[\](){}\"']+", re.DOTALL
)
_NOTHING = {"none", "null", "nan", ".", "_", "*"}
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{0,9})?")
_DEEPEST = 8


def iterate_values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield successive JSON values, and the numbers of their first lines.

    Damaged text is yielded once as None, up to the next line that begins with a brace.
    """
    text = _COMMENT.sub("", text)
    starts = [match.start() for match in re.finditer(r"^\{", text, re.MULTILINE)]
    line, before = 1, 0
    for start, stop in pairwise([*dict.fromkeys([0, *starts]), len(text)]):
        end = start
        while match := _NOT_BLANK.search(text, end, stop):
            begin = match.start()
            line, before = line + text.count("\n", before, begin), begin
            value, end = _decode_json(text, begin, stop)
            yield line, value


def _decode_json(text: str, begin: int, stop: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None, stop


def _find_arrays(text: str) -> list[Any]:
    """Return the arrays in the text of a program, or as NumPy prints them, as lists."""
    stack: list[list[Any]] = [[]]
    for match in _TOKEN.finditer(_NAMED.sub("", text)):
        sign = match[0]
        if sign in "[({":
            stack.append([])
            if len(stack) > _DEEPEST:
                raise InvalidGridError("the array is nested too deep for puzzles")
        elif sign in "])}":
            if len(stack) == 1:
                raise InvalidGridError("a bracket is closed that was not opened")
            part = stack.pop()
            # The sides of an array, as in grid[9][9], are not a puzzle.
            if len(stack) > 1 or len(part) > 3 or any(isinstance(one, list) for one in part):
                stack[-1].append(part)
        elif len(stack) > 1 and not sign.startswith(("//", "/*")):
            stack[-1].append(_parse_value(sign))
    if len(stack) > 1:
        raise InvalidGridError("a bracket of the array is not closed")
    return stack[0]


def _parse_value(token: str) -> int | float | str | None:
    if token[0] in "\"'":
        return token[1:-1]
    if token.lower() in _NOTHING:
        return None
    if not _NUMBER.fullmatch(token):
        raise InvalidGridError(f"an array contains {token[:20]!r} instead of a digit")
    return float(token) if "." in token else int(token)


def is_json(start: str) -> bool:
    """Return whether a text with this start is one JSON value, not an object on each line."""
    start = start.lstrip()
    if start[:1] != "{":
        return start[:1] == "[" and _ARRAY.match(start) is not None
    line, end, _ = start.partition("\n")
    value, _ = _decode_json(line, 0, len(line))
    if value is None:  # the value is incomplete in `start`, spans several lines, or is damaged
        first = _FIELD.search(line)
        return not (first and first[1]) and (not end or line.count("{") != line.count("}"))
    return (
        isinstance(value, dict)
        and not columns.is_puzzle(columns.find_field(value, columns.PUZZLES))
        and bool(value)
    )


def _is_code(text: str) -> bool:
    """Return whether braces enclose arrays of a program rather than JSON objects."""
    return _KEY.search(text) is None


def load_json(text: str) -> list[tuple[str, Any]]:
    """Return the puzzles in JSON or in a program, with their names in messages.

    A puzzle is a text, a list of cells or rows, or an object with named fields.
    """
    if text.startswith("{") and len(text) > MOST_CHARACTERS and _BOARD.search(text[: 2**21]):
        raise InvalidGridError(f"a puzzle of more than {MOST_CHARACTERS} characters is refused")
    if text.startswith("{") and not _is_code(text):
        values = [*iterate_values(text)]
        if len(values) > 1:
            objects = [(line, one if isinstance(one, dict) else None) for line, one in values]
            return [(f"line {line}", one) for line, one in objects]
    return number_parts("puzzle", columns.iterate_records(_load_value(text)))


def _load_value(text: str) -> Any:
    """Return one JSON value; the variants that Python and other programs write are accepted."""
    for written in (text, _TRAILING.sub(r"\1", text.replace("'", '"').replace("None", "null"))):
        with suppress(ValueError, RecursionError):
            return json.loads(written)
    if _is_code(text):
        return _find_arrays(text)
    raise InvalidGridError("the input looks like JSON, but is damaged")


def _read(value: Any) -> StoredPuzzle:
    if columns.is_board(value):
        return links.parse_drawing(value) if "cells" in value else fpuzzles.parse_fpuzzles(value)
    fields = value if isinstance(value, dict) else {"puzzle": value}
    puzzle = columns.find_field(fields, columns.PUZZLES)
    if not columns.is_puzzle(puzzle):
        raise InvalidGridError("the JSON has no puzzle under a name such as 'puzzle' or 'givens'")
    stored = StoredPuzzle(SudokuPuzzle.from_text(columns.format_cells(puzzle)))
    solution = columns.find_field(fields, columns.COLUMNS["solution"])
    text = columns.format_cells(solution) if columns.is_puzzle(solution) else None
    return add_solution(add_words(stored, fields), text)


JSON = PuzzleFormat(
    name="json",
    title="JSON",
    matches=lambda text: bool(_ARRAY.match(text) or _CODE.search(text[:2000])),
    split=load_json,
    read=_read,
)
