"""One sheet: its tints, its lines and its digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku.drawing.shapes import Rectangle, Text
from sudokucrypt.sudoku.grid import SudokuGrid
from sudokucrypt.sudoku.text import SYMBOLS, write_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sudokucrypt.sudoku.puzzle import SudokuPuzzle
    from sudokucrypt.sudoku.variant import Variant
    from sudokucrypt.typing import AnyArray, Box

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
    if isinstance(shown, SudokuGrid):
        box, there = shown.box, np.ones(sheet.shape, dtype=bool)
    else:
        box, there = shown.variant.box, np.zeros(sheet.shape, dtype=bool)
        there[shown.variant.positions] = True
        for row, column in _diagonal_cells(shown.variant):
            yield Rectangle(top + row * cell, left + column * cell, cell, cell, _TINT)
    legible = text_size(sheet.digits, cell) > 0
    if not legible:
        yield from _shades(sheet, top=top, left=left, cell=cell)
    boxes = _box_numbers(sheet.shape, box)
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


def _diagonal_cells(variant: Variant) -> Iterator[tuple[int, int]]:
    """Yield the cells of diagonals, each once."""
    houses = (house for house in variant.houses if house.name.startswith("diagonal"))
    for cell in sorted({cell for house in houses for cell in house.cells}):
        yield variant.cells[cell]


def _box_numbers(shape: tuple[int, int], box: Box) -> AnyArray:
    """Return the number of the box of each cell; one for all where boxes are whole lines."""
    if (box[0] == 1 and box[1] == shape[1]) or (box[1] == 1 and box[0] == shape[0]):
        return np.zeros(shape, dtype=np.int64)
    rows, columns = np.indices(shape)
    return rows // box[0] * shape[1] + columns // box[1]


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
