"""JPEG XL: gray, RGB and alpha with 8 to 16 bits, read only; stills, bare or in boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sudokucrypt.images.boxes import boxes
from sudokucrypt.images.jxl.header import HEADING_LIMIT, SIGNATURE, read_heading
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import NATURAL_MODES, Frame, Picture
from sudokucrypt.images.sixteen_bits import spread

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

FORMAT: Final = "JPEG XL"

_BOXED = b"\0\0\0\x0cJXL \r\n\x87\n"
_EXIF, _XMP, _COMPRESSED = b"Exif", b"xml ", b"brob"
_NAMES = {
    _EXIF: "EXIF",
    _XMP: "XMP",
    b"jbrd": "the JPEG it was made of",
    b"jhgm": "other pictures",
}
_PLUMBING = (b"JXL ", b"ftyp", b"jxll", b"jxli", b"jxlc", b"jxlp")


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a JPEG XL."""
    return data.startswith((_BOXED, SIGNATURE))


def decode(source: Source) -> Picture:
    """Read a JPEG XL; see `read_picture` for what is raised.

    Notes
    -----
    Samples of 9 to 15 bits are spread over 16, see `spread`. The samples are as they are stored:
    the orientation is not applied, and named among what is left out. A color profile is part of
    the codestream, in a form of its own, and left out too.
    """
    from imagecodecs import JPEGXL

    if not JPEGXL.available:
        raise source.unsupported("a JPEG XL, for which this installation has no codec,")
    left_out: dict[str, None] = {}
    said: dict[bytes, bytes] = {}
    codestream = source.data if source.data.startswith(SIGNATURE) else b""
    for kind, body in [] if codestream else boxes(source, memoryview(source.data)):
        if kind in (b"jxlc", b"jxlp") and len(codestream) < HEADING_LIMIT:
            # A part of a codestream has four bytes of number; what the heading needs will do.
            start = 4 if kind == b"jxlp" else 0
            codestream += bytes(body[start : start + HEADING_LIMIT])
        elif kind in (_EXIF, _XMP) and kind not in said:
            said[kind] = bytes(body)
        elif kind not in _PLUMBING:
            inner = bytes(body[:4]) if kind == _COMPRESSED else kind
            left_out[_NAMES.get(inner, "other data")] = None
    heading = read_heading(source, codestream)
    left_out.update(dict.fromkeys(heading.left_out))
    pixels = _pixels(source, heading.rows, heading.columns, heading.bits, alpha=heading.alpha)
    # Four bytes say how far behind them the TIFF file begins.
    exif = said.get(_EXIF, b"")
    metadata = Metadata(
        exif=exif[4 + int.from_bytes(exif[:4], "big") :] or None, xmp=said.get(_XMP) or None
    )
    mode = NATURAL_MODES[1 if pixels.ndim == 2 else pixels.shape[2]]
    frame = Frame(pixels=pixels, mode=mode, metadata=metadata)
    return Picture(frames=(frame,), format=FORMAT, left_out=tuple(left_out))


def _pixels(source: Source, rows: int, columns: int, bits: int, *, alpha: bool) -> AnyArray:
    from imagecodecs import jpegxl_decode

    source.shape(rows, columns, 4 if alpha else 3, width=1 if bits == 8 else 2)
    pixels: AnyArray = source.call(jpegxl_decode, source.data, keeporientation=True)
    channels = 1 if pixels.ndim == 2 else pixels.shape[-1]
    expected = "uint8" if bits == 8 else "uint16"
    if pixels.shape[:2] != (rows, columns) or pixels.ndim > 3 or pixels.dtype != expected:
        raise source.damaged("its samples are not what they promise to be")
    if channels not in ((2, 4) if alpha else (1, 3)):
        raise source.damaged("its channels are not what they promise to be")
    return pixels if bits in (8, 16) else spread(source, pixels, bits)
