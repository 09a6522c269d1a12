"""Reading PNG samples: deflated lines, each behind a byte that names its filter.

An interlaced picture is seven smaller ones, each with lines of its own; any other is one. Lines are
read in bands, so that a large picture needs little more memory than its file and its samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sudokucrypt.images.png.chunks import assemble
from sudokucrypt.images.png.inflate import Stream, inflated
from sudokucrypt.images.png.modes import Layout, bytes_of, empty, samples_of
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_BAND = 512 * 1024
_SUB, _AVERAGE, _PAETH = 1, 3, 4
_LIBPNG_SIDE = 1_000_000
# Bits and color type of an eight- or sixteen-bit picture with pixels of so many bytes.
_LOOKS = {1: (8, 0), 2: (8, 4), 3: (8, 2), 4: (8, 6), 6: (16, 2), 8: (16, 6)}


def unpack(source: Source, pieces: Sequence[memoryview], layout: Layout) -> AnyArray:
    """Return the samples in the bodies of the IDAT chunks, in native byte order.

    Raises
    ------
    InvalidImageError
        If the stream does not hold exactly the samples that the layout promises.
    """
    width = 2 if layout.bits == 16 else 1
    shape = source.shape(layout.rows, layout.columns, layout.channels, width=width)
    size = sum(part.rows * (1 + part.line_size) for part, _, _ in layout.passes())
    stream = inflated(source, pieces, size)
    pixels = empty(shape, layout.bits)
    for part, rows, columns in layout.passes():
        target = pixels[rows, columns]
        for first, lines in _bands(source, stream, part):
            target[first : first + len(lines)] = samples_of(lines, part)
    return pixels


def _bands(source: Source, stream: Stream, layout: Layout) -> Iterator[tuple[int, AnyArray]]:
    """Yield the number of the first line and the unfiltered bytes of some lines at a time."""
    length = 1 + layout.line_size
    step = max(1, _BAND // length)
    above = np.zeros((1, layout.line_size), dtype=np.uint8)
    for first in range(0, layout.rows, step):
        count = min(step, layout.rows - first)
        band = np.frombuffer(stream.read(count * length), dtype=np.uint8).reshape(count, length)
        filters = band[:, 0]
        if not filters.any():
            lines = band[:, 1:]
        elif filters.max() <= _PAETH:
            lines = _unfiltered(source, band, above, layout.pixel_size)
        else:
            raise source.damaged("a line has an unknown filter")
        above = lines[-1:]
        yield first, lines


def _unfiltered(source: Source, band: AnyArray, above: AnyArray, size: int) -> AnyArray:
    """Return the bytes of these lines below the line `above`; pixels have `size` bytes.

    libpng takes lines of up to a million pixels. Longer ones are cut, and each part but the first
    begins with the pixel to its left, filtered like its line.
    """
    filtered = np.empty((len(band) + 1, band.shape[1]), dtype=np.uint8)
    filtered[0, 0] = 0
    filtered[:1, 1:] = above
    filtered[1:] = band
    length = band.shape[1] - 1
    if length <= _LIBPNG_SIDE * size:
        return _through_libpng(source, filtered, size)[1:]
    lines = np.empty((len(filtered), length), dtype=np.uint8)
    step = (_LIBPNG_SIDE - 1) * size
    for start in range(0, length, step):
        part = filtered[:, 1 + start : 1 + start + step]
        left = _edge(filtered[:, 0], lines[:, max(0, start - size) : start])
        whole = _through_libpng(source, np.hstack([filtered[:, :1], left, part]), size)
        lines[:, start : start + step] = whole[:, left.shape[1] :]
    return lines[1:]


def _edge(filters: AnyArray, left: AnyArray) -> AnyArray:
    """Return the leftmost pixel of each line, filtered; it has none to its left."""
    expected = np.zeros_like(left)
    expected[1:] = left[:-1]
    expected[filters == _AVERAGE] >>= 1
    expected[filters <= _SUB] = 0
    return left - expected


def _through_libpng(source: Source, filtered: AnyArray, size: int) -> AnyArray:
    """Let libpng undo the filters, in a PNG made of these lines and nothing else.

    No chunk of a stranger gets near it, and it has nothing to complain about. That matters:
    `png_decode` of imagecodecs 2026.3.6 prints warnings to stderr, and with each error it loses a
    reference to None, which ends a Python 3.11 process after some thousand damaged files.
    """
    from imagecodecs import deflate_encode, png_decode

    rows, length = filtered.shape
    bits, color_type = _LOOKS[size]
    layout = Layout(rows, (length - 1) // size, bits, color_type)
    stored = memoryview(deflate_encode(filtered, 0, raw=False))
    chunks = ((b"IHDR", layout.to_bytes()), (b"IDAT", stored), (b"IEND", b""))
    return bytes_of(source.call(png_decode, b"".join(assemble(chunks))), bits)
