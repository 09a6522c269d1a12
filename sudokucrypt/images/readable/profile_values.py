"""The values of tags of a color profile, each rebuilt from what its type says.

Numbers must be such as colors have, and curves must rise or fall all the way, so that samples of a
picture cannot pass for either.

References
----------
.. [1] ICC.1:2022, "Image technology colour management", 10.
.. [2] ICC.1:2001-04, "File format for color profiles", 6.5.17: descriptions of version 2.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from sudokucrypt.images.readable.plain_text import is_plain

_ONE: Final = 0x10000
_MOST_POINTS: Final = 4096
_PARAMETERS: Final = (1, 3, 4, 5, 7)
"""How many numbers a curve by formula has, by the number of the formula."""

_LARGEST: Final = 8 * _ONE
_BRIGHTEST: Final = 20_000 * _ONE
_RECORD: Final = struct.Struct(">2s2sII")
_MOST_RECORDS: Final = 256
_TECHNOLOGY = re.compile(rb"[0-9A-Za-z ]{4}")


def _numbers(body: bytes, code: str) -> tuple[int, ...] | None:
    """Return the numbers behind type and reserved bytes, if they are all that is there."""
    layout = struct.Struct(f">{code}")
    if len(body) != 8 + layout.size or any(body[4:8]):
        return None
    return layout.unpack_from(body, 8)


def _color(body: bytes) -> bytes | None:
    """Return three coordinates; those of a light source count candelas."""
    color = _numbers(body, "3i")
    if color is None or not all(abs(number) <= _BRIGHTEST for number in color):
        return None
    return body


def _matrix(body: bytes) -> bytes | None:
    """Return nine numbers; more have no meaning here."""
    matrix = _numbers(body, "9i")
    if matrix is None or not all(abs(number) <= _LARGEST for number in matrix):
        return None
    return body


def _curve(body: bytes) -> bytes | None:
    """Return the points of a curve that turns nowhere."""
    count = int.from_bytes(body[8:12], "big")
    if len(body) != 12 + 2 * count or any(body[4:8]) or count > _MOST_POINTS:
        return None
    steps = np.diff(np.frombuffer(body, dtype=">u2", offset=12).astype(np.int32))
    return body if (steps >= 0).all() or (steps <= 0).all() else None


def _formula(body: bytes) -> bytes | None:
    """Return the numbers of a formula."""
    kind = int.from_bytes(body[8:10], "big")
    if kind >= len(_PARAMETERS):
        return None
    numbers = _numbers(body, f"HH{_PARAMETERS[kind]}i")
    if numbers is None or numbers[1] or not all(abs(number) <= _LARGEST for number in numbers[2:]):
        return None
    return body


def _text(body: bytes) -> bytes | None:
    """Return a text in ASCII."""
    text = _ascii(body[8:])
    return None if text is None else b"text" + bytes(4) + text


def _description(body: bytes) -> bytes | None:
    """Return a text in ASCII, without those in Unicode and for Macintosh that may follow."""
    length = int.from_bytes(body[8:12], "big")
    text = _ascii(body[12 : 12 + length])
    if text is None or 12 + length > len(body):
        return None
    return b"desc" + bytes(4) + struct.pack(">I", len(text)) + text + bytes(8 + 3 + 67)


def _ascii(data: bytes) -> bytes | None:
    """Return a text with its end."""
    text = data.partition(b"\0")[0]
    if not text.isascii() or not is_plain(text.decode()):
        return None
    return text + b"\0"


def _languages(body: bytes) -> bytes | None:
    """Return the text in English, or the first one if there is none, and no other."""
    count, size = (int.from_bytes(body[place : place + 4], "big") for place in (8, 12))
    if not 0 < count <= _MOST_RECORDS or size != _RECORD.size or 16 + count * size > len(body):
        return None
    records = list(_RECORD.iter_unpack(body[16 : 16 + count * size]))
    language, country, length, start = next((r for r in records if r[0] == b"en"), records[0])
    data = body[start : start + length]
    letters = language.isalpha() and (country.isalpha() or country == bytes(2))
    if not letters or start < 16 + count * size or start + length > len(body):
        return None
    try:
        text = data.decode("utf-16-be").partition("\0")[0]
    except UnicodeDecodeError:
        return None
    if not is_plain(text):
        return None
    data = text.encode("utf-16-be")
    record = _RECORD.pack(language, country, len(data), 16 + size)
    return b"mluc" + bytes(4) + struct.pack(">II", 1, size) + record + data


def _signature(body: bytes) -> bytes | None:
    """Return four letters."""
    return body if _numbers(body, "I") and _TECHNOLOGY.fullmatch(body[8:]) else None


def _measurement(body: bytes) -> bytes | None:
    """Return how colors were measured: observer, backing, geometry, flare and light."""
    numbers = _numbers(body, "I3iIII")
    if numbers is None:
        return None
    observer, *backing, geometry, flare, light = numbers
    known = observer <= 2 and geometry <= 2 and flare <= _ONE and light <= 8
    return body if known and all(abs(number) <= _LARGEST for number in backing) else None


def _viewing(body: bytes) -> bytes | None:
    """Return in which light, with which surround, a picture is looked at."""
    numbers = _numbers(body, "6iI")
    if numbers is None or numbers[6] > 8:
        return None
    return body if all(abs(number) <= _BRIGHTEST for number in numbers[:6]) else None


def _chromaticities(body: bytes) -> bytes | None:
    """Return the places of three colors, of which each coordinate is at most one."""
    numbers = _numbers(body, "HH6I")
    if numbers is None or numbers[0] != 3 or numbers[1] > 4:
        return None
    return body if all(number <= _ONE for number in numbers[2:]) else None


def _date(body: bytes) -> bytes | None:
    """Return year, month, day, hour, minute and second."""
    date = _numbers(body, "6H")
    tops = (9999, 12, 31, 23, 59, 59)
    if date is None or not all(number <= top for number, top in zip(date, tops, strict=True)):
        return None
    return body


def _code_points(body: bytes) -> bytes | None:
    """Return the four numbers of coding-independent code points."""
    return body if _numbers(body, "4B") else None


VALUES: Final[Mapping[bytes, Callable[[bytes], bytes | None]]] = {
    b"XYZ ": _color,
    b"sf32": _matrix,
    b"curv": _curve,
    b"para": _formula,
    b"text": _text,
    b"desc": _description,
    b"mluc": _languages,
    b"sig ": _signature,
    b"meas": _measurement,
    b"view": _viewing,
    b"chrm": _chromaticities,
    b"dtim": _date,
    b"cicp": _code_points,
}
"""What rebuilds a value, by the four letters of its type; it returns none if the value is bad."""
