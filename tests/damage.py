"""Damage for tests: changes of bytes, of chunks and segments, and of stored samples."""

import io
import random
import zlib

import numpy as np
from PIL import Image

from tests.images.builders import save_image

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
LAYOUTS: dict[bytes, tuple[int, int, int, int]] = {
    PNG: (8, 0, 4, 12),
    JPEG: (2, 2, 2, 2),
}
"""Where the first piece starts, and in each where its length stands, which lacks some bytes."""
EDGES = bytes([0, 1, 0x7F, 0x80, 0xFF])


def split_pieces(data: bytes) -> list[bytes]:
    """Return the chunks or segments of a file; a file of another format in pieces of 16 bytes."""
    layout = next((value for start, value in LAYOUTS.items() if data.startswith(start)), None)
    if layout is None:
        return [data[at : at + 16] for at in range(0, max(1, len(data)), 16)]
    at, offset, width, more = layout
    result = [data[:at]]
    while at + 8 < len(data):
        length = int.from_bytes(data[at + offset : at + offset + width], "big") + more
        result.append(data[at : at + length])
        at += max(length, 4)
    return [*result, data[at:]]


def change_bytes(source: random.Random, data: bytes, other: bytes = b"") -> bytes:
    """Change, insert, remove, duplicate or move bytes of a file, cut it, or append the end of
    another.
    """
    if not data:
        return data
    at = source.randrange(len(data))
    end = min(len(data), at + source.choice((1, 1, 2, 4, 30)))
    part = data[at:end]
    flipped = bytes([data[at] ^ 1 << source.randrange(8)])
    return source.choice(
        (
            data[:at] + flipped + data[at + 1 :],
            data[:at] + bytes([source.choice(EDGES)]) + data[at + 1 :],
            data[:at] + source.randbytes(end - at) + data[end:],
            data[:at] + source.randbytes(end - at) + data[at:],
            data[:at] + data[end:],
            data[:end] + part + data[end:],
            data[:at] + data[end:] + part,
            data[:at],
            data[:at] + other[at:],
        )
    )


def change_pieces(source: random.Random, data: bytes, other: bytes) -> bytes:
    """Remove, duplicate, exchange or change chunks, or insert a chunk of another file."""
    parts, others = split_pieces(data), split_pieces(other)
    one, two = (source.randrange(len(parts)) for _ in range(2))
    match source.randrange(5):
        case 0:
            del parts[one]
        case 1:
            parts.insert(two, parts[one])
        case 2:
            parts[one], parts[two] = parts[two], parts[one]
        case 3:
            parts[one] = source.choice(others)
        case _:
            parts[one] = _fix_checksum(change_bytes(source, parts[one]), data)
    return b"".join(parts)


def change_samples(source: random.Random, data: bytes, _other: bytes) -> bytes:
    """Save a picture again without its header, with or without changed samples.

    The rows of a copy of the header then count, so rows are changed, exchanged, duplicated or cut.
    """
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            pixels = np.array(image)
    except Exception:  # of many kinds: it is no such file, or was changed before
        return data
    one, two = (source.randrange(len(pixels)) for _ in range(2))
    match source.randrange(6):
        case 0:
            pixels.reshape(-1)[source.randrange(pixels.size)] ^= True
        case 1:
            pixels[[one, two]] = pixels[[two, one]]
        case 2:
            pixels = np.insert(pixels, one, pixels[two], axis=0)
        case 3:
            pixels = np.delete(pixels, one, axis=0)
        case 4:
            pixels = pixels[:, : source.randrange(1, pixels.shape[1] + 1)]
    return save_image(pixels, "PNG") if pixels.size else b""


def _fix_checksum(chunk: bytes, data: bytes) -> bytes:
    """Return a changed chunk of a PNG with correct length and checksum."""
    if not data.startswith(PNG) or len(chunk) < 12:
        return chunk
    body = chunk[4:-4]
    return (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
