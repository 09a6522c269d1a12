"""The samples of a TIFF page: what its tags say of them, checked, and then read.

Strips without compression, as this package writes them, are read here. Everything else is for
libtiff, which reads on into whatever follows a short piece, and paints what it does not find; so
all pieces must lie in the file, and streams of JPEG must be whole.
"""

import struct
from typing import Any, Final, NamedTuple

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.jpeg.file import stream_shape
from sudokucrypt.images.jpeg.segments import MOST_SCANS
from sudokucrypt.images.picture import NATURAL_MODES, Mode
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.directory import Directory, TiffReader
from sudokucrypt.typing import AnyArray

_COLORS: Final = {
    t.WHITE_IS_ZERO: 1,
    t.BLACK_IS_ZERO: 1,
    t.RGB: 3,
    t.PALETTE: 1,
    t.CMYK: 4,
    t.YCBCR: 3,
}
_READABLE: Final = (t.NOT_COMPRESSED, t.LZW, t.JPEG, t.DEFLATE, t.PACKBITS, t.OLD_DEFLATE, t.ZSTD)
# Pixels that tiles may have beyond the picture before they count as pixels of it.
_FREE_PADDING: Final = 2**16
_JPEG_SCAN, _JPEG_END = b"\xff\xda", b"\xd9"
_WIDENING: Final = 257  # what 8-bit colors are multiplied with to reach the same white in 16 bits


class _Layout(NamedTuple):
    """How samples are stored."""

    rows: int
    columns: int
    channels: int
    bits: int
    dtype: np.dtype[Any]
    photometric: int
    piece: tuple[int, int]  # rows and columns of a strip or tile
    segments: tuple[tuple[int, int], ...]  # offset and bytes of each
    jpeg: bool
    plain: bool  # whether strips hold samples without compression, all channels together
    planar: bool  # whether each channel is stored by itself

    @property
    def shape(self) -> tuple[int, ...]:
        shape = (self.rows, self.columns, self.channels)
        return shape if self.channels > 1 else shape[:2]


def read_samples(
    reader: TiffReader, page: Directory, index: int, *, fax: bool = False
) -> tuple[AnyArray, Mode]:
    """Return the samples of a page, the `index`-th in the file, and what their channels are.

    White is at the highest value, and palettes become RGB, of 16 bits if 8 are not enough. Lines of
    a `fax`, of which libtiff paints white what is missing, are only read to be looked at.
    """
    layout = _read_layout(reader.source, page, _READABLE + (t.FAX if fax else ()))
    plain = layout.plain
    pixels = _read_strips(reader, layout) if plain else _decode(reader, page, layout, index)
    if layout.photometric == t.WHITE_IS_ZERO:
        pixels = ~pixels
    if layout.photometric == t.PALETTE:
        pixels = _colored(reader.source, page, pixels)
    natural = NATURAL_MODES[1 if pixels.ndim == 2 else pixels.shape[2]]
    return pixels, "cmyk" if layout.photometric == t.CMYK else natural


def _read_layout(source: Source, page: Directory, readable: tuple[int, ...]) -> _Layout:
    """Return how the samples of a page are stored, if that is supported and not too much."""
    rows, columns, channels = (
        page.integer(t.ROWS),
        page.integer(t.COLUMNS),
        _read_channels(source, page),
    )
    photometric = page.integer(t.PHOTOMETRIC)
    compression = page.integer(t.COMPRESSION, t.NOT_COMPRESSED)
    bits, kind = _read_type(source, page, channels)
    jpeg, single = compression == t.JPEG, bits == 1
    planar = channels > 1 and page.integer(t.PLANES, 1) == 2
    tiled = t.TILE_OFFSETS in page
    plain = compression == t.NOT_COMPRESSED and not planar and not tiled
    plain = plain and page.integer(t.FILL_ORDER, 1) == 1
    unsigned = {t.WHITE_IS_ZERO: kind != "u", t.PALETTE: (bits, kind) != (8, "u")}
    refusals = {
        f"compression {compression}": compression not in readable,
        "several slices": page.integer(t.SLICES, 1) != 1,
        f"{bits}-bit samples of this kind": unsigned.get(photometric, False)
        or (single and not plain and channels > 1),
        "YCbCr colors that are no JPEG": photometric == t.YCBCR and not jpeg,
        "JPEG compression that is not gray or RGB of 8 bits": jpeg
        and (bits, kind, planar, channels in (1, 3)) != (8, "u", False, True),
    }
    for reason, refused in refusals.items():
        if refused:
            raise source.unsupported(f"a TIFF with {reason}")
    piece = _read_piece(source, page, (rows, columns, channels * ((bits + 7) // 8)), tiled=tiled)
    count = -(-rows // piece[0]) * -(-columns // piece[1]) * (channels if planar else 1)
    tags = (t.TILE_OFFSETS, t.TILE_SIZES) if tiled else (t.STRIP_OFFSETS, t.STRIP_SIZES)
    offsets, sizes = page.integers(tags[0]), page.integers(tags[1])
    if len(offsets) != count or len(sizes) != count or not all(offsets) or not all(sizes):
        raise source.damaged("parts of the picture are missing")
    segments = tuple(zip(offsets, sizes, strict=True))
    if any(offset + size > len(source.data) for offset, size in segments):
        raise source.cut_short()
    dtype = np.dtype("bool" if single else f"{kind}{bits // 8}")
    return _Layout(
        *(rows, columns, channels, bits, dtype, photometric, piece, segments, jpeg, plain, planar)
    )


def _read_channels(source: Source, page: Directory) -> int:
    """Return the channels of a pixel: colors, with plain opacity or without."""
    photometric, channels = page.integer(t.PHOTOMETRIC), page.integer(t.CHANNELS, 1)
    if photometric not in _COLORS:
        raise source.unsupported(f"a TIFF of photometric {photometric}")
    extra = page.integers(t.EXTRA_SAMPLES, ())
    more = channels - _COLORS[photometric]
    if more == 1 and extra == (t.MULTIPLIED_ALPHA,):
        raise source.unsupported("a TIFF with colors that are multiplied with their alpha")
    alpha = more == 1 and extra == (t.PLAIN_ALPHA,)
    if (not alpha and (more or extra)) or (alpha and photometric > t.RGB):
        raise source.unsupported("a TIFF with other channels than colors and opacity")
    if photometric == t.CMYK and page.integer(t.INK_SET, 1) != 1:
        raise source.unsupported("a TIFF with inks that are not CMYK")
    return channels


def _read_type(source: Source, page: Directory, channels: int) -> tuple[int, str]:
    """Return bits and kind of the samples, which all channels must share."""
    bits, formats = (page.integers(tag, (1,)) for tag in (t.BITS, t.SAMPLE_FORMAT))
    kind = t.KINDS.get(formats[0], "")
    known = len(set(formats)) == 1 and len(bits) in (1, channels) and len(set(bits)) == 1
    if not known or bits[0] not in t.DEPTHS.get(kind, ()):
        words = {"u": "", "i": "signed ", "f": "floating-point "}.get(kind, "rare ")
        given = "/".join(str(n) for n in sorted(set(bits)))
        raise source.unsupported(f"a TIFF with {given}-bit {words}samples")
    return bits[0], kind


def _read_piece(
    source: Source, page: Directory, size: tuple[int, int, int], *, tiled: bool
) -> tuple[int, int]:
    """Return rows and columns of a strip or tile, and count the pixels to read."""
    rows, columns, pixel_bytes = size
    if not tiled:
        source.shape(rows, columns, pixel_bytes)
        strip_rows = page.integer(t.ROWS_PER_STRIP, rows)
        if not strip_rows:
            raise source.damaged("its strips have no rows")
        return min(strip_rows, rows), columns
    tile = page.integer(t.TILE_ROWS), page.integer(t.TILE_COLUMNS)
    if not all(tile):
        raise source.damaged("its tiles have no pixels")
    padded = (-(-rows // tile[0]) * tile[0], -(-columns // tile[1]) * tile[1])
    # Huge tiles around a small picture are as much work as a huge picture.
    generous = padded[0] * padded[1] > 4 * rows * columns + _FREE_PADDING
    source.shape(*(padded if generous else (rows, columns)), pixel_bytes)
    return tile


def _read_strips(reader: TiffReader, layout: _Layout) -> AnyArray:
    """Return samples that lie in strips without compression."""
    pixels: AnyArray = np.empty(layout.shape, dtype=layout.dtype)
    samples = layout.columns * layout.channels
    row_bytes = (samples * layout.bits + 7) // 8
    for top, (offset, size) in zip(
        range(0, layout.rows, layout.piece[0]), layout.segments, strict=True
    ):
        part = pixels[top : top + layout.piece[0]]
        if size < len(part) * row_bytes:
            raise reader.source.damaged("it holds fewer samples than it promises")
        raw = np.frombuffer(reader.view(offset, len(part) * row_bytes), np.uint8)
        lines = raw.reshape(len(part), row_bytes)
        if layout.bits == 1:
            lines = unpack_bits(lines, 1, samples)
        else:
            lines = lines.view(layout.dtype.newbyteorder(reader.order))
        part[:] = lines.reshape(part.shape)
    return pixels


def _decode(reader: TiffReader, page: Directory, layout: _Layout, index: int) -> AnyArray:
    """Let libtiff decode a page."""
    from imagecodecs import tiff_decode

    source, data = reader.source, reader.source.data
    if layout.jpeg:
        _check_streams(source, layout)
    if layout.photometric == t.CMYK:  # of which it would make RGB, unless it is told that it is
        changed = bytearray(data)
        struct.pack_into(f"{reader.order}H", changed, page.place(t.PHOTOMETRIC), t.RGB)
        data = bytes(changed)
    pixels: AnyArray = source.call(tiff_decode, data, index=index)
    if layout.planar:
        pixels = np.moveaxis(pixels, 0, -1)
    if pixels.shape != layout.shape or pixels.dtype != layout.dtype:
        raise source.damaged(f"it decodes to {pixels.shape} samples of type {pixels.dtype}")
    return np.ascontiguousarray(pixels)


def _check_streams(source: Source, layout: _Layout) -> None:
    """Raise an error for JPEG streams that are cut, of another size, or a burden."""
    for number, (offset, size) in enumerate(layout.segments):
        data = source.data[offset : offset + size]
        rest = layout.rows - number * layout.piece[0]
        heights = {layout.piece[0], min(rest, layout.piece[0])}
        rows, *shape = stream_shape(data) or (0, 0, 0)
        if rows not in heights or shape != [layout.piece[1], layout.channels]:
            raise source.damaged("a JPEG stream in it has another size")
        if data.count(_JPEG_SCAN) > MOST_SCANS:
            raise source.unsupported("a TIFF with JPEG streams of many scans")
        # Decoders paint gray what is missing, and only warn.
        if not data.rstrip(b"\0\xff").endswith(_JPEG_END):
            raise source.cut_short()


def _colored(source: Source, page: Directory, pixels: AnyArray) -> AnyArray:
    """Return the colors that samples of 8 bits number.

    Color maps have 16 bits a channel, all reds before all greens before all blues.
    """
    color_map = page.integers(t.COLOR_MAP)
    if len(color_map) != 3 * 256 or max(color_map) > 65535:
        raise source.damaged("its palette has another size than its samples need")
    colors = np.array(color_map, dtype=np.uint16).reshape(3, -1).T
    # Programs widen 8 bits to 16 by repeating them, or leave the lower ones zero.
    if (colors % _WIDENING == 0).all() or not (colors & 0xFF).any():
        colors = (colors >> 8).astype(np.uint8)
    rows, columns = pixels.shape
    source.shape(rows, columns, 3, width=colors.dtype.itemsize)
    return np.ascontiguousarray(colors)[pixels]
