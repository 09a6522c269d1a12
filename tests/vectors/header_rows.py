"""Cases of header rows: pictures as they are written, as programs change them, and damaged ones."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from sudokucrypt import encrypt_bytes, scramble_bytes
from sudokucrypt.images import Picture, decode_picture
from sudokucrypt.images.header_rows import make_header_rows, remove_header_rows
from sudokucrypt.typing import AnyArray
from tests.images.builders import make_png_chunk
from tests.vectors.common import KEY, Case, make_plain_bytes

HEADER = b'{"sudokucrypt":1,"scheme":"encrypt-v1"}'
"""Reading rows does not read the header, so that any text will do."""


def make_header_row_cases() -> list[dict[str, Any]]:
    """Return a case for each stored picture: the header in its rows, and what is above them."""
    return [_make_case(name, pixels) for name, pixels in _find_store()]


def _find_store() -> Iterator[tuple[str, AnyArray]]:
    for bits in (8, 16):
        for channels, mode in enumerate(("gray", "gray-alpha", "rgb", "rgba"), start=1):
            yield f"written: {mode}, {bits} bits", _write_file((3, 5, channels), bits)
    yield "written: one column", _write_file((2, 1, 1), 8)
    yield "written: one row of RGB", _write_file((1, 40, 3), 8)
    yield "written: rows without zeros", _write_file((2, len(HEADER) + 24, 1), 8)
    rgb, gray, wide_pixels = (
        _write_file((3, 5, *more), bits) for more, bits in (((3,), 8), ((1,), 8), ((3,), 16))
    )
    full = np.full((*rgb.shape[:2], 1), 255, dtype=np.uint8)
    yield "changed: RGB with opacity", np.dstack([rgb, full])
    yield "changed: gray as RGB", np.dstack([gray, gray, gray])
    yield "changed: 8 bits as 16", rgb.astype(np.uint16) * 257
    yield "changed: 16 bits as 8", (wide_pixels >> 8).astype(np.uint8)
    yield "changed: a sample above the rows", _change_sample(rgb, 0)
    for row in (3, -1):
        yield f"damaged: row {row}", _change_sample(rgb, row)
    yield "damaged: the last row cut off", rgb[:-1]
    yield "damaged: nothing above the rows", rgb[3:]
    yield "damaged: red alone", np.ascontiguousarray(rgb[..., 0])


def _write_file(shape: tuple[int, ...], bits: int) -> AnyArray:
    """Return a picture whose samples count up, with rows."""
    shape = shape[:2] if shape[2] == 1 else shape
    pixels = (np.arange(np.prod(shape)) * 7 % 256).reshape(shape)
    pixels = pixels.astype(np.uint8) if bits == 8 else (pixels * 257).astype(np.uint16)
    picture = replace(Picture.plain(pixels), header=HEADER, header_rows=True)
    return np.concatenate([pixels, make_header_rows(picture)])


def _change_sample(pixels: AnyArray, row: int) -> AnyArray:
    changed = pixels.copy()
    changed[row, 0, 2] ^= 1
    return changed


def _make_case(name: str, pixels: AnyArray) -> dict[str, Any]:
    read_picture = remove_header_rows(Picture.plain(pixels))
    header = None if read_picture.header is None else read_picture.header.decode()
    return {
        "name": name,
        "stored": _show_picture(pixels),
        "header": header,
        "plain": None if header is None else _show_picture(read_picture.pixels),
    }


def _show_picture(pixels: AnyArray) -> dict[str, Any]:
    rows, columns, *channels = pixels.shape
    return {
        "rows": rows,
        "columns": columns,
        "channels": channels[0] if channels else 1,
        "bits": 8 * pixels.dtype.itemsize,
        "samples": pixels.astype(pixels.dtype.newbyteorder(">")).tobytes().hex(),
    }


# Cases of caption rows: PNG files with rows above the picture, which are words or not.


_CONTENT = make_plain_bytes("caption", 100)


def make_captions() -> list[Case]:
    """Return a case for each file: the content that it is restored to, or none if it is refused."""
    return list(_iterate_captions())


def _iterate_captions() -> Iterator[Case]:
    plain = encrypt_bytes(_CONTENT, KEY, deterministic=True, as_file=True, header_rows=False)
    caption_rows = np.array([[0, 255] * 6, [255] * 12, [0] * 12], dtype=np.uint8)
    gray = caption_rows.copy()
    gray[2, 11] = 1
    for name, png, rows, restored in (
        ("no caption", plain, caption_rows[:0], True),
        ("one row", plain, caption_rows[:1], True),
        ("three rows", plain, caption_rows, True),
        ("a sample of 1", plain, gray, False),
        ("one row less than columns", plain, np.repeat(caption_rows[1:2], 11, axis=0), True),
        ("as many rows as columns", plain, np.repeat(caption_rows[1:2], 12, axis=0), False),
    ):
        yield _make_caption(name, png, rows, restored)
    scrambled = scramble_bytes(_make_gray_picture(), KEY, deterministic=True, header_rows=False)
    yield _make_caption("a scrambled picture", scrambled, caption_rows, False)


def _make_gray_picture() -> bytes:
    """Return a gray PNG of 12 columns."""
    pixels = np.frombuffer(_CONTENT[:96], np.uint8).reshape(8, 12)
    return _join_png(
        [make_png_chunk(b"IHDR", struct.pack(">IIBBBBB", 12, 8, 8, 0, 0, 0, 0))], pixels
    )


def _make_caption(name: str, png: bytes, rows: AnyArray, restored: bool) -> Case:
    header_chunks = png[8 : png.index(b"IDAT") - 4]
    pixels = decode_picture(png).pixels
    columns = pixels.shape[1]
    assert columns == 12
    tall = np.concatenate([rows, pixels])
    size = struct.pack(">II", columns, len(tall))
    ihdr = make_png_chunk(b"IHDR", size + header_chunks[16:21])
    return {
        "name": name,
        "picture": _join_png([ihdr, header_chunks[25:]], tall).hex(),
        "content": _CONTENT.hex() if restored else None,
    }


def _join_png(header_chunks: list[bytes], pixels: AnyArray) -> bytes:
    samples = b"".join(b"\0" + row.tobytes() for row in pixels)
    body = make_png_chunk(b"IDAT", zlib.compress(samples, 0))
    return b"".join([b"\x89PNG\r\n\x1a\n", *header_chunks, body, make_png_chunk(b"IEND", b"")])
