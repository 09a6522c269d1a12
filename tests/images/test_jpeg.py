"""JPEG: the same samples as Pillow's, and no file that was cut."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture
from tests.images.builders import noise, opened, saved

_RGB = saved(noise(20, 30, 3), "JPEG")
_FRAME = _RGB.index(b"\xff\xc0")


def _with_marker(data: bytes, marker: int) -> bytes:
    return data.replace(b"\xff\xc0\x00", bytes([0xFF, marker, 0x00]))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(
    "options",
    [{}, {"progressive": True}, {"subsampling": 0}, {"restart_marker_blocks": 2}, {"quality": 100}],
)
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (5, 3), (48, 64)])
def test_agrees_with_pillow(size: tuple[int, int], options: dict[str, Any], channels: int) -> None:
    """Both use libjpeg-turbo, and get the same samples from every kind of file."""
    data = saved(noise(*size, channels), "JPEG", **options)
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, opened(data))
    assert (picture.header, picture.format, picture.left_out) == (None, "JPEG", ())


def test_rgb_without_color_transform() -> None:
    """A JPEG that stores red, green and blue as they are is read as such."""
    data = saved(noise(20, 30, 3), "JPEG", keep_rgb=True, quality=100)
    assert np.array_equal(decode_picture(data).pixels, opened(data))


def test_orientation_is_not_applied_and_metadata_are_named() -> None:
    """EXIF, profile, XMP and comment are left out, and the picture is not turned."""
    exif = Image.Exif()
    exif[0x0112] = 6
    data = saved(noise(20, 30, 3), "JPEG", exif=exif, icc_profile=b"p", comment=b"hi", xmp=b"<x/>")
    picture = decode_picture(data + b"trailer")
    assert picture.pixels.shape == (20, 30, 3)
    names = {"EXIF", "ICC profile", "text", "XMP", "data after the picture"}
    assert set(picture.left_out) == names


def test_thumbnail_markers_do_not_confuse() -> None:
    """A whole JPEG inside a segment is not mistaken for the picture."""
    thumbnail = saved(noise(4, 4, 3), "JPEG")
    segment = b"\xff\xed" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail
    picture = decode_picture(_RGB[:2] + segment + _RGB[2:])
    assert np.array_equal(picture.pixels, opened(_RGB))
    assert picture.left_out == ("other data",)


def test_first_picture_of_several() -> None:
    """Of an MPO file the primary picture is read."""
    buffer = io.BytesIO()
    first, second = (Image.fromarray(noise(n, 16, 3)) for n in (16, 24))
    first.save(buffer, "MPO", save_all=True, append_images=[second])
    picture = decode_picture(buffer.getvalue())
    assert np.array_equal(picture.pixels, opened(buffer.getvalue()))
    assert set(picture.left_out) >= {"other pictures", "data after the picture"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (saved(noise(8, 8, 4), "JPEG", mode="CMYK"), "CMYK"),
        (_RGB[: _FRAME + 4] + b"\x0c" + _RGB[_FRAME + 5 :], "12-bit"),
        (_RGB[: _FRAME + 9] + b"\x02" + _RGB[_FRAME + 10 :], "2 channels"),
        *[(_with_marker(_RGB, marker), "arithmetic") for marker in (0xC3, 0xC5, 0xC9, 0xCF)],
    ],
)
def test_refuses_other_kinds(data: bytes, reason: str) -> None:
    """Other depths, channels and codings raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError, match=reason):
        decode_picture(data)


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_blocks": 1}])
def test_every_cut_is_seen(options: dict[str, Any]) -> None:
    """Decoders paint the missing part gray; a file cut anywhere is refused instead."""
    data = saved(noise(20, 30, 3), "JPEG", **options)
    for length in range(3, len(data)):
        with pytest.raises(InvalidImageError):
            decode_picture(data[:length])


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8\xff\xe0\x00\x01" + _RGB[2:],
        b"\xff\xd8\xff\xd8" + _RGB[2:],
        _RGB[:20] + b"junk" + _RGB[20:],
        _RGB[:_FRAME] + _RGB[_FRAME : _FRAME + 19] * 2 + _RGB[_FRAME + 19 :],
        _RGB[: _RGB.index(b"\xff\xda")] + b"\xff\xd9",
    ],
)
def test_refuses_damage(data: bytes) -> None:
    """Segments that make no picture raise `InvalidImageError`."""
    with pytest.raises(InvalidImageError, match="is damaged"):
        decode_picture(data)
