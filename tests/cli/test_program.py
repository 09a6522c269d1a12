"""The command as a program: its help, terminals, streams, shell completion and imports."""

import hashlib
import os
import pty
import re
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sudokucrypt import __version__
from sudokucrypt.kernels import is_compiled
from sudokucrypt.page import page
from tests.cli.conftest import KEY, PICTURES, Run, write_small_pictures
from tests.programs import run_python

_PHOTO = (PICTURES / "camera.png").read_bytes()


@pytest.fixture
def terminal() -> Iterator[int]:
    """Return the descriptor of a terminal that nobody reads."""
    controlling_end, terminal_end = pty.openpty()
    yield terminal_end
    os.close(terminal_end)
    os.close(controlling_end)


def call(
    *arguments: str,
    stdin_data: bytes = b"",
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a program with a timeout."""
    command = [sys.executable, "-m", "sudokucrypt", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=pipe) as process:
        out, err = process.communicate(stdin_data if stdin == pipe else None, timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, out or b"", err)


def test_as_a_program() -> None:
    """python -m sudokucrypt is the command; without arguments it prints help to stderr, code 2."""
    command = ("-W", "error", "-m", "sudokucrypt")
    version_result = run_python(*command, "--version")
    assert version_result.stdout == f"sudokucrypt {__version__}\n"
    assert not version_result.stderr or not is_compiled()
    result = run_python(*command, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: sudokucrypt")


@pytest.mark.kernels
def test_info_about_the_system(run: Run) -> None:
    """info --system prints whether compiled kernels are used."""
    assert ("compiled kernels" if is_compiled() else "fallbacks") in run("info --system").out


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_terminals_are_refused(terminal: int) -> None:
    """A terminal as the input or output of a picture is an error."""
    for arguments in (["photo.png", "-o", "-"], ["-"]):
        result = call("scramble", *arguments, *KEY, stdin_data=_PHOTO, stdout=terminal)
        assert result.returncode == 2
        assert b"a picture is not for the terminal; name a file with -o" in result.stderr
    for command in (["scramble", "-", "-o", "out.png", *KEY], ["info", "-"]):
        result = call(*command, stdin=terminal)
        assert (result.returncode, result.stdout) == (2, b"")
        assert b"a picture does not come from the terminal" in result.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_a_pipe_closed_by_its_reader() -> None:
    """If the reader of a pipe closes it, the command ends with an error code and no message."""
    read, write = os.pipe()
    os.close(read)
    result = call("scramble", "photo.png", "-o", "-", *KEY, stdout=write)
    os.close(write)
    assert (result.returncode, result.stderr) == (1, b"")


@pytest.mark.slow
@pytest.mark.usefixtures("run")
def test_progress_on_a_terminal(folder: Path) -> None:
    """On a terminal, a bar shows the number of finished files, the rate and the remaining time."""
    controlling_end, terminal_end = pty.openpty()
    termios.tcsetwinsize(terminal_end, (24, 100))
    command = [sys.executable, "-m", "sudokucrypt", "scramble", str(folder), "-o", "out", *KEY]
    environment = {**os.environ, "TERM": "xterm"}  # else this terminal might be too simple for bars
    with os.fdopen(controlling_end, "rb", buffering=0) as screen:
        subprocess.run(command, stderr=terminal_end, check=True, timeout=60, env=environment)
        os.close(terminal_end)
        screen_text = screen.read(100_000).decode()
    assert "2/2" in screen_text
    assert re.search(r"\d\.\d/s", screen_text)
    assert re.search(r"\d:\d\d:\d\d", screen_text)
    assert "2 scrambled, 0 failed" in screen_text


@pytest.mark.slow
@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("plain_setting", ["", "NO_COLOR", "TERM"])
def test_messages_on_a_terminal(plain_setting: str) -> None:
    """On a terminal, messages wrap at words, and have colors unless the user disables them."""
    controlling_end, terminal_end = pty.openpty()
    termios.tcsetwinsize(terminal_end, (24, 40))

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
    environment |= {"TERM": "xterm"} | ({plain_setting: "dumb"} if plain_setting else {})
    environment.pop("COLUMNS", None)
    with os.fdopen(controlling_end, "rb", buffering=0) as screen:
        result = subprocess.run(
            command, stderr=terminal_end, env=environment, check=False, timeout=60
        )
        os.close(terminal_end)
        screen_text = screen.read(100_000).decode()
    assert result.returncode == 4
    assert ("\x1b[31m" in screen_text) == (not plain_setting)
    lines = re.sub(r"\x1b\[\d*m", "", screen_text).splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(map(str.strip, lines)).startswith(
        "sudokucrypt: error: cannot read the key file"
    )
    assert all(line.startswith(("sudokucrypt: ", "  ")) for line in lines)


@pytest.mark.parametrize("arguments", [("--version",), ("demo",)])
def test_missing_kernels_are_reported(
    run: Run, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without compiled kernels, one note says that slower code is used; stdout is the same."""
    monkeypatch.setattr("sudokucrypt.kernels.is_compiled", lambda: True)
    compiled_result = run(*arguments, err="")
    monkeypatch.setattr("sudokucrypt.kernels.is_compiled", lambda: False)
    result = run(*arguments, says="there are no compiled kernels, so slower code is used")
    assert len(result.err.splitlines()) == 1
    assert len(result.out.splitlines()) == len(compiled_result.out.splitlines())


# Streams as inputs and outputs, and URLs of local files and on servers.


def test_a_page_on_stdout(run: Run) -> None:
    """page -o - prints only the page to stdout; the hash is in a note."""
    result = run("page -o -")
    assert result.out_bytes == page()
    assert hashlib.sha256(page()).hexdigest() in result.err
    assert not Path("-").exists()


def test_an_album_on_stdout(run: Run) -> None:
    """share -o - prints only the album to stdout; its passphrase is in a warning."""
    result = run("share photo.png -o -")
    assert result.out_bytes.startswith(b"<!doctype html>")
    assert not Path("-").exists()
    first_message = result.err.splitlines()[0]
    words = first_message.removeprefix("sudokucrypt: warning: the words that open it are: ")
    assert len(words.split()) == 6
    assert words.encode() not in result.out_bytes
    run("share photo.png -o - -q", says="the words that open it are")


def test_a_demonstration_needs_a_folder(run: Run) -> None:
    """demo -o - is an error, since it writes several files."""
    run("demo -o -", code=2, says="name a folder with -o")
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "command", [("encrypt", "photo.png", *KEY), ("page",), ("share", "photo.png")]
)
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/null"])
def test_other_names_of_stdout(run: Run, command: tuple[str, ...], name: str) -> None:
    """For other names of stdout, such as /dev/stdout, the hint names -o -."""
    run(*command, "-o", name, code=6, says="hint: to write to stdout, name it -: -o -")


@pytest.mark.parametrize("name", ["photo.png", "a b%.png"])
@pytest.mark.parametrize("host", ["", "localhost"])
def test_file_urls_are_local_files(run: Run, name: str, host: str) -> None:
    """A file:// URL is the local file, as an input and as an output."""
    if name != "photo.png":
        Path("photo.png").rename(name)
    address = Path(name).absolute().as_uri().replace("file://", f"file://{host}")
    target = Path("out.png").absolute().as_uri()
    run("encrypt", address, "-o", target, *KEY)
    run("decrypt", target, "-o", "back.png", *KEY)
    assert Path("back.png").read_bytes() == Path(name).read_bytes()


class _Answers(BaseHTTPRequestHandler):
    """A server that answers with the status in the path of the request."""

    def do_GET(self) -> None:
        """Answer with the status in the path."""
        self.send_response(int(self.path.split("/")[1]))
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815 - its base has such names

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Run the server, and return its address."""
    pytest.importorskip("aiohttp", reason="it comes with the extra 'cloud'")
    with HTTPServer(("127.0.0.1", 0), _Answers) as http_server:
        thread = threading.Thread(target=http_server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http_server.server_port}"
        http_server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, "no such file or directory"),
        (410, "no such file or directory"),
        (401, "permission denied (status 401)"),
        (403, "permission denied (status 403)"),
        (429, "the server answers with status 429"),
        (500, "the server answers with status 500"),
        (503, "the server answers with status 503"),
    ],
)
def test_answers_of_servers(
    run: Run, server: str, status: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only for 404 and 410 an error says that there is no file; others name the status."""
    monkeypatch.setattr("sudokucrypt.remote.stores._FIRST_PAUSE_SECONDS", 0.001)
    result = run("info", f"{server}/{status}/a.png", code=4)
    assert (result.code, result.err.rstrip("\n").endswith(f": {reason}")) == (4, True), result.err


@pytest.mark.parametrize("host", ["127.0.0.1:1", "nowhere.invalid"])
def test_unreachable_servers(run: Run, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unreachable server leads to an error about the server, not about the file."""
    pytest.importorskip("aiohttp", reason="it comes with the extra 'cloud'")
    monkeypatch.setattr("sudokucrypt.remote.stores._FIRST_PAUSE_SECONDS", 0.001)
    run("info", f"http://{host}/a.png", code=4, says="the server cannot be reached")


@pytest.mark.parametrize("command", ["decrypt", "info", "unscramble", "rekey"])
def test_albums_are_for_browsers(run: Run, command: str) -> None:
    """An album or a page in place of a picture leads to an error that says what it is."""
    run("share photo.png -o album.html")
    run("page -o page.html")
    key_options = ["--new-key", "my.key"] if command == "rekey" else []
    for name in ("album.html", "page.html"):
        run(
            command,
            name,
            *KEY,
            *key_options,
            code=4,
            err=f"sudokucrypt: error: '{name}' is an album or another page of this package\n"
            "sudokucrypt: hint: open it in a browser; if you lost its passphrase, "
            "see docs/howto/lost.md\n",
        )


# Completion by shells: bash, and others if they are installed.


PACKAGED = Path(__file__).parent.parent.parent / "docs" / "completion"
"""What the wheel installs where shells look for completion."""

_BASH = """
eval "$(sudokucrypt completion bash)"
complete -p sudokucrypt
# What readline does when the tab key is pressed; outside of it there are no options to set.
compopt() { echo "$@" >> options; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_sudokucrypt_completion sudokucrypt
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def path(tmp_path: Path) -> dict[str, str]:
    """Return an environment whose PATH contains our command."""
    location = tmp_path / "programs"
    location.mkdir()
    program = location / "sudokucrypt"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sudokucrypt "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{location}{os.pathsep}{os.environ['PATH']}"}


def run_shell(command: list[str], path: dict[str, str], folder: Path) -> list[str]:
    result = subprocess.run(
        command, env=path, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.splitlines()


def test_every_shell_gets_a_script(run: Run) -> None:
    """Each script has instructions in its first line, and names our command and variable."""
    uses = {
        "bash": ('~/.bashrc: eval "$(sudokucrypt completion bash)"', "complete -o nosort -F"),
        "zsh": ('~/.zshrc, after compinit: eval "$(sudokucrypt completion zsh)"', "compdef"),
        "fish": (
            "sudokucrypt completion fish > ~/.config/fish/completions/sudokucrypt.fish",
            "complete --no-files --command sudokucrypt",
        ),
    }
    for name, (use, word) in uses.items():
        result = run("completion", name)
        first_line, *script = result.out.splitlines()
        assert first_line.startswith("# ")
        assert first_line.endswith(use)
        assert any(word in line for line in script)
        assert f"_SUDOKUCRYPT_COMPLETE={name}_complete" in result.out
    run("completion tcsh", code=2)
    run("completion", code=2)


def test_a_script_for_a_shell_that_is_elsewhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine without bash, the script for bash is printed, with a warning."""
    monkeypatch.setenv("PATH", "")
    result = run("completion bash")
    warning = (
        "sudokucrypt: warning: the script needs bash 4.4 or later, which is not on this path\n"
    )
    assert result.err == warning
    assert "complete -o nosort" in result.out


@pytest.mark.programs("bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["enc"], ["encrypt"]),
        *(
            pytest.param(*words_and_names, marks=pytest.mark.slow)
            for words_and_names in (
                (["completion", ""], ["bash", "zsh", "fish"]),
                (["scramble", "--unit", ""], ["pixel", "sample", "block"]),
                (["redact", "--fa"], ["--faces", "--face-margin"]),
                (["encrypt", "--format", ""], ["png", "tiff"]),
                (
                    ["key", ""],
                    ["show", "passphrase", "picture", "card", "read-card", "split", "join"],
                ),
                (["info", "ph"], None),  # the name of a file
                (["redact", "--mask", ""], None),
            )
        ),
    ],
)
def test_bash(
    path: dict[str, str], tmp_path: Path, words: list[str], expected: list[str] | None
) -> None:
    """bash completes commands, options and choices from the script, and file names itself."""
    command = ["bash", "--norc", "-c", _BASH, "bash", "sudokucrypt", *words]
    first_line, *suggestions = run_shell(command, path, tmp_path)
    assert first_line == "complete -o nosort -F _sudokucrypt_completion sudokucrypt"
    assert sorted(suggestions) == sorted(expected or [""])
    assert (tmp_path / "options").exists() == (expected is None)


@pytest.mark.programs("bash")
def test_bash_loads_what_is_packaged(path: dict[str, str], tmp_path: Path) -> None:
    """The completion file of the wheel runs the script that the program prints."""
    scripts = ('eval "$(sudokucrypt completion bash)"', f'source "{PACKAGED}/sudokucrypt"')
    printed_script, packaged_script = (
        run_shell(["bash", "--norc", "-c", f"{script}; complete -p; declare -f"], path, tmp_path)
        for script in scripts
    )
    assert printed_script == packaged_script
    assert "complete -o nosort -F _sudokucrypt_completion sudokucrypt" in packaged_script


@pytest.mark.programs("zsh")
def test_zsh(path: dict[str, str], tmp_path: Path) -> None:
    """zsh completes our command after it has read the script."""
    script = 'autoload -Uz compinit && compinit -u -D && eval "$(sudokucrypt completion zsh)"'
    command = ["zsh", "-f", "-c", f"{script} && print $_comps[sudokucrypt]"]
    assert run_shell(command, path, tmp_path) == ["_sudokucrypt_completion"]


@pytest.mark.programs("zsh")
def test_zsh_loads_what_is_packaged(path: dict[str, str], tmp_path: Path) -> None:
    """compinit of zsh finds the file of the wheel, which runs the script of the program."""
    find = f'fpath=("{PACKAGED}" $fpath); autoload -Uz compinit && compinit -u -D'
    # The last line of the file only works during a completion.
    load = "print $_comps[sudokucrypt]; _sudokucrypt 2> errors; print $_comps[sudokucrypt]"
    command = ["zsh", "-f", "-c", f"{find}; {load}"]
    assert run_shell(command, path, tmp_path) == ["_sudokucrypt", "_sudokucrypt_completion"]


@pytest.mark.programs("fish")
@pytest.mark.parametrize(
    "script", ["sudokucrypt completion fish | source", f'source "{PACKAGED}/sudokucrypt.fish"']
)
def test_fish(path: dict[str, str], tmp_path: Path, script: str) -> None:
    """fish completes our commands by the printed script and by the file of the wheel."""
    script = f'{script}; complete --do-complete "sudokucrypt enc"'
    suggestions = run_shell(["fish", "--no-config", "-c", script], path, tmp_path)
    assert [line.split("\t")[0] for line in suggestions] == ["encrypt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words", "before", "expected"),
    [
        ("zsh", "sudokucrypt enc", "1", "plain\nencrypt\nEncrypt pictures"),
        ("fish", "sudokucrypt enc", "enc", "plain,encrypt\tEncrypt pictures"),
    ],
)
def test_answers_to_zsh_and_fish(
    path: dict[str, str], tmp_path: Path, name: str, words: str, before: str, expected: str
) -> None:
    """The command answers the requests of the scripts for zsh and fish in their format."""
    variables = {
        "_SUDOKUCRYPT_COMPLETE": f"{name}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": before,
    }
    answer = "\n".join(run_shell(["sudokucrypt"], {**path, **variables}, tmp_path))
    assert answer.startswith(expected)


# No process of a command runs Python code in the current folder or in the folder of an input.


MODULES = ("json", "logging", "multiprocessing", "numpy", "pickle", "site", "sitecustomize", "ssl")
PROGRAM = Path(sys.executable).with_name("sudokucrypt")


def plant(folder: Path) -> None:
    """Write modules to a folder that leave a mark if they are run, and then fail."""
    module_code = (
        f"open({str(folder.parent / 'ran')!r}, 'a').write(__file__); raise SystemExit(9)\n"
    )
    for name in MODULES:
        (folder / f"{name}.py").write_text(module_code)


def call_in_current_folder(
    *arguments: str, module: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a command like a shell, without settings that protect the path of modules."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHONSAFE")}
    program = [sys.executable, "-m", "sudokucrypt"] if module else [str(PROGRAM)]
    return subprocess.run(
        [*program, *arguments], capture_output=True, text=True, check=False, env=environment
    )


@pytest.mark.slow
@pytest.mark.parametrize("is_inside", [True, False], ids=["inside", "beside"])
@pytest.mark.parametrize("import_way", ["threads", "dask", "dask on one"])
def test_a_folder_of_pictures(
    run: Run, import_way: str, is_inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pictures of a folder with planted modules are encrypted; no planted module is run."""
    del run
    if "dask" in import_way:
        pytest.importorskip("distributed", reason="it comes with the extra 'dask'")
    root = Path.cwd()
    write_small_pictures(root / "holiday", 3)
    plant(root / "holiday")
    options = {"threads": [], "dask": ["--dask", "local", "--jobs", "2"]}
    extra = options.get(import_way, ["--dask", "local", "--jobs", "1"])
    if is_inside:
        monkeypatch.chdir("holiday")
    key = ["--key", str(root / "my.key")]
    result = call_in_current_folder(
        "encrypt", str(root / "holiday"), "-o", str(root / "safe"), *extra, *key
    )
    assert (result.returncode, "3 encrypted" in result.stderr) == (0, True), result.stderr
    assert not (root / "ran").exists()


@pytest.mark.slow
@pytest.mark.parametrize("module", [False, True])
@pytest.mark.parametrize(
    "command", [("dataset", "--count", "20", "-o", "../x.jsonl"), ("audit", "puzzles.txt")]
)
def test_processes_for_puzzles(
    run: Run, command: tuple[str, ...], module: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes that make or check puzzles, and ``python -m``, run no planted module."""
    puzzles = run("sudoku puzzle --count 3 --seed 1 --format line").out
    Path("in").mkdir()
    plant(Path("in").absolute())
    Path("in", "puzzles.txt").write_text(puzzles)
    monkeypatch.chdir("in")
    jobs = ["--jobs", "2"] if command[0] == "dataset" else []
    result = call_in_current_folder("sudoku", *command, *jobs, module=module)
    assert result.returncode == 0, result.stderr
    assert not Path("../ran").exists()


_SCRIPT = """
import sys
from sudokucrypt.workers import ProcessWorkers
if __name__ == "__main__":
    with ProcessWorkers(2) as processes:
        print(list(processes.each(abs, [-1, -2, -3])))
"""


@pytest.mark.slow
def test_processes_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python program that uses our processes runs no planted module, and keeps its variables."""
    (tmp_path / "in").mkdir()
    plant(tmp_path / "in")
    (tmp_path / "program.py").write_text(_SCRIPT)
    monkeypatch.chdir(tmp_path / "in")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHONSAFE")}
    command = [sys.executable, str(tmp_path / "program.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.stdout == "[1, 2, 3]\n", result.stderr
    assert not (tmp_path / "ran").exists()
