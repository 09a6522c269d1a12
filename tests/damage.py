"""Random damage to files: to bytes, to chunks and segments, and to stored samples."""

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
"""Start of the first piece; offset and width of the length; bytes that the length omits."""
EXTREME_BYTES = bytes([0, 1, 0x7F, 0x80, 0xFF])


def split_pieces(data: bytes) -> list[bytes]:
    """Return the chunks or segments of a file; for other files, pieces of 16 bytes."""
    layout = next((value for start, value in PIECE_LAYOUTS.items() if data.startswith(start)), None)
    if layout is None:
        return [data[position : position + 16] for position in range(0, max(1, len(data)), 16)]
    position, offset, width, omitted = layout
    pieces = [data[:position]]
    while position + 8 < len(data):
        length = (
            int.from_bytes(data[position + offset : position + offset + width], "big") + omitted
        )
        pieces.append(data[position : position + length])
        position += max(length, 4)
    return [*pieces, data[position:]]


def change_bytes(source: random.Random, data: bytes, other_data: bytes = b"") -> bytes:
    """Change, insert, remove, repeat or move bytes, cut the file off, or append another one."""
    if not data:
        return data
    first = source.randrange(len(data))
    stop = min(len(data), first + source.choice((1, 1, 2, 4, 30)))
    changed_part = data[first:stop]
    flipped = bytes([data[first] ^ 1 << source.randrange(8)])
    return source.choice(
        (
            data[:first] + flipped + data[first + 1 :],
            data[:first] + bytes([source.choice(EXTREME_BYTES)]) + data[first + 1 :],
            data[:first] + source.randbytes(stop - first) + data[stop:],
            data[:first] + source.randbytes(stop - first) + data[first:],
            data[:first] + data[stop:],
            data[:stop] + changed_part + data[stop:],
            data[:first] + data[stop:] + changed_part,
            data[:first],
            data[:first] + other_data[first:],
        )
    )


def change_pieces(source: random.Random, data: bytes, other_data: bytes) -> bytes:
    """Remove, repeat, exchange or change chunks, or take one from another file."""
    parts, other_parts = split_pieces(data), split_pieces(other_data)
    first_index, second_index = (source.randrange(len(parts)) for _ in range(2))
    match source.randrange(5):
        case 0:
            del parts[first_index]
        case 1:
            parts.insert(second_index, parts[first_index])
        case 2:
            parts[first_index], parts[second_index] = parts[second_index], parts[first_index]
        case 3:
            parts[first_index] = source.choice(other_parts)
        case _:
            parts[first_index] = _correct_checksum(change_bytes(source, parts[first_index]), data)
    return b"".join(parts)


def change_samples(source: random.Random, data: bytes, _other: bytes) -> bytes:
    """Save a picture as a program does that drops the header, with changes to its rows or not.

    The header is then read from the header rows: rows are changed, exchanged, repeated or removed.
    """
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            pixels = np.array(image)
    except Exception:  # any error: it is no PNG, for damaged files
        return data
    first_index, second_index = (source.randrange(len(pixels)) for _ in range(2))
    match source.randrange(6):
        case 0:
            pixels.reshape(-1)[source.randrange(pixels.size)] ^= True
        case 1:
            pixels[[first_index, second_index]] = pixels[[second_index, first_index]]
        case 2:
            pixels = np.insert(pixels, first_index, pixels[second_index], axis=0)
        case 3:
            pixels = np.delete(pixels, first_index, axis=0)
        case 4:
            pixels = pixels[:, : source.randrange(1, pixels.shape[1] + 1)]
    return save_image(pixels, "PNG") if pixels.size else b""


def _correct_checksum(chunk: bytes, data: bytes) -> bytes:
    """Return a changed chunk of a PNG with the right length and checksum."""
    if not data.startswith(PNG) or len(chunk) < 12:
        return chunk
    body = chunk[4:-4]
    return (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
