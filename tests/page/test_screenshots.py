"""Screenshots of the page for the docs, which ``--update`` writes."""

import io
import os
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from sudokucrypt import Key, Passphrase, encrypt_file
from sudokucrypt.cli.open.folder import Folder
from sudokucrypt.cli.open.server import PageServer
from sudokucrypt.page import make_album, make_folder_page, page
from tests.cli.open_page.conftest import run_server
from tests.page.conftest import Driver

pytestmark = [pytest.mark.nightly, pytest.mark.programs("chromium")]
ROOT = Path(__file__).parents[2]
KEY, WORDS = Key(bytes(range(32))), "river stone map quilt anchor bold"
HEIGHT = 900


def _make_encrypted_files(folder: Path, secret: Key | Passphrase) -> list[Path]:
    """Return encrypted pictures and a letter of the same day."""
    folder.mkdir()
    (folder.parent / "letter.txt").write_text("Dear Ada\n" * 40)
    sources = [
        *sorted((ROOT / "samples/pictures").glob("*.[jp][pn]g")),
        folder.parent / "letter.txt",
    ]
    for number, source in enumerate(sources):
        dated = folder.parent / source.name
        dated.write_bytes(source.read_bytes())
        os.utime(dated, (1_750_000_000 + 5000 * number,) * 2)
        preview = source.suffix != ".txt"
        encrypt_file(dated, folder / f"{number}.png", secret, as_file=True, preview=preview)
    return sorted(folder.iterdir())


def _take_screenshot(driver: Driver, show: str) -> Image.Image:
    """Return an image of the window, scrolled so that an element is near its upper edge."""
    driver.tab.value(f"scrollTo(0, document.querySelector({show!r}).offsetTop - 24)")
    driver.tab.value("new Promise((done) => setTimeout(done, 500))")  # wait for previews
    screenshot = driver.tab.ask("Page.captureScreenshot")
    return Image.open(io.BytesIO(b64decode(screenshot["data"]))).convert("RGB")


def _show_folder(driver: Driver, scratch: Path) -> Image.Image:
    """Return a screenshot of the page with a folder."""
    _make_encrypted_files(scratch / "safe", KEY)
    keys = {"keys": [KEY.to_file_text()], "passphrase": None}
    server = PageServer(make_folder_page(), page(), Folder(scratch / "safe", recursive=False), keys)
    with run_server(server):
        driver.tab.open(server.url, width=1280)
        driver.tab.wait_for("document.getElementById('status').textContent", "Done")
        driver.tab.wait_for("document.querySelectorAll('#shelf-cards img').length", 3)
        return _take_screenshot(driver, "#run")


def _show_cover(driver: Driver, scratch: Path) -> Image.Image:
    """Return a screenshot of two faces, covered for two readers, on a phone."""
    driver.open(scratch / "page.html", width=390)
    driver.set_task("cover")
    driver.choose("files", [ROOT / "samples/pictures/astronaut.png"])
    driver.tab.wait_for("document.getElementById('covering').hidden", False)
    driver.tab.value(
        "for (const id of ['add-box', 'add-layer', 'add-box']) document.getElementById(id).click()"
    )
    boxes = {1: "82,12,62,66", 2: "176,132,74,92"}
    for number, numbers in boxes.items():
        field = f"document.querySelector('#boxes li:nth-child({number}) input')"
        driver.tab.value(
            f"{field}.value = '{numbers}', {field}.dispatchEvent(new Event('input')), 0"
        )
    return _take_screenshot(driver, "#covering")


def _show_album(driver: Driver, scratch: Path) -> Image.Image:
    """Return a screenshot of an album in dark mode."""
    path = scratch / "album.html"
    files = _make_encrypted_files(scratch / "given", Passphrase(WORDS))
    path.write_bytes(b"".join(make_album([file.read_bytes() for file in files], title="The lake")))
    driver.open(path, width=390, dark=True)
    driver.enter("passphrase", WORDS)
    driver.run()
    return _take_screenshot(driver, "#run")


def _show_see(width: int) -> Callable[[Driver, Path], Image.Image]:
    """Return a function that takes a screenshot of the tab See."""

    def see(driver: Driver, scratch: Path) -> Image.Image:
        driver.open(scratch / "page.html", width=width)
        driver.set_task("see")
        driver.tab.wait_for("document.querySelectorAll('[role=gridcell]').length", 81)
        return _take_screenshot(driver, "header")

    return see


@pytest.mark.parametrize(
    ("name", "scenes"),
    [
        ("page.png", [_show_folder, _show_cover, _show_album]),
        ("see.png", [_show_see(1280), _show_see(390)]),
    ],
)
def test_screenshots(
    driver: Driver,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    name: str,
    scenes: list[Callable[[Driver, Path], Image.Image]],
) -> None:
    """Screenshots in wide and narrow windows have the expected size, side by side."""
    (tmp_path / "page.html").write_bytes(page())
    driver.tab.ask("Emulation.setScrollbarsHidden", hidden=True)
    images = [scene(driver, tmp_path) for scene in scenes]
    driver.tab.ask("Emulation.setScrollbarsHidden", hidden=False)
    driver.tab.problems.clear()
    joined_image = Image.new(
        "RGB", (sum(image.width for image in images) + 20 * (len(images) - 1), HEIGHT), "white"
    )
    x = 0
    for image in images:
        joined_image.paste(image, (x, 0))
        x += image.width + 20
    path = ROOT / "docs/screenshots" / name
    if request.config.getoption("--update"):
        joined_image.quantize(256).save(path, optimize=True)
    with Image.open(path) as image:
        assert image.size == joined_image.size
