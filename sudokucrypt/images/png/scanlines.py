"""Read the samples of a PNG: compressed lines, each after a byte with the number of its filter.

An interlaced picture consists of seven smaller ones with lines of their own. Lines are read in
bands, so that a large picture needs little more memory than its file and its samples.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.samples import PAETH, SampleFormat, unpack_row_samples
from sudokucrypt.kernels import load_kernels
from sudokucrypt.typing import AnyArray, Buffer

if TYPE_CHECKING:
    from sudokucrypt.images.png._kernels import filters_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.images.png._kernels", "filters")

# A function that takes a number of bytes and returns the next bytes of a stream. After the last
# bytes, the function checks the end of the stream.
_ByteReader = Callable[[int], Buffer]

_SLICE_BYTES = 64 * 1024  # bytes of compressed data that are inflated at a time
# A byte of a deflate stream cannot represent more bytes than this.
_MAX_INFLATED_PER_BYTE = 1032
_BAND_BYTES = 512 * 1024  # bytes of a band of lines
# Bytes of a band when lines are yielded; memory of this size is reused without system calls.
_SMALL_BAND_BYTES = 64 * 1024


def unpack_samples(
    source: Source,
    idat_bodies: Iterable[Buffer],
    packed_size: int,
    layout: SampleFormat,
    channels: int,
) -> AnyArray:
    """Return the samples in the bodies of the IDAT chunks, in native byte order.

    `packed_size` is the number of bytes of all bodies. `channels` is the number of channels of a
    pixel after expansion, by which the limit of memory is checked.
    """
    width = 2 if layout.bits == 16 else 1
    source.shape(layout.rows, layout.columns, channels, width=width)
    shape = (layout.rows, layout.columns, layout.channels)[: 3 if layout.channels > 1 else 2]
    size = sum(part.rows * (1 + part.line_size) for part, _, _ in layout.iterate_passes())
    read_bytes = _open_stream(source, idat_bodies, size, packed_size)
    pixels: AnyArray = np.empty(shape, dtype={1: "?", 16: "u2"}.get(layout.bits, "u1"))
    for pass_layout, rows, columns in layout.iterate_passes():
        target = pixels[rows, columns]
        for first_row, lines in _iterate_bands(source, read_bytes, pass_layout):
            target[first_row : first_row + len(lines)] = unpack_row_samples(lines, pass_layout)
    return pixels


def unpack_lines(
    source: Source, idat_bodies: Iterable[Buffer], layout: SampleFormat, packed_size: int
) -> Iterator[AnyArray]:
    """Yield the lines of samples of a picture that is not interlaced, several at a time.

    `packed_size` is the number of bytes of all bodies of IDAT chunks. The caller may overwrite the
    lines.
    """
    read_bytes = _open_stream(
        source, idat_bodies, layout.rows * (1 + layout.line_size), packed_size
    )
    for _, lines in _iterate_bands(source, read_bytes, layout, _SMALL_BAND_BYTES):
        yield lines


def _iterate_bands(
    source: Source, read_bytes: _ByteReader, layout: SampleFormat, size: int = _BAND_BYTES
) -> Iterator[tuple[int, AnyArray]]:
    """Yield bands of lines: the number of the first line, and the unfiltered bytes of the lines."""
    length = 1 + layout.line_size
    step = max(1, size // length)
    line_above = np.zeros(layout.line_size, dtype=np.uint8)
    for first_row in range(0, layout.rows, step):
        count = min(step, layout.rows - first_row)
        band = np.frombuffer(read_bytes(count * length), dtype=np.uint8).reshape(count, length)
        filters = band[:, 0]
        if not filters.any():
            lines = band[:, 1:]
        elif filters.max() <= PAETH:
            lines = _kernels.undo_filters(band, line_above, layout.pixel_size)
        else:
            raise source.report_damage("a line has an unknown filter")
        line_above = lines[-1]
        yield first_row, lines


def _open_stream(
    source: Source, idat_bodies: Iterable[Buffer], size: int, packed_size: int
) -> _ByteReader:
    """Return a reader of a stream of exactly `size` bytes; bytes after the stream are ignored."""
    # Checked before memory is reserved for all samples.
    if size > _MAX_INFLATED_PER_BYTE * packed_size:
        raise _make_length_error(source)
    return _InflatingStream(source, idat_bodies, size).read


def _make_length_error(source: Source) -> InvalidImageError:
    return source.report_damage("it contains fewer samples than its size requires")


def _resize_pieces(bodies: Iterable[Buffer]) -> Iterator[bytes]:
    """Yield the bytes of the chunk bodies in slices of about `_SLICE_BYTES` bytes.

    Of longer ones zlib would copy the unused rest again and again, and many short ones are slow.
    """
    small_pieces: list[memoryview] = []
    length = 0
    for piece in bodies:
        piece_view = memoryview(piece)
        for start in range(0, len(piece_view), _SLICE_BYTES):
            small_pieces.append(piece_view[start : start + _SLICE_BYTES])
            length += len(small_pieces[-1])
            if length >= _SLICE_BYTES:
                yield b"".join(small_pieces)
                small_pieces, length = [], 0
    yield b"".join(small_pieces)


class _InflatingStream:
    """A zlib stream that is inflated as it is read."""

    def __init__(self, source: Source, idat_bodies: Iterable[Buffer], size: int) -> None:
        from zlib_ng import zlib_ng

        self._source = source
        self._slices = _resize_pieces(idat_bodies)
        self._unread_byte_count = size
        self._decompressor = zlib_ng.decompressobj()
        self._input = b""

    def read(self, size: int) -> Buffer:
        parts, missing_byte_count = [], size
        while missing_byte_count:
            part = self._inflate(missing_byte_count)
            if not part:
                raise _make_length_error(self._source)
            parts.append(part)
            missing_byte_count -= len(part)
        self._unread_byte_count -= size
        if not self._unread_byte_count and self._inflate(1):
            raise self._source.report_damage("it contains more samples than its size requires")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _inflate(self, limit: int) -> bytes:
        """Return up to `limit` next bytes, or none at the end of the stream."""
        part: bytes = b""
        while not part and not self._decompressor.eof:
            self._input = self._input or next(self._slices, b"")
            had_input = bool(self._input)
            part = self._source.call(self._decompressor.decompress, self._input, max_length=limit)
            self._input = self._decompressor.unconsumed_tail
            if not part and not had_input and not self._decompressor.eof:
                raise self._source.report_damage("its compressed samples are incomplete")
        return part
