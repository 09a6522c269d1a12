"""Lists of boxes in JSON or CSV: areas to cover, and areas that a run has covered."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.errors import InvalidParameterError, format_reason
from sudokucrypt.storage import read_limited_file, write_atomically
from sudokucrypt.typing import Region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sudokucrypt.cli.options import InputItem

_REGION_KEYS = ("x", "y", "w", "h")
_FIELD_NAMES = (*_REGION_KEYS, "layer", "file")
_MAX_BYTES = 1 << 26  # maximum size of a list, enough for about a million boxes
_MAX_COORDINATE = 2**53  # above it, a float cannot represent every whole number


@dataclass(frozen=True, kw_only=True)
class Box:
    """A rectangle to cover, with the layer and the picture that it is for."""

    region: Region  # in whole pixels; it may lie outside of the picture
    layer: str = ""  # the name of its layer; empty if the list does not name one
    file: str = ""  # name or last parts of the path of its picture; empty for all pictures
    # File and line of its entry, for error messages.
    entry_location: str = field(default="", repr=False)

    def is_for_input(self, item: InputItem) -> bool:
        """Return whether `file` names this input by its file name or the end of its path."""
        file_parts, source_parts = PurePath(self.file).parts, PurePath(str(item.source)).parts
        return not self.file or source_parts[-len(file_parts) :] == file_parts

    def clip_to_shape(self, shape: tuple[int, ...]) -> Region:
        """Return the part of the box that is inside a picture of this shape.

        Raises `InvalidParameterError` if the box is completely outside.
        """
        row, column, rows, columns = self.region
        bottom, right = min(row + rows, shape[0]), min(column + columns, shape[1])
        clipped_region = Region.box(max(0, column), max(0, row), right, bottom)
        if clipped_region.rows < 1 or clipped_region.columns < 1:
            raise InvalidParameterError(
                f"{self.entry_location}: the box {format_region(self.region)} lies outside of "
                "the picture "
                f"of {shape[1]} x {shape[0]} pixels"
            )
        return clipped_region


def format_region(region: Region) -> str:
    """Return a region as X,Y,W,H."""
    row, column, rows, columns = region
    return f"{column},{row},{columns},{rows}"


def parse_region(text: str) -> Region:
    """Read X,Y,W,H: the column and row of the top-left corner, then width and height."""
    try:
        x, y, w, h = (int(number) for number in text.split(","))
    except ValueError:
        raise click.UsageError(f"a region is X,Y,W,H in pixels, not {text!r}") from None
    return Region.xywh(x, y, w, h)


def is_layer_name(name: str) -> bool:
    """Return whether a text is one line, and UTF-8 can encode it."""
    return "\n" not in name and not any("\ud800" <= letter <= "\udfff" for letter in name)


def read_boxes(path: Path) -> tuple[Box, ...]:
    """Read the boxes in a JSON or CSV file.

    Raises `InvalidParameterError` if the file cannot be read or an entry is not a box.
    """
    try:
        text = read_limited_file(path, _MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = format_reason(error) if isinstance(error, OSError) else "it is not text in UTF-8"
        raise InvalidParameterError(f"cannot read '{path}': {reason}") from None
    read_entries = _read_json if text.lstrip()[:1] in ("[", "{") else _read_csv
    return tuple(
        _parse_box(fields, entry_location)
        for entry_location, fields in read_entries(text, f"'{path}'")
    )


def _read_json(text: str, path: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the place of each entry of a JSON list, for error messages, and its fields."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidParameterError(f"{path}{line}: this is not JSON") from None
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries], 1):
        entry_by_field = (
            dict(zip(_FIELD_NAMES, entry, strict=False)) if isinstance(entry, list) else entry
        )
        fields = entry_by_field if isinstance(entry_by_field, dict) else {}
        yield (
            f"{path}, entry {number}",
            {_normalize_field_name(key): value for key, value in fields.items()},
        )


def _read_csv(text: str, path: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the place of each row of a CSV table except its header, and the fields of the row."""
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    columns: Sequence[str] = ()
    try:
        for row in filter(any, reader):
            row_location = f"{path}, line {reader.line_num}"
            if columns or not math.isnan(_parse_number(row[0])):
                columns = columns or _FIELD_NAMES
                yield row_location, dict(zip(columns, map(str.strip, row), strict=False))
                continue
            columns = [*map(_normalize_field_name, row)]
            if missing_columns_text := ", ".join(
                name for name in _REGION_KEYS if name not in columns
            ):
                hint = "columns are separated by commas, and the first line may name them"
                raise InvalidParameterError(
                    f"{row_location}: there is no column {missing_columns_text}", hint=hint
                )
    except csv.Error as error:
        raise InvalidParameterError(f"{path}, line {reader.line_num}: {error}") from None


def _normalize_field_name(text: str) -> str:
    name = text.strip().lower()
    return {"width": "w", "height": "h"}.get(name, name)


def _parse_number(value: Any) -> float:
    """Convert a number, or text that is one, to a float; return NaN for anything else."""
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _parse_box(fields: Mapping[str, object], entry_location: str) -> Box:
    """Make a box of the fields of one entry; fractions of pixels are covered completely."""
    x, y, w, h = numbers = [_parse_number(fields.get(name)) for name in _REGION_KEYS]
    if not (all(abs(number) < _MAX_COORDINATE for number in numbers) and w > 0 and h > 0):
        raise InvalidParameterError(
            f"{entry_location}: a box has x, y, w and h, four numbers, with w and h above 0",
            hint="x and y are the left and top side in pixels, w and h its width and height",
        )
    if x + w <= 1 and y + h <= 1 and (x, y, w, h) != (0, 0, 1, 1):
        raise InvalidParameterError(
            f"{entry_location}: x, y, w and h must be in pixels, not shares of the picture",
            hint="multiply x and w by the columns of the picture, y and h by its rows",
        )
    layer, file = (fields.get(name) or "" for name in ("layer", "file"))
    if not (isinstance(layer, str) and isinstance(file, str) and is_layer_name(layer)):
        raise InvalidParameterError(
            f"{entry_location}: layer and file must be names without line breaks"
        )
    region = Region.box(math.floor(x), math.floor(y), math.ceil(x + w), math.ceil(y + h))
    return Box(entry_location=entry_location, region=region, layer=layer, file=file)


def write_boxes(path: Path, boxes: Iterable[Box], *, replace: bool) -> None:
    """Write boxes as JSON or CSV, by the suffix of the path, as `read_boxes` reads them."""
    rows = []
    for box in boxes:
        row, column, height, width = box.region
        fields = zip(_FIELD_NAMES, (column, row, width, height, box.layer, box.file), strict=True)
        rows.append({name: value for name, value in fields if value != ""})
    if path.suffix.lower() == ".json":
        text = "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n" if rows else "[]\n"
    else:
        table = io.StringIO()
        writer = csv.DictWriter(table, _FIELD_NAMES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text = table.getvalue()
    write_atomically({path: [text.encode(errors="surrogateescape")]}, replace=replace)
