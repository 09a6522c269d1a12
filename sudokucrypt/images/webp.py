"""WebP: RGB and RGBA with 8 bits, written without loss; the header is in an XMP packet.

::

    "RIFF" size "WEBP" | "VP8X" size flags columns-1 rows-1 | "VP8L" size ... | "XMP " size ...
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.picture import Frame, Picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.metadata import Metadata
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

FORMAT: Final = "WebP"

_MAX_SIDE = 16383
_ALPHA_FLAG, _XMP_FLAG = 0x10, 0x04
_LEFT_OUT = {b"EXIF": "EXIF", b"ICCP": "ICC profile", b"XMP ": "XMP"}
_PLUMBING = (b"VP8X", b"VP8 ", b"VP8L", b"ALPH")

_NAMESPACE = b"urn:sudokucrypt:1"
_PACKET = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:sudokucrypt="urn:sudokucrypt:1">'
    "<sudokucrypt:header>{header}</sudokucrypt:header>"
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
    '<?xpacket end="r"?>'
).encode()
_ELEMENT = re.compile(rb"<sudokucrypt:header>([^<]*)</sudokucrypt:header>")
_ENTITIES = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
_ENTITY = re.compile(rb"&(amp|lt|gt|quot|apos);")


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a WebP."""
    return data.startswith(b"RIFF") and data[8:12] == b"WEBP"


def decode(source: Source) -> Picture:
    """Read a WebP; see `read_picture` for what is raised."""
    from imagecodecs import webp_decode

    chunks: dict[bytes, memoryview] = {}
    headers: list[bytes] = []
    left_out: dict[str, None] = {}
    for kind, body in _walk(source):
        if kind in (b"ANIM", b"ANMF"):
            raise source.unsupported("an animated WebP")
        if kind in _PLUMBING:
            if kind in chunks:
                raise source.damaged("it holds two pictures")
            chunks[kind] = body
            continue
        found = _headers_in(source, bytes(body)) if kind == b"XMP " else []
        headers += found
        if kind != b"XMP " or not found or bytes(body) != _packet(found[0]):
            left_out[_LEFT_OUT.get(kind, "other data")] = None
    if len(source.data) > _riff_end(source):
        left_out["data after the picture"] = None
    header = source.header(headers)
    rows, columns, alpha = _read_frame(source, chunks)
    shape = source.shape(rows, columns, 4 if alpha else 3)
    pixels = source.run(webp_decode, shape=shape, dtype="uint8", hasalpha=alpha)
    return Picture.plain(pixels, format=FORMAT, header=header, left_out=tuple(left_out))


def obstacle(picture: Picture) -> str | None:
    """Tell what of a picture WebP cannot hold, or return none."""
    if len(picture.frames) > 1 or picture.animation is not None:
        return "several frames"
    frame = picture.frames[0]
    if frame.pixels.dtype != np.uint8:
        return f"samples of type {frame.pixels.dtype}"
    if frame.mode not in ("rgb", "rgba") or frame.transparent is not None:
        return f"{frame.mode} pictures"
    if max(frame.pixels.shape[:2]) > _MAX_SIDE:
        return f"sides of over {_MAX_SIDE} pixels"
    if frame.mode == "rgba" and frame.pixels[..., 3].min() == 255:
        return "an alpha channel that is opaque everywhere"
    return None


def leftover(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata WebP cannot hold."""
    del header
    return frame.metadata


def encode(picture: Picture, compress: int) -> list[Buffer]:
    """Return the parts of a lossless WebP file, exact under transparent pixels too."""
    from imagecodecs import webp_encode

    del compress
    pixels, header = picture.pixels, picture.header
    # Noise does not compress, so the fastest method is as good as any.
    data = bytes(webp_encode(pixels, lossless=True, level=0, method=0))
    if header is None:
        return [data]
    rows, columns = pixels.shape[:2]
    flags = _XMP_FLAG | (_ALPHA_FLAG if pixels.shape[2] == 4 else 0)
    sides = (columns - 1).to_bytes(3, "little") + (rows - 1).to_bytes(3, "little")
    parts = [
        *_chunk(b"VP8X", struct.pack("<I", flags) + sides),
        memoryview(data)[12:],
        *_chunk(b"XMP ", _packet(header)),
    ]
    size = 4 + sum(len(part) for part in parts)
    return [b"RIFF", struct.pack("<I", size), b"WEBP", *parts]


def _riff_end(source: Source) -> int:
    return 8 + int.from_bytes(source.data[4:8], "little")


def _walk(source: Source) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk."""
    end = _riff_end(source)
    if end > len(source.data):
        raise source.cut_short()
    view = memoryview(source.data)[:end]
    position = 12
    while position < end:
        if end - position < 8:
            raise source.cut_short()
        kind, size = struct.unpack_from("<4sI", view, position)
        if size > end - position - 8:
            raise source.cut_short()
        yield kind, view[position + 8 : position + 8 + size]
        # Bodies of odd size are followed by one byte of padding.
        position += 8 + size + size % 2


def _chunk(kind: bytes, body: bytes) -> list[bytes | memoryview]:
    return [kind, struct.pack("<I", len(body)), body, b"\0" * (len(body) % 2)]


def _read_frame(source: Source, chunks: dict[bytes, memoryview]) -> tuple[int, int, bool]:
    """Return rows, columns and whether there is alpha, as the one coded picture says."""
    lossy, lossless = chunks.get(b"VP8 "), chunks.get(b"VP8L")
    if lossless is not None and lossy is None:
        if len(lossless) < 5 or lossless[0] != 0x2F:
            raise source.damaged("its VP8L chunk has no start")
        bits = int.from_bytes(lossless[1:5], "little")
        rows, columns, alpha = (bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1, bits >> 28 & 1
    elif lossy is not None and lossless is None:
        if len(lossy) < 10 or bytes(lossy[3:6]) != b"\x9d\x01\x2a":
            raise source.damaged("its VP8 chunk has no start")
        columns, rows = (side & 0x3FFF for side in struct.unpack_from("<HH", lossy, 6))
        alpha = b"ALPH" in chunks
    else:
        raise source.damaged("it does not hold one picture")
    canvas = chunks.get(b"VP8X")
    if canvas is not None:
        sides = (
            int.from_bytes(canvas[7:10], "little") + 1,
            int.from_bytes(canvas[4:7], "little") + 1,
        )
        if len(canvas) != 10 or sides != (rows, columns):
            raise source.damaged("its canvas and its picture differ in size")
    return rows, columns, bool(alpha)


def _packet(header: bytes) -> bytes:
    """Return the XMP packet that carries a header."""
    for name in (b"amp", b"lt", b"gt"):
        header = header.replace(_ENTITIES[name], b"&" + name + b";")
    return _PACKET.replace(b"{header}", header)


def _headers_in(source: Source, packet: bytes) -> list[bytes]:
    """Return the headers in an XMP packet, by pattern: a parser would bring its own dangers."""
    found = [
        _ENTITY.sub(lambda entity: _ENTITIES[entity.group(1)], text)
        for text in _ELEMENT.findall(packet)
    ]
    if not found and _NAMESPACE in packet:
        raise source.bad_header("the XMP packet around it was rewritten")
    return found
