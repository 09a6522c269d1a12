"""BMP: palettes, gray, RGB and RGBA.

::

    "BM" size ... offset | size columns rows planes bits compression ... | masks | palette | samples

Rows stand from the bottom up and fill whole groups of four bytes; pixels are blue, green, red.
"""

import struct
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.picture import Frame, Metadata, Palette, Picture, Resolution
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

FILE_HEADER: Final = 14  # bytes in front of the header that says what the samples are
MASKED: Final = 3  # compression of pixels whose channels are where masks say
_RAW, _RLE8, _RLE4, _MASKED_WITH_ALPHA = 0, 1, 2, 6
_CORE, _WINDOWS, _OS2, _LARGEST = 12, 40, 64, 124
_SIZES: Final = (_CORE, 16, _WINDOWS, 52, 56, _OS2, 108, _LARGEST)
_HAS_ALPHA_MASK: Final = (56, 108, 124)
_DEPTHS: Final = {
    _RAW: (1, 2, 4, 8, 16, 24, 32),
    _RLE8: (8,),
    _RLE4: (4,),
    MASKED: (16, 32),
    _MASKED_WITH_ALPHA: (16, 32),
}
_PLAIN_MASKS: Final = {16: (0x7C00, 0x03E0, 0x001F), 32: (0xFF0000, 0xFF00, 0xFF)}
_END_OF_ROW, _END, _MOVE = 0, 1, 2
_EMBEDDED, _LINKED = b"DEBM", b"KNIL"
# Palettes that mean plain gray: every shade of 8 bits, or black and white.
_GRAY_RAMPS: Final = {
    8: bytes(shade for shade in range(256) for _ in range(3)),
    1: b"\0\0\0\xff\xff\xff",
}


def decode(source: Source) -> Picture:
    """Read a BMP."""
    header = _Header(source)
    rows = abs(header.rows)
    shape = source.shape(rows, header.columns, 1 if header.bits <= 8 else 4)[:2]
    dropped = []
    end = header.offset + rows * header.stride
    if header.compression in (_RLE8, _RLE4):
        codes = memoryview(source.data)[header.offset :]
        frame = _palette_frame(header, _expand_runs(source, codes, header.bits, shape))
    else:
        if end > len(source.data):
            raise source.cut_short()
        # Some writers round the file up to a multiple of four bytes as well.
        if len(source.data) > end + 3 + len(header.profile or b""):
            dropped.append("data after the picture")
        lines = np.frombuffer(source.data, np.uint8, end - header.offset, header.offset)
        lines = lines.reshape(rows, -1)
        if header.bits <= 8:
            whole = header.bits == 8
            narrow = lines if whole else unpack_bits(lines, header.bits, header.columns)
            frame = _palette_frame(header, narrow[:, : header.columns])
        else:
            pixels, unnamed = _channels(source, header, lines)
            # By the letter these bits mean nothing; but many programs keep alpha there.
            dropped += ["undeclared alpha channel"] * unnamed
            frame = Frame(pixels=pixels, mode="rgb" if pixels.shape[2] == 3 else "rgba")
    upright = frame.pixels[::-1] if header.rows > 0 else frame.pixels
    pixels = np.require(upright, requirements=("C", "W"))
    metadata = Metadata(icc=header.profile, resolution=header.resolution)
    if header.size > _OS2 and source.data[70:74] == _LINKED:
        dropped.append("ICC profile")
    frame = replace(frame, pixels=pixels, metadata=metadata)
    return Picture(frames=(frame,), format="BMP", dropped=tuple(dropped))


class _Header:
    """What a BMP says of itself; a negative number of rows stands from the top down."""

    def __init__(self, source: Source) -> None:
        self.offset, self.size = _unpack(source, "<II", 10)
        if self.size not in _SIZES:
            raise source.damaged("its header has an unknown size")
        behind = FILE_HEADER + self.size
        if len(source.data) < behind:
            raise source.cut_short()
        sides = _unpack(source, "<HHHH" if self.size == _CORE else "<iiHH", 18)
        self.columns, self.rows, planes, self.bits = sides
        self.stride = (self.columns * self.bits + 31) // 32 * 4
        more = _unpack(source, "<IIiiI", 30) if self.size >= _WINDOWS else (_RAW, 0, 0, 0, 0)
        self.compression, _, across, down, used = more
        if self.compression not in _DEPTHS or (self.size == _OS2 and self.compression == MASKED):
            raise source.unsupported(f"a BMP with compression {self.compression}")
        if planes != 1 or self.bits not in _DEPTHS[self.compression]:
            raise source.damaged("its header names an unknown mode")
        self.masks: tuple[int, ...] = _PLAIN_MASKS.get(self.bits, ())
        if self.compression in (MASKED, _MASKED_WITH_ALPHA):
            # They follow a header of 40 bytes, and stand at the same place inside a longer one.
            has_alpha = self.size in _HAS_ALPHA_MASK or self.compression == _MASKED_WITH_ALPHA
            count = 4 if has_alpha else 3
            self.masks = _unpack(source, f"<{count}I", FILE_HEADER + _WINDOWS)
            behind = max(behind, FILE_HEADER + _WINDOWS + 4 * count)
        if self.offset < behind:
            raise source.damaged("its samples overlap its header")
        self.resolution = None
        if min(across, down) > 0:
            densities = {"columns": Fraction(across), "rows": Fraction(down)}
            self.resolution = Resolution(**densities, unit="meter")
        entry = 3 if self.size == _CORE else 4
        self.palette = b""
        if self.bits <= 8:
            most = 2**self.bits
            room = (len(source.data) - FILE_HEADER - self.size) // entry
            count = min(used or most, most, room)
            colors = np.frombuffer(source.data, np.uint8, count * entry, FILE_HEADER + self.size)
            self.palette = colors.reshape(-1, entry)[:, 2::-1].tobytes()
        if self.offset == behind:
            # So say writers that forget about the colors, and no reader takes them at their word.
            self.offset += len(self.palette) // 3 * entry
        # Some palettes reach into the samples: only these stand in front.
        self.colors = min(len(self.palette) // 3, (self.offset - behind) // entry)
        self.profile: bytes | None = None
        if self.size == _LARGEST and source.data[70:74] == _EMBEDDED:
            place, length = _unpack(source, "<II", FILE_HEADER + 112)
            place += FILE_HEADER
            if place + length > len(source.data):
                raise source.cut_short()
            self.profile = source.data[place : place + length] or None


def _unpack(source: Source, code: str, position: int) -> tuple[int, ...]:
    if position + struct.calcsize(code) > len(source.data):
        raise source.cut_short()
    return struct.unpack_from(code, source.data, position)


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
        # As Pillow does it; no other reader shows narrow channels either.
        levels = (np.arange(largest + 1) * 255 // largest).astype(np.uint8)
        for row, line in zip(pixels, values, strict=True):
            row[:, channel] = levels[(line & mask) >> shift]
    unnamed = values.dtype.type(2**header.bits - 1 - named)
    first = values[0, 0] & unnamed
    return pixels, bool(unnamed) and any(((line & unnamed) != first).any() for line in values)


def _expand_runs(source: Source, data: memoryview, bits: int, shape: tuple[int, ...]) -> AnyArray:
    """Return the samples of run lengths of 4 or 8 bits, in the order in which they are stored.

    They are pairs of count and color, and a count of zero says something else::

        3 7      three pixels of color 7; with 4 bits, 3 0x78 is 7 8 7
        0 0      end of the row        0 1      end of the picture
        0 2 r d  go right and down     0 n ...  n pixels as they are, filled up to two bytes

    Pixels that are passed over are 0, and runs that leave their row are cut: so does Pillow.
    """
    # No writer needs more codes: a move and a pixel for each pixel, and an end for each row.
    most = 6 * shape[0] * (shape[1] + 1)
    codes = np.frombuffer(data[:most], dtype=np.uint8)
    # Where counts of zero may stand, by whether codes begin at even or odd bytes.
    zeros = [np.flatnonzero(codes[start:-1:2] == 0) * 2 + start for start in (0, 1)]
    pixels = np.zeros(shape, dtype=np.uint8)
    position = row = column = 0
    while row < shape[0]:
        following = zeros[position % 2]
        index = int(np.searchsorted(following, position))
        escape = int(following[index]) if index < len(following) else len(codes)
        run = _runs(codes[position:escape], bits, shape[1] - column)
        pixels[row, column : column + len(run)] = run
        column += len(run)
        kind = _END if escape == len(codes) else int(codes[escape + 1])
        position = escape + 2
        if kind == _END:
            if row < shape[0] - 1 or column < shape[1]:
                raise source.cut_short()
            break
        if kind == _END_OF_ROW:
            row, column = row + 1, 0
        elif kind == _MOVE:
            if position + 2 > len(codes):
                raise source.cut_short()
            column = min(column + int(codes[position]), shape[1])
            row += int(codes[position + 1])
            position += 2
        else:
            size = (kind * bits + 7) // 8
            stored = codes[position : position + size]
            if len(stored) < size:
                raise source.cut_short()
            samples = stored if bits == 8 else unpack_bits(stored[np.newaxis], bits, kind)[0]
            part = samples[: shape[1] - column]
            pixels[row, column : column + len(part)] = part
            column += len(part)
            position += size + size % 2
    return pixels


def _runs(pairs: AnyArray, bits: int, most: int) -> AnyArray:
    """Return the pixels of count and color, count and color, ...; at most `most`."""
    pairs = pairs[: len(pairs) // 2 * 2].reshape(-1, 2)
    # Each run has a pixel or more: a row of them can stop at as many runs as it has pixels.
    counts, colors = pairs[:most, 0], pairs[:most, 1]
    if bits == 8:
        return np.repeat(colors, counts)[:most]
    lengths = counts.astype(np.int64)
    places = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    both = np.repeat(colors, lengths)
    return np.where(places % 2 == 0, both >> 4, both & 15).astype(np.uint8)[:most]
