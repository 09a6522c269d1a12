"""``sudokucrypt sudoku book``: the puzzles of `puzzle`, on pages for the printer."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest

from sudokucrypt.sudoku import Variant, solve
from tests.cli.conftest import Run

BOOK = ("sudoku", "book", "--seed", "3", "--symmetric")


def texts_of(page: Path) -> list[str]:
    """The texts on a page of SVG."""
    return [found.text or "" for found in ElementTree.parse(page).iter() if "text" in found.tag]  # noqa: S314 - our own file


def test_every_puzzle_has_the_solution_that_is_printed(run: Run) -> None:
    """The puzzles are those of `puzzle` with the same seed; the last pages have their solutions."""
    result = run(*BOOK, "--count", "5", "--title", "Tea & rain", "-o", "page-{number}.svg")
    assert (result.code, result.out, result.err) == (0, "", "")
    pages = [texts_of(path) for path in sorted(Path().glob("page-*.svg"))]
    assert len(pages) == 3
    assert pages[0][1] == pages[1][1] == "Tea & rain"
    lines = run(
        "sudoku", "puzzle", "--seed", "3", "--symmetric", "--count", "5", "--format", "line"
    ).out.split()
    digits = [text for page in pages for text in page if re.fullmatch("[1-9]", text)]
    shown = "".join(digits)
    for line in lines:
        assert line.replace(".", "") in shown
        assert solve(line).to_text() in shown


def test_pdf_is_the_same_for_a_seed(run: Run) -> None:
    """The bytes of a book depend on seed and options alone, and a reader opens all its pages."""
    for name in ("a.pdf", "b.pdf"):
        assert run(*BOOK, "--count", "9", "--per-page", "6", "-o", name).code == 0
    data = Path("a.pdf").read_bytes()
    assert data == Path("b.pdf").read_bytes()
    opened = pypdfium2.PdfDocument(data)
    assert len(opened) == 2 + 1
    opened.close()
    result = run(*BOOK, "--count", "9", "-o", "a.pdf")
    assert (result.code, Path("a.pdf").read_bytes()) == (6, data)
    assert run(*BOOK, "--count", "2", "--no-solutions", "-o", "a.pdf", "--force").code == 0
    assert Path("a.pdf").read_bytes() != data


def test_levels_and_variants(run: Run) -> None:
    """Options for puzzles are those of `puzzle`; captions name the level of each."""
    options = ("--level", "easy", "--x", "--box", "2x3", "--count", "3")
    assert run(*BOOK, *options, "-o", "p{number}.svg").code == 0
    words = texts_of(Path("p1.svg"))
    assert [text for text in words if ":" in text] == ["1: easy 1.2", "2: easy 1.2", "3: easy 1.2"]
    assert run(*BOOK, *options, "--no-rating", "--force", "-o", "p{number}.svg").code == 0
    words = texts_of(Path("p1.svg"))
    assert [text for text in words if ":" in text] == ["1: easy", "2: easy", "3: easy"]
    for page in Path().glob("p*.svg"):
        assert Variant.x().rule in texts_of(page)


def test_png_pages_have_their_size_on_paper(run: Run) -> None:
    """A page of A5 has 300 pixels to an inch, and says so."""
    from PIL import Image

    options = ("--count", "1", "--paper", "a5", "--no-solutions")
    assert run(*BOOK, *options, "-o", "{number}.png").code == 0
    with Image.open("1.png") as page:
        assert page.size == (2 * 874, 2 * 1240)
        assert page.info["dpi"] == pytest.approx((300, 300), abs=0.01)
