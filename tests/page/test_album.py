"""Albums in Chromium: what the command line shares opens with its words, and with nothing else."""

from pathlib import Path

import pytest
from PIL import Image

from sudokucrypt import Passphrase, encrypt_bytes
from sudokucrypt.page import album
from tests.page.conftest import Opened

pytestmark = pytest.mark.programs("chromium")
WORDS = "lend trace april dove gulf iron"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An album of a picture with a preview and a text."""
    Image.effect_mandelbrot((320, 240), (-2, -1, 1, 1), 30).save(tmp_path / "night.png")
    contents = {"night.png": (tmp_path / "night.png").read_bytes(), "letter.txt": b"Dear all,"}
    key = Passphrase(WORDS)
    files = [
        encrypt_bytes(content, key, name=name, as_file=True, preview=name == "night.png" or None)
        for name, content in contents.items()
    ]
    path = tmp_path / "album.html"
    path.write_bytes(b"".join(album(files)))
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_an_album_opens(opened: Opened, path: Path, width: int) -> None:
    """Its words give cards with previews, a viewer that the keyboard turns, and the very files."""
    opened.open(path, width=width)
    visible = "[...document.querySelectorAll('input')].filter((e) => e.checkVisibility())"
    assert opened.tab.value(f"{visible}.map((e) => e.id)") == ["passphrase", "show-passphrase"]
    opened.enter("passphrase", WORDS)
    assert opened.run() == (["night.png", "letter.txt"], [])
    assert opened.tab.value("document.querySelector('.well img').decode().then(() => 1)") == 1
    opened.tab.value("document.querySelector('#cards button').click()")
    opened.tab.wait_for("document.querySelector('#viewed img') !== null", True)
    for kind in ("keyDown", "keyUp"):
        opened.tab.ask(
            "Input.dispatchKeyEvent", type=kind, key="ArrowRight", windowsVirtualKeyCode=39
        )
    opened.tab.wait_for("document.querySelector('#viewed pre')?.textContent ?? ''", "Dear all,")
    opened.tab.value("document.getElementById('close-viewer').click()")
    assert opened.save().read_bytes() == (path.parent / "night.png").read_bytes()
    assert opened.tab.value("document.documentElement.scrollWidth <= innerWidth")


def test_a_wrong_passphrase(opened: Opened, path: Path) -> None:
    """One message for the whole album, and nothing is shown."""
    opened.open(path)
    opened.enter("passphrase", "another one")
    wrong = "2 files: the key or passphrase is wrong, or the file was altered"
    assert opened.run() == ([], [wrong])
    assert opened.tab.value("document.getElementById('results').hidden")
