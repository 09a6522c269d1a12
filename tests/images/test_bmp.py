"""BMP: plain gray, RGB and RGBA as Pillow sees them, everything else refused."""

from __future__ import annotations

import io
import struct

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture
from tests.images.builders import SIZES, bmp, noise, opened, saved

_RAMP = b"".join(bytes([n, n, n, 0]) for n in range(256))
_MASKS = struct.pack("<III", 0xFF0000, 0xFF00, 0xFF)
_ALPHA = struct.pack("<I", 0xFF000000)


def _bgra(pixels: np.ndarray) -> bytes:
    return pixels[::-1, :, [2, 1, 0, 3]].tobytes()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [*SIZES, (3, 2), (2, 4)])
def test_reads_what_others_write(size: tuple[int, int], channels: int) -> None:
    """Files of Pillow and imagecodecs come back exactly, whatever the padding."""
    pixels = noise(*size, channels)
    for data in (saved(pixels, "BMP"), bytes(imagecodecs.bmp_encode(pixels))):
        picture = decode_picture(data)
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.flags.c_contiguous
        assert (picture.header, picture.format, picture.left_out) == (None, "BMP", ())


@pytest.mark.parametrize("header_size", [56, 108, 124])
def test_declared_alpha(header_size: int) -> None:
    """An alpha channel that the header declares is kept."""
    pixels = noise(5, 3, 4)
    extra = (_MASKS + _ALPHA).ljust(header_size - 40, b"\0")
    data = bmp(
        32, _bgra(pixels), columns=3, rows=5, compression=3, extra=extra, header_size=header_size
    )
    assert np.array_equal(decode_picture(data).pixels, pixels)
    if header_size > 56:
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("filling", [0, 255])
def test_fourth_byte_without_meaning(filling: int) -> None:
    """A constant fourth byte that no header calls alpha is left out."""
    pixels = noise(5, 3, 4)
    pixels[..., 3] = filling
    for options in ({}, {"compression": 3, "extra": _MASKS}):
        data = bmp(32, _bgra(pixels), columns=3, rows=5, **options)  # type: ignore[arg-type]
        assert np.array_equal(decode_picture(data).pixels, pixels[..., :3])


def test_top_down_and_old_header() -> None:
    """Negative heights stand upright, and the header of 1985 is read."""
    pixels = noise(5, 4, 3)
    down = bmp(24, pixels[..., ::-1].tobytes(), columns=4, rows=-5)
    assert np.array_equal(decode_picture(down).pixels, pixels)
    head = struct.pack("<IHHHH", 12, 4, 5, 1, 24)
    lines = pixels[::-1, :, ::-1].tobytes()
    old = b"BM" + struct.pack("<IHHI", 26 + len(lines), 0, 0, 26) + head + lines
    assert np.array_equal(decode_picture(old).pixels, pixels)
    assert np.array_equal(opened(old), pixels)


def test_data_after_the_picture_are_named() -> None:
    """A profile at the end is left out."""
    assert decode_picture(saved(noise(5, 3, 3), "BMP") + b"data").left_out == (
        "data after the picture",
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bmp(32, _bgra(noise(5, 3, 4)), columns=3, rows=5), "alpha"),
        (bmp(8, b"\0" * 4, columns=3, rows=1, extra=_RAMP[:-4] + b"\1\2\3\0"), "palette"),
        (bmp(8, b"\0" * 4, columns=3, rows=1, extra=_RAMP[:64]), "palette"),
        (bmp(4, b"\0" * 4, columns=3, rows=1, extra=_RAMP[:64]), "palette"),
        (bmp(1, b"\0" * 4, columns=3, rows=1, extra=_RAMP[:8]), "palette"),
        (bmp(16, b"\0" * 8, columns=3, rows=1), "16 bits"),
        (bmp(8, b"\0" * 4, columns=3, rows=1, extra=_RAMP, compression=1), "compressed"),
        (bmp(24, b"\0" * 12, columns=3, rows=1, compression=4), "compressed"),
        (bmp(32, b"\0" * 12, columns=3, rows=1, compression=3, extra=_ALPHA + _MASKS), "order"),
    ],
)
def test_refuses_what_it_would_have_to_convert(data: bytes, reason: str) -> None:
    """Palettes, few bits, compression and undeclared alpha raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError, match=reason):
        decode_picture(data)


@pytest.mark.parametrize("mode", ["1", "P", "RGBA"])
def test_refuses_other_modes_of_pillow(mode: str) -> None:
    """Pillow writes alpha without declaring it, and palettes."""
    pixels = noise(5, 3, 4)
    buffer = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(buffer, "BMP")
    with pytest.raises(UnsupportedError):
        decode_picture(buffer.getvalue())


@pytest.mark.parametrize(
    "data",
    [
        bmp(24, b"\0" * 12, columns=0, rows=1),
        bmp(24, b"\0" * 12, columns=-3, rows=1),
        bmp(24, b"\0" * 12, columns=3, rows=0),
        bmp(24, b"\0" * 12, columns=3, rows=2),
        bmp(24, b"\0" * 12, columns=3, rows=-(2**31)),
        bmp(7, b"\0" * 12, columns=3, rows=1),
        bmp(24, b"\0" * 12, columns=3, rows=1, header_size=41),
        saved(noise(1, 1, 3), "BMP")[:10] + b"\0\0\0\0" + saved(noise(1, 1, 3), "BMP")[14:],
    ],
)
def test_refuses_damage(data: bytes) -> None:
    """Headers that make no picture raise `InvalidImageError`."""
    with pytest.raises(InvalidImageError):
        decode_picture(data)
