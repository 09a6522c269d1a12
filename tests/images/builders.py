"""Build image files byte by byte, without the code under test."""

import io
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from PIL import Image

from sudokucrypt.images import Picture, encode_picture
from sudokucrypt.typing import AnyArray

HEADER = b'{"sudokucrypt":1,"text":"<&amp;> \\" \' ~"}'
SIZES = ((1, 1), (1, 7), (5, 3), (48, 64))
CHANNELS = (1, 2, 3, 4)
DTYPES = ("uint8", "uint16")

_TIFF_CODES = {1: "B", 3: "H", 4: "I", 16: "Q"}


def noise(rows: int, columns: int, channels: int, dtype: str = "uint8") -> AnyArray:
    """Return reproducible random samples that have all values."""
    shape = (rows, columns) if channels == 1 else (rows, columns, channels)
    generator = np.random.default_rng([rows, columns, channels])
    return generator.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def encode_array(
    pixels: AnyArray, file_format: str, *, header: bytes | None = None, compress: int = 0
) -> bytes:
    """Return the file that the package writes for an array in its default mode."""
    return encode_picture(Picture.plain(pixels, header=header), file_format, compress=compress)


def save_image(
    pixels: AnyArray, file_format: str, mode: str | None = None, **options: Any
) -> bytes:
    """Return the file that Pillow writes for samples of a mode of Pillow."""
    image = Image.fromarray(pixels)
    if mode is not None:
        image = Image.frombytes(mode, image.size, image.tobytes())
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


def read_by_pillow(data: bytes) -> AnyArray:
    """Return the samples that Pillow reads."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)


def make_png_chunk(kind: bytes, body: bytes = b"") -> bytes:
    """Return a PNG chunk with a correct checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def make_png_lines(pixels: AnyArray) -> bytes:
    """Return lines of big-endian samples, each after filter number 0."""
    rows = pixels.astype(pixels.dtype.newbyteorder(">"))
    return b"".join(b"\0" + row.tobytes() for row in rows)


def build_png(
    columns: int,
    rows: int,
    lines: bytes,
    *,
    bits: int = 8,
    color: int = 0,
    interlace: int = 0,
    chunks_before: Sequence[bytes] = (),
    chunks_after: Sequence[bytes] = (),
) -> bytes:
    """Return a PNG of lines, with the given chunks before and after the IDAT chunk."""
    header_body = struct.pack(">IIBBBBB", columns, rows, bits, color, 0, 0, interlace)
    chunks = (
        make_png_chunk(b"IHDR", header_body),
        *chunks_before,
        make_png_chunk(b"IDAT", zlib.compress(lines)),
        *chunks_after,
        make_png_chunk(b"IEND"),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def make_png(pixels: AnyArray, **options: Any) -> bytes:
    """Return a PNG of an array, without filters."""
    rows, columns = pixels.shape[:2]
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    return build_png(
        columns,
        rows,
        make_png_lines(pixels),
        bits=8 * pixels.dtype.itemsize,
        color={1: 0, 2: 4, 3: 2, 4: 6}[channels],
        **options,
    )


def build_tiff(
    changed_tags: Mapping[int, tuple[int, Sequence[int]] | None] | None = None,
    *,
    pixels: AnyArray | None = None,
    more_tags: Sequence[tuple[int, int, bytes]] = (),
    order: Literal["<", ">"] = "<",
    is_big: bool = False,
    following: int = 0,
) -> bytes:
    """Return a TIFF of one strip.

    `changed_tags` replaces the values of tags, or removes a tag if the value is None. `more_tags`
    is bytes that are appended.
    """
    array = noise(5, 3, 3) if pixels is None else pixels
    channels = 1 if array.ndim == 2 else array.shape[2]
    strip = array.astype(array.dtype.newbyteorder(order)).tobytes()
    number, count, start = ("Q", "Q", 16) if is_big else ("I", "H", 8)
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
    tags.update(changed_tags or {})
    entries = [
        (tag, value[0], len(value[1]), struct.pack(f"{order}{len(value[1])}{code}", *value[1]))
        for tag, value in tags.items()
        if value is not None
        for code in [_TIFF_CODES[value[0]]]
    ]
    entries += [(tag, kind, len(body), body) for tag, kind, body in more_tags]
    entries.sort(key=lambda entry: entry[0])
    inline_size = struct.calcsize(f"={number}")
    body, directory = bytearray(strip), bytearray()
    for tag, kind, length, value in entries:
        directory += struct.pack(f"{order}HH{number}", tag, kind, length)
        if len(value) <= inline_size:
            directory += value.ljust(inline_size, b"\0")
        else:
            directory += struct.pack(f"{order}{number}", start + len(body))
            body += value
    magic = b"II" if order == "<" else b"MM"
    offset = start + len(body)
    head = (
        struct.pack(f"{order}HHHQ", 43, 8, 0, offset)
        if is_big
        else struct.pack(f"{order}HI", 42, offset)
    )
    size = struct.pack(f"{order}{count}", len(entries))
    return (
        magic + head + bytes(body) + size + directory + struct.pack(f"{order}{number}", following)
    )


def build_bmp(
    bits: int,
    lines: bytes,
    *,
    columns: int,
    rows: int,
    compression: int = 0,
    extra: bytes = b"",
    header_size: int = 40,
) -> bytes:
    """Return a BMP; `extra` is the bytes between its first 40 header bytes and its lines."""
    offset = 14 + 40 + len(extra)
    head = struct.pack(
        "<IiiHHIIiiII", header_size, columns, rows, 1, bits, compression, 0, 0, 0, 0, 0
    )
    return b"BM" + struct.pack("<IHHI", offset + len(lines), 0, 0, offset) + head + extra + lines


def build_webp(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return a WebP file of chunks."""
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
        for kind, data in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


# PNG

PNG_MODES = (
    (0, 1),
    (0, 2),
    (0, 4),
    (0, 8),
    (0, 16),
    (2, 8),
    (2, 16),
    (3, 1),
    (3, 2),
    (3, 4),
    (3, 8),
    (4, 8),
    (4, 16),
    (6, 8),
    (6, 16),
)
"""Color type and bits of everything that a PNG can be."""

_ADAM7 = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def make_png_noise(rows: int, columns: int, color: int, bits: int) -> AnyArray:
    """Return random samples for a color type of PNG, of type bool, uint8 or uint16."""
    values = noise(rows, columns, _PNG_CHANNELS[color], "uint16" if bits == 16 else "uint8")
    return values > 127 if bits == 1 else values >> (8 - bits) if bits < 8 else values


def filter_png_lines(lines: AnyArray, size: int, kinds: Sequence[int]) -> bytes:
    """Return the filtered lines of a picture, each after its filter number from `kinds` in turn."""
    samples = lines.astype(np.int16)
    around = np.pad(samples, ((1, 0), (size, 0)))
    left, upper, corner = around[1:, :-size], around[:-1, size:], around[:-1, :-size]
    near = np.stack([left, upper, corner])
    closest = abs(left + upper - corner - near).argmin(axis=0)
    paeth = np.take_along_axis(near, closest[None], axis=0)[0]
    predictions = np.stack([0 * left, left, upper, (left + upper) // 2, paeth])
    order = np.resize(kinds, len(lines))
    filtered = samples - predictions[order, np.arange(len(lines))]
    return np.column_stack([order, filtered]).astype(np.uint8).tobytes()


def make_png_stream(
    pixels: AnyArray, color: int, bits: int, *, interlace: int = 0, kinds: Sequence[int] = (0,)
) -> bytes:
    """Return the filtered lines of a picture of any color type, packed bit by bit."""
    size = max(1, _PNG_CHANNELS[color] * bits // 8)
    stream = b""
    for top, left, down, right in _ADAM7 if interlace else ((0, 0, 1, 1),):
        pass_pixels = pixels[top::down, left::right]
        if not pass_pixels.size:
            continue
        values = pass_pixels.reshape(len(pass_pixels), -1, 1).astype(np.uint16)
        lines = np.packbits((values >> np.arange(bits)[::-1] & 1).reshape(len(values), -1), axis=1)
        stream += filter_png_lines(lines, size, kinds)
    return stream


def make_png_text(kind: bytes, keyword: str, text: bytes) -> bytes:
    """Return a text chunk without compression and language."""
    plain = b"\0\0\0\0" if kind == b"iTXt" else b""
    return make_png_chunk(kind, keyword.encode("latin-1") + b"\0" + plain + text)


def make_png_control(
    number: int,
    columns: int,
    rows: int,
    *,
    column: int = 0,
    row: int = 0,
    delay: tuple[int, int] = (1, 10),
    disposal: int = 0,
    blend: int = 0,
) -> bytes:
    """Return the fcTL chunk that announces a frame of an animation."""
    numbers = (number, columns, rows, column, row, *delay, disposal, blend)
    return make_png_chunk(b"fcTL", struct.pack(">IIIIIHHBB", *numbers))


def build_apng(
    *chunks: bytes, frames: int, loops: int = 0, columns: int = 4, rows: int = 3
) -> bytes:
    """Return an animated gray PNG of chunks."""
    out = [make_png_chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0))]
    out.append(make_png_chunk(b"acTL", struct.pack(">II", frames, loops)))
    return b"\x89PNG\r\n\x1a\n" + b"".join([*out, *chunks, make_png_chunk(b"IEND")])


def make_png_frame(pixels: AnyArray, number: int | None = None) -> bytes:
    """Return the samples of a gray frame in one chunk: IDAT, or fdAT with its number."""
    stream = zlib.compress(make_png_lines(pixels))
    if number is None:
        return make_png_chunk(b"IDAT", stream)
    return make_png_chunk(b"fdAT", struct.pack(">I", number) + stream)


def read_frames_by_pillow(data: bytes) -> list[tuple[Any, ...]]:
    """Return everything that Pillow reads of each frame of a file."""
    frames = []
    with Image.open(io.BytesIO(data)) as image:
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            image.load()
            info = image.info | getattr(image, "text", {})
            info.pop("interlace", None)
            palette = image.getpalette("RGB") if image.mode == "P" else None
            frames.append((image.mode, image.size, image.tobytes(), palette, info))
    return frames


# GIF, WebP, AVIF and JPEG XL


def list_picture_fields(picture: Picture) -> dict[str, Any]:
    """Return the fields of a picture in a form that can be compared."""
    pixels = picture.pixels
    return {**vars(picture), "pixels": (pixels.tobytes(), pixels.shape, pixels.dtype)}


def make_gif_blocks(data: bytes) -> bytes:
    """Return data in sub-blocks of GIF with their end mark."""
    parts = [data[start : start + 255] for start in range(0, len(data), 255)]
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def encode_gif_codes(indices: Sequence[int], bits: int) -> bytes:
    """Return LZW data that clear the table before codes become longer."""
    clear = 1 << bits
    codes = []
    for number, index in enumerate(indices):
        if number % (clear - 2) == 0:
            codes.append(clear)
        codes.append(index)
    codes.append(clear + 1)
    value = sum(code << (bits + 1) * position for position, code in enumerate(codes))
    size = (len(codes) * (bits + 1) + 7) // 8
    return bytes([bits]) + make_gif_blocks(value.to_bytes(size, "little"))


def make_gif_image(
    pixels: AnyArray,
    *,
    column: int = 0,
    row: int = 0,
    palette: bytes = b"",
    bits: int = 8,
    interlaced: bool = False,
) -> bytes:
    """Return an image block of a GIF."""
    rows, columns = pixels.shape
    flags = (0x80 | (len(palette) // 3).bit_length() - 2 if palette else 0) | interlaced << 6
    if interlaced:
        order = [
            r for first, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for r in range(first, rows, step)
        ]
        pixels = pixels[order]
    image_head = struct.pack("<HHHHB", column, row, columns, rows, flags)
    return b"," + image_head + palette + encode_gif_codes(pixels.reshape(-1).tolist(), bits)


def make_gif_control(delay: int = 0, *, flags: int = 0, transparent: int = 0) -> bytes:
    """Return the extension with delay, disposal and transparency of the next image."""
    return b"!\xf9" + make_gif_blocks(struct.pack("<BHB", flags, delay, transparent))


def make_gif_application(name: bytes, *parts: bytes) -> bytes:
    """Return an application extension, with each part in a sub-block of its own."""
    return b"!\xff\x0b" + name + b"".join(bytes([len(p)]) + p for p in parts) + b"\0"


def build_gif(
    *blocks: bytes,
    columns: int = 8,
    rows: int = 8,
    palette: bytes = b"",
    background: int = 0,
    aspect: int = 0,
    file_end: bytes = b";",
) -> bytes:
    """Return a GIF of blocks."""
    flags = 0x80 | (len(palette) // 3).bit_length() - 2 if palette else 0
    file_head = b"GIF89a" + struct.pack("<HHBBB", columns, rows, flags, background, aspect)
    return file_head + palette + b"".join(blocks) + file_end


def make_box(kind: bytes, *parts: bytes) -> bytes:
    """Return a box of AVIF or JPEG XL."""
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + kind + body
