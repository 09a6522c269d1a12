"""A page of one sheet or of many beside and below each other."""

from __future__ import annotations

from math import ceil, isqrt
from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.drawing.shapes import Drawing, Rectangle, Text
from sudokucrypt.sudoku.drawing.sheet import (
    CAP_HEIGHT,
    INK,
    Sheet,
    rectangles,
    text_size,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PIXELS = 2**26
"""Pixels of a page whose cells are as large as they can be."""

_CELL = 40
_LARGEST = 400


def draw(
    sheets: Sequence[Sheet], *, cell: int | None = None, columns: int | None = None
) -> Drawing:
    """Draw sheets in rows on one page, in reading order.

    Parameters
    ----------
    sheets : sequence of Sheet
        At least one.
    cell : int, optional
        Side of a cell in pixels, 1..400. By default 40, or less where the page would have more
        than 2**26 pixels; several sheets must be legible all the same.
    columns : int, optional
        How many sheets stand side by side; by default such that the page is nearly square.

    Returns
    -------
    Drawing
        Boxes, frames and overlapping grids have thick borders, cells thin ones, and the diagonals
        of X-Sudoku are tinted. Givens are dark and bold, solved digits lighter, and the digits of
        a plain grid dark. Where cells are too small for their digits, shades stand for them, the
        lowest digit lightest.

    Raises
    ------
    InvalidParameterError
        If there is no sheet, a number is out of range, or the sheets are too many for one page.

    Examples
    --------
    >>> from sudokucrypt.sudoku.grid import SudokuGrid
    >>> drawing = draw([Sheet(shown=SudokuGrid.from_text("1234341221434321"))], cell=30)
    >>> drawing.height, drawing.width, len(drawing.texts)
    (174, 174, 16)
    """
    if not sheets:
        raise InvalidParameterError("there is no sheet to draw")
    if cell is not None and not 1 <= cell <= _LARGEST:
        raise InvalidParameterError(f"cell is out of range 1..{_LARGEST}: {cell}")
    if columns is not None and columns < 1:
        raise InvalidParameterError(f"columns is out of range: {columns}")
    tall, wide = (max(sides) for sides in zip(*(sheet.shape for sheet in sheets), strict=True))
    captions = int(any(sheet.caption for sheet in sheets))
    # Each sheet takes a margin of one cell at most, and its caption another.
    slot = tall + captions + 1, wide + 1
    across = min(columns or _columns(len(sheets), *slot), len(sheets))
    rows = ceil(len(sheets) / across)
    if cell is None:
        cell = _largest_cell(sheets, rows * slot[0] * across * slot[1])
    margin = max(2, cell - cell // 8)
    step_down, step_right = (tall + captions) * cell + margin, wide * cell + margin
    shapes: list[Rectangle] = []
    words: list[Text] = []
    for number, sheet in enumerate(sheets):
        row, column = divmod(number, across)
        top, left = margin + row * step_down, margin + column * step_right
        shapes += rectangles(sheet, top=top, left=left, cell=cell)
        words += texts(sheet, top=top, left=left, cell=cell)
        if sheet.caption:
            words.append(_caption(sheet, top=top, left=left, cell=cell))
    height, width = margin + rows * step_down, margin + across * step_right
    return Drawing(height, width, tuple(shapes), tuple(words))


def _largest_cell(sheets: Sequence[Sheet], cells: int) -> int:
    """Return the side of cells on a page that has room for so many."""
    cell = max(1, min(_CELL, isqrt(MOST_PIXELS // cells)))
    if len(sheets) > 1 and not all(text_size(sheet.digits, cell) for sheet in sheets):
        raise InvalidParameterError(
            f"{len(sheets)} sheets are too many for one picture",
            hint="write one file for each, with {number} in its name",
        )
    return cell


def _columns(count: int, tall: int, wide: int) -> int:
    """Return the number of columns that makes the page most nearly square."""
    return min(range(1, count + 1), key=lambda n: abs(n * wide - ceil(count / n) * tall))


def _caption(sheet: Sheet, *, top: int, left: int, cell: int) -> Text:
    """Return the caption of a sheet with its corner at a pixel."""
    size = max(7, round(0.45 * cell))
    rows, columns = sheet.shape
    baseline = top + rows * cell + round(0.6 * cell + CAP_HEIGHT * size / 2)
    return Text(baseline, left + columns * cell // 2, size, sheet.caption, False, INK)
