"""A picture that opens itself: exact for the command line, and a page under its name."""

import io
from pathlib import Path

import pytest
from PIL import Image

from sudokucrypt import Passphrase, decrypt_bytes, encrypt_bytes
from sudokucrypt.page import page, self_opening
from sudokucrypt.page.self_opening import _ENDS, _chunk, _unbroken
from tests.page.conftest import Opened

KEY = Passphrase("lend trace april dove gulf iron")


def test_viewers_and_the_command_line_see_the_same_picture() -> None:
    """Samples stay, the very file comes back, and the page costs its size and some of the file."""
    content = bytes(range(256)) * 800
    plain = encrypt_bytes(content, KEY, name="a.bin")
    result = self_opening(plain)
    assert decrypt_bytes(result, KEY) == content
    pictures = [Image.open(io.BytesIO(data)).tobytes() for data in (plain, result)]
    assert pictures[0] == pictures[1]
    assert len(result) <= len(plain) * 1.01 + len(page()) + 3000


def test_samples_that_would_end_the_comment() -> None:
    """Chunks are split inside of every mark, and hold the same bytes in the same order."""
    bodies = [b"--!>-->" * 40, b"-->", b"x" * 100]
    split = _unbroken(b"".join(_chunk(b"IDAT", body) for body in bodies))
    assert not _ENDS.search(split)
    position, joined = 0, b""
    while position < len(split):
        end = position + 12 + int.from_bytes(split[position : position + 4])
        body = split[position + 8 : end - 4]
        assert split[position:end] == _chunk(b"IDAT", body)
        position, joined = end, joined + body
    assert joined == b"".join(bodies)


@pytest.mark.programs("chromium")
def test_it_opens(opened: Opened, tmp_path: Path) -> None:
    """Named .html, it asks for the passphrase and gives the very file, under the page's policy."""
    content = bytes(range(256)) * 300  # enough noise for every byte and line end
    path = tmp_path / "self.html"
    path.write_bytes(self_opening(encrypt_bytes(content, KEY, name="a.bin")))
    opened.tab.ask("Page.navigate", url=path.as_uri())  # the document replaces itself
    opened.tab.wait_for("document.getElementById('main')?.hidden", False)
    policy = "document.head.querySelector('meta[http-equiv]').content.length > 100"
    assert opened.tab.value(policy)
    opened.enter("passphrase", "lend trace april dove gulf iron")
    assert opened.run() == (["a.bin"], [])
    assert opened.save().read_bytes() == content
