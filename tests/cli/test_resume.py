"""Runs that were stopped go on where they were, and take nothing for done that is not."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import Key, scramble_file
from sudokucrypt.images import read_picture
from tests.cli.conftest import KEY as _KEY
from tests.cli.conftest import Run
from tests.cli.test_batch import assert_restored, names, small_pictures
from tests.images.builders import encoded, noise


@pytest.mark.parametrize("command", ["scramble", "encrypt"])
def test_resume(run: Run, folder: Path, command: str) -> None:
    """What is done and verified is left alone, what is missing is made, in both directions."""
    back = {"scramble": "unscramble", "encrypt": "decrypt"}[command]
    for source, target, word in ((folder, "there", command), (Path("there"), "back", back)):
        arguments = (word, source, "-r", "-o", target, "--name", "{stem}{suffix}", *_KEY)
        assert run(*arguments).code == 0
        made = {name: (Path(target) / name).stat().st_ino for name in names(Path(target))}
        missing = next(name for name in made if name.startswith("deep/d"))
        (Path(target) / missing).rename("gone")
        done = run(*arguments, "--resume", "--jobs", "2")
        assert done.code == 0
        assert "1 " in done.err
        assert "3 already there, 0 failed" in done.err
        for name, written in made.items():
            now = (Path(target) / name).stat().st_ino
            assert (now != written) == (name == missing)
    assert_restored(folder, Path("back"))


@pytest.mark.parametrize("content", ["other key", "cut"])
def test_resume_does_not_trust_names(run: Run, folder: Path, content: str) -> None:
    """A result that does not belong to its input is kept, and listed as an error."""
    assert run("scramble", folder, "-o", "out", *_KEY).code == 0
    result = Path("out/a.scrambled.png")
    if content == "other key":
        Key(bytes(32)).to_file("other.key")
        run("scramble", folder / "a.png", "-o", result, "--force", "--key", "other.key")
    else:
        result.write_bytes(result.read_bytes()[:-20])
    before = result.read_bytes()
    for source in (folder, folder / "a.png"):
        target = result if source.is_file() else Path("out")
        done = run("scramble", source, "-o", target, "--resume", *_KEY)
        assert done.code == 6
        assert "'out/a.scrambled.png' exists, and is not what this run would write: " in done.err
        assert "--force" in done.err
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
        0, "sudokucrypt: note: 1 rekeyed, 1 already there, 0 failed\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        (["--rounds", "5"], "its rounds differ"),
        (["--region", "0,0,3,3"], "its regions differ"),
        (["--deterministic"], "its salt is random"),
        (["--context", "x"], "its scheme is scramble-v1"),
    ],
)
def test_resume_with_other_options(
    run: Run, folder: Path, options: list[str], difference: str
) -> None:
    """Under other options what is there counts as nothing done: each result is named, with why."""
    assert run("scramble", folder, "-o", "out", *_KEY).code == 0
    done = run("scramble", folder, "-o", "out", "--resume", *options, *_KEY)
    assert done.code == 6
    assert done.err.count(f"is not what this run would write: {difference}") == 2
    assert "0 scrambled, 0 already there, 2 failed" in done.err
    assert run("scramble", folder, "-o", "out", "--force", *options, *_KEY).code == 0
    done = run("scramble", folder, "-o", "out", "--resume", *options, *_KEY)
    assert "0 scrambled, 2 already there, 0 failed" in done.err


def test_many_results_that_differ(run: Run) -> None:
    """More than a few results that differ have one line for each reason, and it says the reason."""
    Path("in").mkdir()
    for number in range(5):
        Path(f"in/{number}.png").write_bytes(encoded(noise(3, 3, 1), "PNG"))
    assert run("scramble", "in", "-o", "out", *_KEY).code == 0
    done = run("scramble", "in", "-o", "out", "--resume", "--rounds", "5", *_KEY)
    assert done.code == 6
    assert done.err.splitlines() == [
        "sudokucrypt: error: the results of 5 inputs exist, and are not what this run would write: "
        "its rounds differ: 'in/0.png', 'in/1.png', 'in/2.png' and 2 more",
        "sudokucrypt: hint: choose another name, or replace it with --force",
        "sudokucrypt: note: 0 scrambled, 0 already there, 5 failed",
    ]


def test_resume_says_what_is_there(run: Run) -> None:
    """A single picture that is there is named, and nothing else is said."""
    arguments = ("encrypt", "photo.png", "-o", "out.png", *_KEY)
    assert run(*arguments).code == 0
    done = run(*arguments, "--resume")
    assert (done.code, done.err) == (0, "sudokucrypt: note: 'out.png' is already there\n")


def test_resume_reads_no_more_than_was_allowed(run: Run) -> None:
    """--max-pixels counts for the result that is there as well."""
    Path("large.png").write_bytes(encoded(noise(20, 20, 1), "PNG"))
    Path("small.png").write_bytes(encoded(noise(5, 5, 1), "PNG"))
    assert run("scramble", "large.png", "-o", "out.png", *_KEY).code == 0
    done = run("scramble", "small.png", "-o", "out.png", "--resume", "--max-pixels", "399", *_KEY)
    assert done.code == 6
    assert "more than the 399" in done.err


def test_an_interrupt_cancels_what_has_not_begun(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many pictures only those that were begun are finished, and the message counts them."""
    begun: list[int] = []
    lock = threading.Lock()

    def interrupted(*arguments: Any, **options: Any) -> Any:
        with lock:
            begun.append(len(begun))
            number = len(begun)
        if number == 3:
            raise KeyboardInterrupt
        if number > 3:
            time.sleep(0.3)
        return scramble_file(*arguments, **options)

    monkeypatch.setattr("sudokucrypt.recipes.scramble_file", interrupted)
    small_pictures(Path("in"), 30)
    done = run("scramble", "in", "-o", "out", *_KEY)
    assert done.code == 130
    assert len(begun) < 10
    written = len(names(Path("out")))
    assert f"stopped after {written} of 30; --resume goes on from there" in done.err


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
    assert f"{1000 - len(done)} encrypted, {len(done)} already there, 0 failed" in resumed.err
    assert run("decrypt", "safe", "-o", "back", "--jobs", "2", *_KEY).code == 0
    for name, pixels in plain.items():
        restored = read_picture(Path("back") / f"{name}.decrypted.png").pixels
        assert np.array_equal(restored, pixels)
