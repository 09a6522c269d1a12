"""The names of columns in tables and JSON, and the puzzles in nested JSON."""

from collections.abc import Iterator, Mapping
from math import isqrt
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS

COLUMNS = {
    "givens": (
        "givens", "problem", "puzzle", "puzzles", "question", "quiz", "quizzes", "unsolved",
        "input", "inputs",
    ),
    "grid": ("board", "boards", "grid", "grids", "sudoku", "sudokus", "value"),
    "solution": ("answer", "answers", "solution", "solutions", "solved", "label", "labels"),
}  # fmt: skip
"""The names of columns and JSON fields, by their content."""

PUZZLE_NAMES = (*COLUMNS["givens"], *COLUMNS["grid"])
"""The names of columns that contain puzzles, the most specific first."""

_MAX_DEPTH = 8
_MAX_NUMBER = 2**20
_OPEN_VALUES = {None, "", *OPEN_SYMBOLS, " ", "-", "?", "x", "X"}


def find_field(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first field with one of these names in any case, or None."""
    values_by_name = {str(key).lower(): value for key, value in fields.items()}
    return next(
        (values_by_name[name] for name in names if values_by_name.get(name) is not None), None
    )


def is_puzzle(value: object) -> bool:
    """Return whether a JSON value may be one puzzle: a text, a list of cells, or a list of rows."""
    if isinstance(value, str):
        return True
    if not isinstance(value, list) or not value:
        return False
    if all(isinstance(row, str | list) and len(row) == len(value) > 1 for row in value):
        return all(_is_cell(cell) for row in value for cell in row)
    return all(map(_is_cell, value)) and isqrt(len(value)) ** 2 == len(value)


def _is_cell(value: object) -> bool:
    return (
        value is None or type(value) in (int, float) or (isinstance(value, str) and len(value) < 3)
    )


def format_cells(value: Any) -> str:
    """Return a puzzle value as text: a symbol for each cell, or numbers with spaces."""
    if isinstance(value, str):
        return value
    cells = [cell for row in value for cell in (row if isinstance(row, str | list) else [row])]
    words = [*map(_format_cell, cells)]
    return ("" if all(len(word) == 1 for word in words) else " ").join(words)


def _format_cell(cell: Any) -> str:
    if cell in _OPEN_VALUES or cell != cell or cell in (0, -1):  # noqa: PLR0124 - NaN, for pandas
        return OPEN_SYMBOLS[0]
    is_whole_number = isinstance(cell, float) and cell.is_integer() and abs(cell) < _MAX_NUMBER
    return str(int(cell) if is_whole_number else cell).strip()


def iterate_records(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the puzzles in a JSON value: texts, lists of cells, or objects with named fields.

    Puzzles may be in arrays, in a field such as ``puzzles``, or in columns as pandas writes them.
    """
    if depth > _MAX_DEPTH:
        raise InvalidGridError("the JSON is nested too deep for puzzles")
    if is_puzzle(value):
        yield value
    elif isinstance(value, list):
        texts = [item for item in value if isinstance(item, str)]
        is_text_pair = len(value) == 2 == len(texts) and len(texts[0]) == len(texts[1])
        if is_text_pair and {*OPEN_SYMBOLS}.isdisjoint(texts[1]):
            yield {"puzzle": texts[0], "solution": texts[1]}
            return
        for item in value:
            yield from iterate_records(item, depth + 1)
    elif isinstance(value, dict):
        yield from _iterate_object_records(value, depth)
    else:
        raise InvalidGridError("a JSON array of puzzles holds rows of digits, texts or objects")


def is_board(value: object) -> bool:
    """Return whether a JSON value is a complete puzzle of f-puzzles or SudokuPad."""
    if not isinstance(value, dict):
        return False
    rows = value.get("grid") or value.get("cells")
    row = rows[0] if isinstance(rows, list) and rows else None
    return isinstance(row, list) and ("cells" in value or any(isinstance(c, dict) for c in row))


def _iterate_object_records(fields: dict[str, Any], depth: int) -> Iterator[Any]:
    columns, rows = fields.get("columns"), fields.get("data")
    puzzle, solution = find_field(fields, PUZZLE_NAMES), find_field(fields, COLUMNS["solution"])
    if is_board(fields) or is_puzzle(puzzle):
        yield fields
    elif isinstance(columns, list) and isinstance(rows, list):
        for row in rows:
            yield dict(zip(map(str, columns), row if isinstance(row, list) else (), strict=False))
    elif isinstance(puzzle, dict):  # each column maps row names to values
        for key in puzzle:
            field_items = fields.items()
            yield {name: item.get(key) for name, item in field_items if isinstance(item, dict)}
    elif isinstance(puzzle, list) and isinstance(solution, list) and len(puzzle) == len(solution):
        yield from ({"puzzle": p, "solution": s} for p, s in zip(puzzle, solution, strict=True))
    elif puzzle is None and isinstance(rows, list):
        yield from iterate_records(rows, depth + 1)
    else:
        nested_values = [item for item in fields.values() if _may_contain_puzzles(item)]
        nested_values = [puzzle] if isinstance(puzzle, list) else nested_values
        if not nested_values:
            yield fields
        for item in nested_values:
            yield from iterate_records(item, depth + 1)


def _may_contain_puzzles(value: object) -> bool:
    """Return whether a value is an object, or an array of objects or arrays."""
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, list | dict) for item in value)
    )
