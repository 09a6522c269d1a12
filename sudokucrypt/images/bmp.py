"""BMP: 8-bit gray, RGB and RGBA without compression, read only.

::

    "BM" size ... offset | header: size columns rows planes bits ... masks | palette | rows

Rows stand from the bottom up and fill whole groups of four bytes; pixels are blue, green, red.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.picture import Picture

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

FORMAT: Final = "BMP"

_FILE_HEADER = 14
_CORE = 12
_HEADERS = (40, 52, 56, 108, 124)
_MASKS = (0x00FF0000, 0x0000FF00, 0x000000FF)
_ALPHA_MASK = 0xFF000000


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a BMP."""
    return data.startswith(b"BM")


def decode(source: Source) -> Picture:
    """Read a BMP; see `read_picture` for what is raised."""
    data = source.data
    if len(data) < _FILE_HEADER + _CORE:
        raise source.cut_short()
    offset, header_size = struct.unpack_from("<II", data, 10)
    if header_size == _CORE:
        columns, rows, planes, bits = struct.unpack_from("<HHHH", data, 18)
        compression = 0
    elif header_size in _HEADERS:
        if len(data) < _FILE_HEADER + header_size:
            raise source.cut_short()
        columns, rows, planes, bits, compression = struct.unpack_from("<iiHHI", data, 18)
    else:
        raise source.damaged("its header has an unknown size")
    alpha = _require_readable(source, header_size, planes, bits, compression)
    shape = source.shape(abs(rows), columns, {8: 1, 24: 3, 32: 4 if alpha else 3}[bits])
    stride = (columns * bits // 8 + 3) // 4 * 4
    end = offset + stride * abs(rows)
    if offset < _FILE_HEADER + header_size:
        raise source.damaged("its samples overlap its header")
    if end > len(data):
        raise source.cut_short()
    if bits == 8:
        _require_gray_ramp(source, header_size, offset)
    lines = np.frombuffer(data, np.uint8, stride * abs(rows), offset).reshape(abs(rows), stride)
    upright = lines if rows < 0 else lines[::-1]
    pixels = _to_channels(source, upright[:, : columns * bits // 8], bits, shape)
    # Some writers round the file up to a multiple of four bytes as well.
    left_out = ("data after the picture",) if len(data) > end + 3 else ()
    return Picture.plain(pixels, format=FORMAT, left_out=left_out)


def _to_channels(source: Source, lines: AnyArray, bits: int, shape: tuple[int, ...]) -> AnyArray:
    """Turn blue, green, red and the fourth byte of each pixel into channels."""
    if bits == 8:
        return np.ascontiguousarray(lines)
    channels = lines.reshape(*shape[:2], bits // 8)
    pixels = np.empty(shape, dtype=np.uint8)
    pixels[..., :3] = channels[..., 2::-1]
    if shape[2] == 4:
        pixels[..., 3] = channels[..., 3]
    elif bits == 32 and not (channels[..., 3] == channels[0, 0, 3]).all():
        # By the letter the fourth byte means nothing; many programs keep alpha in it all the same.
        raise source.unsupported("a BMP with an alpha channel that its header does not declare")
    return pixels


def _require_readable(
    source: Source, header_size: int, planes: int, bits: int, compression: int
) -> bool:
    """Refuse what is not plain 8-bit samples, and tell whether there is an alpha channel."""
    if planes != 1 or bits not in (1, 2, 4, 8, 16, 24, 32):
        raise source.damaged("its header asks for an unknown mode")
    if bits in (1, 2, 4):
        raise source.unsupported("a BMP with a palette")
    if bits == 16:
        raise source.unsupported("a BMP with 16 bits per pixel")
    if compression == 0:
        return False
    if compression not in (3, 6) or bits != 32:
        raise source.unsupported("a compressed BMP")
    # The masks follow a header of 40 bytes, and stand at the same place inside a longer one.
    has_alpha_mask = header_size >= 56 or compression == 6
    masks = struct.pack("<III", *_MASKS)
    start = _FILE_HEADER + 40
    if len(source.data) < start + 16:
        raise source.cut_short()
    (alpha_mask,) = struct.unpack_from("<I", source.data, start + 12)
    if not has_alpha_mask:
        alpha_mask = 0
    if source.data[start : start + 12] != masks or alpha_mask not in (0, _ALPHA_MASK):
        raise source.unsupported("a BMP with an unusual order of channels")
    return bool(alpha_mask)


def _require_gray_ramp(source: Source, header_size: int, offset: int) -> None:
    """Refuse a palette, unless it is the one that means plain gray: 0, 1, ... 255."""
    start = _FILE_HEADER + header_size
    entry = 3 if header_size == _CORE else 4
    palette = source.data[start:offset]
    ramp = bytes(range(256))
    plain = len(palette) >= 256 * entry and all(
        palette[channel : 256 * entry : entry] == ramp for channel in range(3)
    )
    if not plain:
        raise source.unsupported("a BMP with a palette")
