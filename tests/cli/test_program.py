"""The command as a program of its own: what it loads, its terminal, and streams that are closed."""

import os
import pty
import re
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from sudokucrypt import __version__
from sudokucrypt.kernels import is_compiled
from tests.cli.conftest import KEY, PICTURES, Run

_PHOTO = (PICTURES / "camera.png").read_bytes()


@pytest.fixture
def terminal() -> Iterator[int]:
    """The descriptor of a terminal without a reader."""
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


def test_as_a_program(tmp_path: Path) -> None:
    """python -m sudokucrypt is the command; alone it shows its help on stderr with code 2."""
    command = [sys.executable, "-W", "error", "-m", "sudokucrypt"]
    shown = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"sudokucrypt {__version__}\n"
    assert not shown.stderr or not is_compiled()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: sudokucrypt")


@pytest.mark.kernels
def test_info_about_the_system(run: Run) -> None:
    """info --system says whether the kernels are in use."""
    assert ("compiled kernels" if is_compiled() else "fallbacks") in run("info", "--system").out


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_terminals_are_refused(terminal: int) -> None:
    """Neither is a picture printed on a terminal, nor is one typed there."""
    for arguments in (["photo.png", "-o", "-"], ["-"]):
        done = call("scramble", *arguments, *KEY, given=_PHOTO, stdout=terminal)
        assert done.returncode == 2
        assert b"a picture is not for the terminal; name a file with -o" in done.stderr
    for command in (["scramble", "-", "-o", "out.png", *KEY], ["info", "-"]):
        done = call(*command, stdin=terminal)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"a picture does not come from the terminal" in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("name", "closing", "arguments"),
    [("stdin", "<&-", "- -o out.png"), ("stdout", ">&-", "photo.png -o -")],
)
def test_closed_streams(name: str, closing: str, arguments: str) -> None:
    """A program that was started without stdin or stdout says so."""
    command = [sys.executable, "-m", "sudokucrypt", "encrypt", *arguments.split(), *KEY]
    shell = ["sh", "-c", f'"$@" {closing}', "sh", *command]
    done = subprocess.run(shell, stderr=subprocess.PIPE, check=False, timeout=60)
    assert done.returncode == 2
    assert f"error: {name} is closed".encode() in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_a_reader_that_stops() -> None:
    """A closed pipe at the other end is a quiet failure, as for any program in a pipe."""
    read, write = os.pipe()
    os.close(read)
    done = call("scramble", "photo.png", "-o", "-", *KEY, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_progress_on_a_terminal(folder: Path) -> None:
    """On a terminal a bar shows how many are done, the rate and the time that is left."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 100))
    command = [sys.executable, "-m", "sudokucrypt", "scramble", str(folder), "-o", "out", *KEY]
    with os.fdopen(master, "rb", buffering=0) as screen:
        assert subprocess.run(command, stderr=slave, check=False, timeout=60).returncode == 0
        os.close(slave)
        shown = screen.read(100_000).decode()
    assert "2/2" in shown
    assert re.search(r"\d\.\d/s", shown)
    assert re.search(r"\d:\d\d:\d\d", shown)
    assert "2 scrambled, 0 failed" in shown


@pytest.mark.slow
@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("plain", ["", "NO_COLOR", "TERM"])
def test_messages_on_a_terminal(plain: str) -> None:
    """Errors and hints have colors there unless none are wanted, and wrap at words."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 40))

    command = [
        sys.executable,
        "-m",
        "sudokucrypt",
        "encrypt",
        "a.png",
        "-o",
        "-",
        "--key",
        "no.key",
    ]
    environment = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm"} | ({plain: "dumb"} if plain else {})
    environment.pop("COLUMNS", None)
    with os.fdopen(master, "rb", buffering=0) as screen:
        done = subprocess.run(command, stderr=slave, env=environment, check=False, timeout=60)
        os.close(slave)
        shown = screen.read(100_000).decode()
    assert done.returncode == 4
    assert ("\x1b[31m" in shown) == (not plain)
    lines = re.sub(r"\x1b\[\d*m", "", shown).splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(map(str.strip, lines)).startswith(
        "sudokucrypt: error: cannot read the key file"
    )
    assert all(line.startswith(("sudokucrypt: ", "  ")) for line in lines)


@pytest.mark.parametrize("arguments", [("--version",), ("demo",)])
def test_missing_kernels_are_said(
    run: Run, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says that slower code is used, where nothing was compiled; stdout is the same."""
    monkeypatch.setattr("sudokucrypt.kernels.is_compiled", lambda: True)
    before = run(*arguments)
    assert (before.code, before.err) == (0, "")
    monkeypatch.setattr("sudokucrypt.kernels.is_compiled", lambda: False)
    done = run(*arguments)
    assert done.code == 0
    assert len(done.err.splitlines()) == 1
    assert "there are no compiled kernels, so slower code is used" in done.err
    assert len(done.out.splitlines()) == len(before.out.splitlines())
