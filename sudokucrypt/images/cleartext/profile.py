"""Color profiles rebuilt: the header, and the tags by which a matrix or a curve gives the colors.

::

    128 bytes of header | count | count times: signature offset size | values

Tables of colors are not copied: nobody can tell their numbers from the samples of a picture, and
the profiles of cameras, screens and gray scans do without. A profile that consists of them is not
copied at all. Of the other values, numbers must be such as colors have, and curves must rise or
fall all the way, so that samples cannot pass for either.

References
----------
.. [1] ICC.1:2022, "Image technology colour management", 7 to 10.
.. [2] ICC.1:2001-04, "File format for color profiles", 6.5.17: descriptions of version 2.
"""

import re
import struct
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from sudokucrypt.images.cleartext.wrappings import is_plain

_Rebuild = Callable[[bytes], bytes | None]

_LIMIT: Final = 4 * 2**20
_MOST_TAGS: Final = 100
_HEADER: Final = struct.Struct(">I4sI4s4s4s6H4s4sI4s4sQI12s4s16s28s")
_ENTRY: Final = struct.Struct(">4sII")
_CLASSES: Final = (b"scnr", b"mntr", b"prtr", b"spac")
_PLATFORMS: Final = (b"APPL", b"MSFT", b"SGI ", b"SUNW")
_D50: Final = struct.pack(">iii", 0xF6D6, 0x10000, 0xD32D)
_NAME = re.compile(rb"[0-9A-Za-z .\-]{4}")
_LARGEST_DATE: Final = (9999, 12, 31, 23, 59, 59)
_TECHNOLOGY = re.compile(rb"[0-9A-Za-z ]{4}")

_ONE: Final = 0x10000
_LARGEST: Final = 8 * _ONE
_BRIGHTEST: Final = 20_000 * _ONE  # of a light source, which is counted in candelas
_MOST_POINTS: Final = 4096
_RECORD: Final = struct.Struct(">2s2sII")
_MOST_RECORDS: Final = 256
_PARAMETERS: Final = (1, 3, 4, 5, 7)
"""How many numbers a curve by formula has, by the number of the formula."""

_TEXTS: Final = frozenset({b"desc", b"cprt", b"dmnd", b"dmdd", b"vued"})
_COLORS: Final = {
    b"RGB ": frozenset({b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC"}),
    b"GRAY": frozenset({b"kTRC"}),
}
"""The tags that a profile must have to mean anything, by the color space of the samples."""

_OTHERS: Final = frozenset(
    {b"wtpt", b"bkpt", b"lumi", b"chad", b"chrm", b"calt", b"tech", b"meas", b"view", b"cicp"}
)


def cleartext_profile(profile: bytes | None) -> bytes | None:
    """Return a profile with nothing but the allowed tags, or none if there is none to be made."""
    if profile is None or not 132 <= len(profile) <= _LIMIT:
        return None
    header = _header(profile)
    tags = None if header is None else _tags(profile)
    if header is None or tags is None:
        return None
    needed = _COLORS[header[16:20]]
    allowed = needed | _TEXTS | _OTHERS
    values: dict[bytes, bytes] = {}
    for signature, body in tags.items():
        if signature in allowed:
            value = VALUES[body[:4]](body) if body[:4] in VALUES else None
            if value is not None:
                values[signature] = value
    if not (needed | {b"desc", b"wtpt"}) <= values.keys():
        return None
    return _assembled(header, values)


def _header(profile: bytes) -> bytes | None:
    """Return the header without what may be anything, or none if it is none."""
    fields = _HEADER.unpack_from(profile)
    size, cmm, version, kind, space, connection, *date = fields[:12]
    magic, platform, flags, maker, model, attributes, intent, white, creator, _, _ = fields[12:]
    if size != len(profile) or magic != b"acsp" or white != _D50 or kind not in _CLASSES:
        return None
    # Only gray has a curve that leads to Lab.
    if space not in _COLORS or connection not in (b"XYZ ", b"Lab ")[: 1 + (space == b"GRAY")]:
        return None
    if version >> 24 not in (2, 4) or intent > 3 or not _is_date(*date):
        return None
    signatures = (cmm, maker, model, creator)
    names = [name if _NAME.fullmatch(name) else bytes(4) for name in signatures]
    return _HEADER.pack(
        *(0, names[0], version & 0xFFFF0000, kind, space, connection, *date, magic),
        *(platform if platform in _PLATFORMS else bytes(4), flags & 3, names[1], names[2]),
        *(attributes & 0xF, intent, white, names[3]),
        *(bytes(16), bytes(28)),  # the checksum is that of another profile
    )


def _tags(profile: bytes) -> Mapping[bytes, bytes] | None:
    """Return the bytes of each tag, or none if the table of tags is damaged."""
    count = int.from_bytes(profile[128:132], "big")
    first = 132 + count * _ENTRY.size
    if count > _MOST_TAGS or first > len(profile):
        return None
    tags: dict[bytes, bytes] = {}
    for signature, offset, size in _ENTRY.iter_unpack(profile[132:first]):
        if signature in tags or offset < first or offset + size > len(profile) or offset % 4:
            return None
        tags[signature] = profile[offset : offset + size]
    return tags


def _assembled(header: bytes, values: Mapping[bytes, bytes]) -> bytes:
    """Return the profile of these tags; equal values are written once."""
    places: dict[bytes, int] = {}
    start = 132 + len(values) * _ENTRY.size
    body = bytearray()
    entries = bytearray(struct.pack(">I", len(values)))
    for signature, value in values.items():
        if value not in places:
            places[value] = start + len(body)
            body += value + bytes(-len(value) % 4)
        entries += _ENTRY.pack(signature, places[value], len(value))
    return struct.pack(">I", start + len(body)) + header[4:] + bytes(entries + body)


def _checked(code: str, allowed: Callable[..., bool]) -> _Rebuild:
    """Return what passes a value on if it holds these numbers and they are allowed."""

    def rebuild(body: bytes) -> bytes | None:
        numbers = _numbers(body, code)
        return body if numbers is not None and allowed(*numbers) else None

    return rebuild


def _numbers(body: bytes, code: str) -> tuple[int, ...] | None:
    layout = struct.Struct(f">{code}")
    if len(body) != 8 + layout.size or any(body[4:8]):
        return None
    return layout.unpack_from(body, 8)


def _up_to(most: int) -> Callable[..., bool]:
    return lambda *numbers: all(abs(number) <= most for number in numbers)


def _is_measurement(observer: int, *others: int) -> bool:
    *backing, geometry, flare, light = others
    known = observer <= 2 and geometry <= 2 and flare <= _ONE and light <= 8
    return known and _up_to(_LARGEST)(*backing)


def _is_date(*date: int) -> bool:
    return all(number <= top for number, top in zip(date, _LARGEST_DATE, strict=True))


def _curve(body: bytes) -> bytes | None:
    """Return the points of a curve that turns nowhere."""
    count = int.from_bytes(body[8:12], "big")
    if len(body) != 12 + 2 * count or any(body[4:8]) or count > _MOST_POINTS:
        return None
    steps = np.diff(np.frombuffer(body, dtype=">u2", offset=12).astype(np.int32))
    return body if (steps >= 0).all() or (steps <= 0).all() else None


def _formula(body: bytes) -> bytes | None:
    kind = int.from_bytes(body[8:10], "big")
    if kind >= len(_PARAMETERS):
        return None
    numbers = _numbers(body, f"HH{_PARAMETERS[kind]}i")
    plain = numbers is not None and not numbers[1] and _up_to(_LARGEST)(*numbers[2:])
    return body if plain else None


def _text(body: bytes) -> bytes | None:
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


VALUES: Final[Mapping[bytes, _Rebuild]] = {
    b"XYZ ": _checked("3i", _up_to(_BRIGHTEST)),
    b"sf32": _checked("9i", _up_to(_LARGEST)),  # more numbers have no meaning here
    b"curv": _curve,
    b"para": _formula,
    b"text": _text,
    b"desc": _description,
    b"mluc": _languages,
    b"sig ": _checked("4s", lambda letters: bool(_TECHNOLOGY.fullmatch(letters))),
    b"meas": _checked("I3iIII", _is_measurement),
    b"view": _checked("6iI", lambda *n: n[6] <= 8 and _up_to(_BRIGHTEST)(*n[:6])),
    b"chrm": _checked("HH6I", lambda n, kind, *xy: n == 3 and kind <= 4 and max(xy) <= _ONE),
    b"dtim": _checked("6H", _is_date),
    b"cicp": _checked("4B", lambda *_: True),
}
"""What rebuilds a value, by the four letters of its type; it returns none if the value is bad."""
