"""One sheet: its tints, its lines and its digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, isqrt

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.drawing.shapes import Drawing, Rectangle, Text
from sudokucrypt.sudoku.model.boxes import regions
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import SYMBOLS, write_line
from sudokucrypt.typing import AnyArray

INK = "#16181d"
SOLVED = "#3d74b8"
_THIN = "#b9bec8"
_TINT = "#fdeecb"
_LIGHTEST, _DARKEST = (242, 238, 225), (24, 52, 92)

CAP_HEIGHT = 0.71
"""Height of digits and capital letters of the usual fonts, in font sizes."""

_SMALLEST = 7
"""Font size in pixels below which shades stand for the digits."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Something to draw.

    Parameters
    ----------
    shown : SudokuGrid or SudokuPuzzle
        A puzzle, a solution or a grid.
    givens : SudokuPuzzle, optional
        The puzzle that `shown` solves: what it does not give is drawn lighter.
    caption : str, optional
        What is written below.
    """

    shown: SudokuGrid | SudokuPuzzle
    givens: SudokuPuzzle | None = None
    caption: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.shown.cells.shape
        return rows, columns

    @property
    def digits(self) -> int:
        """How many digits there are."""
        shown = self.shown
        return shown.order if isinstance(shown, SudokuGrid) else shown.variant.digits


def text_size(digits: int, cell: int) -> int:
    """Return the font size in pixels for so many digits in cells of this side.

    Below 7, which nobody can read, it is 0.
    """
    symbols = 1 if digits <= len(SYMBOLS) else len(str(digits))
    size = int(cell * min(0.62, 0.86 / (0.58 * symbols)))
    return size if size >= _SMALLEST else 0


def rectangles(sheet: Sheet, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield tints, then thin lines, then thick lines, of a sheet with its corner at a pixel."""
    shown = sheet.shown
    there = np.ones(sheet.shape, dtype=bool)
    if isinstance(shown, SudokuGrid):
        ruled = min(shown.box) > 1
        boxes = regions(sheet.shape, shown.box)["box"] if ruled else np.zeros(sheet.shape, int)
    else:
        there[:] = False
        there[shown.variant.positions] = True
        boxes = shown.variant.drawn("border")
        for row, column in np.argwhere(shown.variant.drawn("tint") >= 0).tolist():
            yield Rectangle(top + row * cell, left + column * cell, cell, cell, _TINT)
    legible = text_size(sheet.digits, cell) > 0
    if not legible:
        yield from _shades(sheet, top=top, left=left, cell=cell)
    across = [(False, *line) for line in _lines(there, boxes)]
    down = [(True, *line) for line in _lines(there.T, boxes.T)]
    for thick in (False, True):
        if not (thick or legible):
            continue
        width = max(2, round(cell / 14)) if thick and legible else 1
        color = INK if thick else _THIN
        for turned, place, start, stop, strong in across + down:
            if strong == thick:
                ends = start * cell - width // 2, place * cell - width // 2
                length = (stop - start) * cell + width
                if turned:
                    yield Rectangle(top + ends[0], left + ends[1], length, width, color)
                else:
                    yield Rectangle(top + ends[1], left + ends[0], width, length, color)


def texts(sheet: Sheet, *, top: int, left: int, cell: int) -> Iterator[Text]:
    """Yield the digits of a sheet with its corner at a pixel."""
    digits = sheet.digits
    size = text_size(digits, cell)
    if not size:
        return
    middle = (cell + 1) // 2
    baseline = middle + round(CAP_HEIGHT * size / 2)
    names = [write_line([digit], digits) for digit in range(digits)]
    shown = sheet.shown.cells
    given = shown if sheet.givens is None else sheet.givens.cells
    bold = sheet.givens is not None or _is_open(sheet.shown)
    rows, columns = np.nonzero(shown >= 0)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        strong = given[row, column] >= 0
        yield Text(
            top + row * cell + baseline,
            left + column * cell + middle,
            size,
            names[shown[row, column]],
            bold and bool(strong),
            INK if strong else SOLVED,
        )


def _is_open(shown: SudokuGrid | SudokuPuzzle) -> bool:
    """Return whether there is an open cell."""
    return not isinstance(shown, SudokuGrid) and bool((shown.givens < 0).any())


def _shades(sheet: Sheet, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield a shade for each digit, the lowest lightest."""
    steps = np.linspace(0, 1, sheet.digits)[:, None]
    levels = np.rint(np.array(_LIGHTEST) * (1 - steps) + np.array(_DARKEST) * steps).astype(int)
    colors = ["#{:02x}{:02x}{:02x}".format(*level) for level in levels.tolist()]
    shown = sheet.shown.cells
    rows, columns = np.nonzero(shown >= 0)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        color = colors[shown[row, column]]
        yield Rectangle(top + row * cell, left + column * cell, cell, cell, color)


def _lines(there: NDArray[np.bool_], boxes: AnyArray) -> Iterator[tuple[int, int, int, bool]]:
    """Yield the lines that go across: place, first and last end, and whether it is thick."""
    near = np.pad(there, ((1, 1), (0, 0)))
    edge = near[1:] != near[:-1]
    inner = near[1:] & near[:-1]
    inner[1:-1] &= boxes[1:] == boxes[:-1]
    border = near[1:] & near[:-1] & ~inner
    for thick, marks in ((False, inner), (True, edge | border)):
        ends = np.diff(np.pad(marks, ((0, 0), (1, 1))).astype(np.int8), axis=1)
        places, starts = np.nonzero(ends == 1)
        _, stops = np.nonzero(ends == -1)
        for line in zip(places.tolist(), starts.tolist(), stops.tolist(), strict=True):
            yield (*line, thick)


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
        Boxes and frames have thick borders, cells thin ones, and houses such as the diagonals of
        X-Sudoku are tinted; each house of a variant says how it is drawn. Givens are dark and
        bold, solved digits lighter, and the digits of a plain grid dark. Where cells are too small
        for their digits, shades stand for them, the lowest digit lightest.

    Raises
    ------
    InvalidParameterError
        If there is no sheet, a number is out of range, or the sheets are too many for one page.

    Examples
    --------
    >>> from sudokucrypt.sudoku.model.grid import SudokuGrid
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
            f"{len(sheets)} sheets are too many for one picture", hint="draw them one by one"
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
