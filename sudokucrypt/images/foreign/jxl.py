"""JPEG XL: gray, RGB and alpha with 8 to 16 bits; stills, with and without boxes.

libjxl decodes; what the first bits of a codestream say of the picture is read here before.

References
----------
.. [1] ISO/IEC 18181-1:2024, "JPEG XL coding system", annexes D and E.
"""

from typing import Final, NamedTuple

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.bits import spread
from sudokucrypt.images.foreign import conversion
from sudokucrypt.images.foreign.isobmff import BitReader, BoxPart, boxes, tiff_of
from sudokucrypt.images.picture import Metadata, Picture
from sudokucrypt.images.source import Source

# More bytes than any heading takes; only the name of a channel has some length.
HEADING_LIMIT: Final = 2048
_SIGNATURE: Final = b"\xff\x0a"

# Each number in one of four forms: what is added to how many bits.
_SIDE: Final = ((1, 9), (1, 13), (1, 18), (1, 30))
_ENUM: Final = ((0, 0), (1, 0), (2, 4), (18, 6))
_DEPTH: Final = ((8, 0), (10, 0), (12, 0), (1, 6))
_EXTRAS: Final = ((0, 0), (1, 0), (2, 4), (1, 12))
_SHRINKING: Final = ((0, 0), (3, 0), (4, 0), (1, 3))
_NAME: Final = ((0, 0), (0, 4), (16, 5), (48, 10))
# Columns to rows.
_RATIOS: Final = ((1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
_RGB, _GRAY = 0, 1
_D65, _SRGB_PRIMARIES, _SRGB_TRANSFER = 1, 1, 13
_ALPHA: Final = 0
_EXIF, _XMP, _COMPRESSED, _RECONSTRUCTION = b"Exif", b"xml ", b"brob", b"jbrd"
_NAMES: Final = {
    _EXIF: "EXIF",
    _XMP: "XMP",
    _RECONSTRUCTION: "the JPEG it was made of",
    b"jhgm": "other pictures",
}
_STRUCTURE: Final = (b"JXL ", b"ftyp", b"jxll", b"jxli", b"jxlc", b"jxlp")


class Heading(NamedTuple):
    """What is known before decoding; rows and columns are as they are stored."""

    rows: int
    columns: int
    bits: int = 8
    alpha: bool = False
    orientation: int = conversion.UPRIGHT
    dropped: tuple[str, ...] = ()
    perceptual: bool = True  # in XYB, the colors of lossy coding


def read_heading(source: Source, codestream: bytes) -> Heading:
    """Return what a codestream says of a still of integers, with or without plain alpha."""
    if not codestream.startswith(_SIGNATURE):
        raise source.damaged("its codestream has no start")
    bits = BitReader(source, codestream[2 : 2 + HEADING_LIMIT], lowest_first=True)
    rows, columns = _read_size(bits)
    if bits.flag():
        return Heading(rows, columns)
    orientation = _read_extras(source, bits)
    depth = _read_depth(source, bits)
    bits.flag()
    count = _number(bits, _EXTRAS)
    if count > 1:
        raise source.unsupported(f"a JPEG XL with {count} extra channels")
    if count:
        _read_alpha(source, bits, depth)
    perceptual = bits.flag()
    colors = _read_colors(bits)
    return Heading(rows, columns, depth, bool(count), orientation, colors, perceptual)


def _number(bits: BitReader, forms: tuple[tuple[int, int], ...]) -> int:
    added, count = forms[bits.take(2)]
    return added + bits.take(count)


def _read_size(bits: BitReader) -> tuple[int, int]:
    small = bits.flag()

    def side() -> int:
        return 8 * (bits.take(5) + 1) if small else _number(bits, _SIDE)

    rows = side()
    ratio = bits.take(3)
    wide, high = _RATIOS[ratio - 1]
    return rows, rows * wide // high if ratio else side()


def _read_extras(source: Source, bits: BitReader) -> int:
    """Read what few pictures say; return how they are to be turned."""
    if not bits.flag():
        return conversion.UPRIGHT
    turned = bits.take(3)
    if bits.flag():
        _read_size(bits)
    if bits.flag():
        raise source.unsupported("a JPEG XL with a preview")
    if bits.flag():
        raise source.unsupported("an animated JPEG XL")
    return conversion.UPRIGHT + turned


def _read_depth(source: Source, bits: BitReader) -> int:
    if bits.flag():
        raise source.unsupported("a JPEG XL with float samples")
    depth = _number(bits, _DEPTH)
    if not 8 <= depth <= 16:
        raise source.unsupported(f"a JPEG XL with {depth}-bit samples")
    return depth


def _read_alpha(source: Source, bits: BitReader, depth: int) -> None:
    """Read the extra channel, which must be opacity in the depth of the others."""
    kind, alpha_depth, associated = _ALPHA, 8, False
    if not bits.flag():
        kind = _number(bits, _ENUM)
        alpha_depth = _read_depth(source, bits)
        _number(bits, _SHRINKING)
        bits.take(8 * _number(bits, _NAME))
        associated = kind == _ALPHA and bits.flag()
    if kind != _ALPHA or associated or alpha_depth != depth:
        raise source.unsupported("a JPEG XL with an extra channel that is not plain alpha")


def _read_colors(bits: BitReader) -> tuple[str, ...]:
    """Return what of the color space is not kept: anything but sRGB."""
    if bits.flag():
        return ()
    if bits.flag():
        return ("ICC profile",)
    space = _number(bits, _ENUM)
    plain = (
        space in (_RGB, _GRAY)
        and _number(bits, _ENUM) == _D65
        and (space == _GRAY or _number(bits, _ENUM) == _SRGB_PRIMARIES)
        and not bits.flag()
        and _number(bits, _ENUM) == _SRGB_TRANSFER
    )
    return () if plain else ("color space",)


def _split(source: Source) -> tuple[bytes, list[BoxPart]]:
    """Return as much of the codestream as its heading needs, and the other boxes."""
    if source.data.startswith(_SIGNATURE):
        return source.data[: len(_SIGNATURE) + HEADING_LIMIT], []
    codestream, others = b"", []
    for kind, body in boxes(source, memoryview(source.data)):
        if kind in (b"jxlc", b"jxlp") and len(codestream) < HEADING_LIMIT:
            # A part of a codestream has four bytes of number.
            start = 4 if kind == b"jxlp" else 0
            codestream += bytes(body[start : start + HEADING_LIMIT])
        elif kind not in _STRUCTURE:
            others.append((kind, body))
    return codestream, others


def coded_lossily(source: Source) -> bool:
    """Return whether a file was coded with loss, or made of a JPEG; of rare kinds, most were."""
    codestream, others = _split(source)
    try:
        perceptual = read_heading(source, codestream).perceptual
    except UnsupportedError:
        return True
    return perceptual or any(kind == _RECONSTRUCTION for kind, _ in others)


def decode(source: Source) -> Picture:
    """Read a JPEG XL: its orientation is only said in EXIF, and its color profile is left out."""
    jpegxl_decode = conversion.codec(source, "JPEGXL", "a JPEG XL")
    dropped: list[str] = []
    first: dict[bytes, bytes] = {}
    codestream, others = _split(source)
    for kind, body in others:
        if kind in (_EXIF, _XMP) and kind not in first:
            first[kind] = bytes(body)
        else:
            inner = bytes(body[:4]) if kind == _COMPRESSED else kind
            dropped.append(_NAMES.get(inner, "other data"))
    heading = read_heading(source, codestream)
    size, channels = (heading.rows, heading.columns), (2, 4) if heading.alpha else (1, 3)
    dtype = np.dtype("uint16" if heading.bits > 8 else "uint8")
    source.shape(*size, channels[1], width=dtype.itemsize)
    pixels = source.call(jpegxl_decode, source.data, keeporientation=True)
    conversion.require_samples(source, pixels, size, channels=channels, dtype=dtype.name)
    pixels = spread(source, pixels, heading.bits)
    exif = conversion.with_orientation(tiff_of(first.get(_EXIF, b"")), heading.orientation)
    metadata = Metadata(exif=exif, xmp=first.get(_XMP) or None)
    return conversion.still("JPEG XL", pixels, metadata, (*dropped, *heading.dropped))
