"""Albums of the command line in Chromium: they open only with their words."""

import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from sudokucrypt import Identity, Passphrase, decrypt_bytes, encrypt_bytes
from sudokucrypt.page import make_album, page, remove_files
from tests.page.conftest import Driver

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
    path.write_bytes(b"".join(make_album(files, "Night & \u2605")))
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_an_album_opens(driver: Driver, path: Path, width: int) -> None:
    """The words of an album give cards with previews, a viewer, and the original files."""
    driver.open(path, width=width)
    visible = "[...document.querySelectorAll('input')].filter((e) => e.checkVisibility())"
    assert driver.tab.value(f"{visible}.map((e) => e.id)") == ["passphrase", "show-passphrase"]
    driver.enter("passphrase", WORDS)
    assert driver.run() == (["night.png", "letter.txt"], [])
    assert driver.tab.value("document.querySelector('.well img').decode().then(() => 1)") == 1
    driver.tab.value("document.querySelector('#cards button').click()")
    driver.tab.wait_for("document.querySelector('#viewed img') !== null", True)
    for event_type in ("keyDown", "keyUp"):
        driver.tab.ask(
            "Input.dispatchKeyEvent", type=event_type, key="ArrowRight", windowsVirtualKeyCode=39
        )
    driver.tab.wait_for("document.querySelector('#viewed pre')?.textContent ?? ''", "Dear all,")
    driver.tab.value("document.getElementById('close-viewer').click()")
    assert driver.save().read_bytes() == (path.parent / "night.png").read_bytes()
    assert driver.tab.value("document.documentElement.scrollWidth <= innerWidth")


def test_a_wrong_passphrase(driver: Driver, path: Path) -> None:
    """A wrong passphrase gives one message for the whole album, and shows nothing."""
    driver.open(path)
    driver.enter("passphrase", "another one")
    wrong_message = "2 files: the key or passphrase is wrong, or the file was altered"
    assert driver.run() == ([], [wrong_message])
    assert driver.tab.value("document.getElementById('results').hidden")


def test_a_title_and_a_count(driver: Driver, path: Path) -> None:
    """The title and the number of files are shown before anything is decrypted."""
    driver.open(path)
    assert driver.get_texts("#title") == ["Night & \u2605"]
    assert driver.get_texts("#album-lead")[0].startswith("2 files, ")
    assert driver.tab.value("document.title") == "Night & \u2605"


@pytest.mark.parametrize(
    ("damage", "readable_count", "stated_count"),
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
def test_damaged_albums(
    driver: Driver,
    path: Path,
    page_file: Path,
    damage: Callable[[bytes], bytes],
    readable_count: int,
    *,
    stated_count: bool,
) -> None:
    """A cut or damaged album says so, in itself and in a separate page; its other files open."""
    path.write_bytes(damage(path.read_bytes()))
    driver.open(path)
    assert driver.tab.value("document.documentElement.className.includes('album')")
    text = "document.getElementById('errors').textContent.includes('cut or damaged')"
    driver.tab.wait_for(text, True)
    driver.open(page_file)
    driver.choose("files", [path])
    driver.enter("passphrase", WORDS)
    names, messages = driver.run()
    assert len(names) == readable_count
    # Albums of earlier versions did not state the number of files.
    assert any("cut or damaged" in message for message in messages) == stated_count


@pytest.mark.parametrize("secret", ["words", "recipient"])
def test_an_album_made_in_the_page(driver: Driver, tmp_path: Path, secret: str) -> None:
    """An album made in the page is the page with the files, opened by its words or an identity."""
    identity = Identity.generate()
    contents = {"a.txt": b"one", "gr\u00fc\u00df.txt": b"two" * 999}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    driver.set_task("give")
    driver.choose("files", [tmp_path / name for name in contents])
    driver.enter("album-title", "Two <files> \u00fc")
    if secret == "recipient":  # noqa: S105 - a word
        driver.enter("recipients", identity.recipient.to_text())
    assert driver.run() == (["Two _files_ \u00fc.html"], [])
    note = driver.get_texts("#cards .note")[0]
    album_file = driver.save()
    data = album_file.read_bytes()
    assert remove_files(data) == page()
    files = re.findall(rb'id="file-\d+">([^<]*)</script>', data)
    assert len(files) == 2
    if secret == "recipient":  # noqa: S105 - a word
        assert [decrypt_bytes(b64decode(file), identity) for file in files] == [*contents.values()]
        driver.open(album_file)
        for_recipients = "document.documentElement.classList.contains('for-recipients')"
        driver.tab.wait_for(for_recipients, True)
        # A recipient without the page opens it from the album, then opens the album in it.
        button = "document.getElementById('save-page')"
        assert driver.tab.value(f"{button}.checkVisibility()")
        page_of_recipient = driver.download(f"{button}.click()", "page.html")
        assert page_of_recipient.read_bytes() == page()
        identity.to_file(tmp_path / "me.txt")
        driver.open(page_of_recipient)
        driver.choose("files", [album_file])
        driver.choose("key-file", [tmp_path / "me.txt"])
        assert driver.run() == ([*contents], [])
        return
    words = re.search("the words that open it: ([a-z ]+)", note)
    assert words is not None
    key = Passphrase(words[1])
    assert [decrypt_bytes(b64decode(file), key) for file in files] == [*contents.values()]
    driver.open(album_file)
    assert driver.get_texts("#title") == ["Two <files> \u00fc"]
    driver.enter("passphrase", words[1])
    assert driver.run() == ([*contents], [])
    assert driver.save(1).read_bytes() == contents["gr\u00fc\u00df.txt"]
