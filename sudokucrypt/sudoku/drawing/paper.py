"""Paper sizes, lines of text, and PDF pages of drawings, written with ReportLab."""

from collections.abc import Iterable
from io import BytesIO
from typing import Final

from sudokucrypt.errors import InvalidParameterError, UnsupportedError, format_extra_hint
from sudokucrypt.sudoku.model.shapes import Drawing, Text
from sudokucrypt.sudoku.model.sheet_picture import CHARACTER_WIDTH, INK

# The pixels per inch. A line of one pixel is a sixth of a millimeter wide: thin, but every printer
# prints it.
DOTS: Final = 150
"""Pixels per inch on the pages of books and on key cards."""

PAPERS: Final = {"a4": (297.0, 210.0), "a5": (210.0, 148.0), "letter": (279.4, 215.9)}
"""The height and width of each kind of paper, in millimeters."""

GRAY: Final = "#6b7280"


def convert_to_pixels(millimeters: float) -> int:
    """Return a length on paper in pixels."""
    return round(millimeters * DOTS / 25.4)


def make_text_line(
    text: str, *, baseline: int, middle: int, size: int, bold: bool = False, color: str = INK,
    width: int | None = None,
) -> Text:  # fmt: skip
    """Return a line of text, in a smaller font if it would be wider than `width` pixels."""
    if width is not None and text:
        size = min(size, int(width / (CHARACTER_WIDTH * len(text))))
    return Text(baseline, middle, size, text, bold, color)


def get_paper_size(paper: str) -> tuple[int, int]:
    """Return the height and width of paper in pixels; raise `InvalidParameterError` if unknown."""
    if paper not in PAPERS:
        raise InvalidParameterError(
            f"unknown paper {paper!r}", hint=f"the kinds are {', '.join(PAPERS)}"
        )
    height, width = PAPERS[paper]
    return convert_to_pixels(height), convert_to_pixels(width)


_FONTS = "Helvetica", "Helvetica-Bold"  # fonts that every PDF reader has
_ENCODING = "cp1252"  # the characters that these fonts contain


def to_pdf(pages: Iterable[Drawing], *, title: str = "", dots: int = DOTS) -> bytes:
    """Return drawings as a PDF document: the same bytes for the same drawings.

    Raises `UnsupportedError` if ReportLab is not installed, or a text has a letter that the fonts
    of PDF lack.

    Parameters
    ----------
    pages : iterable of Drawing
        The pages, which may differ in size.
    title : str, default ""
        The title that readers show above the document.
    dots : int, default 150
        The number of pixels in an inch, 1 or more.
    """
    try:
        from reportlab.pdfgen.canvas import Canvas
    except ImportError:
        raise UnsupportedError(
            "writing PDF needs ReportLab", hint=format_extra_hint("print")
        ) from None
    buffer = BytesIO()
    scale = 72 / dots
    canvas = Canvas(buffer, pageCompression=1, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("sudokucrypt")
    for page in pages:
        canvas.setPageSize((page.width * scale, page.height * scale))
        for top, left, height, width, color in page.rectangles:
            canvas.setFillColor(color)
            bottom = (page.height - top - height) * scale
            canvas.rect(left * scale, bottom, width * scale, height * scale, stroke=0, fill=1)
        canvas.setLineCap(1)
        canvas.setLineJoin(1)
        for points, width, color in page.strokes:
            canvas.setStrokeColor(color)
            canvas.setLineWidth(width * scale)
            path = canvas.beginPath()
            corners = [(column * scale, (page.height - row) * scale) for row, column in points]
            path.moveTo(*corners[0])
            for corner in corners[1:] or corners:
                path.lineTo(*corner)
            canvas.drawPath(path, stroke=1, fill=0)
        for text in page.texts:
            _require_font_characters(text.text)
            canvas.setFillColor(text.color)
            canvas.setFont(_FONTS[text.bold], text.size * scale)
            baseline = (page.height - text.baseline) * scale
            canvas.drawCentredString(text.middle * scale, baseline, text.text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _require_font_characters(text: str) -> None:
    """Raise `UnsupportedError` for a text that the fonts would show as black boxes."""
    try:
        text.encode(_ENCODING)
    except UnicodeEncodeError as error:
        raise UnsupportedError(
            f"the fonts of PDF have no {text[error.start]!r}",
            hint="write SVG, or leave that letter out",
        ) from None
