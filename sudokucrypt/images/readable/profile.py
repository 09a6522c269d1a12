"""Color profiles rebuilt: the header, and the tags by which a matrix or a curve gives the colors.

::

    128 bytes of header | count | count times: signature offset size | values

Tables of colors are not copied: nobody can tell their numbers from the samples of a picture, and
the profiles of cameras, screens and gray scans do without. A profile that consists of them is not
copied at all.

References
----------
.. [1] ICC.1:2022, "Image technology colour management", 7 to 10.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from typing import Final

from sudokucrypt.images.readable.profile_values import VALUES

_LIMIT: Final = 4 * 2**20
_MOST_TAGS: Final = 100
_HEADER: Final = struct.Struct(">I4sI4s4s4s6H4s4sI4s4sQI12s4s16s28s")
_ENTRY: Final = struct.Struct(">4sII")
_CLASSES: Final = (b"scnr", b"mntr", b"prtr", b"spac")
_PLATFORMS: Final = (b"APPL", b"MSFT", b"SGI ", b"SUNW")
_D50: Final = struct.pack(">iii", 0xF6D6, 0x10000, 0xD32D)
_NAME = re.compile(rb"[0-9A-Za-z .\-]{4}")
_LARGEST_DATE: Final = (9999, 12, 31, 23, 59, 59)

_TEXTS: Final = frozenset({b"desc", b"cprt", b"dmnd", b"dmdd", b"vued"})
_COLORS: Final = {
    b"RGB ": frozenset({b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC"}),
    b"GRAY": frozenset({b"kTRC"}),
}
"""The tags that a profile must have to mean anything, by the color space of the samples."""

_OTHERS: Final = frozenset(
    {b"wtpt", b"bkpt", b"lumi", b"chad", b"chrm", b"calt", b"tech", b"meas", b"view", b"cicp"}
)


def readable_profile(profile: bytes | None) -> bytes | None:
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
    if version >> 24 not in (2, 4) or intent > 3:
        return None
    if not all(0 <= n <= top for n, top in zip(date, _LARGEST_DATE, strict=True)):
        return None
    return _HEADER.pack(
        0,
        _name(cmm),
        version & 0xFFFF0000,
        kind,
        space,
        connection,
        *date,
        magic,
        platform if platform in _PLATFORMS else bytes(4),
        flags & 3,
        _name(maker),
        _name(model),
        attributes & 0xF,
        intent,
        white,
        _name(creator),
        # The checksum is that of another profile.
        bytes(16),
        bytes(28),
    )


def _name(signature: bytes) -> bytes:
    """Return four letters, or zeros for anything else."""
    return signature if _NAME.fullmatch(signature) else bytes(4)


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
