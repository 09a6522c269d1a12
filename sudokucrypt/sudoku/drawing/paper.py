"""Sheets of paper, the lines of text on them, and drawings as pages of PDF, by ReportLab."""

from collections.abc import Iterable
from io import BytesIO
from typing import Final

from sudokucrypt.errors import InvalidParameterError, UnsupportedError, extra_hint
from sudokucrypt.sudoku.model.shapes import Drawing, Text
from sudokucrypt.sudoku.model.sheet_picture import INK, WIDEST

# A line of one pixel is a sixth of a millimeter: thin, and printed by every printer.
DOTS: Final = 150
"""Pixels to an inch on the pages of books and on key cards."""

PAPERS: Final = {"a4": (297.0, 210.0), "a5": (210.0, 148.0), "letter": (279.4, 215.9)}
"""Height and width of the sheets of paper, in millimeters."""

GRAY: Final = "#6b7280"


def pixels(millimeters: float) -> int:
    """Return a length on paper in pixels."""
    return round(millimeters * DOTS / 25.4)


def line(
    text: str, *, baseline: int, middle: int, size: int, bold: bool = False, color: str = INK,
    width: int | None = None,
) -> Text:  # fmt: skip
    """Return a line of text, in a smaller font where it would be wider than `width` pixels."""
    if width is not None and text:
        size = min(size, int(width / (WIDEST * len(text))))
    return Text(baseline, middle, size, text, bold, color)


def paper_size(paper: str) -> tuple[int, int]:
    """Return height and width of a sheet in pixels; `InvalidParameterError` for unknown paper."""
    if paper not in PAPERS:
        raise InvalidParameterError(
            f"unknown paper {paper!r}", hint=f"the kinds are {', '.join(PAPERS)}"
        )
    height, width = PAPERS[paper]
    return pixels(height), pixels(width)


_FONTS = "Helvetica", "Helvetica-Bold"  # which every reader of PDF has
_LETTERS = "cp1252"  # what they can show


def to_pdf(pages: Iterable[Drawing], *, title: str = "", dots: int = DOTS) -> bytes:
    """Return drawings as a PDF document: the same bytes for the same drawings.

    Raises `UnsupportedError` if ReportLab is not installed, or a text has a letter that the fonts
    of PDF lack. Pages may differ in size, and are drawn as they come. Readers show the title above
    the document; `dots` pixels of a drawing make an inch.

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
        raise UnsupportedError("writing PDF needs ReportLab", hint=extra_hint("print")) from None
    buffer = BytesIO()
    point = 72 / dots
    canvas = Canvas(buffer, pageCompression=1, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("sudokucrypt")
    for page in pages:
        canvas.setPageSize((page.width * point, page.height * point))
        for top, left, height, width, color in page.rectangles:
            canvas.setFillColor(color)
            bottom = (page.height - top - height) * point
            canvas.rect(left * point, bottom, width * point, height * point, stroke=0, fill=1)
        canvas.setLineCap(1)
        canvas.setLineJoin(1)
        for points, width, color in page.strokes:
            canvas.setStrokeColor(color)
            canvas.setLineWidth(width * point)
            path = canvas.beginPath()
            ends = [(column * point, (page.height - row) * point) for row, column in points]
            path.moveTo(*ends[0])
            for end in ends[1:] or ends:
                path.lineTo(*end)
            canvas.drawPath(path, stroke=1, fill=0)
        for text in page.texts:
            _require_letters(text.text)
            canvas.setFillColor(text.color)
            canvas.setFont(_FONTS[text.bold], text.size * point)
            baseline = (page.height - text.baseline) * point
            canvas.drawCentredString(text.middle * point, baseline, text.text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _require_letters(text: str) -> None:
    """Refuse a text that would come out as black boxes."""
    try:
        text.encode(_LETTERS)
    except UnicodeEncodeError as error:
        raise UnsupportedError(
            f"the fonts of PDF have no {text[error.start]!r}",
            hint="write SVG, or leave that letter out",
        ) from None
