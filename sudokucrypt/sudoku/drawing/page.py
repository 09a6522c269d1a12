"""One sheet: its tints, its lines and its digits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, isqrt

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.drawing.shapes import Drawing, Rectangle, Text
from sudokucrypt.sudoku.model.arrays import SudokuArray
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.text import SYMBOLS, symbol
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import AnyArray

INK = "#16181d"
SOLVED = "#3d74b8"
_THIN = "#b9bec8"
_TINT = "#fdeecb"
_LIGHTEST, _DARKEST = (242, 238, 225), (24, 52, 92)

CAP_HEIGHT = 0.71  # height of digits and capital letters of the usual fonts, in font sizes
_SMALLEST = 7  # font size in pixels below which shades stand for the digits


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A grid, a puzzle, a solution or an array to draw, with an optional caption below.

    `givens` is the puzzle that `shown` solves: what it does not give is drawn lighter.
    """

    shown: PuzzleLike | SudokuArray
    givens: SudokuPuzzle | None = None
    caption: str = ""

    @cached_property
    def puzzle(self) -> SudokuPuzzle:
        """What is shown; a grid or an array as the solved puzzle that it is."""
        shown = self.shown
        return shown.to_puzzle() if isinstance(shown, SudokuArray) else as_puzzle(shown)

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.puzzle.variant

    def filled(self) -> Iterator[tuple[int, int, int]]:
        """Yield row, column and digit of each cell that is not open."""
        shown = self.puzzle.cells
        rows, columns = np.nonzero(shown >= 0)
        digits = shown[rows, columns].tolist()
        return zip(rows.tolist(), columns.tolist(), digits, strict=True)


def text_size(digits: int, cell: int) -> int:
    """Return the font size in pixels for so many digits in cells of this side; 0 if illegible."""
    symbols = 1 if digits <= len(SYMBOLS) else len(str(digits))
    size = int(cell * min(0.62, 0.86 / (0.58 * symbols)))
    return size if size >= _SMALLEST else 0


def rectangles(sheet: Sheet, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield tints, then thin lines, then thick lines, of a sheet with its corner at a pixel."""
    variant = sheet.variant
    there = np.zeros(variant.shape, dtype=bool)
    there[variant.positions] = True
    boxes = variant.drawn("border")
    for row, column in np.argwhere(variant.drawn("tint") >= 0).tolist():
        yield Rectangle(top + row * cell, left + column * cell, cell, cell, _TINT)
    legible = text_size(variant.digits, cell) > 0
    if not legible:
        yield from _shades(sheet, top=top, left=left, cell=cell)
    for thick in (False, True) if legible else (True,):
        width = max(2, round(cell / 14)) if thick and legible else 1
        color = INK if thick else _THIN
        for place, start, stop in _lines(there, boxes, thick):
            row, column = place * cell - width // 2, start * cell - width // 2
            length = (stop - start) * cell + width
            yield Rectangle(top + row, left + column, width, length, color)
        for place, start, stop in _lines(there.T, boxes.T, thick):
            row, column = start * cell - width // 2, place * cell - width // 2
            length = (stop - start) * cell + width
            yield Rectangle(top + row, left + column, length, width, color)


def texts(sheet: Sheet, *, top: int, left: int, cell: int) -> Iterator[Text]:
    """Yield the digits of a sheet with its corner at a pixel."""
    digits = sheet.variant.digits
    size = text_size(digits, cell)
    if not size:
        return
    middle = (cell + 1) // 2
    baseline = middle + round(CAP_HEIGHT * size / 2)
    names = [symbol(digit, digits) for digit in range(digits)]
    given = (sheet.givens or sheet.puzzle).cells >= 0
    bold = sheet.givens is not None or bool((sheet.puzzle.givens < 0).any())
    for row, column, digit in sheet.filled():
        strong = bool(given[row, column])
        place = top + row * cell + baseline, left + column * cell + middle
        color = INK if strong else SOLVED
        yield Text(*place, size, names[digit], bold and strong, color)


def _shades(sheet: Sheet, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield a shade for each digit, the lowest lightest."""
    steps = np.linspace(0, 1, sheet.variant.digits)[:, None]
    levels = np.rint(np.array(_LIGHTEST) * (1 - steps) + np.array(_DARKEST) * steps).astype(int)
    colors = ["#{:02x}{:02x}{:02x}".format(*level) for level in levels.tolist()]
    for row, column, digit in sheet.filled():
        yield Rectangle(top + row * cell, left + column * cell, cell, cell, colors[digit])


def _lines(
    there: NDArray[np.bool_], boxes: AnyArray, thick: bool
) -> Iterator[tuple[int, int, int]]:
    """Yield the lines that go across: place, first and last end; thick ones or thin ones."""
    near = np.pad(there, ((1, 1), (0, 0)))
    inner = near[1:] & near[:-1]
    inner[1:-1] &= boxes[1:] == boxes[:-1]
    marks = (near[1:] | near[:-1]) & ~inner if thick else inner
    ends = np.diff(np.pad(marks, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    places, starts = np.nonzero(ends == 1)
    _, stops = np.nonzero(ends == -1)
    return zip(places.tolist(), starts.tolist(), stops.tolist(), strict=True)


MOST_PIXELS = 2**26
"""Pixels of a page whose cells are as large as they can be."""

_CELL = 40
_LARGEST = 400


def draw(
    sheets: Sequence[Sheet], *, cell: int | None = None, columns: int | None = None
) -> Drawing:
    """Draw sheets in rows on one page, in reading order.

    Boxes and frames have thick borders, cells thin ones, and houses such as the diagonals of
    X-Sudoku are tinted; each house of a variant says how it is drawn. Givens are dark and bold,
    solved digits lighter, and the digits of a plain grid dark. Where cells are too small for their
    digits, shades stand for them, the lowest digit lightest. `InvalidParameterError` if there is
    no sheet, a number is out of range, or the sheets are too many for one page.

    Parameters
    ----------
    cell : int, optional
        Side of a cell in pixels, 1..400. By default 40, or less where the page would have more
        than 2**26 pixels; several sheets must be legible all the same.
    columns : int, optional
        How many sheets stand side by side; by default such that the page is nearly square.

    Examples
    --------
    >>> drawing = draw([Sheet(shown="1234341221434321")], cell=30)
    >>> drawing.height, drawing.width, len(drawing.texts)
    (174, 174, 16)
    """
    if not sheets:
        raise InvalidParameterError("there is no sheet to draw")
    if cell is not None and not 1 <= cell <= _LARGEST:
        raise InvalidParameterError(f"cell is out of range 1..{_LARGEST}: {cell}")
    if columns is not None and columns < 1:
        raise InvalidParameterError(f"columns is out of range: {columns}")
    sizes = [sheet.variant.shape for sheet in sheets]
    tall, wide = (max(sides) for sides in zip(*sizes, strict=True))
    captions = int(any(sheet.caption for sheet in sheets))
    # Each sheet takes a margin of one cell at most, and its caption another.
    slot = tall + captions + 1, wide + 1
    counts = range(1, len(sheets) + 1)
    squarest = min(counts, key=lambda n: abs(n * slot[1] - ceil(len(sheets) / n) * slot[0]))
    across = min(columns or squarest, len(sheets))
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
            size = max(7, round(0.45 * cell))
            down, right = sheet.variant.shape
            baseline = top + down * cell + round(0.6 * cell + CAP_HEIGHT * size / 2)
            middle = left + right * cell // 2
            words.append(Text(baseline, middle, size, sheet.caption, False, INK))
    height, width = margin + rows * step_down, margin + across * step_right
    return Drawing(height, width, tuple(shapes), tuple(words))


def _largest_cell(sheets: Sequence[Sheet], cells: int) -> int:
    """Return the side of cells on a page that has room for so many."""
    cell = max(1, min(_CELL, isqrt(MOST_PIXELS // cells)))
    if len(sheets) > 1 and not all(text_size(sheet.variant.digits, cell) for sheet in sheets):
        raise InvalidParameterError(
            f"{len(sheets)} sheets are too many for one picture", hint="draw them one by one"
        )
    return cell
