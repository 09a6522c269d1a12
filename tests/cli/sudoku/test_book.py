"""``sudokucrypt sudoku book``: the puzzles of `puzzle`, on pages for the printer."""

import json
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
    return [result.text or "" for result in ElementTree.parse(page).iter() if "text" in result.tag]  # noqa: S314 - our own file


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


def test_books_rise(run: Run) -> None:
    """With --rising the easiest come first; the puzzles are the same."""
    captions = []
    for options in ([], ["--rising"]):
        done = run(
            *BOOK, "--count", "6", "--per-page", "6", *options, "--force", "-o", "p{number}.svg"
        )
        assert done.code == 0
        captions.append([text.split()[-1] for text in texts_of(Path("p1.svg")) if ": " in text])
    assert captions[1] == sorted(captions[0], key=float) != captions[0]


def test_levels_and_variants(run: Run) -> None:
    """Options for puzzles are those of `puzzle`; captions name the level of each."""
    options = ("--level", "easy", "--x", "--box", "2x3", "--count", "3")
    assert run(*BOOK, *options, "-o", "p{number}.svg").code == 0
    words = texts_of(Path("p1.svg"))
    expected = [f"Puzzle {number}: easy, rating 1.2" for number in (1, 2, 3)]
    assert [text for text in words if ":" in text] == expected
    assert run(*BOOK, *options, "--no-rating", "--force", "-o", "p{number}.svg").code == 0
    words = texts_of(Path("p1.svg"))
    assert [text for text in words if ":" in text] == [
        f"Puzzle {number}: easy" for number in (1, 2, 3)
    ]
    for page in Path().glob("p*.svg"):
        assert Variant.x().rule in texts_of(page)


def test_html_has_all_puzzles_to_play(run: Run) -> None:
    """One page holds the puzzles of `puzzle`, their levels and solutions; markup stays text."""
    options = ("--count", "3", "--title", "<b>T</b>", "--paper", "a5")
    assert run(*BOOK, *options, "-o", "book.html").code == 0
    page = Path("book.html").read_text("utf-8")
    assert page.count("<title>&lt;b&gt;T&lt;/b&gt;</title>") == 1
    assert "size:210.0mm 148.0mm" not in page
    assert "size:148.0mm 210.0mm" in page
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    lines = run(
        "sudoku", "puzzle", "--seed", "3", "--symmetric", "--count", "3", "--format", "json"
    ).out.splitlines()
    for number, (line, puzzle) in enumerate(zip(lines, data["puzzles"][:-1], strict=True), 1):
        result = json.loads(line)
        assert puzzle["caption"] == f"Puzzle {number}: {result['level']}, rating {result['rating']}"
        givens = "".join(".123456789"[digit + 1] for digit in puzzle["givens"])
        assert givens == result["givens"]
        assert "".join(str(digit + 1) for digit in puzzle["solution"]) == solve(givens).to_text()
    assert page.count(">Solutions</text>") == 1
    assert run(*BOOK, *options, "--no-solutions", "--force", "-o", "book.html").code == 0
    assert ">Solutions</text>" not in Path("book.html").read_text("utf-8")
    for output, count in (("b{number}.html", "1"), ("many.html", "1001")):
        assert run(*BOOK, "--count", count, "-o", output).code == 2
    assert run(*BOOK, "--per-page", "6", "--paper", "a5", "-o", "a.pdf").code == 2
    assert [path.name for path in Path().glob("*.[hp]*") if "photo" not in path.name] == [
        "book.html"
    ]


def test_png_pages_have_their_size_on_paper(run: Run) -> None:
    """A page of A5 has 300 pixels to an inch, and says so."""
    from PIL import Image

    options = ("--count", "1", "--paper", "a5", "--no-solutions")
    assert run(*BOOK, *options, "-o", "{number}.png").code == 0
    with Image.open("1.png") as page:
        assert page.size == (2 * 874, 2 * 1240)
        assert page.info["dpi"] == pytest.approx((300, 300), abs=0.01)
