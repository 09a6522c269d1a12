"""WebP as a row of chunks, coded samples in them, and frames around these.

A chunk has four letters, the length of its body, the body, and a zero if the length is odd::

    "RIFF" size "WEBP" | "VP8L" size body 0 | "XMP " size body | ...
    ANMF: column/2 row/2 | columns-1 rows-1 | milliseconds | flags | ALPH ... | VP8 or VP8L ...
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.picture import Frame, FrameControl
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray, Buffer

_FRAME = struct.Struct("<4sI")
# RIFF stores its size in 32 bits.
_SIZE_END = 2**32

MAX_SIDE: Final = 16383  # most rows or columns of one coded picture
MAX_DURATION: Final = 2**24 - 1  # most milliseconds that a frame is shown
CODED: Final = (b"VP8 ", b"VP8L", b"ALPH")  # kinds of the chunks that hold samples

# The flag of a file with alpha, and the bit of a lossless picture with alpha in its fifth byte.
_ALPHA = 0x10
_DISPOSE, _OPAQUE = 0x01, 0x02
HEAD: Final = 16  # bytes of a frame in front of its chunks


def riff_end(source: Source) -> int:
    """Return where the file says that it ends."""
    return 8 + int.from_bytes(source.data[4:8], "little")


def walk(source: Source) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk of a file."""
    if riff_end(source) > len(source.data):
        raise source.cut_short()
    return walk_body(source, memoryview(source.data)[12 : riff_end(source)])


def walk_body(source: Source, view: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk in these bytes."""
    position = 0
    while position < len(view):
        start = position + _FRAME.size
        if start > len(view):
            raise source.cut_short()
        kind, size = _FRAME.unpack_from(view, position)
        if size > len(view) - start:
            raise source.cut_short()
        yield kind, view[start : start + size]
        position = start + size + size % 2


def chunk(kind: bytes, *bodies: Buffer) -> list[Buffer]:
    """Return the parts of one chunk, whose body may be in several pieces."""
    size = sum(map(len, bodies))
    return [_head(kind, size), *bodies, b"\0" * (size % 2)]


def riff(parts: Sequence[Buffer]) -> list[Buffer]:
    """Return the parts of a file that holds these parts of chunks."""
    return [_head(b"RIFF", 4 + sum(map(len, parts))), b"WEBP", *parts]


def sides(columns: int, rows: int) -> bytes:
    """Return the form that two numbers have in a canvas or frame: 24 bits each."""
    return columns.to_bytes(3, "little") + rows.to_bytes(3, "little")


def read_sides(body: memoryview) -> tuple[int, int]:
    """Return the two numbers that `sides` put at the start of these bytes."""
    return int.from_bytes(body[:3], "little"), int.from_bytes(body[3:6], "little")


def _head(kind: bytes, size: int) -> bytes:
    if size >= _SIZE_END:
        raise UnsupportedError(
            f"a WebP cannot hold {size} bytes, more than {_SIZE_END - 1}",
            hint="write a TIFF, or fewer frames",
        )
    return _FRAME.pack(kind, size)


def unpack(source: Source, chunks: Mapping[bytes, memoryview]) -> AnyArray:
    """Return the samples of one picture, RGB or RGBA, from the chunks that hold them."""
    from imagecodecs import webp_decode

    rows, columns, alpha = coded_size(source, chunks)
    shape = source.shape(rows, columns, 4 if alpha else 3)
    parts: list[Buffer] = []
    if b"VP8L" in chunks:
        parts += chunk(b"VP8L", chunks[b"VP8L"])
    else:
        if alpha:
            parts += [*canvas(columns, rows, _ALPHA), *chunk(b"ALPH", chunks[b"ALPH"])]
        parts += chunk(b"VP8 ", chunks[b"VP8 "])
    return source.run(webp_decode, b"".join(riff(parts)), shape, hasalpha=alpha)


def coded_size(source: Source, chunks: Mapping[bytes, memoryview]) -> tuple[int, int, bool]:
    """Return rows, columns and whether there is alpha, as the one coded picture says."""
    lossy, lossless = chunks.get(b"VP8 "), chunks.get(b"VP8L")
    if lossless is not None and lossy is None:
        if len(lossless) < 5 or lossless[0] != 0x2F:
            raise source.damaged("its VP8L chunk has no start")
        bits = int.from_bytes(lossless[1:5], "little")
        return (bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1, bool(bits >> 28 & 1)
    if lossy is not None and lossless is None:
        if len(lossy) < 10 or bytes(lossy[3:6]) != b"\x9d\x01\x2a":
            raise source.damaged("its VP8 chunk has no start")
        columns, rows = (int.from_bytes(lossy[i : i + 2], "little") & 0x3FFF for i in (6, 8))
        return rows, columns, b"ALPH" in chunks
    raise source.damaged("it does not hold one picture")


def pack(pixels: AnyArray) -> bytes:
    """Return a file of one lossless picture, exact under transparent pixels too.

    libwebp leaves out an alpha channel that is opaque everywhere. What it writes decodes to the
    same samples all the same, with alpha if one bit says that there is some.
    """
    from imagecodecs import webp_encode

    # Noise does not compress, so the fastest method is as good as any.
    data = bytearray(webp_encode(pixels, lossless=True, level=0, method=0))
    if pixels.shape[2] == 4:
        data[24] |= _ALPHA
    return bytes(data)


def canvas(columns: int, rows: int, flags: int) -> list[Buffer]:
    """Return the chunk that must come first in a file with more than one coded picture."""
    return chunk(b"VP8X", bytes([flags, 0, 0, 0]), sides(columns - 1, rows - 1))


def read_frame(source: Source, body: memoryview, dropped: dict[str, None]) -> Frame:
    """Return what a chunk of kind ANMF holds."""
    if len(body) < HEAD:
        raise source.cut_short()
    column, row = read_sides(body)
    columns, rows = read_sides(body[6:])
    milliseconds, flags = int.from_bytes(body[12:15], "little"), body[15]
    chunks: dict[bytes, memoryview] = {}
    for kind, part in walk_body(source, body[HEAD:]):
        if kind not in CODED:
            dropped["other data"] = None
        elif kind in chunks:
            raise source.damaged("a frame holds two pictures")
        else:
            chunks[kind] = part
    if coded_size(source, chunks)[:2] != (rows + 1, columns + 1):
        raise source.damaged("a frame and its picture differ in size")
    duration, blend = Fraction(milliseconds, 1000), (flags & _OPAQUE) >> 1
    showing = FrameControl(duration=duration, disposal=flags & _DISPOSE, blend=blend)
    frame = Frame.plain(unpack(source, chunks))
    return replace(frame, row=2 * row, column=2 * column, showing=showing)


def frame_chunk(frame: Frame) -> list[Buffer]:
    """Return the chunk that holds a frame of an animation."""
    rows, columns = frame.pixels.shape[:2]
    showing = frame.showing or FrameControl(duration=Fraction(0))
    head = sides(frame.column // 2, frame.row // 2) + sides(columns - 1, rows - 1)
    head += int(showing.duration * 1000).to_bytes(3, "little")
    head += bytes([showing.disposal * _DISPOSE | showing.blend * _OPAQUE])
    return chunk(b"ANMF", head, memoryview(pack(frame.pixels))[12:])


def frame_obstacles(frame: Frame) -> Iterator[str]:
    """Yield what of a frame WebP cannot hold."""
    if frame.pixels.dtype != "uint8":
        yield f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
    if frame.mode not in ("rgb", "rgba") or frame.transparent is not None:
        yield f"{frame.mode} pictures"
    if max(frame.pixels.shape[:2]) > MAX_SIDE:
        yield f"sides of over {MAX_SIDE} pixels"
