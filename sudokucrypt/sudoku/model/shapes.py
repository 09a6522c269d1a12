"""Drawings, and their parts at whole pixels: rectangles, strokes and texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import NamedTuple


class Rectangle(NamedTuple):
    """A filled rectangle of pixels, or a line if it is narrow. A color is like ``#1a2b3c``."""

    top: int
    left: int
    height: int
    width: int
    color: str


class Stroke(NamedTuple):
    """A line through points (row, column) with round ends and corners; a single point is a disc."""

    points: tuple[tuple[int, int], ...]
    width: int
    color: str


class Text(NamedTuple):
    """A line of text whose baseline is a row of pixels, centered at the column `middle`.

    `size` is the font size in pixels; capital letters are about 0.7 times as high.
    """

    baseline: int
    middle: int
    size: int
    text: str
    bold: bool
    color: str


@dataclass(frozen=True)
class Drawing:
    """A white page with shapes and texts; later shapes cover earlier ones. Lengths are in pixels.

    Strokes cover rectangles, and texts cover strokes.
    """

    height: int
    width: int
    rectangles: tuple[Rectangle, ...]
    texts: tuple[Text, ...]
    strokes: tuple[Stroke, ...] = ()

    def _repr_svg_(self) -> str:
        """Return the picture for notebooks."""
        return to_svg(self)


def scale_drawing(drawing: Drawing, factor: int) -> Drawing:
    """Scale a drawing by a whole factor, 1 or more, in both directions.

    Parameters
    ----------
    drawing : Drawing
        The drawing.
    factor : int
        The number of pixels for each pixel in both directions, 1 or more.
    """
    rectangles = [
        Rectangle(top * factor, left * factor, height * factor, width * factor, color)
        for top, left, height, width, color in drawing.rectangles
    ]
    texts = [
        Text(baseline * factor, middle * factor, size * factor, text, bold, color)
        for baseline, middle, size, text, bold, color in drawing.texts
    ]
    strokes = [
        Stroke(
            tuple((row * factor, column * factor) for row, column in points),
            width * factor,
            stroke_color,
        )
        for points, width, stroke_color in drawing.strokes
    ]
    height, width = drawing.height * factor, drawing.width * factor
    return Drawing(height, width, tuple(rectangles), tuple(texts), tuple(strokes))


_ROUND_STROKE = 'stroke-linecap="round" stroke-linejoin="round"'
_FONT = "Helvetica, Arial, sans-serif"


def to_svg(drawing: Drawing, *, dots: int | None = None) -> str:
    """Return a drawing as an SVG document with one unit per pixel.

    The same drawing always gives the same text.

    Parameters
    ----------
    drawing : Drawing
        The drawing.
    dots : int, optional
        The number of pixels per inch of the printed drawing, 1 or more; by default the program
        that shows the document decides.

    Examples
    --------
    >>> to_svg(Drawing(8, 9, (Rectangle(1, 2, 3, 4, "#000000"),), ())).splitlines()[3]
    '<rect x="2" y="1" width="4" height="3"/>'
    """
    return "".join(f"{line}\n" for line in _make_svg_lines(drawing, dots))


def _make_svg_lines(drawing: Drawing, dots_per_inch: int | None) -> Iterator[str]:
    pixel_size_text = print_attributes = f'width="{drawing.width}" height="{drawing.height}"'
    if dots_per_inch is not None:
        paper_sides = [
            f"{25.4 * side / dots_per_inch:.2f}mm" for side in (drawing.width, drawing.height)
        ]
        print_attributes = f'width="{paper_sides[0]}" height="{paper_sides[1]}"'
    view_box = f'viewBox="0 0 {drawing.width} {drawing.height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {print_attributes} {view_box}>'
    yield f'<rect {pixel_size_text} fill="#ffffff"/>'
    for color, shapes in groupby(drawing.rectangles, lambda shape: shape.color):
        yield f'<g fill="{color}">'
        for top, left, height, width, _ in shapes:
            yield f'<rect x="{left}" y="{top}" width="{width}" height="{height}"/>'
        yield "</g>"
    for (width, color), strokes in groupby(drawing.strokes, lambda stroke: stroke[1:]):
        yield f'<g fill="none" stroke="{color}" stroke-width="{width}" {_ROUND_STROKE}>'
        for points, *_ in strokes:
            path = " L".join(f"{column} {row}" for row, column in points)
            yield f'<path d="M{path}{"" if len(points) > 1 else " h0"}"/>'
        yield "</g>"
    texts_by_style = groupby(drawing.texts, lambda text: (text.size, text.bold, text.color))
    for (size, bold, color), words in texts_by_style:
        weight = ' font-weight="bold"' if bold else ""
        font_attributes = f'font-family="{_FONT}" font-size="{size}"{weight} text-anchor="middle"'
        yield f'<g fill="{color}" {font_attributes}>'
        for word in words:
            label = escape(word.text, quote=False)
            yield f'<text x="{word.middle}" y="{word.baseline}">{label}</text>'
        yield "</g>"
    yield "</svg>"
