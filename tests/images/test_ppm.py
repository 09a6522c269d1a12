"""PPM and PGM: text and binary, 8 and 16 bits, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture
from tests.images.builders import DTYPES, SIZES, noise, opened, saved


def _write(pixels: np.ndarray, kind: int, comment: bytes = b"") -> bytes:
    rows, columns = pixels.shape[:2]
    largest = np.iinfo(pixels.dtype).max
    head = b"P%d\n%s%d %d\n%d\n" % (kind, comment, columns, rows, largest)
    if kind > 3:
        return head + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    return head + b"\n".join(b"%d" % sample for sample in pixels.ravel()) + b"\n"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("kind", "channels"), [(2, 1), (3, 3), (5, 1), (6, 3)])
@pytest.mark.parametrize("size", SIZES)
def test_reads_exactly(size: tuple[int, int], kind: int, channels: int, dtype: str) -> None:
    """All four kinds in both depths come back exactly."""
    pixels = noise(*size, channels, dtype)
    picture = decode_picture(_write(pixels, kind))
    assert np.array_equal(picture.pixels, pixels)
    assert picture.pixels.dtype == dtype
    assert picture.pixels.flags.c_contiguous
    assert (picture.header, picture.format, picture.left_out) == (None, "PPM", ())


@pytest.mark.parametrize("channels", [1, 3])
def test_agrees_with_pillow(channels: int) -> None:
    """What Pillow writes we read, and Pillow reads what these tests write."""
    pixels = noise(5, 3, channels)
    assert np.array_equal(decode_picture(saved(pixels, "PPM")).pixels, pixels)
    assert np.array_equal(opened(_write(pixels, 6 if channels == 3 else 5)), pixels)


def test_comments_are_named() -> None:
    """A comment in the head is skipped, and said to be left out."""
    pixels = noise(5, 3, 3)
    picture = decode_picture(_write(pixels, 6, b"# by hand\n#\n"))
    assert np.array_equal(picture.pixels, pixels)
    assert picture.left_out == ("text",)


@pytest.mark.parametrize(
    "data",
    [
        b"P1\n2 1\n0 1\n",
        b"P4\n8 1\n\0",
        b"P7\nWIDTH 1\n",
        b"Pf\n1 1\n-1.0\n\0\0\0\0",
        b"P5 2 1 15 ab",
        b"P5 2 1 1023 abcd",
        b"P5 2 1 255 abP5 2 1 255 ab",
        b"P5 2 1 255\r\nab",
    ],
)
def test_refuses_other_kinds(data: bytes) -> None:
    """Bitmaps, PAM, floats, other depths and several pictures raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError):
        decode_picture(data)


@pytest.mark.parametrize(
    "data",
    [
        b"P5\n2 1\n",
        b"P5 x 1 255 ab",
        b"P5 -2 1 255 ab",
        b"P5 0 1 255 ",
        b"P5 2 1 255 a",
        b"P2 2 1 255 1 2 3\n",
        b"P2 2 1 255 1\n",
        b"P2 2 1 255 1 256\n",
        b"P2 2 1 255 1 99999999999999999999999\n",
        b"P2 2 1 255 1 -2\n",
        b"P2 2 1 255 1 2.0\n",
        b"P2 2 1 255 1 2 # two\n",
        b"P2 2 1 255 12 25",
        b"P2 2 1 255 \n",
    ],
)
def test_refuses_damage(data: bytes) -> None:
    """Anything but the promised numbers raises `InvalidImageError`."""
    with pytest.raises(InvalidImageError, match="is damaged"):
        decode_picture(data)
