"""PNG samples: deflated lines, each behind a byte that names its filter.

An interlaced picture is seven smaller ones, each with lines of its own; any other is one.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.images.png_chunks import assemble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""Samples of one pixel, by PNG color type; type 3 is a palette."""

# First row, first column, row step, column step of the seven pictures (Adam7).
_ADAM7 = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)
_KNOWN_FILTERS = 5
_BLOCK = 65535
_LIBPNG_SIDE = 1_000_000


@dataclass(frozen=True)
class Layout:
    """What the IHDR chunk says: sides in pixels, bits per sample, PNG's number for the color."""

    rows: int
    columns: int
    bits: int
    color_type: int
    interlaced: bool = False

    @property
    def pixel_size(self) -> int:
        """Bytes of one pixel."""
        return CHANNELS[self.color_type] * self.bits // 8

    def to_bytes(self) -> bytes:
        """Return the body of the IHDR chunk."""
        sides = (self.columns, self.rows)
        return struct.pack(">IIBBBBB", *sides, self.bits, self.color_type, 0, 0, self.interlaced)

    def passes(self) -> Iterator[tuple[Layout, slice, slice]]:
        """Yield the pictures stored one after another, and the rows and columns they fill."""
        for top, left, down, right in _ADAM7 if self.interlaced else ((0, 0, 1, 1),):
            rows = len(range(top, self.rows, down))
            columns = len(range(left, self.columns, right))
            if rows and columns:
                layout = Layout(rows, columns, self.bits, self.color_type)
                yield layout, slice(top, None, down), slice(left, None, right)


def unpack(source: Source, stream: bytes | memoryview, layout: Layout) -> AnyArray:
    """Return the samples in the body of the IDAT chunks, in native byte order.

    Raises
    ------
    InvalidImageError
        If the stream does not hold exactly the samples that the layout promises.
    """
    shape = source.shape(layout.rows, layout.columns, CHANNELS[layout.color_type])
    size = sum(part.rows * (1 + part.columns * part.pixel_size) for part, _, _ in layout.passes())
    data = _inflate(source, stream, size)
    pixels = np.empty(shape, dtype=f"u{layout.bits // 8}")
    start = 0
    for part, rows, columns in layout.passes():
        end = start + part.rows * (1 + part.columns * part.pixel_size)
        lines = data[start:end].reshape(part.rows, -1)
        pixels[rows, columns] = _samples(source, lines, part).reshape(
            part.rows, part.columns, *shape[2:]
        )
        start = end
    return pixels


def pack(pixels: AnyArray) -> memoryview:
    """Return the body of the IDAT chunk: lines without a filter, stored and not compressed.

    Scrambled and encrypted samples are noise to a compressor: trying takes 50 times as long for
    nothing. Stored blocks of deflate hold up to 65535 bytes; a few lines at a time fill one.
    """
    from imagecodecs import deflate_adler32

    length = 1 + pixels[0].nbytes
    count = max(1, _BLOCK // length)
    lines = [pixels[first : first + count] for first in range(0, len(pixels), count)]
    blocks = sum(-(-len(part) * length // _BLOCK) for part in lines)
    body = np.empty(2 + blocks * 5 + len(pixels) * length + 4, dtype=np.uint8)
    body[:2] = (0x78, 0x01)
    position, checksum = 2, 1
    for part in lines:
        raw = np.zeros((len(part), length), dtype=np.uint8)
        raw[:, 1:] = _bytes_of(part)
        checksum = deflate_adler32(raw, checksum)
        flat = raw.reshape(-1)
        for start in range(0, flat.size, _BLOCK):
            block = flat[start : start + _BLOCK]
            last = part is lines[-1] and start + _BLOCK >= flat.size
            frame = struct.pack("<BHH", last, block.size, block.size ^ 0xFFFF)
            body[position : position + 5] = np.frombuffer(frame, dtype=np.uint8)
            body[position + 5 : position + 5 + block.size] = block
            position += 5 + block.size
    body[-4:] = np.frombuffer(struct.pack(">I", checksum), dtype=np.uint8)
    return body.data


def squeeze(pixels: AnyArray, level: int) -> bytes:
    """Return the body of the IDAT chunk: lines without a filter, compressed at level 1..9."""
    from imagecodecs import deflate_encode

    lines = np.zeros((len(pixels), 1 + pixels[0].nbytes), dtype=np.uint8)
    lines[:, 1:] = _bytes_of(pixels)
    return bytes(deflate_encode(lines, level, raw=False))


def _bytes_of(pixels: AnyArray) -> AnyArray:
    """Return the samples of each line as PNG's bytes, the higher one first."""
    swapped = pixels.astype(pixels.dtype.newbyteorder(">"), copy=False)
    return np.ascontiguousarray(swapped).reshape(len(pixels), -1).view(np.uint8)


def _inflate(source: Source, stream: bytes | memoryview, size: int) -> AnyArray:
    """Decompress into exactly `size` bytes; libdeflate stops where a bomb would go on."""
    from imagecodecs import deflate_decode

    # No stored byte makes more than 1032; a shorter stream is no reason to fill the memory.
    if size > 1032 * len(stream):
        raise source.damaged("it holds fewer samples than it promises")
    data = source.call(deflate_decode, stream, raw=False, out=size)
    if len(data) != size:
        raise source.damaged("it holds fewer samples than it promises")
    return np.frombuffer(data, dtype=np.uint8)


def _samples(source: Source, lines: AnyArray, layout: Layout) -> AnyArray:
    """Return the samples of one picture from its lines, undoing their filters."""
    filters = lines[:, 0]
    if not filters.any():
        return np.ascontiguousarray(lines[:, 1:]).view(f">u{layout.bits // 8}")
    if filters.max() >= _KNOWN_FILTERS:
        raise source.damaged("a line has an unknown filter")
    if max(layout.rows, layout.columns) > _LIBPNG_SIDE:
        raise source.unsupported(f"a PNG with a side of over {_LIBPNG_SIDE} pixels and filters")
    return _unfilter(source, lines, layout)


def _unfilter(source: Source, lines: AnyArray, layout: Layout) -> AnyArray:
    """Let libpng undo the filters, in a PNG made of these lines and nothing else.

    No chunk of a stranger gets near it, and it has nothing to complain about. That matters:
    `png_decode` of imagecodecs 2026.3.6 prints warnings to stderr, and with each error it loses a
    reference to None, which ends a Python 3.11 process after some thousand damaged files.
    """
    from imagecodecs import deflate_encode, png_decode

    stored = bytes(deflate_encode(lines, 0, raw=False))
    chunks = ((b"IHDR", layout.to_bytes()), (b"IDAT", stored), (b"IEND", b""))
    samples: AnyArray = source.call(png_decode, b"".join(assemble(chunks)))
    return samples
