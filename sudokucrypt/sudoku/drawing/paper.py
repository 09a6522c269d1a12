"""Sheets of paper, and the lines of text on them."""

from typing import Final

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.shapes import Text
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
