"""What SudokuPad keeps in links of its own: drawings in JSON, without quotes and with short keys.

Digits, regions and cages are read. Lines and shapes have a meaning that only words say, and are
refused; the words are a note.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.boards import FLAGS, LARGEST, board_from
from sudokucrypt.sudoku.formats.contract import (
    MOST_CHARACTERS,
    StoredPuzzle,
    load_json,
    with_solution,
    with_words,
)
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_KEYS = {"ca": "cages", "ce": "cells", "a": "arrows", "o": "overlays", "u": "underlays",
         "l": "lines", "v": "value", "re": "regions", "t": "title"}  # fmt: skip
_DRAWN = ("lines", "arrows", "overlays", "underlays", "foglight", "triggereffect")
_TOKEN = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[\[\]{},:]|[^\[\]{},:'\"]+")
_WORDS = {"t": "true", "f": "false"}
# What the rules of ordinary puzzles do not say.
_MORE = re.compile(r"^(?!\s*(normal )?sudoku rules apply\W*$)\s*\S", re.IGNORECASE)
_CAPTION = re.compile(
    r"(title|author|rules|solution|antiknight|antiking):\s*(.*)", re.DOTALL | re.IGNORECASE
)


def unzipped(text: str) -> str:
    """Return JSON of which quotes, long keys and empty objects were left out."""
    parts = _TOKEN.findall(text[:MOST_CHARACTERS]) or ["{"]  # nothing is damaged JSON
    written: list[str] = []
    for part, after in zip(parts, [*parts[1:], ""], strict=True):
        if part[0] in "'\"":
            plain = re.sub(r"\\(['\"\\])", r"\1", part[1:-1]).replace("\\n", "\n")
            written.append(json.dumps(plain))
        elif part in "[]{}:,":
            written.append(part)
            if part in "[," and after in (",", "]"):
                written.append("{}")
        elif after == ":":
            written.append(json.dumps(_KEYS.get(part, part)))
        else:
            number = re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", part)
            written.append(part if number else _WORDS.get(part, json.dumps(part)))
    return "".join(written)


def loaded(text: str) -> StoredPuzzle:
    """Return the puzzle of a drawing in JSON, from which quotes may be left out."""
    return parsed(
        load_json(text if text.startswith('{"') else unzipped(text), "a SudokuPad puzzle")
    )


def parsed(fields: Any) -> StoredPuzzle:
    """Return the puzzle of a drawing; `InvalidGridError` where more is drawn than is read."""
    rows = fields.get("cells") if isinstance(fields, dict) else None
    size = len(rows) if isinstance(rows, list) else 0
    if not rows or size > LARGEST or not all(isinstance(r, list) and len(r) == size for r in rows):
        raise InvalidGridError(f"the link has no square of 1 to {LARGEST} rows")
    for key in _DRAWN:
        if fields.get(key):
            raise InvalidGridError(
                f"the link holds {key}, whose meaning is said in words alone",
                hint="f-puzzles links hold rules that a program can read",
            )
    captions = dict(_captions(fields))
    cages = [_cage(cage, size) for cage in _listed(fields, "cages") if cage.get("cells")]
    variant = board_from(size, _labels(fields.get("regions") or [], size))
    for key in ("antiknight", "antiking"):
        if captions.get(key) not in (None, "false"):
            variant = FLAGS[key].add_to(variant)
    values = [cell.get("value") or 0 if isinstance(cell, dict) else -1 for r in rows for cell in r]
    for cell, value in enumerate(values):
        if (
            type(value) not in (int, str)
            or not re.fullmatch("[0-9]{1,2}", str(value))
            or int(value) > size
        ):
            raise InvalidGridError(
                f"{cell_name(*divmod(cell, size))} of the link is not 1 to {size}"
            )
    rules = [cage for cage in cages if cage]
    puzzle = SudokuPuzzle(
        [int(value) for value in values], variant.with_constraints(*rules) if rules else variant
    )
    words = captions.get("rules", "")
    notes = (f"rules in words are not applied: {words[:300]!r}",) if _MORE.search(words) else ()
    stored = with_words(StoredPuzzle(puzzle, notes=notes), captions)
    return with_solution(stored, captions.get("solution"))


def _listed(fields: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = fields.get(key) or []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InvalidGridError(f"the {key} of the link are damaged")
    return value


def _captions(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the metadata, which older puzzles keep in cages without cells."""
    for cage in _listed(fields, "cages"):
        match = (
            _CAPTION.match(str(cage.get("value", ""))[:10_000]) if not cage.get("cells") else None
        )
        if match:
            yield match[1].lower(), match[2]
    metadata = fields.get("metadata")
    for key, value in metadata.items() if isinstance(metadata, dict) else ():
        if isinstance(value, str | bool):
            yield key, value if isinstance(value, str) else str(value).lower()


def _numbers(cells: object, size: int) -> list[int]:
    """Return the numbers of cells that are pairs of row and column, from 0."""
    fitting = isinstance(cells, list) and all(
        isinstance(c, list) and len(c) == 2 and all(type(n) is int and 0 <= n < size for n in c)
        for c in cells
    )
    if not isinstance(cells, list) or not fitting:
        raise InvalidGridError("the link has a cell outside the grid")
    return [row * size + column for row, column in cells]


def _cage(cage: dict[str, Any], size: int) -> Constraint | None:
    """Return the rule of a cage; one that allows a digit twice and has no sum is a drawing."""
    value = str(cage.get("value") or 0)
    if not (value.isascii() and value.isdecimal() and len(value) < 4):
        raise InvalidGridError(f"the cage {value[:20]!r} of the link is no sum")
    distinct = cage.get("unique") not in (False, "false")
    cells = tuple(_numbers(cage["cells"], size))
    if not distinct and not int(value):
        return None
    return Constraint("killer" if distinct else "sum", cells, int(value))


def _labels(regions: object, size: int) -> list[int] | None:
    """Return the number of the region of each cell, -1 where there is none."""
    if not isinstance(regions, list) or len(regions) > size * size:
        raise InvalidGridError("the regions of the link are damaged")
    labels = [-1] * (size * size)
    for region, cells in enumerate(regions):
        for cell in _numbers(cells, size):
            labels[cell] = region
    return labels if regions else None
