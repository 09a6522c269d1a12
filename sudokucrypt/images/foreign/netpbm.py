"""Netpbm: PBM, PGM and PPM as text or binary, and PFM.

::

    P6  # comment           PF
    columns rows 255        columns rows
    samples                 -1.0
                            samples

Pillow is not used: it brings 16 bits of color down to 8.
"""

import re
from typing import Final

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.foreign.conversion import still
from sudokucrypt.images.picture import Metadata, Picture
from sudokucrypt.images.source import Source, text_of
from sudokucrypt.typing import AnyArray

_SPACE: Final = b" \t\n\v\f\r"
_GAP: Final = rb"(?:[ \t\n\v\f\r]|#[^\n\r]*[\n\r])+"
_SIDES: Final = _GAP + rb"(\d{1,9})" + _GAP + rb"(\d{1,9})"
_BITMAP: Final = re.compile(rb"P[14]" + _SIDES + rb"()[ \t\n\v\f\r]")
_INTEGERS: Final = re.compile(rb"P[2356]" + _SIDES + _GAP + rb"(\d{1,9})[ \t\n\v\f\r]")
_FLOATS: Final = re.compile(rb"P[fF]" + _SIDES + _GAP + rb"([-+]?[0-9.eE+-]{1,30})\r?\s")
_PATTERNS: Final = {b"1": _BITMAP, b"4": _BITMAP, b"f": _FLOATS, b"F": _FLOATS}
_COMMENT: Final = re.compile(rb"#([^\n\r]*)")
# Largest values that fill whole bits, and how many bits: 0..1023 would have to be scaled.
_DEPTHS: Final = {1: 1, 3: 2, 15: 4, 255: 8, 65535: 16}
_HEAD_LIMIT: Final = 2**20


def decode(source: Source) -> Picture:
    """Read a Netpbm picture; floats are stored from the bottom up, and one is black in a bitmap."""
    kind = source.data[1:2]
    if kind == b"7":
        raise source.unsupported("a PAM")
    head = _PATTERNS.get(kind, _INTEGERS).match(source.data[:_HEAD_LIMIT])
    if head is None:
        raise source.damaged("its header is not that of a Netpbm picture")
    rows, columns, channels = int(head[2]), int(head[1]), 3 if kind in b"36F" else 1
    dropped: list[str] = []
    if kind in b"fF":
        dtype, dropped = _float_type(source, head[3])
        shape = source.shape(rows, columns, channels, width=4)
        pixels = _binary(source, head.end(), shape, dtype)[::-1].astype(np.float32)
        depth = 32
    else:
        largest = int(head[3] or 1)
        if largest not in _DEPTHS:
            depths = "/".join(map(str, _DEPTHS))
            raise source.unsupported(f"a Netpbm file with {largest} as largest value, not {depths}")
        depth = _DEPTHS[largest]
        dtype = np.dtype(">u2" if depth == 16 else "u1")
        shape = source.shape(rows, columns, channels, width=dtype.itemsize)
        if kind == b"4":
            lines = _binary(source, head.end(), (rows, (columns + 7) // 8), dtype)
            pixels = unpack_bits(lines, 1, columns)
        elif kind in b"56":
            pixels = _binary(source, head.end(), shape, dtype)
        else:
            pixels = _text(source, head.end(), shape, bits=kind == b"1")
        if pixels.max() > largest:
            raise source.damaged("a sample is larger than the largest value")
        if kind in b"14":
            pixels = pixels == 0
        if depth < 8 and channels == 3:
            # PNG, and many programs that read TIFF, have few bits for grays and palettes only.
            pixels, depth = pixels * (255 // largest), 8
        pixels = pixels.astype("bool" if depth == 1 else f"u{dtype.itemsize}")
    comments = filter(None, (line.strip() for line in _COMMENT.findall(head[0])))
    text = text_of(b"\n".join(comments))
    metadata = Metadata(texts=(("Comment", text),) if text else ())
    return still("PPM", pixels, metadata, dropped, bits=depth if depth in (2, 4) else None)


def _float_type(source: Source, text: bytes) -> tuple[np.dtype[np.generic], list[str]]:
    """Return the type of floats, of which the sign of the scale tells the byte order."""
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not scale:
        raise source.damaged("its scale is not a number")
    return np.dtype("<f4" if scale < 0 else ">f4"), ["scale"] if abs(scale) != 1 else []


def _binary(
    source: Source, start: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> AnyArray:
    """Return samples that fill the rest of the file exactly."""
    end = start + int(np.prod(shape)) * dtype.itemsize
    if end > len(source.data):
        raise source.cut_short()
    if end < len(source.data):
        # Either a second picture, or a line end too many before the samples shifted them all.
        raise source.unsupported("a Netpbm file with more bytes than one picture has")
    return np.frombuffer(source.data, dtype, offset=start).reshape(shape)


def _text(source: Source, start: int, shape: tuple[int, ...], *, bits: bool) -> AnyArray:
    """Return samples that are written as numbers, those of bitmaps perhaps without space."""
    text = source.data[start:]
    if text.translate(None, (b"01" if bits else b"0123456789") + _SPACE):
        raise source.damaged("its samples are not all numbers")
    samples: AnyArray
    if bits:
        samples = np.frombuffer(text.translate(None, _SPACE), np.uint8) - ord("0")
    else:
        # A file cut inside its last number would pass for a whole one.
        if text[-1:] not in _SPACE:
            raise source.cut_short()
        samples = np.fromstring(text, dtype=np.int64, sep=" ")
    if len(samples) != np.prod(shape):
        raise source.damaged(f"it promises {np.prod(shape)} samples and holds {len(samples)}")
    return samples.reshape(shape)
