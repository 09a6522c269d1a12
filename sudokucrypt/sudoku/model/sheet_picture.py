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
_SOLVED_COLOR = "#3d74b8"
_THIN_LINE_COLOR = "#b9bec8"
_TINT_COLOR = "#fdeecb"
_LIGHTEST_SHADE, _DARKEST_SHADE = (242, 238, 225), (24, 52, 92)

# The default side of a cell in pixels.
CELL_SIDE = 40

CAP_HEIGHT = 0.71  # the height of digits and capital letters of usual fonts, in font sizes
_DIGIT_WIDTH = 0.58  # the width of a digit, in font sizes
CHARACTER_WIDTH = 0.6  # the mean width of characters, rounded up, in font sizes
_RULE_FONT_SIZE = 0.36  # the font size of rules, in cells
_MIN_FONT_SIZE = 7  # the smallest font size in pixels; below it shades replace digits


class Panel(NamedTuple):
    """The content of a picture of one grid: its rules, its digits, and which of them are givens.

    `cells` and `is_given` are arrays of the shape of the variant; -1 is an open cell. With `bold`,
    givens are drawn in bold, to distinguish them from other digits.
    """

    variant: Variant
    cells: NDArray[np.int32]
    is_given: NDArray[np.bool_]
    bold: bool

    @classmethod
    def from_full_grid(cls, variant: Variant, cells: NDArray[np.int32]) -> "Panel":
        """Return the panel of a grid without open cells, whose digits all look the same."""
        return cls(variant, cells, cells >= 0, bold=False)

    def iterate_digits(self) -> Iterator[tuple[int, int, int]]:
        """Yield row, column and digit of each cell that is not open."""
        rows, columns = np.nonzero(self.cells >= 0)
        digits = self.cells[rows, columns].tolist()
        return zip(rows.tolist(), columns.tolist(), digits, strict=True)


def get_font_size(digit_count: int, side: int) -> int:
    """Return the font size in pixels of `digit_count` different digits in cells of this side.

    Return 0 if they would be illegible.
    """
    symbols = 1 if digit_count <= len(SYMBOLS) else len(str(digit_count))
    # One symbol uses 62 % of the height of a cell; several symbols use 86 % of its width.
    font_size = int(side * min(0.62, 0.86 / (_DIGIT_WIDTH * symbols)))
    return font_size if font_size >= _MIN_FONT_SIZE else 0


def compute_margin(side: int) -> int:
    """Return the width of the white margin around a grid with cells of this side, in pixels."""
    return max(2, side - side // 8)


def draw_panel(panel: Panel) -> Drawing:
    """Draw one grid on a page with cells of the default side, and with its rules below."""
    return add_rules(draw_sheet(panel, compute_margin(CELL_SIDE)), panel.variant.legend, CELL_SIDE)


def draw_sheet(panel: Panel, margin: int) -> Drawing:
    """Draw one grid with cells of the default side and a white margin of the given width."""
    height, width = (side * CELL_SIDE + 2 * margin for side in panel.variant.shape)
    rectangles = make_rectangles(panel, top=margin, left=margin, side=CELL_SIDE)
    texts = make_texts(panel, top=margin, left=margin, side=CELL_SIDE)
    strokes = make_strokes(panel, top=margin, left=margin, side=CELL_SIDE)
    return Drawing(height, width, tuple(rectangles), tuple(texts), tuple(strokes))


def add_rules(drawing: Drawing, rules: str, side: int) -> Drawing:
    """Return a drawing with rules, as sentences, added at its bottom."""
    font_size, height = max(_MIN_FONT_SIZE, round(_RULE_FONT_SIZE * side)), drawing.height
    texts = list(drawing.texts)
    for line in wrap_text(rules, font_size=font_size, width=drawing.width - font_size):
        texts.append(Text(height, drawing.width // 2, font_size, line, bold=False, color=INK))
        height += round(1.4 * font_size)
    return replace(drawing, height=height, texts=tuple(texts))


def wrap_text(text: str, *, font_size: int, width: int) -> list[str]:
    """Divide a text into lines of at most `width` pixels in a font of this size."""
    return wrap(text, max(1, int(width / (CHARACTER_WIDTH * font_size))))


def make_rectangles(panel: Panel, *, top: int, left: int, side: int) -> Iterator[Rectangle]:
    """Yield the tints, thin lines and thick lines of a grid whose corner is at (top, left)."""
    variant = panel.variant
    cell_flags = np.zeros(variant.shape, dtype=bool)
    cell_flags[variant.positions] = True
    region_numbers = variant.map_houses("border")
    for row, column in np.argwhere(variant.map_houses("tint") >= 0).tolist():
        yield Rectangle(top + row * side, left + column * side, side, side, _TINT_COLOR)
    is_legible = get_font_size(variant.digits, side) > 0
    if not is_legible:
        yield from _iterate_shades(panel, top=top, left=left, side=side)
    # Thick lines come last, so that they cover thin lines. Cells that are too small for digits get
    # no thin lines, which would make the whole picture gray.
    for is_thick in (False, True) if is_legible else (True,):
        line_width = max(2, round(side / 14)) if is_thick and is_legible else 1
        color = INK if is_thick else _THIN_LINE_COLOR
        for line, start, stop in _iterate_lines(cell_flags, region_numbers, is_thick=is_thick):
            row, column = line * side - line_width // 2, start * side - line_width // 2
            length = (stop - start) * side + line_width
            yield Rectangle(top + row, left + column, line_width, length, color)
        for line, start, stop in _iterate_lines(cell_flags.T, region_numbers.T, is_thick=is_thick):
            row, column = start * side - line_width // 2, line * side - line_width // 2
            length = (stop - start) * side + line_width
            yield Rectangle(top + row, left + column, length, line_width, color)


def make_strokes(panel: Panel, *, top: int, left: int, side: int) -> Iterator[Stroke]:
    """Yield the strokes of the constraints of a grid whose corner is at (top, left)."""
    if not get_font_size(panel.variant.digits, side):
        return
    for mark in panel.variant.marks:
        if isinstance(mark, MarkStroke):
            points = (
                (top + round(row * side), left + round(column * side))
                for row, column in mark.points
            )
            yield Stroke(tuple(points), max(1, round(mark.width * side)), mark.color)


def make_texts(panel: Panel, *, top: int, left: int, side: int) -> Iterator[Text]:
    """Yield the labels and the digits of a grid whose corner is at (top, left)."""
    digits = panel.variant.digits
    font_size = get_font_size(digits, side)
    if not font_size:
        return
    for mark in panel.variant.marks:
        if isinstance(mark, Label):
            (row, column), label_size = (mark.point, max(_MIN_FONT_SIZE, round(mark.size * side)))
            label_baseline = top + round(row * side + CAP_HEIGHT * label_size / 2)
            yield Text(
                label_baseline,
                left + round(column * side),
                label_size,
                mark.text,
                bold=False,
                color=INK,
            )
    center = (side + 1) // 2
    baseline = center + round(CAP_HEIGHT * font_size / 2)
    symbols = [get_symbol(digit, digits) for digit in range(digits)]
    for row, column, digit in panel.iterate_digits():
        is_given = bool(panel.is_given[row, column])
        bottom, middle = (top + row * side + baseline, left + column * side + center)
        yield Text(
            bottom,
            middle,
            font_size,
            symbols[digit],
            panel.bold and is_given,
            INK if is_given else _SOLVED_COLOR,
        )


def _iterate_shades(panel: Panel, *, top: int, left: int, side: int) -> Iterator[Rectangle]:
    """Yield a rectangle for each digit, in shades that are darker for higher digits."""
    steps = np.linspace(0, 1, panel.variant.digits)[:, None]
    shades = np.rint(
        np.array(_LIGHTEST_SHADE) * (1 - steps) + np.array(_DARKEST_SHADE) * steps
    ).astype(int)
    colors = ["#{:02x}{:02x}{:02x}".format(*shade) for shade in shades.tolist()]
    for row, column, digit in panel.iterate_digits():
        yield Rectangle(top + row * side, left + column * side, side, side, colors[digit])


def _iterate_lines(
    cell_flags: NDArray[np.bool_], region_numbers: AnyArray, *, is_thick: bool
) -> Iterator[tuple[int, int, int]]:
    """Yield the thick or the thin horizontal lines: row, start and end, in cells."""
    padded_cells = np.pad(cell_flags, ((1, 1), (0, 0)))
    is_inner_edge = padded_cells[1:] & padded_cells[:-1]
    is_inner_edge[1:-1] &= region_numbers[1:] == region_numbers[:-1]
    is_drawn_edge = (
        (padded_cells[1:] | padded_cells[:-1]) & ~is_inner_edge if is_thick else is_inner_edge
    )
    # A line is a run of set flags: +1 in the differences starts it, and -1 stops it.
    changes = np.diff(np.pad(is_drawn_edge, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(changes == 1)
    _, stops = np.nonzero(changes == -1)
    return zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True)
