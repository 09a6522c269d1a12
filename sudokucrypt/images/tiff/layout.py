"""How the samples of a TIFF page are stored: what its tags say, checked before anything is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sudokucrypt.images.picture import Mode
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff.directory import Directory, Order

# Tag numbers of the TIFF 6.0 specification.
COLUMNS, ROWS, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, CHANNELS, ROWS_PER_STRIP, STRIP_SIZES, PLANES = 273, 277, 278, 279, 284
PREDICTOR, COLOR_MAP, EXTRA_SAMPLES, SAMPLE_FORMAT = 317, 320, 338, 339
_T4_OPTIONS, _T6_OPTIONS, _JPEG_TABLES = 292, 293, 347
_TILE_COLUMNS, _TILE_ROWS, _TILE_OFFSETS, _TILE_SIZES, _INK_SET = 322, 323, 324, 325, 332
SUBSAMPLING, COLOR_MIXING, REFERENCE_LEVELS = 530, 529, 532
_SLICES: Final = 32997  # of a volume, as Silicon Graphics has it

NOT_COMPRESSED, CCITT_RLE, CCITT_G3, CCITT_G4, LZW, JPEG = 1, 2, 3, 4, 5, 7
DEFLATE, PACKBITS, OLD_DEFLATE, LZMA, ZSTD = 8, 32773, 32946, 34925, 50000
_CCITT: Final = (CCITT_RLE, CCITT_G3, CCITT_G4)
_PREDICTABLE: Final = (LZW, DEFLATE, OLD_DEFLATE, LZMA, ZSTD)
_READABLE: Final = (NOT_COMPRESSED, *_CCITT, JPEG, PACKBITS, *_PREDICTABLE)
DIFFERENCES, FLOAT_DIFFERENCES = 2, 3

WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE, CMYK, YCBCR, CIELAB, ICCLAB = 0, 1, 2, 3, 5, 6, 8, 9
_MODES: Final[dict[int, tuple[Mode, Mode | None]]] = {
    WHITE_IS_ZERO: ("gray", "gray-alpha"),
    BLACK_IS_ZERO: ("gray", "gray-alpha"),
    RGB: ("rgb", "rgba"),
    PALETTE: ("palette", None),
    CMYK: ("cmyk", None),
    YCBCR: ("rgb", None),
    CIELAB: ("rgb", None),
    ICCLAB: ("rgb", None),
}
MODE_CHANNELS: Final[dict[Mode, int]] = {
    "gray": 1,
    "gray-alpha": 2,
    "rgb": 3,
    "rgba": 4,
    "palette": 1,
    "cmyk": 4,
}
_COLORS = {4: "mask", 10: "ITULab", 32803: "raw sensor", 34892: "raw sensor"}
DEPTHS: Final = {"u": (1, 2, 4, 8, 16, 32, 64), "i": (8, 16, 32, 64), "f": (16, 32, 64)}
"""Bits of a sample, by NumPy's letter for its kind."""

# Of scanners and cameras: samples that follow each other in a row without regard to bytes.
_PACKED: Final = range(9, 16)
_KINDS = {1: "u", 2: "i", 3: "f"}
# Pixels that tiles may have beyond the picture before they count as pixels of it.
_FREE_PADDING = 2**16


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What a page is made of.

    Parameters
    ----------
    rows, columns, channels : int
        The picture.
    used : int
        Channels that are kept, the first ones.
    mode : str
        What they are.
    bits : int
        Bits of a sample.
    kind : {"u", "i", "f"}
        Unsigned, signed or floating samples.
    order : {"<", ">"}
        Byte order of the samples.
    photometric, compression, predictor : int
        TIFF's numbers.
    extra_samples : tuple of int
        What the file calls the channels beyond the colors: 1 alpha that colors are multiplied
        with, 2 plain alpha, 0 anything.
    reversed_bits : bool
        Whether the lowest bit of a byte is the first.
    separate : bool
        Whether each channel is stored by itself.
    piece_rows, piece_columns : int
        The sides of a strip or tile.
    tiled : bool
        Whether the pieces at the edges are stored whole.
    places : tuple of (int, int)
        Offset and bytes of each piece.
    options : int
        Variant of CCITT group 3.
    tables : bytes
        What the JPEG streams of a page share.
    subsampling : tuple of (int, int)
        Columns and rows that share their color where luminance is stored by itself.
    """

    rows: int
    columns: int
    channels: int
    used: int
    mode: Mode
    bits: int
    kind: str
    order: Order
    photometric: int
    compression: int
    predictor: int
    extra_samples: tuple[int, ...]
    reversed_bits: bool
    separate: bool
    piece_rows: int
    piece_columns: int
    tiled: bool
    places: tuple[tuple[int, int], ...]
    options: int
    tables: bytes
    subsampling: tuple[int, int] | None

    @property
    def width(self) -> int:
        """Channels of a piece."""
        return 1 if self.separate else self.channels

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of a piece, or of one row of its groups, when it is not compressed."""
        if self.subsampling:
            across, down = self.subsampling
            return -(-self.piece_columns // across) * (across * down + 2)
        return (self.piece_columns * self.width * self.bits + 7) // 8

    @property
    def packed(self) -> bool:
        """Whether samples take more bits than a byte has, and fewer than two."""
        return self.bits in _PACKED

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the samples in memory."""
        return np.dtype("bool" if self.bits == 1 else f"{self.kind}{(self.bits + 7) // 8}")


def read_layout(source: Source, page: Directory, order: Order) -> Layout:
    """Return how a page is stored.

    Raises
    ------
    UnsupportedError
        If its samples would have to be converted.
    InvalidImageError
        If the tags contradict each other or name parts outside the file.
    """
    rows, columns = page.integer(ROWS), page.integer(COLUMNS)
    channels = page.integer(CHANNELS, 1)
    photometric = page.integer(PHOTOMETRIC)
    compression = page.integer(COMPRESSION, NOT_COMPRESSED)
    if compression not in _READABLE:
        raise source.unsupported(f"a TIFF with compression {compression}")
    if page.integer(_SLICES, 1) != 1:
        raise source.unsupported("a TIFF of a volume")
    mode, used, extra_samples = _read_mode(source, page, photometric, channels)
    bits, kind = _read_type(source, page, channels)
    separate = channels > 1 and page.integer(PLANES, 1) == 2
    predictor = page.integer(PREDICTOR, 1) if compression in _PREDICTABLE else 1
    options = page.integer(_T4_OPTIONS, 0) if compression == CCITT_G3 else 0
    if compression == CCITT_G4:
        options = page.integer(_T6_OPTIONS, 0)
    tables = b"".join(f.data for f in page.fields(_JPEG_TABLES)) if compression == JPEG else b""
    if rows < 1 or columns < 1:
        raise source.damaged("it has no pixels")
    tiled = _TILE_OFFSETS in page
    size = channels * ((bits + 7) // 8)
    piece_rows, piece_columns = _read_piece(source, page, rows, columns, size=size)
    layout = Layout(
        rows=rows,
        columns=columns,
        channels=channels,
        used=used,
        mode=mode,
        bits=bits,
        kind=kind,
        order=order,
        photometric=photometric,
        compression=compression,
        predictor=predictor,
        extra_samples=extra_samples,
        reversed_bits=page.integer(FILL_ORDER, 1) == 2,
        separate=separate,
        piece_rows=piece_rows,
        piece_columns=piece_columns,
        tiled=tiled,
        places=_read_places(source, page, rows, columns, channels if separate else 1),
        options=options,
        tables=tables,
        subsampling=_read_subsampling(source, page, photometric, compression),
    )
    _require_decodable(source, layout)
    return layout


def _read_mode(
    source: Source, page: Directory, photometric: int, channels: int
) -> tuple[Mode, int, tuple[int, ...]]:
    """Return the mode, its channels, and what the file calls the last if that is no color."""
    if photometric not in _MODES:
        kind = _COLORS.get(photometric, f"photometric {photometric}")
        raise source.unsupported(f"a TIFF with {kind} samples")
    plain, with_alpha = _MODES[photometric]
    extra = page.integers(EXTRA_SAMPLES, ())
    more = channels - MODE_CHANNELS[plain]
    known = len(extra) <= max(more, 0) and all(kind <= 2 for kind in extra)
    if known and more == 0:
        mode = plain
    elif known and more == 1 and with_alpha is not None:
        mode = with_alpha
    elif known and more > 0 and plain in ("rgb", "cmyk"):
        mode = with_alpha if with_alpha is not None and extra[:1] in ((1,), (2,)) else plain
        extra = extra[: MODE_CHANNELS[mode] - MODE_CHANNELS[plain]]
    else:
        raise source.unsupported(
            "a TIFF with channels that are not gray and one more, RGB, a palette or CMYK"
        )
    if mode == "cmyk" and page.integer(_INK_SET, 1) != 1:
        raise source.unsupported("a TIFF with inks that are not CMYK")
    return mode, MODE_CHANNELS[mode], extra


def _read_type(source: Source, page: Directory, channels: int) -> tuple[int, str]:
    """Return bits and kind of the samples, which all channels must share."""
    bits, formats = page.integers(BITS, (1,)), page.integers(SAMPLE_FORMAT, (1,))
    if len(set(formats)) != 1 or formats[0] not in _KINDS:
        raise source.unsupported("a TIFF with samples that are not plain numbers")
    kind = _KINDS[formats[0]]
    depths = (*DEPTHS[kind], *(_PACKED if kind == "u" else ()))
    if len(bits) not in (1, channels) or len(set(bits)) != 1 or bits[0] not in depths:
        words = {"u": "", "i": "signed ", "f": "floating-point "}
        found = "/".join(str(n) for n in sorted(set(bits)))
        raise source.unsupported(f"a TIFF with {found}-bit {words[kind]}samples")
    return bits[0], kind


def _read_subsampling(
    source: Source, page: Directory, photometric: int, compression: int
) -> tuple[int, int] | None:
    """Return how many columns and rows share their color in samples that are no JPEG's."""
    if photometric != YCBCR or compression == JPEG:
        return None
    found = page.integers(SUBSAMPLING, (2, 2))
    if len(found) != 2 or not set(found) <= {1, 2, 4}:
        raise source.damaged("its colors are shared by an unknown number of pixels")
    return found[0], found[1]


def _read_piece(
    source: Source, page: Directory, rows: int, columns: int, *, size: int
) -> tuple[int, int]:
    """Return rows and columns of a strip or tile, and count the pixels that it takes to read.

    A pixel takes `size` bytes.
    """
    if _TILE_OFFSETS not in page:
        strip_rows = page.integer(ROWS_PER_STRIP, rows)
        if not strip_rows:
            raise source.damaged("its strips have no rows")
        source.shape(rows, columns, size)
        return min(strip_rows, rows), columns
    tile_rows, tile_columns = page.integer(_TILE_ROWS), page.integer(_TILE_COLUMNS)
    if not tile_rows or not tile_columns:
        raise source.damaged("its tiles have no pixels")
    padded = (-(-rows // tile_rows) * tile_rows, -(-columns // tile_columns) * tile_columns)
    # Huge tiles around a small picture are as much work as a huge picture.
    generous = padded[0] * padded[1] > 4 * rows * columns + _FREE_PADDING
    source.shape(*(padded if generous else (rows, columns)), size)
    return tile_rows, tile_columns


def _read_places(
    source: Source, page: Directory, rows: int, columns: int, planes: int
) -> tuple[tuple[int, int], ...]:
    """Return offset and bytes of each strip or tile; all must lie in the file."""
    if _TILE_OFFSETS in page:
        across = -(-columns // page.integer(_TILE_COLUMNS))
        count = -(-rows // page.integer(_TILE_ROWS)) * across * planes
        offsets, sizes = page.integers(_TILE_OFFSETS), page.integers(_TILE_SIZES)
    else:
        count = -(-rows // page.integer(ROWS_PER_STRIP, rows)) * planes
        offsets, sizes = page.integers(STRIP_OFFSETS), page.integers(STRIP_SIZES)
    if len(offsets) != count or len(sizes) != count or not all(offsets) or not all(sizes):
        raise source.damaged("parts of the picture are missing")
    places = tuple(zip(offsets, sizes, strict=True))
    if any(offset + size > len(source.data) for offset, size in places):
        raise source.cut_short()
    return places


def _require_decodable(source: Source, layout: Layout) -> None:
    """Refuse combinations that mean nothing, or that no codec is known for."""
    bits, compression = layout.bits, layout.compression
    if compression in _CCITT and (bits != 1 or layout.channels != 1 or layout.kind != "u"):
        raise source.damaged("a compression for 1-bit samples is used for others")
    if layout.options & ~5 or (compression == CCITT_G4 and layout.options):
        raise source.unsupported("a TIFF with a rare variant of fax compression")
    if compression == JPEG and (
        bits != 8
        or layout.kind != "u"
        or layout.separate
        or layout.extra_samples
        or layout.used != layout.channels
        or layout.mode not in ("gray", "rgb", "cmyk")
        or layout.photometric in (CIELAB, ICCLAB)
    ):
        raise source.unsupported(
            "a TIFF with JPEG compression that is not gray, RGB or CMYK of 8 bits"
        )
    if layout.subsampling and (
        (bits, layout.kind, layout.channels, layout.predictor) != (8, "u", 3, 1) or layout.separate
    ):
        raise source.unsupported("a TIFF with YCbCr samples that are not three of 8 bits together")
    if layout.photometric in (CIELAB, ICCLAB) and (bits not in (8, 16) or layout.kind == "f"):
        raise source.unsupported(f"a TIFF with CIELab samples of {bits} bits")
    if layout.packed and (layout.mode == "palette" or layout.photometric == YCBCR):
        raise source.unsupported(f"a TIFF with a palette for {bits}-bit samples")
    if layout.photometric == WHITE_IS_ZERO and layout.kind != "u":
        raise source.unsupported("a TIFF with white-is-zero samples that are not unsigned")
    if layout.mode == "palette" and (bits > 16 or layout.kind != "u"):
        raise source.unsupported(f"a TIFF with a palette for {bits}-bit samples")
    known = (1, DIFFERENCES, FLOAT_DIFFERENCES) if layout.kind == "f" else (1, DIFFERENCES)
    if layout.predictor not in known or (
        layout.predictor == DIFFERENCES and (bits < 8 or layout.packed)
    ):
        raise source.unsupported(f"a TIFF with predictor {layout.predictor}")
