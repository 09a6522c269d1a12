"""The command line overwrites nothing, leaves no temporary files, and handles interrupts."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import numpy as np
import pytest

from sudokucrypt import Key
from sudokucrypt.cli.program import cli
from sudokucrypt.images import read_picture
from tests.cli.conftest import END_SIGNALS, Run
from tests.images.builders import encode_array
from tests.programs import run_python
from tests.spies import watch_calls


def test_the_key_is_not_an_argument(run: Run) -> None:
    """A key among the arguments is refused, and the message does not repeat it."""
    key = Key.generate()
    text = key.to_text()
    for key_text in (text, key.to_file_text(), f"\n {text.lower()}"):
        result = run("scramble photo.png -o out.png --key", key_text, code=2)
        assert text[-20:].lower() not in (result.err + result.out).lower()


def test_permissions_are_not_checked_before_reading(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that os.access calls unreadable is still read or replaced if that is possible."""
    Path("out.png").touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    run("scramble photo.png -o out.png --force --key my.key", err="")


def test_debug_shows_the_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """--debug at any position adds the traceback of an error, and changes nothing else."""
    plain_result = run("info missing.png", code=4)
    assert "Traceback" not in plain_result.err
    for arguments in (["--debug", "info", "missing.png"], ["info", "missing.png", "--debug"]):
        result = run(*arguments, code=4)
        assert result.code == plain_result.code == 4
        assert result.err.startswith("Traceback")
        assert result.err.endswith(plain_result.err)
    monkeypatch.setattr("sudokucrypt.recipes.inspect_file", lambda *_, **__: 1 // 0)
    run("info photo.png", says=("unexpected ZeroDivisionError\n", "--debug shows where"), code=1)
    run("info photo.png --debug", code=1, says="1 // 0")


@pytest.mark.parametrize("number", END_SIGNALS)
def test_signals_that_end(
    run: Run, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """SIGINT, SIGTERM and SIGHUP end a run with code 130, one line, and no temporary file."""
    watch_calls(monkeypatch, os, "write", lambda *_: os.kill(os.getpid(), number))
    result = run("encrypt photo.png -o out.png --key my.key", code=130)
    assert result.err.lstrip("\n") == "sudokucrypt: error: interrupted\n"
    assert {path.name for path in Path().iterdir()} == {"photo.png", "my.key"}


@pytest.mark.parametrize("number", END_SIGNALS)
def test_an_interrupt_that_a_library_hides(
    run: Run, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """An interrupt that a library turns into ImportError is still reported as an interrupt."""

    def fail() -> Key:
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            raise ImportError("initialization failed") from None
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(Key, "generate", fail)
        result = run("keygen", code=130)
    assert result.err == "sudokucrypt: error: interrupted\n"
    run("keygen -o my.key", code=6)


def test_ignored_signals_stay_ignored(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals that are ignored, as under nohup, do not stop a run."""
    key = Key.generate()

    def send_signals() -> Key:
        for number in END_SIGNALS:
            os.kill(os.getpid(), number)
        return key

    monkeypatch.setattr(Key, "generate", send_signals)
    for number in END_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    result = run("keygen", err="")
    assert key.to_text() in result.out


# A program that prints a line once its handlers are installed.
_PROGRAM = """
from sudokucrypt.cli.interrupts import install_handlers
install_handlers()
print(flush=True)
from sudokucrypt.cli.main import main
main()
"""


def begin_program(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the program, and wait until it handles signals."""
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_the_exit_code_of_an_interrupt(tmp_path: Path) -> None:
    """The exit code is 130 even if the interrupt leaves an `exec`, where Python ends by SIGINT."""
    program = (
        "import os, signal; from sudokucrypt import Key; from sudokucrypt.cli.main import main\n"
        "Key.generate = lambda: exec('os.kill(os.getpid(), signal.SIGINT)')\n"
        "main()"
    )
    (tmp_path / "program.py").write_text(program)
    result = run_python("-m", "program", "keygen", code=130, PYTHONPATH=str(tmp_path))
    assert result.stderr.lstrip() == "sudokucrypt: error: interrupted\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("signal_number", "many"),
    [*((number, False) for number in END_SIGNALS), (signal.SIGTERM, True)],
)
def test_interruption_leaves_nothing(
    tmp_path: Path, signal_number: signal.Signals, *, many: bool
) -> None:
    """A run stopped at any moment leaves a result completely or not at all."""
    generator = np.random.default_rng(1)
    noise = generator.integers(0, 256, (1000, 1500, 3), dtype=np.uint8)
    (tmp_path / "in").mkdir()
    names = [f"{number}.png" for number in range(4 if many else 1)]
    for name in names:
        (tmp_path / "in" / name).write_bytes(encode_array(noise, "PNG"))
    Key.generate().to_file(tmp_path / "my.key")
    command = ["scramble", "in", "-o", "out", "--jobs", "2", "--name", "{name}"]
    if not many:
        (tmp_path / "out").mkdir()
        command = ["scramble", "in/0.png", "-o", "out/0.png"]
    sorted_samples, exit_codes = np.sort(noise.ravel()), []
    for delay in range(0, 16, 2):
        process = begin_program(tmp_path, *command, "--force", "--key", "my.key")
        time.sleep(0.04 + (0.1 if many else 0.03) * delay)
        process.send_signal(signal_number)
        message = process.communicate(timeout=60)[1]
        exit_codes.append(process.returncode)
        assert process.returncode in (0, 130, -signal_number)
        if process.returncode != 130:  # while Python shuts down, a signal ends it without a handler
            assert {path.name for path in (tmp_path / "out").iterdir()} == set(names)
        error_lines = [line for line in message.splitlines() if line and "note: " not in line]
        assert error_lines == ["sudokucrypt: error: interrupted"] * (process.returncode == 130)
        for path in (tmp_path / "out").glob("*"):
            assert path.name in names
            assert np.array_equal(np.sort(read_picture(path).pixels.ravel()), sorted_samples)
            path.unlink()
    assert 130 in exit_codes


@pytest.mark.slow
@pytest.mark.parametrize("number", END_SIGNALS[:2])
@pytest.mark.parametrize(
    "arguments", [["--help"], ["scramble", "photo.png"], ["analyze", "photo.png"]]
)
def test_interruption_at_the_start_shows_no_traceback(
    run: Run, arguments: list[str], number: signal.Signals
) -> None:
    """A signal at any moment after the start ends the program with one line, no traceback.

    While Python shuts down, a signal ends the program without a line. After an error of the command
    and before that, both lines are printed.
    """
    del run  # has made the folder
    for delay in range(10):
        process = begin_program(Path(), *arguments)
        time.sleep(0.04 * delay)
        process.send_signal(number)
        message = process.communicate(timeout=60)[1]
        assert "Traceback" not in message
        assert process.returncode in (0, 2, 130, -number)
        if process.returncode == 130:
            *earlier_lines, last_line = filter(None, message.splitlines())
            assert last_line == "sudokucrypt: error: interrupted"
            assert all(line.startswith("sudokucrypt: ") for line in earlier_lines), message


def test_an_interrupt_amid_a_report_is_named() -> None:
    """An interrupt while the program reports another error ends it with a line of its own."""
    program = """if True:
        import sys
        from sudokucrypt.cli import program
        from sudokucrypt.cli.main import main
        def interrupt(_):
            raise KeyboardInterrupt
        program._report_error = interrupt
        sys.argv = ["sudokucrypt", "encrypt", "--unknown"]
        main()
    """
    result = run_python("-c", program, code=130)
    assert result.stderr == "sudokucrypt: error: interrupted\n"


def test_an_interrupt_amid_a_callback_counts() -> None:
    """An interrupt during a callback, whose errors Python ignores, still ends the program."""
    program = """if True:
        import time, weakref
        from sudokucrypt.cli.interrupts import raise_on_interrupt
        class Thing: pass
        def late(_):
            raise KeyboardInterrupt
        raise_on_interrupt()
        thing = Thing()
        held = weakref.ref(thing, late)
        try:
            del thing
            time.sleep(20)
        except KeyboardInterrupt:
            print("ended")
    """
    result = run_python("-c", program)
    assert (result.stdout, result.stderr) == ("ended\n", "")


@pytest.mark.parametrize(
    "name", ["encrypt", "decrypt", "scramble", "unscramble", "rekey", "redact", "unredact"]
)
def test_help_shows_what_people_use(run: Run, name: str) -> None:
    """Short help has at most 14 options and names --help-all, which shows all options."""
    short_help, full_help = run(name, "--help"), run(name, "--help-all")
    assert short_help.code == full_help.code == 0
    assert 5 <= len(re.findall(r"^  (?:-\w, )?--", short_help.out, re.MULTILINE)) <= 14
    assert f"All options: sudokucrypt {name} --help-all" in short_help.out
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            assert option.opts[-1] in full_help.out
