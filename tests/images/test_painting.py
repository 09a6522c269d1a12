"""Drawings become pixels."""

import numpy as np
import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import decode_picture, encode_picture, paint
from sudokucrypt.sudoku.drawing import Drawing, Rectangle, Text
from sudokucrypt.typing import AnyArray


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
    """The ink of a digit ends at its baseline, is 0.7 sizes high and centred within a pixel."""
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
