"""Draw books of puzzles: several puzzles on each page, and solutions on the last pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.drawing.page import Sheet, list_hidden_rules
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
_LONGEST_TITLE = 80

_MARGIN, _GAP, _SOLVED_GAP = 15, 11, 7  # millimeters on A4
# Heights in millimeters; the first page has the title, other pages have a running head.
_HEAD, _FIRST_HEAD, _FOOT = 10, 20, 9
_RULE_FONT = 18  # the font size of rules, in pixels
# The limit prevents a single small puzzle from filling the page.
_LARGEST_CELL = convert_to_pixels(20)
_SMALLEST_CELL = 5  # millimeters, if there are several puzzles on a page
_COMFORTABLE_CELL = 6  # millimeters, the usual size in newspapers
_SMALLEST_FONT = 10  # pixels, about 5 points; smaller digits are illegible on paper
# Cells and font of solutions, in pixels; nobody writes in solutions, so they may be small.
_SOLVED_CELL, _SOLVED_FONT = convert_to_pixels(4.2), 15

_Extent: TypeAlias = tuple[int, int, int]


class _Paper(NamedTuple):
    """The paper, with lengths in pixels, and the largest number of lines of rules on a page."""

    height: int
    width: int
    rules: int = 0

    def pixels(self, millimeters: float) -> int:
        """Return a length in pixels, reduced on paper that is smaller than A4 and letter."""
        return convert_to_pixels(millimeters * min(1.0, self.height / get_paper_size("letter")[0]))

    def get_content_size(self, head: int) -> tuple[int, int]:
        """Return the height and width of the area for grids below a head of this height."""
        margins = 2 * self.pixels(_MARGIN)
        foot = self.pixels(_FOOT) + self.rules * 2 * _RULE_FONT
        return self.height - margins - self.pixels(head) - foot, self.width - margins


@dataclass(frozen=True)
class _Slots:
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
    if len(title) > _LONGEST_TITLE or not title.isprintable():
        raise InvalidParameterError(f"a title is one line of up to {_LONGEST_TITLE} characters")
    size = _Paper(*get_paper_size(paper))
    width = size.get_content_size(_HEAD)[1]
    size = size._replace(
        rules=len(wrap_text(list_hidden_rules(puzzles), size=_RULE_FONT, width=width))
    )
    page_numbers = count(1)
    extent = _measure_extent(puzzles)
    if per_page is None:
        sizes = ((most, _choose_layout(extent, size, most).cell) for most in (4, 2))
        per_page = next(
            (most for most, cell in sizes if cell >= convert_to_pixels(_COMFORTABLE_CELL)), 1
        )
    slots = _list_slots(extent, size, per_page)
    for start in range(0, len(puzzles), per_page):
        part = puzzles[start : start + per_page]
        yield _draw_page(part, slots, size, title, next(page_numbers))
    if solutions:
        slots = _find_most_slots(_measure_extent(solutions), size, slots.cell)
    for start in range(0, len(solutions), len(slots)):
        part = solutions[start : start + len(slots)]
        yield _draw_page(part, slots, size, "Solutions", next(page_numbers))


def _measure_extent(sheets: Sequence[Sheet]) -> _Extent:
    """Return the largest numbers of rows, columns and digits of the given sheets."""
    sizes = {(*sheet.variant.shape, sheet.variant.digits) for sheet in sheets}
    tall, wide, digits = (max(sides) for sides in zip(*sizes, strict=True))
    return tall, wide, digits


def _list_slots(extent: _Extent, size: _Paper, per_page: int) -> _Slots:
    """Return the best layout for the given number of puzzles; raise an error if it is too small."""
    best = _choose_layout(extent, size, per_page)
    legible = get_font_size(extent[2], best.cell) >= _SMALLEST_FONT
    if not legible or (per_page > 1 and best.cell < convert_to_pixels(_SMALLEST_CELL)):
        use = "write in" if legible else "read"
        raise InvalidParameterError(
            f"with {per_page} to a page the puzzles are too small to {use}",
            hint="put fewer on a page, or use larger paper",
        )
    return best


def _choose_layout(extent: _Extent, size: _Paper, per_page: int) -> _Slots:
    """Return the layout with the largest cells; the first page, with its title, decides."""
    # More rows than pixels are useless, so they are not tried.
    most = min(per_page, size[0])
    layouts = [
        _find_largest_cell(extent, size, rows, -(-per_page // rows)) for rows in range(1, most + 1)
    ]
    return max(layouts, key=lambda layout: (layout.cell, -len(layout)))


def _find_most_slots(extent: _Extent, size: _Paper, largest: int) -> _Slots:
    """Return the layout with the most grids whose digits are easy to read."""
    tall, wide, digits = extent
    cell = min(_SOLVED_CELL, largest)
    while cell < largest and get_font_size(digits, cell) < _SOLVED_FONT:
        cell += 1
    height, width = size.get_content_size(_HEAD)
    gap = size.pixels(_SOLVED_GAP)
    columns = max(1, (width + gap) // (wide * cell + gap))
    rows = max(1, (height + gap) // (tall * cell + _measure_caption(cell) + gap))
    slots = _find_largest_cell(extent, size, rows, columns, head=_HEAD, gap=_SOLVED_GAP)
    return replace(slots, cell=min(largest, slots.cell))


def _find_largest_cell(
    extent: _Extent, size: _Paper, rows: int, columns: int, *,
    head: int = _FIRST_HEAD, gap: int = _GAP,
) -> _Slots:  # fmt: skip
    """Return the layout with these rows and columns and the largest cells that fit."""
    tall, wide, _ = extent
    height, width = size.get_content_size(head)
    gap = size.pixels(gap)
    across = ((width + gap) // columns - gap) // wide
    down = (height + gap) // rows - gap
    fitting = range(min(across, _LARGEST_CELL), 0, -1)
    cell = next((cell for cell in fitting if tall * cell + _measure_caption(cell) <= down), 0)
    return _Slots(rows, columns, max(width // columns, wide * cell + gap), cell)


def _measure_caption(cell: int) -> int:
    """Return the height of the line above a grid: the height of a cell, within limits."""
    return min(convert_to_pixels(7), max(convert_to_pixels(4.5), cell))


def _draw_page(
    sheets: Sequence[Sheet], slots: _Slots, size: _Paper, title: str, page_number: int
) -> Drawing:
    """Draw one page; the first page has a large title."""
    height, width, _ = size
    head = _FIRST_HEAD if page_number == 1 else _HEAD
    content_height, content_width = size.get_content_size(head)
    margin, head = size.pixels(_MARGIN), size.pixels(head)
    shapes: list[Rectangle] = []
    lines: list[Stroke] = []
    middle = width // 2
    texts: list[Text] = [
        make_text_line(
            str(page_number), baseline=height - margin, middle=middle, size=20, color=GRAY
        )
    ]
    for index, rule in enumerate(
        wrap_text(list_hidden_rules(sheets), size=_RULE_FONT, width=content_width)[::-1]
    ):
        baseline = height - margin - 30 - 2 * _RULE_FONT * index
        texts.append(make_text_line(rule, baseline=baseline, middle=middle, size=_RULE_FONT))
    if page_number == 1:
        baseline = margin + size.pixels(8)
        texts.append(
            make_text_line(
                title, baseline=baseline, middle=middle, size=54, bold=True, width=content_width
            )
        )
    else:
        baseline = margin + size.pixels(3)
        texts.append(
            make_text_line(
                title, baseline=baseline, middle=middle, size=22, color=GRAY, width=content_width
            )
        )
    cell, caption = slots.cell, _measure_caption(slots.cell)
    for index, sheet in enumerate(sheets):
        row, column = divmod(index, slots.columns)
        down, right = sheet.variant.shape
        middle = (width + (2 * column + 1 - slots.columns) * slots.pitch) // 2
        left = middle - right * cell // 2
        slack = content_height // slots.rows - caption - down * cell
        start = margin + head + row * content_height // slots.rows + slack // 2 + caption
        shapes += make_rectangles(sheet.panel, top=start, left=left, cell=cell)
        texts += make_texts(sheet.panel, top=start, left=left, cell=cell)
        lines += make_strokes(sheet.panel, top=start, left=left, cell=cell)
        font = max(14, min(26, round(0.62 * caption)))
        texts.append(
            make_text_line(
                sheet.caption, baseline=start - font // 2, middle=middle, size=font, bold=True
            )
        )
    nonempty_texts = tuple(word for word in texts if word.text)
    return Drawing(height, width, tuple(shapes), nonempty_texts, tuple(lines))
