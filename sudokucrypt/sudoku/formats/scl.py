"""What SudokuPad keeps in links of its own: drawings in JSON, without quotes and with short keys.

Digits, regions and cages are read. Lines and shapes have a meaning that only words say, and are
refused; the words are a note.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import MOST_CHARACTERS, StoredPuzzle, loaded_json
from sudokucrypt.sudoku.model.boxes import default_box
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant

_KEYS = {"ca": "cages", "ce": "cells", "a": "arrows", "o": "overlays", "u": "underlays",
         "l": "lines", "v": "value", "re": "regions", "t": "title"}  # fmt: skip
_DRAWN = ("lines", "arrows", "overlays", "underlays", "foglight", "triggereffect")
_TOKEN = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[\[\]{},:]|[^\[\]{},:'\"]+")
_WORDS = {"t": "true", "f": "false"}
# No link can ask for a huge sheet; f-puzzles stops here as well.
_LARGEST = 16
# What the rules of ordinary puzzles do not say.
_MORE = re.compile(r"^(?!\s*(normal )?sudoku rules apply\W*$)\s*\S", re.IGNORECASE)
_CAPTION = re.compile(r"(title|author|rules):\s*(.*)", re.DOTALL)


def unzipped(text: str) -> str:
    """Return JSON of which quotes, long keys and empty objects were left out."""
    parts = _TOKEN.findall(text[:MOST_CHARACTERS])
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


def parsed(text: str) -> StoredPuzzle:
    """Return the puzzle of a drawing; `InvalidGridError` where more is drawn than is read."""
    fields = loaded_json(text if text.startswith('{"') else unzipped(text), "a SudokuPad puzzle")
    rows = fields.get("cells") if isinstance(fields, dict) else None
    size = len(rows) if isinstance(rows, list) else 0
    if not rows or size > _LARGEST or not all(isinstance(r, list) and len(r) == size for r in rows):
        raise InvalidGridError(f"the link has no square of 1 to {_LARGEST} rows")
    for key in _DRAWN:
        if fields.get(key):
            raise InvalidGridError(
                f"the link holds {key}, whose meaning is said in words alone",
                hint="f-puzzles links hold rules that a program can read",
            )
    captions = dict(_captions(fields))
    cages = [_cage(cage, size) for cage in _listed(fields, "cages") if cage.get("cells")]
    variant = _board(_listed_cells(fields.get("regions") or [], size), size)
    values = [cell.get("value") or 0 if isinstance(cell, dict) else -1 for r in rows for cell in r]
    if not all(str(value).isdecimal() and 0 <= int(value) <= size for value in values):
        raise InvalidGridError(f"a digit of the link is not 1 to {size}")
    puzzle = SudokuPuzzle(
        [int(value) for value in values], variant.with_constraints(*cages) if cages else variant
    )
    words = captions.get("rules", "")
    notes = (f"rules in words are left out: {words[:300]!r}",) if _MORE.search(words) else ()
    return StoredPuzzle(puzzle, None, captions.get("title", ""), captions.get("author", ""), notes)


def _listed(fields: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = fields.get(key) or []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InvalidGridError(f"the {key} of the link are damaged")
    return value


def _captions(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield title, author and rules, which older puzzles keep in cages without cells."""
    metadata = fields.get("metadata")
    for key in ("title", "author", "rules") if isinstance(metadata, dict) else ():
        if isinstance(metadata, dict) and isinstance(metadata.get(key), str):
            yield key, metadata[key][:1000]
    for cage in _listed(fields, "cages"):
        match = _CAPTION.match(str(cage.get("value", ""))[:1000]) if not cage.get("cells") else None
        if match:
            yield match[1], match[2]


def _numbers(cells: object, size: int) -> list[int]:
    """Return the numbers of cells that are pairs of row and column, from 0."""
    fitting = isinstance(cells, list) and all(
        isinstance(c, list) and len(c) == 2 and all(type(n) is int and 0 <= n < size for n in c)
        for c in cells
    )
    if not isinstance(cells, list) or not fitting:
        raise InvalidGridError("the link has a cell outside the grid")
    return [row * size + column for row, column in cells]


def _listed_cells(groups: object, size: int) -> list[list[int]]:
    if not isinstance(groups, list) or len(groups) > size * size:
        raise InvalidGridError("the regions of the link are damaged")
    return [_numbers(group, size) for group in groups]


def _cage(cage: dict[str, Any], size: int) -> Constraint:
    value = str(cage.get("value") or 0)
    if not (value.isascii() and value.isdecimal() and len(value) < 4):
        raise InvalidGridError(f"the cage {value[:20]!r} of the link is no sum")
    return Constraint("killer", tuple(_numbers(cage["cells"], size)), int(value))


def _board(regions: list[list[int]], size: int) -> Variant:
    """Return rows and columns, and regions if there are some."""
    standard = Variant.standard(default_box(size))
    groups = {frozenset(cells) for cells in regions}
    if groups and Variant.latin(size).demands | groups == standard.demands:
        return standard
    labels = np.full(size * size, -1)
    for region, cells in enumerate(regions):
        labels[cells] = region
    return Variant.jigsaw(labels.reshape(size, size)) if regions else Variant.latin(size)
