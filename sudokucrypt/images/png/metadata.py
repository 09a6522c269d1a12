"""What the other chunks of a PNG say about the picture, and the chunks that say it again."""

import math
import re
import struct
import zlib
from fractions import Fraction
from typing import Any, Final, TypeAlias

from sudokucrypt.images.picture import METADATA_NAMES, Metadata, Resolution
from sudokucrypt.images.png.chunks import MAX_LENGTH

Chunk: TypeAlias = tuple[bytes, bytes]  # kind and body

XMP_START: Final = b"XML:com.adobe.xmp\0"  # how the iTXt chunk begins that holds an XMP packet
PLAIN: Final = b"\0\0\0\0"
"""Behind the keyword: not compressed, method 0, no language, no translated keyword."""

PROFILE_LIMIT: Final = 16 * 2**20  # most bytes of a color profile
_PROFILE_START = b"ICC profile\0\0"
_BLOCK_START = re.compile(rb"(II\*\0|MM\0\*).{4}", re.DOTALL)  # Pillow fails at any other
# An inch has 25.4 mm exactly: fractions keep resolutions exact.
_PER_METER = Fraction(10000, 254)
# What chunks are called that are left out.
_NAMES: Final = {
    b"bKGD": "background color",
    b"eXIf": "EXIF",
    b"iCCP": "ICC profile",
    b"pHYs": "resolution",
    **dict.fromkeys((b"iTXt", b"tEXt", b"zTXt"), "text"),
    **dict.fromkeys((b"cHRM", b"cICP", b"cLLI", b"gAMA", b"mDCV"), "color space"),
}
# Chunks that say what holds without them: colors of sRGB.
_USUAL: Final = {
    b"gAMA": (struct.pack(">I", 45455),),
    b"cHRM": (struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000),),
    b"sRGB": tuple(bytes([intent]) for intent in range(4)),
}


class Notes:
    """Collects what the chunks of a PNG say; where two say the same thing, the first one counts."""

    def __init__(self) -> None:
        self._fields: dict[str, Any] = {}

    def take(self, kind: bytes, body: bytes, *, behind: bool) -> str | None:
        """Keep what a chunk says, or return what to call it."""
        if body in _USUAL.get(kind, ()):
            return None
        field, value = _read(kind, body, behind=behind)
        if value is None or field in self._fields:
            return METADATA_NAMES["xmp"] if field == "xmp" else _NAMES.get(kind, "other data")
        self._fields[field] = value
        return None

    def metadata(self) -> Metadata:
        """Return what was kept."""
        return Metadata(**self._fields)


def metadata_chunks(metadata: Metadata) -> tuple[list[Chunk], list[Chunk], tuple[str, ...]]:
    """Return the chunks before and behind the place of a palette, and what none can hold."""
    first, before, lost = [], [], []
    if metadata.icc is not None:
        if len(metadata.icc) <= PROFILE_LIMIT:
            first.append((b"iCCP", _PROFILE_START + zlib.compress(metadata.icc)))
        else:
            lost.append("icc")
    if metadata.exif is not None:
        if _BLOCK_START.match(metadata.exif) and len(metadata.exif) <= MAX_LENGTH:
            before.append((b"eXIf", metadata.exif))
        else:
            lost.append("exif")
    if metadata.resolution is not None:
        if density := _density(metadata.resolution):
            before.append((b"pHYs", density))
        else:
            lost.append("resolution")
    if metadata.xmp is not None:
        before.append((b"iTXt", XMP_START + PLAIN + metadata.xmp))
    return first, before, tuple(METADATA_NAMES.get(name, name) for name in lost)


def _read(kind: bytes, body: bytes, *, behind: bool) -> tuple[str, Any]:
    """Return the field of `Metadata` that a chunk fills, and its value, or none.

    Behind the samples, other programs overlook resolution and profile.
    """
    if kind == b"eXIf":
        return "exif", body if _BLOCK_START.match(body) else None
    if kind == b"iTXt" and body.startswith(XMP_START + PLAIN):
        return "xmp", body[len(XMP_START + PLAIN) :]
    if kind == b"iCCP" and not behind:
        return "icc", _profile(body)
    if kind == b"pHYs" and not behind:
        return "resolution", _resolution(body)
    return "", None


def _profile(body: bytes) -> bytes | None:
    """Return the color profile; its name in the file says nothing that is not in it."""
    name, _, rest = body.partition(b"\0")
    if not 0 < len(name) < 80 or rest[:1] != b"\0":
        return None
    engine = zlib.decompressobj()
    try:
        profile = engine.decompress(rest[1:], PROFILE_LIMIT + 1)
    except zlib.error:
        return None
    return profile if engine.eof and len(profile) <= PROFILE_LIMIT else None


def _resolution(body: bytes) -> Resolution | None:
    if len(body) != 9:
        return None
    columns, rows, unit = struct.unpack(">IIB", body)
    if not (0 < columns <= MAX_LENGTH and 0 < rows <= MAX_LENGTH and unit <= 1):
        return None
    return Resolution(
        columns=Fraction(columns), rows=Fraction(rows), unit="meter" if unit else None
    )


def _density(resolution: Resolution) -> bytes | None:
    """Return the body of a pHYs chunk: whole pixels per meter, or a ratio of whole numbers."""
    columns, rows = resolution.columns, resolution.rows
    if resolution.unit is None:
        scale = Fraction(math.lcm(columns.denominator, rows.denominator))
    else:
        scale = _PER_METER if resolution.unit == "inch" else Fraction(1)
    values = round(columns * scale), round(rows * scale)
    if not all(0 < value <= MAX_LENGTH for value in values):
        return None
    return struct.pack(">IIB", *values, resolution.unit is not None)
