"""What the other chunks of a PNG say about the picture, and the chunks that say it again."""

import math
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any, Final, TypeAlias

from sudokucrypt.images.picture import Frame, Metadata, Mode, Resolution
from sudokucrypt.images.png.chunks import HEADER_KEYWORD, MAX_LENGTH
from sudokucrypt.images.png.modes import is_palette

Chunk: TypeAlias = tuple[bytes, bytes]  # kind and body
# Where a chunk is: before the palette, in its place, before or behind the samples.
FIRST, PALETTE, BEFORE, BEHIND = range(4)

XMP_START: Final = b"XML:com.adobe.xmp\0"  # how the iTXt chunk begins that holds an XMP packet
PLAIN: Final = b"\0\0\0\0"
"""Behind the keyword: not compressed, method 0, no language, no translated keyword."""

# Up to 79 printable Latin-1 characters, spaces only between words.
_KEYWORD = re.compile(r"(?=.{1,79}\Z)[!-~\xa1-\xff]+(?: [!-~\xa1-\xff]+)*")

# Most bytes of a color profile; a longer one is kept as it is, deflated.
PROFILE_LIMIT: Final = 16 * 2**20

# Each becomes an object: without a limit, 12 bytes of a file would cost hundreds.
_MOST_CHUNKS = 65536
_PROFILE_START = b"ICC profile\0\0"
_BLOCK_START = re.compile(rb"(II\*\0|MM\0\*).{4}", re.DOTALL)  # Pillow fails at any other
# An inch has 25.4 mm exactly: fractions keep resolutions exact.
_PER_METER = Fraction(10000, 254)
_NATIVE = re.compile(r"PNG ([a-zA-Z]{4})( behind)?")
# A kind whose last letter is small may be copied by programs that do not know it. Of the others,
# these are known, and depend on nothing but samples and mode.
_FIRST_KINDS = (b"cHRM", b"cICP", b"cLLI", b"gAMA", b"iCCP", b"mDCV", b"sBIT", b"sRGB")
_KINDS = (
    *_FIRST_KINDS,
    *(b"PLTE", b"bKGD", b"hIST", b"pCAL", b"pHYs", b"sCAL", b"sPLT", b"sTER", b"tIME"),
)
_ONCE = (b"PLTE", b"eXIf", b"iCCP", b"pHYs")
_LENGTHS: dict[bytes, dict[Mode, int]] = {
    b"bKGD": {"gray": 2, "gray-alpha": 2, "rgb": 6, "rgba": 6, "palette": 1},
    b"sBIT": {"gray": 1, "gray-alpha": 2, "rgb": 3, "rgba": 4, "palette": 3},
}
_NAMES = {
    b"PLTE": "palette",
    b"bKGD": "background color",
    b"eXIf": "EXIF",
    b"iCCP": "ICC profile",
    b"pHYs": "resolution",
    **dict.fromkeys((b"iTXt", b"tEXt", b"zTXt"), "text"),
}


class Notes:
    """Collects what the chunks of a PNG say; where two say the same thing, the first one counts."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._seen: set[bytes] = set()
        self._left = _MOST_CHUNKS
        self._fields: dict[str, Any] = {}
        self._texts: list[tuple[str, str]] = []
        self._native: list[tuple[int, tuple[str, bytes]]] = []

    def take(self, kind: bytes, body: bytes, *, behind: bool) -> str | None:
        """Keep what a chunk says, or return what to call it."""
        name = _NAMES.get(kind, "other data")
        if self._left == 0 or (kind in _ONCE and kind in self._seen):
            return name
        self._left -= 1
        self._seen.add(kind)
        field, value = _read(kind, body, behind=behind)
        if field is None:
            section = _section(self._mode, kind, body, behind=behind)
            if section is None:
                return name
            native = f"PNG {kind.decode()}{' behind' if behind else ''}"
            self._native.append((section, (native, body)))
        elif field == "texts":
            self._texts.append(value)
        elif field in self._fields:
            return "XMP"
        else:
            self._fields[field] = value
        return None

    def metadata(self) -> Metadata:
        """Return what was kept, in the order in which it would be written."""
        native = tuple(item for _, item in sorted(self._native, key=lambda item: item[0]))
        return Metadata(**self._fields, texts=tuple(self._texts), native=native)


def placed(frame: Frame) -> tuple[list[list[Chunk]], Metadata]:
    """Return the chunks that hold the metadata of a frame, by their place, and what none holds."""
    sections: list[list[Chunk]] = [[], [], [], []]
    lost: dict[str, list[Any]] = {}
    seen: set[bytes] = set()
    left = _MOST_CHUNKS
    for field, value, section, (kind, body) in _candidates(frame):
        free = left and not (kind in _ONCE and kind in seen) and len(body) <= MAX_LENGTH
        if section is None or not free:
            lost.setdefault(field, []).append(value)
            continue
        sections[section].append((kind, body))
        seen.add(kind)
        left -= 1
    fields: dict[str, Any] = {field: tuple(lost.pop(field, ())) for field in ("texts", "native")}
    fields |= {field: value for field, (value,) in lost.items()}
    return sections, Metadata(**fields)


def _candidates(frame: Frame) -> Iterator[tuple[str, Any, int | None, Chunk]]:
    """Yield each thing that is said with its field, and place and chunk if it may have any."""
    metadata = frame.metadata
    if metadata.icc is not None:
        section = FIRST if len(metadata.icc) <= PROFILE_LIMIT else None
        body = b"" if section is None else _PROFILE_START + zlib.compress(metadata.icc)
        yield "icc", metadata.icc, section, (b"iCCP", body)
    if metadata.exif is not None:
        section = BEFORE if _BLOCK_START.match(metadata.exif) else None
        yield "exif", metadata.exif, section, (b"eXIf", metadata.exif)
    if metadata.resolution is not None:
        density = _density(metadata.resolution)
        section = None if density is None else BEFORE
        yield "resolution", metadata.resolution, section, (b"pHYs", density or b"")
    if metadata.xmp is not None:
        yield (
            "xmp",
            metadata.xmp,
            BEFORE,
            (b"iTXt", XMP_START + PLAIN + metadata.xmp),
        )
    for text in metadata.texts:
        chunk = _text_chunk(*text)
        yield "texts", text, None if chunk is None else BEFORE, chunk or (b"", b"")
    for name, body in metadata.native:
        match = _NATIVE.fullmatch(name)
        kind = match[1].encode() if match else b""
        behind = bool(match and match[2])
        section = _section(frame.mode, kind, body, behind=behind) if match else None
        # What would be read as something else is refused rather than changed.
        if section is not None and _read(kind, body, behind=behind)[0]:
            section = None
        yield "native", (name, body), section, (kind, body)


def _section(mode: Mode, kind: bytes, body: bytes, *, behind: bool) -> int | None:
    """Return where a chunk that is kept unchanged goes in a picture of this mode, if it may."""
    colored = mode in ("rgb", "rgba", "palette")
    if kind == b"PLTE":
        suggested = colored and mode != "palette" and is_palette(body)
        return PALETTE if suggested and not behind else None
    known = kind in _KINDS or kind[3:].islower()
    fits = len(body) == _LENGTHS.get(kind, {}).get(mode, len(body))
    if kind[:1].isupper() or not known or not fits or (kind == b"hIST" and not colored):
        return None
    if behind:
        return BEHIND
    return FIRST if kind in _FIRST_KINDS else BEFORE


def _read(kind: bytes, body: bytes, *, behind: bool) -> tuple[str | None, Any]:
    """Return the field of `Metadata` that a chunk fills, and its value, or none twice.

    Behind the samples, other programs overlook resolution and profile.
    """
    value: object = None
    field = {b"eXIf": "exif", b"iTXt": "texts", b"tEXt": "texts"}.get(kind)
    if kind == b"eXIf" and _BLOCK_START.match(body):
        value = body
    elif kind == b"iTXt" and body.startswith(XMP_START + PLAIN):
        field, value = "xmp", body[len(XMP_START + PLAIN) :]
    elif kind in (b"iTXt", b"tEXt"):
        value = _text(kind, body)
    elif kind == b"iCCP" and not behind:
        field, value = "icc", _profile(body)
    elif kind == b"pHYs" and not behind:
        field, value = "resolution", _resolution(body)
    return (None, None) if value is None else (field, value)


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


def _text(kind: bytes, body: bytes) -> tuple[str, str] | None:
    """Return keyword and text of a chunk that says nothing more, or none."""
    start, separator, rest = body.partition(b"\0")
    keyword = start.decode("latin-1")
    if not separator or not _KEYWORD.fullmatch(keyword):
        return None
    try:
        if kind == b"tEXt":
            text = rest.decode("latin-1")
        elif kind == b"iTXt" and rest.startswith(PLAIN):
            text = rest[len(PLAIN) :].decode()
        else:
            return None
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else (keyword, text)


def _text_chunk(keyword: str, text: str) -> tuple[bytes, bytes] | None:
    """Return the chunk that holds a text, tEXt if Latin-1 will do, or none if none can hold it."""
    if not _KEYWORD.fullmatch(keyword) or "\0" in text:
        return None
    start = keyword.encode("latin-1") + b"\0"
    with suppress(UnicodeEncodeError):
        return b"tEXt", start + text.encode("latin-1")
    if start in (HEADER_KEYWORD, XMP_START):
        return None
    try:
        return b"iTXt", start + PLAIN + text.encode()
    except UnicodeEncodeError:
        return None


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
