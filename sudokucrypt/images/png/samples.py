"""Describe PNG samples by IHDR, PLTE and tRNS chunks, and write them as compressed lines.

Filters replace each byte by its difference from a prediction by neighboring bytes. Filtered lines
form one zlib stream, in pieces of whole lines that threads compress. The compressed piece depends
only on its lines and the line above, so the stream is the same for any number of threads.
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.picture import DEFAULT_MODES, Mode, Picture, channels, unpack_bits
from sudokucrypt.typing import AnyArray, Buffer
from sudokucrypt.workers import Workers

MAX_SIDE: Final = 2**31 - 1  # maximum number of rows or columns of a PNG
PALETTE_TYPE: Final = 3  # PNG's color type for samples that are indexes of a palette
_CHANNEL_COUNTS = {0: 1, 2: 3, PALETTE_TYPE: 1, 4: 2, 6: 4}
_COLOR_TYPES: Final[dict[Mode, int]] = {"gray": 0, "rgb": 2, "gray-alpha": 4, "rgba": 6}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), PALETTE_TYPE: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_MAX_COLORS = 256
# First row, first column, row step and column step of the seven passes of interlacing (Adam7).
_ADAM7_PASSES = (
    *((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4)),
    *((2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)),
)


@dataclass(frozen=True)
class SampleFormat:
    """The content of an IHDR chunk: sides in pixels, bits per sample, and PNG's color type."""

    rows: int
    columns: int
    bits: int
    color_type: int
    is_interlaced: bool = False

    @classmethod
    def from_picture(cls, picture: Picture, extra_rows: int) -> "SampleFormat":
        """Return the sample format for a supported picture with `extra_rows` rows below it."""
        rows, columns = picture.pixels.shape[:2]
        return cls(rows + extra_rows, columns, picture.depth, _COLOR_TYPES[picture.mode])

    @classmethod
    def read(cls, source: Source, kind: bytes, body: memoryview) -> "SampleFormat":
        """Return the sample format in the first chunk, which must be a valid IHDR chunk."""
        if kind != b"IHDR" or len(body) != 13:
            raise source.report_damage("it does not begin with an IHDR chunk")
        columns, rows, bits, color_type, compression_method, filter_method, interlace_method = (
            struct.unpack(">IIBBBBB", body)
        )
        if compression_method or filter_method or interlace_method > 1:
            raise source.report_damage("its IHDR chunk names an unknown method")
        if bits not in _DEPTHS.get(color_type, ()):
            raise source.report_damage("its IHDR chunk names an unknown mode")
        if max(rows, columns) > MAX_SIDE:
            raise source.report_damage("its IHDR chunk names too long a side")
        return cls(rows, columns, bits, color_type, is_interlaced=bool(interlace_method))

    @property
    def channels(self) -> int:
        """The number of samples of a pixel."""
        return _CHANNEL_COUNTS[self.color_type]

    @property
    def pixel_size(self) -> int:
        """The distance in bytes to the left neighbor in filters: one pixel, but at least 1."""
        return max(1, self.channels * self.bits // 8)

    @property
    def line_size(self) -> int:
        """The number of bytes of the samples of a line."""
        return -(-self.columns * self.channels * self.bits // 8)

    def to_bytes(self) -> bytes:
        """Return the body of the IHDR chunk."""
        sides = (self.columns, self.rows)
        return struct.pack(">IIBBBBB", *sides, self.bits, self.color_type, 0, 0, self.is_interlaced)

    def iterate_passes(self) -> "Iterator[tuple[SampleFormat, slice, slice]]":
        """Yield the sample format of each stored pass, and the rows and columns that it fills.

        An interlaced picture consists of seven, any other of one.
        """
        for top, left, row_step, column_step in (
            _ADAM7_PASSES if self.is_interlaced else ((0, 0, 1, 1),)
        ):
            rows = len(range(top, self.rows, row_step))
            columns = len(range(left, self.columns, column_step))
            if rows and columns:
                layout = SampleFormat(rows, columns, self.bits, self.color_type)
                yield layout, slice(top, None, row_step), slice(left, None, column_step)


def unpack_row_samples(lines: AnyArray, layout: SampleFormat) -> AnyArray:
    """Return the samples in lines of bytes."""
    if layout.bits < 8:
        return unpack_bits(lines, layout.bits, layout.columns)
    samples = np.ascontiguousarray(lines).view(f">u{layout.bits // 8}")
    shape = (len(lines), layout.columns, layout.channels)
    return samples.reshape(shape[:2] if layout.channels == 1 else shape)


def pack_row_samples(pixels: AnyArray) -> AnyArray:
    """Return the lines of bytes for rows of samples; a bool takes one bit."""
    if pixels.dtype == np.bool_:
        return np.packbits(pixels, axis=1)
    big_endian_samples = pixels.astype(pixels.dtype.newbyteorder(">"), copy=False)
    return np.ascontiguousarray(big_endian_samples).reshape(len(pixels), -1).view(np.uint8)


def is_palette(body: bytes | memoryview) -> bool:
    """Return whether this is a valid body of a PLTE chunk."""
    return 0 < len(body) <= 3 * _MAX_COLORS and len(body) % 3 == 0


def is_transparency(
    layout: SampleFormat, colors: bytes | memoryview | None, body: memoryview
) -> bool:
    """Return whether this is a valid body of a tRNS chunk for the sample format and palette."""
    if layout.color_type == PALETTE_TYPE:
        return colors is not None and len(body) <= len(colors) // 3
    return layout.color_type in (0, 2) and len(body) == 2 * layout.channels


def expand_samples(
    pixels: AnyArray,
    layout: SampleFormat,
    palette: memoryview | None,
    transparency: memoryview | None,
) -> AnyArray:
    """Return the samples of a picture, given its stored samples and valid PLTE and tRNS bodies.

    Indexes of a palette become RGB, or RGBA with transparency. Grays of 2 and 4 bits are scaled to
    8 bits. If a color is transparent, an alpha channel is added.
    """
    if layout.color_type == PALETTE_TYPE:
        table = make_color_table(palette or b"", transparency or b"")
        # Looking up words of four bytes takes half the time of looking up rows of four bytes.
        table_words = np.ascontiguousarray(table).view(np.uint32)[:, 0]
        expanded_pixels = (
            table_words[pixels.view(np.uint8)].view(np.uint8).reshape(*pixels.shape, 4)
        )
        return expanded_pixels if transparency else np.ascontiguousarray(expanded_pixels[..., :3])
    opaque_flags = None
    if transparency is not None:
        # Bits above the depth of a sample are ignored.
        values = struct.unpack(f">{layout.channels}H", transparency)
        transparent_color = np.array(
            [value % 2**layout.bits for value in values], dtype=pixels.dtype
        )
        opaque_flags = (np.atleast_3d(pixels) != transparent_color).any(axis=2, keepdims=True)
    if layout.bits in (2, 4):
        pixels *= np.uint8(255 // (2**layout.bits - 1))
    if opaque_flags is None:
        return pixels
    if layout.bits == 1:
        pixels = pixels * np.uint8(255)
    opacity = opaque_flags * pixels.dtype.type(np.iinfo(pixels.dtype).max)
    return np.concatenate([np.atleast_3d(pixels), opacity], axis=2)


def make_color_table(palette: bytes | memoryview, alphas: bytes | memoryview) -> AnyArray:
    """Return red, green, blue and opacity of 256 colors; missing colors are black."""
    table = np.zeros((_MAX_COLORS, 4), dtype=np.uint8)
    table[: len(palette) // 3, :3] = np.frombuffer(palette, np.uint8).reshape(-1, 3)
    table[:, 3] = 255
    table[: len(alphas), 3] = np.frombuffer(alphas, np.uint8)
    return table


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield the properties of a picture that PNG cannot store.

    Only the first is reliable, since others may follow from it.
    """
    pixels, mode = picture.pixels, picture.mode
    if mode not in _COLOR_TYPES:
        yield f"{mode} pictures"
    if DEFAULT_MODES[channels(pixels)] != mode:
        yield f"{mode} pictures of shape {pixels.shape}"
    if pixels.dtype.kind not in "bu" or picture.depth not in _DEPTHS[_COLOR_TYPES[mode]]:
        yield f"{mode} pictures with {picture.depth}-bit samples of type {pixels.dtype}"
    if max(pixels.shape[:2]) > MAX_SIDE:
        yield f"sides of over {MAX_SIDE} pixels"


NO_FILTER, SUB, UP, AVERAGE, PAETH = FILTERS = range(5)

# Bytes that are filtered at a time, to stay in the cache of the CPU.
_FILTER_BLOCK_BYTES: Final = 2**16
# The size in bytes of the pieces of a picture: one thread filters and compresses each piece.
_PIECE_BYTES = 2 * 2**20
_MAX_BLOCK_BYTES: Final = 65535  # maximum number of bytes of a stored block
# The head of a stored block: whether it is the last, its length, the complement of the length.
_BLOCK_HEAD: Final = struct.Struct("<BHH")
_ZLIB_HEAD: Final = b"\x78\x01"
_CHECKSUM_FORMAT: Final = struct.Struct(">I")
# The size in bytes of the sample of lines with which filters and strategies are compared.
_TRIAL_BYTES: Final = 48 * 1024
# The sample consists of this number of groups of lines. The groups are taken from all parts of
# the picture, since these parts may differ.
_GROUP_COUNT: Final = 12
_MIN_GROUP_LINES: Final = 4  # minimum number of lines of a group
# Searching for matches takes ten times as long as Huffman coding without matches, so it is used
# only if it reduces the size to less than this share.
_WORTHWHILE_SHARE: Final = 0.97
_MUCH_LARGER_FACTOR: Final = 1.2
_ADLER_MODULUS: Final = 65521  # the modulus of Adler-32
# The lowest level of zlib that is used. If data have many repetitions, zlib is fast at any level,
# and lower levels compress less.
_MIN_LEVEL: Final = 6
_QUICK_LEVEL: Final = 2  # the level that quickly estimates the result of `_LEAST_LEVEL`


def pad_lines(raw_lines: AnyArray, size: int, *, is_first: bool) -> AnyArray:
    """Return lines of bytes with a pixel of zeros to the left of each.

    `size` is the number of bytes of a pixel. With `is_first`, the lines begin the picture, and
    a line of zeros is added above them. Otherwise, the first line of `raw_lines` is the line above.
    """
    lines = np.zeros((is_first + len(raw_lines), size + raw_lines.shape[1]), dtype=np.uint8)
    lines[is_first:, size:] = raw_lines
    return lines


def filter_lines(lines: AnyArray, size: int, kind: int) -> AnyArray:
    """Filter all padded lines except the first, and put the filter number before each line."""
    rows, length = len(lines) - 1, lines.shape[1] - size
    filtered_lines = np.empty((rows, 1 + length), dtype=np.uint8)
    filtered_lines[:, 0] = kind
    if kind == NO_FILTER:
        filtered_lines[:, 1:] = lines[1:, size:]
        return filtered_lines
    step = max(1, _FILTER_BLOCK_BYTES // length)
    for row in range(0, rows, step):
        for start in range(0, length, _FILTER_BLOCK_BYTES):
            part = lines[row : row + step + 1, start : start + size + _FILTER_BLOCK_BYTES]
            left_bytes, above_bytes, corner_bytes = (
                part[1:, :-size],
                part[:-1, size:],
                part[:-1, :-size],
            )
            target = filtered_lines[row : row + step, 1 + start : 1 + start + _FILTER_BLOCK_BYTES]
            np.subtract(
                part[1:, size:],
                _predict_bytes(left_bytes, above_bytes, corner_bytes, kind),
                out=target,
            )
    return filtered_lines


def _predict_bytes(
    left_bytes: AnyArray, above_bytes: AnyArray, corner_bytes: AnyArray, kind: int
) -> AnyArray:
    if kind == SUB:
        return left_bytes
    if kind == UP:
        return above_bytes
    if kind == AVERAGE:
        return (left_bytes & above_bytes) + ((left_bytes ^ above_bytes) >> 1)
    # Paeth predicts the neighbor whose value is nearest to left + above - corner. The corner is
    # nearest if its value is between the other two, and its distances to them differ by a
    # factor below two.
    smaller_samples, larger_samples = (
        np.minimum(left_bytes, above_bytes),
        np.maximum(left_bytes, above_bytes),
    )
    clamped_corner = np.minimum(np.maximum(corner_bytes, smaller_samples), larger_samples)
    distance_up, distance_down = larger_samples - clamped_corner, clamped_corner - smaller_samples
    # Conditions are multiplied, since NumPy takes twenty times as long to select by a mask.
    nearest_neighbor: AnyArray = (
        clamped_corner
        + distance_up * (distance_up >> 1 >= distance_down)
        - distance_down * (distance_down >> 1 >= distance_up)
    )
    return nearest_neighbor


def pack_samples(
    rows: Callable[[int, int], AnyArray],
    layout: SampleFormat,
    *,
    compress: int = 0,
    is_smooth: bool = False,
    threads: int | None = None,
) -> Iterator[Buffer]:
    """Yield the zlib stream of samples in parts, one for each IDAT chunk.

    `rows` takes the number of the first row and the row after the last, and returns the samples
    between them. Filters are used for a `is_smooth` picture, whose neighboring samples are similar.
    """
    from zlib_ng.zlib_ng import adler32

    step = _choose_lines_per_piece(layout)
    starts = range(0, layout.rows, step)
    if not compress:
        row_parts = (pack_row_samples(rows(first, first + step)) for first in starts)
        yield from store_samples(row_parts, layout)
        return
    kinds = FILTERS if is_smooth and layout.bits >= 8 else (NO_FILTER,)

    def pack_piece(first_row: int) -> tuple[bytes, int, int]:
        """Return a compressed piece, and checksum and length of its uncompressed bytes."""
        is_last = first_row == starts[-1]
        raw_lines = pack_row_samples(rows(max(0, first_row - 1), first_row + step))
        padded_lines = pad_lines(raw_lines, layout.pixel_size, is_first=not first_row)
        lines, strategy = _choose_filter(padded_lines, layout.pixel_size, kinds, compress)
        # A picture of one piece takes little time even at the highest level.
        level = 9 if compress > 1 and len(starts) == 1 else max(_MIN_LEVEL, compress)
        return (
            _deflate_whole_bytes(lines, level, strategy, is_last=is_last),
            adler32(lines.data),
            lines.nbytes,
        )

    checksum = 1
    with Workers(threads, work_bytes=layout.rows * (1 + layout.line_size)) as workers:
        packed_pieces = workers.each(pack_piece, starts)
        for first, (body, part_checksum, length) in zip(starts, packed_pieces, strict=True):
            checksum = join_checksums(checksum, part_checksum, length)
            stream_start = b"" if first else _ZLIB_HEAD
            stream_end = _CHECKSUM_FORMAT.pack(checksum) if first == starts[-1] else b""
            yield b"".join([stream_start, body, stream_end]) if stream_start or stream_end else body


def _choose_lines_per_piece(layout: SampleFormat) -> int:
    """Return the number of lines of a piece; the last piece may have fewer."""
    return max(1, _PIECE_BYTES // (1 + layout.line_size))


def store_samples(samples: Iterable[AnyArray], layout: SampleFormat) -> Iterator[Buffer]:
    """Yield a zlib stream that stores lines uncompressed, given as arrays of any length.

    Scrambled and encrypted samples cannot be compressed, and trying takes 50 times as long. More
    threads would need more memory and save no time.
    """
    from zlib_ng.zlib_ng import adler32

    width = layout.line_size
    step = min(layout.rows, _choose_lines_per_piece(layout))
    # Column 0 contains the filter number: 0, no filter.
    lines = np.zeros((step, 1 + width), dtype=np.uint8)
    buffer_size = (
        len(_ZLIB_HEAD)
        + -(-lines.size // _MAX_BLOCK_BYTES) * _BLOCK_HEAD.size
        + lines.size
        + _CHECKSUM_FORMAT.size
    )
    filler, checksum = _LineFiller(samples), 1
    for first_row in range(0, layout.rows, step):
        is_last = first_row + step >= layout.rows
        line_bytes = lines[: layout.rows - first_row].reshape(-1)
        filler.fill(lines[: layout.rows - first_row, 1:])
        checksum = adler32(line_bytes.data, checksum)
        body = np.empty(buffer_size, dtype=np.uint8)
        body[: len(_ZLIB_HEAD)] = np.frombuffer(_ZLIB_HEAD, dtype=np.uint8)
        end = len(_ZLIB_HEAD)
        for start in range(0, len(line_bytes), _MAX_BLOCK_BYTES):
            block = line_bytes[start : start + _MAX_BLOCK_BYTES]
            is_final_block = is_last and start + _MAX_BLOCK_BYTES >= len(line_bytes)
            _BLOCK_HEAD.pack_into(body.data, end, is_final_block, len(block), len(block) ^ 0xFFFF)
            block_begin, end = end + _BLOCK_HEAD.size, end + _BLOCK_HEAD.size + len(block)
            body[block_begin:end] = block
        if is_last:
            _CHECKSUM_FORMAT.pack_into(body.data, end, checksum)
            end += _CHECKSUM_FORMAT.size
        yield body[len(_ZLIB_HEAD) if first_row else 0 : end].data


class _LineFiller:
    """Fills lines in sequence with the bytes of arrays of any length."""

    def __init__(self, arrays: Iterable[AnyArray]) -> None:
        self._arrays = iter(arrays)
        self._unused_bytes: AnyArray = np.empty(0, dtype=np.uint8)

    def fill(self, lines: AnyArray) -> None:
        """Fill lines with the next bytes."""
        rows, width = lines.shape
        row = 0
        while row < rows:
            if not len(self._unused_bytes):
                self._unused_bytes = next(self._arrays).reshape(-1)
            count = min(rows - row, len(self._unused_bytes) // width)
            lines[row : row + count] = self._unused_bytes[: count * width].reshape(count, width)
            self._unused_bytes, row = self._unused_bytes[count * width :], row + count
            if row < rows:
                self._fill_line(lines[row])
                row += 1

    def _fill_line(self, line: AnyArray) -> None:
        while len(line):
            if not len(self._unused_bytes):
                self._unused_bytes = next(self._arrays).reshape(-1)
            count = min(len(line), len(self._unused_bytes))
            line[:count] = self._unused_bytes[:count]
            line, self._unused_bytes = line[count:], self._unused_bytes[count:]


def _choose_filter(
    padded_lines: AnyArray, size: int, kinds: Sequence[int], compress: int
) -> tuple[AnyArray, int]:
    """Return filtered lines, and the strategy to compress them.

    Filter and strategy are chosen by a sample of lines. A filtered photograph is noise. Searching
    for repetitions in it takes ten times as long, and makes the result longer.
    """
    default_filter = kinds[min(SUB, len(kinds) - 1)]
    if (len(padded_lines) - 1) * (
        padded_lines.shape[1] - size + 1
    ) <= _TRIAL_BYTES:  # too few bytes for a comparison
        return filter_lines(padded_lines, size, default_filter), zlib.Z_DEFAULT_STRATEGY
    groups = _split_groups(padded_lines, size)
    samples = {
        kind: np.concatenate([filter_lines(g, size, kind) for g in groups]) for kind in kinds
    }
    best_filter = min(kinds, key=lambda kind: _compute_entropy(samples[kind]))
    huffman_size, runs_size = (
        len(_deflate_whole_bytes(samples[best_filter], _MIN_LEVEL, strategy, is_last=True))
        for strategy in (zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE)
    )
    matches_size = len(
        _deflate_whole_bytes(
            samples[best_filter], _QUICK_LEVEL, zlib.Z_DEFAULT_STRATEGY, is_last=True
        )
    )
    smaller_size = min(runs_size, matches_size)
    acceptable_size = smaller_size / _WORTHWHILE_SHARE
    # At level 1, Huffman coding without matches, which is fastest, is also accepted if its result
    # is smaller than the result of a quick search with the default filter, and not much larger
    # than the best result.
    if compress == 1:
        quick_size = len(
            _deflate_whole_bytes(
                samples[default_filter], _QUICK_LEVEL, zlib.Z_DEFAULT_STRATEGY, is_last=True
            )
        )
        acceptable_size = max(
            acceptable_size, min(_WORTHWHILE_SHARE * quick_size, _MUCH_LARGER_FACTOR * smaller_size)
        )
    strategy = zlib.Z_HUFFMAN_ONLY
    if huffman_size > acceptable_size:
        strategy = zlib.Z_RLE if runs_size <= matches_size else zlib.Z_DEFAULT_STRATEGY
    return filter_lines(padded_lines, size, best_filter), strategy


def _split_groups(padded_lines: AnyArray, size: int) -> list[AnyArray]:
    """Return groups of a few lines, on the diagonal from the top left to the bottom right."""
    rows, length = len(padded_lines) - 1, padded_lines.shape[1] - size
    count = min(_GROUP_COUNT, rows)
    width = min(length, _TRIAL_BYTES // (_MIN_GROUP_LINES * count))
    height = min(rows, _TRIAL_BYTES // (width * count))
    tops, lefts = (np.linspace(0, n, count, dtype=int) for n in (rows - height, length - width))
    return [
        padded_lines[top : top + height + 1, left : left + size + width]
        for top, left in zip(tops, lefts, strict=True)
    ]


def _compute_entropy(sample: AnyArray) -> float:
    """Return the entropy of the distribution of byte values, in bits per byte."""
    counts = np.bincount(sample.reshape(-1))
    byte_shares = counts[counts > 0] / sample.size
    return -float(byte_shares @ np.log2(byte_shares))


def _deflate_whole_bytes(lines: AnyArray, level: int, strategy: int, *, is_last: bool) -> bytes:
    """Return raw deflate blocks that end at a byte boundary."""
    from zlib_ng import zlib_ng  # compresses twice as fast as zlib

    compressor = zlib_ng.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, strategy=strategy)
    return compressor.compress(lines.data) + compressor.flush(
        zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH
    )


def join_checksums(first: int, second: int, length: int) -> int:
    """Return the Adler-32 checksum of two joined parts, given the checksums of both parts.

    `length` is the number of bytes of the second part. The low half of a checksum is one more than
    the sum of all bytes, and the high half is the sum of all previous low halves.
    """
    low_sum, high_sum = first & 0xFFFF, first >> 16
    high_sum += (second >> 16) + length * (low_sum - 1)
    return high_sum % _ADLER_MODULUS << 16 | (low_sum + (second & 0xFFFF) - 1) % _ADLER_MODULUS
