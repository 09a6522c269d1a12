"""Paint drawings as pixels, with the font that Pillow includes."""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor
from typing import Any, Final, Protocol

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.files import MAX_PIXELS
from sudokucrypt.images.picture import Picture

_PAINTING_SCALE: Final = 4  # scale at which lines are painted before reduction, for smooth edges
_BOLD_SHARE = 1 / 40  # bold strokes are wider by this share of the font size on either side


class Drawable(Protocol):
    """The interface of drawings: shapes at whole pixels on a white page."""

    @property
    def height(self) -> int:
        """Rows of the page."""

    @property
    def width(self) -> int:
        """Columns of the page."""

    @property
    def rectangles(self) -> Sequence[tuple[int, int, int, int, str]]:
        """Top, left, height, width and color such as ``#1a2b3c``; later ones cover earlier ones."""

    @property
    def strokes(self) -> Sequence[tuple[tuple[tuple[int, int], ...], int, str]]:
        """Points (row, column), width and color of lines with round ends, above the rectangles."""

    @property
    def texts(self) -> Sequence[tuple[int, int, int, str, bool, str]]:
        """Baseline, middle, font size, text, whether it is bold, and color."""


def paint(drawing: Drawable) -> Picture:
    """Return a drawing as an 8-bit RGB picture; its text uses the font included in Pillow.

    Raises `UnsupportedError` if the page has more than `MAX_PIXELS` pixels, or a text has a letter
    that is not ASCII, which the font lacks.

    Parameters
    ----------
    drawing : Drawable
        The drawing, such as a `sudokucrypt.sudoku.drawing.Drawing`.

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
        page.paste(_parse_color(color), (left, top, left + width, top + height))
    for line_points, width, color in drawing.strokes:
        line, corner = _make_line_mask(line_points, width)
        page.paste(_parse_color(color), corner, line)
    for baseline, middle, size, text, bold, color in drawing.texts:
        for letter in text:
            if not letter.isascii():
                raise UnsupportedError(
                    f"the font of pictures has no {letter!r}",
                    hint="write SVG, or leave that letter out",
                )
        mask, (left, top) = _make_text_mask(text, size, bold=bold)
        page.paste(_parse_color(color), (middle + left, baseline + top), mask)
    return Picture.plain(np.array(page))


@lru_cache(maxsize=4096)
def _parse_color(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


def _make_line_mask(
    line_points: Sequence[tuple[int, int]], width: int
) -> tuple[Any, tuple[int, int]]:
    """Return a gray image of the coverage of each pixel by a line, and its top left corner."""
    from PIL import Image, ImageDraw

    rows, columns = zip(*line_points, strict=True)
    left, top = min(columns) - width, min(rows) - width
    size = max(columns) + width + 1 - left, max(rows) + width + 1 - top
    enlarged_mask = Image.new("L", (size[0] * _PAINTING_SCALE, size[1] * _PAINTING_SCALE))
    pen = ImageDraw.Draw(enlarged_mask)
    ends = [((c - left) * _PAINTING_SCALE, (r - top) * _PAINTING_SCALE) for r, c in line_points]
    if len(ends) > 1:
        pen.line(ends, 255, width * _PAINTING_SCALE)
    for scaled_point in ends:
        pen.circle(scaled_point, width * _PAINTING_SCALE / 2, 255)
    return enlarged_mask.reduce(_PAINTING_SCALE), (left, top)


@lru_cache(maxsize=4096)
def _make_text_mask(text: str, size: int, *, bold: bool) -> tuple[Any, tuple[int, int]]:
    """Return a gray image of the coverage of each pixel by a text, and its top left corner.

    The corner is relative to the middle of the baseline.
    """
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size)
    stroke_width = size * _BOLD_SHARE if bold else 0.0
    left, top, right, bottom = font.getbbox(text, anchor="ms", stroke_width=stroke_width)
    corner = floor(left) - 1, floor(top) - 1
    mask = Image.new("L", (ceil(right) + 1 - corner[0], ceil(bottom) + 1 - corner[1]))
    origin = -corner[0], -corner[1]
    ImageDraw.Draw(mask).text(origin, text, 255, font, anchor="ms", stroke_width=stroke_width)
    return mask, corner
