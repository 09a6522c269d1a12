"""The gallery in a browser: nothing is asked of anybody else, and nothing sticks out."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sudokucrypt.cli.gallery.contents import Gallery
from sudokucrypt.cli.gallery.html import page_parts
from sudokucrypt.cli.gallery.server import GalleryServer
from tests.cli.gallery_page.conftest import tamper
from tests.reports.browser import Page

pytestmark = pytest.mark.programs("chromium")
OUTSIDE = """[...document.body.querySelectorAll('*')].filter(e =>
    e.getBoundingClientRect().right > innerWidth + 1).length"""
NAMES = "[...document.querySelectorAll('.card:not([hidden]) .name')].map(e => e.textContent)"


def require_sound(tab: Page, gallery: Gallery) -> None:
    """No problem, every preview loaded, and nothing beyond the edge."""
    pictures = sum(entry.preview for entry in gallery.entries)
    assert tab.value("document.images.length") == pictures
    tab.value("Promise.all([...document.images].map(i => i.decode()))")
    assert tab.value("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert tab.value("document.documentElement.scrollWidth <= window.innerWidth")
    assert tab.value(OUTSIDE) == 0
    assert tab.problems == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_by_itself(
    tab: Page, tmp_path: Path, gallery: Gallery, width: int, *, dark: bool
) -> None:
    """No request leaves it and no script fails, whatever files are called."""
    long = replace(gallery.entries[0], name="long" * 60, folder="x" * 200)
    gallery = replace(gallery, entries=(*gallery.entries, long))
    page = tmp_path / "page.html"
    page.write_bytes(b"".join(page_parts(gallery)))
    tab.open(page, width=width, dark=dark)
    require_sound(tab, gallery)
    assert tab.value("document.querySelectorAll('.card').length") == len(gallery.entries)


def test_searching_and_sorting(tab: Page, tmp_path: Path, gallery: Gallery) -> None:
    """The field finds all words, in any case, and the order is that which was chosen."""
    page = tmp_path / "page.html"
    page.write_bytes(b"".join(page_parts(gallery)))
    tab.open(page, width=1280)
    names = tab.value(NAMES)
    assert names == [entry.name.replace("\u202e", "\ufffd") for entry in gallery.entries]

    def enter(what: str, text: str, event: str) -> None:
        field = f"document.getElementById('{what}')"
        tab.value(f"{field}.value = '{text}', {field}.dispatchEvent(new Event('{event}')), null")

    for words, result in (("EARLY", ["early.jpg"]), ("jpeg 2020", ["late.jpg"]), ("late early", []),
                         ("Éarly", ["early.jpg"]), ("lake", ["late.jpg", "old.png"])):  # fmt: skip
        enter("find", words, "input")
        assert tab.value(NAMES) == result
        assert tab.value("shown.value") == f"{len(result)} of {len(names)}"
    enter("find", "", "input")
    enter("order", "newest", "change")
    assert tab.value(NAMES) == names[::-1]
    enter("order", "name", "change")
    assert tab.value(NAMES)[-1] == "pixels.encrypted.png"
    enter("order", "oldest", "change")
    assert tab.value(NAMES) == names
    assert tab.problems == []


def test_a_page_that_is_served(tab: Page, gallery: Gallery) -> None:
    """Previews come from the server; a click shows the file, or says what is wrong with it."""
    tamper(gallery.entries[0].path)
    with GalleryServer(gallery) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            for width in (1280, 390):
                tab.open(server.url, width=width)
                require_sound(tab, gallery)
            links = "document.querySelectorAll('a.name')"
            assert tab.value(f"{links}.length") == len(gallery.entries)
            assert tab.value(f"[...{links}].every(a => (a.focus(), document.activeElement === a))")
            for name, expression, expected in (
                ("late.jpg", "!document.links.length && document.images[0]?.naturalHeight", 18),
                ("early.jpg", "document.body?.innerText.includes('was changed')", True),
            ):
                tab.open(server.url, width=390)
                tab.value(f"[...{links}].find(a => a.textContent === '{name}').click()")
                tab.wait_for(expression, expected)
        finally:
            server.shutdown()
            thread.join()
    others = [problem for problem in tab.problems if "favicon.ico" not in problem]
    assert len(others) == 1  # what the server refused
    assert "409" in others[0]
