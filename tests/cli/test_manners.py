"""Manners of the command line: nothing overwritten, nothing left, secrets kept."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt import InvalidImageError, Key
from sudokucrypt.cli.main import main
from tests.cli.conftest import Run
from tests.images.builders import encoded


def test_nothing_is_overwritten_without_force(run: Run) -> None:
    """Existing output gives code 6 and stays; --force replaces it."""
    Path("out.png").write_bytes(b"precious")
    scramble = ("scramble", "photo.png", "-o", "out.png", "--key", "my.key")
    assert run(*scramble).code == 6
    assert Path("out.png").read_bytes() == b"precious"
    assert run(*scramble, "--force").code == 0
    restore = ("unscramble", "out.png", "-o", "back.png", "--key", "my.key")
    assert [run(*restore).code, run(*restore).code, run(*restore, "--force").code] == [0, 6, 0]


def test_sidecars_are_not_overwritten_either(run: Run) -> None:
    """An existing sidecar gives code 6, and then no picture is written."""
    Path("out.png.sudokucrypt.json").write_bytes(b"precious")
    done = run("scramble", "photo.png", "-o", "out.png", "--key", "my.key", "--sidecar")
    assert (done.code, Path("out.png").exists()) == (6, False)
    assert Path("out.png.sudokucrypt.json").read_bytes() == b"precious"


def test_input_is_never_output(run: Run) -> None:
    """The same file by another path, a link or a hard link is refused, --force or not."""
    before = Path("photo.png").read_bytes()
    Path("soft.png").symlink_to("photo.png")
    os.link("photo.png", "hard.png")
    Path("folder").mkdir()
    for same in ("photo.png", "./folder/../photo.png", "soft.png", "hard.png"):
        done = run("scramble", "photo.png", "-o", same, "--key", "my.key", "--force")
        assert done.code == 2
        assert "same file" in done.err
    assert Path("photo.png").read_bytes() == before


def test_the_key_is_not_an_argument(run: Run) -> None:
    """A key among the arguments is refused and not repeated."""
    text = Key.generate().to_text()
    done = run("scramble", "photo.png", "-o", "out.png", "--key", text)
    assert done.code == 2
    assert text[-20:] not in done.err + done.out


def test_blocks_larger_than_the_picture_are_warned_of(run: Run) -> None:
    """Where no two blocks fit, nothing moves, and the command says so."""
    options = ("--unit", "block", "--block-size", "200")
    done = run("scramble", "photo.png", "-o", "out.png", "--key", "my.key", *options)
    assert done.code == 0
    assert "warning" in done.err


def test_debug_shows_the_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only --debug lets an error through, be it ours or a surprise."""
    assert run("info", ".").code == 4
    monkeypatch.setattr(sys, "argv", ["sudokucrypt", "--debug", "info", "."])
    with pytest.raises(InvalidImageError):
        main()
    monkeypatch.setattr("sudokucrypt.cli.pictures.info.read_header", lambda *_, **__: 1 // 0)
    assert "unexpected ZeroDivisionError\n" in run("info", "photo.png").err
    monkeypatch.setattr(sys, "argv", ["sudokucrypt", "--debug", "info", "photo.png"])
    with pytest.raises(ZeroDivisionError):
        main()


@pytest.mark.slow
def test_interruption_leaves_nothing(tmp_path: Path) -> None:
    """Stopped at any moment by Ctrl-C, the command leaves the whole file or none."""
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 256, (1500, 2000, 3), dtype=np.uint8)
    (tmp_path / "photo.png").write_bytes(encoded(noise, "PNG"))
    Key.generate().to_file(tmp_path / "my.key")
    base = [sys.executable, "-m", "sudokucrypt"]
    codes = set()
    for number in range(20):
        process = subprocess.Popen(
            [*base, "scramble", "photo.png", "-o", "out.png", "--key", "my.key"],
            cwd=tmp_path,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(0.04 + 0.03 * number)
        process.send_signal(signal.SIGINT)
        codes.add(process.wait(timeout=60))
        names = {path.name for path in tmp_path.iterdir()} - {"photo.png", "my.key"}
        if names:
            assert names == {"out.png"}
            restore = [*base, "unscramble", "out.png", "-o", "back.png", "--key", "my.key"]
            assert subprocess.run(restore, cwd=tmp_path, check=False).returncode == 0
            (tmp_path / "out.png").unlink()
            (tmp_path / "back.png").unlink()
    assert codes - {0}, "no run was interrupted"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["--help"], ["scramble", "photo.png"], ["analyze", "--help"]]
)
def test_interruption_at_the_start_shows_no_traceback(run: Run, arguments: list[str]) -> None:
    """From 20 ms after its first import on, Ctrl-C ends the program with one line at most."""
    del run  # has made the folder
    # The program says that it begins; what Python itself does before that is not ours.
    code = "import sys; sys.stdout.write('.'); sys.stdout.flush()\n"
    code += "from sudokucrypt.cli.main import main; main()"
    for milliseconds in range(0, 400, 20):
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        process.stdout.read(1)
        time.sleep(0.02 + milliseconds / 1000)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=60)[1]
        assert "Traceback" not in message
        assert process.returncode in (0, 2, 130, -signal.SIGINT)
