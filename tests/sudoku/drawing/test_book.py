"""Books of puzzles: pages of one size, puzzles in order, solutions at the end, and their PDF."""

import pypdfium2
import pytest

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku import SudokuPuzzle, Variant, make_puzzles
from sudokucrypt.sudoku.drawing import (
    DOTS,
    Drawing,
    Rectangle,
    Sheet,
    Stroke,
    Text,
    book,
    scale_drawing,
    to_pdf,
)

BLANK = SudokuPuzzle.empty(Variant.standard())


def make_sheets(count: int, variant: Variant | None = None) -> list[Sheet]:
    """Return blank puzzles with their numbers as captions."""
    puzzle = SudokuPuzzle.empty(variant) if variant else BLANK
    return [Sheet(shown=puzzle, caption=f"<{number}>") for number in range(1, count + 1)]


def list_captions(page: Drawing) -> list[str]:
    """Return the captions on a page, in reading order."""
    result = [text for text in page.texts if text.text.startswith("<")]
    assert all(text.bold for text in result)
    return [text.text for text in sorted(result, key=lambda text: (text.baseline, text.middle))]


@pytest.mark.parametrize(
    ("count", "per_page", "paper"),
    [(1, 1, "a5"), (5, 4, "a5"), (8, 4, "letter"), (7, 6, "a4"), (10, 9, "letter")],
)
def test_every_sheet_is_there_once_and_in_order(count: int, per_page: int, paper: str) -> None:
    """Pages contain all puzzles in order, then all solutions, and are numbered."""
    puzzles, solutions = make_sheets(count), make_sheets(count)
    pages = list(book(puzzles, solutions, title="Title", per_page=per_page, paper=paper))
    full_pages = -(-count // per_page)
    names = [sheet.caption for sheet in puzzles]
    assert [name for page in pages[:full_pages] for name in list_captions(page)] == names
    assert [name for page in pages[full_pages:] for name in list_captions(page)] == names
    assert all(len(list_captions(page)) == per_page for page in pages[: full_pages - 1])
    for number, page in enumerate(pages, 1):
        words = [text.text for text in page.texts]
        assert words.count("Title") == (number <= full_pages)
        assert words.count("Solutions") == (number > full_pages)
        assert words.count(str(number)) == 1
    assert len({(page.height, page.width) for page in pages}) == 1


@pytest.mark.parametrize(
    "variant", [Variant.standard(), Variant.samurai(), Variant.standard((4, 4)), Variant.x((2, 3))]
)
@pytest.mark.parametrize("per_page", [1, 2])
def test_sheets_stay_apart_and_inside(variant: Variant, per_page: int) -> None:
    """No grid overlaps another grid, its caption, a margin or the page number."""
    for page in book(make_sheets(3, variant), make_sheets(3, variant), per_page=per_page):
        margin = round(15 * DOTS / 25.4) - 4  # thick lines lie on both sides of an edge
        assert min(shape.left for shape in page.rectangles) >= margin
        assert max(s.left + s.width for s in page.rectangles) <= page.width - margin
        foot = max(s.top + s.height for s in page.rectangles)
        number = next(text for text in page.texts if text.text.isdigit())
        assert foot < number.baseline - number.size
        rows = [False] * page.height
        for shape in page.rectangles:
            rows[shape.top : shape.top + shape.height] = [True] * shape.height
        for text in page.texts:
            if text.text.startswith("<"):
                assert not any(rows[text.baseline - text.size : text.baseline])


def test_sheets_stand_in_the_middle_of_the_room() -> None:
    """The space above the caption of a large grid equals the space below the grid."""
    page = next(book(make_sheets(1), per_page=1))
    (caption,) = [text for text in page.texts if text.text.startswith("<")]
    head, foot = (round(side * DOTS / 25.4) for side in (15 + 20, 15 + 9))
    above = caption.baseline - caption.size - head
    below = page.height - foot - max(s.top + s.height for s in page.rectangles)
    assert abs(above - below) <= 15


def test_solutions_are_smaller_and_legible() -> None:
    """A page has twenty 9x9 solutions, with digits of at least six points."""
    pages = list(book(make_sheets(20), make_sheets(20), per_page=4))
    assert len(pages) == 5 + 1
    solutions = [Sheet(shown=pairs.solution) for pairs in make_puzzles(1, 1)]
    (_, page) = book(make_sheets(1), solutions)
    sizes = {text.size for text in page.texts if len(text.text) == 1 and text.size != 20}
    assert min(sizes) * 72 / DOTS >= 6


@pytest.mark.parametrize(
    ("variant", "paper", "pages"),
    [
        (Variant.samurai(), "a4", 2),
        (Variant.samurai(), "a5", 3),
        (Variant.standard((4, 4)), "a5", 2),
        (Variant.standard((6, 6)), "a4", 3),
    ],
)
def test_wide_solutions_stand_one_below_the_other(variant: Variant, paper: str, pages: int) -> None:
    """Three solutions that would be illegible side by side have a column of their own."""
    sheets = make_sheets(3, variant)
    all_pages = list(book(sheets[:1], sheets, per_page=1, paper=paper))
    assert len(all_pages) == 1 + pages
    for page in all_pages[1:]:
        assert len({text.middle for text in page.texts if text.text.startswith("<")}) == 1


@pytest.mark.parametrize(
    ("variant", "paper", "per_page"),
    [
        (Variant.standard(), "a4", 4),
        (Variant.standard(), "a5", 4),
        (Variant.standard((4, 4)), "a4", 2),
        (Variant.standard((4, 4)), "a5", 1),
        (Variant.samurai(), "letter", 1),
    ],
)
def test_cells_are_large_enough_to_write_in(variant: Variant, paper: str, per_page: int) -> None:
    """By default a page has several puzzles only if their cells have at least 6 mm."""
    page = next(book(make_sheets(4, variant), paper=paper))
    assert len(list_captions(page)) == per_page
    cell = max(shape.width for shape in page.rectangles) / variant.shape[1]
    assert per_page == 1 or cell >= 6 * DOTS / 25.4


def test_invalid_books_are_refused() -> None:
    """Books without puzzles, with illegible digits or with titles of several lines are refused."""
    for message, options in (
        ("without puzzles", {"puzzles": []}),
        ("too small to read", {"per_page": 10**12}),
        ("too small to read", {"puzzles": make_sheets(1, Variant.standard((8, 8))), "paper": "a5"}),
        ("too small to write in", {"per_page": 6, "paper": "a5"}),
        ("too small to write in", {"puzzles": make_sheets(2, Variant.samurai()), "per_page": 3}),
        ("to a page must be an integer of 1", {"per_page": 0}),
        ("unknown paper", {"paper": "a3"}),
        ("a title", {"title": "a\nb"}),
        ("a title", {"title": "x" * 81}),
    ):
        with pytest.raises(InvalidParameterError, match=message):
            next(book(**{"puzzles": make_sheets(1), **options}))  # type: ignore[arg-type]


def test_a_long_title_fits() -> None:
    """The longest title has a smaller font and stays within the margins."""
    page = next(book(make_sheets(1), title="W" * 80))
    title = page.texts[1]
    assert title.text == "W" * 80
    assert 0.6 * 80 * title.size <= page.width - 170


def test_scaled_drawings_are_the_same_but_larger() -> None:
    """Scaling multiplies all lengths, and keeps texts and colors."""
    small = Drawing(
        9, 8, (Rectangle(1, 2, 3, 4, "#00ff00"),), (Text(5, 6, 7, "a", True, "#000000"),)
    )
    large = Drawing(
        27, 24, (Rectangle(3, 6, 9, 12, "#00ff00"),), (Text(15, 18, 21, "a", True, "#000000"),)
    )
    assert scale_drawing(small, 3) == large


def test_pdf_has_the_pages_and_their_texts() -> None:
    """Another PDF reader finds all pages in the size of the paper, and all texts."""
    pages = list(book(make_sheets(5), make_sheets(5), title="Ünüsual", paper="a5"))
    document = to_pdf(pages, title="Ünüsual")
    assert document == to_pdf(pages, title="Ünüsual")
    pdf = pypdfium2.PdfDocument(document)
    assert pdf.get_metadata_dict()["Title"] == "Ünüsual"
    assert len(pdf) == len(pages)
    for page, drawing in zip(pdf, pages, strict=True):
        assert page.get_size() == pytest.approx((148 / 25.4 * 72, 210 / 25.4 * 72), abs=0.5)
        result = page.get_textpage().get_text_bounded()
        for text in drawing.texts:
            assert text.text in result
    pdf.close()


def test_pdf_places_shapes_where_they_are() -> None:
    """A PDF shows shapes at their places, although PDF coordinates count from the bottom."""
    shapes = (Rectangle(0, 0, 10, 20, "#ff0000"), Rectangle(30, 40, 10, 10, "#0000ff"))
    pdf = pypdfium2.PdfDocument(to_pdf([Drawing(40, 50, shapes, ())], dots=72))
    pixels = pdf[0].render(scale=1).to_numpy()
    pdf.close()
    assert pixels.shape[:2] == (40, 50)
    blue, _, red = (pixels[..., channel].astype(int) for channel in range(3))
    assert ((red > blue).nonzero()[0].max(), (red > blue).nonzero()[1].max()) == (9, 19)
    assert ((blue > red).nonzero()[0].min(), (blue > red).nonzero()[1].min()) == (30, 40)


def test_strokes_in_pdf_have_round_ends() -> None:
    """A stroke of one point is a disc; of two or three points, it is longer by a disc."""
    corner = ((20, 20), (20, 40), (40, 40))
    for points, area in ((corner[:1], 314), (corner[:2], 714), (corner, 1093)):
        drawing = Drawing(60, 60, (), (), (Stroke(points, 20, "#ff0000"),))
        pdf = pypdfium2.PdfDocument(to_pdf([drawing], dots=72))
        blue, _, red = pdf[0].render(scale=1).to_numpy()[..., :3].reshape(-1, 3).T.astype(float)
        pdf.close()
        assert (red == 255).all()
        assert abs((255 - blue).sum() / 255 - area) < 0.05 * area


def test_letters_that_pdf_cannot_show_are_refused() -> None:
    """A letter that PDF fonts lack raises UnsupportedError, which names the letter."""
    page = Drawing(9, 9, (), (Text(5, 5, 5, "Sudoku 数独", False, "#000000"),))
    with pytest.raises(UnsupportedError, match="no '数'"):
        to_pdf([page])
