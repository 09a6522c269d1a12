"""The headers of a BMP: what they promise, in all the lengths they grew to.

::

    "BM" size ... offset | size columns rows planes bits compression ... | masks | palette | samples
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.metadata import Resolution

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source

FILE_HEADER: Final = 14
RAW, RLE8, RLE4, MASKED, MASKED_WITH_ALPHA = 0, 1, 2, 3, 6

_CORE, _SHORT_OS2, _OS2 = 12, 16, 64
_WINDOWS: Final = 40
_SIZES: Final = (_CORE, _SHORT_OS2, _WINDOWS, 52, 56, _OS2, 108, 124)
_HAS_ALPHA_MASK: Final = (56, 108, 124)
# Byte of the masks in a file, of color space and profile in a header of 108 or 124 bytes.
_MASKS_AT: Final = FILE_HEADER + 40
_SPACE_AT, _PROFILE_AT = 56, 112
_EMBEDDED, _LINKED = b"DEBM", b"KNIL"
_PLAIN_MASKS: Final = {
    16: (0x7C00, 0x03E0, 0x001F, 0),
    24: (0xFF0000, 0xFF00, 0xFF, 0),
    32: (0xFF0000, 0xFF00, 0xFF, 0),
}


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a BMP says of itself.

    Parameters
    ----------
    rows, columns : int
        The picture.
    upside_down : bool
        Whether the last row stands first, as it mostly does.
    bits : int
        Bits of a pixel.
    compression : int
        Microsoft's number.
    offset : int
        Where the samples begin.
    masks : tuple of int
        Which bits of a pixel are red, green, blue and alpha; zero for none.
    palette : bytes
        Red, green and blue of each color.
    resolution : Resolution or None
        Pixels per meter.
    profile : bytes or None
        The color profile.
    linked_profile : bool
        Whether the profile is another file.
    """

    rows: int
    columns: int
    upside_down: bool
    bits: int
    compression: int
    offset: int
    masks: tuple[int, ...]
    palette: bytes
    resolution: Resolution | None
    profile: bytes | None
    linked_profile: bool


def read_header(source: Source) -> Header:
    """Return what a BMP says of itself.

    Raises
    ------
    InvalidImageError
        If its headers are cut or contradict each other.
    UnsupportedError
        If its samples are compressed in a way that BMP borrowed from other formats.
    """
    offset, size = _unpack(source, "<II", 10)
    if size not in _SIZES:
        raise source.damaged("its header has an unknown size")
    if len(source.data) < FILE_HEADER + size:
        raise source.cut_short()
    compression, densities, used = RAW, (0, 0), 0
    if size == _CORE:
        columns, rows, planes, bits = _unpack(source, "<HHHH", 18)
    else:
        columns, rows, planes, bits = _unpack(source, "<iiHH", 18)
    if size >= _WINDOWS:
        compression, _, *densities_, used = _unpack(source, "<IIiiI", 30)
        densities = (densities_[0], densities_[1])
    _require_known(source, size, planes, bits, compression)
    masked = compression in (MASKED, MASKED_WITH_ALPHA)
    masks: tuple[int, ...] = _PLAIN_MASKS.get(bits, (0, 0, 0, 0))
    behind = FILE_HEADER + size
    if masked:
        # The masks follow a header of 40 bytes, and stand at the same place inside a longer one.
        count = 4 if size in _HAS_ALPHA_MASK or compression == MASKED_WITH_ALPHA else 3
        masks = (*_unpack(source, f"<{count}I", _MASKS_AT), 0)[:4]
        behind = max(behind, _MASKS_AT + 4 * count)
    if offset < behind:
        raise source.damaged("its samples overlap its header")
    profile, linked = _read_profile(source, size)
    resolution = None
    if min(densities) > 0:
        across, down = densities
        resolution = Resolution(columns=Fraction(across), rows=Fraction(down), unit="meter")
    return Header(
        rows=abs(rows),
        columns=columns,
        upside_down=rows > 0,
        bits=bits,
        compression=compression,
        offset=offset,
        masks=masks,
        palette=_read_palette(source, size, offset, bits, used) if bits <= 8 else b"",
        resolution=resolution,
        profile=profile,
        linked_profile=linked,
    )


def _require_known(source: Source, size: int, planes: int, bits: int, compression: int) -> None:
    allowed = {
        RAW: (1, 2, 4, 8, 16, 24, 32),
        RLE8: (8,),
        RLE4: (4,),
        MASKED: (16, 32),
        MASKED_WITH_ALPHA: (16, 32),
    }
    if compression not in allowed or (size == _OS2 and compression == MASKED):
        raise source.unsupported(f"a BMP with compression {compression}")
    if planes != 1 or bits not in allowed[compression]:
        raise source.damaged("its header asks for an unknown mode")


def _read_palette(source: Source, size: int, offset: int, bits: int, used: int) -> bytes:
    """Return the colors; those that do not fit in front of the samples are not there."""
    entry = 3 if size == _CORE else 4
    start = FILE_HEADER + size
    count = min(used or 2**bits, 2**bits, (offset - start) // entry)
    stored = source.data[start : start + count * entry]
    if len(stored) < count * entry:
        raise source.cut_short()
    colors = bytearray(3 * count)
    for channel in range(3):
        colors[channel::3] = stored[2 - channel :: entry]
    return bytes(colors)


def _read_profile(source: Source, size: int) -> tuple[bytes | None, bool]:
    """Return the color profile in the file, and whether there is one in another."""
    if size <= _SPACE_AT + FILE_HEADER or size == _OS2:
        return None, False
    start = FILE_HEADER + _SPACE_AT
    space = source.data[start : start + 4]
    if space != _EMBEDDED or size < _PROFILE_AT + 8:
        return None, space == _LINKED
    place, length = _unpack(source, "<II", FILE_HEADER + _PROFILE_AT)
    place += FILE_HEADER
    if place + length > len(source.data):
        raise source.cut_short()
    return source.data[place : place + length] or None, False


def _unpack(source: Source, code: str, position: int) -> tuple[int, ...]:
    if position + struct.calcsize(code) > len(source.data):
        raise source.cut_short()
    return struct.unpack_from(code, source.data, position)
