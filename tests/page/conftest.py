"""Fixtures that open the page in a browser, and use it like a person."""

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt.page import page
from sudokucrypt.page.assembling import join_code
from tests.reports.browser import Page

# A script that records all addresses of blobs that the page makes.
_SPY = """
    window.made = [];
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => made[made.push(createObjectURL(blob)) - 1];
"""


REPLAY = Path(__file__).with_name("replay.js").read_text(encoding="utf-8")


class Driver:
    """The page, opened from a file in a tab."""

    def __init__(self, tab: Page, folder: Path) -> None:
        self.tab, self.saved = tab, folder / "saved"
        self.saved.mkdir()
        tab.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(self.saved))

    def open(self, path: Path, *, width: int = 1280, dark: bool = False) -> None:
        """Open a page or an album."""
        spy = self.tab.ask("Page.addScriptToEvaluateOnNewDocument", source=_SPY)
        self.tab.open(path, width=width, dark=dark)
        self.tab.ask("Page.removeScriptToEvaluateOnNewDocument", **spy)

    def set_task(self, name: str) -> None:
        """Choose a task."""
        self.tab.value(f"document.querySelector('[value={name}]').click()")

    def choose(self, field: str, paths: Iterable[Path]) -> None:
        """Choose files in a field."""
        result = self.tab.ask("Runtime.evaluate", expression=f"document.getElementById('{field}')")
        names = [str(path.absolute()) for path in paths]
        self.tab.ask("DOM.setFileInputFiles", files=names, objectId=result["result"]["objectId"])

    def enter(self, field: str, text: str) -> None:
        """Type text into a field."""
        self.tab.value("document.getElementById('more').open = true")
        self.tab.value(f"document.getElementById('{field}').focus()")
        self.tab.ask("Input.insertText", text=text)

    def run(self) -> tuple[list[str], list[str]]:
        """Run the task; return the names of the results, and the messages."""
        self.tab.value("document.querySelectorAll('#errors button').forEach((e) => e.click())")
        self.tab.value("document.getElementById('run').click()")
        self.tab.wait_for("document.getElementById('going-on').hidden", True, seconds=900)
        return self.get_texts("#cards h3"), self.get_texts("#errors p")

    def get_texts(self, selector: str) -> list[str]:
        """Return the text of each element that matches a selector."""
        result: list[str] = self.tab.value(
            f"[...document.querySelectorAll({selector!r})].map((e) => e.textContent)"
        )
        return result

    def save(self, index: int = 0) -> Path:
        """Save a result, and return the file when it is complete."""
        link = f"document.querySelectorAll('#cards .button')[{index}]"
        return self.download(f"{link}.click()", self.tab.value(f"{link}.download"))

    def download(self, expression: str, name: str, act: Callable[[], None] = lambda: None) -> Path:
        """Return the file that an expression or a function downloads."""
        (self.saved / name).unlink(missing_ok=True)
        self.tab.value(expression)
        act()
        deadline = time.monotonic() + 300
        while not (self.saved / name).exists():
            assert time.monotonic() < deadline, list(self.saved.iterdir())
            time.sleep(0.01)
        return self.saved / name

    def measure(self, selector: str) -> Any:
        """Return the width or duration of an element, which is 0 if the browser cannot show it."""
        script = "(async (e) => { await e.decode?.(); return e.naturalWidth ?? e.duration })"
        return self.tab.value(f"{script}(document.querySelector({selector!r}))")

    def count_blobs(self) -> int:
        """Return the number of addresses of blobs that can be read, if the policy allows that."""
        read = "(url) => fetch(url).then(() => 1, () => 0)"
        return sum(self.tab.value(f"Promise.all(made.map({read}))"))


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the page."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_bytes(page())
    return path


@pytest.fixture
def driver(tab: Page, tmp_path: Path, page_file: Path) -> Iterator[Driver]:
    """The page, opened in a browser. Script errors and requests fail the test."""
    driver = Driver(tab, tmp_path)
    driver.open(page_file)
    yield driver
    assert tab.problems == []


def engine_code() -> str:
    """Return the joined engine of the page, and the function that compares it with the vectors."""
    return join_code("engine/engine.js") + re.sub(
        r"^import .*?;\n|^export ", "", REPLAY, flags=re.MULTILINE | re.DOTALL
    )


@pytest.fixture(scope="session")
def engine_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the engine, and the function that compares it with the vectors."""
    path = tmp_path_factory.mktemp("engine") / "engine.html"
    text = f"<!doctype html><meta charset=utf-8><script>{engine_code()}</script>"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def engine(browser: Page, engine_file: Path) -> Iterator[Page]:
    """A tab with the engine, and the function that compares it with the vectors."""
    browser.open(engine_file, width=390)
    yield browser
    browser.leave()


@pytest.fixture
def request_log() -> Iterator[tuple[str, list[str]]]:
    """The address of a server, and the list of its requests."""
    requested_paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested_paths.append(self.path)
            self.send_response(204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", requested_paths
        server.shutdown()
        thread.join()
