"""Read the samples of a TIFF page, after checking the tags that describe them.

A piece, which is a strip or tile, gets only the memory that its samples need, and a piece that is
too short is refused. libtiff is not used, since it reads beyond the end of a short piece, and
leaves memory uninitialized if a piece is too long (imagecodecs 2026.3).
"""

import zlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.file import MAX_SCANS
from sudokucrypt.images.picture import DEFAULT_MODES, Mode, unpack_bits
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff.directory import ByteOrder, Directory, TiffReader
from sudokucrypt.typing import AnyArray, Buffer

# The number of color channels for each supported value of the photometric tag.
_COLOR_CHANNEL_COUNTS: Final = {
    d.WHITE_IS_ZERO: 1,
    d.BLACK_IS_ZERO: 1,
    d.RGB: 3,
    d.PALETTE: 1,
    d.CMYK: 4,
    d.YCBCR: 3,
}
# Codecs of imagecodecs. Pillow would use libtiff, which prints warnings for a damaged file.
_CODECS: Final = {d.LZW: "lzw", d.JPEG: "jpeg8", d.ZSTD: "zstd"}
_DEFLATE_COMPRESSIONS: Final = (d.DEFLATE, d.OLD_DEFLATE)
_PREDICTED_COMPRESSIONS: Final = (*_DEFLATE_COMPRESSIONS, d.LZW, d.PACKBITS, d.ZSTD)
# Padding pixels of tiles up to this number are never counted against the limit of pixels.
_MAX_FREE_PADDING_PIXELS: Final = 2**16
_JPEG_SCAN_MARKER, _JPEG_END_BYTE = b"\xff\xda", b"\xd9"
# Bytes of rows that are unpacked at a time, to need little memory in addition to the samples.
_CHUNK_BYTES: Final = 2**22
_WIDENING_FACTOR: Final = 257  # the factor that scales 8-bit colors to 16 bits


class _Layout(NamedTuple):
    """The layout of the samples of a page: sizes, types, compression and positions in the file."""

    rows: int
    columns: int
    channels: int
    bits: int
    dtype: np.dtype[Any]
    photometric: int
    compression: int
    predictor: int
    order: ByteOrder
    tiled: bool
    planar: bool  # whether each channel is stored separately
    piece: tuple[int, int]  # rows and columns of a strip or tile
    piece_spans: tuple[tuple[int, int], ...]  # offset and size of each piece in bytes
    tables: bytes  # the tables that all JPEG streams of a page share

    @property
    def channels_per_piece(self) -> int:
        """The number of channels of a piece."""
        return 1 if self.planar else self.channels

    @property
    def bytes_per_row(self) -> int:
        """The number of uncompressed bytes of one row of a piece."""
        return (self.piece[1] * self.channels_per_piece * self.bits + 7) // 8


def read_samples(reader: TiffReader, page: Directory) -> tuple[AnyArray, Mode]:
    """Return the samples of a page and their mode.

    White is the highest value. Palettes become RGB, of 16 bits if their colors need more than 8.
    """
    layout = _read_layout(reader.source, page, reader.order)
    pixels: AnyArray = np.empty((layout.rows, layout.columns, layout.channels), layout.dtype)
    piece_rows, piece_columns = layout.piece
    pieces_per_column, pieces_per_row = (
        -(-layout.rows // piece_rows),
        -(-layout.columns // piece_columns),
    )
    for index, segment in enumerate(layout.piece_spans):
        plane, position_in_plane = divmod(index, pieces_per_row * pieces_per_column)
        top, left = (
            position_in_plane // pieces_per_row * piece_rows,
            position_in_plane % pieces_per_row * piece_columns,
        )
        target_part = pixels[top : top + piece_rows, left : left + piece_columns]
        if layout.planar:
            target_part = target_part[..., plane : plane + 1]
        rows = piece_rows if layout.tiled else len(target_part)
        piece_bytes = _expand_piece(reader.source, layout, reader.view_bytes(*segment), rows)
        for first_row, block in _iterate_blocks(layout, piece_bytes, len(target_part)):
            target_part[first_row : first_row + len(block)] = block[:, : target_part.shape[1]]
    if layout.channels == 1:
        pixels = pixels[..., 0]
    if layout.photometric == d.WHITE_IS_ZERO:
        np.invert(pixels, out=pixels)
    if layout.photometric == d.PALETTE:
        pixels = _look_up_colors(reader.source, page, pixels)
    default_mode = DEFAULT_MODES[1 if pixels.ndim == 2 else pixels.shape[2]]
    return pixels, "cmyk" if layout.photometric == d.CMYK else default_mode


def _read_layout(source: Source, page: Directory, order: ByteOrder) -> _Layout:
    """Return the layout of the samples of a page, if it is supported and not too large."""
    rows, columns, channels = (
        page.get_integer(d.ROWS),
        page.get_integer(d.COLUMNS),
        _read_channels(source, page),
    )
    photometric = page.get_integer(d.PHOTOMETRIC)
    compression = page.get_integer(d.COMPRESSION, d.NOT_COMPRESSED)
    bits, kind = _read_type(source, page, channels)
    planar = channels > 1 and page.get_integer(d.PLANES, 1) == 2
    predictor = page.get_integer(d.PREDICTOR, 1) if compression in _PREDICTED_COMPRESSIONS else 1
    known_predictors = (1, d.DIFFERENCES, d.FLOAT_DIFFERENCES)[: 3 if kind == "f" else 2]
    type_refusals = {d.WHITE_IS_ZERO: kind != "u", d.PALETTE: (bits, kind) != (8, "u")}
    readable_compressions = (d.NOT_COMPRESSED, d.PACKBITS, *_DEFLATE_COMPRESSIONS, *_CODECS)
    refusals = {
        f"compression {compression}": compression not in readable_compressions,
        "several slices": page.get_integer(d.SLICES, 1) != 1,
        "bits in reverse order": page.get_integer(d.FILL_ORDER, 1) != 1,
        f"{bits}-bit samples of this kind": type_refusals.get(photometric, False),
        f"predictor {predictor}": predictor not in known_predictors or (predictor > 1 and bits < 8),
        "YCbCr colors that are no JPEG": photometric == d.YCBCR and compression != d.JPEG,
        "JPEG compression that is not gray or RGB of 8 bits": compression == d.JPEG
        and (bits, kind, planar, channels in (1, 3)) != (8, "u", False, True),
    }
    for refusal, is_refused in refusals.items():
        if is_refused:
            raise source.refuse_kind(f"a TIFF with {refusal}")
    tiled = d.TILE_OFFSETS in page
    tile_shape = _read_piece_shape(
        source, page, (rows, columns, channels * ((bits + 7) // 8)), tiled=tiled
    )
    count = -(-rows // tile_shape[0]) * -(-columns // tile_shape[1]) * (channels if planar else 1)
    tags = (d.TILE_OFFSETS, d.TILE_SIZES) if tiled else (d.STRIP_OFFSETS, d.STRIP_SIZES)
    offsets, sizes = page.get_integers(tags[0]), page.get_integers(tags[1])
    if len(offsets) != count or len(sizes) != count or not all(offsets) or not all(sizes):
        raise source.report_damage("parts of the picture are missing")
    piece_spans = tuple(zip(offsets, sizes, strict=True))
    if any(offset + size > len(source.data) for offset, size in piece_spans):
        raise source.report_cut()
    dtype = np.dtype("bool" if bits == 1 else f"{kind}{bits // 8}")
    tables = b"".join(field.data for field in page.fields(d.JPEG_TABLES))
    return _Layout(
        *(rows, columns, channels, bits, dtype, photometric, compression, predictor, order),
        *(tiled, planar, tile_shape, piece_spans, tables),
    )


def _read_channels(source: Source, page: Directory) -> int:
    """Return the number of channels of a pixel: colors and perhaps unmultiplied alpha."""
    photometric, channels = page.get_integer(d.PHOTOMETRIC), page.get_integer(d.CHANNELS, 1)
    if photometric not in _COLOR_CHANNEL_COUNTS:
        raise source.refuse_kind(f"a TIFF of photometric {photometric}")
    extra_samples = page.get_integers(d.EXTRA_SAMPLES, ())
    extra_channel_count = channels - _COLOR_CHANNEL_COUNTS[photometric]
    if extra_channel_count == 1 and extra_samples == (d.MULTIPLIED_ALPHA,):
        raise source.refuse_kind("a TIFF with colors that are multiplied with their alpha")
    has_alpha = extra_channel_count == 1 and extra_samples == (d.PLAIN_ALPHA,)
    if (not has_alpha and (extra_channel_count or extra_samples)) or (
        has_alpha and photometric > d.RGB
    ):
        raise source.refuse_kind("a TIFF with other channels than colors and opacity")
    if photometric == d.CMYK and page.get_integer(d.INK_SET, 1) != 1:
        raise source.refuse_kind("a TIFF with inks that are not CMYK")
    return channels


def _read_type(source: Source, page: Directory, channels: int) -> tuple[int, str]:
    """Return the number of bits and NumPy's kind of samples, after checking all channels."""
    bits, sample_formats = (page.get_integers(tag, (1,)) for tag in (d.BITS, d.SAMPLE_FORMAT))
    kind = d.SAMPLE_KINDS.get(sample_formats[0], "")
    is_uniform = (
        len(set(sample_formats)) == 1 and len(bits) in (1, channels) and len(set(bits)) == 1
    )
    if not is_uniform or bits[0] not in d.DEPTHS.get(kind, ()):
        adjective = {"u": "", "i": "signed ", "f": "floating-point "}.get(kind, "rare ")
        depths_text = "/".join(str(n) for n in sorted(set(bits)))
        raise source.refuse_kind(f"a TIFF with {depths_text}-bit {adjective}samples")
    return bits[0], kind


def _read_piece_shape(
    source: Source, page: Directory, size: tuple[int, int, int], *, tiled: bool
) -> tuple[int, int]:
    """Return rows and columns of a strip or tile, after checking the limit of pixels."""
    rows, columns, bytes_per_pixel = size
    if not tiled:
        source.shape(rows, columns, bytes_per_pixel)
        rows_per_strip = page.get_integer(d.ROWS_PER_STRIP, rows)
        if not rows_per_strip:
            raise source.report_damage("its strips have no rows")
        return min(rows_per_strip, rows), columns
    tile_size = page.get_integer(d.TILE_ROWS), page.get_integer(d.TILE_COLUMNS)
    if not all(tile_size):
        raise source.report_damage("its tiles have no pixels")
    padded_shape = (
        -(-rows // tile_size[0]) * tile_size[0],
        -(-columns // tile_size[1]) * tile_size[1],
    )
    # Huge tiles of a small picture take as much time as a huge picture.
    is_oversized = padded_shape[0] * padded_shape[1] > 4 * rows * columns + _MAX_FREE_PADDING_PIXELS
    source.shape(*(padded_shape if is_oversized else (rows, columns)), bytes_per_pixel)
    return tile_size


def _expand_piece(source: Source, layout: _Layout, data: memoryview, rows: int) -> Buffer:
    """Return the uncompressed bytes of `rows` rows of a piece."""
    size = rows * layout.bytes_per_row
    compression = layout.compression
    if compression == d.JPEG:
        return _expand_jpeg(source, layout, bytes(data), rows)
    expanded_data: Buffer = data[:size]
    if compression in _CODECS:
        expanded_data = source.call(_load_codec(source, compression), data, out=size)
    elif compression != d.NOT_COMPRESSED:
        decode = _inflate if compression in _DEFLATE_COMPRESSIONS else _decode_packbits
        expanded_data = source.call(decode, data, size=size)
    if len(expanded_data) < size:
        raise source.report_damage("it contains fewer samples than its size requires")
    return expanded_data


def _load_codec(source: Source, compression: int) -> Any:
    """Return the codec of imagecodecs for a compression."""
    return getattr(source.load_library("imagecodecs"), f"{_CODECS[compression]}_decode")


def _decode_packbits(data: memoryview, *, size: int) -> bytes:
    from PIL import Image

    return Image.frombytes("L", (size, 1), bytes(data), "packbits", "L").tobytes()


def _inflate(data: memoryview, *, size: int) -> bytes:
    stream = zlib.decompressobj()
    inflated_data = stream.decompress(data, size)
    # A request for one more byte makes zlib compare the checksum.
    if not stream.eof and not stream.decompress(stream.unconsumed_tail, 1) and not stream.eof:
        raise EOFError
    return inflated_data


def _expand_jpeg(source: Source, layout: _Layout, data: bytes, rows: int) -> Buffer:
    """Return the samples of a JPEG stream as bytes."""
    from sudokucrypt.images.jpeg.file import read_stream_shape

    stream_row_count, *shape = read_stream_shape(data) or (0, 0, 0)
    if stream_row_count not in (rows, layout.piece[0]) or shape != [
        layout.piece[1],
        layout.channels,
    ]:
        raise source.report_damage("a JPEG stream in it differs in size from its strip or tile")
    if data.count(_JPEG_SCAN_MARKER) > MAX_SCANS:
        raise source.refuse_kind("a TIFF with JPEG streams of many scans")
    # Decoders show missing samples as gray, and only warn.
    if not data.rstrip(b"\0\xff").endswith(_JPEG_END_BYTE):
        raise source.report_cut()
    stored_color_space = {d.YCBCR: "YCBCR", d.RGB: "RGB"}.get(layout.photometric, "GRAYSCALE")
    color_space_options = {
        "colorspace": stored_color_space,
        "outcolorspace": "RGB" if stored_color_space == "YCBCR" else stored_color_space,
    }
    codec = _load_codec(source, d.JPEG)
    pixels = source.call(codec, data, tables=layout.tables or None, **color_space_options)
    if pixels.size != stream_row_count * layout.bytes_per_row or pixels.dtype != np.uint8:
        raise source.report_damage("a JPEG stream in it differs in size from its strip or tile")
    samples: memoryview = np.ascontiguousarray(pixels).reshape(-1).data
    return samples


def _iterate_blocks(layout: _Layout, data: Buffer, rows: int) -> Iterator[tuple[int, AnyArray]]:
    """Yield blocks of rows: the number of the first row, and the samples of the rows."""
    size = layout.bytes_per_row
    step = max(1, _CHUNK_BYTES // size)
    for first_row in range(0, rows, step):
        count = min(step, rows - first_row)
        lines = np.frombuffer(data, np.uint8, count * size, first_row * size).reshape(count, size)
        yield first_row, _unpack_samples(layout, lines)


def _unpack_samples(layout: _Layout, lines: AnyArray) -> AnyArray:
    """Return the samples in rows of bytes, of shape (rows, columns, channels)."""
    shape = (len(lines), layout.piece[1], layout.channels_per_piece)
    size = layout.bits // 8
    if layout.bits == 1:
        return unpack_bits(lines, 1, shape[1] * shape[2]).reshape(shape)
    if layout.predictor == d.FLOAT_DIFFERENCES:
        # A row has the highest bytes of all samples first, then the second highest, and so on.
        differences = lines.reshape(len(lines), -1, layout.channels_per_piece)
        sums = np.cumsum(differences, axis=1, dtype=np.uint8)
        planes = sums.reshape(len(lines), size, -1).swapaxes(1, 2)
        return np.ascontiguousarray(planes).view(f">f{size}").reshape(shape)
    if layout.predictor == d.DIFFERENCES:
        # Floats, too, are added as integers of the same bits; sums wrap around.
        unsigned_type = np.dtype(f"u{size}")
        samples = (
            lines.view(unsigned_type.newbyteorder(layout.order))
            .reshape(shape)
            .astype(unsigned_type)
        )
        return np.cumsum(samples, axis=1, dtype=unsigned_type, out=samples).view(layout.dtype)
    return lines.view(layout.dtype.newbyteorder(layout.order)).reshape(shape)


def _look_up_colors(source: Source, page: Directory, pixels: AnyArray) -> AnyArray:
    """Return the colors of samples of 8 bits, which are indexes of the palette of a page.

    The palette has 16 bits a channel: all reds, then all greens, then all blues.
    """
    color_map = page.get_integers(d.COLOR_MAP)
    if len(color_map) != 3 * 256 or max(color_map) > 65535:
        raise source.report_damage("its palette has another size than its samples need")
    colors = np.array(color_map, dtype=np.uint16).reshape(3, -1).T
    # Programs that store 8-bit colors in 16 bits repeat the 8 bits, or set the lower 8 bits to
    # zero.
    if (colors % _WIDENING_FACTOR == 0).all() or not (colors & 0xFF).any():
        colors = (colors >> 8).astype(np.uint8)
    rows, columns = pixels.shape
    source.shape(rows, columns, 3, width=colors.dtype.itemsize)
    return np.ascontiguousarray(colors)[pixels]
