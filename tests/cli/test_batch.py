"""Many pictures: how many are worked on at a time, what cannot be read, and Ctrl-C."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt.cli.options import Item
from sudokucrypt.cli.pictures.job import Job
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome, Summary
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import read_picture
from sudokucrypt.recipes import FileReport
from sudokucrypt.recipes.operations import protect
from tests.cli.conftest import KEY, Run, lines_of, names, small_pictures


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
            return protect(*arguments, **options)
        finally:
            with lock:
                held -= 1

    monkeypatch.setattr("sudokucrypt.recipes.operations.protect", counted)
    small_pictures(Path("in"), 9)
    assert run("scramble", "in", "-o", "out", "--jobs", str(jobs), *KEY).code == 0
    assert most == jobs


# The superuser may read everything, so these refusals are made here.


def _refusing(call: Callable[..., Any], refused: Callable[[Path], bool]) -> Callable[..., Any]:
    """The function of the system, with permission denied for some paths."""

    def called(path: Any, *arguments: Any, **options: Any) -> Any:
        if not isinstance(path, int) and refused(Path(path)):
            raise PermissionError(13, "Permission denied", str(path))
        return call(path, *arguments, **options)

    return called


def test_closed_folders(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be read is listed, lest its pictures be thought protected."""
    closed = _refusing(os.scandir, lambda path: path.name == "deep")
    monkeypatch.setattr(os, "scandir", closed)
    done = run("encrypt", folder, "-r", "-o", "out", *KEY)
    assert done.code == 4
    assert "cannot read the folder 'in/deep': permission denied" in done.err
    assert names(Path("out")) == {"a.png.encrypted.png", "b.tif.encrypted.png"}
    assert run("encrypt", folder / "deep", *KEY).code == 4


def test_folders_that_only_list_names(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in a folder that may be listed but not entered are errors; the others are done."""
    for name in ("in/names/a.png", "in/names/deep/b.png", "in/open.png"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy("photo.png", name)
    for name in ("stat", "lstat", "scandir"):
        refusing = _refusing(getattr(os, name), lambda path: "in/names/" in str(path))
        monkeypatch.setattr(os, name, refusing)
    done = run("encrypt", "in", "-r", "-o", "safe", *KEY)
    assert done.code == 4
    assert "cannot read 'in/names/a.png': permission denied" in done.err
    assert "cannot read the folder 'in/names/deep': permission denied" in done.err
    assert "1 encrypted, 2 failed" in done.err


def test_unreadable_files(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read is an error, alone, in a folder and by name among others."""
    Path("in").mkdir()
    for name in ("closed.png", "open.png"):
        shutil.copy("photo.png", f"in/{name}")
    closed = _refusing(os.open, lambda path: path.name == "closed.png")
    monkeypatch.setattr(os, "open", closed)
    done = run("encrypt", "in/closed.png", "-o", "out.png", *KEY)
    assert (done.code, Path("out.png").exists()) == (4, False)
    message = "cannot read 'in/closed.png': permission denied"
    assert done.err == f"sudokucrypt: error: {message}\n"
    done = run("encrypt", "in", "-o", "safe", *KEY)
    assert (done.code, "'in/closed.png'" in done.err) == (4, True)
    assert names(Path("safe")) == {"open.png.encrypted.png"}
    Path("one").mkdir()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "closed.png")
    done = run("encrypt", "in/closed.png", "in/open.png", "-o", "one", *KEY)
    assert (done.code, message in done.err) == (4, True)
    assert names(Path("one")) == {"open.png.encrypted.png"}


def test_an_interrupt_cancels_what_has_not_begun(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what was begun is finished, counted and listed, and --resume makes the others."""
    begun: list[int] = []
    lock = threading.Lock()

    def interrupted(*arguments: Any, **options: Any) -> Any:
        with lock:
            begun.append(len(begun))
            count = len(begun)
        if count == 3:
            raise KeyboardInterrupt
        if count > 3:
            time.sleep(0.3)
        return protect(*arguments, **options)

    small_pictures(Path("in"), 30)
    arguments = ("scramble", "in", "-o", "out", "--manifest", "done.jsonl", *KEY)
    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.recipes.operations.protect", interrupted)
        done = run(*arguments)
    assert done.code == 130
    assert len(begun) < 10
    written = {f"out/{name}" for name in names(Path("out"))}
    assert {line["target"] for line in lines_of()} == written
    assert f"stopped after {len(written)} of 30; --resume goes on from there" in done.err
    done = run(*arguments, "--resume")
    assert f"{30 - len(written)} scrambled, {len(written)} already there, 0 failed" in done.err
    assert len(lines_of()) == 30


@pytest.mark.slow
def test_interrupted_and_resumed(run: Run) -> None:
    """Ctrl-C amid 1,000 pictures leaves whole files alone, --resume makes the others; all return.

    This is also the trip of many pictures, with two jobs.
    """
    plain = small_pictures(Path("in"), 1000)
    arguments = ["encrypt", "in", "-o", "safe", "--jobs", "2", *KEY]
    process = subprocess.Popen(
        [sys.executable, "-m", "sudokucrypt", *arguments], stderr=subprocess.PIPE, text=True
    )
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
    assert f"{1000 - len(done)} encrypted, {len(done)} already there, 0 failed" in resumed.err
    assert run("decrypt", "safe", "-o", "back", "--jobs", "2", *KEY).code == 0
    for name, pixels in plain.items():
        restored = read_picture(Path("back") / f"{name}.png").pixels
        assert np.array_equal(restored, pixels)


def test_reasons_stand_in_the_order_of_the_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever picture is ready first: the same run always says the same."""
    summary = Summary("encrypted")
    reasons, dropped = ("lossless PNG", "lossless GIF"), (("x", "y"), ("y", "x"))
    reports = [
        FileReport(shape=(1, 1), pixels_because=reason, dropped=names)
        for reason, names in zip(reasons, dropped, strict=True)
    ]
    for index in (1, 0):
        summary.add(index, Outcome(source=str(index), result=reports[index]))
    summary.say(resumed=False)
    printed = capsys.readouterr().err
    assert printed.index("(lossless PNG)") < printed.index("(lossless GIF)")
    assert "not carried over from some: x, y" in printed


def test_results_that_cannot_be_written_take_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a disk is full, many inputs fail alike, and the names of their results tell nothing."""

    def fill(self: Job, item: Item, **given: object) -> Outcome:
        del self, given
        source = str(item.source)
        error = SudokucryptError(f"cannot write 'out/{item.source.name}.encrypted.png': disk full")
        return Outcome(source=source, result=Failure.of(error))

    small_pictures(Path("in"), 5)
    monkeypatch.setattr(Job, "outcome", fill)
    done = run("encrypt", "in", "-o", "out", *KEY)
    assert done.code == 1
    assert "error: the same for 4 more inputs: 'in/0001.png', " in done.err
    assert done.err.count("disk full") == 1
