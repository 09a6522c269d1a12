"""Read Netpbm files: PBM, PGM and PPM as text or binary, and PFM.

::

    P6  # comment           PF
    columns rows 255        columns rows
    samples                 -1.0
                            samples

Pillow is not used, since it reduces 16-bit colors to 8 bits.
"""

import re
from typing import Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.picture import unpack_bits
from sudokucrypt.typing import AnyArray

_WHITE_SPACE: Final = b" \t\n\v\f\r"
_GAP_PATTERN: Final = rb"(?:[ \t\n\v\f\r]|#[^\n\r]*[\n\r])+"
_SIDES_PATTERN: Final = _GAP_PATTERN + rb"(\d{1,9})" + _GAP_PATTERN + rb"(\d{1,9})"
_BITMAP_HEADER: Final = re.compile(rb"P[14]" + _SIDES_PATTERN + rb"()[ \t\n\v\f\r]")
_INTEGER_HEADER_PATTERN: Final = re.compile(
    rb"P[2356]" + _SIDES_PATTERN + _GAP_PATTERN + rb"(255|65535)[ \t\n\v\f\r]"
)
_FLOATS_HEADER: Final = re.compile(
    rb"P[fF]" + _SIDES_PATTERN + _GAP_PATTERN + rb"([-+]?1(?:\.0{0,9})?)\r?\s"
)
_HEADER_PATTERNS: Final = {
    b"1": _BITMAP_HEADER,
    b"4": _BITMAP_HEADER,
    b"f": _FLOATS_HEADER,
    b"F": _FLOATS_HEADER,
}
_MAX_HEADER_BYTES: Final = 2**16


def read_netpbm(source: Source) -> tuple[AnyArray, list[str]]:
    """Return the samples of a file, and the names of content that is left out.

    Rows of floats are stored from the bottom up, and 1 is black in a bitmap.
    """
    kind = source.data[1:2]
    header = _HEADER_PATTERNS.get(kind, _INTEGER_HEADER_PATTERN).match(
        source.data[:_MAX_HEADER_BYTES]
    )
    if header is None:
        raise source.refuse_kind("a Netpbm file with samples other than 1, 8 or 16 bits or floats")
    rows, columns, channels = int(header[2]), int(header[1]), 3 if kind in b"36F" else 1
    dropped_names = ["text"] if b"#" in header[0] else []
    name = ">u2" if header[3] == b"65535" else "u1"
    if kind in b"fF":  # a negative scale means little-endian
        name = "<f4" if header[3].startswith(b"-") else ">f4"
    dtype = np.dtype(name)
    shape = source.shape(rows, columns, channels, width=dtype.itemsize)
    if kind in b"14":
        if kind == b"4":
            lines = _read_binary(source, header.end(), (rows, (columns + 7) // 8), dtype)
            return ~unpack_bits(lines, 1, columns), dropped_names
        return _read_text(source, header.end(), shape, largest_sample=1) == 0, dropped_names
    if kind in b"23":
        return _read_text(source, header.end(), shape, largest_sample=int(header[3])), dropped_names
    pixels = _read_binary(source, header.end(), shape, dtype)
    top_down_pixels = pixels[::-1] if kind in b"fF" else pixels
    return top_down_pixels.astype(dtype.newbyteorder("=")), dropped_names


def _read_binary(
    source: Source, position: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> AnyArray:
    """Return binary samples, which must fill the rest of the file exactly."""
    end_position = position + int(np.prod(shape)) * dtype.itemsize
    if end_position > len(source.data):
        raise source.report_cut()
    if end_position < len(source.data):
        # The file has a second picture, or an extra line end that shifts the samples.
        raise source.refuse_kind("a Netpbm file with more bytes than one picture has")
    return np.frombuffer(source.data, dtype, offset=position).reshape(shape)


def _read_text(
    source: Source, position: int, shape: tuple[int, ...], *, largest_sample: int
) -> AnyArray:
    """Return samples that are written as decimal numbers, at most `largest_sample`.

    In bitmaps, no spaces are needed between the digits.
    """
    text = source.data[position:]
    if text.translate(None, (b"01" if largest_sample == 1 else b"0123456789") + _WHITE_SPACE):
        raise source.report_damage("its samples are not all numbers")
    samples: AnyArray
    if largest_sample == 1:
        samples = np.frombuffer(text.translate(None, _WHITE_SPACE), np.uint8) - ord("0")
    else:
        # Without this, a file that was cut inside its last number would be accepted.
        if text[-1:] not in _WHITE_SPACE:
            raise source.report_cut()
        samples = np.fromstring(text, dtype=np.int64, sep=" ")
    if len(samples) != np.prod(shape):
        raise source.report_damage(f"it promises {np.prod(shape)} samples and holds {len(samples)}")
    if samples.max() > largest_sample:
        raise source.report_damage("a sample is larger than the maximum that the header states")
    return samples.reshape(shape).astype("u2" if largest_sample > 255 else "u1")
