"""Bitmaps and icons of Windows, which Pillow decodes.

::

    "BM" size ... offset | size columns rows planes bits compression ... | masks | palette | samples
    0 1 count | columns rows colors 0 planes bits size offset | ... | PNG or half a BMP

Run lengths are not read: Pillow fills what such a file lacks with black and says nothing.
"""

import struct
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from sudokucrypt.images.foreign.conversion import opened_by_pillow, palette_of, samples_of, still
from sudokucrypt.images.picture import Metadata, Picture, Resolution
from sudokucrypt.images.png import file as png
from sudokucrypt.images.png.chunks import SIGNATURE
from sudokucrypt.images.source import Source

# Bytes in front of the header proper: signature, sizes and the offset of the samples.
_FILE_HEADER: Final = 14
_CORE, _WINDOWS, _LONGEST = 12, 40, 124  # bytes of headers: of 1985, the usual one, the latest
_RAW, _RUN_LENGTHS = 0, (1, 2)  # compressions
_PROFILES: Final = (b"DEBM", b"KNIL")  # color spaces of a profile in the file, or in another one

_ENTRY: Final = struct.Struct("<BBBBHHII")
_ICON_START: Final = struct.pack("<HHH", 0, 1, 1)


def _more_follows(data: bytes, offset: int, row_bits: int, rows: int) -> bool:
    """Return whether a file goes on after its samples, whose rows fill whole groups of 4 bytes."""
    # Some writers round the file up to a multiple of four bytes as well.
    return len(data) > offset + rows * ((row_bits + 31) // 32 * 4) + 3


def _resolution(across: int, down: int) -> Resolution | None:
    if min(across, down) <= 0:
        return None
    return Resolution(columns=Fraction(across), rows=Fraction(down), unit="meter")


def decode_bmp(source: Source) -> Picture:
    """Read a BMP: palettes, gray, RGB, and RGBA if the header declares alpha."""
    from PIL.BmpImagePlugin import BmpImageFile

    data = source.data
    if len(data) < _FILE_HEADER + _CORE:
        raise source.cut_short()
    offset, size = struct.unpack_from("<II", data, 10)
    if offset < _FILE_HEADER + size:
        raise source.damaged("its samples overlap its header")
    if len(data) < _FILE_HEADER + max(size, _CORE):
        raise source.cut_short()
    core = size < _WINDOWS
    (bits,) = struct.unpack_from("<H", data, 24 if core else 28)
    compression, across, down = (_RAW, 0, 0) if core else struct.unpack_from("<I4xii", data, 30)
    if compression in _RUN_LENGTHS:
        raise source.unsupported("a BMP with run lengths")
    image = opened_by_pillow(source, BmpImageFile, "a BMP")
    if {"1": 1, "L": 8}.get(image.mode, bits) != bits:
        # If the palette is one of grays, Pillow takes samples for as long as that has colors.
        raise source.unsupported(f"a BMP with {bits}-bit samples and fewer shades of gray")
    pixels = samples_of(source, image)
    dropped = []
    if _more_follows(data, offset, image.width * bits, image.height):
        dropped.append("data after the picture")
    if size == _LONGEST and data[70:74] in _PROFILES:
        dropped.append("ICC profile")
    if bits == 32 and compression == _RAW and _fourth_varies(data, offset, *image.size):
        dropped.append("undeclared alpha channel")
    metadata = Metadata(resolution=_resolution(across, down))
    if image.mode != "P":
        return still("BMP", pixels, metadata, dropped)
    palette = palette_of(image, pixels)
    return still(
        "BMP",
        pixels.astype(bool) if bits == 1 else pixels,
        metadata,
        dropped,
        mode="palette",
        bits=bits if bits == 4 else None,
        palette=palette,
    )


def _fourth_varies(data: bytes, offset: int, columns: int, rows: int) -> bool:
    """Return whether every fourth byte may be alpha.

    By the letter it means nothing; but many programs keep alpha there.
    """
    fourth = np.frombuffer(data, np.uint8, 4 * columns * rows, offset)[3::4]
    return bool((fourth != fourth[0]).any())


def decode_ico(source: Source) -> Picture:
    """Read the largest picture of an icon: as RGBA, or what the PNG in it is."""
    count = int.from_bytes(source.data[4:6], "little")
    if len(source.data) < 6 + count * _ENTRY.size or not count:
        raise source.cut_short()
    entries = [_ENTRY.unpack_from(source.data, 6 + n * _ENTRY.size) for n in range(count)]
    # A side of 256 is written as zero.
    best = max(entries, key=lambda entry: ((entry[0] or 256) * (entry[1] or 256), entry[5]))
    size, start = best[6:]
    if start + size > len(source.data):
        raise source.cut_short()
    body = source.data[start : start + size]
    dropped = ("other pictures",) if count > 1 else ()
    if not body.startswith(SIGNATURE):
        return _decode_bitmap(source, best, body, dropped)
    picture = png.decode(replace(source, data=body))
    if picture.header is not None:
        raise source.unsupported("an icon around a protected picture")
    return replace(picture, format="ICO", dropped=(*picture.dropped, *dropped))


def _decode_bitmap(
    source: Source, entry: tuple[int, ...], body: bytes, dropped: tuple[str, ...]
) -> Picture:
    """Return RGBA of half a BMP, which claims twice its rows: a mask of what is seen follows."""
    from PIL.IcoImagePlugin import IcoImageFile

    if len(body) < _WINDOWS:
        raise source.cut_short()
    header, columns, twice, _, bits = struct.unpack_from("<IiiHH", body)
    if (columns, twice) != (entry[0] or 256, 2 * (entry[1] or 256)):
        raise source.damaged("a picture in it has another size than it claims")
    (used,) = struct.unpack_from("<I", body, 32)
    colors = min(used or 2**bits, 2**bits) if bits <= 8 else 0
    mask = (columns + 31) // 32 * 4 * twice // 2
    whole = header + 4 * colors + (columns * bits + 31) // 32 * 4 * twice // 2 + mask
    if len(body) < whole - mask * (bits == 32):
        raise source.cut_short()
    if len(body) != whole and bits != 32:  # Pillow looks for the mask at the end
        raise source.unsupported("an icon with a mask of another size")
    alone = _ICON_START + _ENTRY.pack(*entry[:5], bits, len(body), 6 + _ENTRY.size) + body
    icon = replace(source, data=alone)
    image = opened_by_pillow(icon, IcoImageFile, "an icon")
    pixels = samples_of(icon, image)
    if image.mode != "RGBA" or not pixels[..., 3].any():
        raise source.unsupported("an icon of which nothing is seen")
    return still("ICO", pixels, Metadata(), dropped)
