"""PNG modes: what the chunks IHDR, PLTE and tRNS say of samples, and how they say it of a frame."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from sudokucrypt.images.bits import pack_bits, unpack_bits
from sudokucrypt.images.picture import Frame, Mode, Palette, channels
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

MAX_SIDE: Final = 2**31 - 1  # most rows or columns of a PNG
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_MODES: dict[int, Mode] = {0: "gray", 2: "rgb", 3: "palette", 4: "gray-alpha", 6: "rgba"}
_COLOR_TYPES = {mode: color_type for color_type, mode in _MODES.items()}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
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
    def of(cls, frame: Frame) -> "SampleFormat":
        """Return the layout in which a frame without unsupported content is written."""
        rows, columns = frame.pixels.shape[:2]
        return cls(rows, columns, frame.depth, _COLOR_TYPES[frame.mode])

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
    def mode(self) -> Mode:
        """What the channels of a pixel are."""
        return _MODES[self.color_type]

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


def bytes_of(pixels: AnyArray, bits: int) -> AnyArray:
    """Return the lines of bytes that hold these samples of this many bits each."""
    if bits < 8:
        return pack_bits(pixels, bits)
    swapped = pixels.astype(pixels.dtype.newbyteorder(">"), copy=False)
    return np.ascontiguousarray(swapped).reshape(len(pixels), -1).view(np.uint8)


def is_palette(body: bytes | memoryview) -> bool:
    """Return whether this is the body of a PLTE chunk."""
    return 0 < len(body) <= 3 * _MOST_COLORS and len(body) % 3 == 0


def fits_transparency(
    layout: SampleFormat, colors: bytes | memoryview | None, body: memoryview
) -> bool:
    """Return whether this is the body of a tRNS chunk for the mode and the palette read so far."""
    if layout.mode == "palette":
        return colors is not None and len(body) <= len(colors) // 3
    return layout.mode in ("gray", "rgb") and len(body) == 2 * layout.channels


def read_meaning(
    layout: SampleFormat, colors: memoryview | None, transparency: memoryview | None
) -> tuple[Palette | None, tuple[int, ...] | None]:
    """Return the palette and the transparent pixel value that checked PLTE and tRNS bodies name.

    A picture may number colors that its palette does not have. Other programs show them as black;
    here, the numbers are kept.
    """
    if layout.mode == "palette":
        return Palette(colors=bytes(colors or b""), alphas=bytes(transparency or b"")), None
    if transparency is None:
        return None, None
    # Only as many bits count as a sample has.
    values = struct.unpack(f">{layout.channels}H", transparency)
    return None, tuple(value % 2**layout.bits for value in values)


def meaning_chunks(frame: Frame) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks PLTE and tRNS as far as the frame needs them."""
    if frame.palette is not None:
        yield b"PLTE", frame.palette.colors
        if frame.palette.alphas:
            yield b"tRNS", frame.palette.alphas
    elif frame.transparent is not None:
        yield b"tRNS", struct.pack(f">{len(frame.transparent)}H", *frame.transparent)


def unsupported_reasons(frame: Frame) -> Iterator[str]:
    """Yield what of a frame PNG cannot hold; what follows the first need not make sense."""
    pixels, mode = frame.pixels, frame.mode
    if mode not in _COLOR_TYPES:
        yield f"{mode} pictures"
    color_type = _COLOR_TYPES[mode]
    if channels(pixels) != _CHANNELS[color_type]:
        yield f"{mode} pictures of shape {pixels.shape}"
    if pixels.dtype.kind not in "bu" or frame.depth not in _DEPTHS[color_type]:
        yield f"{mode} pictures with {frame.depth}-bit samples of type {pixels.dtype}"
    if frame.bits is not None and (pixels.dtype != np.uint8 or pixels.max() >> frame.bits):
        yield f"samples of more than the {frame.bits} bits that they should have"
    if max(pixels.shape[:2]) > MAX_SIDE:
        yield f"sides of over {MAX_SIDE} pixels"
    if (mode == "palette") != (frame.palette is not None):
        yield f"{mode} pictures with{'out' if mode == 'palette' else ''} a palette"
    if frame.palette is not None:
        yield from _palette_obstacles(frame.palette)
    if frame.transparent is not None:
        yield from _transparency_reasons(frame, frame.transparent)


def _transparency_reasons(frame: Frame, color: tuple[int, ...]) -> Iterator[str]:
    if frame.mode not in ("gray", "rgb"):
        yield f"a transparent color in {frame.mode} pictures"
    fits = all(value in range(2**frame.depth) for value in color)
    if len(color) != _CHANNELS[_COLOR_TYPES[frame.mode]] or not fits:
        yield f"{color} as transparent color"


def _palette_obstacles(palette: Palette) -> Iterator[str]:
    if palette.wide:
        yield "palettes with 16 bits a color"
    if not is_palette(palette.colors) or len(palette.alphas) > len(palette.colors) // 3:
        yield "palettes of this size"
