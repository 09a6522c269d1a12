"""PNG samples: what IHDR, PLTE and tRNS say of them, and how they are written.

Lines are filtered, in one zlib stream of pieces that threads deflate. Filters store lines as their
differences from what neighboring bytes let expect. A piece is some whole lines. What it becomes
depends on nothing but them and the line above, so the stream is the same for any number of threads.
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.picture import NATURAL_MODES, Mode, Picture, channels, unpack_bits
from sudokucrypt.typing import AnyArray, Buffer
from sudokucrypt.workers import Workers

MAX_SIDE: Final = 2**31 - 1  # most rows or columns of a PNG
PALETTE: Final = 3  # PNG's number for samples that number colors
_CHANNELS = {0: 1, 2: 3, PALETTE: 1, 4: 2, 6: 4}
_COLOR_TYPES: Final[dict[Mode, int]] = {"gray": 0, "rgb": 2, "gray-alpha": 4, "rgba": 6}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), PALETTE: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_MOST_COLORS = 256
# First row, first column, row step, column step of the seven pictures (Adam7).
_ADAM7 = (
    *((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4)),
    *((2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)),
)


@dataclass(frozen=True)
class SampleFormat:
    """The content of an IHDR chunk: sides in pixels, bits per sample, PNG's number of the color."""

    rows: int
    columns: int
    bits: int
    color_type: int
    interlaced: bool = False

    @classmethod
    def of(cls, picture: Picture, more: int) -> "SampleFormat":
        """Return the layout of a picture without unsupported content, written with `more` rows."""
        rows, columns = picture.pixels.shape[:2]
        return cls(rows + more, columns, picture.depth, _COLOR_TYPES[picture.mode])

    @classmethod
    def read(cls, source: Source, kind: bytes, body: memoryview) -> "SampleFormat":
        """Return the sample format in the first chunk, which must be a valid IHDR chunk."""
        if kind != b"IHDR" or len(body) != 13:
            raise source.report_damage("it does not begin with an IHDR chunk")
        columns, rows, bits, color_type, compression, filters, interlace = struct.unpack(
            ">IIBBBBB", body
        )
        if compression or filters or interlace > 1:
            raise source.report_damage("its IHDR chunk names an unknown method")
        if bits not in _DEPTHS.get(color_type, ()):
            raise source.report_damage("its IHDR chunk names an unknown mode")
        if max(rows, columns) > MAX_SIDE:
            raise source.report_damage("its IHDR chunk names too long a side")
        return cls(rows, columns, bits, color_type, interlaced=bool(interlace))

    @property
    def channels(self) -> int:
        """Samples of one pixel."""
        return _CHANNELS[self.color_type]

    @property
    def pixel_size(self) -> int:
        """Bytes of one pixel, at least one: how far apart the bytes are that a filter compares."""
        return max(1, self.channels * self.bits // 8)

    @property
    def line_size(self) -> int:
        """Bytes of the samples of one line."""
        return -(-self.columns * self.channels * self.bits // 8)

    def to_bytes(self) -> bytes:
        """Return the body of the IHDR chunk."""
        sides = (self.columns, self.rows)
        return struct.pack(">IIBBBBB", *sides, self.bits, self.color_type, 0, 0, self.interlaced)

    def passes(self) -> "Iterator[tuple[SampleFormat, slice, slice]]":
        """Yield the pictures stored one after another, and the rows and columns they fill."""
        for top, left, down, right in _ADAM7 if self.interlaced else ((0, 0, 1, 1),):
            rows = len(range(top, self.rows, down))
            columns = len(range(left, self.columns, right))
            if rows and columns:
                layout = SampleFormat(rows, columns, self.bits, self.color_type)
                yield layout, slice(top, None, down), slice(left, None, right)


def samples_of(lines: AnyArray, layout: SampleFormat) -> AnyArray:
    """Return the samples in these lines."""
    if layout.bits < 8:
        return unpack_bits(lines, layout.bits, layout.columns)
    samples = np.ascontiguousarray(lines).view(f">u{layout.bits // 8}")
    shape = (len(lines), layout.columns, layout.channels)
    return samples.reshape(shape[:2] if layout.channels == 1 else shape)


def bytes_of(pixels: AnyArray) -> AnyArray:
    """Return the lines of bytes that hold these samples; a bool takes one bit."""
    if pixels.dtype == np.bool_:
        return np.packbits(pixels, axis=1)
    swapped = pixels.astype(pixels.dtype.newbyteorder(">"), copy=False)
    return np.ascontiguousarray(swapped).reshape(len(pixels), -1).view(np.uint8)


def is_palette(body: bytes | memoryview) -> bool:
    """Return whether this is the body of a PLTE chunk."""
    return 0 < len(body) <= 3 * _MOST_COLORS and len(body) % 3 == 0


def fits_transparency(
    layout: SampleFormat, colors: bytes | memoryview | None, body: memoryview
) -> bool:
    """Return whether this is the body of a tRNS chunk for the mode and the palette read so far."""
    if layout.color_type == PALETTE:
        return colors is not None and len(body) <= len(colors) // 3
    return layout.color_type in (0, 2) and len(body) == 2 * layout.channels


def expand(
    pixels: AnyArray,
    layout: SampleFormat,
    colors: memoryview | None,
    transparency: memoryview | None,
) -> AnyArray:
    """Return the samples that stored ones mean, by checked PLTE and tRNS bodies.

    Numbers of colors become RGB, or RGBA if any is transparent, and grays of 2 and 4 bits fill 8.
    A transparent color becomes an opacity of zero.
    """
    if layout.color_type == PALETTE:
        table = color_table(colors or b"", transparency or b"")
        # Pixel by pixel, a table takes half the time for whole words.
        whole = np.ascontiguousarray(table).view(np.uint32)[:, 0]
        expanded = whole[pixels.view(np.uint8)].view(np.uint8).reshape(*pixels.shape, 4)
        return expanded if transparency else np.ascontiguousarray(expanded[..., :3])
    seen = None
    if transparency is not None:
        # Only as many bits count as a sample has.
        values = struct.unpack(f">{layout.channels}H", transparency)
        clear = np.array([value % 2**layout.bits for value in values], dtype=pixels.dtype)
        seen = (np.atleast_3d(pixels) != clear).any(axis=2, keepdims=True)
    if layout.bits in (2, 4):
        pixels *= np.uint8(255 // (2**layout.bits - 1))
    if seen is None:
        return pixels
    if layout.bits == 1:
        pixels = pixels * np.uint8(255)
    opacity = seen * pixels.dtype.type(np.iinfo(pixels.dtype).max)
    return np.concatenate([np.atleast_3d(pixels), opacity], axis=2)


def color_table(colors: bytes | memoryview, alphas: bytes | memoryview) -> AnyArray:
    """Return red, green, blue and opacity of 256 colors; those that are not there are black."""
    table = np.zeros((_MOST_COLORS, 4), dtype=np.uint8)
    table[: len(colors) // 3, :3] = np.frombuffer(colors, np.uint8).reshape(-1, 3)
    table[:, 3] = 255
    table[: len(alphas), 3] = np.frombuffer(alphas, np.uint8)
    return table


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield what of a picture PNG cannot hold; what follows the first need not make sense."""
    pixels, mode = picture.pixels, picture.mode
    if mode not in _COLOR_TYPES:
        yield f"{mode} pictures"
    if NATURAL_MODES[channels(pixels)] != mode:
        yield f"{mode} pictures of shape {pixels.shape}"
    if pixels.dtype.kind not in "bu" or picture.depth not in _DEPTHS[_COLOR_TYPES[mode]]:
        yield f"{mode} pictures with {picture.depth}-bit samples of type {pixels.dtype}"
    if max(pixels.shape[:2]) > MAX_SIDE:
        yield f"sides of over {MAX_SIDE} pixels"


NONE, SUB, UP, AVERAGE, PAETH = KINDS = range(5)

_FILTERED: Final = 2**16  # bytes filtered at a time, so that what they take stays in the cache
# Bytes that are filtered and deflated at a time; threads share the work in such pieces.
_PIECE = 2 * 2**20
_BLOCK: Final = 65535  # most bytes of a stored block
_HEAD: Final = struct.Struct("<BHH")  # of such a block: whether it is the last, length, complement
_ZLIB: Final = b"\x78\x01"
_CHECKSUM: Final = struct.Struct(">I")
_SAMPLE: Final = 48 * 1024  # bytes that are tried, in this many groups of at least as many lines
# Spread over the picture, since parts of it may need other filters.
_GROUPS: Final = 12
_LINES: Final = 4
# Searching for matches takes ten times as long: it must save more than that.
_NEARLY: Final = 0.97
_BY_FAR: Final = 1.2
_ADLER: Final = 65521  # the modulus of Adler-32
# Where there are repetitions to find, zlib is quick at any level, and larger below this one.
_LEAST_LEVEL: Final = 6
_QUICK_LEVEL: Final = 2  # tells much sooner about what the least level would find


def pad_lines(raw: AnyArray, size: int, *, top: bool) -> AnyArray:
    """Return lines with a pixel of zeros to the left, and at the top a line of zeros if asked.

    `raw` are the bytes of lines, with the one above them first unless `top`; a pixel has `size`.
    """
    lines = np.zeros((top + len(raw), size + raw.shape[1]), dtype=np.uint8)
    lines[top:, size:] = raw
    return lines


def filter_lines(lines: AnyArray, size: int, kind: int) -> AnyArray:
    """Return what is stored of padded lines: the filter and L bytes of each but the first."""
    rows, length = len(lines) - 1, lines.shape[1] - size
    stored = np.empty((rows, 1 + length), dtype=np.uint8)
    stored[:, 0] = kind
    if kind == NONE:
        stored[:, 1:] = lines[1:, size:]
        return stored
    step = max(1, _FILTERED // length)
    for row in range(0, rows, step):
        for start in range(0, length, _FILTERED):
            part = lines[row : row + step + 1, start : start + size + _FILTERED]
            left, above, corner = part[1:, :-size], part[:-1, size:], part[:-1, :-size]
            target = stored[row : row + step, 1 + start : 1 + start + _FILTERED]
            np.subtract(part[1:, size:], _predict(left, above, corner, kind), out=target)
    return stored


def _predict(left: AnyArray, above: AnyArray, corner: AnyArray, kind: int) -> AnyArray:
    if kind == SUB:
        return left
    if kind == UP:
        return above
    if kind == AVERAGE:
        return (left & above) + ((left ^ above) >> 1)
    # Paeth takes of three neighbors the one nearest to left + above - corner. That is the corner
    # if it lies between the others, and from neither at least twice as far as from the other.
    low, high = np.minimum(left, above), np.maximum(left, above)
    middle = np.minimum(np.maximum(corner, low), high)
    up, down = high - middle, middle - low
    # As products: to choose by a mask takes NumPy twenty times as long.
    nearest: AnyArray = middle + up * (up >> 1 >= down) - down * (down >> 1 >= up)
    return nearest


def pack_samples(
    rows: Callable[[int, int], AnyArray],
    layout: SampleFormat,
    *,
    compress: int = 0,
    alike: bool = False,
    threads: int | None = None,
) -> Iterator[Buffer]:
    """Yield the zlib stream of samples in parts, one for each IDAT chunk.

    `rows` returns those from one row up to another. Filters are used if neighboring samples are
    `alike`.
    """
    from zlib_ng.zlib_ng import adler32

    step = _lines_of_piece(layout)
    starts = range(0, layout.rows, step)
    if not compress:
        yield from store_samples((bytes_of(rows(at, at + step)) for at in starts), layout)
        return
    kinds = KINDS if alike and layout.bits >= 8 else (NONE,)

    def piece(first: int) -> tuple[bytes, int, int]:
        """Return part of the stream, and checksum and length of what is in it."""
        last = first == starts[-1]
        raw = bytes_of(rows(max(0, first - 1), first + step))
        padding = pad_lines(raw, layout.pixel_size, top=not first)
        lines, strategy = _choose_filter(padding, layout.pixel_size, kinds, compress)
        # A picture of one piece takes a moment at the highest level.
        level = 9 if compress > 1 and len(starts) == 1 else max(_LEAST_LEVEL, compress)
        return _deflate(lines, level, strategy, last=last), adler32(lines.data), lines.nbytes

    checksum = 1
    with Workers(threads, work=layout.rows * (1 + layout.line_size)) as workers:
        for first, (body, own, length) in zip(starts, workers.each(piece, starts), strict=True):
            checksum = join_checksums(checksum, own, length)
            start = b"" if first else _ZLIB
            end = _CHECKSUM.pack(checksum) if first == starts[-1] else b""
            yield b"".join([start, body, end]) if start or end else body


def _lines_of_piece(layout: SampleFormat) -> int:
    """Return how many lines a part of the stream is made of, except the last one."""
    return max(1, _PIECE // (1 + layout.line_size))


def store_samples(samples: Iterable[AnyArray], layout: SampleFormat) -> Iterator[Buffer]:
    """Yield a zlib stream that is not compressed, of the bytes of lines in arrays of any length.

    Scrambled and encrypted samples are noise to a compressor: trying takes 50 times as long for
    nothing. Storing takes memory, not time: one thread is quicker, and holds one piece.
    """
    from zlib_ng.zlib_ng import adler32

    width = layout.line_size
    step = min(layout.rows, _lines_of_piece(layout))
    lines = np.zeros((step, 1 + width), dtype=np.uint8)  # a zero: the line has no filter
    most = len(_ZLIB) + -(-lines.size // _BLOCK) * _HEAD.size + lines.size + _CHECKSUM.size
    flow, checksum = _Flow(samples), 1
    for first in range(0, layout.rows, step):
        last = first + step >= layout.rows
        flat = lines[: layout.rows - first].reshape(-1)
        flow.fill(lines[: layout.rows - first, 1:])
        checksum = adler32(flat.data, checksum)
        body = np.empty(most, dtype=np.uint8)
        body[: len(_ZLIB)] = np.frombuffer(_ZLIB, dtype=np.uint8)
        end = len(_ZLIB)
        for start in range(0, len(flat), _BLOCK):
            block = flat[start : start + _BLOCK]
            final = last and start + _BLOCK >= len(flat)
            _HEAD.pack_into(body.data, end, final, len(block), len(block) ^ 0xFFFF)
            begin, end = end + _HEAD.size, end + _HEAD.size + len(block)
            body[begin:end] = block
        if last:
            _CHECKSUM.pack_into(body.data, end, checksum)
            end += _CHECKSUM.size
        yield body[len(_ZLIB) if first else 0 : end].data


class _Flow:
    """Bytes in arrays of any length, with which lines are filled one after the other."""

    def __init__(self, arrays: Iterable[AnyArray]) -> None:
        self._arrays = iter(arrays)
        self._rest: AnyArray = np.empty(0, dtype=np.uint8)

    def fill(self, lines: AnyArray) -> None:
        """Fill lines with the next bytes."""
        rows, width = lines.shape
        row = 0
        while row < rows:
            if not len(self._rest):
                self._rest = next(self._arrays).reshape(-1)
            whole = min(rows - row, len(self._rest) // width)
            lines[row : row + whole] = self._rest[: whole * width].reshape(whole, width)
            self._rest, row = self._rest[whole * width :], row + whole
            if row < rows:
                self._fill_line(lines[row])
                row += 1

    def _fill_line(self, line: AnyArray) -> None:
        while len(line):
            if not len(self._rest):
                self._rest = next(self._arrays).reshape(-1)
            count = min(len(line), len(self._rest))
            line[:count] = self._rest[:count]
            line, self._rest = line[count:], self._rest[count:]


def _choose_filter(
    padding: AnyArray, size: int, kinds: Sequence[int], compress: int
) -> tuple[AnyArray, int]:
    """Return filtered lines and the strategy to deflate them; both are chosen by a sample of lines.

    A filtered photograph is noise. To look for repetitions in it takes ten times as long,
    and makes it longer.
    """
    usual = kinds[min(SUB, len(kinds) - 1)]
    if (len(padding) - 1) * (padding.shape[1] - size + 1) <= _SAMPLE:  # no time for a choice
        return filter_lines(padding, size, usual), zlib.Z_DEFAULT_STRATEGY
    groups = _groups(padding, size)
    samples = {
        kind: np.concatenate([filter_lines(g, size, kind) for g in groups]) for kind in kinds
    }
    best = min(kinds, key=lambda kind: _entropy(samples[kind]))
    coded, runs = (
        len(_deflate(samples[best], _LEAST_LEVEL, strategy, last=True))
        for strategy in (zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE)
    )
    matches = len(_deflate(samples[best], _QUICK_LEVEL, zlib.Z_DEFAULT_STRATEGY, last=True))
    least = min(runs, matches)
    enough = least / _NEARLY
    if compress == 1:  # quick is enough, unless it is larger than after a quick search, or by far
        searched = len(_deflate(samples[usual], _QUICK_LEVEL, zlib.Z_DEFAULT_STRATEGY, last=True))
        enough = max(enough, min(_NEARLY * searched, _BY_FAR * least))
    strategy = zlib.Z_HUFFMAN_ONLY
    if coded > enough:
        strategy = zlib.Z_RLE if runs <= matches else zlib.Z_DEFAULT_STRATEGY
    return filter_lines(padding, size, best), strategy


def _groups(padding: AnyArray, size: int) -> list[AnyArray]:
    """Return parts of a few lines each, from the top left to the bottom right."""
    rows, length = len(padding) - 1, padding.shape[1] - size
    count = min(_GROUPS, rows)
    width = min(length, _SAMPLE // (_LINES * count))
    each = min(rows, _SAMPLE // (width * count))
    tops, lefts = (np.linspace(0, room, count, dtype=int) for room in (rows - each, length - width))
    corners = zip(tops, lefts, strict=True)
    return [padding[top : top + each + 1, left : left + size + width] for top, left in corners]


def _entropy(sample: AnyArray) -> float:
    """Return how many bits of information a byte has on average, its neighbors unknown."""
    counts = np.bincount(sample.reshape(-1))
    shares = counts[counts > 0] / sample.size
    return -float(shares @ np.log2(shares))


def _deflate(lines: AnyArray, level: int, strategy: int, *, last: bool) -> bytes:
    """Return raw deflate blocks that end with a whole byte."""
    from zlib_ng import zlib_ng  # codes twice as fast as zlib

    engine = zlib_ng.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, strategy=strategy)
    return engine.compress(lines.data) + engine.flush(zlib.Z_FINISH if last else zlib.Z_SYNC_FLUSH)


def join_checksums(first: int, second: int, length: int) -> int:
    """Return the Adler-32 checksum of two parts one after the other, the second of this length.

    The low half is one more than the sum of all bytes, the high half the sum of all low halves.
    """
    low, high = first & 0xFFFF, first >> 16
    high += (second >> 16) + length * (low - 1)
    return high % _ADLER << 16 | (low + (second & 0xFFFF) - 1) % _ADLER
