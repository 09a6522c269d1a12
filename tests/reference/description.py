"""Pictures, section 4: the extras, a line of JSON and the blobs that it counts.

A description is held as objects of the table: dictionaries from the names of fields to values, in
which a blob is its bytes and a fraction is its text.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.reference import RefusedError
from tests.reference.header import SAMPLE_BYTES

Description = dict[str, Any]
MAX_LINE_BYTES = 4194304
MAX_NUMBER = 4294967295
CHANNELS = {"gray": 1, "gray-alpha": 2, "rgb": 3, "rgba": 4, "palette": 1, "cmyk": 4}
SPECIAL_MODES = ("palette", "cmyk")
NEEDLESS = {"shape", "dtype", "mode"}
UNITS = ("inch", "meter", None)
_FRACTION = re.compile("(0|[1-9][0-9]{0,19})(?:/([1-9][0-9]{0,19}))?")


@dataclass(frozen=True)
class Blob:
    """Bytes among the blobs."""


@dataclass(frozen=True)
class Value:
    """A value that stands in the line as it is."""

    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Many:
    """A list of at least one thing."""

    of: Any


@dataclass(frozen=True)
class Pair:
    """A text and a thing."""

    second: Any


@dataclass(frozen=True)
class Optional:
    """A thing that may be absent."""

    of: Any


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_NUMBER


def _is_side(value: object) -> bool:
    return _is_number(value) and value != 0


def _is_fraction(value: object) -> bool:
    """Whether `value` is the text of a fraction in lowest terms."""
    match = _FRACTION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    return match[2] != "1" and math.gcd(int(match[1]), int(match[2] or 1)) == 1


def _is_list(value: object, *members: Callable[[Any], bool]) -> bool:
    """Whether `value` is a list of members of which each fits."""
    return (
        isinstance(value, list)
        and len(value) == len(members)
        and all(fits(member) for fits, member in zip(members, value, strict=True))
    )


def _is_showing(value: object) -> bool:
    return _is_list(value, _is_fraction, _is_number, _is_number)


def _is_resolution(value: object) -> bool:
    return _is_list(value, _is_fraction, _is_fraction, lambda unit: unit in UNITS)


def _is_place(value: object) -> bool:
    return _is_list(value, _is_number, _is_number) and value != [0, 0]


def _is_shape(value: object) -> bool:
    return any(_is_list(value, *[_is_side] * count) for count in (2, 3))


def _is_one_of(*names: str) -> Value:
    return Value(lambda value: isinstance(value, str) and value in names)


NUMBER = Value(_is_number)
TEXT = Value(lambda value: isinstance(value, str))
METADATA = {
    "exif": Optional(Blob()),
    "icc": Optional(Blob()),
    "xmp": Optional(Blob()),
    "resolution": Optional(Value(_is_resolution)),
    "texts": Optional(Many(Pair(TEXT))),
    "native": Optional(Many(Pair(Blob()))),
}
FRAME = {
    "shape": Value(_is_shape),
    "dtype": _is_one_of(*SAMPLE_BYTES),
    "mode": _is_one_of(*CHANNELS),
    "bits": Optional(Value(lambda value: type(value) is int and value in (2, 4))),
    "palette": Optional(NUMBER),
    "transparent": Optional(Many(NUMBER)),
    "place": Optional(Value(_is_place)),
    "showing": Optional(Value(_is_showing)),
    "metadata": Optional(METADATA),
}
PALETTE = {
    "colors": Blob(),
    "alphas": Optional(Blob()),
    "wide": Optional(Value(lambda value: value is True)),
}
ANIMATION = {
    "rows": NUMBER,
    "columns": NUMBER,
    "loops": Optional(NUMBER),
    "background": Optional(Blob()),
    "palette": Optional(NUMBER),
}
PICTURE = {
    "format": TEXT,
    "palettes": Optional(Many(PALETTE)),
    "animation": Optional(ANIMATION),
    "frames": Many(FRAME),
}


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise RefusedError(f"extras: {what}")


def _converted(kind: Any, value: Any, blob: Callable[[Any], Any]) -> Any:
    """`value`, checked against its kind, with `blob` applied to blobs in the order of the line."""
    match kind:
        case Blob():
            return blob(value)
        case Value(fits):
            _require(fits(value), f"a value of the wrong kind: {value!r:.60}")
            return value
        case Many(of):
            _require(isinstance(value, list) and len(value) > 0, "no list of at least one")
            return [_converted(of, member, blob) for member in value]
        case Pair(second):
            _require(isinstance(value, list) and len(value) == 2, "no pair")
            return [_converted(TEXT, value[0], blob), _converted(second, value[1], blob)]
        case Optional(of):
            return _converted(of, value, blob)
    _require(isinstance(value, dict) and value.keys() <= kind.keys(), "unknown fields")
    needed = {name for name, of in kind.items() if not isinstance(of, Optional)}
    _require(needed <= value.keys(), "a field is missing")
    return {name: _converted(kind[name], value[name], blob) for name in kind if name in value}


def write(description: Description) -> bytes:
    """The extras: line || 0A || blobs."""
    blobs: list[bytes] = []

    def count(blob: bytes) -> int:
        blobs.append(blob)
        return len(blob)

    fields = _converted(PICTURE, description, count)
    line = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    _require(len(line) <= MAX_LINE_BYTES, "the line is too long")
    _check(description)
    return b"\n".join([line, b"".join(blobs)])


def read(extras: bytes) -> Description:
    """The description in the extras; refused unless `write` gives it back byte for byte."""
    line, feed, blobs = extras.partition(b"\n")
    _require(bool(feed), "no line feed")
    _require(len(line) <= MAX_LINE_BYTES, "the line is too long")
    try:
        fields = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise RefusedError("extras: not ASCII JSON") from error
    place = 0

    def take(length: Any) -> bytes:
        nonlocal place
        _require(_is_number(length) and length <= len(blobs) - place, "a wrong length")
        place += length
        return blobs[place - length : place]

    description: Description = _converted(PICTURE, fields, take)
    _require(place == len(blobs), "bytes after the last blob")
    _require(write(description) == extras, "not in the one form that is written")
    return description


def _check(description: Description) -> None:
    """Refuse values that do not fit each other."""
    palettes = description.get("palettes", [])
    for number, palette in enumerate(palettes):
        size = 6 if "wide" in palette else 3
        _require(len(palette["colors"]) % size == 0, "a part of a color")
        _require(palette.get("alphas") != b"", "no alphas")
        _require(palette not in palettes[:number], "equal palettes")
    used = list(dict.fromkeys(_palettes_used(description)))
    _require(used == list(range(len(palettes))), "palettes in another order than they are used")
    for frame in description["frames"]:
        channels = [*frame["shape"], 1][2]
        _require(channels == CHANNELS[frame["mode"]], "a mode of other channels")
        _require("bits" not in frame or frame["dtype"] == "uint8", "bits of another type")
        _require(frame.get("metadata") != {}, "no metadata")
    alone = len(description["frames"]) == 1 and "animation" not in description
    frame = description["frames"][0]
    speaks = frame.keys() <= NEEDLESS and frame["mode"] not in SPECIAL_MODES
    _require(not (alone and speaks), "a picture that needs no description")


def _palettes_used(description: Description) -> Iterator[int]:
    for part in (description.get("animation", {}), *description["frames"]):
        if "palette" in part:
            yield part["palette"]
