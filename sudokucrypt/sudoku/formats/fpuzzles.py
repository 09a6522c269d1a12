"""The JSON of f-puzzles, which SudokuPad reads too: sizes up to 16, and the rules of variants."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle, loaded_json, narrowed
from sudokucrypt.sudoku.formats.rules import constraints_in, expanded, keys, written_constraints
from sudokucrypt.sudoku.model.boxes import default_box
from sudokucrypt.sudoku.model.constraints import CONSTRAINTS
from sudokucrypt.sudoku.model.constraints.entries import listed, names_of, numbers_of
from sudokucrypt.sudoku.model.houses import House
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import Box

# As f-puzzles itself has it.
_LARGEST = 16
_IGNORED = {
    "size", "title", "author", "grid", "solution", "successMessage", "disabledlogic",
    "truecandidatesoptions",
}  # fmt: skip
_COSMETIC = {
    "line", "rectangle", "circle", "text", "cage", "highlight", "ruleset", "fogofwar", "foglight",
    "triggereffect",
}  # fmt: skip


class _Flag(NamedTuple):
    """A rule that a flag turns on: its variant, whose further houses have names that begin so."""

    title: str
    rule: str
    prefix: str
    build: Callable[[Box], Variant]


_FLAGS = {
    "diagonal-": _Flag("Falling diagonal", "The falling diagonal holds each digit once.",
                       "diagonal 1", Variant.x),
    "diagonal+": _Flag("Rising diagonal", "The rising diagonal holds each digit once.",
                       "diagonal 2", Variant.x),
    "antiknight": _Flag("Anti-knight", Variant.anti_knight().rule, "knight's move",
                        Variant.anti_knight),
    "antiking": _Flag("Anti-king", Variant.anti_king().rule, "king's move", Variant.anti_king),
    "disjointgroups": _Flag("Disjoint groups", Variant.disjoint_groups().rule, "disjoint group",
                            Variant.disjoint_groups),
}  # fmt: skip
_EXTRA = "extra region"


def parsed(text: str) -> StoredPuzzle:
    """Return the puzzle in the JSON of f-puzzles."""
    fields = loaded_json(text, "an f-puzzles puzzle")
    if not isinstance(fields, dict):
        raise InvalidGridError("an f-puzzles puzzle is a JSON object")
    size, grid = fields.get("size"), fields.get("grid")
    if type(size) is not int or not 1 <= size <= _LARGEST:
        raise InvalidGridError(f"f-puzzles have sizes from 1 to {_LARGEST}, not {str(size)[:20]}")
    rows = grid if isinstance(grid, list) and len(grid) == size else []
    cells = [cell for row in rows if isinstance(row, list) for cell in row]
    whole = all(isinstance(row, list) and len(row) == size for row in rows) and bool(rows)
    if not whole or not all(isinstance(cell, dict) for cell in cells):
        raise InvalidGridError(f"the grid of an f-puzzles puzzle of size {size} is damaged")
    if any(cell.get("givenPencilMarks") for cell in cells):
        raise _unsupported("givenPencilMarks")
    notes = [f"{key!r} is left out" for key in sorted(_COSMETIC & fields.keys()) if fields[key]]
    variant = _variant(fields, cells, size)
    values = [cell.get("value") or 0 for cell in cells]
    if not all(type(value) is int and 0 <= value <= size for value in values):
        raise InvalidGridError(f"a value of an f-puzzles puzzle is not 1 to {size}")
    title, author = (str(fields.get(key) or "")[:200] for key in ("title", "author"))
    stored = StoredPuzzle(SudokuPuzzle(values, variant), None, title, author, tuple(notes))
    pairs = zip(cells, values, strict=True)
    return narrowed(stored, [0 if v else _mask(c.get("centerPencilMarks"), size) for c, v in pairs])


def _mask(marks: object, size: int) -> int:
    """Return the candidates that are marked in a cell."""
    digits = marks if isinstance(marks, list) else [marks] if marks else []
    if not all(type(digit) is int and 1 <= digit <= size for digit in digits):
        raise InvalidGridError(f"a pencil mark of an f-puzzles puzzle is not 1 to {size}")
    return sum(1 << digit - 1 for digit in set(digits))


def _unsupported(key: str) -> InvalidGridError:
    return InvalidGridError(
        f"the f-puzzles constraint {key[:40]!r} is not supported",
        hint="without it the puzzle would be another one",
    )


def _variant(fields: dict[str, Any], cells: Sequence[dict[str, Any]], size: int) -> Variant:
    fields = expanded(fields)
    known = _IGNORED | _COSMETIC | _FLAGS.keys() | keys() | {"extraregion"}
    # Empty lists mean nothing: f-puzzles writes them for what a puzzle lacks.
    for key in sorted(fields.keys() - known):
        if fields[key]:
            raise _unsupported(key)
    box = default_box(size)
    variant = _board(cells, size, box)
    for key, flag in _FLAGS.items():
        if fields.get(key):
            more = [h for h in flag.build(box).houses if h.name.startswith(flag.prefix)]
            variant = variant.with_houses(flag.title, more, flag.rule)
    entries = fields.get("extraregion") or []
    if entries:
        regions = [
            House(f"{_EXTRA} {number}", numbers_of(entry.get("cells"), size), "tint")
            for number, entry in enumerate(listed(entries), 1)
        ]
        variant = variant.with_houses(
            "Extra regions", regions, "Tinted regions hold each digit at most once."
        )
    constraints = [*constraints_in(fields, size)]
    return variant.with_constraints(*constraints) if constraints else variant


def _board(cells: Sequence[dict[str, Any]], size: int, box: Box) -> Variant:
    """Return the rows, columns and regions."""
    p, q = box
    boxes = [cell // size // p * (size // q) + cell % size // q for cell in range(size * size)]
    labels = [cell.get("region", own) for cell, own in zip(cells, boxes, strict=True)]
    if labels == boxes:
        return Variant.standard(box)
    if not all(type(label) is int for label in labels):
        raise InvalidGridError("a region of an f-puzzles puzzle is not a number")
    return Variant.jigsaw(np.array(labels).reshape(size, size))


def written(stored: StoredPuzzle) -> str:
    """Return a puzzle as the JSON of f-puzzles."""
    variant, cells = stored.puzzle.variant, stored.puzzle.cells
    size = variant.digits
    if variant.shape != (size, size) or len(variant.cells) != size * size or size > _LARGEST:
        raise InvalidGridError(f"f-puzzles has no boards of {variant.name}")
    fields: dict[str, Any] = {"size": size}
    fields |= {key: getattr(stored, key) for key in ("title", "author") if getattr(stored, key)}
    grid: list[list[dict[str, Any]]] = [
        [{"value": digit + 1, "given": True} if digit >= 0 else {} for digit in row]
        for row in cells.tolist()
    ]
    if stored.candidates:
        for cell, mask in enumerate(stored.candidates):
            if "value" not in grid[cell // size][cell % size]:
                marks = [n for n in range(1, size + 1) if mask >> n - 1 & 1]
                grid[cell // size][cell % size]["centerPencilMarks"] = marks
    fields["grid"] = grid
    fields |= _rules(variant, grid)
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


def _rules(variant: Variant, grid: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the flags and regions of a variant; regions of a jigsaw go into the grid."""
    size = variant.digits
    standard = Variant.standard(default_box(size)).demands
    rows = Variant.latin(size).demands if size > 1 else standard
    borders = [house for house in variant.houses if house.drawn == "border"]
    fields: dict[str, Any] = {}
    extra = []
    if not standard <= variant.demands:
        for region, house in enumerate(borders):
            for cell in house.cells:
                grid[cell // size][cell % size]["region"] = region
        if len(borders) != size:
            raise InvalidGridError(f"f-puzzles has no boards of {variant.name}")
    board = {frozenset(house.cells) for house in borders} | standard | rows
    for house in variant.houses:
        flags = _FLAGS.items()
        key = next((key for key, flag in flags if house.name.startswith(flag.prefix)), None)
        if key:
            fields[key] = True
        elif house.name.startswith((_EXTRA, "window")):
            extra.append({"cells": names_of(house.cells, size)})
        elif frozenset(house.cells) not in board and house.name.split(" ")[0] not in CONSTRAINTS:
            raise InvalidGridError(f"f-puzzles has no rule like {house.name}")
    fields |= written_constraints(variant.constraints, size)
    return {**fields, "extraregion": extra} if extra else fields


def _read(text: str) -> Iterator[StoredPuzzle]:
    yield parsed(text)


def _write(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored,) = puzzles
    return written(stored) + "\n"


FPUZZLES = PuzzleFormat(
    name="fpuzzles",
    title="f-puzzles JSON",
    matches=lambda text: (
        text.startswith("{") and re.search(r'"grid"\s*:\s*\[', text[: 2 * 2**20]) is not None
    ),
    read=_read,
    write=_write,
    single=True,
)
