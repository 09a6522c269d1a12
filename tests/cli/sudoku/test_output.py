"""Where the Sudoku commands write: forms, files, templates, pictures."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from tests.cli.conftest import Run

MAKE = ("sudoku", "generate", "--seed", "1")
GRID = "385762941469138257217594368821956473543817692976243815138679524792485136654321789"
CELL, MARGIN = 40, 35


def elements(name: str) -> list[ElementTree.Element]:
    """Everything in an SVG file."""
    return list(ElementTree.fromstring(Path(name).read_text()).iter())  # noqa: S314 - our own text


def words(name: str) -> list[str]:
    """All texts in an SVG file."""
    return [result.text or "" for result in elements(name) if result.tag.endswith("text")]


@pytest.mark.parametrize("suffix", [".txt", ".sdm", ".jsonl", ".PNG", ".svg"])
def test_the_suffix_tells_the_form(run: Run, suffix: str) -> None:
    """Text, lines, JSON and pictures go by the suffix of the file; nothing is printed."""
    done = run(*MAKE, "-o", f"grid{suffix}")
    assert (done.code, done.out, done.err) == (0, "", "")
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
    """--format decides where it is given."""
    assert run(*MAKE, "--format", "line", "-o", "grid.png").code == 0
    assert Path("grid.png").read_text() == f"{GRID}\n"


def test_a_file_for_each(run: Run) -> None:
    """{number} in the name makes a file of each result, in order."""
    assert run(*MAKE, "--count", "3", "-o", "{number:02}.sdm").code == 0
    together = run(*MAKE, "--count", "3", "--format", "line").out
    names = ("01.sdm", "02.sdm", "03.sdm")
    assert "".join(Path(name).read_text() for name in names) == together
    Path("01.sdm").unlink()
    done = run(*MAKE, "--count", "2", "-o", "{number:02}.sdm")
    assert (done.code, Path("01.sdm").exists()) == (6, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has other devices")
def test_devices_are_written_to(run: Run) -> None:
    """A device needs no suffix and no --force, and is there afterwards as it was."""
    before = Path(os.devnull).stat().st_rdev
    for form in ([], ["--format", "png"]):
        done = run(*MAKE, *form, "-o", os.devnull)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert Path(os.devnull).stat().st_rdev == before
    done = run(*MAKE, "-o", "/dev/full")
    assert (done.code, done.err) == (
        1,
        "sudokucrypt: error: cannot write '/dev/full': no space left on device\n",
    )
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "sudokucrypt", *map(str, MAKE)]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (
        1,
        "sudokucrypt: error: cannot write to stdout: no space left on device\n",
    )


def test_pictures_are_not_for_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """PNG is refused where it would be seen as bytes; SVG is text and passes."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for output in ([], ["-o", "-"]):
        done = run(*MAKE, "--format", "png", *output)
        assert (done.code, done.out) == (2, "")
        assert "not for the terminal" in done.err
    assert run(*MAKE, "--format", "svg").out.startswith("<svg ")


@pytest.mark.slow
def test_pictures_by_pipe(run: Run, tmp_path: Path) -> None:
    """PNG on stdout is the same as in a file."""
    assert run(*MAKE, "-o", "grid.png").code == 0
    command = [sys.executable, "-W", "error", "-m", "sudokucrypt", *MAKE, "--format", "png"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == Path("grid.png").read_bytes()


@pytest.mark.parametrize(
    ("options", "rows", "columns"),
    [
        ("generate --samurai --box 2x2", 8, 8),
        ("generate --array 2,3,2,2", 4, 6),
        ("generate --jigsaw --box 2x2", 4, 4),
    ],
)
def test_one_sheet_fills_its_page(run: Run, options: str, rows: int, columns: int) -> None:
    """A picture has the size of its cells and margins, and a frame in its corner."""
    command, *rest = options.split()
    assert run("sudoku", command, "--seed", "1", *rest, "-o", "sheet.png").code == 0
    with Image.open("sheet.png") as image:
        assert image.size == (columns * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN)
        assert image.getpixel((0, 0)) == (255, 255, 255)
        assert image.getpixel((MARGIN, MARGIN)) == (22, 24, 29)


def test_several_sheets_share_a_page(run: Run) -> None:
    """Puzzles stand in rows with their captions, each beside its solution if asked."""
    make = ("sudoku", "puzzle", "--seed", "1", "--box", "2x2", "--count", "6")
    assert run(*make, "-o", "six.svg").code == 0
    captions = [word for word in words("six.svg") if "givens" in word]
    assert [word.split(":")[0] for word in captions] == [f"Puzzle {n}" for n in range(1, 7)]
    assert run(*make, "--with-solution", "-o", "pairs.svg").code == 0
    texts = words("pairs.svg")
    assert [word for word in texts if "Sol" in word] == [f"Solution {n}" for n in range(1, 7)]
    assert len(texts) == 6 * 16 + sum(int(word.split()[-2]) for word in captions) + 12


def test_puzzles_to_play_on_a_page(run: Run) -> None:
    """HTML holds the puzzles of one run, or each its own, and prints solutions where asked."""
    make = ("sudoku", "puzzle", "--seed", "1", "--box", "2x2", "--count", "2")
    assert run(*make, "-o", "two.html").code == 0
    two = Path("two.html").read_text("utf-8")
    data = json.loads(two.partition('id="data">')[2].partition("</script>")[0])
    first, second, own = (puzzle["caption"] for puzzle in data["puzzles"])
    assert own == "Your own puzzle"
    assert first.startswith("Puzzle 1: beginner, rating 1.")
    assert second.endswith(" givens")
    assert ">Solutions</text>" not in two
    assert run(*make, "--with-solution", "--format", "html").out.count(">Solutions</text>") == 1
    assert run(*make, "-o", "own-{number}.html").code == 0
    assert len(list(Path().glob("own-*.html"))) == 2


def test_a_puzzle_of_another_program_is_played(run: Run) -> None:
    """Title and author stand above it as text, whatever is in them, and its marks are drawn."""
    rows: list[list[dict[str, int | bool]]] = [[{}, {}, {}, {}] for _ in range(4)]
    rows[1][2], rows[2][1], rows[3][3] = ({"value": digit, "given": True} for digit in (2, 3, 4))
    cage = {"cells": ["R1C1", "R1C2"], "value": "3"}
    line = {"lines": [["R1C1", "R1C2"]]}
    stored = {"size": 4, "title": "</script>\n<b>", "author": "x" * 99, "grid": rows}
    Path("in.json").write_text(json.dumps({**stored, "killercage": [cage], "thermometer": [line]}))
    assert run("sudoku", "convert", "in.json", "--to", "html", "-o", "out.html").code == 0
    page = Path("out.html").read_text("utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert data["puzzles"][0]["caption"] == f"</script> <b> by {'x' * 40}..."
    assert "<b>" not in page
    assert 'stroke-linecap="round"' in page
    assert run("sudoku", "convert", "1" + 15 * ".", "--to", "html", "-o", "no.html").code == 5
    assert not Path("no.html").exists()


def test_solutions_show_what_was_given(run: Run) -> None:
    """Given digits are bold, the others lighter and of another color."""
    assert run("sudoku", "solve", "1.....2..3.....4", "-o", "solved.svg").code == 0
    groups = [group for group in elements("solved.svg") if group.get("text-anchor")]
    bold = [group for group in groups if group.get("font-weight") == "bold"]
    assert "".join(text.text or "" for group in bold for text in group) == "1234"
    light = [group for group in groups if group not in bold]
    assert sum(len(group) for group in light) == 12
    assert {group.get("fill") for group in bold}.isdisjoint(group.get("fill") for group in light)
