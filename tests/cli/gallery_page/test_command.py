"""What sessions/gallery.txt cannot show of the command: derivations, and a port that is taken."""

import shutil
import socket
from pathlib import Path

import pytest

from sudokucrypt import KeyDerivation
from tests.cli.conftest import KEY, Run


def test_passphrases(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of a passphrase are opened with one derivation for each salt, not for each file."""
    Path("words").write_text("open sesame")
    secret = ("--passphrase-file", "words")
    assert run("encrypt", "photo.png", "-o", "0.png", "--preview", *secret).code == 0
    for name in ("1.png", "2.png"):
        shutil.copy("0.png", name)
    result: list[KeyDerivation] = []
    derived = KeyDerivation._derive

    def noted(derivation: KeyDerivation, word: bytes) -> bytes:
        result.append(derivation)
        return derived(derivation, word)

    monkeypatch.setattr(KeyDerivation, "_derive", noted)
    done = run("gallery", "0.png", "1.png", "2.png", "-o", "page.html", *secret)
    assert (done.code, len(result)) == (0, 1)
    assert Path("page.html").read_bytes().count(b"data:image/webp") == 3


def test_a_port_that_is_taken(run: Run) -> None:
    """The message says so, and what to do."""
    run("encrypt", "photo.png", "-o", "x.png", *KEY)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("gallery", "x.png", "--serve", "--port", str(port), *KEY)
    assert done.code == 1
    assert f"error: cannot listen on port {port}: address already in use" in done.err
    assert "hint: leave out --port to take a free one" in done.err
