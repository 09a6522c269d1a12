"""Many pictures: all are worked on, what fails is listed, and --resume goes on exactly."""

import os
import pty
import re
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import scramble_file
from sudokucrypt.images import read_picture
from sudokucrypt.kernels import compiled
from tests.cli.conftest import KEY as _KEY
from tests.cli.conftest import Run
from tests.images.builders import encoded, noise, saved


def names(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def assert_restored(folder: Path, back: Path) -> None:
    for name in ("a.png", "b.tif", "deep/d.gif", "deep/er/c.bmp"):
        (result,) = back.glob(str(Path(name).with_suffix(".*")))
        assert np.array_equal(read_picture(result).pixels, read_picture(folder / name).pixels)


def test_folders(run: Run, folder: Path) -> None:
    """-r builds the tree of a folder again; without it only the pictures directly in it count."""
    done = run("encrypt", folder, "--as", "pixels", "-o", "flat", *_KEY)
    assert (done.code, done.err.splitlines()[-1]) == (0, "sudokucrypt: note: 2 encrypted, 0 failed")
    assert names(Path("flat")) == {"a.encrypted.png", "b.encrypted.png"}
    done = run("encrypt", folder, "-r", "-o", "safe", "--jobs", "3", *_KEY)
    assert (done.code, done.err.splitlines()[-1]) == (0, "sudokucrypt: note: 4 encrypted, 0 failed")
    assert names(Path("safe")) == {
        "a.encrypted.png", "b.encrypted.png", "deep/d.encrypted.gif", "deep/er/c.encrypted.png",
    }  # fmt: skip
    done = run("decrypt", "safe", "-r", "-o", "back", "--name", "{stem}{suffix}", *_KEY)
    assert (done.code, done.out) == (0, "")
    assert_restored(folder, Path("back"))


def test_results_beside_their_inputs(run: Run, folder: Path) -> None:
    """Without -o results lie beside their inputs, and the same command leaves them out."""
    assert run("scramble", folder, "-r", *_KEY).code == 0
    assert {"a.scrambled.png", "deep/d.scrambled.gif", "deep/er/c.scrambled.png"} < names(folder)
    before = names(folder)
    done = run("scramble", folder, "-r", "--resume", *_KEY)
    assert done.code == 0
    assert "0 scrambled, 4 already there, 0 failed" in done.err
    assert names(folder) == before


def test_jobs_do_not_change_results(run: Run, folder: Path) -> None:
    """Any number of jobs and threads gives the same files."""
    for jobs in ("1", "4"):
        options = ("--jobs", jobs, "--threads", jobs, "--deterministic")
        assert run("scramble", folder, "-r", "-o", jobs, *options, *_KEY).code == 0
    assert names(Path("1")) == names(Path("4"))
    for name in names(Path("1")):
        assert (Path("1") / name).read_bytes() == (Path("4") / name).read_bytes()


@pytest.mark.parametrize("jobs", [1, 3])
def test_jobs_bound_what_is_held(run: Run, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """As many pictures are worked on at a time as --jobs says, and no more."""
    held = most = 0
    lock = threading.Lock()

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal held, most
        with lock:
            held += 1
            most = max(most, held)
        time.sleep(0.01)
        try:
            return scramble_file(*arguments, **options)
        finally:
            with lock:
                held -= 1

    monkeypatch.setattr("sudokucrypt.recipes.scramble_file", counted)
    Path("in").mkdir()
    for number in range(9):
        Path(f"in/{number}.png").write_bytes(encoded(noise(4, 4, 1), "PNG"))
    assert run("scramble", "in", "-o", "out", "--jobs", str(jobs), *_KEY).code == 0
    assert most == jobs


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bad_picture_stops_nobody(run: Run, folder: Path, jobs: str) -> None:
    """The good pictures are done, and the bad ones listed at the end in their order."""
    (folder / "0.png").write_bytes((folder / "a.png").read_bytes()[:-30])
    (folder / "z.png").write_bytes(b"")
    sources = ("z.png", folder, "nothing.png", folder / "z.png")
    done = run("scramble", *sources, "-o", "out", "--jobs", jobs, *_KEY)
    assert done.code == 4
    assert names(Path("out")) == {"a.scrambled.png", "b.scrambled.png"}
    lines = done.err.splitlines()
    assert [line.split("'")[1] for line in lines if "error" in line] == [
        "z.png", "in/0.png", "in/z.png", "nothing.png", "in/z.png",
    ]  # fmt: skip
    assert lines[-1] == "sudokucrypt: note: 2 scrambled, 5 failed"


def test_what_is_no_picture_is_listed(run: Run, folder: Path) -> None:
    """A file named like a picture that does not begin like one, and a folder without any."""
    (folder / "deep" / "damaged.JPG").write_bytes(b"no picture any more")
    Path("empty").mkdir()
    done = run("scramble", "empty", folder, "-r", "-o", "out", *_KEY)
    assert done.code == 4
    assert "'in/deep/damaged.JPG' is not a picture" in done.err
    assert "there is no picture in 'empty'" in done.err
    assert "note: 4 scrambled, 2 failed" in done.err


def test_closed_folders(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be read is listed, so that nobody thinks its pictures are protected.

    The superuser may read everything, so the refusal is made here.
    """
    scan = os.scandir

    def refusing(path: str) -> Any:
        if Path(path).name == "deep":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    done = run("encrypt", folder, "-r", "-o", "out", *_KEY)
    assert done.code == 4
    assert "cannot read the folder 'in/deep': permission denied" in done.err
    assert names(Path("out")) == {"a.encrypted.png", "b.encrypted.png"}
    assert run("encrypt", folder / "deep", *_KEY).code == 4


def test_failures_of_several_kinds(run: Run, folder: Path) -> None:
    """The code is that of the failures if they share one, else 1."""
    Path("out").mkdir()
    Path("out/a.scrambled.png").write_bytes(b"precious")
    assert run("scramble", folder, "-o", "out", *_KEY).code == 6
    done = run("scramble", folder, "no.png", "-o", "out", "--name", "{stem}{suffix}", *_KEY)
    assert done.code == 4
    assert run("scramble", folder, "no.png", "-o", "out", *_KEY).code == 1
    assert Path("out/a.scrambled.png").read_bytes() == b"precious"


def test_protected_pictures_are_not_protected_again(run: Run, folder: Path) -> None:
    """A second header would take the place of the first, which could not be restored then."""
    run("scramble", folder, "-o", "once", *_KEY)
    done = run("encrypt", "once", "photo.png", "-o", "twice", *_KEY)
    assert done.code == 4
    assert "'once/a.scrambled.png': the picture is protected already" in done.err
    assert "rekey" in done.err
    assert names(Path("twice")) == {"photo.encrypted.png"}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{stem}{suffix}", {"a.png", "b.png"}),
        ("{name}{suffix}", {"a.png.png", "b.tif.png"}),
        ("{word}-{stem}.{name}{suffix}", {"scrambled-a.a.png.png", "scrambled-b.b.tif.png"}),
        ("{stem:_>3}{suffix}", {"__a.png", "__b.png"}),
        ("{{{stem}}}.tiff", {"{a}.tiff", "{b}.tiff"}),
    ],
)
def test_name_templates(run: Run, folder: Path, template: str, expected: set[str]) -> None:
    """--name says what results are called, and its suffix which format they have."""
    assert run("scramble", folder, "-o", "out/", "--name", template, *_KEY).code == 0
    assert names(Path("out")) == expected


def test_two_inputs_for_one_output(run: Run, folder: Path) -> None:
    """The second of two inputs for one name is an error, and {name} tells them apart."""
    (folder / "a.bmp").write_bytes(saved(noise(3, 3, 3), "BMP"))
    done = run("scramble", folder, "-o", "out", "--name", "{stem:.0}x{suffix}", *_KEY)
    assert done.code == 2
    assert "another input is written to 'out/x.png' too" in done.err
    assert "--name" in done.err
    assert names(Path("out")) == {"x.png"}
    assert run("scramble", folder, "-o", "2", "--name", "{name}{suffix}", *_KEY).code == 0
    assert names(Path("2")) == {"a.bmp.png", "a.png.png", "b.tif.png"}


@pytest.mark.slow
def test_progress_on_a_terminal(run: Run, folder: Path) -> None:
    """On a terminal a bar shows how many are done, the rate and the time that is left."""
    del run
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 100))
    command = [sys.executable, "-m", "sudokucrypt", "scramble", str(folder), "-o", "out", *_KEY]
    with os.fdopen(master, "rb", buffering=0) as screen:
        assert subprocess.run(command, stderr=slave, check=False, timeout=60).returncode == 0
        os.close(slave)
        shown = screen.read(100_000).decode()
    assert "2/2" in shown
    assert re.search(r"\d\.\d/s", shown)
    assert re.search(r"\d:\d\d:\d\d", shown)
    assert "2 scrambled, 0 failed" in shown


def small_pictures(root: Path, count: int) -> dict[str, Any]:
    """Pictures of different sizes and channels, and what they hold."""
    plain = {}
    root.mkdir()
    for number in range(count):
        pixels = noise(1 + number % 37, 2 + number % 23, (1, 3, 4)[number % 3]) + number % 256
        plain[f"{number:04}"] = pixels
        (root / f"{number:04}.png").write_bytes(encoded(pixels, "PNG"))
    return plain


@pytest.mark.slow
@pytest.mark.skipif(not compiled(), reason="small batches are enough to see the fallbacks")
def test_a_thousand_pictures(run: Run) -> None:
    """1,000 small pictures with two jobs all come back exactly."""
    plain = small_pictures(Path("in"), 1000)
    done = run("scramble", "in", "-o", "safe", "--jobs", "2", *_KEY)
    assert (done.code, done.err) == (0, "sudokucrypt: note: 1000 scrambled, 0 failed\n")
    done = run("unscramble", "safe", "-o", "back", "--jobs", "2", *_KEY)
    assert (done.code, done.err) == (0, "sudokucrypt: note: 1000 restored, 0 failed\n")
    for name, pixels in plain.items():
        restored = read_picture(Path("back") / f"{name}.restored.png").pixels
        assert np.array_equal(restored, pixels)
