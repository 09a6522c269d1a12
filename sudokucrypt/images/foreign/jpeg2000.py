"""JPEG 2000: gray, RGB, alpha and CMYK with 1 to 16 bits; with and without boxes.

References
----------
.. [1] ITU-T T.800, A.5.1: the size of a picture; I.5: boxes.
.. [2] Adobe, "XMP Specification Part 3", 1.1.2: packets in boxes.
"""

import struct
from typing import Final

import numpy as np

from sudokucrypt.images.bits import spread
from sudokucrypt.images.foreign.conversion import codec, require_samples, still
from sudokucrypt.images.foreign.isobmff import boxes
from sudokucrypt.images.picture import Metadata, Mode, Picture
from sudokucrypt.images.source import Source

_START: Final = b"\xff\x4f\xff\x51"
_SIZE: Final = struct.Struct(">HH8IH")
_END: Final = b"\xff\xd9"
# The standard counts tiles in 16 bits; damaged sides could ask for billions.
_MOST_TILES: Final = 65535
_XMP: Final = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_EXIF: Final = b"JpgTiffExif->JP2"
_CMYK: Final = 12
_PLAIN_SPACES: Final = (_CMYK, 16, 17)
_STRUCTURE: Final = (b"jP  ", b"ftyp", b"jp2h", b"jp2c", b"rreq")
# OpenJPEG takes four bytes for each sample, and this is as much as a picture may have.
_WORKING: Final = 4


def decode(source: Source) -> Picture:
    """Read a JPEG 2000; samples of 9 to 15 bits are spread over 16, those of 1 to 7 over 8."""
    jpeg2k_decode = codec(source, "JPEG2K", "a JPEG 2000")
    codestream, metadata, space, dropped = _read_boxes(source)
    rows, columns, channels, bits = _read_size(source, codestream)
    # OpenJPEG shows what there is of a file that was cut.
    if bytes(codestream[-2:]) != _END:
        raise source.cut_short()
    source.shape(rows, columns, channels, width=_WORKING)
    pixels, dtype = source.call(jpeg2k_decode, source.data), "uint8" if bits <= 8 else "uint16"
    require_samples(source, pixels, (rows, columns), channels=(channels,), dtype=dtype)
    if bits > 8:
        pixels = spread(source, pixels, bits)
    elif bits < 8:
        largest = 2**bits - 1
        if int(pixels.max()) > largest:
            raise source.damaged(f"it holds samples of more than {bits} bits")
        pixels = (pixels.astype(np.uint16) * 255 // largest).astype(np.uint8)
    if space == _CMYK and channels != 4:
        raise source.unsupported("a JPEG 2000 with inks and more")
    mode: Mode | None = "cmyk" if space == _CMYK else None
    return still("JPEG 2000", pixels, metadata, dropped, mode=mode)


def _read_boxes(source: Source) -> tuple[memoryview, Metadata, int | None, list[str]]:
    """Return the codestream, the other boxes, its color space, and what is not kept."""
    if source.data.startswith(_START):
        return memoryview(source.data), Metadata(), None, []
    codestreams: list[memoryview] = []
    uuids: dict[bytes, bytes] = {}
    dropped = []
    space, profile = None, None
    for kind, body in boxes(source, memoryview(source.data)):
        name = bytes(body[:16])
        if kind == b"jp2c":
            codestreams.append(body)
        elif kind == b"jp2h":
            space, profile = _read_head(source, body)
        elif kind == b"uuid" and name in (_XMP, _EXIF) and name not in uuids:
            uuids[name] = bytes(body[16:])
        elif kind not in _STRUCTURE:
            dropped.append("other data")
    if len(codestreams) != 1:
        raise source.unsupported("a JPEG 2000 of several pictures, or of none")
    metadata = Metadata(exif=uuids.get(_EXIF) or None, icc=profile, xmp=uuids.get(_XMP) or None)
    return codestreams[0], metadata, space, dropped


def _read_head(source: Source, head: memoryview) -> tuple[int | None, bytes | None]:
    """Return the number of the color space and the profile, whichever there is."""
    space, profile = None, None
    for kind, body in boxes(source, head):
        if kind in (b"pclr", b"cmap"):
            raise source.unsupported("a JPEG 2000 with a palette")
        if kind == b"colr" and len(body) >= 3 and space is None and profile is None:
            if body[0] == 1:
                space = int.from_bytes(body[3:7], "big")
            elif body[0] in (2, 3):
                profile = bytes(body[3:]) or None
    if space is not None and space not in _PLAIN_SPACES:
        raise source.unsupported(f"a JPEG 2000 in color space {space}")
    return space, profile


def _read_size(source: Source, codestream: memoryview) -> tuple[int, int, int, int]:
    """Return rows, columns, channels and bits of a sample."""
    if bytes(codestream[:4]) != _START:
        raise source.damaged("its codestream has no start")
    if len(codestream) < 4 + _SIZE.size:
        raise source.cut_short()
    _, _, *sides, channels = _SIZE.unpack_from(codestream, 4)
    right, bottom, left, top, tile_right, tile_bottom, tile_left, tile_top = sides
    kinds = bytes(codestream[4 + _SIZE.size : 4 + _SIZE.size + 3 * channels])
    if len(kinds) < 3 * channels or not channels:
        raise source.cut_short()
    if right <= left or bottom <= top or not tile_right or not tile_bottom:
        raise source.damaged("it has no pixels")
    across = -(-(right - tile_left) // tile_right)
    if across * -(-(bottom - tile_top) // tile_bottom) > _MOST_TILES:
        raise source.damaged("it has more tiles than can be numbered")
    depth = kinds[0]
    if channels > 4 or depth > 15 or any(kinds[n] != depth for n in range(0, len(kinds), 3)):
        raise source.unsupported("a JPEG 2000 with channels that are not 1 to 4 alike of 1-16 bits")
    if any(step != 1 for n, step in enumerate(kinds) if n % 3):
        raise source.unsupported("a JPEG 2000 with channels of several sizes")
    return bottom - top, right - left, channels, depth + 1
