"""Cases of caption rows: PNG files with rows above the picture, which are words or not."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np

from sudokucrypt import encrypt_bytes, scramble_bytes
from sudokucrypt.images import decode_picture
from sudokucrypt.typing import AnyArray
from tests.vectors.common import KEY, Case, plain_bytes

_CONTENT = plain_bytes("caption", 100)


def captions() -> list[Case]:
    """Return a case for each file: the content that it is restored to, or none if it is refused."""
    return list(_cases())


def _cases() -> Iterator[Case]:
    plain = encrypt_bytes(_CONTENT, KEY, deterministic=True, as_file=True, header_rows=False)
    above = np.array([[0, 255] * 6, [255] * 12, [0] * 12], dtype=np.uint8)
    gray = above.copy()
    gray[2, 11] = 1
    for name, png, rows, restored in (
        ("no caption", plain, above[:0], True),
        ("one row", plain, above[:1], True),
        ("three rows", plain, above, True),
        ("a sample of 1", plain, gray, False),
        ("one row less than columns", plain, np.repeat(above[1:2], 11, axis=0), True),
        ("as many rows as columns", plain, np.repeat(above[1:2], 12, axis=0), False),
    ):
        yield _case(name, png, rows, restored)
    scrambled = scramble_bytes(_picture(), KEY, deterministic=True, header_rows=False)
    yield _case("a scrambled picture", scrambled, above, False)


def _picture() -> bytes:
    """Return a gray PNG of 12 columns."""
    pixels = np.frombuffer(_CONTENT[:96], np.uint8).reshape(8, 12)
    return _png([_chunk(b"IHDR", struct.pack(">IIBBBBB", 12, 8, 8, 0, 0, 0, 0))], pixels)


def _case(name: str, png: bytes, rows: AnyArray, restored: bool) -> Case:
    head = png[8 : png.index(b"IDAT") - 4]
    pixels = decode_picture(png).pixels
    columns = pixels.shape[1]
    assert columns == 12
    tall = np.concatenate([rows, pixels])
    size = struct.pack(">II", columns, len(tall))
    ihdr = _chunk(b"IHDR", size + head[16:21])
    return {
        "name": name,
        "picture": _png([ihdr, head[25:]], tall).hex(),
        "content": _CONTENT.hex() if restored else None,
    }


def _png(head: list[bytes], pixels: AnyArray) -> bytes:
    samples = b"".join(b"\0" + row.tobytes() for row in pixels)
    body = _chunk(b"IDAT", zlib.compress(samples, 0))
    return b"".join([b"\x89PNG\r\n\x1a\n", *head, body, _chunk(b"IEND", b"")])


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
