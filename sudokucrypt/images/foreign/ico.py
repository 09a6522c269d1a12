"""Icons of Windows: the largest picture of an ICO, as RGBA or what the PNG in it is.

::

    0 1 count | columns rows colors 0 planes bits size offset | ... | PNG or half a BMP

A BMP lacks its start and claims twice its rows: a mask of single bits follows, one is not seen.
"""

import struct
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.images.bits import seen_colors, unpack_bits
from sudokucrypt.images.foreign import bmp
from sudokucrypt.images.foreign.results import still
from sudokucrypt.images.picture import Metadata, Picture
from sudokucrypt.images.png import file as png
from sudokucrypt.images.png.chunks import SIGNATURE
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_ENTRY: Final = struct.Struct("<BBBBHHII")
_HEADER: Final = 40
_BGRA: Final = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)


def decode(source: Source) -> Picture:
    """Read an icon."""
    count = int.from_bytes(source.data[4:6], "little")
    if len(source.data) < 6 + count * _ENTRY.size or not count:
        raise source.cut_short()
    entries = [_ENTRY.unpack_from(source.data, 6 + n * _ENTRY.size) for n in range(count)]
    # A side of 256 is written as zero.
    best = max(entries, key=lambda entry: ((entry[0] or 256) * (entry[1] or 256), entry[5]))
    size, start = best[6:]
    if start + size > len(source.data):
        raise source.cut_short()
    dropped = ("other pictures",) if count > 1 else ()
    body = Source(source.data[start : start + size], source.name, source.max_pixels)
    if not body.data.startswith(SIGNATURE):
        return still("ICO", _bitmap(body), Metadata(), dropped)
    picture = png.decode(body)
    if picture.header is not None:
        raise source.unsupported("an icon around a protected picture")
    return replace(picture, format="ICO", dropped=(*picture.dropped, *dropped))


def _bitmap(source: Source) -> AnyArray:
    """Return RGBA of a BMP without its start, and with a mask."""
    data = source.data
    if len(data) < _HEADER or int.from_bytes(data[:4], "little") != _HEADER:
        raise source.damaged("a picture in it has an unknown header")
    columns, twice, planes, bits, compression = struct.unpack_from("<iiHHI", data, 4)
    if twice < 2 or twice % 2 or compression:
        raise source.damaged("a picture in it is not drawn twice")
    rows = twice // 2
    source.shape(rows, max(columns, 0), 4)
    # In 32 bits the fourth byte is alpha, without a word about it.
    masks, masked = (_BGRA, bmp.MASKED) if bits == 32 else (b"", 0)
    size = _HEADER + len(masks)
    head = struct.pack("<IiiHHI", size, columns, rows, planes, bits, masked) + data[20:_HEADER]
    used = int.from_bytes(data[32:36], "little")
    colors = min(used or 2**bits, 2**bits) if bits <= 8 else 0
    offset = bmp.FILE_HEADER + size + 4 * colors
    whole = struct.pack("<2sIII", b"BM", 0, 0, offset) + head + masks + data[_HEADER:]
    frame = bmp.decode(Source(whole, source.name, source.max_pixels)).frames[0]
    if bits == 32 and frame.pixels[..., 3].any():
        return frame.pixels
    end = _HEADER + 4 * colors + rows * ((columns * bits + 31) // 32 * 4)
    # Pillow fills the rows of a mask up to whole bytes only.
    strides = ((columns + 31) // 32 * 4, (columns + 7) // 8)
    stride = next((stride for stride in strides if end + rows * stride <= len(data)), 0)
    if not stride:
        raise source.cut_short()
    mask = np.frombuffer(data, np.uint8, rows * stride, end).reshape(rows, stride)
    unseen = unpack_bits(mask, 1, columns)[::-1]
    return np.dstack([seen_colors(frame), np.where(unseen, np.uint8(0), np.uint8(255))])
