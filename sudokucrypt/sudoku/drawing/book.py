"""Draw books of puzzles: several puzzles on each page, and solutions on the last pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.drawing.page import Sheet, format_hidden_rules
from sudokucrypt.sudoku.drawing.paper import GRAY, convert_to_pixels, get_paper_size, make_text_line
from sudokucrypt.sudoku.model.shapes import Drawing, Rectangle, Stroke, Text
from sudokucrypt.sudoku.model.sheet_picture import (
    get_font_size,
    make_rectangles,
    make_strokes,
    make_texts,
    wrap_text,
)

# The number of characters that fit on one line in the size of a heading.
_MAX_TITLE_LENGTH = 80

_PAGE_MARGIN, _GRID_GAP, _SOLUTION_GAP = 15, 11, 7  # millimeters on A4
# Heights in millimeters; the first page has the title, other pages have a running head.
_HEAD_HEIGHT, _FIRST_PAGE_HEAD_HEIGHT, _FOOT_HEIGHT = 10, 20, 9
_RULE_FONT_SIZE = 18  # the font size of rules, in pixels
# The limit prevents a single small puzzle from filling the page.
_MAX_CELL_SIDE = convert_to_pixels(20)
_MIN_CELL_SIDE = 5  # millimeters, if there are several puzzles on a page
_COMFORTABLE_CELL_SIDE = 6  # millimeters, the usual size in newspapers
_MIN_FONT_SIZE = 10  # pixels, about 5 points; smaller digits are illegible on paper
# Cells and font of solutions, in pixels; nobody writes in solutions, so they may be small.
_SOLUTION_CELL_SIDE, _SOLUTION_FONT_SIZE = convert_to_pixels(4.2), 15

_Extent: TypeAlias = tuple[int, int, int]


class _Paper(NamedTuple):
    """The paper, with lengths in pixels, and the largest number of lines of rules on a page."""

    height: int
    width: int
    rules: int = 0

    def scale_to_pixels(self, millimeters: float) -> int:
        """Return a length in pixels, reduced on paper that is smaller than A4 and letter."""
        return convert_to_pixels(millimeters * min(1.0, self.height / get_paper_size("letter")[0]))

    def get_content_size(self, head_height: int) -> tuple[int, int]:
        """Return the height and width of the area for grids below a head of this height."""
        both_margins = 2 * self.scale_to_pixels(_PAGE_MARGIN)
        foot_height = self.scale_to_pixels(_FOOT_HEIGHT) + self.rules * 2 * _RULE_FONT_SIZE
        height = self.height - both_margins - self.scale_to_pixels(head_height) - foot_height
        return height, self.width - both_margins


@dataclass(frozen=True)
class _Layout:
    """The layout of grids on a page: numbers of rows and columns, and lengths in pixels."""

    rows: int
    columns: int
    pitch: int  # the distance from one column to the next
    cell: int

    def __len__(self) -> int:
        return self.rows * self.columns


def book(
    puzzles: Sequence[Sheet],
    solutions: Sequence[Sheet] = (),
    *,
    title: str = "Sudoku",
    per_page: int | None = None,
    paper: str = "a4",
) -> Iterator[Drawing]:
    """Yield the pages of a book: puzzles in reading order, then as many solutions per page as fit.

    The title is at the top of the first page, captions are above the grids, and page numbers at the
    bottom. All pages have the same size, with 150 pixels per inch. Raises `InvalidParameterError`
    if there is no puzzle, a value is out of range, the digits would be too small to read, or the
    cells of several puzzles would be smaller than 5 mm, too small to write in.

    Parameters
    ----------
    puzzles : sequence of Sheet
        The puzzles, one or more, in reading order.
    solutions : sequence of Sheet, default ()
        The solutions, on separate pages.
    title : str, default "Sudoku"
        The title on the first page: one line of up to 80 characters.
    per_page : int, optional
        The number of puzzles on a page; by default 4, or 2 or 1 if cells would be smaller than
        6 mm.
    paper : {"a4", "a5", "letter"}, default "a4"
        The size of the pages, in portrait format.

    Examples
    --------
    >>> pages = list(book([Sheet(shown="1.....2..3.....4")], [Sheet(shown="1243342143122134")]))
    >>> [(page.height, page.width, len(page.texts)) for page in pages]
    [(1754, 1240, 6), (1754, 1240, 18)]
    """
    if per_page is not None:
        per_page = check_integer("the number of puzzles to a page", per_page, least=1)
    if not puzzles:
        raise InvalidParameterError("a book without puzzles has no pages")
    if len(title) > _MAX_TITLE_LENGTH or not title.isprintable():
        raise InvalidParameterError(f"a title is one line of up to {_MAX_TITLE_LENGTH} characters")
    page_size = _Paper(*get_paper_size(paper))
    content_width = page_size.get_content_size(_HEAD_HEIGHT)[1]
    page_size = page_size._replace(
        rules=len(
            wrap_text(format_hidden_rules(puzzles), font_size=_RULE_FONT_SIZE, width=content_width)
        )
    )
    page_numbers = count(1)
    largest_size = _find_largest_extent(puzzles)
    if per_page is None:
        cell_sizes = (
            (number, _choose_layout(largest_size, page_size, number).cell) for number in (4, 2)
        )
        per_page = next(
            (
                number
                for number, cell in cell_sizes
                if cell >= convert_to_pixels(_COMFORTABLE_CELL_SIDE)
            ),
            1,
        )
    layout = _choose_legible_layout(largest_size, page_size, per_page)
    for start in range(0, len(puzzles), per_page):
        page_sheets = puzzles[start : start + per_page]
        yield _draw_page(page_sheets, layout, page_size, title, next(page_numbers))
    if solutions:
        layout = _find_densest_layout(_find_largest_extent(solutions), page_size, layout.cell)
    for start in range(0, len(solutions), len(layout)):
        page_sheets = solutions[start : start + len(layout)]
        yield _draw_page(page_sheets, layout, page_size, "Solutions", next(page_numbers))


def _find_largest_extent(sheets: Sequence[Sheet]) -> _Extent:
    """Return the largest numbers of rows, columns and digits of the given sheets."""
    shapes = {(*sheet.variant.shape, sheet.variant.digits) for sheet in sheets}
    rows, columns, digits = (max(sides) for sides in zip(*shapes, strict=True))
    return rows, columns, digits


def _choose_legible_layout(largest_size: _Extent, paper: _Paper, per_page: int) -> _Layout:
    """Return the best layout for `per_page` puzzles; raise an error if its cells are too small."""
    layout = _choose_layout(largest_size, paper, per_page)
    is_legible = get_font_size(largest_size[2], layout.cell) >= _MIN_FONT_SIZE
    if not is_legible or (per_page > 1 and layout.cell < convert_to_pixels(_MIN_CELL_SIDE)):
        purpose = "write in" if is_legible else "read"
        raise InvalidParameterError(
            f"with {per_page} to a page the puzzles are too small to {purpose}",
            hint="put fewer on a page, or use larger paper",
        )
    return layout


def _choose_layout(largest_size: _Extent, paper: _Paper, per_page: int) -> _Layout:
    """Return the layout with the largest cells that fits on the first page below its title."""
    # More rows than pixels are useless, so they are not tried.
    max_rows = min(per_page, paper[0])
    layouts = [
        _find_largest_cell_layout(largest_size, paper, rows, -(-per_page // rows))
        for rows in range(1, max_rows + 1)
    ]
    return max(layouts, key=lambda layout: (layout.cell, -len(layout)))


def _find_densest_layout(largest_size: _Extent, paper: _Paper, max_cell_side: int) -> _Layout:
    """Return the layout with the most grids whose digits are easy to read."""
    grid_rows, grid_columns, digits = largest_size
    cell = min(_SOLUTION_CELL_SIDE, max_cell_side)
    while cell < max_cell_side and get_font_size(digits, cell) < _SOLUTION_FONT_SIZE:
        cell += 1
    height, width = paper.get_content_size(_HEAD_HEIGHT)
    gap = paper.scale_to_pixels(_SOLUTION_GAP)
    columns = max(1, (width + gap) // (grid_columns * cell + gap))
    rows = max(1, (height + gap) // (grid_rows * cell + _compute_caption_height(cell) + gap))
    layout = _find_largest_cell_layout(
        largest_size, paper, rows, columns, head_height=_HEAD_HEIGHT, gap=_SOLUTION_GAP
    )
    return replace(layout, cell=min(max_cell_side, layout.cell))


def _find_largest_cell_layout(
    largest_size: _Extent, paper: _Paper, rows: int, columns: int, *,
    head_height: int = _FIRST_PAGE_HEAD_HEIGHT, gap: int = _GRID_GAP,
) -> _Layout:  # fmt: skip
    """Return the layout with these rows and columns and the largest cells that fit."""
    grid_rows, grid_columns, _ = largest_size
    height, width = paper.get_content_size(head_height)
    gap = paper.scale_to_pixels(gap)
    max_cell_width = ((width + gap) // columns - gap) // grid_columns
    slot_height = (height + gap) // rows - gap
    cell_sizes = range(min(max_cell_width, _MAX_CELL_SIDE), 0, -1)
    cell = next(
        (
            cell
            for cell in cell_sizes
            if grid_rows * cell + _compute_caption_height(cell) <= slot_height
        ),
        0,
    )
    return _Layout(rows, columns, max(width // columns, grid_columns * cell + gap), cell)


def _compute_caption_height(cell: int) -> int:
    """Return the height of the line above a grid: the height of a cell, within limits."""
    return min(convert_to_pixels(7), max(convert_to_pixels(4.5), cell))


def _draw_page(
    sheets: Sequence[Sheet], layout: _Layout, paper: _Paper, title: str, page_number: int
) -> Drawing:
    """Draw one page; the first page has a large title."""
    height, width, _ = paper
    head_height = _FIRST_PAGE_HEAD_HEIGHT if page_number == 1 else _HEAD_HEIGHT
    content_height, content_width = paper.get_content_size(head_height)
    margin, head_height = paper.scale_to_pixels(_PAGE_MARGIN), paper.scale_to_pixels(head_height)
    rectangles: list[Rectangle] = []
    strokes: list[Stroke] = []
    middle = width // 2
    texts: list[Text] = [
        make_text_line(
            str(page_number), baseline=height - margin, middle=middle, size=20, color=GRAY
        )
    ]
    for index, rule in enumerate(
        wrap_text(format_hidden_rules(sheets), font_size=_RULE_FONT_SIZE, width=content_width)[::-1]
    ):
        baseline = height - margin - 30 - 2 * _RULE_FONT_SIZE * index
        texts.append(make_text_line(rule, baseline=baseline, middle=middle, size=_RULE_FONT_SIZE))
    if page_number == 1:
        baseline = margin + paper.scale_to_pixels(8)
        texts.append(
            make_text_line(
                title, baseline=baseline, middle=middle, size=54, bold=True, width=content_width
            )
        )
    else:
        baseline = margin + paper.scale_to_pixels(3)
        texts.append(
            make_text_line(
                title, baseline=baseline, middle=middle, size=22, color=GRAY, width=content_width
            )
        )
    cell, caption_height = layout.cell, _compute_caption_height(layout.cell)
    for index, sheet in enumerate(sheets):
        row, column = divmod(index, layout.columns)
        grid_rows, grid_columns = sheet.variant.shape
        middle = (width + (2 * column + 1 - layout.columns) * layout.pitch) // 2
        left = middle - grid_columns * cell // 2
        extra_height = content_height // layout.rows - caption_height - grid_rows * cell
        top = (
            margin
            + head_height
            + row * content_height // layout.rows
            + extra_height // 2
            + caption_height
        )
        rectangles += make_rectangles(sheet.panel, top=top, left=left, side=cell)
        texts += make_texts(sheet.panel, top=top, left=left, side=cell)
        strokes += make_strokes(sheet.panel, top=top, left=left, side=cell)
        font_size = max(14, min(26, round(0.62 * caption_height)))
        texts.append(
            make_text_line(
                sheet.caption,
                baseline=top - font_size // 2,
                middle=middle,
                size=font_size,
                bold=True,
            )
        )
    nonempty_texts = tuple(text for text in texts if text.text)
    return Drawing(height, width, tuple(rectangles), nonempty_texts, tuple(strokes))
