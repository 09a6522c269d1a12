"""From the strips and tiles of a TIFF page to its samples, and from samples to a strip.

A piece gets the memory that its samples need and no more, and one that is too short is refused.
libtiff would do this too, but it reads on into whatever follows a short piece, prints warnings,
and paints white what it does not find.
"""

import hashlib
import lzma
import zlib
from collections.abc import Iterator
from typing import Final

import numpy as np

from sudokucrypt.images.bits import pack_bits, spread, unpack_bits
from sudokucrypt.images.jpeg.file import stream_shape
from sudokucrypt.images.jpeg.segments import MOST_SCANS
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.colors import Mixing, from_lab, from_ycbcr
from sudokucrypt.images.tiff.directory import ByteOrder, TiffReader
from sudokucrypt.images.tiff.layout import SampleLayout
from sudokucrypt.typing import AnyArray, Buffer

# Each byte with its bits in the other order, for `bytes.translate`.
REVERSED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))

# Codes of no meaning. A picture that ends too early goes on with them, and comes out otherwise.
_SENTINELS = tuple(hashlib.sha512(bytes([n])).digest() for n in range(8))
_CODECS: Final = {t.LZW: "lzw", t.PACKBITS: "packbits", t.ZSTD: "zstd"}
_LINE_END_ZEROS = 11
_SEARCHED = 2**20  # bytes at a time, whose bits take eight times as many
_LZMA_MEMORY = 2**28
_JPEG_SCAN, _JPEG_END = b"\xff\xda", b"\xff\xd9"
_JPEG_SPACES: Final = {t.YCBCR: "YCBCR", t.RGB: "RGB", t.CMYK: "CMYK"}
# Rows are unpacked by this many bytes, to need little memory besides the samples.
_CHUNK = 2**22


def expand(source: Source, layout: SampleLayout, data: memoryview, rows: int) -> Buffer:
    """Return the bytes of `rows` rows of a piece, as they would be without compression."""
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


def _expand_fax(source: Source, layout: SampleLayout, data: bytes, rows: int) -> Buffer:
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
    """Return how often a one follows eleven zeros or more."""
    count, last = 0, -1
    for start in range(0, len(data), _SEARCHED):
        bits = np.unpackbits(np.frombuffer(data[start : start + _SEARCHED], np.uint8))
        ones = np.flatnonzero(bits) + 8 * start
        count += int((np.diff(ones, prepend=last) > _LINE_END_ZEROS).sum())
        last = int(ones[-1]) if len(ones) else last
    return count


def _expand_jpeg(source: Source, layout: SampleLayout, data: bytes, rows: int) -> Buffer:
    """Decode a JPEG stream; what it makes of its samples is what the picture is."""
    from imagecodecs import jpeg8_decode

    claimed = stream_shape(data)
    if claimed is None:
        raise source.unsupported("a TIFF with JPEG streams of a rare kind")
    stream_rows, *shape = claimed
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


def read_samples(reader: TiffReader, layout: SampleLayout, mixing: Mixing | None) -> AnyArray:
    """Return the samples of a page, with white at the highest value.

    Samples of 9 to 15 bits are spread over 16. YCbCr that is no JPEG becomes RGB as `mixing` says,
    and CIELab RGB of 16 bits.
    """
    rows, columns, channels = layout.rows, layout.columns, layout.channels
    pixels = np.empty((rows, columns, channels), dtype=layout.dtype)
    across = -(-columns // layout.piece_columns)
    down = -(-rows // layout.piece_rows)
    for index, segment in enumerate(layout.segments):
        plane, rest = divmod(index, across * down)
        top, left = rest // across * layout.piece_rows, rest % across * layout.piece_columns
        part = pixels[top : top + layout.piece_rows, left : left + layout.piece_columns]
        if layout.separate:
            part = part[..., plane : plane + 1]
        stored_rows = layout.piece_rows if layout.tiled else len(part)
        if layout.subsampling and mixing:
            groups = -(-stored_rows // layout.subsampling[1])
            raw = expand(reader.source, layout, reader.view(*segment), groups)
            colored = from_ycbcr(raw, layout.subsampling, (groups, layout.piece_columns), mixing)
            part[:] = colored[: len(part), : part.shape[1]]
            continue
        raw = expand(reader.source, layout, reader.view(*segment), stored_rows)
        for start, block in _blocks(layout, raw, len(part)):
            part[start : start + len(block)] = block[:, : part.shape[1]]
    if layout.photometric == t.WHITE_IS_ZERO:
        pixels[..., 0] ^= pixels.dtype.type(2**layout.bits - 1)
    if layout.used < channels:
        pixels = np.ascontiguousarray(pixels[..., : layout.used])
    if layout.packed:
        pixels = spread(reader.source, pixels, layout.bits)
    if layout.lab:
        pixels = from_lab(pixels, signed=layout.photometric == t.CIELAB)
    return pixels.reshape(rows, columns) if layout.used == 1 else pixels


def _blocks(layout: SampleLayout, raw: Buffer, rows: int) -> Iterator[tuple[int, AnyArray]]:
    """Yield the samples of some rows at a time, and the number of the first."""
    size = layout.row_bytes
    step = max(1, _CHUNK // size)
    for start in range(0, rows, step):
        count = min(step, rows - start)
        lines = np.frombuffer(raw, np.uint8, count * size, start * size).reshape(count, size)
        if layout.reversed_bits and layout.compression == t.NOT_COMPRESSED:
            flipped = lines.tobytes().translate(REVERSED)
            lines = np.frombuffer(flipped, np.uint8).reshape(count, size)
        yield start, _samples(layout, lines)


def _samples(layout: SampleLayout, lines: AnyArray) -> AnyArray:
    """Turn rows of bytes into samples of shape (rows, columns, channels)."""
    shape = (len(lines), layout.piece_columns, layout.width)
    count, size = shape[1] * shape[2], layout.bits // 8
    if layout.bits < 8:
        return unpack_bits(lines, layout.bits, count).reshape(shape)
    if layout.packed:
        from imagecodecs import packints_decode

        unpacked: AnyArray = packints_decode(lines.tobytes(), "u2", layout.bits, runlen=count)
        return unpacked.reshape(shape)
    if layout.predictor == t.FLOAT_DIFFERENCES:
        # The highest bytes of a row come first, then the next ones.
        mixed = np.cumsum(lines.reshape(len(lines), -1, layout.width), axis=1, dtype=np.uint8)
        planes = mixed.reshape(len(lines), size, -1).swapaxes(1, 2)
        return np.ascontiguousarray(planes).view(f">f{size}").reshape(shape)
    if layout.predictor == t.DIFFERENCES:
        # Floats are predicted by their bits as well; sums wrap around.
        whole = np.dtype(f"u{size}")
        stored = lines.view(whole.newbyteorder(layout.order)).reshape(shape).astype(whole)
        return np.cumsum(stored, axis=1, dtype=whole, out=stored).view(layout.dtype)
    return lines.view(layout.dtype.newbyteorder(layout.order)).reshape(shape)


def stored(pixels: AnyArray, depth: int, order: ByteOrder) -> Buffer:
    """Return rows of samples as a strip without compression; a view of them where it can be."""
    if depth >= 8:
        swapped = pixels.astype(pixels.dtype.newbyteorder(order), copy=False)
        packed = np.ascontiguousarray(swapped).reshape(-1).view(np.uint8)
    else:
        packed = pack_bits(pixels.reshape(len(pixels), -1), depth)
    flat: memoryview = packed.reshape(-1).data
    return flat
