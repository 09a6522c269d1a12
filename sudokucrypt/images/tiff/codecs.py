"""The compressions of TIFF: from the bytes of a strip or tile to those of its samples.

A piece gets the memory that its samples need and no more, and one that is too short is refused.
libtiff would do this too, but it reads on into whatever follows a short piece, prints warnings,
and paints white what it does not find.
"""

import hashlib
import lzma
import struct
import zlib
from typing import Final

import numpy as np

from sudokucrypt.images.jpeg.file import MOST_SCANS
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.layout import Layout
from sudokucrypt.typing import Buffer

REVERSED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
"""Each byte with its bits in the other order, for `bytes.translate`."""

# Codes of no meaning. A picture that ends too early goes on with them, and comes out otherwise.
_SENTINELS = tuple(hashlib.sha512(bytes([n])).digest() for n in range(8))
_CODECS: Final = {t.LZW: "lzw", t.PACKBITS: "packbits", t.ZSTD: "zstd"}
_LINE_END_ZEROS = 11
_CHUNK = 2**20
_LZMA_MEMORY = 2**28
_JPEG_SCAN, _JPEG_END = b"\xff\xda", b"\xff\xd9"
_JPEG_FRAMES = (0xC0, 0xC1, 0xC2)
_JPEG_SPACES: Final = {t.YCBCR: "YCBCR", t.RGB: "RGB", t.CMYK: "CMYK"}


def expand(source: Source, layout: Layout, data: memoryview, rows: int) -> Buffer:
    """Return the bytes of so many rows of a piece, as they would be without compression."""
    size = rows * layout.row_bytes
    if layout.compression == t.JPEG:
        return _expand_jpeg(source, layout, bytes(data), rows)
    raw: Buffer = data[:size]
    if layout.compression != t.NOT_COMPRESSED:
        stored = bytes(data).translate(REVERSED) if layout.reversed_bits else data
        if layout.compression in t.FAX:
            return _expand_fax(source, layout, bytes(stored), rows)
        raw = source.call(_expand, stored, compression=layout.compression, size=size)
    if len(raw) < size:
        raise source.damaged("it holds fewer samples than it promises")
    return raw


def _expand(data: bytes | memoryview, *, compression: int, size: int) -> bytes:
    import imagecodecs

    if compression in (t.DEFLATE, t.OLD_DEFLATE):
        stream = zlib.decompressobj()
        raw = stream.decompress(data, size)
        # Asking for one byte more makes zlib compare the checksum.
        if not stream.eof and not stream.decompress(stream.unconsumed_tail, 1) and not stream.eof:
            raise EOFError
        return raw
    if compression == t.LZMA:
        return lzma.LZMADecompressor(memlimit=_LZMA_MEMORY).decompress(data, size)
    return bytes(getattr(imagecodecs, f"{_CODECS[compression]}_decode")(data, out=size))


def _expand_fax(source: Source, layout: Layout, data: bytes, rows: int) -> Buffer:
    """Decode lines of black and white runs.

    The decoder ends a picture that is cut with white lines and says nothing. So it decodes again
    with other codes behind the data: what then changes was not there. Group 3 has an end of line
    for each line, without which it reads no further, and these are counted.
    """
    import imagecodecs

    short = source.damaged("it holds fewer samples than it promises")
    # No line of group 4 takes less than a bit; those of plain runs begin at whole bytes.
    most = {t.CCITT_RLE: len(data), t.CCITT_G4: 8 * len(data)}.get(layout.compression)
    if rows > (_line_ends(data) if most is None else most):
        raise short
    decode = getattr(imagecodecs, f"{t.FAX[layout.compression]}_decode")
    options = {"height": rows, "width": layout.piece_columns}
    if layout.compression == t.CCITT_G3:
        options["t4options"] = layout.options
    lines = source.call(decode, data, **options)
    for sentinel in _SENTINELS:
        if not np.array_equal(lines, source.call(decode, data + sentinel, **options)):
            raise short
    packed: memoryview = np.packbits(lines.astype(bool), axis=1).reshape(-1).data
    return packed


def _line_ends(data: bytes) -> int:
    """Return how often a one stands behind eleven zeros or more."""
    count, last = 0, -1
    for start in range(0, len(data), _CHUNK):
        bits = np.unpackbits(np.frombuffer(data[start : start + _CHUNK], np.uint8))
        ones = np.flatnonzero(bits) + 8 * start
        count += int((np.diff(ones, prepend=last) > _LINE_END_ZEROS).sum())
        last = int(ones[-1]) if len(ones) else last
    return count


def _expand_jpeg(source: Source, layout: Layout, data: bytes, rows: int) -> Buffer:
    """Decode a JPEG stream; what it makes of its samples is what the picture is."""
    from imagecodecs import jpeg8_decode

    stream_rows, *shape = _jpeg_shape(source, data)
    known = stream_rows in (rows, layout.piece_rows)
    if not known or shape != [layout.piece_columns, layout.channels]:
        raise source.damaged("a JPEG stream in it has another size")
    if data.count(_JPEG_SCAN) > MOST_SCANS:
        raise source.unsupported("a TIFF with JPEG streams of many scans")
    # Decoders paint gray what is missing, and only warn.
    if not data.rstrip(b"\0\xff").endswith(_JPEG_END[1:]):
        raise source.cut_short()
    stored = _JPEG_SPACES.get(layout.photometric, "GRAYSCALE")
    spaces = {"colorspace": stored, "outcolorspace": "RGB" if stored == "YCBCR" else stored}
    pixels = source.call(jpeg8_decode, data, tables=layout.tables or None, **spaces)
    if pixels.size != stream_rows * layout.row_bytes or pixels.dtype != np.uint8:
        raise source.damaged("a JPEG stream in it has another size")
    samples: memoryview = np.ascontiguousarray(pixels).reshape(-1).data
    return samples


def _jpeg_shape(source: Source, data: bytes) -> tuple[int, int, int]:
    """Return rows, columns and channels that a JPEG stream claims in front of its samples."""
    position = 2
    while data[position : position + 1] == b"\xff" and position + 10 <= len(data):
        marker = data[position + 1]
        length = int.from_bytes(data[position + 2 : position + 4], "big")
        if marker in _JPEG_FRAMES and data[position + 4] == 8:
            rows, columns, channels = struct.unpack_from(">HHB", data, position + 5)
            return rows, columns, channels
        if marker == _JPEG_SCAN[1] or length < 2:
            break
        position += 2 + length
    raise source.unsupported("a TIFF with JPEG streams of a rare kind")
