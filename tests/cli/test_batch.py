"""Many pictures: all are worked on, what fails is listed, and --resume goes on exactly."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt import Key, scramble_file
from sudokucrypt._native import COMPILED
from sudokucrypt.images import read_picture
from tests.images.builders import encoded, gif, gif_image, noise, saved

if TYPE_CHECKING:
    from tests.cli.conftest import Run

_KEY = ("--key", "my.key")


@pytest.fixture
def folder(run: Run) -> Path:
    """Pictures in a folder and in one within, a hidden one, and a file that is none."""
    del run
    root = Path("in")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a.png").write_bytes(encoded(noise(9, 7, 3), "PNG"))
    (root / "b.tif").write_bytes(encoded(noise(5, 8, 1, "uint16"), "TIFF"))
    (root / "deep" / "er" / "c.bmp").write_bytes(saved(noise(8, 6, 3), "BMP"))
    (root / "deep" / "d.gif").write_bytes(gif(gif_image(noise(8, 8, 1)), palette=bytes(768)))
    (root / "deep" / "notes.txt").write_text("no picture\n")
    (root / "hidden").mkdir()
    (root / "hidden").rename(root / ".hidden")
    (root / ".hidden" / "e.png").write_bytes(encoded(noise(2, 2, 1), "PNG"))
    return root


def names(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def assert_restored(folder: Path, back: Path) -> None:
    for name in ("a.png", "b.tif", "deep/d.gif", "deep/er/c.bmp"):
        (result,) = back.glob(str(Path(name).with_suffix(".*")))
        assert np.array_equal(read_picture(result).pixels, read_picture(folder / name).pixels)


def test_folders(run: Run, folder: Path) -> None:
    """-r builds the tree of a folder again; without it only the pictures directly in it count."""
    done = run("encrypt", folder, "-o", "flat", *_KEY)
    assert (done.code, done.err) == (0, "sudokucrypt: note: 2 encrypted, 0 failed\n")
    assert names(Path("flat")) == {"a.encrypted.png", "b.encrypted.png"}
    done = run("encrypt", folder, "-r", "-o", "safe", "--jobs", "3", *_KEY)
    assert (done.code, done.err) == (0, "sudokucrypt: note: 4 encrypted, 0 failed\n")
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
    assert "0 scrambled, 4 there already, 0 failed" in done.err
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

    monkeypatch.setattr("sudokucrypt.cli.scramble.scramble_file", counted)
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


def test_files_named_like_pictures(run: Run, folder: Path) -> None:
    """A file with the suffix of a picture that does not begin like one is listed, not left out."""
    (folder / "deep" / "damaged.JPG").write_bytes(b"no picture any more")
    done = run("encrypt", folder, "-r", "-o", "out", *_KEY)
    assert done.code == 4
    assert "'in/deep/damaged.JPG' is not a picture" in done.err
    assert "note: 4 encrypted, 1 failed" in done.err


def test_folders_without_pictures(run: Run, folder: Path) -> None:
    """A folder without pictures among several inputs is listed, and stops nobody."""
    Path("empty").mkdir()
    done = run("encrypt", "empty", folder, "-o", "out", *_KEY)
    assert done.code == 4
    assert "there is no picture in 'empty'" in done.err
    assert names(Path("out")) == {"a.encrypted.png", "b.encrypted.png"}


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


@pytest.mark.parametrize(
    "template",
    ["", "out.png", "{word}{suffix}", "{stem", "{stem}/{word}{suffix}", "{stem.parent}{suffix}",
     "{stem}{size}", "{0}{stem}", "{stem!z}", "{stem:d}"],
)  # fmt: skip
def test_bad_name_templates(run: Run, folder: Path, template: str) -> None:
    """A template without a name, or with anything unknown, is wrong usage."""
    done = run("scramble", folder, "-o", "out", "--name", template, *_KEY)
    assert (done.code, Path("out").exists()) == (2, False)
    assert "template" in done.err


def test_two_inputs_for_one_output(run: Run, folder: Path) -> None:
    """The second of two inputs of one name is an error, and {name} tells them apart."""
    (folder / "a.bmp").write_bytes(saved(noise(3, 3, 3), "BMP"))
    done = run("scramble", folder, "-o", "out", "--jobs", "2", *_KEY)
    assert done.code == 2
    assert "another input is written to 'out/a.scrambled.png' too" in done.err
    assert "--name" in done.err
    assert names(Path("out")) == {"a.scrambled.png", "b.scrambled.png"}
    assert run("scramble", folder, "-o", "2", "--name", "{name}{suffix}", *_KEY).code == 0
    assert names(Path("2")) == {"a.bmp.png", "a.png.png", "b.tif.png"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["in", "-o", "-"], 2),
        (["in", "-o", "one.png"], 2),
        (["in", "-o", "photo.png"], 2),
        (["in", "photo.png", "-o", "my.key"], 2),
        (["in", "-o", "out", "--resume", "--force"], 2),
        (["in", "-o", "out", "--jobs", "0"], 2),
        (["photo.png", "-o", "x.png", "--name", "{stem}"], 2),
        (["-", "-", "-o", "out"], 2),
        (["in/.hidden/none", "-o", "x.png"], 4),
        (["empty", "-o", "out"], 4),
    ],
)
def test_batches_that_cannot_be(run: Run, folder: Path, arguments: list[str], code: int) -> None:
    """What makes no sense is said before anything is written."""
    del folder
    Path("empty").mkdir()
    before = names(Path())
    assert run("scramble", *arguments, *_KEY).code == code
    assert names(Path()) == before


@pytest.mark.parametrize("command", ["scramble", "encrypt"])
def test_resume(run: Run, folder: Path, command: str) -> None:
    """What is done and verified is left alone, what is missing is made, in both directions."""
    back = {"scramble": "unscramble", "encrypt": "decrypt"}[command]
    for source, target, word in ((folder, "there", command), (Path("there"), "back", back)):
        arguments = (word, source, "-r", "-o", target, "--name", "{stem}{suffix}", *_KEY)
        assert run(*arguments).code == 0
        made = {name: (Path(target) / name).stat().st_mtime_ns for name in names(Path(target))}
        missing = next(name for name in made if name.startswith("deep/d"))
        (Path(target) / missing).unlink()
        done = run(*arguments, "--resume", "--jobs", "2")
        assert done.code == 0
        assert "1 " in done.err
        assert "3 there already, 0 failed" in done.err
        for name, written in made.items():
            now = (Path(target) / name).stat().st_mtime_ns
            assert (now != written) == (name == missing)
    assert_restored(folder, Path("back"))


@pytest.mark.parametrize("content", ["other picture", "other key", "cut", "empty"])
def test_resume_does_not_trust_names(run: Run, folder: Path, content: str) -> None:
    """A result that does not belong to its input is kept, and listed as an error."""
    assert run("scramble", folder, "-o", "out", *_KEY).code == 0
    result = Path("out/a.scrambled.png")
    if content == "other picture":
        result.write_bytes(Path("out/b.scrambled.png").read_bytes())
    elif content == "other key":
        Key(bytes(32)).to_file("other.key")
        run("scramble", folder / "a.png", "-o", result, "--force", "--key", "other.key")
    else:
        result.write_bytes(result.read_bytes()[: -20 if content == "cut" else 0])
    before = result.read_bytes()
    for source in (folder, folder / "a.png"):
        target = result if source.is_file() else Path("out")
        done = run("scramble", source, "-o", target, "--resume", *_KEY)
        assert done.code == 6
        assert "was not made from 'in/a.png' with this key" in done.err
    assert result.read_bytes() == before
    assert run("scramble", folder, "-o", "out", "--force", *_KEY).code == 0


def test_resume_of_a_changed_key(run: Run, folder: Path) -> None:
    """Rekeying goes on where it stopped."""
    Key(bytes(32)).to_file("new.key")
    run("scramble", folder, "-o", "old", *_KEY)
    rekey = ("rekey", "old", "-o", "new", "--new-key", "new.key", *_KEY)
    assert run(*rekey).code == 0
    Path("new/a.rekeyed.png").unlink()
    done = run(*rekey, "--resume")
    assert (done.code, done.err) == (
        0, "sudokucrypt: note: 1 rekeyed, 1 there already, 0 failed\n"
    )  # fmt: skip


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
@pytest.mark.skipif(not COMPILED, reason="small batches are enough to see the twins")
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


@pytest.mark.slow
def test_interrupted_and_resumed(run: Run) -> None:
    """Ctrl-C amid many pictures leaves whole files alone, and --resume makes the others."""
    plain = small_pictures(Path("in"), 1000)
    command = [sys.executable, "-m", "sudokucrypt"]
    arguments = ["encrypt", "in", "-o", "safe", "--jobs", "2", *_KEY]
    process = subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (
        Path("safe").is_dir() and len(list(Path("safe").iterdir())) > 30
    ):
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    message = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    done = names(Path("safe"))
    assert 30 <= len(done) < 1000
    assert all(name.endswith(".encrypted.png") for name in done)
    assert f"stopped after {len(done)} of 1000; --resume goes on from there" in message
    assert "Traceback" not in message
    resumed = run(*arguments, "--resume")
    assert resumed.code == 0
    assert f"{1000 - len(done)} encrypted, {len(done)} there already, 0 failed" in resumed.err
    assert run("decrypt", "safe", "-o", "back", "--jobs", "2", *_KEY).code == 0
    for name, pixels in plain.items():
        restored = read_picture(Path("back") / f"{name}.decrypted.png").pixels
        assert np.array_equal(restored, pixels)
