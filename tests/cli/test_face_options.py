"""``--faces`` and what goes with it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.images import read_picture
from tests.cli.conftest import KEY as _KEY
from tests.cli.conftest import PICTURES, Run
from tests.images.builders import encoded

_PORTRAIT = PICTURES / "astronaut.png"


def listed(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split(","))) for line in text.splitlines()]


def test_only_faces_change(run: Run) -> None:
    """The face changes, the rest stays, and restoring needs no word about it."""
    done = run("encrypt", _PORTRAIT, "-o", "part.png", "--faces", "--list-regions", *_KEY)
    assert (done.code, done.err) == (0, "")
    plain, part = (read_picture(path).pixels for path in (_PORTRAIT, Path("part.png")))
    where = np.zeros(plain.shape[:2], dtype=bool)
    for column, row, columns, rows in listed(done.out):
        where[row : row + rows, column : column + columns] = True
    assert where[49, 102]  # an eye
    assert where.mean() < 0.5
    assert np.array_equal(part[~where], plain[~where])
    assert not np.array_equal(part[where], plain[where])
    assert f"regions   {done.out.strip().replace(chr(10), ' ')}\n" in run("info", "part.png").out
    assert run("decrypt", "part.png", "-o", "back.png", *_KEY).code == 0
    assert np.array_equal(read_picture(Path("back.png")).pixels, plain)


@pytest.mark.slow
def test_margin(run: Run) -> None:
    """--face-margin widens each face on all sides, and --region goes along as it is."""
    found = {}
    for margin in ("0", "0.5"):
        options = (
            "--region", "1,2,3,4", "--faces", "--face-margin", margin, "--list-regions", *_KEY,
        )  # fmt: skip
        found[margin] = listed(run("scramble", _PORTRAIT, "-o", f"{margin}.png", *options).out)
    assert found["0"][0] == (1, 2, 3, 4)
    assert found["0.5"][0] == (1, 2, 3, 4)
    column, row, columns, rows = found["0"][1]
    more = round(0.5 * rows)
    assert found["0.5"][1] == (column - more, max(0, row - more), columns + 2 * more,
                               rows + min(row, more) + more)  # fmt: skip


def test_nothing_found(run: Run) -> None:
    """A picture without a face is an error, unless it may pass: then no sample of it changes."""
    Path("even.png").write_bytes(encoded(np.full((60, 60, 3), 9, dtype=np.uint8), "PNG"))
    done = run("encrypt", "even.png", "-o", "out.png", "--faces", *_KEY)
    assert (done.code, Path("out.png").exists()) == (4, False)
    assert "no face was found" in done.err
    assert "--allow-none" in done.err
    done = run("encrypt", "even.png", "-o", "out.png", "--faces", "--region", "1,2,3,4", *_KEY)
    assert done.code == 4  # a rectangle does not stand for a face
    options = ("--faces", "--allow-none", "--list-regions", *_KEY)
    done = run("encrypt", "even.png", "-o", "out.png", *options)
    assert (done.code, done.out) == (0, "")
    note = "sudokucrypt: note: no face was found in 'even.png': its pixels are unchanged\n"
    assert done.err == note
    plain = read_picture(Path("even.png")).pixels
    assert np.array_equal(read_picture(Path("out.png")).pixels, plain)
    assert run("decrypt", "out.png", "-o", "back.png", *_KEY).code == 0
    assert np.array_equal(read_picture(Path("back.png")).pixels, plain)


@pytest.mark.slow
def test_faces_in_a_folder(run: Run) -> None:
    """Each picture is searched; those without a face are listed at the end."""
    Path("in").mkdir()
    Path("in/even.png").write_bytes(encoded(np.full((60, 60, 3), 9, dtype=np.uint8), "PNG"))
    Path("in/portrait.png").write_bytes(_PORTRAIT.read_bytes())
    done = run("scramble", "in", "-o", "out", "--faces", "--jobs", "2", *_KEY)
    assert done.code == 4
    assert "'in/even.png': no face was found" in done.err
    assert [path.name for path in Path("out").iterdir()] == ["portrait.scrambled.png"]
    options = ("--faces", "--allow-none", "--list-regions", *_KEY)
    done = run("scramble", "in", "-o", "all", *options)
    assert done.code == 0
    assert "note: no face was found in 'in/even.png'" in done.err
    assert done.out
    assert all(line.startswith("in/portrait.png: ") for line in done.out.splitlines())


def test_without_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where scikit-image is missing, the hint is the command that installs it."""
    monkeypatch.setitem(sys.modules, "skimage.feature", None)
    done = run("scramble", _PORTRAIT, "-o", "out.png", "--faces", *_KEY)
    assert (done.code, Path("out.png").exists()) == (4, False)
    assert "pip install 'sudokucrypt[faces]'" in done.err
