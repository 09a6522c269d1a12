"""Books of puzzles: some to a page, and their solutions on the pages at the end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.drawing.page import Sheet, list_hidden_rules
from sudokucrypt.sudoku.drawing.paper import GRAY, line, paper_size, pixels
from sudokucrypt.sudoku.model.shapes import Drawing, Rectangle, Stroke, Text
from sudokucrypt.sudoku.model.sheet_picture import rectangles, strokes, text_size, texts, wrap_text

# As much as fits on one line in the size of a heading.
_LONGEST_TITLE = 80
_MARGIN, _GAP, _SOLVED_GAP = 15, 11, 7  # millimeters on A4
# Millimeters: the first page has the title, all others only a running head.
_HEAD, _FIRST_HEAD, _FOOT = 10, 20, 9
_RULE = 18  # font size of rules, in pixels
# A single small puzzle must not fill the page like a poster.
_LARGEST_CELL = pixels(20)
_SMALLEST_CELL = 5  # millimeters, where fewer puzzles to a page would have larger ones
_COMFORTABLE_CELL = 6  # as newspapers have them
_SMALLEST_FONT = 10  # pixels: about 5 points, below which nobody reads digits on paper
# Solutions are looked up, not written into: they may be small if their digits stay legible.
_SOLVED_CELL, _SOLVED_FONT = pixels(4.2), 15

_Extent: TypeAlias = tuple[int, int, int]


class _Paper(NamedTuple):
    """The sheet of paper, lengths in pixels, and the most lines of rules at the foot of a page."""

    height: int
    width: int
    rules: int = 0

    def pixels(self, millimeters: float) -> int:
        """Return a length that is shorter on paper smaller than A4 and letter."""
        return pixels(millimeters * min(1.0, self.height / paper_size("letter")[0]))

    def room(self, head: int) -> tuple[int, int]:
        """Return height and width of what is left for sheets below a head of this height."""
        margins = 2 * self.pixels(_MARGIN)
        foot = self.pixels(_FOOT) + self.rules * 2 * _RULE
        return self.height - margins - self.pixels(head) - foot, self.width - margins


@dataclass(frozen=True)
class _Slots:
    """How sheets are laid out on a page: rows and columns of them, and lengths in pixels."""

    rows: int
    columns: int
    pitch: int  # from one column to the next
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
    """Draw the pages of a book: puzzles in reading order, then as many solutions to a page as fit.

    The title is at the top of the first page, captions above the sheets, and the number of the
    page at its foot. All pages have one size, of 150 pixels to an inch.

    Raises `InvalidParameterError` if there is no puzzle, a value is out of range, the digits would
    be too small to read, or the cells of several puzzles smaller than 5 mm, too small to write in.
    The title is one line of up to 80 characters. By default a page has 4 puzzles, or 2 or 1 where
    cells would have less than 6 mm; the paper is "a4", "a5" or "letter", upright.

    Parameters
    ----------
    puzzles : sequence of Sheet
        The puzzles, one or more, in reading order.
    solutions : sequence of Sheet, default ()
        Their solutions, on pages of their own.
    title : str, default "Sudoku"
        The title on the first page: one line of up to 80 characters.
    per_page : int, optional
        The number of puzzles on a page; by default 4, or 2 or 1 where cells would have less than 6
        mm.
    paper : {"a4", "a5", "letter"}, default "a4"
        The size of the pages, which are upright.

    Examples
    --------
    >>> pages = list(book([Sheet(shown="1.....2..3.....4")], [Sheet(shown="1243342143122134")]))
    >>> [(page.height, page.width, len(page.texts)) for page in pages]
    [(1754, 1240, 6), (1754, 1240, 18)]
    """
    if per_page is not None:
        per_page = checked_integer("the number of puzzles to a page", per_page, least=1)
    if not puzzles:
        raise InvalidParameterError("a book without puzzles has no pages")
    if len(title) > _LONGEST_TITLE or not title.isprintable():
        raise InvalidParameterError(f"a title is one line of up to {_LONGEST_TITLE} characters")
    size = _Paper(*paper_size(paper))
    width = size.room(_HEAD)[1]
    size = size._replace(rules=len(wrap_text(list_hidden_rules(puzzles), size=_RULE, width=width)))
    page_numbers = count(1)
    extent = _measure_extent(puzzles)
    if per_page is None:
        sizes = ((most, _choose_layout(extent, size, most).cell) for most in (4, 2))
        per_page = next((most for most, cell in sizes if cell >= pixels(_COMFORTABLE_CELL)), 1)
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
    """Return the most rows, columns and digits of sheets."""
    sizes = {(*sheet.variant.shape, sheet.variant.digits) for sheet in sheets}
    tall, wide, digits = (max(sides) for sides in zip(*sizes, strict=True))
    return tall, wide, digits


def _list_slots(extent: _Extent, size: _Paper, per_page: int) -> _Slots:
    """Return the rows and columns of sheets whose cells are large enough."""
    best = _choose_layout(extent, size, per_page)
    legible = text_size(extent[2], best.cell) >= _SMALLEST_FONT
    if not legible or (per_page > 1 and best.cell < pixels(_SMALLEST_CELL)):
        use = "write in" if legible else "read"
        raise InvalidParameterError(
            f"with {per_page} to a page the puzzles are too small to {use}",
            hint="put fewer on a page, or take larger paper",
        )
    return best


def _choose_layout(extent: _Extent, size: _Paper, per_page: int) -> _Slots:
    """Return the rows and columns that make the cells largest; the first page decides."""
    # More rows than pixels are never wanted, however many sheets there are.
    most = min(per_page, size[0])
    layouts = [
        _find_largest_cell(extent, size, rows, -(-per_page // rows)) for rows in range(1, most + 1)
    ]
    return max(layouts, key=lambda layout: (layout.cell, -len(layout)))


def _find_most_slots(extent: _Extent, size: _Paper, largest: int) -> _Slots:
    """Return as many rows and columns as there can be with digits that are easy to read."""
    tall, wide, digits = extent
    cell = min(_SOLVED_CELL, largest)
    while cell < largest and text_size(digits, cell) < _SOLVED_FONT:
        cell += 1
    height, width = size.room(_HEAD)
    gap = size.pixels(_SOLVED_GAP)
    columns = max(1, (width + gap) // (wide * cell + gap))
    rows = max(1, (height + gap) // (tall * cell + _measure_caption(cell) + gap))
    slots = _find_largest_cell(extent, size, rows, columns, head=_HEAD, gap=_SOLVED_GAP)
    return replace(slots, cell=min(largest, slots.cell))


def _find_largest_cell(
    extent: _Extent, size: _Paper, rows: int, columns: int, *,
    head: int = _FIRST_HEAD, gap: int = _GAP,
) -> _Slots:  # fmt: skip
    """Return the largest cell with which this many sheets, and lines above them, fit."""
    tall, wide, _ = extent
    height, width = size.room(head)
    gap = size.pixels(gap)
    across = ((width + gap) // columns - gap) // wide
    down = (height + gap) // rows - gap
    fitting = range(min(across, _LARGEST_CELL), 0, -1)
    cell = next((cell for cell in fitting if tall * cell + _measure_caption(cell) <= down), 0)
    return _Slots(rows, columns, max(width // columns, wide * cell + gap), cell)


def _measure_caption(cell: int) -> int:
    """Return the height of the line above a sheet: that of a cell, within limits."""
    return min(pixels(7), max(pixels(4.5), cell))


def _draw_page(
    sheets: Sequence[Sheet], slots: _Slots, size: _Paper, title: str, page_number: int
) -> Drawing:
    """Draw one page; the first one has a large title."""
    height, width, _ = size
    head = _FIRST_HEAD if page_number == 1 else _HEAD
    room, inner = size.room(head)
    margin, head = size.pixels(_MARGIN), size.pixels(head)
    shapes: list[Rectangle] = []
    lines: list[Stroke] = []
    middle = width // 2
    words: list[Text] = [
        line(str(page_number), baseline=height - margin, middle=middle, size=20, color=GRAY)
    ]
    for index, rule in enumerate(
        wrap_text(list_hidden_rules(sheets), size=_RULE, width=inner)[::-1]
    ):
        baseline = height - margin - 30 - 2 * _RULE * index
        words.append(line(rule, baseline=baseline, middle=middle, size=_RULE))
    if page_number == 1:
        baseline = margin + size.pixels(8)
        words.append(line(title, baseline=baseline, middle=middle, size=54, bold=True, width=inner))
    else:
        baseline = margin + size.pixels(3)
        words.append(
            line(title, baseline=baseline, middle=middle, size=22, color=GRAY, width=inner)
        )
    cell, caption = slots.cell, _measure_caption(slots.cell)
    for index, sheet in enumerate(sheets):
        row, column = divmod(index, slots.columns)
        down, right = sheet.variant.shape
        middle = (width + (2 * column + 1 - slots.columns) * slots.pitch) // 2
        left = middle - right * cell // 2
        slack = room // slots.rows - caption - down * cell
        start = margin + head + row * room // slots.rows + slack // 2 + caption
        shapes += rectangles(sheet.panel, top=start, left=left, cell=cell)
        words += texts(sheet.panel, top=start, left=left, cell=cell)
        lines += strokes(sheet.panel, top=start, left=left, cell=cell)
        font = max(14, min(26, round(0.62 * caption)))
        words.append(
            line(sheet.caption, baseline=start - font // 2, middle=middle, size=font, bold=True)
        )
    written = tuple(word for word in words if word.text)
    return Drawing(height, width, tuple(shapes), written, tuple(lines))
