"""A folder with encrypted files, and a running server of the page for it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sudokucrypt import Key, encrypt_bytes
from sudokucrypt.cli.open.folder import Folder
from sudokucrypt.cli.open.server import PageServer
from sudokucrypt.page import make_folder_page, page

SECRET, OTHER = Key(bytes(range(32))), Key(bytes(32))
KEYS = {"keys": [f"{SECRET.to_text()}\n"], "passphrase": None}
HOSTILE = "<img src=x onerror=alert(1)>\u202egpj.html"


@contextmanager
def run_server(server: PageServer) -> Iterator[PageServer]:
    """Run a server in a thread during this block."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def safe(tmp_path: Path) -> Path:
    """Make a folder with files of two keys, a plain and a damaged one, and links out of it."""
    root = tmp_path / "safe"
    (root / "deep").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("outside")
    for index, (name, content) in enumerate({"late.txt": b"late", "a.svg": b"<svg/>"}.items()):
        (root / f"{index}.png").write_bytes(encrypt_bytes(content, SECRET, name=name))
    (root / "deep" / "2.png").write_bytes(encrypt_bytes(b"deep", SECRET, name="deep.txt"))
    (root / "foreign.png").write_bytes(encrypt_bytes(b"x", OTHER, name="hidden.txt"))
    (root / "damaged.png").write_bytes((root / "0.png").read_bytes()[:99])
    (root / "plain.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (root / "link.png").symlink_to(tmp_path / "outside.txt")
    (root / "linked").symlink_to(tmp_path)
    return root


@pytest.fixture
def server(safe: Path) -> Iterator[PageServer]:
    """Run the server for this folder."""
    folder = Folder(safe, recursive=True)
    with run_server(PageServer(make_folder_page(), page(), folder, KEYS)) as server:
        yield server
