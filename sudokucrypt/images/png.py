"""PNG: exact in all gray and RGB modes; the header is an iTXt chunk."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.picture import Frame, Picture
from sudokucrypt.images.png_chunks import SIGNATURE, assemble, walk
from sudokucrypt.images.png_lines import CHANNELS, Layout, pack, squeeze, unpack

if TYPE_CHECKING:
    from sudokucrypt.images.metadata import Metadata
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray, Buffer

FORMAT: Final = "PNG"

_KEYWORD = b"sudokucrypt\0"
# Behind the keyword: not compressed, method 0, no language, no translated keyword.
_PLAIN = b"\0\0\0\0"
_COLOR_TYPES = {channels: color_type for color_type, channels in CHANNELS.items()}
_REFUSED = {
    b"acTL": "an animated PNG",
    b"tRNS": "a PNG with a transparent color instead of an alpha channel",
}
_LEFT_OUT = {
    b"": "data after the picture",
    b"PLTE": "palette",
    b"bKGD": "background color",
    b"cHRM": "color space",
    b"cICP": "color space",
    b"eXIf": "EXIF",
    b"gAMA": "color space",
    b"iCCP": "ICC profile",
    b"iTXt": "text",
    b"pHYs": "resolution",
    b"sRGB": "color space",
    b"tEXt": "text",
    b"tIME": "time",
    b"zTXt": "text",
}


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a PNG."""
    return data.startswith(SIGNATURE)


def decode(source: Source) -> Picture:
    """Read a PNG; see `read_picture` for what is raised."""
    chunks = walk(source)
    layout = _read_layout(source, *next(chunks))
    pieces: list[memoryview] = []
    headers: list[bytes] = []
    left_out: dict[str, None] = {}
    previous = b"IHDR"
    for kind, body in chunks:
        if kind == b"IDAT":
            if pieces and previous != b"IDAT":
                raise source.damaged("its samples are not in one row of IDAT chunks")
            pieces.append(body)
        elif kind in _REFUSED:
            raise source.unsupported(_REFUSED[kind])
        elif kind == b"iTXt" and body[: len(_KEYWORD)] == _KEYWORD:
            headers.append(_read_header(source, body))
        elif kind[:1].isupper() and kind not in (b"PLTE", b"IEND"):
            raise source.damaged(f"it has an unexpected {kind.decode()} chunk")
        elif kind != b"IEND" and (kind or body):
            left_out[_name(kind, body)] = None
        previous = kind
    header = source.header(headers)
    stream = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    pixels = unpack(source, stream, layout)
    return Picture.plain(pixels, format=FORMAT, header=header, left_out=tuple(left_out))


def obstacle(picture: Picture) -> str | None:
    """Tell what of a picture PNG cannot hold, or return none."""
    if len(picture.frames) > 1 or picture.animation is not None:
        return "several frames"
    frame = picture.frames[0]
    if frame.mode in ("palette", "cmyk") or frame.transparent is not None:
        return f"{frame.mode} pictures"
    if frame.depth not in (8, 16) or frame.pixels.dtype.kind != "u":
        return f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
    return None


def leftover(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata PNG cannot hold."""
    del header
    return frame.metadata


def encode(picture: Picture, compress: int) -> list[Buffer]:
    """Return the parts of a PNG file; `compress` is 0..9.

    A picture with a header is scrambled: filters, which expect neighbours to be alike, would
    only make it larger.
    """
    pixels, header = picture.pixels, picture.header
    if compress and header is None:
        return [_filtered(pixels, compress)]
    rows, columns = pixels.shape[:2]
    color_type = _COLOR_TYPES[1 if pixels.ndim == 2 else pixels.shape[2]]
    layout = Layout(rows, columns, 8 * pixels.dtype.itemsize, color_type)
    text = [] if header is None else [(b"iTXt", _KEYWORD + _PLAIN + header)]
    body = squeeze(pixels, compress) if compress else pack(pixels)
    return assemble([(b"IHDR", layout.to_bytes()), *text, (b"IDAT", body), (b"IEND", b"")])


def _filtered(pixels: AnyArray, level: int) -> bytes:
    """Return a PNG file with filtered lines; level 1 takes the quickest filter and strategy."""
    from imagecodecs import PNG, png_encode

    if level > 1:
        return bytes(png_encode(pixels, level))
    return bytes(png_encode(pixels, 1, strategy=PNG.STRATEGY.RLE, filter=PNG.FILTER.SUB))


def _read_layout(source: Source, kind: bytes, body: memoryview) -> Layout:
    """Return what IHDR says, if it is a mode that an array can hold as it is."""
    if kind != b"IHDR" or len(body) != 13:
        raise source.damaged("it does not begin with an IHDR chunk")
    columns, rows, bits, color_type, compression, filters, interlace = struct.unpack(
        ">IIBBBBB", body
    )
    if compression or filters or interlace > 1:
        raise source.damaged("its IHDR chunk asks for an unknown method")
    if color_type == 3:
        raise source.unsupported("a PNG with a palette")
    if color_type not in CHANNELS or bits not in (1, 2, 4, 8, 16):
        raise source.damaged("its IHDR chunk asks for an unknown mode")
    if bits < 8:
        raise source.unsupported(f"a PNG with {bits}-bit samples")
    source.shape(rows, columns, CHANNELS[color_type])
    return Layout(rows, columns, bits, color_type, interlaced=bool(interlace))


def _read_header(source: Source, body: memoryview) -> bytes:
    """Return the text of our iTXt chunk; only the form that `encode` writes will do."""
    rest = bytes(body[len(_KEYWORD) :])
    if not rest.startswith(_PLAIN):
        raise source.bad_header("it is compressed or in a language")
    return rest[len(_PLAIN) :]


def _name(kind: bytes, body: memoryview) -> str:
    """Return what to call a chunk that is not kept."""
    if kind == b"iTXt" and bytes(body[:18]) == b"XML:com.adobe.xmp\0":
        return "XMP"
    return _LEFT_OUT.get(kind, "other data")
