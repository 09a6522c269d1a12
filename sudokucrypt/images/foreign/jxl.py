"""JPEG XL: gray, RGB and alpha with 8 to 16 bits; stills, with and without boxes.

libjxl decodes; what the first bits of a codestream say of the picture is read here before.

References
----------
.. [1] ISO/IEC 18181-1:2024, "JPEG XL coding system", annexes D and E.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.bits import spread
from sudokucrypt.images.driver import Driver
from sudokucrypt.images.foreign.boxes import boxes, tiff_of
from sudokucrypt.images.foreign.results import UPRIGHT, require_samples, still, with_orientation
from sudokucrypt.images.metadata import Metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.images.picture import Picture
    from sudokucrypt.images.source import Source

SIGNATURE: Final = b"\xff\x0a"
"""How a codestream begins."""
HEADING_LIMIT: Final = 2048
"""More bytes than any heading takes; only the name of a channel has some length."""

# Each number in one of four forms: what is added to how many bits.
_Forms = tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]
_SIDE: _Forms = ((1, 9), (1, 13), (1, 18), (1, 30))
_ENUM: _Forms = ((0, 0), (1, 0), (2, 4), (18, 6))
_DEPTH: _Forms = ((8, 0), (10, 0), (12, 0), (1, 6))
_EXTRAS: _Forms = ((0, 0), (1, 0), (2, 4), (1, 12))
_SHRINKING: _Forms = ((0, 0), (3, 0), (4, 0), (1, 3))
_NAME: _Forms = ((0, 0), (0, 4), (16, 5), (48, 10))
# Columns to rows.
_RATIOS = ((1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
_RGB, _GRAY = 0, 1
_D65, _SRGB_PRIMARIES, _SRGB_TRANSFER = 1, 1, 13
_ALPHA = 0
_BOXED: Final = b"\0\0\0\x0cJXL \r\n\x87\n"
_EXIF, _XMP, _COMPRESSED = b"Exif", b"xml ", b"brob"
_NAMES: Final = {
    _EXIF: "EXIF",
    _XMP: "XMP",
    b"jbrd": "the JPEG it was made of",
    b"jhgm": "other pictures",
}
_STRUCTURE: Final = (b"JXL ", b"ftyp", b"jxll", b"jxli", b"jxlc", b"jxlp")


@dataclass(frozen=True, kw_only=True)
class Heading:
    """What is known before decoding.

    Parameters
    ----------
    rows, columns : int
        As they are stored, before any turning.
    bits : int
        Of a sample.
    alpha : bool
        Whether there is a channel of opacity.
    orientation : int
        As EXIF numbers it.
    left_out : tuple of str
        What it says that is not kept.
    """

    rows: int
    columns: int
    bits: int = 8
    alpha: bool = False
    orientation: int = UPRIGHT
    left_out: tuple[str, ...] = ()


def read_heading(source: Source, codestream: bytes) -> Heading:
    """Return what the codestream says of its picture.

    Raises
    ------
    InvalidImageError
        If it is no codestream.
    UnsupportedError
        If the picture moves, or has other samples than integers of 8 to 16 bits, gray or in
        colors, with or without independent alpha.
    """
    if not codestream.startswith(SIGNATURE):
        raise source.damaged("its codestream has no start")
    bits = _Bits(source, codestream[2:])
    rows, columns = bits.size()
    if bits.flag():
        return Heading(rows=rows, columns=columns)
    orientation = _read_extras(source, bits)
    depth = _read_depth(source, bits)
    bits.flag()
    count = bits.number(_EXTRAS)
    if count > 1:
        raise source.unsupported(f"a JPEG XL with {count} extra channels")
    if count:
        _read_alpha(source, bits, depth)
    bits.flag()
    return Heading(
        rows=rows,
        columns=columns,
        bits=depth,
        alpha=bool(count),
        orientation=orientation,
        left_out=_read_colors(bits),
    )


class _Bits:
    """Numbers one after the other, each beginning with its lowest bit."""

    def __init__(self, source: Source, data: bytes) -> None:
        self._source, self._data, self._position = source, data[:HEADING_LIMIT], 0

    def take(self, count: int) -> int:
        """Return the next so many bits."""
        start, self._position = self._position, self._position + count
        if self._position > 8 * len(self._data):
            raise self._source.cut_short()
        window = int.from_bytes(self._data[start // 8 : (start + count + 7) // 8], "little")
        return window >> start % 8 & (1 << count) - 1

    def flag(self) -> bool:
        return bool(self.take(1))

    def number(self, forms: Sequence[tuple[int, int]]) -> int:
        added, count = forms[self.take(2)]
        return added + self.take(count)

    def size(self) -> tuple[int, int]:
        """Return rows and columns."""
        small = self.flag()
        rows = self._side(small=small)
        ratio = self.take(3)
        if not ratio:
            return rows, self._side(small=small)
        wide, high = _RATIOS[ratio - 1]
        return rows, rows * wide // high

    def _side(self, *, small: bool) -> int:
        return 8 * (self.take(5) + 1) if small else self.number(_SIDE)


def _read_extras(source: Source, bits: _Bits) -> int:
    """Read what few pictures say; return how they are to be turned."""
    if not bits.flag():
        return UPRIGHT
    turned = bits.take(3)
    if bits.flag():
        bits.size()
    if bits.flag():
        raise source.unsupported("a JPEG XL with a preview")
    if bits.flag():
        raise source.unsupported("an animated JPEG XL")
    return UPRIGHT + turned


def _read_depth(source: Source, bits: _Bits) -> int:
    if bits.flag():
        raise source.unsupported("a JPEG XL with float samples")
    depth = bits.number(_DEPTH)
    if not 8 <= depth <= 16:
        raise source.unsupported(f"a JPEG XL with {depth}-bit samples")
    return depth


def _read_alpha(source: Source, bits: _Bits, depth: int) -> None:
    """Read the extra channel, which must be opacity in the depth of the others."""
    associated = False
    if bits.flag():
        kind, alpha_depth = _ALPHA, 8
    else:
        kind = bits.number(_ENUM)
        alpha_depth = _read_depth(source, bits)
        bits.number(_SHRINKING)
        for _ in range(bits.number(_NAME)):
            bits.take(8)
        associated = kind == _ALPHA and bits.flag()
    if kind != _ALPHA or associated or alpha_depth != depth:
        raise source.unsupported("a JPEG XL with an extra channel that is not plain alpha")


def _read_colors(bits: _Bits) -> tuple[str, ...]:
    """Return what of the color space is not kept: anything but sRGB."""
    if bits.flag():
        return ()
    if bits.flag():
        return ("ICC profile",)
    space = bits.number(_ENUM)
    plain = (
        space in (_RGB, _GRAY)
        and bits.number(_ENUM) == _D65
        and (space == _GRAY or bits.number(_ENUM) == _SRGB_PRIMARIES)
        and not bits.flag()
        and bits.number(_ENUM) == _SRGB_TRANSFER
    )
    return () if plain else ("color space",)


def _decode(source: Source) -> Picture:
    """Read a JPEG XL; see `read_picture` for what is raised.

    Notes
    -----
    Samples of 9 to 15 bits are spread over 16, see `spread`. The samples are as they are stored:
    the orientation is not applied, and EXIF says it. A color profile is part of the codestream,
    in a form of its own, and left out.
    """
    from imagecodecs import JPEGXL, jpegxl_decode

    if not JPEGXL.available:
        raise source.unsupported("a JPEG XL, for which this installation has no codec,")
    left_out: list[str] = []
    said: dict[bytes, bytes] = {}
    codestream = source.data if source.data.startswith(SIGNATURE) else b""
    for kind, body in [] if codestream else boxes(source, memoryview(source.data)):
        if kind in (b"jxlc", b"jxlp") and len(codestream) < HEADING_LIMIT:
            # A part of a codestream has four bytes of number; what the heading needs will do.
            start = 4 if kind == b"jxlp" else 0
            codestream += bytes(body[start : start + HEADING_LIMIT])
        elif kind in (_EXIF, _XMP) and kind not in said:
            said[kind] = bytes(body)
        elif kind not in _STRUCTURE:
            inner = bytes(body[:4]) if kind == _COMPRESSED else kind
            left_out.append(_NAMES.get(inner, "other data"))
    heading = read_heading(source, codestream)
    wide = heading.bits > 8
    source.shape(heading.rows, heading.columns, 4 if heading.alpha else 3, width=1 + wide)
    pixels = require_samples(
        source,
        source.call(jpegxl_decode, source.data, keeporientation=True),
        (heading.rows, heading.columns),
        channels=(2, 4) if heading.alpha else (1, 3),
        dtype="uint16" if wide else "uint8",
    )
    if wide:
        pixels = spread(source, pixels, heading.bits)
    exif = with_orientation(tiff_of(said.get(_EXIF, b"")), heading.orientation)
    metadata = Metadata(exif=exif, xmp=said.get(_XMP) or None)
    return still("JPEG XL", pixels, metadata, (*left_out, *heading.left_out))


DRIVER: Final = Driver(
    name="JPEG XL",
    suffixes=(".jxl",),
    matches=lambda data: data.startswith((_BOXED, SIGNATURE)),
    decode=_decode,
    lossy=True,
)
