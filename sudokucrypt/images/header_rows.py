"""Header rows: a copy of the header in samples, which programs keep that strip everything else.

The last rows of a protected picture hold the header in their color samples, one byte each, mixed
with a public stream so that they look like the noise above them. They are found from the last
sample backwards, in pixels alone, whatever a program made of mode and depth.
"""

from dataclasses import replace
from hashlib import sha256, shake_256
from typing import Final, NamedTuple

import numpy as np

from sudokucrypt.images.picture import NATURAL_MODES, Picture, channels
from sudokucrypt.typing import AnyArray

# Longest header in bytes that gets rows; longer ones would show in the size of the picture.
MOST_BYTES: Final = 2**20

MOST_PIXELS: Final = 2**27
"""As many as are decoded by default: rows make no picture one that has to be allowed first."""

# A byte above 127 first, as in PNG: no text begins so.
_MAGIC: Final = b"\x93SUDOKUR"
_TAIL: Final = 16  # magic, bytes of the header in six, channels, bits of a sample
_DIGEST: Final = 8  # of SHA-256, against damage; the seal in the header is what proves it
# Of SHAKE-256, whose bytes make the rows look like the noise above them.
_LABEL: Final = b"sudokucrypt/v1/header rows"
# What a byte is multiplied by: 16-bit samples hold it twice, so that fewer bits lose nothing.
_HIGHEST: Final = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 257}


class _Tail(NamedTuple):
    length: int
    channels: int
    bits: int


def make_header_rows(picture: Picture) -> AnyArray:
    """Return the rows of samples below a picture that hold its header, or no rows.

    Only gray, gray-alpha, RGB and RGBA with 8 or 16 bits have them.
    """
    header, pixels = picture.header, picture.pixels
    suits = picture.mode != "cmyk" and pixels.dtype in _HIGHEST
    if header is None or len(header) > MOST_BYTES or not suits:
        return pixels[:0]
    count, columns = channels(pixels), pixels.shape[1]
    colors = _count_colors(count)
    content = _pack_content(
        header, _Tail(len(header), count, 8 * pixels.dtype.itemsize), columns, colors
    )
    rows = len(content) // (columns * colors)
    if columns * (len(pixels) + rows) > MOST_PIXELS:
        return pixels[:0]
    factor = _HIGHEST[pixels.dtype]
    # Opaque: what is seen through a pixel may be dropped by programs.
    below = np.full((rows, columns, count), 255 * factor, dtype=pixels.dtype)
    values = np.frombuffer(content, dtype=np.uint8).reshape(rows, columns, colors)
    below[..., :colors] = values.astype(pixels.dtype) * factor
    return below.reshape(-1, *pixels.shape[1:])


def header_rows_below(header: bytes, shape: tuple[int, int]) -> bytes:
    """Return the samples of the header rows below a gray picture of 8 bits, if it has any.

    Parameters
    ----------
    header : bytes
        The text of the header.
    shape : tuple of int
        Numbers of rows and columns of the picture above, each from 1 on.
    """
    rows, columns = shape
    if len(header) > MOST_BYTES:
        return b""
    content = _pack_content(header, _Tail(len(header), 1, 8), columns, 1)
    return b"" if columns * rows + len(content) > MOST_PIXELS else content


def without_header_rows(picture: Picture) -> Picture:
    """Return a decoded picture without its rows, in the mode and depth in which it was written.

    A picture without header gets that of its rows. Rows are left where they are, to fail later, if
    they are damaged or hold another header than the file.
    """
    if picture.mode == "cmyk":
        return picture
    for colors in (3, 1):  # a gray picture may have been written as RGB, and the reverse
        contents = _read(picture, colors)
        if contents is None:
            continue
        header, tail, rows = contents
        if picture.header not in (None, header):
            return picture
        cropped = replace(picture, pixels=picture.pixels[:-rows])
        return replace(_restore_mode(cropped, tail), header=header, header_rows=True)
    return picture


def without_caption_rows(pixels: AnyArray, rows: int) -> AnyArray:
    """Return the last `rows` rows of samples, if those above them are words in black and white.

    Otherwise, the samples are returned as they are. Words have fewer rows than columns.

    Parameters
    ----------
    pixels : ndarray of shape (M, N) or (M, N, C)
        The samples, with or without a caption above them.
    rows : int
        The number of rows of the picture itself.
    """
    above = pixels[: max(0, len(pixels) - rows)]
    if pixels.dtype not in _HIGHEST or not 0 < len(above) < pixels.shape[1]:
        return pixels
    highest = np.iinfo(pixels.dtype).max
    # Row by row, since a stranger may have put many of them there.
    plain = all(((row == 0) | (row == highest)).all() for row in above)
    return pixels[len(above) :] if plain else pixels


def header_row_count(header_bytes: int, shape: tuple[int, ...]) -> int:
    """Return how many rows hold a header of `header_bytes` bytes below a picture of a shape.

    Parameters
    ----------
    header_bytes : int
        The length of the header in bytes.
    shape : tuple of int
        The shape of the picture, (M, N) or (M, N, C).
    """
    row = shape[1] * _count_colors(shape[2] if len(shape) == 3 else 1)
    return -(-(header_bytes + _DIGEST + _TAIL) // row)


def _count_colors(count: int) -> int:
    """Return the number of colors among `count` channels, of which the last may be alpha."""
    return 1 if count < 3 else 3


def _pack_content(header: bytes, tail: _Tail, columns: int, colors: int) -> bytes:
    """Return the bytes of whole rows, the least that hold header, digest and tail."""
    row = columns * colors
    body = header + sha256(header).digest()[:_DIGEST]
    size = header_row_count(len(header), (0, columns, tail.channels)) * row
    end = _MAGIC + tail.length.to_bytes(6) + bytes([tail.channels, tail.bits])
    return _mix(body.ljust(size - _TAIL, b"\0") + end)


def _mix(content: bytes) -> bytes:
    """Return bytes xored with the public stream, whose first bytes are for the tail."""
    stream = shake_256(_LABEL).digest(len(content))
    turned = np.frombuffer(stream[_TAIL:] + stream[:_TAIL], dtype=np.uint8)
    return (np.frombuffer(content, dtype=np.uint8) ^ turned).tobytes()


def _read(picture: Picture, colors: int) -> tuple[bytes, _Tail, int] | None:
    """Return header, tail and number of rows, if there are rows of `colors` color channels."""
    height, columns = picture.pixels.shape[:2]
    row = columns * colors
    # A row may be a whole picture of a stranger: no more of it is looked at than the tail takes.
    end = _color_bytes(picture.pixels[-_TAIL // row :, -_TAIL:], colors)
    tail = _read_tail(end[-_TAIL:])
    if tail is None or _count_colors(tail.channels) != colors:
        return None
    rows = header_row_count(tail.length, (height, columns, tail.channels))
    if rows >= height:
        return None
    content = _color_bytes(picture.pixels[-rows:], colors)
    header = _mix(content)[: tail.length]
    return (header, tail, rows) if _pack_content(header, tail, columns, colors) == content else None


def _read_tail(mixed: bytes) -> _Tail | None:
    if len(mixed) < _TAIL:
        return None
    plain = bytes(a ^ b for a, b in zip(mixed, shake_256(_LABEL).digest(_TAIL), strict=True))
    tail = _Tail(int.from_bytes(plain[8:14]), plain[14], plain[15])
    known = tail.length <= MOST_BYTES and tail.channels in NATURAL_MODES and tail.bits in (8, 16)
    return tail if known and plain.startswith(_MAGIC) else None


def _color_bytes(pixels: AnyArray, colors: int) -> bytes:
    """Return the color samples of some pixels as bytes, as if they had `colors` color channels."""
    values = _convert_to_rgba(pixels)[..., :colors]
    return (values >> 8 * (values.dtype.itemsize - 1)).astype(np.uint8).tobytes()


def _restore_mode(picture: Picture, tail: _Tail) -> Picture:
    """Return a picture with channels and bits as its tail says; the tag shows whether they hold."""
    dtype = np.dtype(f"u{tail.bits // 8}")
    mode = NATURAL_MODES[tail.channels]
    if (picture.mode, picture.pixels.dtype) == (mode, dtype):
        return picture
    wide = _convert_to_rgba(picture.pixels)
    if wide.dtype != dtype:
        wide = (wide >> 8).astype(np.uint8) if tail.bits == 8 else wide.astype(np.uint16) * 257
    selected = {1: [0], 2: [0, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[tail.channels]
    pixels = np.ascontiguousarray(wide[..., selected])
    pixels = pixels[..., 0] if tail.channels == 1 else pixels
    return replace(picture, pixels=pixels, mode=mode)


def _convert_to_rgba(pixels: AnyArray) -> AnyArray:
    """Return samples as red, green, blue and opacity of 8 or 16 bits."""
    if pixels.dtype == np.bool_:
        pixels = pixels * np.uint8(255)
    count = channels(pixels)
    pixels = pixels.reshape(*pixels.shape[:2], count)
    if pixels.dtype not in _HIGHEST:
        return np.zeros((*pixels.shape[:2], 4), dtype=np.uint8)  # no rows are of this type
    full = np.full((*pixels.shape[:2], 1), np.iinfo(pixels.dtype).max, dtype=pixels.dtype)
    gray = count < 3
    color = np.repeat(pixels[..., :1], 3, axis=2) if gray else pixels[..., :3]
    alpha = pixels[..., -1:] if count in (2, 4) else full
    return np.concatenate([color, alpha], axis=2)
