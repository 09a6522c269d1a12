"""The picture of one sheet: its tints, its lines and its digits."""

from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.model.constraints.marks import Label, MarkStroke
from sudokucrypt.sudoku.model.shapes import Drawing, Rectangle, Stroke, Text
from sudokucrypt.sudoku.model.text import SYMBOLS, symbol
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import AnyArray

INK: Final = "#16181d"
_SOLVED = "#3d74b8"
_THIN = "#b9bec8"
_TINT = "#fdeecb"
_LIGHTEST, _DARKEST = (242, 238, 225), (24, 52, 92)

# Side of a cell in pixels where no other is asked for.
CELL = 40

CAP_HEIGHT = 0.71  # height of digits and capital letters of the usual fonts, in font sizes
_DIGIT_WIDTH = 0.58  # and the width of a digit
WIDEST = 0.6  # mean width of the characters of a line, and a little more
_RULE = 0.36  # font size of rules, in cells
_SMALLEST = 7  # font size in pixels below which shades replace the digits


class Panel(NamedTuple):
    """What is drawn of one sheet: its rules, its cells, and which of them are given.

    `cells` and `given` are sheets of the shape of the variant; -1 is an open cell. Givens are bold
    where there are other digits besides them.
    """

    variant: Variant
    cells: NDArray[np.int32]
    given: NDArray[np.bool_]
    bold: bool

    @classmethod
    def full(cls, variant: Variant, cells: NDArray[np.int32]) -> "Panel":
        """Return a sheet without open cells, none of which stands out."""
        return cls(variant, cells, cells >= 0, bold=False)

    def iterate_digits(self) -> Iterator[tuple[int, int, int]]:
        """Yield row, column and digit of each cell that is not open."""
        rows, columns = np.nonzero(self.cells >= 0)
        digits = self.cells[rows, columns].tolist()
        return zip(rows.tolist(), columns.tolist(), digits, strict=True)


def text_size(digits: int, cell: int) -> int:
    """Return the font size in pixels of that many digits in cells of this side; 0 if illegible."""
    symbols = 1 if digits <= len(SYMBOLS) else len(str(digits))
    # A symbol takes 62 % of the height of a cell, several together 86 % of its width.
    size = int(cell * min(0.62, 0.86 / (_DIGIT_WIDTH * symbols)))
    return size if size >= _SMALLEST else 0


def margin_of(cell: int) -> int:
    """Return the white space around a sheet with cells of this side."""
    return max(2, cell - cell // 8)


def draw_panel(panel: Panel) -> Drawing:
    """Draw one sheet alone on a page, with cells of the usual side and its rules below."""
    return with_rules(draw_sheet(panel, margin_of(CELL)), panel.variant.legend, CELL)


def draw_sheet(panel: Panel, margin: int) -> Drawing:
    """Draw one sheet with cells of the usual side and some white space around it, in pixels."""
    height, width = (side * CELL + 2 * margin for side in panel.variant.shape)
    shapes = rectangles(panel, top=margin, left=margin, cell=CELL)
    words = texts(panel, top=margin, left=margin, cell=CELL)
    lines = strokes(panel, top=margin, left=margin, cell=CELL)
    return Drawing(height, width, tuple(shapes), tuple(words), tuple(lines))


def with_rules(drawing: Drawing, rules: str, cell: int) -> Drawing:
    """Return a drawing with rules that no line shows written at its foot."""
    size, height = max(_SMALLEST, round(_RULE * cell)), drawing.height
    words = list(drawing.texts)
    for text in wrap_text(rules, size=size, width=drawing.width - size):
        words.append(Text(height, drawing.width // 2, size, text, bold=False, color=INK))
        height += round(1.4 * size)
    return replace(drawing, height=height, texts=tuple(words))


def wrap_text(text: str, *, size: int, width: int) -> list[str]:
    """Break a text into lines of at most `width` pixels in a font of this size."""
    return wrap(text, max(1, int(width / (WIDEST * size))))


def rectangles(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield tints, then thin lines, then thick lines, of a sheet with its corner at a pixel."""
    variant = panel.variant
    exists = np.zeros(variant.shape, dtype=bool)
    exists[variant.positions] = True
    boxes = variant.map_houses("border")
    for row, column in np.argwhere(variant.map_houses("tint") >= 0).tolist():
        yield Rectangle(top + row * cell, left + column * cell, cell, cell, _TINT)
    legible = text_size(variant.digits, cell) > 0
    if not legible:
        yield from _shades(panel, top=top, left=left, cell=cell)
    # Thick lines last, so that no thin one cuts them. Among shades thin ones would be a gray veil.
    for thick in (False, True) if legible else (True,):
        width = max(2, round(cell / 14)) if thick and legible else 1
        color = INK if thick else _THIN
        for line, start, stop in _lines(exists, boxes, thick=thick):
            row, column = line * cell - width // 2, start * cell - width // 2
            length = (stop - start) * cell + width
            yield Rectangle(top + row, left + column, width, length, color)
        for line, start, stop in _lines(exists.T, boxes.T, thick=thick):
            row, column = start * cell - width // 2, line * cell - width // 2
            length = (stop - start) * cell + width
            yield Rectangle(top + row, left + column, length, width, color)


def strokes(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Stroke]:
    """Yield the marks of constraints on a sheet with its corner at a pixel."""
    if not text_size(panel.variant.digits, cell):
        return
    for mark in panel.variant.marks:
        if isinstance(mark, MarkStroke):
            points = ((top + round(r * cell), left + round(c * cell)) for r, c in mark.points)
            yield Stroke(tuple(points), max(1, round(mark.width * cell)), mark.color)


def texts(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Text]:
    """Yield the labels of constraints and the digits of a sheet with its corner at a pixel."""
    digits = panel.variant.digits
    size = text_size(digits, cell)
    if not size:
        return
    for mark in panel.variant.marks:
        if isinstance(mark, Label):
            (row, column), small = mark.point, max(_SMALLEST, round(mark.size * cell))
            low = top + round(row * cell + CAP_HEIGHT * small / 2)
            yield Text(low, left + round(column * cell), small, mark.text, bold=False, color=INK)
    middle = (cell + 1) // 2
    baseline = middle + round(CAP_HEIGHT * size / 2)
    names = [symbol(digit, digits) for digit in range(digits)]
    for row, column, digit in panel.iterate_digits():
        given = bool(panel.given[row, column])
        y, x = top + row * cell + baseline, left + column * cell + middle
        yield Text(y, x, size, names[digit], panel.bold and given, INK if given else _SOLVED)


def _shades(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield a shade for each digit, the lowest lightest."""
    steps = np.linspace(0, 1, panel.variant.digits)[:, None]
    levels = np.rint(np.array(_LIGHTEST) * (1 - steps) + np.array(_DARKEST) * steps).astype(int)
    colors = ["#{:02x}{:02x}{:02x}".format(*level) for level in levels.tolist()]
    for row, column, digit in panel.iterate_digits():
        yield Rectangle(top + row * cell, left + column * cell, cell, cell, colors[digit])


def _lines(
    exists: NDArray[np.bool_], boxes: AnyArray, *, thick: bool
) -> Iterator[tuple[int, int, int]]:
    """Yield the lines that go across: row, first and last end; thick ones or thin ones."""
    near = np.pad(exists, ((1, 1), (0, 0)))
    inner = near[1:] & near[:-1]
    inner[1:-1] &= boxes[1:] == boxes[:-1]
    marks = (near[1:] | near[:-1]) & ~inner if thick else inner
    # A line goes on as long as its marks do: it starts where they rise and stops where they fall.
    ends = np.diff(np.pad(marks, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(ends == 1)
    _, stops = np.nonzero(ends == -1)
    return zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True)
