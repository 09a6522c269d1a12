"""Draw grids and puzzles in rows on one page."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, isqrt

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.shapes import Drawing, Rectangle, Stroke, Text
from sudokucrypt.sudoku.model.sheet_picture import (
    CAP_HEIGHT,
    CELL_SIDE,
    INK,
    Panel,
    add_rules,
    compute_margin,
    get_font_size,
    make_rectangles,
    make_strokes,
    make_texts,
)
from sudokucrypt.sudoku.model.sudoku_arrays import SudokuArray
from sudokucrypt.sudoku.model.variant import Variant


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A grid, a puzzle, a solution or an array to draw, with an optional caption below.

    `givens` is the puzzle that `shown` solves; digits that are not givens are drawn lighter.
    """

    shown: PuzzleLike | SudokuArray
    givens: SudokuPuzzle | None = None
    caption: str = ""

    @cached_property
    def panel(self) -> Panel:
        """The content of the picture."""
        if isinstance(self.shown, SudokuArray):
            return self.shown.panel()
        panel = as_puzzle(self.shown).panel()
        if self.givens is None:
            return panel
        return panel._replace(is_given=self.givens.cells >= 0, bold=True)

    @property
    def variant(self) -> Variant:
        """The rules of the grid."""
        return self.panel.variant


MOST_PIXELS = 2**26
"""The largest number of pixels of a page whose cell size is not given."""

# The largest side of a cell in pixels; a 9x9 grid then has 3600 pixels a side.
_MAX_CELL_SIDE = 400


def draw(
    sheets: Sequence[Sheet], *, cell: int | None = None, columns: int | None = None
) -> Drawing:
    """Draw sheets in rows on one page, in reading order.

    Boxes and frames have thick borders, cells have thin borders, and houses such as the diagonals
    of X-Sudoku are tinted, as each house of a variant specifies. Givens are dark and bold, solved
    digits lighter, and the digits of a plain grid dark. If cells are too small for digits, shades
    represent them, lighter for lower digits. Rules that no line shows are written below.

    Raises `InvalidParameterError` if there is no sheet, a number is out of range, or there are too
    many sheets to be legible on one page.

    Parameters
    ----------
    sheets : sequence of Sheet
        The sheets, one or more, in reading order.
    cell : int, optional
        The side of a cell in pixels, 1..400; by default 40, or less if the page would have more
        than 2**26 pixels.
    columns : int, optional
        The number of sheets side by side, 1 or more; by default the number that makes the page
        nearly square.

    Examples
    --------
    >>> drawing = draw([Sheet(shown="1234341221434321")], cell=30)
    >>> drawing.height, drawing.width, len(drawing.texts)
    (174, 174, 16)
    """
    if not sheets:
        raise InvalidParameterError("there is no sheet to draw")
    if cell is not None and not 1 <= cell <= _MAX_CELL_SIDE:
        raise InvalidParameterError(f"cell is out of range 1..{_MAX_CELL_SIDE}: {cell}")
    if columns is not None and columns < 1:
        raise InvalidParameterError(f"columns is out of range: {columns}")
    sizes = [sheet.variant.shape for sheet in sheets]
    max_rows, max_columns = (max(sides) for sides in zip(*sizes, strict=True))
    caption_row_count = int(any(sheet.caption for sheet in sheets))
    # In units of cells, each sheet needs a margin of at most 1, and 1 more for its caption.
    slot = max_rows + caption_row_count + 1, max_columns + 1
    counts = range(1, len(sheets) + 1)
    squarest_column_count = min(
        counts, key=lambda count: abs(count * slot[1] - ceil(len(sheets) / count) * slot[0])
    )
    column_count = min(columns or squarest_column_count, len(sheets))
    rows = ceil(len(sheets) / column_count)
    if cell is None:
        cell = _choose_cell_side(sheets, rows * slot[0] * column_count * slot[1])
    margin = compute_margin(cell)
    row_pitch = (max_rows + caption_row_count) * cell + margin
    column_pitch = max_columns * cell + margin
    rectangles: list[Rectangle] = []
    texts: list[Text] = []
    strokes: list[Stroke] = []
    for index, sheet in enumerate(sheets):
        row, column = divmod(index, column_count)
        top, left = margin + row * row_pitch, margin + column * column_pitch
        rectangles += make_rectangles(sheet.panel, top=top, left=left, side=cell)
        texts += make_texts(sheet.panel, top=top, left=left, side=cell)
        strokes += make_strokes(sheet.panel, top=top, left=left, side=cell)
        if sheet.caption:
            texts.append(_draw_caption(sheet, top=top, left=left, side=cell))
    height, width = margin + rows * row_pitch, margin + column_count * column_pitch
    drawing = Drawing(height, width, tuple(rectangles), tuple(texts), tuple(strokes))
    return add_rules(drawing, format_hidden_rules(sheets), cell)


def format_hidden_rules(sheets: Sequence[Sheet]) -> str:
    """Return the rules that players cannot see in the drawings, each once."""
    return " ".join(dict.fromkeys(sheet.variant.legend for sheet in sheets if sheet.variant.rule))


def _draw_caption(sheet: Sheet, *, top: int, left: int, side: int) -> Text:
    """Return the caption below a sheet, centered in the white space there."""
    font_size = max(7, round(0.45 * side))
    rows, columns = sheet.variant.shape
    baseline = top + rows * side + round(0.6 * side + CAP_HEIGHT * font_size / 2)
    return Text(
        baseline, left + columns * side // 2, font_size, sheet.caption, bold=False, color=INK
    )


def _choose_cell_side(sheets: Sequence[Sheet], cell_count: int) -> int:
    """Return the default side of cells on a page with the given number of cells."""
    side = max(1, min(CELL_SIDE, isqrt(MOST_PIXELS // cell_count)))
    if len(sheets) > 1 and not all(get_font_size(sheet.variant.digits, side) for sheet in sheets):
        raise InvalidParameterError(
            f"{len(sheets)} sheets are too many for one picture", hint="draw them one by one"
        )
    return side
