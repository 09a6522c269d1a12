"""Drawings of grids: positions of lines and digits, and their SVG."""

import hashlib
from collections.abc import Callable, Iterator
from math import dist
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images import paint
from sudokucrypt.sudoku import (
    CONSTRAINTS,
    Made,
    ParametricGrid,
    SudokuArray,
    SudokuGrid,
    SudokuPuzzle,
    Variant,
    make_puzzle,
    random_grid,
    random_jigsaw,
    random_solution,
    seeded_draws,
    solve,
)
from sudokucrypt.sudoku.drawing import (
    MOST_PIXELS,
    Drawing,
    Rectangle,
    Sheet,
    Stroke,
    Text,
    book,
    draw,
    to_svg,
)
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.constraints.marks import Label, MarkStroke
from sudokucrypt.typing import Box
from tests.sudoku.constraints import draw_satisfied_constraints

INK, THIN, TINT = "#16181d", "#b9bec8", "#fdeecb"
MINI = SudokuPuzzle.from_text("1.....2..3.....4")


def paint_pixels(drawing: Drawing) -> NDArray[np.str_]:
    """Return the color of each pixel, without texts."""
    page = np.full((drawing.height, drawing.width), "#ffffff")
    for top, left, height, width, color in drawing.rectangles:
        assert top >= 0
        assert left >= 0
        assert top + height <= drawing.height
        assert left + width <= drawing.width
        page[top : top + height, left : left + width] = color
    return page


@pytest.mark.parametrize("box", [(2, 3), (3, 2), (1, 4)])
@pytest.mark.parametrize("cell", [20, 31])
def test_borders_of_boxes_are_thick(box: Box, cell: int) -> None:
    """Along the centers of cells, lines between boxes are thick, and lines within boxes thin."""
    grid = ParametricGrid.base(box).to_grid()
    page = paint_pixels(draw([Sheet(shown=grid)], cell=cell))
    margin = (page.shape[1] - grid.order * cell) // 2
    across, down = page[margin + cell // 2], page[:, margin + cell // 2]
    for line, side in ((across, box[1]), (down, box[0])):
        for position in range(grid.order + 1):
            border = position % side == 0 if min(box) > 1 else position in (0, grid.order)
            assert line[margin + position * cell] == (INK if border else THIN)
        widths = (line == INK).sum()
        assert widths == (grid.order // side + 1 if min(box) > 1 else 2) * max(2, round(cell / 14))


@pytest.mark.parametrize("seed", range(3))
def test_borders_of_regions_are_thick(seed: int) -> None:
    """The line between two cells is thick if their regions differ, otherwise thin."""
    variant = random_jigsaw(seed, order=6)
    rows = variant.regions
    page = paint_pixels(draw([Sheet(shown=SudokuPuzzle.empty(variant))], cell=30))
    margin = (page.shape[0] - 180) // 2
    for row, column in np.ndindex(6, 5):
        position, middle = margin + (column + 1) * 30, margin + row * 30 + 15
        color = INK if rows[row][column] != rows[row][column + 1] else THIN
        assert page[middle, position] == color
        color = INK if rows[column][row] != rows[column + 1][row] else THIN
        assert page[position, middle] == color


def test_samurai_has_no_lines_where_it_has_no_cells() -> None:
    """No lines are drawn in the gaps of Samurai, and the corners of overlaps are closed."""
    sheet = Sheet(shown=SudokuPuzzle.empty(Variant.samurai()))
    page = paint_pixels(draw([sheet], cell=20))
    margin = (page.shape[0] - 21 * 20) // 2
    hole = page[margin : margin + 6 * 20 - 2, margin + 9 * 20 + 2 : margin + 12 * 20 - 2]
    assert (hole == "#ffffff").all()
    assert (page == page.T).all()
    assert (page[::-1, ::-1][margin:-margin, margin:-margin] == INK).any()
    for row, column in ((0, 9), (6, 9), (9, 6), (12, 15), (21, 0)):
        assert page[margin + row * 20, margin + column * 20] == INK


def test_diagonals_are_tinted() -> None:
    """In X-Sudoku only the diagonals are tinted."""
    page = paint_pixels(draw([Sheet(shown=SudokuPuzzle.empty(Variant.x((2, 3))))], cell=20))
    margin = (page.shape[1] - 120) // 2
    middles = page[margin + 10 : margin + 120 : 20, margin + 10 : margin + 120 : 20]
    cross = np.eye(6, dtype=bool) | np.eye(6, dtype=bool)[::-1]
    assert ((middles == TINT) == cross).all()
    assert ((middles == "#ffffff") == ~cross).all()


def test_digits_stand_in_their_cells() -> None:
    """Each digit is drawn once, in the center of its cell."""
    drawing = draw([Sheet(shown=MINI)], cell=40)
    margin = (drawing.width - 160) // 2
    cells = {
        ((text.baseline - margin) // 40, (text.middle - margin) // 40): text.text
        for text in drawing.texts
    }
    assert cells == {(0, 0): "1", (1, 2): "2", (2, 1): "3", (3, 3): "4"}
    for text in drawing.texts:
        assert (text.middle - margin) % 40 == 20
        middle = text.baseline - 0.355 * text.size - margin
        assert abs(middle % 40 - 20) <= 1
        assert text.bold


def test_captions_stand_in_the_middle_of_the_space_below() -> None:
    """Captions are centered in the white space below their grid."""
    drawing, bare = (draw([Sheet(shown=MINI, caption=text)], cell=40) for text in ("A", ""))
    (text,) = (text_shape for text_shape in drawing.texts if text_shape.text == "A")
    bottom = bare.height - (bare.width - 4 * 40) // 2
    assert abs(text.baseline - 0.355 * text.size - (bottom + 0.6 * 40)) <= 1


def test_solved_digits_are_lighter() -> None:
    """Givens are bold and solved digits lighter; the digits of a plain grid are dark, not bold."""
    solved = draw([Sheet(shown=solve(MINI), givens=MINI)])
    assert "".join(text.text for text in solved.texts if text.bold) == "1234"
    assert {text.color == INK for text in solved.texts if not text.bold} == {False}
    for full_grid in (
        solve(MINI).to_grid(),
        random_solution(Variant.samurai((2, 2)), seeded_draws(1)),
    ):
        plain_drawing = draw([Sheet(shown=full_grid)])
        assert {(text.bold, text.color) for text in plain_drawing.texts} == {(False, INK)}


@pytest.mark.parametrize("box", [(4, 4), (6, 6), pytest.param((20, 25), marks=pytest.mark.slow)])
def test_large_orders_are_legible(box: Box) -> None:
    """Up to order 500, digits have at least 7 pixels and fit in their cells."""
    drawing = draw([Sheet(shown=ParametricGrid.base(box).to_grid())])
    order = box[0] * box[1]
    assert drawing.height * drawing.width <= MOST_PIXELS
    assert len(drawing.texts) == order * order
    cell = (drawing.width - drawing.texts[0].middle) // order
    widest = max(len(text.text) for text in drawing.texts)
    assert drawing.texts[0].size >= 7
    assert 0.58 * widest * drawing.texts[0].size < cell


def test_shades_stand_for_digits_that_nobody_can_read() -> None:
    """In tiny cells each digit is a shade, darker for higher digits."""
    grid = ParametricGrid.base((3, 3)).to_grid()
    drawing = draw([Sheet(shown=grid)], cell=5)
    assert drawing.texts == ()
    page = paint_pixels(drawing)
    margin = (page.shape[0] - 45) // 2
    middles = page[margin + 2 : margin + 45 : 5, margin + 2 : margin + 45 : 5]
    shades = [set(middles[grid.cells == digit]) for digit in range(9)]
    assert all(len(shade) == 1 for shade in shades)
    brightness = [sum(bytes.fromhex(shade.pop()[1:])) for shade in shades]
    assert brightness == sorted(brightness, reverse=True)
    assert len(set(brightness)) == 9


@pytest.mark.parametrize(
    ("count", "columns", "shape"), [(6, 3, (2, 3)), (5, None, (2, 3)), (2, 9, (1, 2))]
)
def test_sheets_in_rows(count: int, columns: int | None, shape: tuple[int, int]) -> None:
    """Several sheets are drawn in rows, each with its caption below."""
    sheets = [Sheet(shown=MINI, caption=str(index)) for index in range(count)]
    drawing = draw(sheets, cell=40, columns=columns)
    margin = 35
    assert drawing.height == margin + shape[0] * (5 * 40 + margin)
    assert drawing.width == margin + shape[1] * (4 * 40 + margin)
    captions = [text for text in drawing.texts if not text.bold]
    assert [text.text for text in captions] == [str(index) for index in range(count)]
    positions = [(text.baseline, text.middle) for text in captions]
    assert positions == sorted(positions)
    assert len({row for row, _ in positions}) == shape[0]


def test_numbers_out_of_range() -> None:
    """Cell sizes and columns out of range, and an empty list of sheets, are refused."""
    for options in ({"cell": 0}, {"cell": 401}, {"columns": 0}):
        with pytest.raises(InvalidParameterError, match="out of range"):
            draw([Sheet(shown=MINI)], **options)
    with pytest.raises(InvalidParameterError, match="no sheet"):
        draw([])


def test_svg_has_every_shape() -> None:
    """The SVG is XML with all shapes of the drawing, and always the same text."""
    sheets = [Sheet(shown=solve(MINI), givens=MINI, caption="a < b & c"), Sheet(shown=MINI)]
    drawing = draw(sheets)
    text = to_svg(drawing)
    assert text == to_svg(draw(sheets))
    root = ElementTree.fromstring(text)  # noqa: S314 - our own text
    spaces = {"s": "http://www.w3.org/2000/svg"}
    shapes = [
        Rectangle(
            int(result.get("y") or ""),
            int(result.get("x") or ""),
            int(result.get("height") or ""),
            int(result.get("width") or ""),
            group.get("fill") or "",
        )
        for group in root.findall("s:g", spaces)
        for result in group.findall("s:rect", spaces)
    ]
    assert tuple(shapes) == drawing.rectangles
    words = [
        Text(
            int(result.get("y") or ""),
            int(result.get("x") or ""),
            int(group.get("font-size") or ""),
            result.text or "",
            group.get("font-weight") == "bold",
            group.get("fill") or "",
        )
        for group in root.findall("s:g", spaces)
        for result in group.findall("s:text", spaces)
    ]
    assert tuple(words) == drawing.texts
    assert root.get("viewBox") == f"0 0 {drawing.width} {drawing.height}"


@pytest.mark.parametrize(
    "sheet",
    [MINI, solve(MINI).to_grid(), SudokuArray.base((1, 2, 2, 3)), SudokuPuzzle.empty(Variant.x())],
    ids=repr,
)
def test_notebooks_show_sheets(sheet: SudokuGrid | SudokuPuzzle | SudokuArray) -> None:
    """Notebooks get the drawing as HTML, with a label for screen readers."""
    page = draw([Sheet(shown=sheet)])
    assert sheet._repr_svg_() == page._repr_svg_() == to_svg(page)
    html = sheet._repr_html_() or ""
    root = ElementTree.fromstring(html)  # noqa: S314 - our own text
    assert root.attrib == {"role": "img", "aria-label": repr(sheet)}
    assert to_svg(page) in html


def test_notebooks_show_what_was_made() -> None:
    """Notebooks show a made puzzle next to its solution."""
    pair = make_puzzle(1, sheet=Variant.latin(3))
    root = ElementTree.fromstring(pair._repr_html_() or "")  # noqa: S314 - our own text
    assert [picture.get("aria-label") for picture in root] == [*map(repr, pair)]


def test_notebooks_show_no_huge_picture() -> None:
    """Above 64 rows, notebooks get no picture."""
    grid = ParametricGrid.base((5, 13)).to_grid()
    assert grid._repr_svg_() is grid._repr_html_() is None
    assert repr(grid).startswith("<SudokuGrid 65x65 with 5x13 boxes: 1 2 3 ")
    assert len(repr(grid)) < 300
    puzzle = SudokuPuzzle.from_grid(grid)
    assert Made(puzzle, puzzle)._repr_html_() is None


def test_rules_without_marks_stand_at_the_foot() -> None:
    """Rules without marks are written below single grids, pages and books, within their width."""
    for variant in (Variant.anti_knight(), Variant.latin(4), Variant.windoku((2, 2))):
        sheet = SudokuPuzzle.empty(variant)
        without_rules = draw([Sheet(shown=sheet)], cell=20)
        for page in (
            without_rules,
            draw([Sheet(shown=sheet, caption="a")] * 4),
            *book([Sheet(shown=sheet)]),
        ):
            lowest = max(shape.top + shape.height for shape in page.rectangles)
            below = [text for text in page.texts if text.baseline > lowest and len(text.text) > 2]
            assert " ".join(text.text for text in below) == variant.rule
            assert all(len(text.text) * 0.6 * text.size <= page.width for text in below)
            assert all(text.baseline < page.height for text in below)
    assert Variant.standard().rule == Variant.latin(5).rule == ""


@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_every_constraint_is_drawn_or_stated(kind: str) -> None:
    """Marks of each constraint are inside the page, and a sentence below explains them."""
    draws, standard = seeded_draws(1), Variant.standard()
    digits = (random_grid(draws).cells.reshape(-1) + 1).tolist()
    rules = draw_satisfied_constraints(kind, standard, digits, draws)[:1]
    variant = standard.with_constraints(*rules)
    drawing = draw([Sheet(shown=SudokuPuzzle.empty(variant))])
    stated = " ".join(text.text for text in drawing.texts)
    assert variant.legend in stated
    assert drawing.strokes or rules[0].sentence(variant) in variant.legend or "number" in stated
    for points, width, _ in drawing.strokes:
        assert width > 0
        assert all(0 <= r < drawing.height and 0 <= c < drawing.width for r, c in points)
    assert to_svg(drawing).count("<path ") == len(drawing.strokes)


def _make_sheets() -> Iterator[tuple[str, Sheet]]:
    """Yield a sheet with two marks of each kind, and one of each kind of grid, with their names."""
    standard, path, straight = Variant.standard(), (10, 11, 20, 29, 28), tuple(range(45, 54))
    for kind, constraint in CONSTRAINTS.items():
        size = max((size for size in constraint.sizes if size <= len(path)), default=0)
        cells = {"quadruple": (10, 11, 19, 20), "sandwich": straight, "sum": (9, 19, 29)}
        value = max(value for value in constraint.values if value <= 10)
        clues = (1, 2, 3) if kind == "quadruple" else ()
        first = cells.get(kind, path[:size])
        second = straight[::-1] if kind == "sandwich" else tuple(40 + cell for cell in first)
        rules = [
            Constraint(kind, each, value, clues=clues) for each in dict.fromkeys([first, second])
        ]
        yield kind, Sheet(shown=SudokuPuzzle.empty(standard.with_constraints(*rules)))
    draws = seeded_draws(1)
    variants = (Variant.x(), Variant.windoku(), random_jigsaw(draws), Variant.samurai())
    for variant in variants:
        yield variant.name, Sheet(shown=SudokuPuzzle.empty(variant))
    for box in ((2, 2), (4, 4)):
        yield f"boxes of {box}", Sheet(shown=ParametricGrid.base(box).to_grid(), caption="solved")
    yield "solved", Sheet(shown=solve(MINI), givens=MINI)


def test_drawings_are_those_that_were_looked_at(
    compare_with_record: Callable[[Path, object], None],
) -> None:
    """Each kind of mark and grid is drawn as it was when a person looked at it.

    After a change that is wanted, look at the drawings, and run this test with ``--update``.
    """
    digests = {
        f"{name}, cells of {cell}": hashlib.sha256(
            to_svg(draw([sheet], cell=cell)).encode()
        ).hexdigest()[:16]
        for name, sheet in _make_sheets()
        for cell in (9, 40)  # digits are legible in the larger cells
    }
    compare_with_record(Path(__file__).with_name("looked_at.json"), digests)


def test_marks_keep_their_proportions() -> None:
    """Arrowheads have equal lengths in all directions; three or more clues take two rows."""
    variant = Variant.standard()
    for cells in ((0, 1, 2), (0, 10, 20), (20, 19, 10)):
        marks = CONSTRAINTS["arrow"].marks(Constraint("arrow", cells, 1), variant)
        shaft, *barbs = [mark for mark in marks if isinstance(mark, MarkStroke)][:3]
        for barb, tip in (stroke.points for stroke in barbs):
            assert tip == shaft.points[-1]
            assert dist(barb, tip) == pytest.approx(0.125**0.5)
    for clues, rows in (((1, 2), ["1 2"]), ((1, 2, 3), ["1 2", "3"])):
        rule = Constraint("quadruple", (0, 1, 9, 10), clues=clues)
        disc, *_ = marks = [*CONSTRAINTS["quadruple"].marks(rule, variant)]
        assert isinstance(disc, MarkStroke)
        assert disc.points == ((1, 1),)
        assert [mark.text for mark in marks if isinstance(mark, Label)] == rows


def test_strokes_have_round_ends() -> None:
    """A stroke of one point is a disc; of two points, it is longer by the diameter of a disc."""
    for points, area in (((20, 20),), 314), (((20, 20), (20, 40)), 714):
        drawing = Drawing(60, 60, (), (), (Stroke(points, 20, "#000000"),))
        dark = (255.0 - paint(drawing).pixels[..., 0]).sum() / 255
        assert abs(dark - area) < 0.05 * area
        assert to_svg(drawing).count("<path ") == 1
