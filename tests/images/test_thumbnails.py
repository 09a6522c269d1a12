"""Painting drawings as pixels, and shrinking pictures to thumbnails."""

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
    make_thumbnail,
    paint,
)
from sudokucrypt.images.orientation import TURNS
from sudokucrypt.sudoku.drawing import Drawing, Rectangle, Text
from sudokucrypt.typing import AnyArray
from tests.images.builders import noise, read_by_pillow
from tests.images.samples import FILES, REFUSED_FILES


def paint_shapes(*shapes: Rectangle | Text, height: int = 40, width: int = 60) -> AnyArray:
    rectangles = tuple(shape for shape in shapes if isinstance(shape, Rectangle))
    texts = tuple(shape for shape in shapes if isinstance(shape, Text))
    return paint(Drawing(height, width, rectangles, texts)).pixels


def test_rectangles_are_exact() -> None:
    """A rectangle covers exactly its pixels, and a later rectangle covers earlier ones."""
    page = paint_shapes(Rectangle(3, 4, 5, 6, "#102030"), Rectangle(4, 5, 1, 2, "#ffee00"))
    expected = np.full((40, 60, 3), 255, dtype=np.uint8)
    expected[3:8, 4:10] = (16, 32, 48)
    expected[4, 5:7] = (255, 238, 0)
    assert np.array_equal(page, expected)


@pytest.mark.parametrize("text", ["1", "8", "35"])
@pytest.mark.parametrize(("size", "bold"), [(7, True), (15, False), (24, True)])
def test_digits_are_centered_on_the_baseline(text: str, size: int, bold: bool) -> None:
    """A painted digit ends at its baseline, is 0.7 font sizes high, and is centered."""
    is_inked = paint_shapes(Text(30, 30, size, text, bold, "#000000")).mean(axis=2) < 128
    rows, columns = np.nonzero(is_inked)
    assert abs(rows.max() + 1 - 30) <= 1
    assert abs(30 - rows.min() - 0.71 * size) <= 1.5
    slack = 2.5 if "1" in text else 1.5
    assert abs((columns.max() + 1 + columns.min()) / 2 - 30) <= slack


def test_bold_is_stronger() -> None:
    """A bold text has more ink than a plain one, in its color."""
    plain, bold = (
        paint_shapes(Text(30, 30, 24, "8", strong, "#3d74b8")).astype(int)
        for strong in (False, True)
    )
    assert (255 - bold).sum() > 1.2 * (255 - plain).sum()
    assert (bold == (0x3D, 0x74, 0xB8)).all(axis=2).any()


def test_pages_can_be_stored() -> None:
    """A painted page is equal after storing it as PNG."""
    picture = paint(Drawing(5, 7, (Rectangle(0, 0, 5, 1, "#123456"),), ()))
    stored_picture = decode_picture(encode_picture(picture, "PNG", compress=6))
    assert np.array_equal(stored_picture.pixels, picture.pixels)


def test_large_pages_are_refused() -> None:
    """A page with more pixels than can be read again is refused before memory is reserved."""
    with pytest.raises(UnsupportedError, match="too large"):
        paint_shapes(height=1 << 20, width=1 << 20)


def _read_thumbnail(picture: Picture, *, side: int = 128, quality: int = 90) -> AnyArray:
    """Return the samples that Pillow reads of a thumbnail, which must have no metadata."""
    thumbnail_file = make_thumbnail(picture, side=side, quality=quality)
    assert thumbnail_file == make_thumbnail(picture, side=side, quality=quality)
    thumbnail_picture = decode_picture(thumbnail_file)
    assert (thumbnail_picture.format, thumbnail_picture.metadata) == ("WebP", Metadata())
    assert thumbnail_picture.dropped == ()
    return read_by_pillow(thumbnail_file).astype(int)


def _make_halves(
    left_color: Any, right_color: Any, dtype: Any = np.uint8, rows: int = 40, columns: int = 60
) -> Any:
    """Return a picture whose left and right half have one value each."""
    halves = np.array([left_color, right_color], dtype=dtype)
    return np.repeat(np.repeat(halves[np.newaxis], columns // 2, axis=1), rows, axis=0)


@pytest.mark.parametrize(
    ("pixels", "more", "colors"),
    [
        (_make_halves(0, 200), {}, ((0, 0, 0), (200, 200, 200))),
        (_make_halves(0, 51400, np.uint16), {}, ((0, 0, 0), (200, 200, 200))),
        (_make_halves(False, True, bool), {}, ((0, 0, 0), (255, 255, 255))),
        (_make_halves(0.0, 7.5, np.float32), {}, ((0, 0, 0), (255, 255, 255))),
        (_make_halves(-1.7e308, 1.7e308, np.float64), {}, ((0, 0, 0), (255, 255, 255))),
        (_make_halves(np.inf, np.nan, np.float32), {}, ((0, 0, 0), (0, 0, 0))),
        (_make_halves(-5, 2**31, np.int64), {}, ((0, 0, 0), (255, 255, 255))),
        (_make_halves((9, 255), (9, 0)), {}, ((9, 9, 9), (255, 255, 255))),
        (_make_halves((255, 0, 0), (0, 0, 255)), {}, ((255, 0, 0), (0, 0, 255))),
        (_make_halves((255, 0, 0, 255), (0, 0, 255, 0)), {}, ((255, 0, 0), (255, 255, 255))),
        (_make_halves((0, 0, 0, 32768), (0, 0, 0, 0), np.uint16), {}, ((128,) * 3, (255,) * 3)),
        (_make_halves((0, 0, 0, 0), (255, 0, 255, 0)), {"mode": "cmyk"}, ((255,) * 3, (0, 255, 0))),
    ],
)
def test_thumbnails_show_every_mode(pixels: AnyArray, more: dict[str, Any], colors: Any) -> None:
    """The thumbnail of a picture of any mode shows its colors, on white if it is transparent."""
    thumbnail_pixels = _read_thumbnail(replace(Picture.plain(pixels), **more))
    assert thumbnail_pixels.shape == (40, 60, 3)
    for half_pixels, color in zip(
        (thumbnail_pixels[:, 4:26], thumbnail_pixels[:, 34:56]), colors, strict=True
    ):
        assert np.abs(half_pixels - color).max() <= 12


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
    """The longer side of a thumbnail has the requested length; small pictures are not enlarged."""
    assert _read_thumbnail(Picture.plain(noise(*shape, 1)), side=side).shape[:2] == expected


@pytest.mark.parametrize("orientation", range(1, 9))
def test_thumbnails_are_upright(orientation: int) -> None:
    """A thumbnail is turned by the orientation in EXIF."""
    exif = b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0" + bytes([orientation]) + bytes(7)
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:20, :30], pixels[20:, :30] = (255, 0, 0), (0, 0, 255)
    picture = replace(Picture.plain(pixels), metadata=Metadata(exif=exif))
    upright_pixels = TURNS[orientation].make_upright(pixels)
    thumbnail_pixels = _read_thumbnail(picture, side=60)
    assert thumbnail_pixels.shape == upright_pixels.shape
    assert np.abs(thumbnail_pixels - upright_pixels).mean() < 4


def test_thumbnails_are_averages() -> None:
    """The thumbnail of a fine pattern shows its mean color."""
    checkerboard = np.indices((2000, 3000)).sum(axis=0) % 2 * np.uint8(255)
    wide_checkerboard = np.repeat(np.repeat(checkerboard[:1000, :1500], 2, axis=0), 2, axis=1)
    thumbnail_pixels = _read_thumbnail(Picture.plain(wide_checkerboard.astype(np.uint8)), side=300)
    assert np.abs(thumbnail_pixels - 127).max() < 20


@pytest.mark.parametrize("name", [name for name in FILES if name not in REFUSED_FILES])
def test_every_file_has_a_thumbnail(name: str) -> None:
    """A picture of any format has a thumbnail."""
    picture = decode_picture(FILES[name])
    assert _read_thumbnail(picture).shape == (*picture.pixels.shape[:2], 3)


@pytest.mark.parametrize(("side", "quality"), [(0, 50), (16384, 50), (64, -1), (64, 101)])
def test_invalid_thumbnail_options(side: int, quality: int) -> None:
    """A side or quality out of range raises InvalidParameterError."""
    with pytest.raises(InvalidParameterError, match="must be an integer in"):
        make_thumbnail(Picture.plain(noise(3, 4, 1)), side=side, quality=quality)
