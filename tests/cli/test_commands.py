"""The documented forms of every command work on real pictures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Header, Key, __version__
from sudokucrypt.images import read_picture
from sudokucrypt.kernels import compiled
from tests.cli.conftest import KEY, PICTURES, Run, same

BACK = {"scramble": "unscramble", "encrypt": "decrypt"}


@pytest.mark.parametrize(
    ("way", "picture", "options", "suffix"),
    [
        ("scramble", "astronaut.png", [], "png"),
        ("scramble", "camera.png", ["--unit", "sample", "--rounds", "1"], "tiff"),
        ("scramble", "astronaut.png", ["--unit", "sample", "--sidecar"], "png"),
        ("scramble", "chelsea.jpg", ["--unit", "block"], "tiff"),
        ("scramble", "camera.png", ["--unit", "block", "--block-size", "7"], "png"),
        ("scramble", "camera.png", ["--deterministic"], "png"),
        ("encrypt", "astronaut.png", [], "png"),
        ("encrypt", "camera.png", ["--deterministic", "--sidecar"], "tiff"),
        ("encrypt", "chelsea.jpg", ["--rounds", "1"], "png"),
    ],
)
def test_round_trip(run: Run, way: str, picture: str, options: list[str], suffix: str) -> None:
    """What protects, then what restores, gives back the samples of the picture, and is silent."""
    source, protected = PICTURES / picture, f"out.{suffix}"
    before = read_picture(source).pixels
    done = run(way, source, "-o", protected, *KEY, *options)
    assert (done.code, done.out) == (0, "")
    assert not np.array_equal(read_picture(Path(protected)).pixels, before)
    done = run(BACK[way], protected, "-o", "back.png", *KEY)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert np.array_equal(read_picture(Path("back.png")).pixels, before)
    assert read_picture(Path("back.png")).header is None


@pytest.mark.parametrize(
    ("way", "there", "back"),
    [("scramble", "scrambled", "restored"), ("encrypt", "encrypted", "decrypted")],
)
def test_default_names(run: Run, way: str, there: str, back: str) -> None:
    """Without -o the output stands beside the input and is named on stderr."""
    done = run(way, "photo.png", *KEY)
    assert (done.code, done.err.splitlines()[-1]) == (
        0, f"sudokucrypt: note: wrote 'photo.{there}.png'"
    )  # fmt: skip
    assert f"{way}-v1" in run("info", f"photo.{there}.png").out
    done = run(BACK[way], f"photo.{there}.png", *KEY)
    assert (done.code, done.err) == (0, f"sudokucrypt: note: wrote 'photo.{back}.png'\n")
    assert same(f"photo.{back}.png", "photo.png")


@pytest.mark.parametrize("options", [[], ["--unit", "block", "--rounds", "2"]])
def test_context(run: Run, options: list[str]) -> None:
    """A context restores, another one does not, and a missing one is asked for."""
    done = run("scramble", "photo.png", "-o", "c.png", *KEY, "--context", "x", *options)
    assert done.code == 0
    assert ("--sidecar" in done.err) == bool(options)
    assert run("unscramble", "c.png", "-o", "a.png", *KEY, "--context", "x").code == 0
    assert run("unscramble", "c.png", "-o", "b.png", *KEY, "--context", "y").code == 0
    assert same("photo.png", "a.png")
    assert not same("photo.png", "b.png")
    done = run("unscramble", "c.png", "-o", "d.png", *KEY)
    assert done.code == 2
    assert "--context" in done.err


def test_sidecar_serves_a_picture_that_lost_its_header(run: Run) -> None:
    """With the sidecar beside it, or named, a re-saved picture is restored."""
    run("scramble", "photo.png", "-o", "s.png", *KEY, "--sidecar")
    with Image.open("s.png") as picture:
        picture.load()
    picture.save("resaved.png")
    restore = ("unscramble", "resaved.png", *KEY)
    done = run(*restore, "-o", "r.png")
    assert done.code == 4
    assert "--sidecar" in done.err
    sidecar = "s.png.sudokucrypt.json"
    assert run("info", "resaved.png").code == 4
    assert run("info", "resaved.png", "--sidecar", sidecar).code == 0
    assert run(*restore, "-o", "r.png", "--sidecar", sidecar).code == 0
    Path(sidecar).rename("resaved.png.sudokucrypt.json")
    assert run(*restore, "-o", "r2.png").code == 0
    assert Path("r.png").read_bytes() == Path("r2.png").read_bytes()
    assert run("info", "resaved.png").code == 0


def test_info(run: Run) -> None:
    """info shows the header as text and as JSON, without a key."""
    run("scramble", "photo.png", "-o", "s.png", *KEY, "--unit", "block")
    shown = run("info", "s.png").out
    for word in ("scramble-v1", "256 x 256", "block of 16", Key(bytes(range(32))).id):
        assert word in shown
    fields = json.loads(run("info", "s.png", "--json").out)
    embedded = read_picture(Path("s.png")).header
    assert embedded is not None
    assert fields == json.loads(embedded)
    assert Header.from_bytes(embedded).rounds == fields["rounds"]


def test_info_about_the_system(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """info --system says whether the kernels are in use, and how many threads."""
    monkeypatch.setenv("SUDOKUCRYPT_THREADS", "3")
    shown = run("info", "--system").out
    assert ("compiled kernels" if compiled() else "fallbacks") in shown
    assert json.loads(run("info", "--system", "--json").out)["threads"] == 3
    assert run("info").code == 2
    assert run("info", "photo.png", "--system").code == 2
    monkeypatch.setenv("SUDOKUCRYPT_THREADS", "many")
    assert run("info", "--system").code == 2


def test_compression_and_threads(run: Run) -> None:
    """--compress makes smaller files of the same samples, 1 is for restored ones by default."""
    there, back = [], []
    for level in ("0", "1", "9"):
        options = (*KEY, "--compress", level, "--threads", "2")
        assert run("scramble", "photo.png", "-o", f"s{level}.png", *options).code == 0
        assert run("unscramble", f"s{level}.png", "-o", f"r{level}.png", *options).code == 0
        assert same(f"r{level}.png", "photo.png")
        there.append(Path(f"s{level}.png").stat().st_size)
        back.append(Path(f"r{level}.png").stat().st_size)
    assert there[0] > max(there[1:])
    assert back[0] > 1.2 * max(back[1:])
    run("unscramble", "s0.png", "-o", "default.png", *KEY)
    assert Path("default.png").read_bytes() == Path("r1.png").read_bytes()
    for bad in (("--compress", "10"), ("--threads", "0")):
        assert run("scramble", "photo.png", "-o", "x.png", *KEY, *bad).code == 2


def test_demo(run: Run) -> None:
    """demo leaves key, pictures and the side-by-side sheet, and says where."""
    for folder in ("sudokucrypt-demo", "sudokucrypt-demo-2"):
        done = run("demo")
        assert done.code == 0
        assert f"{folder}/side-by-side.png" in done.out
    sheet = read_picture(Path("sudokucrypt-demo/side-by-side.png")).pixels
    assert sheet.shape == (512, 3 * 512 + 16, 3)
    assert np.array_equal(sheet[:, :512], sheet[:, -512:])
    assert not Path("sudokucrypt-demo/wrong.png").exists()
    Path("file").touch()
    done = run("demo", "-o", "file/demo")
    assert (done.code, done.err) == (
        1, "sudokucrypt: error: cannot make the folder 'file/demo': not a directory\n"
    )  # fmt: skip
    done = run("demo", "-o", "sudokucrypt-demo")
    assert done.code == 6
    assert done.err.endswith("hint: name another folder with -o\n")


def test_help_names_every_command(run: Run) -> None:
    """Help is there for the whole and for each command."""
    shown = run("--help").out
    for command in ("keygen", "scramble", "unscramble", "info", "demo", "analyze", "sudoku"):
        assert command in shown
        assert "Usage: sudokucrypt" in run(command, "--help").out


def test_as_a_program(tmp_path: Path) -> None:
    """python -m sudokucrypt is the command; alone it shows its help on stderr with code 2."""
    command = [sys.executable, "-W", "error", "-m", "sudokucrypt"]
    shown = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert (shown.stdout, shown.stderr) == (f"sudokucrypt {__version__}\n", "")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: sudokucrypt")


@pytest.mark.slow
def test_parsing_loads_no_codecs(tmp_path: Path) -> None:
    """Options are read without Pillow, imagecodecs and SciPy, help and keys without NumPy too."""
    for arguments, heavy in (
        (["--help"], {"numpy", "PIL", "imagecodecs", "scipy"}),
        (["keygen", "-o", "x.key"], {"numpy", "PIL", "imagecodecs", "scipy"}),
        (["encrypt", "--threads", "x", "photo.png"], {"PIL", "imagecodecs", "scipy"}),
        (["analyze", "--list-metrics"], {"PIL", "imagecodecs"}),
    ):
        code = "import sys; from sudokucrypt.cli.main import main\ntry: main()\nfinally: " + (
            f"assert not {heavy!r} & set(sys.modules)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "AssertionError" not in done.stderr, (arguments, done.stderr)
