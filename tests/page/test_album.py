"""Albums in Chromium: what the command line shares opens with its words, and with nothing else."""

import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from sudokucrypt import Identity, Passphrase, decrypt_bytes, encrypt_bytes
from sudokucrypt.page import album, page, without_files
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
    path.write_bytes(b"".join(album(files, "Night & \u2605")))
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


def test_a_title_and_a_count(opened: Opened, path: Path) -> None:
    """Whoever opens it sees what it is before anything is decrypted."""
    opened.open(path)
    assert opened.texts("#title") == ["Night & \u2605"]
    assert opened.texts("#album-lead")[0].startswith("2 files, ")
    assert opened.tab.value("document.title") == "Night & \u2605"


@pytest.mark.parametrize(
    ("damage", "readable", "stated"),
    [
        (lambda data: data[: data.index(b'id="file-2"') + 200], 1, True),
        (lambda data: data[: data.index(b'id="file-2"') - 40], 1, True),
        (lambda data: data[: data.index(b'id="file-1"') - 40], 0, True),
        (lambda data: re.sub(rb'(id="file-1">.{99}).', rb"\1!", data), 1, True),
        (lambda data: re.sub(rb'<script type="application/json.*\n', b"", data), 2, False),
        (lambda data: data.replace(b'{"files": 2', b'{"files": 3'), 2, True),
        (lambda data: data.replace(b'{"files": 2', b'{"files: 2'), 2, True),
        (lambda data: data.replace(b'{"files": 2', b'{"files": "2 or more"'), 2, True),
        (lambda data: re.sub(rb'"title": "[^"]*"', b'"title": {"toString": 0}', data), 2, True),
    ],
)
def test_a_cut_or_damaged_album(
    opened: Opened,
    path: Path,
    page_file: Path,
    damage: Callable[[bytes], bytes],
    readable: int,
    *,
    stated: bool,
) -> None:
    """It says so, in itself and in a page of one's own, and the other files open."""
    path.write_bytes(damage(path.read_bytes()))
    opened.open(path)
    assert opened.tab.value("document.documentElement.className.includes('album')")
    text = "document.getElementById('errors').textContent.includes('cut or damaged')"
    opened.tab.wait_for(text, True)
    opened.open(page_file)
    opened.choose("files", [path])
    opened.enter("passphrase", WORDS)
    names, messages = opened.run()
    assert len(names) == readable
    # Earlier versions stated no number.
    assert any("cut or damaged" in message for message in messages) == stated


@pytest.mark.parametrize("secret", ["words", "recipient"])
def test_an_album_made_in_the_page(opened: Opened, tmp_path: Path, secret: str) -> None:
    """It is the page with the files, which the words of the result open, or an identity."""
    identity = Identity.generate()
    contents = {"a.txt": b"one", "gr\u00fc\u00df.txt": b"two" * 999}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    opened.task("give")
    opened.choose("files", [tmp_path / name for name in contents])
    opened.enter("album-title", "Two <files> \u00fc")
    if secret == "recipient":  # noqa: S105 - a word
        opened.enter("recipients", identity.recipient.to_text())
    assert opened.run() == (["Two _files_ \u00fc.html"], [])
    note = opened.texts("#cards .note")[0]
    made = opened.save()
    data = made.read_bytes()
    assert without_files(data) == page()
    files = re.findall(rb'id="file-\d+">([^<]*)</script>', data)
    assert len(files) == 2
    if secret == "recipient":  # noqa: S105 - a word
        assert [decrypt_bytes(b64decode(file), identity) for file in files] == [*contents.values()]
        opened.open(made)
        for_recipients = "document.documentElement.classList.contains('for-recipients')"
        opened.tab.wait_for(for_recipients, True)
        # Whoever has no page finds one in the album, and opens it there with the identity.
        button = "document.getElementById('save-page')"
        assert opened.tab.value(f"{button}.checkVisibility()")
        own = opened.downloaded(f"{button}.click()", "page.html")
        assert own.read_bytes() == page()
        identity.to_file(tmp_path / "me.txt")
        opened.open(own)
        opened.choose("files", [made])
        opened.choose("key-file", [tmp_path / "me.txt"])
        assert opened.run() == ([*contents], [])
        return
    words = re.search("the words that open it: ([a-z ]+)", note)
    assert words is not None
    key = Passphrase(words[1])
    assert [decrypt_bytes(b64decode(file), key) for file in files] == [*contents.values()]
    opened.open(made)
    assert opened.texts("#title") == ["Two <files> \u00fc"]
    opened.enter("passphrase", words[1])
    assert opened.run() == ([*contents], [])
    assert opened.save(1).read_bytes() == contents["gr\u00fc\u00df.txt"]
