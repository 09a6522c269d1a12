"""BMP: palettes, gray, RGB and RGBA.

::

    "BM" size ... offset | size columns rows planes bits compression ... | masks | palette | samples

Rows stand from the bottom up and fill whole groups of four bytes; pixels are blue, green, red.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.driver import Driver
from sudokucrypt.images.foreign.bmp_runs import expand_runs
from sudokucrypt.images.metadata import Metadata, Resolution
from sudokucrypt.images.picture import Frame, Palette, Picture
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

FILE_HEADER: Final = 14
"""Bytes in front of the header that says what the samples are."""
MASKED: Final = 3
"""Compression of pixels whose channels are where masks say."""

_RAW, _RLE8, _RLE4, _MASKED_WITH_ALPHA = 0, 1, 2, 6
_CORE, _WINDOWS, _OS2 = 12, 40, 64
_SIZES: Final = (_CORE, 16, _WINDOWS, 52, 56, _OS2, 108, 124)
_HAS_ALPHA_MASK: Final = (56, 108, 124)
_DEPTHS: Final = {
    _RAW: (1, 2, 4, 8, 16, 24, 32),
    _RLE8: (8,),
    _RLE4: (4,),
    MASKED: (16, 32),
    _MASKED_WITH_ALPHA: (16, 32),
}
_PLAIN_MASKS: Final = {16: (0x7C00, 0x03E0, 0x001F), 32: (0xFF0000, 0xFF00, 0xFF)}
_EMBEDDED, _LINKED = b"DEBM", b"KNIL"
# Palettes that mean plain gray: every shade of 8 bits, or black and white.
_GRAY_RAMPS: Final = {
    8: bytes(shade for shade in range(256) for _ in range(3)),
    1: b"\0\0\0\xff\xff\xff",
}


@dataclass(frozen=True, kw_only=True)
class _Header:
    """What a BMP says of itself; a negative number of rows stands from the top down.

    Some palettes reach into the samples: only `colors` of them stand in front.
    """

    size: int
    rows: int
    columns: int
    bits: int
    compression: int
    offset: int
    masks: tuple[int, ...] = ()
    palette: bytes = b""
    colors: int = 0
    metadata: Metadata = field(default_factory=Metadata)

    @property
    def stride(self) -> int:
        """Bytes of a row with its filling."""
        return (self.columns * self.bits + 31) // 32 * 4


def decode(source: Source) -> Picture:
    """Read a BMP; see `read_picture` for what is raised.

    Notes
    -----
    Pixels of 16 bits have channels of 5 or 6 bits. They are spread over 0..255 as Pillow does it,
    ``value * 255 // largest``: no other reader shows the narrow ones either.
    """
    header = _read_header(source)
    rows = abs(header.rows)
    shape = source.shape(rows, header.columns, 1 if header.bits <= 8 else 4)[:2]
    left_out = []
    end = header.offset + rows * header.stride
    if header.compression in (_RLE8, _RLE4):
        codes = memoryview(source.data)[header.offset :]
        frame = _palette_frame(header, expand_runs(source, codes, header.bits, shape))
    else:
        if end > len(source.data):
            raise source.cut_short()
        # Some writers round the file up to a multiple of four bytes as well.
        if len(source.data) > end + 3 + len(header.metadata.icc or b""):
            left_out.append("data after the picture")
        lines = np.frombuffer(source.data, np.uint8, end - header.offset, header.offset)
        lines = lines.reshape(rows, -1)
        if header.bits <= 8:
            frame = _palette_frame(header, _narrow(header, lines))
        else:
            pixels, unnamed = _channels(source, header, lines)
            # By the letter these bits mean nothing; but many programs keep alpha there.
            left_out += ["undeclared alpha channel"] * unnamed
            frame = Frame(pixels=pixels, mode="rgb" if pixels.shape[2] == 3 else "rgba")
    upright = frame.pixels[::-1] if header.rows > 0 else frame.pixels
    pixels = np.require(upright, requirements=("C", "W"))
    frame = replace(frame, pixels=pixels, metadata=header.metadata)
    if header.size > _OS2 and source.data[70:74] == _LINKED:
        left_out.append("ICC profile")
    return Picture(frames=(frame,), format="BMP", left_out=tuple(left_out))


def _read_header(source: Source) -> _Header:
    offset, size = _unpack(source, "<II", 10)
    if size not in _SIZES:
        raise source.damaged("its header has an unknown size")
    if len(source.data) < FILE_HEADER + size:
        raise source.cut_short()
    sides = _unpack(source, "<HHHH" if size == _CORE else "<iiHH", 18)
    columns, rows, planes, bits = sides
    compression, _, across, down, used = (
        _unpack(source, "<IIiiI", 30) if size >= _WINDOWS else (_RAW, 0, 0, 0, 0)
    )
    if compression not in _DEPTHS or (size == _OS2 and compression == MASKED):
        raise source.unsupported(f"a BMP with compression {compression}")
    if planes != 1 or bits not in _DEPTHS[compression]:
        raise source.damaged("its header names an unknown mode")
    masks: tuple[int, ...] = _PLAIN_MASKS.get(bits, ())
    behind = FILE_HEADER + size
    if compression in (MASKED, _MASKED_WITH_ALPHA):
        # The masks follow a header of 40 bytes, and stand at the same place inside a longer one.
        count = 4 if size in _HAS_ALPHA_MASK or compression == _MASKED_WITH_ALPHA else 3
        masks = _unpack(source, f"<{count}I", FILE_HEADER + _WINDOWS)
        behind = max(behind, FILE_HEADER + _WINDOWS + 4 * count)
    if offset < behind:
        raise source.damaged("its samples overlap its header")
    resolution = None
    if min(across, down) > 0:
        resolution = Resolution(columns=Fraction(across), rows=Fraction(down), unit="meter")
    palette = _read_palette(source, size, bits, used) if bits <= 8 else b""
    entry = 3 if size == _CORE else 4
    least = abs(rows) * ((columns * bits + 31) // 32 * 4) if compression == _RAW else 1
    shifted = behind + len(palette) // 3 * entry
    if palette and offset == behind and shifted + least <= len(source.data):
        # So say writers that forget about the colors, and no reader takes them at their word.
        offset = shifted
    return _Header(
        size=size,
        rows=rows,
        columns=columns,
        bits=bits,
        compression=compression,
        offset=offset,
        masks=masks,
        palette=palette,
        colors=min(len(palette) // 3, (offset - behind) // entry),
        metadata=Metadata(icc=_read_profile(source, size), resolution=resolution),
    )


def _read_palette(source: Source, size: int, bits: int, used: int) -> bytes:
    """Return red, green and blue of each color, as far as the file goes."""
    entry = 3 if size == _CORE else 4
    start = FILE_HEADER + size
    stored = source.data[start : start + min(used or 2**bits, 2**bits) * entry]
    count = len(stored) // entry
    colors = bytearray(3 * count)
    for channel in range(3):
        colors[channel::3] = stored[2 - channel : count * entry : entry]
    return bytes(colors)


def _read_profile(source: Source, size: int) -> bytes | None:
    """Return the color profile in the file."""
    if size != max(_SIZES) or source.data[70:74] != _EMBEDDED:
        return None
    place, length = _unpack(source, "<II", FILE_HEADER + 112)
    place += FILE_HEADER
    if place + length > len(source.data):
        raise source.cut_short()
    return source.data[place : place + length] or None


def _unpack(source: Source, code: str, position: int) -> tuple[int, ...]:
    if position + struct.calcsize(code) > len(source.data):
        raise source.cut_short()
    return struct.unpack_from(code, source.data, position)


def _narrow(header: _Header, lines: AnyArray) -> AnyArray:
    """Return samples of up to 8 bits from rows of bytes."""
    if header.bits == 8:
        return lines[:, : header.columns]
    return unpack_bits(lines, header.bits, header.columns)


def _palette_frame(header: _Header, samples: AnyArray) -> Frame:
    """Return a frame of numbered colors, or of gray if the colors are all shades in order."""
    if header.palette == _GRAY_RAMPS.get(header.bits):
        return Frame(pixels=samples, mode="gray")
    # Readers show colors that are missing in black.
    needed = int(samples.max()) + 1
    colors = header.palette[: 3 * max(header.colors, needed)].ljust(3 * needed, b"\0")
    bits = header.bits if header.bits in (2, 4) else None
    return Frame(pixels=samples, mode="palette", bits=bits, palette=Palette(colors=colors))


def _channels(source: Source, header: _Header, lines: AnyArray) -> tuple[AnyArray, bool]:
    """Return RGB or RGBA, and whether bits that have no meaning differ from pixel to pixel."""
    if header.bits == 24:
        stored = lines[:, : 3 * header.columns].reshape(len(lines), header.columns, 3)
        return stored[..., ::-1], False
    masks = header.masks if header.masks[-1] else header.masks[:3]
    pixels = np.empty((len(lines), header.columns, len(masks)), dtype=np.uint8)
    values = lines.view(f"<u{header.bits // 8}")[:, : header.columns]
    named = 0
    for channel, mask in enumerate(masks):
        shift = (mask & -mask).bit_length() - 1
        largest = mask >> max(shift, 0)
        if not mask or mask & named or largest & (largest + 1) or mask >= 2**header.bits:
            raise source.damaged("its channels share bits or have none")
        if largest > 255:
            raise source.unsupported("a BMP with channels of more than 8 bits")
        named |= mask
        levels = (np.arange(largest + 1) * 255 // largest).astype(np.uint8)
        for row, line in zip(pixels, values, strict=True):
            row[:, channel] = levels[(line & mask) >> shift]
    unnamed = values.dtype.type(2**header.bits - 1 - named)
    first = values[0, 0] & unnamed
    return pixels, bool(unnamed) and any(((line & unnamed) != first).any() for line in values)


DRIVER: Final = Driver(
    name="BMP",
    suffixes=(".bmp", ".dib"),
    matches=lambda data: data.startswith(b"BM"),
    decode=decode,
)
