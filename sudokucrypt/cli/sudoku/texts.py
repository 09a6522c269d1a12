"""The text of grids and puzzles: an argument, a file or stdin, in line form, ruled or JSON."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import click

from sudokucrypt.cli.sudoku.options import MOST_ROWS, VariantOptions
from sudokucrypt.errors import InvalidGridError
from sudokucrypt.storage import read_limited
from sudokucrypt.sudoku import VARIANTS, SudokuGrid, SudokuPuzzle
from sudokucrypt.sudoku.model.text import symbols_of
from sudokucrypt.typing import Box

grid_argument = click.argument("text", metavar="GRID")

_LIMIT = 64 * 2**20
_MOST_SYMBOLS = 35  # orders beyond it are written in numbers

_PLAIN = b".0123456789\n"
_NOT_BLANK = re.compile(r"\S")
_OF_PUZZLES = ("givens", "grid")
_OF_GRIDS = ("grid", "solution", "givens")
"""The keys under which JSON is searched for the line form."""


class Written(NamedTuple):
    """The text of a sheet, and the rules that it is under."""

    text: str
    rules: VariantOptions

    def puzzle(self) -> SudokuPuzzle:
        """Return it as a puzzle."""
        if self.rules.box is None and self.rules.kind.name == "standard":
            return SudokuPuzzle.from_text(self.text)
        return SudokuPuzzle.from_text(self.text, self.rules.variant(len(symbols_of(self.text))))


def read_puzzles(place: str, rules: VariantOptions) -> list[Written]:
    """Return the puzzles that an argument holds: itself, a file of them, or stdin for ``-``.

    A file holds one on each line, as far as the first comma; lines that begin with # are left out.
    Lines that are the rows of a sheet, plain or with ruled boxes, are one together; blank lines
    separate such sheets. Or it holds JSON objects as the commands write them.
    """
    return _read(place, rules, _OF_PUZZLES)


def read_solution(place: str, rules: VariantOptions) -> Written:
    """Return the one full sheet that an argument holds."""
    written = _read(place, rules, _OF_GRIDS)
    if len(written) > 1:
        raise InvalidGridError(f"the input holds {len(written)} grids; give one")
    return written[0]


def read_grid(place: str, box: Box | None) -> SudokuGrid:
    """Return the one grid that an argument holds."""
    rules = VariantOptions(box=box)
    written = read_solution(place, rules)
    return SudokuGrid.from_text(written.text, written.rules.box)


def _read(place: str, rules: VariantOptions, keys: Sequence[str]) -> list[Written]:
    """Return all that an argument holds; of a JSON object what is under the first of the keys."""
    stored = place == "-" or _is_file(place)
    content = _stored_text(place) if stored else place
    # Long files are mostly plain lines, for which the rest takes longer than their solutions.
    if stored and "\n\n" not in content and not content.encode().translate(None, _PLAIN):
        texts = content.split()
        if texts and not _is_one_grid(texts, rules):
            return [Written(text, rules) for text in texts]
    lines = [line for line in content.splitlines() if not line.lstrip().startswith("#")]
    full = [line for line in lines if line.strip()]
    if not full:
        raise InvalidGridError("there is no grid in the input")
    if full[0].lstrip().startswith("{"):
        return [_from_object(fields, rules, keys) for fields in _objects("\n".join(full))]
    texts = []
    paragraphs = [list(part) for text, part in groupby(lines, lambda at: bool(at.strip())) if text]
    for part in [full] if _is_one_grid(full, rules) else paragraphs:
        ruled = any("|" in line or set(line.strip()) <= set("-+") for line in part)
        if ruled or _is_one_grid(part, rules):
            texts.append("\n".join(part))
        else:
            texts += [line.partition(",")[0].strip() for line in part]
    if not stored and len(texts) == 1 and rules.kind.square:
        _require_fit(texts[0], place, rules)
    return [Written(text, rules) for text in texts]


def _objects(content: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that follow each other."""
    decoder = json.JSONDecoder()
    place = 0
    while start := _NOT_BLANK.search(content, place):
        try:
            fields, place = decoder.raw_decode(content, start.start())
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise InvalidGridError("the input looks like JSON, but is not a sequence of objects")
        yield fields


def _from_object(fields: dict[str, Any], rules: VariantOptions, keys: Sequence[str]) -> Written:
    """Return what a JSON object holds; rules that it names hold unless options say otherwise."""
    text = next((fields[key] for key in keys if isinstance(fields.get(key), str)), None)
    if text is None:
        raise InvalidGridError(f"a JSON object has no line form under {' or '.join(keys)}")
    kind, numbers, box = rules.kind, rules.numbers, rules.box or fields.get("box")
    if kind.name == "standard":
        word = fields.get("variant", "standard")
        if not isinstance(word, str) or word not in VARIANTS:
            raise InvalidGridError(
                f"sheets of the variant {word!r} cannot be read from JSON",
                hint="'--variant MODULE:NAME' names the code that knows their rules",
            )
        kind = VARIANTS[word]
    if kind.takes:
        numbers, box = numbers or _sides(kind.name, fields.get(kind.name), MOST_ROWS**2), None
        if len(numbers) != len(kind.takes.split(",")):
            raise InvalidGridError(f"{kind.title} in JSON have the sides {kind.takes}")
    elif box is not None:
        sides = _sides("box", box, MOST_ROWS)
        if len(sides) != 2:
            raise InvalidGridError(f"'box' in JSON must be two positive integers, not {box!r}")
        box = sides[0], sides[1]
    return Written(text, VariantOptions(box=box, kind=kind, numbers=numbers))


def _sides(key: str, value: object, most: int) -> tuple[int, ...]:
    """Return the numbers under a key of JSON."""
    sides = tuple(value) if isinstance(value, (list, tuple)) else ()
    if not sides or any(type(side) is not int or side < 1 for side in sides):
        raise InvalidGridError(f"{key!r} in JSON must be positive integers, not {value!r}")
    if prod(sides) > most:
        raise InvalidGridError(f"{key!r} in JSON has up to {most} cells, not {value!r}")
    return sides


def _is_one_grid(lines: list[str], rules: VariantOptions) -> bool:
    """Tell whether each line is a row of the same grid."""
    if len(lines) == 1 or any("|" in line for line in lines):
        return False
    if not rules.kind.square:
        symbols = [len("".join(line.split())) for line in lines]
        if rules.variant().digits > _MOST_SYMBOLS:
            symbols = [len(line.split()) for line in lines]
        return max(symbols) < sum(symbols) == len(rules.variant().cells)
    order = len(lines) if rules.box is None else rules.box[0] * rules.box[1]
    if len(lines) != order:
        return False
    rows = (line.split() for line in lines)
    return all(len("".join(row) if order <= _MOST_SYMBOLS else row) == order for row in rows)


def _require_fit(text: str, place: str, rules: VariantOptions) -> None:
    """Refuse what is neither a grid nor the name of a file."""
    cells = len(symbols_of(text))
    try:
        variant = rules.variant(cells)
        if cells != len(variant.cells):
            raise InvalidGridError(f"{cells} cells do not fit {variant.name}")
    except InvalidGridError as error:
        shown = place if len(place) <= 60 else f"{place[:57]}..."
        raise InvalidGridError(
            f"{shown!r} is not a file, and its {error}",
            hint="give a grid in line form, a file, or - for stdin",
        ) from None


def _stored_text(place: str) -> str:
    """Return what is in a file, or comes from stdin."""
    try:
        data = sys.stdin.buffer.read(_LIMIT) if place == "-" else read_limited(Path(place), _LIMIT)
        return data.decode("utf-8")
    except OSError as error:
        raise InvalidGridError(f"cannot read '{place}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidGridError(f"'{place}' is not text") from None


def _is_file(place: str) -> bool:
    try:
        return Path(place).is_file()
    except (OSError, ValueError):  # too long for a name, for one
        return False
