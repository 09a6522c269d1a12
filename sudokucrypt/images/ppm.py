"""PPM and PGM: gray and RGB with 8 or 16 bits, as text or binary, read only.

::

    P6  # comment
    columns rows 255
    samples
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.picture import Picture

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

FORMAT: Final = "PPM"

_GAP = rb"(?:[ \t\n\v\f\r]|#[^\n\r]*[\n\r])+"
_START = re.compile(rb"P[1-7Ff][ \t\n\v\f\r#]")
_HEADER = re.compile(rb"P[2356]" + (_GAP + rb"(\d{1,9})") * 3 + rb"[ \t\n\v\f\r]")
_DIGITS_AND_SPACE = b"0123456789 \t\n\v\f\r"
_SPACE = b" \t\n\v\f\r"
_CHANNELS = {b"2": 1, b"5": 1, b"3": 3, b"6": 3}
_TYPES = {255: "uint8", 65535: "uint16"}


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like any of the Netpbm formats."""
    return _START.match(data) is not None


def decode(source: Source) -> Picture:
    """Read a PPM or PGM; see `read_picture` for what is raised."""
    kind = source.data[1:2]
    if kind not in _CHANNELS:
        raise source.unsupported("a Netpbm picture that is neither PGM nor PPM")
    header = _HEADER.match(source.data)
    if header is None:
        raise source.damaged("its header is not two sides and a largest value")
    columns, rows, largest = (int(number) for number in header.groups())
    if largest not in _TYPES:
        raise source.unsupported(f"a PPM with {largest} as largest value, not 255 or 65535")
    shape = source.shape(rows, columns, _CHANNELS[kind])
    read = _read_text if kind in b"23" else _read_binary
    samples = read(source, header.end(), int(np.prod(shape)), np.dtype(_TYPES[largest]))
    left_out = ("text",) if b"#" in header.group() else ()
    return Picture.plain(samples.reshape(shape), format=FORMAT, left_out=left_out)


def _read_binary(
    source: Source, start: int, count: int, dtype: np.dtype[np.unsignedinteger]
) -> AnyArray:
    """Return big-endian samples that fill the rest of the file exactly."""
    end = start + count * dtype.itemsize
    if end > len(source.data):
        raise source.cut_short()
    if end < len(source.data):
        # Either a second picture, or a line end too many before the samples shifted them all.
        raise source.unsupported("a PPM with more bytes than one picture has")
    samples = np.frombuffer(source.data, dtype.newbyteorder(">"), count, start)
    return samples.astype(dtype)


def _read_text(
    source: Source, start: int, count: int, dtype: np.dtype[np.unsignedinteger]
) -> AnyArray:
    """Return samples written as decimal numbers."""
    text = source.data[start:]
    # A file cut inside its last number would pass for a whole one.
    if not text.endswith(tuple(bytes([space]) for space in _SPACE)):
        raise source.cut_short()
    if text.translate(None, _DIGITS_AND_SPACE):
        raise source.damaged("its samples are not all numbers")
    samples = np.fromstring(text, dtype=np.int64, sep=" ")
    if len(samples) != count:
        raise source.damaged(f"it promises {count} samples and holds {len(samples)}")
    if samples.max() > np.iinfo(dtype).max:
        raise source.damaged("a sample is larger than the largest value")
    return samples.astype(dtype)
