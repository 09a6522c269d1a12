"""Add a caption to a self-opening picture, which tells any finder how to open it.

The caption is rows of black and white pixels above the noise: docs/spec/pictures-v1.md, section 8.
"""

from __future__ import annotations

import struct
import zlib
from textwrap import wrap
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

CAPTION_TEXT: Final = "encrypted: rename to .html and open in a browser"

# For each letter, nine rows of five pixels from the top; each row is a digit in base 32.
_LETTER_SHAPES: Final = {
    " ": "000000000",
    ".": "00000cc00",
    ":": "00cc0cc00",
    "a": "00e1fhf00",
    "b": "ggmphhu00",
    "c": "00egghe00",
    "d": "11djhhf00",
    "e": "00ehvge00",
    "h": "ggmphhh00",
    "i": "40c444e00",
    "l": "c44444e00",
    "m": "00qllhh00",
    "n": "00mphhh00",
    "o": "00ehhhe00",
    "p": "00uhhhugg",
    "r": "00mpggg00",
    "s": "00fge1u00",
    "t": "88s889600",
    "w": "00hhlla00",
    "y": "00hhhf11e",
}
# The width of a letter and the height of a line in pixels, including gaps.
_LETTER_WIDTH, _LINE_HEIGHT = 6, 11
_LETTERS_PER_LINE = 27  # so that `CAPTION_TEXT` takes two lines
# In narrower pictures, which contain files of a few kilobytes, the longest word does not fit.
_MIN_COLUMNS = 12 * _LETTER_WIDTH
_PNG_HEAD_BYTES = 33  # bytes of signature and IHDR
# Bits and color type of pictures that contain files. Other pictures get no caption.
_GRAY8_FORMAT_BYTES = b"\x08\x00"


def caption(png: bytes) -> bytes:
    """Return an encrypted PNG with a caption above its samples, unless it is too narrow."""
    columns, rows = struct.unpack_from(">II", png, 16)
    if png[24:26] != _GRAY8_FORMAT_BYTES or columns < _MIN_COLUMNS:
        return png
    lines = b"".join(b"\0" + line for line in _iterate_caption_rows(columns))
    height = len(lines) // (1 + columns)
    first_chunks, sample_data, last_chunks = _split_png(png)
    header_chunk = make_chunk(b"IHDR", struct.pack(">II", columns, rows + height) + png[24:29])
    data_chunk = make_chunk(b"IDAT", _compress_samples(lines, zlib.decompress(sample_data)))
    return b"".join([png[:8], header_chunk, first_chunks, data_chunk, last_chunks])


def _iterate_caption_rows(columns: int) -> Iterator[bytes]:
    """Yield the rows of gray pixels of the caption, black on white."""
    scale = max(1, columns // (_LETTER_WIDTH * _LETTERS_PER_LINE))
    white_row = b"\xff" * columns
    yield from [white_row] * scale
    for line in wrap(CAPTION_TEXT, columns // (_LETTER_WIDTH * scale) - 1):
        for index in range(_LINE_HEIGHT):
            row = bytearray(white_row)
            for position, letter in enumerate(line):
                row_bits = (
                    int(_LETTER_SHAPES[letter][index], 32)
                    if index < len(_LETTER_SHAPES[letter])
                    else 0
                )
                for column in range(_LETTER_WIDTH - 1):
                    if row_bits >> (_LETTER_WIDTH - 2 - column) & 1:
                        left = scale * (_LETTER_WIDTH * position + column + _LETTER_WIDTH // 2)
                        row[left : left + scale] = bytes(scale)
            yield from [bytes(row)] * scale


def _split_png(png: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the chunks before the samples, the compressed samples, and the chunks after them."""
    position, samples_start, samples_end, data_parts = _PNG_HEAD_BYTES, 0, 0, []
    while position < len(png):
        length = int.from_bytes(png[position : position + 4], "big")
        if png[position + 4 : position + 8] == b"IDAT":
            samples_start = samples_start or position
            samples_end = position + 12 + length
            data_parts.append(png[position + 8 : position + 8 + length])
        position += 12 + length
    return png[_PNG_HEAD_BYTES:samples_start], b"".join(data_parts), png[samples_end:]


def _compress_samples(words: bytes, noise: bytes) -> bytes:
    """Return one zlib stream of `words` and `noise`, in which only `words` are compressed."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    storing_compressor = zlib.compressobj(0, zlib.DEFLATED, -15)
    checksum = zlib.adler32(noise, zlib.adler32(words)).to_bytes(4, "big")
    text = compressor.compress(words) + compressor.flush(zlib.Z_FULL_FLUSH)
    return b"".join(
        [
            b"\x78\x01",
            text,
            storing_compressor.compress(noise),
            storing_compressor.flush(),
            checksum,
        ]
    )


def make_chunk(chunk_type: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG file."""
    crc = zlib.crc32(content, zlib.crc32(chunk_type)).to_bytes(4, "big")
    return b"".join([len(content).to_bytes(4, "big"), chunk_type, content, crc])
