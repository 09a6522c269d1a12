"""Header rows: a copy of the header in samples, which survives programs that strip metadata.

The last rows of a protected picture contain the header in their color samples, one byte each,
combined by XOR with a public stream so that they look like the noise above them. They are found
from the last sample backwards, by pixels only, even if a program changed mode and depth.
"""

from dataclasses import replace
from hashlib import sha256, shake_256
from typing import Final, NamedTuple

import numpy as np

from sudokucrypt.images.picture import DEFAULT_MODES, Picture, channels
from sudokucrypt.typing import AnyArray

# The longest header in bytes that gets rows. Longer ones would enlarge the picture visibly.
MAX_HEADER_BYTES: Final = 2**20

MAX_TOTAL_PIXELS: Final = 2**27
"""Most pixels of a picture with header rows, which is the number that is decoded by default."""

# The first byte is above 127, as in PNG, since no text begins with such a byte.
_MAGIC: Final = b"\x93SUDOKUR"
_TAIL_BYTES: Final = (
    16  # bytes: magic, length of the header in six bytes, channels, bits of a sample
)
_DIGEST_BYTES: Final = (
    8  # bytes of SHA-256, to detect damage; the MAC in the header authenticates it
)
# The input of SHAKE-256, whose output makes the rows look like the noise above them.
_STREAM_LABEL: Final = b"sudokucrypt/v1/header rows"
# The factor from a byte to a sample. A 16-bit sample contains the byte twice, so a program that
# keeps only 8 bits of each sample does no harm.
_BYTE_FACTORS: Final = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 257}


class _Tail(NamedTuple):
    length: int
    channels: int
    bits: int


def make_header_rows(picture: Picture) -> AnyArray:
    """Return the rows of samples that contain the header of a picture.

    No rows are returned if the picture is not gray, gray-alpha, RGB or RGBA with 8 or 16 bits, has
    no header or a long one, or would become too large.
    """
    header, pixels = picture.header, picture.pixels
    can_have_rows = picture.mode != "cmyk" and pixels.dtype in _BYTE_FACTORS
    if header is None or len(header) > MAX_HEADER_BYTES or not can_have_rows:
        return pixels[:0]
    count, columns = channels(pixels), pixels.shape[1]
    colors = _count_colors(count)
    content = _pack_content(
        header, _Tail(len(header), count, 8 * pixels.dtype.itemsize), columns, colors
    )
    rows = len(content) // (columns * colors)
    if columns * (len(pixels) + rows) > MAX_TOTAL_PIXELS:
        return pixels[:0]
    factor = _BYTE_FACTORS[pixels.dtype]
    # Opaque, since programs may drop the colors of transparent pixels.
    row_pixels = np.full((rows, columns, count), 255 * factor, dtype=pixels.dtype)
    values = np.frombuffer(content, dtype=np.uint8).reshape(rows, columns, colors)
    row_pixels[..., :colors] = values.astype(pixels.dtype) * factor
    return row_pixels.reshape(-1, *pixels.shape[1:])


def pack_header_rows(header: bytes, shape: tuple[int, int]) -> bytes:
    """Return the samples of the header rows below a gray picture of 8 bits, or b"".

    Parameters
    ----------
    header : bytes
        The text of the header.
    shape : tuple of int
        The numbers of rows and columns of the picture above, each at least 1.
    """
    rows, columns = shape
    if len(header) > MAX_HEADER_BYTES:
        return b""
    content = _pack_content(header, _Tail(len(header), 1, 8), columns, 1)
    return b"" if columns * rows + len(content) > MAX_TOTAL_PIXELS else content


def remove_header_rows(picture: Picture) -> Picture:
    """Return a decoded picture without its header rows, in its original mode and depth.

    A picture without a header gets the header in the rows. Rows that are damaged or contain another
    header than the file are not removed, so that restoring fails later.
    """
    if picture.mode == "cmyk":
        return picture
    for colors in (3, 1):  # a gray picture may have been written as RGB, and the reverse
        row_contents = _read_rows(picture, colors)
        if row_contents is None:
            continue
        header, tail, rows = row_contents
        if picture.header not in (None, header):
            return picture
        cropped_picture = replace(picture, pixels=picture.pixels[:-rows])
        return replace(_restore_mode(cropped_picture, tail), header=header, header_rows=True)
    return picture


def remove_caption_rows(pixels: AnyArray, rows: int) -> AnyArray:
    """Return the last `rows` rows of samples, if the rows above are a caption in black and white.

    Otherwise, all samples are returned. A caption has fewer rows than columns.

    Parameters
    ----------
    pixels : ndarray of shape (M, N) or (M, N, C)
        The samples, with or without a caption above them.
    rows : int
        The number of rows of the picture itself.
    """
    pixels_above = pixels[: max(0, len(pixels) - rows)]
    if pixels.dtype not in _BYTE_FACTORS or not 0 < len(pixels_above) < pixels.shape[1]:
        return pixels
    highest_level = np.iinfo(pixels.dtype).max
    # Row by row, to use little memory for a hostile picture with many rows.
    is_black_and_white = all(((row == 0) | (row == highest_level)).all() for row in pixels_above)
    return pixels[len(pixels_above) :] if is_black_and_white else pixels


def header_row_count(header_bytes: int, shape: tuple[int, ...]) -> int:
    """Return the number of header rows for a header of `header_bytes` bytes.

    Parameters
    ----------
    header_bytes : int
        The length of the header in bytes.
    shape : tuple of int
        The shape of the picture, (M, N) or (M, N, C).
    """
    row = shape[1] * _count_colors(shape[2] if len(shape) == 3 else 1)
    return -(-(header_bytes + _DIGEST_BYTES + _TAIL_BYTES) // row)


def _count_colors(count: int) -> int:
    """Return the number of color channels among `count` channels, which may include alpha."""
    return 1 if count < 3 else 3


def _pack_content(header: bytes, tail: _Tail, columns: int, color_count: int) -> bytes:
    """Return the bytes of the fewest whole rows that contain header, digest and tail."""
    row = columns * color_count
    body = header + sha256(header).digest()[:_DIGEST_BYTES]
    size = header_row_count(len(header), (0, columns, tail.channels)) * row
    tail_bytes = _MAGIC + tail.length.to_bytes(6) + bytes([tail.channels, tail.bits])
    return _mask_content(body.ljust(size - _TAIL_BYTES, b"\0") + tail_bytes)


def _mask_content(content: bytes) -> bytes:
    """Combine bytes by XOR with the public stream, whose first bytes mask the tail."""
    stream = shake_256(_STREAM_LABEL).digest(len(content))
    rotated_stream = np.frombuffer(stream[_TAIL_BYTES:] + stream[:_TAIL_BYTES], dtype=np.uint8)
    return (np.frombuffer(content, dtype=np.uint8) ^ rotated_stream).tobytes()


def _read_rows(picture: Picture, color_count: int) -> tuple[bytes, _Tail, int] | None:
    """Return the header, tail and number of header rows, or None if there are no such rows."""
    height, columns = picture.pixels.shape[:2]
    row_size = columns * color_count
    # Only the pixels of the tail are converted, since a row of a hostile picture may be very long.
    last_bytes = _get_color_bytes(
        picture.pixels[-_TAIL_BYTES // row_size :, -_TAIL_BYTES:], color_count
    )
    tail = _read_tail(last_bytes[-_TAIL_BYTES:])
    if tail is None or _count_colors(tail.channels) != color_count:
        return None
    rows = header_row_count(tail.length, (height, columns, tail.channels))
    if rows >= height:
        return None
    content = _get_color_bytes(picture.pixels[-rows:], color_count)
    header = _mask_content(content)[: tail.length]
    return (
        (header, tail, rows)
        if _pack_content(header, tail, columns, color_count) == content
        else None
    )


def _read_tail(masked_tail: bytes) -> _Tail | None:
    if len(masked_tail) < _TAIL_BYTES:
        return None
    plain = bytes(
        a ^ b
        for a, b in zip(masked_tail, shake_256(_STREAM_LABEL).digest(_TAIL_BYTES), strict=True)
    )
    tail = _Tail(int.from_bytes(plain[8:14]), plain[14], plain[15])
    is_valid = (
        tail.length <= MAX_HEADER_BYTES and tail.channels in DEFAULT_MODES and tail.bits in (8, 16)
    )
    return tail if is_valid and plain.startswith(_MAGIC) else None


def _get_color_bytes(pixels: AnyArray, color_count: int) -> bytes:
    """Return the color samples of pixels as bytes, converted to `color_count` color channels."""
    values = _convert_to_rgba(pixels)[..., :color_count]
    return (values >> 8 * (values.dtype.itemsize - 1)).astype(np.uint8).tobytes()


def _restore_mode(picture: Picture, tail: _Tail) -> Picture:
    """Convert a picture to the channels and bits of its tail; the tail is authenticated later."""
    dtype = np.dtype(f"u{tail.bits // 8}")
    mode = DEFAULT_MODES[tail.channels]
    if (picture.mode, picture.pixels.dtype) == (mode, dtype):
        return picture
    rgba = _convert_to_rgba(picture.pixels)
    if rgba.dtype != dtype:
        rgba = (rgba >> 8).astype(np.uint8) if tail.bits == 8 else rgba.astype(np.uint16) * 257
    selected_channels = {1: [0], 2: [0, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[tail.channels]
    pixels = np.ascontiguousarray(rgba[..., selected_channels])
    pixels = pixels[..., 0] if tail.channels == 1 else pixels
    return replace(picture, pixels=pixels, mode=mode)


def _convert_to_rgba(pixels: AnyArray) -> AnyArray:
    """Return samples as red, green, blue and opacity of 8 or 16 bits."""
    if pixels.dtype == np.bool_:
        pixels = pixels * np.uint8(255)
    count = channels(pixels)
    pixels = pixels.reshape(*pixels.shape[:2], count)
    if pixels.dtype not in _BYTE_FACTORS:
        return np.zeros((*pixels.shape[:2], 4), dtype=np.uint8)  # no header rows have this type
    full_opacity = np.full((*pixels.shape[:2], 1), np.iinfo(pixels.dtype).max, dtype=pixels.dtype)
    is_gray = count < 3
    color = np.repeat(pixels[..., :1], 3, axis=2) if is_gray else pixels[..., :3]
    alpha = pixels[..., -1:] if count in (2, 4) else full_opacity
    return np.concatenate([color, alpha], axis=2)
