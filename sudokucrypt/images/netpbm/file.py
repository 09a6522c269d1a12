"""Netpbm: PBM, PGM, PPM, PAM and PFM, as text or binary, read only.

::

    P6  # comment
    columns rows 255
    samples
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.netpbm.header import Header, read_header
from sudokucrypt.images.picture import NATURAL_MODES, Frame, Picture
from sudokucrypt.images.tiff.bits import unpack_bits

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

FORMAT: Final = "PPM"

_START = re.compile(rb"P[1-7Ff][ \t\n\v\f\r#]")
_SPACE = b" \t\n\v\f\r"
_DIGITS_AND_SPACE = b"0123456789" + _SPACE


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like any of the Netpbm formats."""
    return _START.match(data) is not None


def decode(source: Source) -> Picture:
    """Read a Netpbm picture; see `read_picture` for what is raised."""
    header = read_header(source)
    width = header.dtype.itemsize
    shape = source.shape(header.rows, header.columns, header.channels, width=width)
    if header.kind == b"1":
        samples = _read_digits(source, header)
    elif header.kind in (b"2", b"3"):
        samples = _read_numbers(source, header)
    else:
        samples = _read_binary(source, header)
    samples = samples.reshape(shape)
    if header.kind in (b"1", b"4"):
        # One is black in a bitmap.
        samples = ~samples
    metadata = Metadata()
    if header.comment:
        metadata = replace(metadata, texts=(("Comment", header.comment),))
    frame = Frame(
        pixels=samples,
        mode=NATURAL_MODES[header.channels],
        bits={3: 2, 15: 4}.get(header.largest),
        metadata=metadata,
    )
    left_out = ("scale",) if header.scaled else ()
    return Picture(frames=(frame,), format=FORMAT, left_out=left_out)


def _read_binary(source: Source, header: Header) -> AnyArray:
    """Return samples that fill the rest of the file exactly."""
    columns = header.columns * header.channels
    packed = header.kind == b"4"
    row_bytes = (columns + 7) // 8 if packed else columns * header.dtype.itemsize
    end = header.end + header.rows * row_bytes
    if end > len(source.data):
        raise source.cut_short()
    if end < len(source.data):
        # Either a second picture, or a line end too many before the samples shifted them all.
        raise source.unsupported("a Netpbm file with more bytes than one picture has")
    lines = np.frombuffer(source.data, np.uint8, end - header.end, header.end)
    lines = lines.reshape(header.rows, row_bytes)
    if packed:
        return unpack_bits(lines, 1, columns)
    if header.dtype.kind == "f":
        floats: AnyArray = lines[::-1].copy().view(header.dtype).astype(np.float32)
        return floats
    return _narrowed(source, lines.view(header.dtype), header)


def _read_digits(source: Source, header: Header) -> AnyArray:
    """Return a bitmap written as zeros and ones, with or without space between them."""
    digits = source.data[header.end :].translate(None, _SPACE)
    if digits.translate(None, b"01"):
        raise source.damaged("its samples are not all 0 or 1")
    count = header.rows * header.columns
    if len(digits) != count:
        raise source.damaged(f"it promises {count} samples and holds {len(digits)}")
    ones: AnyArray = np.frombuffer(digits, np.uint8) == ord("1")
    return ones


def _read_numbers(source: Source, header: Header) -> AnyArray:
    """Return samples written as decimal numbers."""
    text = source.data[header.end :]
    # A file cut inside its last number would pass for a whole one.
    if not text.endswith(tuple(bytes([space]) for space in _SPACE)):
        raise source.cut_short()
    if text.translate(None, _DIGITS_AND_SPACE):
        raise source.damaged("its samples are not all numbers")
    samples = np.fromstring(text, dtype=np.int64, sep=" ")
    count = header.rows * header.columns * header.channels
    if len(samples) != count:
        raise source.damaged(f"it promises {count} samples and holds {len(samples)}")
    return _narrowed(source, samples, header)


def _narrowed(source: Source, samples: AnyArray, header: Header) -> AnyArray:
    """Return samples in the type that a frame has them in."""
    if samples.max() > header.largest:
        raise source.damaged("a sample is larger than the largest value")
    if header.largest == 1:
        return samples.astype(np.bool_)
    return samples.astype(np.uint16 if header.largest > 255 else np.uint8)
