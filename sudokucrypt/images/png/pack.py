"""Writing PNG samples: the lines, stored or deflated, in parts of some mebibytes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np

from sudokucrypt.images.png.modes import Layout, bytes_of
from sudokucrypt.typing import AnyArray, Buffer

_BLOCK = 65535
_PART = 4 * 2**20
# libdeflate is quicker than zlib and presses harder, but needs room for all lines.
_WHOLE = 64 * 2**20
_SUB = 1


def packed(
    pixels: AnyArray, layout: Layout, *, compress: int = 0, alike: bool = False
) -> Iterator[Buffer]:
    """Yield the zlib stream of these samples in parts, one for each IDAT chunk.

    Parameters
    ----------
    pixels : ndarray
        Samples in native byte order, C-contiguous.
    layout : Layout
        How they are stored, not interlaced.
    compress : int
        How hard to try to save space, 0..9.
    alike : bool
        Whether neighbours are expected to be alike, so that their differences deflate better. In
        palettes and among samples of few bits they are seldom so.
    """
    if not compress:
        yield from _stored(pixels, layout)
        return
    filtered = alike and layout.bits >= 8 and layout.mode != "palette"
    if layout.rows * (1 + layout.line_size) <= _WHOLE:
        from imagecodecs import deflate_encode

        lines = _lines(pixels, layout, filtered=filtered)
        yield memoryview(deflate_encode(lines, compress, raw=False))
    else:
        yield from _deflated(pixels, layout, compress, filtered=filtered)


def _stored(pixels: AnyArray, layout: Layout) -> Iterator[Buffer]:
    """Yield lines without a filter, stored and not compressed.

    Scrambled and encrypted samples are noise to a compressor: trying takes 50 times as long for
    nothing. Stored blocks of deflate hold up to 65535 bytes; a few lines at a time fill one.
    """
    length = 1 + layout.line_size
    count = max(1, _BLOCK // length)
    step = layout.rows
    if step * length > _WHOLE:
        step = count * max(1, _PART // (count * length))
    checksum = 1
    for first in range(0, layout.rows, step):
        rows = pixels[first : first + step]
        last = first + step >= layout.rows
        body, checksum = _blocks(rows, layout, count, checksum, last=last)
        if first == 0:
            body[:2] = (0x78, 0x01)
        yield body[2 if first else 0 : None if last else -4].data


def _blocks(
    pixels: AnyArray, layout: Layout, count: int, checksum: int, *, last: bool
) -> tuple[AnyArray, int]:
    """Return stored blocks of at most `count` lines each, and the checksum up to here.

    Two bytes in front are free, and the last four are the checksum.
    """
    from imagecodecs import deflate_adler32

    length = 1 + layout.line_size
    starts = range(0, len(pixels), count)
    total = sum(-(-len(pixels[first : first + count]) * length // _BLOCK) for first in starts)
    body = np.empty(2 + total * 5 + len(pixels) * length + 4, dtype=np.uint8)
    position = 2
    for first in starts:
        flat = _lines(pixels[first : first + count], layout).reshape(-1)
        checksum = deflate_adler32(flat, checksum)
        for start in range(0, flat.size, _BLOCK):
            block = flat[start : start + _BLOCK]
            end = position + 5 + block.size
            final = last and end == body.size - 4
            frame = struct.pack("<BHH", final, block.size, block.size ^ 0xFFFF)
            body[position : position + 5] = np.frombuffer(frame, dtype=np.uint8)
            body[position + 5 : end] = block
            position = end
    body[-4:] = np.frombuffer(struct.pack(">I", checksum), dtype=np.uint8)
    return body, checksum


def _deflated(pixels: AnyArray, layout: Layout, level: int, *, filtered: bool) -> Iterator[Buffer]:
    """Yield lines deflated a few at a time."""
    engine = zlib.compressobj(level)
    step = max(1, _PART // (1 + layout.line_size))
    parts: list[bytes] = []
    for first in range(0, layout.rows, step):
        lines = _lines(pixels[first : first + step], layout, filtered=filtered)
        parts.append(engine.compress(lines.data))
        if sum(len(part) for part in parts) >= _PART:
            yield b"".join(parts)
            parts.clear()
    yield b"".join([*parts, engine.flush()])


def _lines(pixels: AnyArray, layout: Layout, *, filtered: bool = False) -> AnyArray:
    """Return the lines of these samples, each behind its filter: none or Sub."""
    raw = bytes_of(pixels, layout.bits)
    lines = np.empty((len(raw), 1 + layout.line_size), dtype=np.uint8)
    lines[:, 0] = _SUB if filtered else 0
    lines[:, 1:] = raw
    if filtered:
        size = layout.pixel_size
        np.subtract(raw[:, size:], raw[:, :-size], out=lines[:, 1 + size :])
    return lines
