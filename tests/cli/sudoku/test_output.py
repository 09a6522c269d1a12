"""Outputs of the Sudoku commands: forms, files, templates, pictures and books."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest
from PIL import Image

from sudokucrypt.sudoku import Variant, solve
from tests.cli.conftest import Run

GENERATE = ("sudoku", "generate", "--seed", "1")
GRID = "385762941469138257217594368821956473543817692976243815138679524792485136654321789"
CELL, MARGIN = 40, 35


def list_elements(name: str) -> list[ElementTree.Element]:
    """Return all elements of an SVG file."""
    return list(ElementTree.fromstring(Path(name).read_text()).iter())  # noqa: S314 - our own text


def list_texts(name: str) -> list[str]:
    """Return all texts in an SVG file."""
    return [result.text or "" for result in list_elements(name) if result.tag.endswith("text")]


@pytest.mark.parametrize("suffix", [".txt", ".sdm", ".jsonl", ".PNG", ".svg"])
def test_the_suffix_tells_the_form(run: Run, suffix: str) -> None:
    """The suffix of the output chooses text, lines, JSON or a picture; nothing is printed."""
    run(*GENERATE, "-o", f"grid{suffix}", out="", err="")
    content = Path(f"grid{suffix}").read_bytes()
    match suffix.lower():
        case ".txt":
            assert content.startswith(b"3 8 5 | 7 6 2 | 9 4 1\n4 6 9 | ")
        case ".sdm":
            assert content == f"{GRID}\n".encode()
        case ".jsonl":
            assert json.loads(content)["grid"] == GRID
        case ".png":
            assert content.startswith(b"\x89PNG")
        case ".svg":
            assert content.startswith(b"<svg ")


def test_the_format_goes_before_the_suffix(run: Run) -> None:
    """--format overrides the suffix of the output."""
    run(*GENERATE, "--format", "line", "-o", "grid.png")
    assert Path("grid.png").read_text() == f"{GRID}\n"


def test_a_file_for_each_result(run: Run) -> None:
    """With {number} in its name, each result is in a file of its own, in order."""
    run(*GENERATE, "--count", "3", "-o", "{number:02}.sdm")
    joined_output = run(*GENERATE, "--count", "3", "--format", "line").out
    names = ("01.sdm", "02.sdm", "03.sdm")
    assert "".join(Path(name).read_text() for name in names) == joined_output
    Path("01.sdm").unlink()
    run(*GENERATE, "--count", "2", "-o", "{number:02}.sdm", code=6)
    assert not Path("01.sdm").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has other devices")
def test_devices_are_written_to(run: Run) -> None:
    """A device as output needs no suffix and no --force, and is not replaced."""
    device_number = Path(os.devnull).stat().st_rdev
    for form in ([], ["--format", "png"]):
        run(*GENERATE, *form, "-o", os.devnull, out="", err="")
    assert Path(os.devnull).stat().st_rdev == device_number
    run(
        *GENERATE,
        "-o",
        "/dev/full",
        code=1,
        err="sudokucrypt: error: cannot write '/dev/full': no space left on device\n",
    )
    with Path("/dev/full").open("wb") as full_device:
        command = [sys.executable, "-m", "sudokucrypt", *map(str, GENERATE)]
        process = subprocess.run(
            command, stdout=full_device, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (process.returncode, process.stderr) == (
        1,
        "sudokucrypt: error: cannot write to stdout: no space left on device\n",
    )


def test_pictures_are_not_for_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """PNG on a terminal is refused; SVG, which is text, is printed."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for output in ([], ["-o", "-"]):
        run(*GENERATE, "--format", "png", *output, code=2, out="", says="not for the terminal")
    assert run(*GENERATE, "--format", "svg").out.startswith("<svg ")


@pytest.mark.slow
def test_pictures_by_pipe(run: Run, tmp_path: Path) -> None:
    """PNG on a piped stdout is the same as in a file."""
    run(*GENERATE, "-o", "grid.png")
    command = [sys.executable, "-W", "error", "-m", "sudokucrypt", *GENERATE, "--format", "png"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == Path("grid.png").read_bytes()


@pytest.mark.parametrize(
    ("options", "rows", "columns"),
    [
        ("generate --samurai --box 2x2", 8, 8),
        ("generate --array 2,3,2,2", 4, 6),
        ("generate --jigsaw --box 2x2", 4, 4),
    ],
)
def test_one_sheet_fills_its_page(run: Run, options: str, rows: int, columns: int) -> None:
    """A picture of one grid has the size of its cells and margins, and a frame."""
    command, *page_options = options.split()
    run("sudoku", command, "--seed", "1", *page_options, "-o", "sheet.png")
    with Image.open("sheet.png") as image:
        assert image.size == (columns * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN)
        assert image.getpixel((0, 0)) == (255, 255, 255)
        assert image.getpixel((MARGIN, MARGIN)) == (22, 24, 29)


def test_several_sheets_share_a_page(run: Run) -> None:
    """Several puzzles are in rows with captions, with --with-solution next to their solutions."""
    command = ("sudoku", "puzzle", "--seed", "1", "--box", "2x2", "--count", "6")
    run(*command, "-o", "six.svg")
    captions = [word for word in list_texts("six.svg") if "givens" in word]
    assert [word.split(":")[0] for word in captions] == [f"Puzzle {n}" for n in range(1, 7)]
    run(*command, "--with-solution", "-o", "pairs.svg")
    texts = list_texts("pairs.svg")
    assert [word for word in texts if "Sol" in word] == [f"Solution {n}" for n in range(1, 7)]
    assert len(texts) == 6 * 16 + sum(int(word.split()[-2]) for word in captions) + 12


def test_puzzles_to_play_on_a_page(run: Run) -> None:
    """HTML contains all puzzles of a run, or one with {number}, and solutions on request."""
    command = ("sudoku", "puzzle", "--seed", "1", "--box", "2x2", "--count", "2")
    run(*command, "-o", "two.html")
    page = Path("two.html").read_text("utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    first_caption, second_caption, own_caption = (puzzle["caption"] for puzzle in data["puzzles"])
    assert own_caption == "Your own puzzle"
    assert first_caption.startswith("Puzzle 1: beginner, rating 1.")
    assert second_caption.endswith(" givens")
    assert ">Solutions</text>" not in page
    assert run(*command, "--with-solution", "--format", "html").out.count(">Solutions</text>") == 1
    run(*command, "-o", "own-{number}.html")
    assert len(list(Path().glob("own-*.html"))) == 2


def test_a_puzzle_of_another_program_is_played(run: Run) -> None:
    """On a page, title and author of a converted puzzle are text, and its marks are drawn."""
    rows: list[list[dict[str, int | bool]]] = [[{}, {}, {}, {}] for _ in range(4)]
    rows[1][2], rows[2][1], rows[3][3] = ({"value": digit, "given": True} for digit in (2, 3, 4))
    cage = {"cells": ["R1C1", "R1C2"], "value": "3"}
    line = {"lines": [["R1C1", "R1C2"]]}
    puzzle_fields = {"size": 4, "title": "</script>\n<b>", "author": "x" * 99, "grid": rows}
    Path("in.json").write_text(
        json.dumps({**puzzle_fields, "killercage": [cage], "thermometer": [line]})
    )
    run("sudoku convert in.json --to html -o out.html")
    page = Path("out.html").read_text("utf-8")
    page_data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert page_data["puzzles"][0]["caption"] == f"</script> <b> by {'x' * 40}..."
    assert "<b>" not in page
    assert 'stroke-linecap="round"' in page
    run("sudoku convert", "1" + 15 * ".", "--to", "html", "-o", "no.html", code=5)
    assert not Path("no.html").exists()


def test_solutions_show_what_was_given(run: Run) -> None:
    """In a picture of a solution, givens are bold, other digits lighter and in another color."""
    run("sudoku solve 1.....2..3.....4 -o solved.svg")
    groups = [group for group in list_elements("solved.svg") if group.get("text-anchor")]
    bold = [group for group in groups if group.get("font-weight") == "bold"]
    assert "".join(text.text or "" for group in bold for text in group) == "1234"
    light = [group for group in groups if group not in bold]
    assert sum(len(group) for group in light) == 12
    assert {group.get("fill") for group in bold}.isdisjoint(group.get("fill") for group in light)


# ``sudokucrypt sudoku book``: the puzzles of `puzzle` on pages for printing.


BOOK = ("sudoku", "book", "--seed", "3", "--symmetric")


def read_texts(page: Path) -> list[str]:
    """Return the texts on a page of SVG."""
    return [result.text or "" for result in ElementTree.parse(page).iter() if "text" in result.tag]  # noqa: S314 - our own file


def test_every_puzzle_has_the_solution_that_is_printed(run: Run) -> None:
    """A book has the puzzles of `puzzle` with this seed, and their solutions on the last pages."""
    run(*BOOK, "--count", "5", "--title", "Tea & rain", "-o", "page-{number}.svg", out="", err="")
    pages = [read_texts(path) for path in sorted(Path().glob("page-*.svg"))]
    assert len(pages) == 3
    assert pages[0][1] == pages[1][1] == "Tea & rain"
    lines = run("sudoku puzzle --seed 3 --symmetric --count 5 --format line").out.split()
    digits = [text for page in pages for text in page if re.fullmatch("[1-9]", text)]
    drawn_digits = "".join(digits)
    for line in lines:
        assert line.replace(".", "") in drawn_digits
        assert solve(line).to_text() in drawn_digits


def test_pdf_is_the_same_for_a_seed(run: Run) -> None:
    """A PDF book depends only on seed and options, and a PDF reader opens all its pages."""
    for name in ("a.pdf", "b.pdf"):
        run(*BOOK, "--count", "9", "--per-page", "6", "-o", name)
    pdf_bytes = Path("a.pdf").read_bytes()
    assert pdf_bytes == Path("b.pdf").read_bytes()
    document = pypdfium2.PdfDocument(pdf_bytes)
    assert len(document) == 2 + 1
    document.close()
    run(*BOOK, "--count", "9", "-o", "a.pdf", code=6)
    assert Path("a.pdf").read_bytes() == pdf_bytes
    run(*BOOK, "--count", "2", "--no-solutions", "-o", "a.pdf", "--force")
    assert Path("a.pdf").read_bytes() != pdf_bytes


def test_books_are_sorted_by_difficulty(run: Run) -> None:
    """With --rising, the same puzzles are sorted, the easiest first."""
    captions = []
    for options in ([], ["--rising"]):
        run(*BOOK, "--count", "6", "--per-page", "6", *options, "--force", "-o", "p{number}.svg")
        captions.append([text.split()[-1] for text in read_texts(Path("p1.svg")) if ": " in text])
    assert captions[1] == sorted(captions[0], key=float) != captions[0]


def test_books_have_the_options_of_puzzles(run: Run) -> None:
    """`book` has the options of `puzzle`; captions contain the level of each puzzle."""
    options = ("--level", "easy", "--x", "--box", "2x3", "--count", "3")
    run(*BOOK, *options, "-o", "p{number}.svg")
    texts = read_texts(Path("p1.svg"))
    expected = [f"Puzzle {number}: easy, rating 1.2" for number in (1, 2, 3)]
    assert [text for text in texts if ":" in text] == expected
    run(*BOOK, *options, "--no-rating", "--force", "-o", "p{number}.svg")
    texts = read_texts(Path("p1.svg"))
    assert [text for text in texts if ":" in text] == [
        f"Puzzle {number}: easy" for number in (1, 2, 3)
    ]
    for page in Path().glob("p*.svg"):
        assert Variant.x().rule in read_texts(page)


def test_html_has_all_puzzles_to_play(run: Run) -> None:
    """An HTML book has the puzzles of `puzzle`, their levels and solutions; a title is escaped."""
    options = ("--count", "3", "--title", "<b>T</b>", "--paper", "a5")
    run(*BOOK, *options, "-o", "book.html")
    page = Path("book.html").read_text("utf-8")
    assert page.count("<title>&lt;b&gt;T&lt;/b&gt;</title>") == 1
    assert "size:210.0mm 148.0mm" not in page
    assert "size:148.0mm 210.0mm" in page
    page_data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    lines = run("sudoku puzzle --seed 3 --symmetric --count 3 --format json").out.splitlines()
    for number, (line, puzzle) in enumerate(zip(lines, page_data["puzzles"][:-1], strict=True), 1):
        result = json.loads(line)
        assert puzzle["caption"] == f"Puzzle {number}: {result['level']}, rating {result['rating']}"
        givens = "".join(".123456789"[digit + 1] for digit in puzzle["givens"])
        assert givens == result["givens"]
        assert "".join(str(digit + 1) for digit in puzzle["solution"]) == solve(givens).to_text()
    assert page.count(">Solutions</text>") == 1
    run(*BOOK, *options, "--no-solutions", "--force", "-o", "book.html")
    assert ">Solutions</text>" not in Path("book.html").read_text("utf-8")
    for output, count in (("b{number}.html", "1"), ("many.html", "1001")):
        run(*BOOK, "--count", count, "-o", output, code=2)
    run(*BOOK, "--per-page", "6", "--paper", "a5", "-o", "a.pdf", code=2)
    assert [path.name for path in Path().glob("*.[hp]*") if "photo" not in path.name] == [
        "book.html"
    ]


def test_png_pages_have_their_size_on_paper(run: Run) -> None:
    """A PNG page of A5 has 300 pixels per inch, as its metadata say."""
    from PIL import Image

    options = ("--count", "1", "--paper", "a5", "--no-solutions")
    run(*BOOK, *options, "-o", "{number}.png")
    with Image.open("1.png") as page:
        assert page.size == (2 * 874, 2 * 1240)
        assert page.info["dpi"] == pytest.approx((300, 300), abs=0.01)
