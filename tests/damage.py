"""Damage for tests: changes of bytes, of chunks and segments, and of stored samples."""

import io
import random
import zlib

import numpy as np
from PIL import Image

from tests.images.builders import save_image

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
PIECE_LAYOUTS: dict[bytes, tuple[int, int, int, int]] = {
    PNG: (8, 0, 4, 12),
    JPEG: (2, 2, 2, 2),
}
"""Where the first piece starts, and in each where its length stands, which lacks some bytes."""
EXTREME_BYTES = bytes([0, 1, 0x7F, 0x80, 0xFF])


def split_pieces(data: bytes) -> list[bytes]:
    """Return the chunks or segments of a file; a file of another format in pieces of 16 bytes."""
    layout = next((value for start, value in PIECE_LAYOUTS.items() if data.startswith(start)), None)
    if layout is None:
        return [data[position : position + 16] for position in range(0, max(1, len(data)), 16)]
    position, offset, width, extra_length = layout
    result = [data[:position]]
    while position + 8 < len(data):
        length = (
            int.from_bytes(data[position + offset : position + offset + width], "big")
            + extra_length
        )
        result.append(data[position : position + length])
        position += max(length, 4)
    return [*result, data[position:]]


def change_bytes(source: random.Random, data: bytes, other_data: bytes = b"") -> bytes:
    """Change, insert, remove, duplicate or move bytes, cut a file, or append the end of another."""
    if not data:
        return data
    position = source.randrange(len(data))
    end = min(len(data), position + source.choice((1, 1, 2, 4, 30)))
    part = data[position:end]
    flipped = bytes([data[position] ^ 1 << source.randrange(8)])
    return source.choice(
        (
            data[:position] + flipped + data[position + 1 :],
            data[:position] + bytes([source.choice(EXTREME_BYTES)]) + data[position + 1 :],
            data[:position] + source.randbytes(end - position) + data[end:],
            data[:position] + source.randbytes(end - position) + data[position:],
            data[:position] + data[end:],
            data[:end] + part + data[end:],
            data[:position] + data[end:] + part,
            data[:position],
            data[:position] + other_data[position:],
        )
    )


def change_pieces(source: random.Random, data: bytes, other_data: bytes) -> bytes:
    """Remove, duplicate, exchange or change chunks, or insert a chunk of another file."""
    parts, other_parts = split_pieces(data), split_pieces(other_data)
    first, second = (source.randrange(len(parts)) for _ in range(2))
    match source.randrange(5):
        case 0:
            del parts[first]
        case 1:
            parts.insert(second, parts[first])
        case 2:
            parts[first], parts[second] = parts[second], parts[first]
        case 3:
            parts[first] = source.choice(other_parts)
        case _:
            parts[first] = _fix_checksum(change_bytes(source, parts[first]), data)
    return b"".join(parts)


def change_samples(source: random.Random, data: bytes, _other: bytes) -> bytes:
    """Save a picture again without its header, with or without changed samples.

    The rows of a copy of the header then count, so rows are changed, exchanged, duplicated or cut.
    """
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            pixels = np.array(image)
    except Exception:  # Pillow raises many kinds of errors for changed files
        return data
    first, second = (source.randrange(len(pixels)) for _ in range(2))
    match source.randrange(6):
        case 0:
            pixels.reshape(-1)[source.randrange(pixels.size)] ^= True
        case 1:
            pixels[[first, second]] = pixels[[second, first]]
        case 2:
            pixels = np.insert(pixels, first, pixels[second], axis=0)
        case 3:
            pixels = np.delete(pixels, first, axis=0)
        case 4:
            pixels = pixels[:, : source.randrange(1, pixels.shape[1] + 1)]
    return save_image(pixels, "PNG") if pixels.size else b""


def _fix_checksum(chunk: bytes, data: bytes) -> bytes:
    """Return a changed chunk of a PNG with correct length and checksum."""
    if not data.startswith(PNG) or len(chunk) < 12:
        return chunk
    body = chunk[4:-4]
    return (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
