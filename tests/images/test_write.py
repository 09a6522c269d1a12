"""Writing: every sample and the header come back, and what is no picture is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.errors import FormatError, InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture, output_format
from tests.images.builders import CHANNELS, DTYPES, HEADER, SIZES, encoded, noise

_LONG = HEADER + b"x" * (300_000 - len(HEADER))
_TOO_LONG = HEADER + b"x" * (32 * 2**20 + 1 - len(HEADER))


@pytest.mark.parametrize("header", [None, HEADER, HEADER + b"odd", _LONG])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("file_format", ["PNG", "TIFF", "WebP"])
def test_round_trip(
    file_format: str, size: tuple[int, int], channels: int, dtype: str, header: bytes | None
) -> None:
    """decode(encode(x)) == x, and the header is the same byte for byte."""
    pixels = noise(*size, channels, dtype)
    if file_format == "WebP" and (channels < 3 or dtype == "uint16"):
        with pytest.raises(UnsupportedError):
            encoded(pixels, file_format, header=header)
        return
    picture = decode_picture(encoded(pixels, file_format, header=header))
    assert np.array_equal(picture.pixels, pixels)
    assert picture.pixels.dtype == pixels.dtype
    assert picture.pixels.flags.c_contiguous
    assert picture.pixels.flags.writeable
    assert (picture.header, picture.format, picture.left_out) == (header, file_format, ())


@pytest.mark.parametrize("file_format", ["PNG", "TIFF"])
def test_any_memory_layout(file_format: str) -> None:
    """Strides and byte order of the array make no difference to the file."""
    pixels = noise(6, 8, 3, "uint16")
    expected = encoded(np.ascontiguousarray(pixels[::2, ::-1]), file_format)
    for array in (
        pixels[::2, ::-1],
        np.broadcast_to(pixels, (2, *pixels.shape))[1, ::2, ::-1],
        np.asfortranarray(pixels[::2, ::-1]),
        pixels[::2, ::-1].astype(">u2"),
        pixels[::2, ::-1].astype("<u2"),
    ):
        assert encoded(array, file_format) == expected
    for thin in (pixels[::6], pixels[:, ::8], pixels[::6, ::8, 0], pixels[::6, ::8, ::2]):
        assert np.array_equal(decode_picture(encoded(thin, file_format)).pixels, thin)


@pytest.mark.parametrize("dtype", ["uint8", "<u2", ">u2"])
@pytest.mark.parametrize("file_format", ["PNG", "TIFF", "WebP"])
def test_the_array_is_left_alone(file_format: str, dtype: str) -> None:
    """Writing changes no sample of the array, and needs no permission to."""
    pixels = noise(6, 8, 3, "uint8" if dtype == "uint8" else "uint16").astype(dtype)
    pixels.flags.writeable = False
    before = pixels.tobytes()
    if file_format != "WebP" or dtype == "uint8":
        encoded(pixels, file_format)
    assert pixels.tobytes() == before


@pytest.mark.parametrize("file_format", ["PNG", "TIFF", "WebP"])
def test_the_same_bytes_each_time(file_format: str) -> None:
    """No time stamp or other chance gets into a file."""
    pixels = noise(5, 3, 3)
    first, second = (encoded(pixels, file_format, header=HEADER) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("pixels", "reason"),
    [
        (np.zeros((2, 2), complex), "complex128"),
        (np.array([["a"]]), "U1"),
        ([[1, 2]], "list"),
        (np.zeros(5, np.uint8), r"\(5,\)"),
        (np.zeros((2, 2, 1), np.uint8), r"\(2, 2, 1\)"),
        (np.zeros((2, 2, 5), np.uint8), r"\(2, 2, 5\)"),
        (np.zeros((2, 2, 3, 1), np.uint8), r"\(2, 2, 3, 1\)"),
        (np.zeros((0, 2), np.uint8), "no pixels"),
    ],
)
def test_refuses_arrays_that_are_no_pictures(pixels: np.ndarray, reason: str) -> None:
    """The message names the dtype or shape that does not fit."""
    with pytest.raises(InvalidImageError, match=reason):
        encoded(pixels, "PNG")


@pytest.mark.parametrize("dtype", ["float64", "int8", "uint32"])
def test_refuses_samples_that_a_format_lacks(dtype: str) -> None:
    """The message names the type, and the hint a format that has it."""
    with pytest.raises(UnsupportedError, match=f"PNG cannot hold .*{dtype}") as raised:
        encoded(np.zeros((2, 2), dtype), "PNG")
    assert raised.value.hint == "write TIFF"


@pytest.mark.parametrize("file_format", ["JPEG", "png", "BMP", ""])
def test_refuses_other_formats(file_format: str) -> None:
    """Only what keeps every sample is written."""
    with pytest.raises(UnsupportedError) as raised:
        encoded(noise(2, 2, 1), file_format)
    assert "PNG, TIFF, WebP, GIF" in str(raised.value.hint)


@pytest.mark.parametrize("header", [b"", b"{}", HEADER + b"\0", HEADER + b"\xff", _TOO_LONG])
@pytest.mark.parametrize("file_format", ["PNG", "TIFF", "WebP"])
def test_refuses_headers_that_would_not_come_back(file_format: str, header: bytes) -> None:
    """What one format could not give back, no format takes."""
    with pytest.raises(FormatError):
        encoded(noise(2, 2, 3), file_format, header=header)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.png", "PNG"),
        ("a.PNG", "PNG"),
        ("a.b/c.tif", "TIFF"),
        ("a.jpg.tiff", "TIFF"),
        ("a.webp", "WebP"),
        ("a.gif", "GIF"),
    ],
)
def test_output_format(name: str, expected: str) -> None:
    """The last suffix decides, in any case."""
    assert output_format(Path(name)) == expected


@pytest.mark.parametrize("suffix", [".jpg", ".JPEG", ".jpe", ".jp2", ".avif", ".jxl", ".heic"])
def test_lossy_suffixes(suffix: str) -> None:
    """Lossy formats are refused with the reason."""
    with pytest.raises(UnsupportedError, match="lossy") as raised:
        output_format(Path("a" + suffix))
    assert ".png" in str(raised.value.hint)


@pytest.mark.parametrize("name", ["a", "a.", ".png", "a.bmp", "a.ppm", "a.txt"])
def test_unknown_suffixes(name: str) -> None:
    """Any other name is refused, and the suffixes that work are named."""
    with pytest.raises(UnsupportedError) as raised:
        output_format(Path(name))
    assert str(raised.value.hint).endswith(".png, .apng, .tiff, .tif, .webp, .gif")
