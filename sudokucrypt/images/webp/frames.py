"""WebP pictures: the coded samples of a still or of one frame, and the frames around them.

::

    ANMF: column/2 row/2 | columns-1 rows-1 | milliseconds | flags | ALPH ... | VP8 or VP8L ...
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.picture import NATURAL_MODES, Frame, Showing
from sudokucrypt.images.webp.chunks import chunk, read_sides, riff, sides, walk_body

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray, Buffer

MAX_SIDE: Final = 16383
"""Most rows or columns of one coded picture."""
MAX_DURATION: Final = 2**24 - 1
"""Most milliseconds that a frame is shown."""
CODED: Final = (b"VP8 ", b"VP8L", b"ALPH")
"""Kinds of the chunks that hold samples."""

# The flag of a file with alpha, and the bit of a lossless picture with alpha in its fifth byte.
_ALPHA = 0x10
_DISPOSE, _OPAQUE = 0x01, 0x02
_HEAD = 16


def unpack(source: Source, chunks: Mapping[bytes, memoryview]) -> AnyArray:
    """Return the samples of one picture, RGB or RGBA, from the chunks that hold them.

    Raises
    ------
    InvalidImageError
        If there is not one picture, or it cannot be decoded.
    """
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
    pixels: AnyArray = source.call(webp_decode, b"".join(riff(parts)), hasalpha=alpha)
    if pixels.shape != shape or pixels.dtype != "uint8":
        raise source.damaged("its samples are not what they promise to be")
    return pixels


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


def read_frame(source: Source, body: memoryview, left_out: dict[str, None]) -> Frame:
    """Return what a chunk of kind ANMF holds."""
    if len(body) < _HEAD:
        raise source.cut_short()
    column, row = read_sides(body)
    columns, rows = read_sides(body[6:])
    milliseconds, flags = int.from_bytes(body[12:15], "little"), body[15]
    chunks: dict[bytes, memoryview] = {}
    for kind, part in walk_body(source, body[_HEAD:]):
        if kind not in CODED:
            left_out["other data"] = None
        elif kind in chunks:
            raise source.damaged("a frame holds two pictures")
        else:
            chunks[kind] = part
    if coded_size(source, chunks)[:2] != (rows + 1, columns + 1):
        raise source.damaged("a frame and its picture differ in size")
    pixels = unpack(source, chunks)
    return Frame(
        pixels=pixels,
        mode=NATURAL_MODES[pixels.shape[2]],
        row=2 * row,
        column=2 * column,
        showing=Showing(
            duration=Fraction(milliseconds, 1000),
            disposal=flags & _DISPOSE,
            blend=(flags & _OPAQUE) >> 1,
        ),
    )


def frame_chunk(frame: Frame) -> list[Buffer]:
    """Return the chunk that holds a frame of an animation."""
    rows, columns = frame.pixels.shape[:2]
    showing = frame.showing or Showing(duration=Fraction(0))
    head = b"".join(
        [
            sides(frame.column // 2, frame.row // 2),
            sides(columns - 1, rows - 1),
            int(showing.duration * 1000).to_bytes(3, "little"),
            bytes([showing.disposal * _DISPOSE | showing.blend * _OPAQUE]),
        ]
    )
    return chunk(b"ANMF", head, memoryview(pack(frame.pixels))[12:])


def frame_obstacle(frame: Frame) -> str | None:
    """Tell what of a frame WebP cannot hold, or return none."""
    if frame.pixels.dtype != "uint8":
        return f"{frame.depth}-bit samples of type {frame.pixels.dtype}"
    if frame.mode not in ("rgb", "rgba") or frame.transparent is not None:
        return f"{frame.mode} pictures"
    if max(frame.pixels.shape[:2]) > MAX_SIDE:
        return f"sides of over {MAX_SIDE} pixels"
    return None
