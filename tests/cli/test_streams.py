"""Pipes: ``-`` is stdin or stdout, in bytes, and never a terminal."""

import io
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt import Key, encrypt_file, scramble_file
from sudokucrypt.images import decode_picture, read_picture
from tests.cli.conftest import KEY as _KEY
from tests.cli.conftest import PICTURES, WAYS, Run

_PHOTO = (PICTURES / "camera.png").read_bytes()


@pytest.fixture
def place(run: Run, tmp_path: Path) -> Path:
    """A folder with photo.png and my.key."""
    del run
    return tmp_path


@pytest.fixture
def terminal() -> Iterator[int]:
    """The descriptor of a terminal that nobody sits at."""
    master, slave = pty.openpty()
    yield slave
    os.close(slave)
    os.close(master)


def call(
    *arguments: str,
    given: bytes = b"",
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a program; whatever it waits for, it does not wait long."""
    command = [sys.executable, "-m", "sudokucrypt", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=pipe) as process:
        out, err = process.communicate(given if stdin == pipe else None, timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, out or b"", err)


@pytest.mark.parametrize(("there", "back"), WAYS)
def test_through_pipes(run: Run, there: str, back: str) -> None:
    """From stdin to stdout and back a picture stays exact, and nothing else is printed."""
    way = ("--as", "pixels") if there == "encrypt" else ()
    protected = run(there, "-", *way, *_KEY, stdin=_PHOTO)
    assert (protected.code, protected.err) == (0, "")
    restored = run(back, "-", "-o", "-", *_KEY, stdin=protected.raw)
    assert (restored.code, restored.err) == (0, "")
    plain = decode_picture(_PHOTO).pixels
    assert np.array_equal(decode_picture(restored.raw).pixels, plain)
    assert not np.array_equal(decode_picture(protected.raw).pixels, plain)


@pytest.mark.slow
def test_one_end_is_a_file(place: Path) -> None:
    """Streams and files give the same bytes; the format is chosen by name or --format."""
    options = (*_KEY, "--deterministic")
    tiff = call("scramble", "photo.png", "-o", "-", "--format", "tiff", *options).stdout
    assert tiff.startswith(b"II*\0")
    assert call("scramble", "-", "-o", "s.tiff", *options, given=_PHOTO).returncode == 0
    assert (place / "s.tiff").read_bytes() == tiff
    done = call("unscramble", "-", "-o", "back.png", *_KEY, given=tiff)
    assert (done.returncode, done.stdout) == (0, b"")
    assert np.array_equal(read_picture(place / "back.png").pixels, decode_picture(_PHOTO).pixels)


def test_a_file_called_dash(run: Run) -> None:
    """A path leads to a file whose name is a dash."""
    Path("-").write_bytes(_PHOTO)
    assert run("scramble", "./-", "-o", "./out.png", *_KEY).code == 0
    assert run("info", "./out.png").code == 0


@pytest.mark.slow
def test_the_key_from_a_pipe(place: Path) -> None:
    """The key may come from stdin while the picture goes to stdout."""
    key = (place / "my.key").read_bytes()
    done = call("encrypt", "photo.png", "-o", "-", "--key", "-", given=key)
    assert done.returncode == 0
    assert decode_picture(done.stdout).header is not None


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_terminals_are_refused(terminal: int) -> None:
    """Neither is a picture printed on a terminal, nor is one typed there."""
    for arguments in (["photo.png", "-o", "-"], ["-"]):
        done = call("scramble", *arguments, *_KEY, given=_PHOTO, stdout=terminal)
        assert done.returncode == 2
        assert b"a picture is not for the terminal; name a file with -o" in done.stderr
    for command in (["scramble", "-", "-o", "out.png", *_KEY], ["info", "-"]):
        done = call(*command, stdin=terminal)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"a picture does not come from the terminal" in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_closed_streams() -> None:
    """A program that was started without stdin or stdout says so."""
    command = [sys.executable, "-m", "sudokucrypt", "encrypt"]
    for arguments, name in (
        (["-", "-o", "out.png"], "stdin"),
        (["photo.png", "-o", "-"], "stdout"),
    ):
        done = subprocess.run(
            ["sh", "-c", f'"$@" {"<" if name == "stdin" else ">"}&-', "sh", *command, *arguments,
             *_KEY], stderr=subprocess.PIPE, check=False, timeout=60)  # fmt: skip
        assert done.returncode == 2
        assert f"error: {name} is closed".encode() in done.stderr


def test_a_stream_in_a_folder(run: Run) -> None:
    """What comes from stdin into a folder gets a name that no program takes for an option."""
    assert run("encrypt", "-", "-o", "out/", *_KEY, stdin=_PHOTO).code == 0
    assert run("info", "out/stdin.encrypted.png").code == 0


@pytest.mark.parametrize("data", [b"", b"no picture", _PHOTO[:-20]])
def test_bad_streams(run: Run, data: bytes) -> None:
    """What is no picture gives code 4 and prints nothing."""
    for command in (["scramble", "-", *_KEY], ["unscramble", "-", *_KEY], ["info", "-"]):
        done = run(*command, stdin=data)
        assert (done.code, done.out) == (4, "")
        assert "'the input' is" in done.err


def test_a_wrong_key_prints_nothing(run: Run) -> None:
    """Not one byte of a picture reaches stdout before it is known to be right."""
    for protect, restore in ((scramble_file, "unscramble"), (encrypt_file, "decrypt")):
        stored = io.BytesIO()
        protect(io.BytesIO(_PHOTO), stored, Key(bytes(32)))
        done = run(restore, "-", *_KEY, stdin=stored.getvalue())
        assert (done.code, done.out) == (3, "")


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_a_reader_that_stops() -> None:
    """A closed pipe at the other end is a quiet failure, as for any program in a pipe."""
    read, write = os.pipe()
    os.close(read)
    done = call("scramble", "photo.png", "-o", "-", *_KEY, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")
