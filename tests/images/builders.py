"""Image files put together byte by byte, by other means than the ones under test."""

from __future__ import annotations

import io
import struct
import zlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from PIL import Image

from sudokucrypt.images import Picture, encode_picture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudokucrypt.typing import AnyArray

HEADER = b'{"sudokucrypt":1,"text":"<&amp;> \\" \' ~"}'
SIZES = ((1, 1), (1, 7), (5, 3), (48, 64))
CHANNELS = (1, 2, 3, 4)
DTYPES = ("uint8", "uint16")

_TIFF_CODES = {1: "B", 3: "H", 4: "I", 16: "Q"}


def noise(rows: int, columns: int, channels: int, dtype: str = "uint8") -> AnyArray:
    """Samples of every value, the same in each run."""
    shape = (rows, columns) if channels == 1 else (rows, columns, channels)
    generator = np.random.default_rng([rows, columns, channels])
    return generator.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def encoded(
    pixels: AnyArray, file_format: str, *, header: bytes | None = None, compress: int = 0
) -> bytes:
    """The file that the package writes of an array that means what its channels say."""
    return encode_picture(Picture.plain(pixels, header=header), file_format, compress=compress)


def saved(pixels: AnyArray, file_format: str, mode: str | None = None, **options: Any) -> bytes:
    """The file that Pillow writes, of samples that mean `mode`."""
    image = Image.fromarray(pixels)
    if mode is not None:
        image = Image.frombytes(mode, image.size, image.tobytes())
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


def opened(data: bytes) -> AnyArray:
    """The samples that Pillow reads."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)


def png_chunk(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_lines(pixels: AnyArray) -> bytes:
    """Lines of big-endian samples, each behind filter type 0."""
    rows = pixels.astype(pixels.dtype.newbyteorder(">"))
    return b"".join(b"\0" + row.tobytes() for row in rows)


def png(
    columns: int,
    rows: int,
    lines: bytes,
    *,
    bits: int = 8,
    color: int = 0,
    interlace: int = 0,
    before: Sequence[bytes] = (),
    after: Sequence[bytes] = (),
) -> bytes:
    """A PNG of these lines, with more chunks before and after them."""
    head = struct.pack(">IIBBBBB", columns, rows, bits, color, 0, 0, interlace)
    chunks = (
        png_chunk(b"IHDR", head),
        *before,
        png_chunk(b"IDAT", zlib.compress(lines)),
        *after,
        png_chunk(b"IEND"),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def png_of(pixels: AnyArray, **options: Any) -> bytes:
    """A PNG of this array without filters."""
    rows, columns = pixels.shape[:2]
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    return png(
        columns,
        rows,
        png_lines(pixels),
        bits=8 * pixels.dtype.itemsize,
        color={1: 0, 2: 4, 3: 2, 4: 6}[channels],
        **options,
    )


def tiff(
    changes: Mapping[int, tuple[int, Sequence[int]] | None] | None = None,
    *,
    pixels: AnyArray | None = None,
    more: Sequence[tuple[int, int, bytes]] = (),
    order: Literal["<", ">"] = "<",
    big: bool = False,
    following: int = 0,
) -> bytes:
    """A TIFF of one strip, whose tags can be changed, left out (None) or added to (`more`)."""
    array = noise(5, 3, 3) if pixels is None else pixels
    channels = 1 if array.ndim == 2 else array.shape[2]
    strip = array.astype(array.dtype.newbyteorder(order)).tobytes()
    number, count, start = ("Q", "Q", 16) if big else ("I", "H", 8)
    tags: dict[int, tuple[int, Sequence[int]] | None] = {
        256: (4, [array.shape[1]]),
        257: (4, [array.shape[0]]),
        258: (3, [8 * array.dtype.itemsize] * channels),
        259: (3, [1]),
        262: (3, [2 if channels > 2 else 1]),
        273: (4, [start]),
        277: (3, [channels]),
        278: (4, [array.shape[0]]),
        279: (4, [len(strip)]),
    }
    if channels in (2, 4):
        tags[338] = (3, [2])
    tags.update(changes or {})
    entries = [
        (tag, value[0], len(value[1]), struct.pack(f"{order}{len(value[1])}{code}", *value[1]))
        for tag, value in tags.items()
        if value is not None
        for code in [_TIFF_CODES[value[0]]]
    ]
    entries += [(tag, kind, len(body), body) for tag, kind, body in more]
    entries.sort(key=lambda entry: entry[0])
    room = struct.calcsize(f"={number}")
    body, directory = bytearray(strip), bytearray()
    for tag, kind, length, value in entries:
        directory += struct.pack(f"{order}HH{number}", tag, kind, length)
        if len(value) <= room:
            directory += value.ljust(room, b"\0")
        else:
            directory += struct.pack(f"{order}{number}", start + len(body))
            body += value
    magic = b"II" if order == "<" else b"MM"
    offset = start + len(body)
    head = (
        struct.pack(f"{order}HHHQ", 43, 8, 0, offset)
        if big
        else struct.pack(f"{order}HI", 42, offset)
    )
    size = struct.pack(f"{order}{count}", len(entries))
    return (
        magic + head + bytes(body) + size + directory + struct.pack(f"{order}{number}", following)
    )


def bmp(
    bits: int,
    lines: bytes,
    *,
    columns: int,
    rows: int,
    compression: int = 0,
    extra: bytes = b"",
    header_size: int = 40,
) -> bytes:
    """A BMP; `extra` is what stands between its first 40 header bytes and its lines."""
    offset = 14 + 40 + len(extra)
    head = struct.pack(
        "<IiiHHIIiiII", header_size, columns, rows, 1, bits, compression, 0, 0, 0, 0, 0
    )
    return b"BM" + struct.pack("<IHHI", offset + len(lines), 0, 0, offset) + head + extra + lines


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    """A WebP file of these chunks."""
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
        for kind, data in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body
