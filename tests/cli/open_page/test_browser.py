"""The page of ``sudokucrypt open`` with a folder, in Chromium."""

import os
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from PIL import Image

from sudokucrypt import Layer, encrypt_bytes, encrypt_file, redact_file
from sudokucrypt.cli.open.command import _REDIRECT_PAGE
from sudokucrypt.cli.open.folder import Folder
from sudokucrypt.cli.open.server import PageServer
from sudokucrypt.page import make_folder_page, page
from tests.cli.conftest import KEY
from tests.cli.open_page.conftest import HOSTILE, KEYS, OTHER, SECRET, run_server
from tests.cli.test_manners import begin_program
from tests.page.conftest import Driver
from tests.reports.browser import Page

pytestmark = pytest.mark.programs("chromium")
NAMES = """[...document.querySelectorAll('#shelf-cards li:not([hidden]) .title')]
    .map((e) => e.textContent)"""
COUNT = "document.getElementById('shelf-count').textContent"
SAFE_HOSTILE = "_img src=x onerror=alert(1)__gpj.html"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with encrypted files of many kinds, redacted ones, and unreadable ones."""
    root = tmp_path / "safe"
    (root / "lake").mkdir(parents=True)
    Image.effect_mandelbrot((320, 240), (-2, -1, 1, 1), 30).convert("RGB").save(tmp_path / "p.jpg")
    photo = (tmp_path / "p.jpg").read_bytes()
    contents = {
        "night.jpg": (photo, 1_600_000_000),
        "letter.txt": (b"Dear Ada", 1_500_000_000),
        HOSTILE: (b"<script>alert(1)</script>", 1_550_000_000),
        ".profile": (b"echo", 1_550_000_001),
    }
    for index, (name, (content, modified)) in enumerate(contents.items()):
        path = root / ("lake" if name == "night.jpg" else "") / f"{index}.png"
        source = tmp_path / "source"
        source.write_bytes(content)
        os.utime(source, (modified, modified))
        preview = name == "night.jpg" or None
        encrypt_file(source, path, SECRET, name=name, preview=preview, as_file=True)
        source.unlink()
    for suffix in ("png", "jpg"):
        Image.open(tmp_path / "p.jpg").save(tmp_path / f"c.{suffix}")
        redact_file(
            tmp_path / f"c.{suffix}", root / f"covered.{suffix}", [Layer(SECRET, [(8, 8, 64, 64)])]
        )
    (root / "foreign.png").write_bytes(encrypt_bytes(b"x", OTHER, name="hidden.txt"))
    (root / "damaged.png").write_bytes((root / "1.png").read_bytes()[:99])
    (root / "plain.jpg").write_bytes(photo)
    return root


@pytest.fixture
def redemptions() -> list[str]:
    """Return a list that records whether the file with the address existed at redemption."""
    return []


@pytest.fixture
def page_and_server(
    tab: Page, tmp_path: Path, folder: Path, redemptions: list[str]
) -> Iterator[tuple[Driver, PageServer]]:
    """Open the page in a browser by the file with the address."""
    done = threading.Event()

    def note_redemption() -> None:
        redemptions.append("redeemed")
        done.set()

    keys = {"keys": KEYS["keys"], "passphrase": None}
    server = PageServer(
        make_folder_page(),
        page(),
        Folder(folder, recursive=True),
        keys,
        on_redeemed=note_redemption,
    )
    with run_server(server):
        tab._allowed_prefix = f"http://127.0.0.1:{server.port}/"
        driver = Driver(tab, tmp_path)
        tab.ask(
            "Emulation.setDeviceMetricsOverride",
            width=1280, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        yield driver, server
        assert tab.problems == []


def show(page_and_server: tuple[Driver, PageServer]) -> Page:
    """Open the page, and wait until it has read all files."""
    driver, server = page_and_server
    tab = driver.tab
    tab.open(server.url, width=1280)
    tab._allowed_prefix = f"http://127.0.0.1:{server.port}/"
    tab.problems.clear()
    tab.wait_for("document.getElementById('status').textContent", "Done")
    return tab


def test_the_file_with_the_address(
    page_and_server: tuple[Driver, PageServer], tmp_path: Path
) -> None:
    """The file opens the page once; then the address has no token and cannot be opened again."""
    driver, server = page_and_server
    tab, file = driver.tab, tmp_path / "open.html"
    file.write_text(_REDIRECT_PAGE.format(url=server.url))
    tab.ask("Network.setBlockedURLs", urls=[])
    tab.ask("Page.navigate", url=file.as_uri())
    tab.wait_for("document.getElementById('status')?.textContent", "Done")
    assert tab.value("location.href") == f"http://127.0.0.1:{server.port}/"
    assert tab.value("document.cookie + localStorage.length + sessionStorage.length") == "00"
    assert server.token not in tab.value("document.documentElement.outerHTML")
    tab.leave()
    tab.open(server.url, width=1280)
    tab._allowed_prefix = f"http://127.0.0.1:{server.port}/"
    text = "[...document.querySelectorAll('#errors p')].map((e) => e.textContent).join()"
    tab.wait_for(f"({text}).includes('was opened or loaded before')", True)
    tab.problems.clear()  # the error of the second redemption, which was refused


def test_cards(page_and_server: tuple[Driver, PageServer]) -> None:
    """Cards show sealed names and previews, newest first; unreadable files are only counted."""
    tab = show(page_and_server)
    names = tab.value(NAMES)
    assert names[-4:] == ["night.jpg", "_.profile", SAFE_HOSTILE, "letter.txt"]
    assert sorted(names[:-4]) == ["covered.jpg", "covered.png"]
    assert tab.value(COUNT) == "6 files; 1 of another key; 1 damaged or of another version"
    tab.wait_for("document.querySelectorAll('#shelf-cards img').length", 3)
    assert (
        tab.value("""Promise.all([...document.querySelectorAll('#shelf-cards img')]
        .map((image) => image.decode())).then(() => 1)""")
        == 1
    )
    lake = tab.value("document.querySelector('#shelf-cards').textContent")
    assert "in lake" in lake
    assert tab.value("document.documentElement.scrollWidth <= innerWidth")


def test_searching_and_sorting(page_and_server: tuple[Driver, PageServer]) -> None:
    """The search field finds names with all words in any case, in the chosen order."""
    tab = show(page_and_server)

    def enter(selector: str, text: str, event: str) -> None:
        field = f"document.getElementById('{selector}')"
        tab.value(f"{field}.value = '{text}', {field}.dispatchEvent(new Event('{event}')), null")

    for words, result in {
        "LETTER": ["letter.txt"], "jpeg 2020": ["night.jpg"], "Nïght": ["night.jpg"],
        "late early": [], "lake": ["night.jpg"],
    }.items():  # fmt: skip
        enter("find", words, "input")
        assert tab.value(NAMES) == result
        assert tab.value(COUNT).startswith(f"{len(result)} of 6 files")
    enter("find", "", "input")
    enter("order", "oldest", "change")
    assert tab.value(NAMES)[0] == "letter.txt"
    enter("order", "name", "change")
    assert tab.value(NAMES)[-1] == "night.jpg"


def test_the_viewer_shows_and_saves_files(
    page_and_server: tuple[Driver, PageServer], folder: Path
) -> None:
    """Arrow keys step through all files cyclically; saved files are the original ones."""
    driver, _ = page_and_server
    tab = show(page_and_server)
    tab.value("document.querySelector('#shelf-cards li:last-child button').click()")
    title = "document.getElementById('viewed-name').textContent"
    tab.wait_for(title, "letter.txt")
    page_states = []
    for _ in range(6):
        name = tab.value(title)
        page_states.append(name)
        for event_type in ("keyDown", "keyUp"):
            tab.ask(
                "Input.dispatchKeyEvent",
                type=event_type,
                key="ArrowRight",
                windowsVirtualKeyCode=39,
            )
        tab.wait_for(f"{title} !== '...' && {title} !== {name!r}", True)
    assert sorted(page_states) == sorted(
        ["letter.txt", "night.jpg", "_.profile", SAFE_HOSTILE, "covered.png.unredacted.png",
         "covered.jpg.unredacted.jpg"]
    )  # fmt: skip
    tab.wait_for(title, "letter.txt")
    save = "document.querySelector('#viewed-actions .button')"
    assert driver.download(f"{save}.click()", "letter.txt").read_bytes() == b"Dear Ada"
    for _ in range(2):
        tab.value("document.querySelector('#viewed-actions button').click()")
        tab.wait_for("document.querySelector('#viewed-actions button').disabled", True)
        tab.wait_for(
            "document.querySelector('#viewed-actions button').textContent.startsWith('Saved')",
            True,
        )
        tab.value("document.querySelector('#close-viewer').click()")
        tab.value("document.querySelector('#shelf-cards li:last-child button').click()")
        tab.wait_for(title, "letter.txt")
    assert (folder / "letter.txt").read_bytes() == b"Dear Ada"
    assert (folder / "letter (2).txt").read_bytes() == b"Dear Ada"
    tab.value("document.querySelector('#close-viewer').click()")


def test_only_visible_cards_load_previews(
    page_and_server: tuple[Driver, PageServer], folder: Path
) -> None:
    """Of many files, only cards near the visible part of the page load pictures."""
    for index in range(300):
        (folder / f"many{index}.png").hardlink_to(folder / "lake" / "0.png")
    tab = show(page_and_server)
    tab.wait_for("document.querySelectorAll('#shelf-cards img').length > 3", True)
    assert tab.value("document.querySelectorAll('#shelf-cards img').length") < 60
    tab.value("document.querySelector('#shelf-cards li:last-child').scrollIntoView()")
    has_far_previews = (
        "document.querySelectorAll('#shelf-cards li:nth-child(n+280) img').length > 0"
    )
    tab.wait_for(has_far_previews, True)
    first = "document.querySelector('#shelf-cards li:nth-child(3) img') === null"
    tab.wait_for(first, True)


def test_huge_sidecars_are_read_in_part(
    page_and_server: tuple[Driver, PageServer], folder: Path
) -> None:
    """Of a huge sidecar, only as many bytes are read as a header or a redaction can have."""
    for name, ending in (("long", ".sudokucrypt.json"), ("wide", ".redaction")):
        (folder / f"{name}.png").hardlink_to(folder / "plain.jpg")
        with (folder / f"{name}.png{ending}").open("wb") as file:
            file.truncate(1 << 29)
    tab = show(page_and_server)
    assert tab.value(COUNT) == "7 files; 1 of another key; 2 damaged or of another version"
    tab.value(
        "[...document.querySelectorAll('#shelf-cards .title')]"
        ".find((e) => e.textContent === 'wide.png').closest('button').click()"
    )
    tab.wait_for("document.querySelector('#viewed p')?.textContent.includes('256 MiB')", True)
    sizes = "performance.getEntriesByType('resource').map((e) => e.encodedBodySize)"
    assert max(tab.value(sizes)) <= 1 << 25
    tab.value("document.querySelector('#close-viewer').click()")


def test_stop_while_the_folder_is_read(
    page_and_server: tuple[Driver, PageServer], folder: Path
) -> None:
    """Stop ends reading the folder; the page names unread files, and reads them later."""
    for index in range(300):
        (folder / f"many{index}.png").hardlink_to(folder / "lake" / "0.png")
    driver, server = page_and_server
    tab = driver.tab
    tab.open(server.url, width=1280)
    tab._allowed_prefix = f"http://127.0.0.1:{server.port}/"
    tab.problems.clear()
    tab.wait_for("document.querySelectorAll('#shelf-cards li').length > 300", True)
    tab.value("document.getElementById('close').click()")
    tab.wait_for("document.getElementById('status').textContent", "Stopped")
    assert "damaged" not in tab.value(COUNT)
    assert "not read yet" in tab.value(COUNT)
    tab.value("document.getElementById('run').click()")
    tab.wait_for("document.getElementById('status').textContent", "Done")
    assert tab.value(COUNT).startswith("306 files; 1 of another key; 1 damaged")


def test_other_keys_leave_the_folder_open(
    page_and_server: tuple[Driver, PageServer], tmp_path: Path
) -> None:
    """A passphrase that is entered for another file is not tried on the files of the folder."""
    driver, _ = page_and_server
    tab = show(page_and_server)
    names = tab.value(NAMES)
    driver.set_task("encrypt")
    driver.choose("files", [tmp_path / "p.jpg"])
    driver.tab.value("document.getElementById('offer').click()")
    assert driver.run() == (["p.jpg.encrypted.png"], [])
    driver.set_task("decrypt")
    tab.wait_for("document.querySelectorAll('#shelf-cards img').length", 3)
    assert tab.value(NAMES) == names
    tab.value("document.querySelector('#shelf-cards li:last-child button').click()")
    tab.wait_for("document.getElementById('viewed-name').textContent", "letter.txt")
    tab.value("document.querySelector('#close-viewer').click()")


def test_closing_the_folder_removes_its_data(page_and_server: tuple[Driver, PageServer]) -> None:
    """Closing the folder removes its cards, its previews and its key from the page."""
    tab = show(page_and_server)
    tab.value("document.getElementById('close').click()")
    assert tab.value("document.querySelectorAll('#shelf-cards *').length") == 0
    assert tab.value("document.getElementById('handed').hidden")
    tab.value("document.getElementById('run').click()")
    tab.wait_for("document.getElementById('errors').textContent.includes('no key')", True)


def test_taken_names_get_a_number(
    page_and_server: tuple[Driver, PageServer], folder: Path, tmp_path: Path
) -> None:
    """Results whose name exists are saved under another name, also large or long-named ones."""
    name = f"{'x' * 251}.bin"
    (tmp_path / "large").write_bytes(bytes(1 << 24))
    encrypt_file(tmp_path / "large", folder / "large.png", SECRET, name=name)
    (folder / name).write_text("mine")
    tab = show(page_and_server)
    tab.value(
        "[...document.querySelectorAll('#shelf-cards .title')]"
        f".find((e) => e.textContent === {name!r}).closest('button').click()"
    )
    tab.wait_for("document.getElementById('viewed-name').textContent", name)
    button = "document.querySelector('#viewed-actions button')"
    tab.wait_for(f"{button} !== null", True)
    tab.value(f"{button}.click()")
    tab.wait_for(f"/^(Saved|Not)/.test({button}.textContent)", True)
    numbered_name = f"{'x' * 247} (2).bin"
    assert tab.value(f"{button}.textContent") == f"Saved as {numbered_name}"
    assert (folder / name).read_text() == "mine"
    assert (folder / numbered_name).read_bytes() == bytes(1 << 24)
    tab.value("document.querySelector('#close-viewer').click()")


def test_another_program_at_the_port(tab: Page, folder: Path, tmp_path: Path) -> None:
    """Another program that uses the port after the end gets no data from the page."""
    driver = Driver(tab, tmp_path)
    received: list[str] = []
    SECRET.to_file(tmp_path / "my.key")
    with begin_program(tmp_path, "open", str(folder), "--no-browser", *KEY) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        tab.open(url, width=1280)
        tab._allowed_prefix = url.partition("#")[0]
        tab.wait_for("document.getElementById('status').textContent", "Done")
        tab.value("document.querySelector('#shelf-cards li:last-child button').click()")
        tab.wait_for("document.getElementById('viewed-name').textContent", "letter.txt")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    text = "document.getElementById('errors').textContent"
    tab.wait_for(f"{text}.includes('has ended')", True)

    class OtherServer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.requestline)
            self.send_error(404)

    address = ("127.0.0.1", int(tab._allowed_prefix.rstrip("/").rpartition(":")[2]))
    with HTTPServer(address, OtherServer) as other_server:
        thread = threading.Thread(target=other_server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        button = "document.querySelector('#viewed-actions button')"
        tab.value(f"{button}.click()")
        tab.wait_for(f"{button}.textContent.includes('has ended')", True)
        other_server.shutdown()
        thread.join()
    assert received == []
    tab.value("document.querySelector('#close-viewer').click()")
    names = tab.value(NAMES)
    driver.set_task("give")
    driver.choose("files", [tmp_path / "p.jpg"])
    driver.enter("passphrase", "a passphrase of an album")
    driver.enter("again", "a passphrase of an album")
    output, errors = driver.run()
    assert (len(output), errors) == (1, [])
    driver.set_task("decrypt")  # scrolling shows cards whose files cannot be read any more
    tab.value("new Promise((done) => setTimeout(done, 500))")
    assert tab.value(NAMES) == names
    assert "1 damaged" in tab.value(COUNT)
    tab.problems.clear()  # the answer that ended together with the program
