"""JPEG: samples equal Pillow's, and files that were cut short are refused."""

import io
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import Metadata, Resolution, decode_picture
from sudokucrypt.images.jpeg import read_coefficients
from tests.images.builders import noise, read_by_pillow, save_image

_RGB = save_image(noise(20, 30, 3), "JPEG")


@pytest.mark.parametrize(
    "options",
    [{}, {"progressive": True}, {"subsampling": 0}, {"restart_marker_blocks": 2}, {"quality": 100}],
)
def test_agrees_with_pillow(options: dict[str, Any]) -> None:
    """JPEG files of every kind are read with the same samples as in Pillow."""
    for channels in (1, 3):
        for size in ((1, 1), (1, 7), (5, 3), (48, 64)):
            data = save_image(noise(*size, channels), "JPEG", **options)
            picture = decode_picture(data)
            assert np.array_equal(picture.pixels, read_by_pillow(data))
            assert (picture.header, picture.format, picture.dropped) == (None, "JPEG", ())


def test_rgb_without_color_transform() -> None:
    """A JPEG that stores RGB without a color transform is read as RGB."""
    data = save_image(noise(20, 30, 3), "JPEG", keep_rgb=True, quality=100)
    assert np.array_equal(decode_picture(data).pixels, read_by_pillow(data))


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"subsampling": 0}])
@pytest.mark.parametrize("transform", [None, 0, 1, 2])
def test_cmyk(transform: int | None, options: dict[str, Any]) -> None:
    """CMYK and YCCK files, with and without Adobe's segment, are read with 0 as no ink."""
    data = save_image(noise(20, 30, 4), "JPEG", mode="CMYK", **options)
    adobe_start = data.index(b"\xff\xee")
    if transform is None:
        data = data[:adobe_start] + data[adobe_start + 16 :]
    else:
        data = data[: adobe_start + 15] + bytes([transform]) + data[adobe_start + 16 :]
    picture = decode_picture(data)
    assert picture.mode == "cmyk"
    assert np.array_equal(picture.pixels, read_by_pillow(data))


def _make_segment(marker: int, body: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


def _insert_segments(*segments: bytes) -> bytes:
    """Return a JPEG with only the given segments of metadata."""
    position = _RGB.index(b"\xff\xdb")
    return b"\xff\xd8" + b"".join(segments) + _RGB[position:]


def test_metadata() -> None:
    """EXIF, profile and XMP are kept, a comment is dropped by name, and nothing is turned."""
    exif = Image.Exif()
    exif[0x0112] = 6
    profile = noise(1, 150_000, 1).tobytes()
    data = save_image(
        noise(20, 30, 3),
        "JPEG",
        exif=exif,
        icc_profile=profile,
        comment=b"caf\xc3\xa9",
        xmp=b"<x/>",
        dpi=(300, 72),
    )
    picture = decode_picture(data + b"trailer")
    assert picture.pixels.shape == (20, 30, 3)
    with Image.open(io.BytesIO(data)) as image:
        assert picture.metadata == Metadata(
            exif=image.info["exif"].removeprefix(b"Exif\0\0"),
            icc=image.info["icc_profile"],
            xmp=image.info["xmp"],
            resolution=Resolution(columns=Fraction(300), rows=Fraction(72), unit="inch"),
        )
    assert picture.dropped == ("text", "data after the picture")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"\1\2\0\0\x48\0\x48\0\0", None),
        (b"\1\2\0\0\2\0\1\0\0", (2, 1, None)),
        (b"\1\2\1\0\x48\0\x48\0\0", (72, 72, "inch")),
        (b"\1\2\2\0\x1c\0\x1d\0\0", (2800, 2900, "meter")),
        (b"\1\2\1\0\0\0\x48\0\0", None),
        (b"\1\2\3\0\1\0\1\0\0", None),
        (b"\1\2", None),
    ],
)
def test_density(body: bytes, expected: tuple[int, int, Any] | None) -> None:
    """The density in JFIF is read in inches, in centimeters, or as a ratio."""
    picture = decode_picture(_insert_segments(_make_segment(0xE0, b"JFIF\0" + body)))
    columns, rows, unit = expected or (0, 0, None)
    resolution = Resolution(columns=Fraction(columns), rows=Fraction(rows), unit=unit)
    assert picture.metadata == Metadata(resolution=resolution if expected else None)


def _make_profile_segment(number: int, count: int, profile_part: bytes) -> bytes:
    return _make_segment(0xE2, b"ICC_PROFILE\0" + bytes([number, count]) + profile_part)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ([(1, 1, b"a")], b"a"),
        ([(2, 2, b"b"), (1, 2, b"a")], b"ab"),
        ([(1, 2, b"a")], None),
        ([(1, 2, b"a"), (1, 2, b"b")], None),
        ([(1, 2, b"a"), (2, 3, b"b")], None),
        ([(0, 1, b"a")], None),
    ],
)
def test_profiles_in_parts(profile: list[tuple[int, int, bytes]], expected: bytes | None) -> None:
    """Parts of a profile are joined by their numbers; an incomplete profile is dropped by name."""
    picture = decode_picture(_insert_segments(*(_make_profile_segment(*part) for part in profile)))
    assert picture.metadata == Metadata(icc=expected)
    assert picture.dropped == (() if expected else ("ICC profile",))


def test_rare_segments() -> None:
    """EXIF in two segments is joined, and other application segments are named as dropped."""
    adobe = b"http://ns.adobe.com/"
    picture = decode_picture(
        _insert_segments(
            _make_segment(0xE1, b"Exif\0\0MM"), _make_segment(0xE1, b"Exif\0\0\0*"),
            _make_segment(0xE1, adobe + b"xap/1.0/\0<x/>"),
            _make_segment(0xE1, adobe + b"xmp/extension/\0abc"),
            _make_segment(0xE1, adobe + b"xap/1.0/\0<y/>"), _make_segment(0xFE, b"\xe9\0"),
            _make_segment(0xFE, b""), _make_segment(0xED, b"Photoshop 3.0\0"),
            _make_segment(0xE0, b"JFXX\0\x10"),
            _make_segment(0xE7, b"MAKER"), _make_segment(0xEB, b"JP\0\1"),
            _make_segment(0xEF, b"JP"),
       )
   )  # fmt: skip
    assert picture.metadata == Metadata(exif=b"MM\0*", xmp=b"<x/>")
    assert picture.dropped == (
        "extended XMP",
        "XMP",
        "text",
        "IPTC and Photoshop data",
        "previews",
        "APP7 segment",
        "JUMBF",
        "APP15 segment",
    )


def test_thumbnails_of_jfif_are_named() -> None:
    """A thumbnail in the JFIF segment is named as dropped."""
    jfif_start = b"JFIF\0\1\2\0\0\1\0\1"
    for thumbnail, dropped in ((b"\0\0", ()), (b"\1\1abc", ("previews",))):
        picture = decode_picture(_insert_segments(_make_segment(0xE0, jfif_start + thumbnail)))
        assert picture.dropped == dropped


@pytest.mark.parametrize("marker", [0xC9, 0xCA])
def test_arithmetic_files_get_their_own_hint(marker: int) -> None:
    """The hint for an arithmetically coded JPEG is to recode it losslessly as JPEG."""
    data = _RGB.replace(b"\xff\xc0", bytes([0xFF, marker]))
    for read_file in (decode_picture, lambda data: read_coefficients(data, max_pixels=10**4)):
        with pytest.raises(UnsupportedError, match="arithmetically coded") as error_info:
            read_file(data)
        assert error_info.value.hint == "recode it with 'jpegtran -copy all', without loss"


def test_markers_in_segments_are_ignored() -> None:
    """A JPEG inside a segment is not mistaken for the picture."""
    thumbnail = save_image(noise(4, 4, 3), "JPEG")
    segment = b"\xff\xed" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail
    picture = decode_picture(_RGB[:2] + segment + _RGB[2:])
    assert np.array_equal(picture.pixels, read_by_pillow(_RGB))
    assert picture.dropped == ("APP13 segment",)


def test_first_picture_of_several() -> None:
    """The primary picture of an MPO file is read."""
    buffer = io.BytesIO()
    first_image, second_image = (Image.fromarray(noise(n, 16, 3)) for n in (16, 24))
    first_image.save(buffer, "MPO", save_all=True, append_images=[second_image])
    picture = decode_picture(buffer.getvalue())
    assert np.array_equal(picture.pixels, read_by_pillow(buffer.getvalue()))
    assert set(picture.dropped) >= {"other pictures", "data after the picture"}


def _repeat_last_scan(data: bytes, times: int) -> bytes:
    """Return a progressive JPEG whose last scan is repeated."""
    scan_start = data.rindex(b"\xff\xda")
    return data[:scan_start] + data[scan_start:-2] * times + data[-2:]


def test_many_scans_are_refused() -> None:
    """A large JPEG of many scans is refused, a small one is read."""
    large_file = save_image(np.zeros((4000, 4000), np.uint8), "JPEG", progressive=True)
    with pytest.raises(UnsupportedError, match="a JPEG of 2005 scans"):
        decode_picture(_repeat_last_scan(large_file, 2000))
    small_file = _repeat_last_scan(save_image(noise(9, 8, 1), "JPEG", progressive=True), 2000)
    assert np.array_equal(decode_picture(small_file).pixels, read_by_pillow(small_file))


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_blocks": 1}])
def test_cut_files_are_refused(options: dict[str, Any]) -> None:
    """A JPEG that is cut at any position is refused."""
    data = save_image(noise(20, 30, 3), "JPEG", **options)
    for length in range(3, len(data)):
        with pytest.raises(InvalidImageError):
            decode_picture(data[:length])
