"""Painting a drawing: rectangles and texts become the pixels of a picture."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.picture import Picture
from sudokucrypt.images.read import MAX_PIXELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import Image

_BOLD = 1 / 40
"""How much wider bold strokes are on either side, in font sizes."""


class Drawing(Protocol):
    """Shapes at whole pixels on a white page."""

    @property
    def height(self) -> int:
        """Rows of the page."""

    @property
    def width(self) -> int:
        """Columns of the page."""

    @property
    def rectangles(self) -> Sequence[tuple[int, int, int, int, str]]:
        """Top, left, height, width and color such as ``#1a2b3c``, the lowest first."""

    @property
    def texts(self) -> Sequence[tuple[int, int, int, str, bool, str]]:
        """Baseline, middle, font size, text, whether it is bold, and color."""


def paint(drawing: Drawing) -> Picture:
    """Return a drawing as an RGB picture of 8 bits, with the font that comes with Pillow.

    Raises
    ------
    UnsupportedError
        If the page has more pixels than can be read again by default.

    Examples
    --------
    >>> from sudokucrypt.sudoku.drawing import Drawing as Page, Rectangle
    >>> paint(Page(2, 3, (Rectangle(0, 1, 2, 1, "#16181d"),), ())).pixels[0].tolist()
    [[255, 255, 255], [22, 24, 29], [255, 255, 255]]
    """
    from PIL import Image

    if drawing.height * drawing.width > MAX_PIXELS:
        raise UnsupportedError(
            f"a drawing of {drawing.height} x {drawing.width} pixels is too large to be painted",
            hint="make its cells smaller, or write SVG",
        )
    page = Image.new("RGB", (drawing.width, drawing.height), "#ffffff")
    for top, left, height, width, color in drawing.rectangles:
        page.paste(_rgb(color), (left, top, left + width, top + height))
    for baseline, middle, size, text, bold, color in drawing.texts:
        mask, (left, top) = _mask(text, size, bold)
        page.paste(_rgb(color), (middle + left, baseline + top), mask)
    return Picture.plain(np.array(page))


@lru_cache(maxsize=4096)
def _rgb(color: str) -> tuple[int, int, int]:
    """Return red, green and blue of a color such as ``#1a2b3c``."""
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


@lru_cache(maxsize=4096)
def _mask(text: str, size: int, bold: bool) -> tuple[Image.Image, tuple[int, int]]:
    """Return how much of each pixel a text covers, and where that begins."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size)
    stroke = size * _BOLD if bold else 0.0
    left, top, right, bottom = font.getbbox(text, anchor="ms", stroke_width=stroke)
    corner = floor(left) - 1, floor(top) - 1
    mask = Image.new("L", (ceil(right) + 1 - corner[0], ceil(bottom) + 1 - corner[1]))
    place = -corner[0], -corner[1]
    ImageDraw.Draw(mask).text(place, text, 255, font, anchor="ms", stroke_width=stroke)
    return mask, corner
