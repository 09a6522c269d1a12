"""The picture of one grid: its tints, lines, marks and digits."""

from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.model.constraints.marks import Label, MarkStroke
from sudokucrypt.sudoku.model.shapes import Drawing, Rectangle, Stroke, Text
from sudokucrypt.sudoku.model.text import SYMBOLS, get_symbol
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import AnyArray

INK: Final = "#16181d"
_SOLVED = "#3d74b8"
_THIN = "#b9bec8"
_TINT = "#fdeecb"
_LIGHTEST, _DARKEST = (242, 238, 225), (24, 52, 92)

# The default side of a cell in pixels.
CELL = 40

CAP_HEIGHT = 0.71  # the height of digits and capital letters of usual fonts, in font sizes
_DIGIT_WIDTH = 0.58  # the width of a digit, in font sizes
CHARACTER_WIDTH = 0.6  # the mean width of characters, rounded up, in font sizes
_RULE_SIZE = 0.36  # the font size of rules, in cells
_SMALLEST_FONT = 7  # the smallest font size in pixels; below it shades replace digits


class Panel(NamedTuple):
    """The content of a picture of one grid: its rules, its digits, and which of them are givens.

    `cells` and `given` are arrays of the shape of the variant; -1 is an open cell. With `bold`,
    givens are drawn in bold, to distinguish them from other digits.
    """

    variant: Variant
    cells: NDArray[np.int32]
    given: NDArray[np.bool_]
    bold: bool

    @classmethod
    def full(cls, variant: Variant, cells: NDArray[np.int32]) -> "Panel":
        """Return the panel of a grid without open cells, whose digits all look the same."""
        return cls(variant, cells, cells >= 0, bold=False)

    def iterate_digits(self) -> Iterator[tuple[int, int, int]]:
        """Yield row, column and digit of each cell that is not open."""
        rows, columns = np.nonzero(self.cells >= 0)
        digits = self.cells[rows, columns].tolist()
        return zip(rows.tolist(), columns.tolist(), digits, strict=True)


def get_font_size(digits: int, cell: int) -> int:
    """Return the font size in pixels of `digits` different digits in cells of this side.

    Return 0 if they would be illegible.
    """
    symbols = 1 if digits <= len(SYMBOLS) else len(str(digits))
    # One symbol uses 62 % of the height of a cell; several symbols use 86 % of its width.
    size = int(cell * min(0.62, 0.86 / (_DIGIT_WIDTH * symbols)))
    return size if size >= _SMALLEST_FONT else 0


def compute_margin(cell: int) -> int:
    """Return the width of the white margin around a grid with cells of this side, in pixels."""
    return max(2, cell - cell // 8)


def draw_panel(panel: Panel) -> Drawing:
    """Draw one grid on a page with cells of the default side, and with its rules below."""
    return add_rules(draw_sheet(panel, compute_margin(CELL)), panel.variant.legend, CELL)


def draw_sheet(panel: Panel, margin: int) -> Drawing:
    """Draw one grid with cells of the default side and a white margin of the given width."""
    height, width = (side * CELL + 2 * margin for side in panel.variant.shape)
    shapes = make_rectangles(panel, top=margin, left=margin, cell=CELL)
    words = make_texts(panel, top=margin, left=margin, cell=CELL)
    lines = make_strokes(panel, top=margin, left=margin, cell=CELL)
    return Drawing(height, width, tuple(shapes), tuple(words), tuple(lines))


def add_rules(drawing: Drawing, rules: str, cell: int) -> Drawing:
    """Return a drawing with rules, as sentences, added at its bottom."""
    size, height = max(_SMALLEST_FONT, round(_RULE_SIZE * cell)), drawing.height
    words = list(drawing.texts)
    for text in wrap_text(rules, size=size, width=drawing.width - size):
        words.append(Text(height, drawing.width // 2, size, text, bold=False, color=INK))
        height += round(1.4 * size)
    return replace(drawing, height=height, texts=tuple(words))


def wrap_text(text: str, *, size: int, width: int) -> list[str]:
    """Divide a text into lines of at most `width` pixels in a font of this size."""
    return wrap(text, max(1, int(width / (CHARACTER_WIDTH * size))))


def make_rectangles(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield the tints, thin lines and thick lines of a grid whose corner is at (top, left)."""
    variant = panel.variant
    exists = np.zeros(variant.shape, dtype=bool)
    exists[variant.positions] = True
    boxes = variant.map_houses("border")
    for row, column in np.argwhere(variant.map_houses("tint") >= 0).tolist():
        yield Rectangle(top + row * cell, left + column * cell, cell, cell, _TINT)
    legible = get_font_size(variant.digits, cell) > 0
    if not legible:
        yield from _iterate_shades(panel, top=top, left=left, cell=cell)
    # Thick lines come last, to cover thin lines. With shades, thin lines would make all gray.
    for thick in (False, True) if legible else (True,):
        width = max(2, round(cell / 14)) if thick and legible else 1
        color = INK if thick else _THIN
        for line, start, stop in _iterate_lines(exists, boxes, thick=thick):
            row, column = line * cell - width // 2, start * cell - width // 2
            length = (stop - start) * cell + width
            yield Rectangle(top + row, left + column, width, length, color)
        for line, start, stop in _iterate_lines(exists.T, boxes.T, thick=thick):
            row, column = start * cell - width // 2, line * cell - width // 2
            length = (stop - start) * cell + width
            yield Rectangle(top + row, left + column, length, width, color)


def make_strokes(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Stroke]:
    """Yield the strokes of the constraints of a grid whose corner is at (top, left)."""
    if not get_font_size(panel.variant.digits, cell):
        return
    for mark in panel.variant.marks:
        if isinstance(mark, MarkStroke):
            points = ((top + round(r * cell), left + round(c * cell)) for r, c in mark.points)
            yield Stroke(tuple(points), max(1, round(mark.width * cell)), mark.color)


def make_texts(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Text]:
    """Yield the labels and the digits of a grid whose corner is at (top, left)."""
    digits = panel.variant.digits
    size = get_font_size(digits, cell)
    if not size:
        return
    for mark in panel.variant.marks:
        if isinstance(mark, Label):
            (row, column), label_size = mark.point, max(_SMALLEST_FONT, round(mark.size * cell))
            label_baseline = top + round(row * cell + CAP_HEIGHT * label_size / 2)
            yield Text(
                label_baseline,
                left + round(column * cell),
                label_size,
                mark.text,
                bold=False,
                color=INK,
            )
    center = (cell + 1) // 2
    baseline = center + round(CAP_HEIGHT * size / 2)
    names = [get_symbol(digit, digits) for digit in range(digits)]
    for row, column, digit in panel.iterate_digits():
        is_given = bool(panel.given[row, column])
        y, x = top + row * cell + baseline, left + column * cell + center
        yield Text(y, x, size, names[digit], panel.bold and is_given, INK if is_given else _SOLVED)


def _iterate_shades(panel: Panel, *, top: int, left: int, cell: int) -> Iterator[Rectangle]:
    """Yield a rectangle for each digit, in shades that are darker for higher digits."""
    steps = np.linspace(0, 1, panel.variant.digits)[:, None]
    levels = np.rint(np.array(_LIGHTEST) * (1 - steps) + np.array(_DARKEST) * steps).astype(int)
    colors = ["#{:02x}{:02x}{:02x}".format(*level) for level in levels.tolist()]
    for row, column, digit in panel.iterate_digits():
        yield Rectangle(top + row * cell, left + column * cell, cell, cell, colors[digit])


def _iterate_lines(
    exists: NDArray[np.bool_], boxes: AnyArray, *, thick: bool
) -> Iterator[tuple[int, int, int]]:
    """Yield the thick or the thin horizontal lines: row, start and end, in cells."""
    padded = np.pad(exists, ((1, 1), (0, 0)))
    is_inner = padded[1:] & padded[:-1]
    is_inner[1:-1] &= boxes[1:] == boxes[:-1]
    is_line = (padded[1:] | padded[:-1]) & ~is_inner if thick else is_inner
    # A line is a run of marks: it starts where they rise and stops where they fall.
    changes = np.diff(np.pad(is_line, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(changes == 1)
    _, stops = np.nonzero(changes == -1)
    return zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True)
