"""Drive headless Chromium by its debugging pipe, to test pages as a person sees them."""

import json
import os
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.programs import find_program

_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # Chromium refuses its sandbox for root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-popup-blocking",  # only tests open windows by scripts
    "--remote-debugging-pipe",
)
_FIND_LOWEST_CONTRAST = """(() => {
    const light = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => {
        v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
        return .2126 * r + .7152 * g + .0722 * b };
    const behind = e => { for (; e; e = e.parentElement) {
        const c = getComputedStyle(e).backgroundColor;
        if (!c.endsWith(', 0)')) return c } return 'rgb(255, 255, 255)' };
    const pairs = %s.map(s => document.querySelector(s)).filter(Boolean)
        .map(e => [light(getComputedStyle(e).color), light(behind(e))]);
    return Math.min(...pairs.map(p => (Math.max(...p) + .05) / (Math.min(...p) + .05)));
})()"""


class NavigatedError(Exception):
    """The page was left while an expression was evaluated."""


class Page:
    """A tab of the browser."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._unread = b""
        self._last_id = 0
        self._session: str | None = None
        self._allowed_prefix = "file:"
        self.problems: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = session["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def open(self, location: Path | str, *, width: int = 1280, dark: bool = False) -> None:
        """Show a file or an address in a window of `width` pixels, without other network."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        blocked = ["http://*", "https://*"] if isinstance(location, Path) else []
        self.ask("Network.setBlockedURLs", urls=blocked)
        self._allowed_prefix = "file:" if isinstance(location, Path) else location
        self.ask("Page.navigate", url=location.as_uri() if isinstance(location, Path) else location)
        ready = """new Promise(done => document.readyState === 'complete'
            ? done() : addEventListener('load', () => done()))"""
        self.value(ready)

    def value(self, expression: str) -> Any:
        """Evaluate a JavaScript expression and return its value."""
        result = self.ask(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, expression: str, expected: object, *, seconds: float = 20) -> None:
        """Wait until an expression has the expected value, also across a change of the page."""
        deadline = time.monotonic() + seconds
        while True:
            with suppress(NavigatedError):
                if self.value(expression) == expected:
                    return
            assert time.monotonic() < deadline, expression
            time.sleep(0.01)

    def leave(self) -> None:
        """Show an empty page, and forget the errors of earlier pages."""
        self.ask("Page.navigate", url="about:blank")
        self.wait_for("location.href", "about:blank")
        # Pages share a process, so the memory of an old page could be missing for the next one.
        self.ask("HeapProfiler.collectGarbage")
        self.problems.clear()

    def close(self) -> None:
        """End the browser normally, so that it removes its files."""
        self._session = None
        with suppress(AssertionError, OSError):  # the browser may have ended already
            self.ask("Browser.close")

    def picture(self) -> bytes:
        """Return the whole page as PNG."""
        screenshot = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        return b64decode(screenshot["data"])

    def contrast(self, selectors: Sequence[str]) -> float:
        """Return the lowest contrast of text to its background, by WCAG 2.2."""
        return float(self.value(_FIND_LOWEST_CONTRAST % json.dumps(selectors)))

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the debugging protocol, and return its result."""
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._last_id:
                if "navigated" in answer.get("error", {}).get("message", ""):
                    raise NavigatedError
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._record_event(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            received = os.read(self._reading, 1 << 16)
            assert received, "the browser has ended"
            self._unread += received
        text, self._unread = self._unread.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message

    def _record_event(self, event: dict[str, Any]) -> None:
        """Store script errors, console messages, and requests for other addresses."""
        method, parameters = event.get("method"), event.get("params", {})
        if method in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
            self.problems.append(json.dumps(parameters))
        elif method == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if not address.startswith(("data:", "about:", "blob:", self._allowed_prefix)):
                self.problems.append(address)


@contextmanager
def open_browser(profile: Path) -> Iterator[Page]:
    """Start the browser with an empty profile and yield a page."""
    program = find_program("chromium")
    assert program is not None
    browser_input, commands = os.pipe()
    answers, browser_output = os.pipe()
    command = [program, *_FLAGS, f"--user-data-dir={profile}"]
    # The browser reads from descriptor 3 and writes to 4, which this process may use otherwise.
    script = f'exec 8<&{browser_input} 9>&{browser_output}; exec 3<&8 4>&9 8<&- 9>&-; exec "$@"'
    process = subprocess.Popen(
        ["bash", "-c", script, "browser", *command],
        pass_fds=(browser_input, browser_output),
        env={**os.environ, "HOME": str(profile)},  # the folder for downloads
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(browser_input)
    os.close(browser_output)
    page = Page(answers, commands)
    try:
        yield page
    finally:
        page.close()
        process.wait(60)
        os.close(answers)
        os.close(commands)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Start one browser for all tests of pages."""
    with open_browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def tab(browser: Page) -> Iterator[Page]:
    """Return the tab of the browser, without anything of the test before."""
    yield browser
    browser.leave()
