"""Drawings become pixels, and pictures small ones."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.images import (
    Metadata,
    Picture,
    decode_picture,
    encode_picture,
    paint,
    thumbnail,
)
from sudokucrypt.images.orientation import TURNS
from sudokucrypt.sudoku.drawing import Drawing, Rectangle, Text
from sudokucrypt.typing import AnyArray
from tests.images.builders import noise, opened
from tests.images.samples import FILES, REFUSED_FILES


def pixels(*shapes: Rectangle | Text, height: int = 40, width: int = 60) -> AnyArray:
    rectangles = tuple(shape for shape in shapes if isinstance(shape, Rectangle))
    texts = tuple(shape for shape in shapes if isinstance(shape, Text))
    return paint(Drawing(height, width, rectangles, texts)).pixels


def test_rectangles_are_exact() -> None:
    """A rectangle covers its pixels and no others, and a later one lies above."""
    page = pixels(Rectangle(3, 4, 5, 6, "#102030"), Rectangle(4, 5, 1, 2, "#ffee00"))
    expected = np.full((40, 60, 3), 255, dtype=np.uint8)
    expected[3:8, 4:10] = (16, 32, 48)
    expected[4, 5:7] = (255, 238, 0)
    assert np.array_equal(page, expected)


@pytest.mark.parametrize("text", ["1", "8", "35"])
@pytest.mark.parametrize(("size", "bold"), [(7, True), (15, False), (24, True)])
def test_digits_stand_on_the_line_in_the_middle(text: str, size: int, bold: bool) -> None:
    """The ink of a digit ends at its baseline, is 0.7 sizes high and centered within a pixel."""
    ink = pixels(Text(30, 30, size, text, bold, "#000000")).mean(axis=2) < 128
    rows, columns = np.nonzero(ink)
    assert abs(rows.max() + 1 - 30) <= 1
    assert abs(30 - rows.min() - 0.71 * size) <= 1.5
    slack = 2.5 if "1" in text else 1.5
    assert abs((columns.max() + 1 + columns.min()) / 2 - 30) <= slack


def test_bold_is_stronger() -> None:
    """Bold texts have more ink; the color is that of the text."""
    plain, bold = (
        pixels(Text(30, 30, 24, "8", strong, "#3d74b8")).astype(int) for strong in (False, True)
    )
    assert (255 - bold).sum() > 1.2 * (255 - plain).sum()
    assert (bold == (0x3D, 0x74, 0xB8)).all(axis=2).any()


def test_pages_can_be_stored() -> None:
    """What is painted comes back from a PNG."""
    picture = paint(Drawing(5, 7, (Rectangle(0, 0, 5, 1, "#123456"),), ()))
    stored = decode_picture(encode_picture(picture, "PNG", compress=6))
    assert np.array_equal(stored.pixels, picture.pixels)


def test_pages_that_are_too_large() -> None:
    """More pixels than can be read again are refused before there is memory for them."""
    with pytest.raises(UnsupportedError, match="too large"):
        pixels(height=1 << 20, width=1 << 20)


def _see_picture(picture: Picture, *, side: int = 128, quality: int = 90) -> AnyArray:
    """What Pillow shows of a thumbnail; one that holds anything but samples is refused."""
    small = thumbnail(picture, side=side, quality=quality)
    assert small == thumbnail(picture, side=side, quality=quality)
    read = decode_picture(small)
    assert (read.format, read.metadata) == ("WebP", Metadata())
    assert read.dropped == ()
    return opened(small).astype(int)


def _halves(left: Any, right: Any, dtype: Any = np.uint8, rows: int = 40, columns: int = 60) -> Any:
    """Two colors, or numbers, side by side."""
    both = np.array([left, right], dtype=dtype)
    return np.repeat(np.repeat(both[np.newaxis], columns // 2, axis=1), rows, axis=0)


@pytest.mark.parametrize(
    ("pixels", "more", "colors"),
    [
        (_halves(0, 200), {}, ((0, 0, 0), (200, 200, 200))),
        (_halves(0, 51400, np.uint16), {}, ((0, 0, 0), (200, 200, 200))),
        (_halves(False, True, bool), {}, ((0, 0, 0), (255, 255, 255))),
        (_halves(0.0, 7.5, np.float32), {}, ((0, 0, 0), (255, 255, 255))),
        (_halves(-1.7e308, 1.7e308, np.float64), {}, ((0, 0, 0), (255, 255, 255))),
        (_halves(np.inf, np.nan, np.float32), {}, ((0, 0, 0), (0, 0, 0))),
        (_halves(-5, 2**31, np.int64), {}, ((0, 0, 0), (255, 255, 255))),
        (_halves((9, 255), (9, 0)), {}, ((9, 9, 9), (255, 255, 255))),
        (_halves((255, 0, 0), (0, 0, 255)), {}, ((255, 0, 0), (0, 0, 255))),
        (_halves((255, 0, 0, 255), (0, 0, 255, 0)), {}, ((255, 0, 0), (255, 255, 255))),
        (_halves((0, 0, 0, 32768), (0, 0, 0, 0), np.uint16), {}, ((128,) * 3, (255,) * 3)),
        (_halves((0, 0, 0, 0), (255, 0, 255, 0)), {"mode": "cmyk"}, ((255,) * 3, (0, 255, 0))),
    ],
)
def test_thumbnails_show_every_mode(pixels: AnyArray, more: dict[str, Any], colors: Any) -> None:
    """Whatever the mode, a thumbnail shows the colors, on white where they are not seen."""
    seen = _see_picture(replace(Picture.plain(pixels), **more))
    assert seen.shape == (40, 60, 3)
    for half, color in zip((seen[:, 4:26], seen[:, 34:56]), colors, strict=True):
        assert np.abs(half - color).max() <= 12


@pytest.mark.parametrize(
    ("shape", "side", "expected"),
    [
        ((40, 60), 60, (40, 60)),
        ((40, 60), 16383, (40, 60)),
        ((40, 60), 30, (20, 30)),
        ((999, 1999), 256, (128, 256)),
        ((1, 5000), 100, (1, 100)),
        ((300, 7), 1, (1, 1)),
    ],
)
def test_sizes_of_thumbnails(shape: tuple[int, int], side: int, expected: tuple[int, int]) -> None:
    """The longer side becomes as long as asked, nothing is enlarged or stretched."""
    assert _see_picture(Picture.plain(noise(*shape, 1)), side=side).shape[:2] == expected


@pytest.mark.parametrize("orientation", range(1, 9))
def test_thumbnails_are_upright(orientation: int) -> None:
    """What EXIF says of the orientation is done."""
    exif = b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0" + bytes([orientation]) + bytes(7)
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:20, :30], pixels[20:, :30] = (255, 0, 0), (0, 0, 255)
    picture = replace(Picture.plain(pixels), metadata=Metadata(exif=exif))
    upright = TURNS[orientation].upright(pixels)
    seen = _see_picture(picture, side=60)
    assert seen.shape == upright.shape
    assert np.abs(seen - upright).mean() < 4


def test_thumbnails_are_means() -> None:
    """A fine pattern becomes its mean color, and no pattern of another size."""
    checks = np.indices((2000, 3000)).sum(axis=0) % 2 * np.uint8(255)
    wide = np.repeat(np.repeat(checks[:1000, :1500], 2, axis=0), 2, axis=1)
    seen = _see_picture(Picture.plain(wide.astype(np.uint8)), side=300)
    assert np.abs(seen - 127).max() < 20


@pytest.mark.parametrize("name", [name for name in FILES if name not in REFUSED_FILES])
def test_every_file_has_a_thumbnail(name: str) -> None:
    """Whatever its format, it is shown."""
    picture = decode_picture(FILES[name])
    assert _see_picture(picture).shape == (*picture.pixels.shape[:2], 3)


@pytest.mark.parametrize(("side", "quality"), [(0, 50), (16384, 50), (64, -1), (64, 101)])
def test_thumbnails_that_cannot_be(side: int, quality: int) -> None:
    """Sides and qualities out of range are refused."""
    with pytest.raises(InvalidParameterError, match="must be an integer in"):
        thumbnail(Picture.plain(noise(3, 4, 1)), side=side, quality=quality)
