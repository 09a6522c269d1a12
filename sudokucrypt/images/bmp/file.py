"""BMP: palettes, gray, RGB and RGBA, read only.

Rows stand from the bottom up and fill whole groups of four bytes; pixels are blue, green, red.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.bmp.header import RLE4, RLE8, Header, read_header
from sudokucrypt.images.bmp.runs import expand_runs
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Frame, Palette, Picture
from sudokucrypt.images.tiff.bits import unpack_bits

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

FORMAT: Final = "BMP"

# Palettes that mean plain gray: every shade of 8 bits, or black and white.
_GRAY_RAMPS: Final = {
    8: bytes(shade for shade in range(256) for _ in range(3)),
    1: b"\0\0\0\xff\xff\xff",
}


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a BMP."""
    return data.startswith(b"BM")


def decode(source: Source) -> Picture:
    """Read a BMP; see `read_picture` for what is raised.

    Notes
    -----
    Pixels of 16 bits have channels of 5 or 6 bits. They are spread over 0..255 as Pillow does it,
    ``value * 255 // largest``: no other reader shows the narrow ones either.
    """
    header = read_header(source)
    shape = source.shape(header.rows, header.columns, 1)
    left_out = {"ICC profile": header.linked_profile}
    end = header.offset + header.rows * _stride(header)
    if header.compression in (RLE8, RLE4):
        codes = memoryview(source.data)[header.offset :]
        stored = expand_runs(source, codes, header.bits, shape)
        frame = _palette_frame(header, stored)
    else:
        if end > len(source.data):
            raise source.cut_short()
        # Some writers round the file up to a multiple of four bytes as well.
        more = 3 + len(header.profile or b"")
        left_out["data after the picture"] = len(source.data) > end + more
        lines = np.frombuffer(source.data, np.uint8, end - header.offset, header.offset)
        lines = lines.reshape(header.rows, -1)
        if header.bits <= 8:
            frame = _palette_frame(header, _narrow(header, lines))
        else:
            pixels, unnamed = _channels(source, header, lines)
            # By the letter these bits mean nothing, and Pillow takes no notice of them; but many
            # programs keep alpha there.
            left_out["undeclared alpha channel"] = unnamed
            frame = Frame(pixels=pixels, mode="rgb" if pixels.shape[2] == 3 else "rgba")
    metadata = Metadata(icc=header.profile, resolution=header.resolution)
    upright = frame.pixels[::-1] if header.upside_down else frame.pixels
    frame = Frame(
        pixels=np.require(upright, requirements=("C", "W")),
        mode=frame.mode,
        bits=frame.bits,
        palette=frame.palette,
        metadata=metadata,
    )
    names = tuple(name for name, there in left_out.items() if there)
    return Picture(frames=(frame,), format=FORMAT, left_out=names)


def _stride(header: Header) -> int:
    """Return the bytes of a row with its filling."""
    return (header.columns * header.bits + 31) // 32 * 4


def _narrow(header: Header, lines: AnyArray) -> AnyArray:
    """Return samples of up to 8 bits from rows of bytes."""
    if header.bits == 8:
        return lines[:, : header.columns]
    return unpack_bits(lines, header.bits, header.columns)


def _palette_frame(header: Header, samples: AnyArray) -> Frame:
    """Return a frame of numbered colors, or of gray if the colors are all shades in order."""
    if header.palette == _GRAY_RAMPS.get(header.bits):
        return Frame(pixels=samples, mode="gray")
    # Readers show colors that are missing in black.
    colors = header.palette.ljust(3 * (int(samples.max()) + 1), b"\0")
    bits = header.bits if header.bits in (2, 4) else None
    return Frame(pixels=samples, mode="palette", bits=bits, palette=Palette(colors=colors))


def _channels(source: Source, header: Header, lines: AnyArray) -> tuple[AnyArray, bool]:
    """Return RGB or RGBA, and whether bits that have no meaning differ from pixel to pixel."""
    masks = header.masks if header.masks[3] else header.masks[:3]
    pixels = np.empty((header.rows, header.columns, len(masks)), dtype=np.uint8)
    if header.bits == 24:
        stored = lines[:, : 3 * header.columns].reshape(*pixels.shape)
        pixels[:] = stored[..., ::-1]
        return pixels, False
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
