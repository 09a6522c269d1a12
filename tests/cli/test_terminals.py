"""Messages on terminals of all widths and kinds, and on closed or full streams."""

import errno
import fcntl
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import click
import pytest

from sudokucrypt import Key
from sudokucrypt.cli import messages
from sudokucrypt.cli.program import cli
from sudokucrypt.cli.program import run as run_program
from tests.cli.conftest import PICTURES, Run, write_small_pictures

COMMANDS = cli.list_commands(click.Context(cli))
PLAIN = {
    "dumb": {"TERM": "dumb"},
    "none": {"TERM": ""},
    "no color": {"TERM": "xterm", "NO_COLOR": "1"},
}


class Terminal:
    """A terminal as stderr, whose output is recorded."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.leader, self.follower = pty.openpty()
        self._stream = os.fdopen(self.follower, "w", encoding="utf-8", closefd=False)
        self.describe("xterm")

    def resize(self, columns: int) -> None:
        """Set the number of columns; 0 means unknown."""
        size = struct.pack("HHHH", 24 * (columns > 0), columns, 0, 0)
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, size)

    def describe(self, term: str, color: str = "") -> None:
        """Set the environment variables TERM and NO_COLOR."""
        self._monkeypatch.setenv("TERM", term)
        self._monkeypatch.setenv("NO_COLOR", color)

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run a command; return its exit code and the output on the terminal."""
        with self.attach():
            self._monkeypatch.setattr(sys, "argv", ["sudokucrypt", *arguments])
            code = run_program()
        self._stream.flush()
        os.write(self.follower, b"\0")  # the end of the output
        printed = b""
        while not printed.endswith(b"\0"):
            printed += os.read(self.leader, 1 << 16)
        return code, printed[:-1].decode().replace("\r\n", "\n")

    @contextmanager
    def attach(self) -> Iterator[None]:
        """Make the terminal stderr in this block."""
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", self._stream)
            yield

    def close(self) -> None:
        """Close both ends of the terminal."""
        self._stream.close()
        os.close(self.leader)
        os.close(self.follower)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Terminal]:
    """Make a terminal, with an empty current folder."""
    monkeypatch.chdir(tmp_path)
    terminal = Terminal(monkeypatch)
    yield terminal
    terminal.close()


def normalize_spaces(text: str) -> str:
    """Return a text without line breaks and indents."""
    return " ".join(text.split())


@pytest.mark.parametrize("columns", [0, 1, 5, 20, 40, 80, 400])
def test_every_width_shows_whole_messages(terminal: Terminal, columns: int) -> None:
    """On terminals of any or unknown width, messages are complete, in at least 40 columns."""
    terminal.resize(columns)
    terminal.describe("dumb")
    for name in COMMANDS:
        code, printed = terminal.run(name, "--nonsense")
        assert code == 2
        assert normalize_spaces(printed).startswith(
            "sudokucrypt: error: no such option (argument 2)"
        )
        lengths = [len(line) for line in printed.splitlines()]
        assert all(length <= max(columns or 80, 40) for length in lengths)
        assert lengths[0] > 20


@pytest.mark.parametrize("columns", [0, 1, 5, 20, 400])
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_progress_bars_fit_or_are_left_out(terminal: Terminal, columns: int, term: str) -> None:
    """Work with a progress bar succeeds on all terminals; narrow ones show no bar."""
    terminal.resize(columns)
    terminal.describe(term)
    write_small_pictures(Path("in"), 3)
    assert terminal.run("keygen", "-o", "my.key")[0] == 0
    code, printed = terminal.run("encrypt", "in", "-r", "-o", "out", "--key", "my.key")
    assert code == 0
    assert "3 encrypted" in normalize_spaces(printed)
    assert ("\r" in printed) == (term == "xterm" and columns not in (1, 5, 20))


@pytest.mark.parametrize("kind", [*PLAIN, "option"])
def test_plain_lines(terminal: Terminal, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With TERM=dumb, NO_COLOR or --plain, no escape sequence or carriage return is printed."""
    for name, text in PLAIN.get(kind, {}).items():
        monkeypatch.setenv(name, text)
    option = ["--plain"] if kind == "option" else []
    for name in COMMANDS:
        code, printed = terminal.run(name, *option, "--nonsense")
        assert code == 2
        assert printed.startswith("sudokucrypt: error: ")
        assert not {"\r", "\x1b"} & {*printed}
    write_small_pictures(Path("in"), 3)
    code, printed = terminal.run("keygen", "-o", "my.key", *option)
    assert not {"\r", "\x1b"} & {*printed}
    code, printed = terminal.run("encrypt", "in", "-r", "-o", "out", "--key", "my.key", *option)
    assert code == 0
    assert "3 encrypted" in printed
    assert not {"\r", "\x1b"} & {*printed}


def test_terminals_have_colors_and_bars(terminal: Terminal) -> None:
    """Without these settings, colors and bars are printed."""
    assert "\x1b[" in terminal.run("info", "missing.png")[1]


def test_plain_lines_are_not_wrapped(terminal: Terminal) -> None:
    """--plain prints each message as one line, without wrapping."""
    terminal.resize(40)
    _, printed = terminal.run("info", "a long name of a file that is missing.png", "--plain")
    assert printed.splitlines()[0].endswith("missing.png': no such file or directory")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_plain(run: Run, name: str) -> None:
    """--help-all of each command lists --plain."""
    assert "--plain" in run(name, "--help-all").out


# Commands that work, with the exit code of each; the folder `in` contains two pictures.
_PROGRESS_PROGRAM = """
keygen -o other.key
keygen -o fresh.key
keygen -o words.key --passphrase-file words
key show other.key --id
key passphrase other.key --new-passphrase-file words
key card my.key -o card.png
key read-card missing.png -o read.key -> 4
encrypt in -r -o safe --key my.key
encrypt in -r -o safe --key my.key -> 6
encrypt in -r -o safe --resume --jobs 2 --key my.key
encrypt in -r -o dry --dry-run --key my.key
info safe/0000.png.encrypted.png --key my.key
info safe -r --key my.key
info in -r --key my.key -> 4
key picture safe/0000.png.encrypted.png --key my.key
decrypt safe -r -o back --key my.key
decrypt safe -r -o wrong --key words.key --passphrase-file words -> 3
rekey safe -r -o moved --key my.key --new-key fresh.key
scramble in -r -o hidden --key my.key
unscramble hidden -r -o shown --key my.key
redact photo.png -o covered.png --region 9,9,40,40 --key my.key
unredact covered.png --list
unredact covered.png -o lifted.png --key my.key
page -o page.html
share in -o album.html
demo -o demo
analyze photo.png
sudoku generate --seed 1
sudoku puzzle --seed 1
sudoku solve puzzle.txt
sudoku check puzzle.txt
sudoku rate puzzle.txt
sudoku audit puzzle.txt
sudoku count
sudoku unrank 7
sudoku dataset -o set.jsonl --count 2 --seed 1
sudoku convert puzzle.txt --to line
sudoku canonical puzzle.txt
completion bash
"""
_PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n"


def prepare_work() -> None:
    """Write the inputs of these commands."""
    write_small_pictures(Path("in"), 2)
    shutil.copy(PICTURES / "camera.png", "photo.png")
    Path("puzzle.txt").write_text(_PUZZLE)
    Path("words").write_text("sesame lemonade\n")
    Path("words").chmod(0o600)
    Key(bytes(32)).to_file(Path("my.key"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "kind"),
    [(0, "color"), (0, "dumb"), (1, "color"), (5, "none"), (20, "color"), (400, "no color")],
)
def test_all_messages_fit_the_terminal(
    terminal: Terminal, columns: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every kind of terminal, all commands end with the same code and print complete lines."""
    prepare_work()
    for name, text in PLAIN.get(kind, {}).items():
        monkeypatch.setenv(name, text)
    terminal.resize(columns)
    for line in _PROGRESS_PROGRAM.strip().splitlines():
        command, _, code = line.partition(" -> ")
        exit_code, printed = terminal.run(*command.split())
        assert exit_code == int(code or 0), (line, printed)
        assert "Traceback" not in printed, line
        assert "unexpected" not in printed, line
        if kind != "color":
            assert not {"\r", "\x1b"} & {*printed}, line
            assert all(
                len(line_part) <= max(columns or 80, 40) for line_part in printed.splitlines()
            ), line


@pytest.mark.slow
@pytest.mark.parametrize("language", ["C", "POSIX"])
def test_ascii_locales(tmp_path: Path, language: str) -> None:
    """All commands work in a locale with only ASCII letters, and names are restored."""
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("LC_")},
        "LC_ALL": language,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "LANG": language,
        "TERM": "xterm",
    }
    with chdir(tmp_path):
        prepare_work()
    for name in ("gr\u00fc\u00dfe \u0645.png", "\U0001f469\u200d\U0001f4bb.png"):
        shutil.copy(
            os.fsencode(tmp_path / "photo.png"), os.fsencode(tmp_path / "in") + b"/" + name.encode()
        )
    inputs = {path.name: path.read_bytes() for path in (tmp_path / "in").iterdir()}
    script = "import json, sys\nfrom sudokucrypt.cli.program import run\n" + (
        "for line in json.loads(sys.argv.pop()):\n"
        "    command, _, code = line.partition(' -> ')\n"
        "    sys.argv[1:] = command.split()\n"
        "    ended = run()\n"
        "    if ended != int(code or 0): print('WRONG', ended, line, file=sys.stderr)\n"
    )
    lines = json.dumps(_PROGRESS_PROGRAM.strip().splitlines())
    result = subprocess.run(
        [sys.executable, "-c", script, lines],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0
    for text in (b"WRONG", b"Traceback", b"unexpected"):
        assert text not in result.stderr, result.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "back").iterdir()} == inputs


def test_slow_work_prints_lines_on_plain_terminals(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On plain terminals, a line is printed at each quarter, but at most every two seconds."""
    clock = iter([0.0, 1.0, 3.0, 3.0, 4.0, 6.0, 6.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(messages, "say", lambda _, text: lines.append(text))
    lines: list[str] = []
    terminal.describe("dumb")
    with terminal.attach(), messages.show_progress_bar("working") as advance:
        for advance_count in range(1, 5):
            advance(advance_count, 4)
    assert lines == ["working: 50 % done", "working: 100 % done"]


class FailingStream:
    """A stream on which every write raises an error."""

    encoding, errors = "utf-8", "strict"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def isatty(self) -> bool:
        """Raise the error if the stream is closed."""
        if isinstance(self._error, ValueError):
            raise self._error
        return False

    def write(self, _: str) -> int:
        """Raise the error."""
        raise self._error

    flush = fileno = lambda self: self.write("")


@pytest.mark.parametrize(
    "error", [OSError(errno.EBADF, "closed"), OSError(errno.ENOSPC, "full"), ValueError("closed")]
)
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_a_report_of_an_error_raises_none(
    error: Exception, term: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """If stderr cannot be written, the exit code is still that of the error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stderr", FailingStream(error))
    expected = {("info", "missing.png"): 4, ("encrypt", "--nonsense"): 2, ("key",): 2}
    for arguments, code in expected.items():
        for debug in ([], ["--debug"]):
            monkeypatch.setattr(sys, "argv", ["sudokucrypt", *arguments, *debug])
            assert run_program() == code


_CLOSED_STREAMS = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-", "all": "<&- >&- 2>&-"}


@pytest.mark.slow
@pytest.mark.parametrize("closed_streams", _CLOSED_STREAMS)
def test_closed_streams(closed_streams: str, tmp_path: Path) -> None:
    """With closed streams, no file gets their number; printing to a closed stdout is an error."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

    def call(arguments: str) -> tuple[int, str]:
        script = f'exec "$0" -m sudokucrypt {arguments} {_CLOSED_STREAMS[closed_streams]}'
        result = subprocess.run(
            ["/bin/sh", "-c", script, sys.executable],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return result.returncode, result.stderr

    is_reported = closed_streams in ("stdin", "stdout")
    assert call("keygen -o my.key")[0] == 0
    (tmp_path / "in.txt").write_text("text")
    code, printed = call("encrypt in.txt -o out.png --key my.key")
    assert (code, printed) == (0, "")
    code, printed = call("decrypt out.png -o back.txt --key my.key")
    assert (code, printed) == (0, "")
    assert (tmp_path / "back.txt").read_text() == "text"
    code, printed = call("info missing.png")
    assert (code, "no such file" in printed) == (4, is_reported)
    code, printed = call("sudoku generate --seed 1")
    if closed_streams in ("stdout", "all"):
        expected_error = (
            "sudokucrypt: error: cannot write to stdout: it is closed\n" if is_reported else ""
        )
        assert (code, printed) == (1, expected_error)
    else:
        assert (code, printed) == (0, "")
    if closed_streams == "stdout":
        code, printed = call("encrypt in.txt -o - --key my.key")
        assert (code, "error: stdout is closed\n" in printed) == (2, True)
    if closed_streams == "stdin":
        assert call("decrypt - -o x --key my.key") == (
            2,
            "sudokucrypt: error: stdin is closed\n"
            "sudokucrypt: hint: 'sudokucrypt decrypt --help' shows the options\n",
        )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has other devices")
@pytest.mark.parametrize("arguments", ["sudoku generate --seed 1", "--version", "--help", "keygen"])
def test_a_full_disk_behind_stdout(arguments: str) -> None:
    """A full disk as stdout is reported once, with buffered and unbuffered output."""
    for collected in ("", "1"):
        environment = {**os.environ, "PYTHONUNBUFFERED": collected}
        command = [sys.executable, "-m", "sudokucrypt", *arguments.split()]
        with Path("/dev/full").open("wb") as full_device:
            result = subprocess.run(
                command, stdout=full_device, stderr=subprocess.PIPE, env=environment, check=False
            )
        error = b"sudokucrypt: error: cannot write to stdout: no space left on device\n"
        assert (result.returncode, result.stderr) == (1, error)
