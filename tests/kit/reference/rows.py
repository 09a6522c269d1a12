"""Pictures, section 7: the header in rows below a picture."""

import hashlib
import math

MAGIC = bytes.fromhex("935355444f4b5552")
MAX_HEADER_BYTES = 1048576
DIGEST_BYTES = 8
TAIL_BYTES = 16
LABEL = b"sudokucrypt/v1/header rows"

Pixels = list[list[tuple[int, ...]]]
"""Rows of pixels, each with 1 to 4 samples."""


def _colors(channels: int) -> int:
    return 1 if channels < 3 else 3


def _mixed(data: bytes) -> bytes:
    """The bytes xored with the stream, whose start is for the tail; doing it twice undoes it."""
    stream = hashlib.shake_256(LABEL).digest(len(data))
    stream = stream[TAIL_BYTES:] + stream[:TAIL_BYTES]
    return bytes(x ^ y for x, y in zip(data, stream, strict=True))


def carried(header: bytes, columns: int, channels: int, bits: int) -> bytes:
    """The bytes that the rows of a picture carry."""
    data = header + hashlib.sha256(header).digest()[:DIGEST_BYTES]
    row = columns * _colors(channels)
    total = math.ceil((len(data) + TAIL_BYTES) / row) * row
    tail = MAGIC + len(header).to_bytes(6, "big") + bytes([channels, bits])
    return _mixed(data + bytes(total - len(data) - TAIL_BYTES) + tail)


def rows(header: bytes, columns: int, channels: int, bits: int) -> Pixels:
    """The rows themselves."""
    data = carried(header, columns, channels, bits)
    factor = 257 if bits == 16 else 1
    colors = _colors(channels)
    opacity = (255 * factor,) * (channels in (2, 4))
    samples = [byte * factor for byte in data]
    pixels = [(*samples[i : i + colors], *opacity) for i in range(0, len(samples), colors)]
    return [pixels[i : i + columns] for i in range(0, len(pixels), columns)]


def read(pixels: Pixels, bits: int) -> tuple[bytes, Pixels, int, int] | None:
    """Header, picture without rows, channels and bits; None if there are no rows.

    `pixels` have 8 or 16 bits; a palette was replaced by its colors before.
    """
    for colors in (3, 1):
        data = b"".join(_bytes(pixel, bits, colors) for line in pixels for pixel in line)
        if len(data) < TAIL_BYTES:
            continue
        tail = _mixed(data[-TAIL_BYTES:])
        length, channels, original = int.from_bytes(tail[8:14], "big"), tail[14], tail[15]
        sane = length <= MAX_HEADER_BYTES and 1 <= channels <= 4 and original in (8, 16)
        if not tail.startswith(MAGIC) or not sane:
            continue
        row = len(pixels[0]) * colors
        count = math.ceil((length + DIGEST_BYTES + TAIL_BYTES) / row)
        if count >= len(pixels):
            continue
        content = data[-count * row :]
        header = _mixed(content)[:length]
        if _colors(channels) != colors or content != carried(
            header, len(pixels[0]), channels, original
        ):
            continue
        above = [
            [_converted(p, bits, channels, original) for p in line] for line in pixels[:-count]
        ]
        return header, above, channels, original
    return None


def _opacity(pixel: tuple[int, ...], bits: int) -> int:
    return pixel[-1] if len(pixel) in (2, 4) else 2**bits - 1


def _bytes(pixel: tuple[int, ...], bits: int, colors: int) -> bytes:
    """What a pixel carries if it has so many color channels."""
    color = pixel[:1] * 3 if len(pixel) < 3 else pixel[:3]
    return bytes(sample >> bits - 8 for sample in color[:colors])


def _converted(pixel: tuple[int, ...], bits: int, channels: int, original: int) -> tuple[int, ...]:
    """A pixel with other channels and bits."""
    color = pixel[:1] * 3 if len(pixel) < 3 else pixel[:3]
    samples = color[: _colors(channels)]
    if channels in (2, 4):
        samples = (*samples, _opacity(pixel, bits))
    if bits == original:
        return samples
    return tuple(sample * 257 if original == 16 else sample >> 8 for sample in samples)
