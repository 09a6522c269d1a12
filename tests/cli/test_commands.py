"""The documented forms of every command work on real pictures."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt import Header, Key, __version__
from sudokucrypt.images import read_picture
from sudokucrypt.kernels import compiled
from tests.cli.conftest import PICTURES

if TYPE_CHECKING:
    from tests.cli.conftest import Run


@pytest.mark.parametrize("picture", ["camera.png", "astronaut.png", "chelsea.jpg"])
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--unit", "pixel"],
        ["--unit", "sample", "--rounds", "1"],
        ["--unit", "block"],
        ["--unit", "block", "--block-size", "7"],
        ["--deterministic"],
        ["--sidecar"],
    ],
)
@pytest.mark.parametrize("suffix", ["png", "tiff"])
def test_round_trip(run: Run, picture: str, options: list[str], suffix: str) -> None:
    """scramble, then unscramble, gives back the samples of the picture, and says nothing."""
    source, scrambled = PICTURES / picture, f"out.{suffix}"
    before = read_picture(source).pixels
    done = run("scramble", source, "-o", scrambled, "--key", "my.key", *options)
    assert (done.code, done.out) == (0, "")
    assert not np.array_equal(read_picture(Path(scrambled)).pixels, before)
    done = run("unscramble", scrambled, "-o", "back.png", "--key", "my.key")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert np.array_equal(read_picture(Path("back.png")).pixels, before)
    assert read_picture(Path("back.png")).header is None


def test_default_names(run: Run) -> None:
    """Without -o the output stands beside the input and is named on stderr."""
    done = run("scramble", "photo.png", "--key", "my.key")
    assert (done.code, done.err) == (0, "sudokucrypt: note: wrote 'photo.scrambled.png'\n")
    done = run("unscramble", "photo.scrambled.png", "--key", "my.key")
    assert (done.code, done.err) == (0, "sudokucrypt: note: wrote 'photo.restored.png'\n")
    restored, plain = (
        read_picture(Path(name)).pixels for name in ("photo.restored.png", "photo.png")
    )
    assert np.array_equal(restored, plain)


@pytest.mark.parametrize("options", [[], ["--unit", "block", "--rounds", "2"]])
def test_context(run: Run, options: list[str]) -> None:
    """A context restores, another one does not, and a missing one is asked for."""
    assert run(
        "scramble", "photo.png", "-o", "c.png", "--key", "my.key", "--context", "x", *options
    )
    assert run("unscramble", "c.png", "-o", "a.png", "--key", "my.key", "--context", "x").code == 0
    assert run("unscramble", "c.png", "-o", "b.png", "--key", "my.key", "--context", "y").code == 0
    plain, right, wrong = (read_picture(Path(f"{n}.png")).pixels for n in ("photo", "a", "b"))
    assert np.array_equal(plain, right)
    assert not np.array_equal(plain, wrong)
    done = run("unscramble", "c.png", "-o", "d.png", "--key", "my.key")
    assert done.code == 2
    assert "--context" in done.err


def test_sidecar_serves_a_picture_that_lost_its_header(run: Run) -> None:
    """With the sidecar beside it, or named, a re-saved picture is restored."""
    run("scramble", "photo.png", "-o", "s.png", "--key", "my.key", "--sidecar")
    run("unscramble", "s.png", "-o", "whole.png", "--key", "my.key")
    from PIL import Image

    with Image.open("s.png") as picture:
        picture.load()
    picture.save("resaved.png")
    done = run("unscramble", "resaved.png", "-o", "r.png", "--key", "my.key")
    assert done.code == 4
    assert "--sidecar" in done.err
    sidecar = "s.png.sudokucrypt.json"
    assert run("info", "resaved.png").code == 4
    assert run("info", "resaved.png", "--sidecar", sidecar).code == 0
    done = run("unscramble", "resaved.png", "-o", "r.png", "--key", "my.key", "--sidecar", sidecar)
    assert done.code == 0
    Path(sidecar).rename("resaved.png.sudokucrypt.json")
    assert run("unscramble", "resaved.png", "-o", "r2.png", "--key", "my.key").code == 0
    assert Path("r.png").read_bytes() == Path("r2.png").read_bytes()
    assert run("info", "resaved.png").code == 0


def test_info(run: Run) -> None:
    """info shows the header as text and as JSON, without a key."""
    run("scramble", "photo.png", "-o", "s.png", "--key", "my.key", "--unit", "block")
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
    assert ("compiled kernels" if compiled() else "plain twins") in shown
    assert json.loads(run("info", "--system", "--json").out)["threads"] == 3
    assert run("info").code == 2
    assert run("info", "photo.png", "--system").code == 2
    monkeypatch.setenv("SUDOKUCRYPT_THREADS", "many")
    assert run("info", "--system").code == 2


def test_compression_and_threads(run: Run) -> None:
    """--compress makes smaller files of the same samples; --threads changes nothing."""
    sizes = []
    for level in ("0", "1", "9"):
        name = f"s{level}.png"
        options = ("--key", "my.key", "--compress", level, "--threads", "2")
        assert run("scramble", "photo.png", "-o", name, *options).code == 0
        sizes.append(Path(name).stat().st_size)
        assert run("unscramble", name, "-o", f"r{level}.png", *options).code == 0
        restored, plain = (read_picture(Path(n)).pixels for n in (f"r{level}.png", "photo.png"))
        assert np.array_equal(restored, plain)
    assert sizes[0] > max(sizes[1:])
    restored_sizes = [Path(f"r{level}.png").stat().st_size for level in ("0", "1", "9")]
    assert restored_sizes[0] > 1.2 * max(restored_sizes[1:])
    for bad in (("--compress", "10"), ("--threads", "0")):
        assert run("scramble", "photo.png", "-o", "x.png", "--key", "my.key", *bad).code == 2


def test_keygen(run: Run) -> None:
    """keygen prints a key file, or writes a private one and never replaces it."""
    printed = run("keygen")
    key = Key.from_text(printed.out)
    assert f"# key id: {key.id}" in printed.out
    done = run("keygen", "-o", "new.key")
    assert (done.code, done.out) == (0, "")
    assert Key.from_file("new.key").id in done.err
    assert stat.S_IMODE(Path("new.key").stat().st_mode) == 0o600
    before = Path("new.key").read_bytes()
    assert run("keygen", "-o", "new.key").code == 6
    assert Path("new.key").read_bytes() == before
    assert run("keygen", "-o", "no/such/folder.key").code == 1


def test_keygen_warns_of_readable_files(tmp_path: Path) -> None:
    """Redirecting a key into a file that others may read gives a warning."""
    with (tmp_path / "loose.key").open("wb") as file:
        (tmp_path / "loose.key").chmod(0o644)
        done = subprocess.run(
            [sys.executable, "-m", "sudokucrypt", "keygen"], stdout=file, stderr=-1, check=True
        )
    assert b"warning" in done.stderr
    Key.from_file(tmp_path / "loose.key")


def test_where_the_key_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is read from a file, from stdin, or from the environment."""
    text = Path("my.key").read_bytes()
    run("scramble", "photo.png", "-o", "s.png", "--key", "my.key")
    assert run("unscramble", "s.png", "-o", "1.png", "--key", "-", stdin=text).code == 0
    monkeypatch.setenv("SUDOKUCRYPT_KEY", Key(bytes(range(32))).to_text())
    assert run("unscramble", "s.png", "-o", "2.png").code == 0
    monkeypatch.setenv("SUDOKUCRYPT_KEY", Key(bytes(32)).to_text())
    assert run("unscramble", "s.png", "-o", "3.png", "--key", "my.key").code == 0
    assert run("unscramble", "s.png", "-o", "4.png").code == 3


def test_demo(run: Run) -> None:
    """demo leaves key, pictures and the side-by-side sheet, and says where."""
    for folder in ("sudokucrypt-demo", "sudokucrypt-demo-2"):
        done = run("demo")
        assert done.code == 0
        assert f"{folder}/side-by-side.png" in done.out
    sheet = read_picture(Path("sudokucrypt-demo/side-by-side.png")).pixels
    assert sheet.shape == (512, 3 * 512 + 16, 3)
    assert np.array_equal(sheet[:, :512], sheet[:, -512:])
    assert run("demo", "-o", "here/there").code == 0
    assert Path("here/there/restored.png").exists()
    assert run("demo", "-o", "here/there").code == 6


def test_module_and_version() -> None:
    """python -m sudokucrypt is the command."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "sudokucrypt", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"sudokucrypt {__version__}\n"


def test_no_command_shows_the_help(tmp_path: Path) -> None:
    """The command alone shows its help on stderr, with the code for wrong usage."""
    command = [sys.executable, "-m", "sudokucrypt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: sudokucrypt")


def test_help_names_every_command(run: Run) -> None:
    """Help is there for the whole and for each command."""
    shown = run("--help").out
    for command in ("keygen", "scramble", "unscramble", "info", "demo"):
        assert command in shown
        assert "Usage: sudokucrypt" in run(command, "--help").out
