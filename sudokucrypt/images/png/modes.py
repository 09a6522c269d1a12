"""PNG modes: what the chunks IHDR, PLTE and tRNS say of samples, and the samples that they mean."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.picture import NATURAL_MODES, Mode, Picture, channels
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

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
    """What the IHDR chunk says: sides in pixels, bits per sample, PNG's number for the color."""

    rows: int
    columns: int
    bits: int
    color_type: int
    interlaced: bool = False

    @classmethod
    def of(cls, picture: Picture) -> "SampleFormat":
        """Return the layout in which a picture without unsupported content is written."""
        rows, columns = picture.pixels.shape[:2]
        return cls(rows, columns, picture.depth, _COLOR_TYPES[picture.mode])

    @classmethod
    def read(cls, source: Source, kind: bytes, body: memoryview) -> "SampleFormat":
        """Return what the first chunk says, if it is an IHDR chunk that PNG allows."""
        if kind != b"IHDR" or len(body) != 13:
            raise source.damaged("it does not begin with an IHDR chunk")
        columns, rows, bits, color_type, compression, filters, interlace = struct.unpack(
            ">IIBBBBB", body
        )
        if compression or filters or interlace > 1:
            raise source.damaged("its IHDR chunk names an unknown method")
        if bits not in _DEPTHS.get(color_type, ()):
            raise source.damaged("its IHDR chunk names an unknown mode")
        if max(rows, columns) > MAX_SIDE:
            raise source.damaged("its IHDR chunk names too long a side")
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
    """Return the lines of bytes that hold these samples, those of bool one bit each."""
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
