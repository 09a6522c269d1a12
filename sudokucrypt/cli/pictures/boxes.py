"""Lists of boxes in JSON or CSV: what a detector found, and what a run covered."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.errors import InvalidParameterError, reason_of
from sudokucrypt.storage import read_limited, require_free, write_atomically
from sudokucrypt.typing import Region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sudokucrypt.cli.inputs import Item

_SIDES = ("x", "y", "w", "h")
_NAMES = (*_SIDES, "layer", "file")
_OTHER_NAMES = {"width": "w", "height": "h"}
_LIMIT = 1 << 26  # bytes of a list, some million boxes
_FAR = 2**53  # beyond it, floats are no whole numbers
_NO_JSON = (ValueError, RecursionError)


@dataclass(frozen=True, kw_only=True)
class Box:
    """One box of a list."""

    place: str  # where it is in which list, for messages
    region: Region  # whole pixels, which may lie outside of the picture
    layer: str = ""  # the name of its layer, if it says one
    file: str = ""  # the picture that it belongs to; every one if empty

    def is_in(self, item: Item) -> bool:
        """Return whether it belongs to an input: the name of one, or the last parts of its path."""
        wanted, parts = PurePath(self.file).parts, PurePath(str(item.source)).parts
        return not self.file or parts[-len(wanted) :] == wanted

    def cut(self, shape: tuple[int, ...]) -> Region:
        """Return the part in a picture of this shape; `InvalidParameterError` if there is none."""
        row, column, rows, columns = self.region
        bottom, right = min(row + rows, shape[0]), min(column + columns, shape[1])
        inside = Region.box(max(0, column), max(0, row), right, bottom)
        if inside.rows < 1 or inside.columns < 1:
            raise InvalidParameterError(
                f"{self.place}: the box {as_text(self.region)} lies outside of the picture of "
                f"{shape[1]} x {shape[0]} pixels"
            )
        return inside


def as_text(region: Region) -> str:
    """Return a region as X,Y,W,H."""
    row, column, rows, columns = region
    return f"{column},{row},{columns},{rows}"


def read_boxes(path: Path) -> tuple[Box, ...]:
    """Return the boxes in a file, a list in JSON or a table in CSV.

    Raises `InvalidParameterError` if it cannot be read, or something in it is no box.
    """
    try:
        text = read_limited(path, _LIMIT).decode("utf-8-sig")
        if text.lstrip()[:1] in ("[", "{"):
            return tuple(_boxes_in_json(text, str(path)))
        return tuple(_boxes_in_csv(text, str(path)))
    except OSError as error:
        raise InvalidParameterError(f"cannot read '{path}': {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise InvalidParameterError(f"'{path}' is not text in UTF-8") from None


def _boxes_in_json(text: str, path: str) -> Iterator[Box]:
    try:
        entries = json.loads(text)
    except _NO_JSON as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidParameterError(f"'{path}'{line}: this is not JSON") from None
    if not isinstance(entries, list):
        raise InvalidParameterError(f"'{path}' is not a list of boxes in JSON")
    for number, entry in enumerate(entries, 1):
        place = f"'{path}', entry {number}"
        fields = dict(zip(_NAMES, entry, strict=False)) if isinstance(entry, list) else entry
        if not isinstance(fields, dict):
            raise _no_box(place)
        yield _box({_name(key): value for key, value in fields.items()}, place)


def _boxes_in_csv(text: str, path: str) -> Iterator[Box]:
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    names: Sequence[str] = ()
    try:
        for row in reader:
            place = f"'{path}', line {reader.line_num}"
            if not any(row):
                continue
            if not names:
                names = _NAMES
                if not _is_number(row[0]):
                    names = [_name(cell) for cell in row]
                    if missing := [side for side in _SIDES if side not in names]:
                        lacking = ", ".join(missing)
                        raise InvalidParameterError(f"{place}: there is no column {lacking}")
                    continue
            fields = dict(zip(names, (cell.strip() for cell in row), strict=False))
            sides = {side: float(fields[side]) for side in _SIDES if _is_number(fields.get(side))}
            yield _box({**fields, **sides}, place)
    except csv.Error as error:
        raise InvalidParameterError(f"'{path}', line {reader.line_num}: {error}") from None


def _name(text: str) -> str:
    name = text.strip().lower()
    return _OTHER_NAMES.get(name, name)


def _is_number(text: str | None) -> bool:
    try:
        return math.isfinite(float(text or ""))
    except ValueError:
        return False


def _box(fields: Mapping[str, Any], place: str) -> Box:
    """Return a box whose sides are rounded outwards to whole pixels."""
    sides = [fields.get(side) for side in _SIDES]
    numbers = [
        side
        for side in sides
        if isinstance(side, int | float) and not isinstance(side, bool) and abs(side) < _FAR
    ]
    if len(numbers) < len(_SIDES) or min(numbers[2:]) <= 0:
        raise _no_box(place)
    x, y, w, h = numbers
    names = [fields.get(name) or "" for name in ("layer", "file")]
    if not all(isinstance(name, str) and name.isprintable() for name in names):
        raise InvalidParameterError(f"{place}: layer and file are names of one line")
    right, bottom = math.ceil(x + w), math.ceil(y + h)
    region = Region.box(math.floor(x), math.floor(y), right, bottom)
    return Box(place=place, region=region, layer=names[0], file=names[1])


def _no_box(place: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"{place}: a box has x, y, w and h, four numbers, with w and h above 0",
        hint="x and y are the left and top side in pixels, w and h its width and height",
    )


def require_list(path: Path, *, replace: bool) -> None:
    """Raise an error unless a list of boxes can be written to a file."""
    if path.suffix.lower() not in (".json", ".csv"):
        raise click.UsageError(f"boxes are written as .json or .csv, not to '{path}'")
    if not replace:
        require_free(path)


def write_boxes(path: Path, boxes: Iterable[Box], *, replace: bool) -> None:
    """Write a list of boxes in the form that `read_boxes` reads."""
    rows = []
    for box in boxes:
        row, column, rows_, columns = box.region
        values = (column, row, columns, rows_, box.layer, box.file)
        rows.append(
            {name: value for name, value in zip(_NAMES, values, strict=True) if value != ""}
        )
    if path.suffix.lower() == ".json":
        text = "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n" if rows else "[]\n"
    else:
        table = io.StringIO()
        writer = csv.DictWriter(table, _NAMES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text = table.getvalue()
    write_atomically({path: [text.encode(errors="surrogateescape")]}, replace=replace)
