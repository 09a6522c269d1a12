"""PNG samples, read: deflated lines, each behind a byte that names its filter.

An interlaced picture is seven smaller ones, each with lines of its own; any other is one. Lines are
read in bands, so that a large picture needs little more memory than its file and its samples.
"""

import io
import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images.png.chunks import assemble
from sudokucrypt.images.png.modes import SampleFormat, bytes_of, samples_of
from sudokucrypt.images.png.packing import AVERAGE, PAETH, SUB
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray, Buffer

# Returns exactly the asked number of bytes of a stream; with the last ones, its end is checked.
_Read = Callable[[int], Buffer]

# libdeflate is quicker than zlib, but needs room for all lines.
_WHOLE = 64 * 2**20
_SLICE = 256 * 1024
# No byte of a deflated stream makes more than this many.
_MOST_PER_BYTE = 1032
_BAND = 512 * 1024
_LIBPNG_SIDE = 1_000_000
# Bits and color type of an eight- or sixteen-bit picture, by the bytes of a pixel.
_LOOKS = {1: (8, 0), 2: (8, 4), 3: (8, 2), 4: (8, 6), 6: (16, 2), 8: (16, 6)}


def unpack(
    source: Source, pieces: Sequence[memoryview], layout: SampleFormat, channels: int
) -> AnyArray:
    """Return the samples in the bodies of the IDAT chunks, in native byte order.

    They are checked to take no more than is allowed when a pixel has so many channels in the end.
    """
    width = 2 if layout.bits == 16 else 1
    source.shape(layout.rows, layout.columns, channels, width=width)
    shape = (layout.rows, layout.columns, layout.channels)[: 3 if layout.channels > 1 else 2]
    size = sum(part.rows * (1 + part.line_size) for part, _, _ in layout.passes())
    read = _inflated(source, pieces, size)
    pixels: AnyArray = np.empty(shape, dtype={1: "?", 16: "u2"}.get(layout.bits, "u1"))
    for part, rows, columns in layout.passes():
        target = pixels[rows, columns]
        for first, lines in _bands(source, read, part):
            target[first : first + len(lines)] = samples_of(lines, part)
    return pixels


def _bands(source: Source, read: _Read, layout: SampleFormat) -> Iterator[tuple[int, AnyArray]]:
    """Yield the number of the first line and the unfiltered bytes of some lines at a time."""
    length = 1 + layout.line_size
    step = max(1, _BAND // length)
    above = np.zeros((1, layout.line_size), dtype=np.uint8)
    for first in range(0, layout.rows, step):
        count = min(step, layout.rows - first)
        band = np.frombuffer(read(count * length), dtype=np.uint8).reshape(count, length)
        filters = band[:, 0]
        if not filters.any():
            lines = band[:, 1:]
        elif filters.max() <= PAETH:
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
    expected[filters == AVERAGE] >>= 1
    expected[filters <= SUB] = 0
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
    layout = SampleFormat(rows, (length - 1) // size, bits, color_type)
    stored = memoryview(deflate_encode(filtered, 0, raw=False))
    chunks = ((b"IHDR", layout.to_bytes()), (b"IDAT", stored), (b"IEND", b""))
    return bytes_of(source.call(png_decode, b"".join(assemble(chunks))))


def _inflated(source: Source, pieces: Sequence[memoryview], size: int) -> _Read:
    """Return what reads a stream of exactly `size` bytes; what follows it is not looked at."""
    from imagecodecs import deflate_decode

    # A short stream is no reason to fill the memory.
    held = sum(map(len, pieces))
    if size > _MOST_PER_BYTE * held:
        raise _too_short(source)
    if size > _WHOLE or held > size > _BAND:  # what is stored is copied, and need not be twice
        return _Gradual(source, pieces, size).read
    stream = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    # libdeflate stops where a bomb would go on.
    data = source.call(deflate_decode, stream, raw=False, out=size)
    if len(data) != size:
        raise _too_short(source)
    return io.BytesIO(data).read


def _too_short(source: Source) -> InvalidImageError:
    return source.damaged("it holds fewer samples than it promises")


class _Gradual:
    """A stream inflated as it is read."""

    def __init__(self, source: Source, pieces: Sequence[memoryview], size: int) -> None:
        self._source = source
        # Short parts: zlib copies whatever it is given and cannot take yet.
        starts = ((piece, start) for piece in pieces for start in range(0, len(piece), _SLICE))
        self._slices = (piece[start : start + _SLICE] for piece, start in starts)
        self._left = size
        self._engine = zlib.decompressobj()
        self._input: Buffer = b""

    def read(self, size: int) -> Buffer:
        parts, missing = [], size
        while missing:
            part = self._next(missing)
            if not part:
                raise _too_short(self._source)
            parts.append(part)
            missing -= len(part)
        self._left -= size
        if not self._left and self._next(1):
            raise self._source.damaged("it holds more samples than it promises")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _next(self, limit: int) -> bytes:
        part = b""
        while not part and not self._engine.eof:
            self._input = self._input or next(self._slices, b"")
            given = len(self._input)
            try:
                part = self._engine.decompress(self._input, limit)
            except zlib.error as error:
                raise self._source.damaged("its samples cannot be decoded") from error
            self._input = self._engine.unconsumed_tail
            if not part and not given and not self._engine.eof:
                raise self._source.damaged("its samples end in the middle")
        return part
