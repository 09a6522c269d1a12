"""Outputs and inputs that are streams, and addresses of files here and on servers."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sudokucrypt.page import page
from tests.cli.conftest import KEY, Run


def test_a_page_on_stdout(run: Run) -> None:
    """-o - prints the page and nothing else; its hash is a note."""
    done = run("page", "-o", "-")
    assert (done.code, done.raw) == (0, page())
    assert hashlib.sha256(page()).hexdigest() in done.err
    assert not Path("-").exists()


def test_an_album_on_stdout(run: Run) -> None:
    """-o - prints the album; the words that open it are no part of it."""
    done = run("share", "photo.png", "-o", "-")
    assert done.code == 0
    assert done.raw.startswith(b"<!doctype html>")
    assert not Path("-").exists()
    first = done.err.splitlines()[0]
    words = first.removeprefix("sudokucrypt: warning: the words that open it are: ")
    assert len(words.split()) == 6
    assert words.encode() not in done.raw
    assert "the words that open it are" in run("share", "photo.png", "-o", "-", "-q").err


def test_a_demonstration_needs_a_folder(run: Run) -> None:
    """It writes several files."""
    done = run("demo", "-o", "-")
    assert (done.code, "name a folder with -o" in done.err) == (2, True)
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "command", [("encrypt", "photo.png", *KEY), ("page",), ("share", "photo.png")]
)
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/null"])
def test_other_names_of_stdout(run: Run, command: tuple[str, ...], name: str) -> None:
    """The hint says what it is called here."""
    done = run(*command, "-o", name)
    assert done.code == 6
    assert "hint: to write to stdout, name it -: -o -" in done.err


@pytest.mark.parametrize("name", ["photo.png", "a b%.png"])
@pytest.mark.parametrize("host", ["", "localhost"])
def test_addresses_of_files_here(run: Run, name: str, host: str) -> None:
    """file:// leads to the file, as an input and as an output."""
    if name != "photo.png":
        Path("photo.png").rename(name)
    address = Path(name).absolute().as_uri().replace("file://", f"file://{host}")
    target = Path("out.png").absolute().as_uri()
    assert run("encrypt", address, "-o", target, *KEY).code == 0
    assert run("decrypt", target, "-o", "back.png", *KEY).code == 0
    assert Path("back.png").read_bytes() == Path(name).read_bytes()


class _Answers(BaseHTTPRequestHandler):
    """Answers with the status that the path begins with."""

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(int(self.path.split("/")[1]))
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815 - its base has such names

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """The address of such a server."""
    pytest.importorskip("aiohttp", reason="it comes with the extra 'cloud'")
    with HTTPServer(("127.0.0.1", 0), _Answers) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
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
    """Only what is missing is called so."""
    monkeypatch.setattr("sudokucrypt.remote.stores._PAUSE", 0.001)
    done = run("info", f"{server}/{status}/a.png")
    assert (done.code, done.err.rstrip("\n").endswith(f": {reason}")) == (4, True), done.err


@pytest.mark.parametrize("host", ["127.0.0.1:1", "nowhere.invalid"])
def test_servers_that_are_not_there(run: Run, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot be reached says nothing of the file."""
    pytest.importorskip("aiohttp", reason="it comes with the extra 'cloud'")
    monkeypatch.setattr("sudokucrypt.remote.stores._PAUSE", 0.001)
    done = run("info", f"http://{host}/a.png")
    assert (done.code, "the server cannot be reached" in done.err) == (4, True), done.err


@pytest.mark.parametrize("command", ["decrypt", "info", "unscramble", "rekey"])
def test_albums_are_for_browsers(run: Run, command: str) -> None:
    """An album or a page in place of a picture is called what it is."""
    assert run("share", "photo.png", "-o", "album.html").code == 0
    assert run("page", "-o", "page.html").code == 0
    new = ["--new-key", "my.key"] if command == "rekey" else []
    for name in ("album.html", "page.html"):
        done = run(command, name, *KEY, *new)
        assert done.code == 4
        assert done.err == (
            f"sudokucrypt: error: '{name}' is an album or a page\n"
            "sudokucrypt: hint: open it in a browser; without its words, see docs/howto/lost.md\n"
        )
