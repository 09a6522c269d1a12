"""How the samples of a TIFF page are stored: what its tags say, checked before anything is read."""

from bisect import bisect_right
from typing import Any, Final

import numpy as np

from sudokucrypt.images.picture import Mode
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.directory import ByteOrder, Directory

MODE_CHANNELS: Final[dict[Mode, int]] = {
    "gray": 1,
    "gray-alpha": 2,
    "palette": 1,
    "rgb": 3,
    "rgba": 4,
    "cmyk": 4,
}
_MODES: Final[dict[int, tuple[Mode, Mode | None]]] = {
    t.WHITE_IS_ZERO: ("gray", "gray-alpha"),
    t.BLACK_IS_ZERO: ("gray", "gray-alpha"),
    t.RGB: ("rgb", "rgba"),
    t.PALETTE: ("palette", None),
    t.CMYK: ("cmyk", None),
    t.YCBCR: ("rgb", None),
    t.CIELAB: ("rgb", None),
    t.ICCLAB: ("rgb", None),
}
_COLORS = {4: "mask", 10: "ITULab"}
_READABLE: Final = (t.NOT_COMPRESSED, *t.FAX, t.JPEG, t.PACKBITS, *t.PREDICTABLE)
# Of scanners and cameras: samples that follow each other in a row without regard to bytes.
_PACKED: Final = range(9, 16)
# Pixels that tiles may have beyond the picture before they count as pixels of it.
_FREE_PADDING = 2**16


class SampleLayout:
    """What a page is made of.

    Tags that contradict each other, or name parts outside the file, are damage; samples that
    would have to be converted are not supported.
    """

    def __init__(self, source: Source, page: Directory, order: ByteOrder) -> None:
        self._source, self._page, self.order = source, page, order
        self.rows, self.columns = page.integer(t.ROWS), page.integer(t.COLUMNS)
        self.channels = page.integer(t.CHANNELS, 1)
        self.photometric = page.integer(t.PHOTOMETRIC)
        self.compression = page.integer(t.COMPRESSION, t.NOT_COMPRESSED)
        if self.compression not in _READABLE:
            raise source.unsupported(f"a TIFF with compression {self.compression}")
        if page.integer(t.SLICES, 1) != 1:
            raise source.unsupported("a TIFF of a volume")
        self.mode, self.extra_samples = self._read_mode()
        # Channels that are kept, the first ones.
        self.used = MODE_CHANNELS[self.mode]
        self.lab = self.photometric in (t.CIELAB, t.ICCLAB)
        self.bits, self.kind = self._read_type()
        # Whether samples take more bits than a byte has, and fewer than two.
        self.packed = self.bits in _PACKED
        # Whether each channel is stored by itself, and the channels of a piece.
        self.separate = self.channels > 1 and page.integer(t.PLANES, 1) == 2
        self.width = 1 if self.separate else self.channels
        predictable = self.compression in t.PREDICTABLE
        self.predictor = page.integer(t.PREDICTOR, 1) if predictable else 1
        # The variant of fax compression, and what the JPEG streams of a page share.
        variant = {t.CCITT_G3: t.T4_OPTIONS, t.CCITT_G4: t.T6_OPTIONS}.get(self.compression)
        self.options = page.integer(variant, 0) if variant else 0
        tables = page.fields(t.JPEG_TABLES) if self.compression == t.JPEG else []
        self.tables = b"".join(field.data for field in tables)
        if self.rows < 1 or self.columns < 1:
            raise source.damaged("it has no pixels")
        # The pieces of a picture are strips, or tiles, which are whole at the edges.
        self.tiled = t.TILE_OFFSETS in page
        self.piece_rows, self.piece_columns = self._read_piece()
        self.reversed_bits = page.integer(t.FILL_ORDER, 1) == 2
        self.segments = self._read_segments()
        self.subsampling = self._read_subsampling()
        self._require_decodable()

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of a piece, or of one row of its groups, when it is not compressed."""
        if self.subsampling:
            across, down = self.subsampling
            return -(-self.piece_columns // across) * (across * down + 2)
        return (self.piece_columns * self.width * self.bits + 7) // 8

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the samples in memory."""
        return np.dtype("bool" if self.bits == 1 else f"{self.kind}{(self.bits + 7) // 8}")

    def _read_mode(self) -> tuple[Mode, tuple[int, ...]]:
        """Return the mode, and what the file calls the last channel if that is no color."""
        if self.photometric not in _MODES:
            kind = _COLORS.get(self.photometric, f"photometric {self.photometric}")
            raise self._source.unsupported(f"a TIFF with {kind} samples")
        plain, with_alpha = _MODES[self.photometric]
        extra = self._page.integers(t.EXTRA_SAMPLES, ())
        more = self.channels - MODE_CHANNELS[plain]
        known = len(extra) <= max(more, 0) and all(kind <= t.PLAIN_ALPHA for kind in extra)
        if known and more == 0:
            mode = plain
        elif known and more == 1 and with_alpha is not None:
            mode = with_alpha
        elif known and more > 0 and plain in ("rgb", "cmyk"):
            mode = with_alpha if with_alpha is not None and extra[:1] in ((1,), (2,)) else plain
            extra = extra[: MODE_CHANNELS[mode] - MODE_CHANNELS[plain]]
        else:
            raise self._source.unsupported(
                "a TIFF with channels that are not gray and one more, RGB, a palette or CMYK"
            )
        if mode == "cmyk" and self._page.integer(t.INK_SET, 1) != 1:
            raise self._source.unsupported("a TIFF with inks that are not CMYK")
        return mode, extra

    def _read_type(self) -> tuple[int, str]:
        """Return bits and kind of the samples, which all channels must share."""
        bits, formats = (self._page.integers(tag, (1,)) for tag in (t.BITS, t.SAMPLE_FORMAT))
        if len(set(formats)) != 1 or formats[0] not in t.KINDS:
            raise self._source.unsupported("a TIFF with samples that are not plain numbers")
        kind = t.KINDS[formats[0]]
        depths = (*t.DEPTHS[kind], *(_PACKED if kind == "u" else ()))
        if len(bits) not in (1, self.channels) or len(set(bits)) != 1 or bits[0] not in depths:
            words = {"u": "", "i": "signed ", "f": "floating-point "}
            given = "/".join(str(n) for n in sorted(set(bits)))
            raise self._source.unsupported(f"a TIFF with {given}-bit {words[kind]}samples")
        return bits[0], kind

    def _read_subsampling(self) -> tuple[int, int] | None:
        """Return how many columns and rows share their color in samples that are no JPEG's."""
        if self.photometric != t.YCBCR or self.compression == t.JPEG:
            return None
        steps = self._page.integers(t.SUBSAMPLING, (2, 2))
        if len(steps) != 2 or not set(steps) <= {1, 2, 4}:
            raise self._source.damaged("its colors are shared by an unknown number of pixels")
        return steps[0], steps[1]

    def _read_piece(self) -> tuple[int, int]:
        """Return rows and columns of a strip or tile, and count the pixels to read."""
        rows, columns = self.rows, self.columns
        pixel_bytes = self.channels * ((self.bits + 7) // 8)
        if not self.tiled:
            strip_rows = self._page.integer(t.ROWS_PER_STRIP, rows)
            if not strip_rows:
                raise self._source.damaged("its strips have no rows")
            self._source.shape(rows, columns, pixel_bytes)
            return min(strip_rows, rows), columns
        tile = self._page.integer(t.TILE_ROWS), self._page.integer(t.TILE_COLUMNS)
        if not all(tile):
            raise self._source.damaged("its tiles have no pixels")
        padded = (-(-rows // tile[0]) * tile[0], -(-columns // tile[1]) * tile[1])
        # Huge tiles around a small picture are as much work as a huge picture.
        generous = padded[0] * padded[1] > 4 * rows * columns + _FREE_PADDING
        self._source.shape(*(padded if generous else (rows, columns)), pixel_bytes)
        return tile

    def _read_segments(self) -> tuple[tuple[int, int], ...]:
        """Return offset and bytes of each strip or tile; all must lie in the file."""
        count = -(-self.rows // self.piece_rows) * -(-self.columns // self.piece_columns)
        count *= self.channels if self.separate else 1
        tags = (t.TILE_OFFSETS, t.TILE_SIZES) if self.tiled else (t.STRIP_OFFSETS, t.STRIP_SIZES)
        offsets, sizes = self._page.integers(tags[0]), self._page.integers(tags[1], ())
        if not any(sizes):  # some programs leave them out, and each ends where another begins
            ends = sorted({*offsets, len(self._source.data)})
            sizes = tuple(ends[bisect_right(ends, start) % len(ends)] - start for start in offsets)
        if len(offsets) != count or len(sizes) != count or not all(offsets) or not all(sizes):
            raise self._source.damaged("parts of the picture are missing")
        segments = tuple(zip(offsets, sizes, strict=True))
        if any(offset + size > len(self._source.data) for offset, size in segments):
            raise self._source.cut_short()
        return segments

    def _require_decodable(self) -> None:
        """Refuse combinations that mean nothing, or that no codec is known for."""
        bits, kind, compression, mode = self.bits, self.kind, self.compression, self.mode
        if compression in t.FAX and (bits, self.channels, kind) != (1, 1, "u"):
            raise self._source.damaged("a compression for 1-bit samples is used for others")
        plain_bytes = (bits, kind, self.separate) == (8, "u", False)
        three = (self.channels, self.predictor) == (3, 1)
        all_used = self.used == self.channels and not self.extra_samples
        colored = mode in ("gray", "rgb", "cmyk") and not self.lab
        known = (1, t.DIFFERENCES, t.FLOAT_DIFFERENCES) if kind == "f" else (1, t.DIFFERENCES)
        differences = self.predictor == t.DIFFERENCES and (bits < 8 or self.packed)
        refusals = {
            "a rare variant of fax compression": self.options & ~5
            or (compression == t.CCITT_G4 and self.options),
            "JPEG compression that is not gray, RGB or CMYK of 8 bits": compression == t.JPEG
            and not (plain_bytes and all_used and colored),
            "YCbCr samples that are not three of 8 bits together": self.subsampling
            and not (plain_bytes and three),
            f"CIELab samples of {bits} bits": self.lab and (bits not in (8, 16) or kind == "f"),
            "white-is-zero samples that are not unsigned": self.photometric == t.WHITE_IS_ZERO
            and kind != "u",
            f"a palette for {bits}-bit samples": mode == "palette"
            and (bits > 16 or self.packed or kind != "u"),
            f"predictor {self.predictor}": self.predictor not in known or differences,
        }
        for reason, refused in refusals.items():
            if refused:
                raise self._source.unsupported(f"a TIFF with {reason}")
