"""Drive three kinds of browsers: open pages in them, and evaluate JavaScript.

Chromium is driven as in `tests.reports.browser`. Firefox is driven by WebDriver BiDi over a
WebSocket,
without a driver. WebKit is driven by WebDriver over HTTP, with its driver, and needs a display.
"""

import json
import os
import re
import secrets
import select
import socket
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Any, Protocol

from tests.programs import find_program
from tests.reports.browser import open_browser

_STARTS_WITHIN = 60  # seconds
_ANSWERS_WITHIN = 600


class Opener(Protocol):
    """The methods of all browsers that tests use."""

    def open(self, location: Path | str, /) -> None:
        """Open a file or an address."""

    def value(self, expression: str, /) -> Any:
        """Return the value of a JavaScript expression; a promise is awaited."""


class WebSocket:
    """A client of one WebSocket on this computer (RFC 6455), for text messages."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), _ANSWERS_WITHIN)
        self._file = self._socket.makefile("rb")
        key = b64encode(secrets.token_bytes(16)).decode()
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        )
        self._socket.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        assert b" 101 " in self._file.readline()
        while self._file.readline().strip():
            pass

    def send(self, text: str) -> None:
        """Send a message."""
        data = text.encode()
        length = len(data)
        length_code = length if length < 126 else 126 if length < 65536 else 127
        size = b"" if length < 126 else length.to_bytes(2 if length < 65536 else 8, "big")
        mask = secrets.token_bytes(4)  # Firefox refuses a mask of zeros
        mask_stream = int.from_bytes((mask * (length // 4 + 1))[:length], "big")
        masked_data = (int.from_bytes(data, "big") ^ mask_stream).to_bytes(length, "big")
        self._socket.sendall(bytes([0x81, 0x80 | length_code]) + size + mask + masked_data)

    def receive(self) -> str:
        """Return the next message."""
        content_parts = []
        while True:
            first_byte, second_byte = self._file.read(2)
            length = second_byte & 127
            if length >= 126:
                length = int.from_bytes(self._file.read(2 if length == 126 else 8), "big")
            content = self._file.read(length)
            assert first_byte & 15 != 8, "the browser has ended"
            if first_byte & 15 <= 2:  # a text or binary message, and no ping
                content_parts.append(content)
                if first_byte & 128:
                    return b"".join(content_parts).decode()

    def close(self) -> None:
        """Close the connection."""
        self._file.close()
        self._socket.close()


class Firefox:
    """A tab of Firefox, driven by WebDriver BiDi."""

    def __init__(self, channel: WebSocket) -> None:
        self._channel = channel
        self._last = 0
        self.ask("session.new", capabilities={})
        self._context = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, location: Path | str) -> None:
        """Open a file or an address."""
        navigation = {"context": self._context, "url": _make_address(location), "wait": "complete"}
        self.ask("browsingContext.navigate", **navigation)

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; a promise is awaited."""
        result = self.ask(
            "script.evaluate",
            expression=f"(async () => JSON.stringify([await ({expression})]))()",
            target={"context": self._context},
            awaitPromise=True,
        )
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])[0]

    def choose(self, field: str, path: Path) -> None:
        """Choose a file of this computer in an input element."""
        expression, target = f"document.getElementById({field!r})", {"context": self._context}
        parameters = {"expression": expression, "target": target, "awaitPromise": False}
        element = {"sharedId": self.ask("script.evaluate", **parameters)["result"]["sharedId"]}
        self.ask("input.setFiles", context=self._context, element=element, files=[str(path)])

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a command of the protocol, and return its result."""
        self._last += 1
        self._channel.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._channel.receive())
            if answer.get("id") == self._last:
                assert answer["type"] == "success", answer
                result: dict[str, Any] = answer["result"]
                return result


class WebKit:
    """A tab of WebKit, driven by WebDriver."""

    def __init__(self, port: int, browser: str) -> None:
        self._port, self._home = port, ""
        windows = "--javascript-can-open-windows-automatically=true"
        options = {"binary": browser, "args": ["--automation", windows]}
        capabilities = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        session = self.ask("/session", capabilities=capabilities)["sessionId"]
        self._home = f"/session/{session}"
        self.ask("/timeouts", script=1000 * _ANSWERS_WITHIN)

    def open(self, location: Path | str) -> None:
        """Open a file or an address."""
        self.ask("/url", url=_make_address(location))

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; a promise is awaited."""
        script = f"(async () => JSON.stringify([await ({expression})]))()"
        script = f"const done = arguments[0]; {script}.then(done, (error) => done(`${{error}}`))"
        result = self.ask("/execute/async", script=script, args=[])
        assert result.startswith("["), result
        return json.loads(result)[0]

    def ask(self, path: str, *, method: str = "POST", **parameters: Any) -> Any:
        """Send a command of the protocol, and return its result."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_ANSWERS_WITHIN)
        with closing(connection):
            connection.request(method, self._home + path, json.dumps(parameters))
            answer = json.load(connection.getresponse())["value"]
        assert answer is None or "error" not in answer, answer
        return answer

    def close(self) -> None:
        """End the browser."""
        self.ask("", method="DELETE")


@contextmanager
def open_any_browser(program: str, folder: Path) -> Iterator[Opener]:
    """Return a context with a browser, started with an empty profile in a folder."""
    functions: dict[str, Callable[[Path], AbstractContextManager[Opener]]] = {
        "chromium": open_browser, "firefox-esr": _open_firefox, "WebKitWebDriver": _open_webkit,
    }  # fmt: skip
    with functions[program](folder) as opener:
        yield opener


@contextmanager
def _open_firefox(folder: Path) -> Iterator[Firefox]:
    options = ("--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(folder))
    with start_browser(["firefox-esr", *options], folder, subprocess.PIPE) as process:
        assert process.stderr is not None
        port = int(_find_line(process.stderr, rb"BiDi listening on ws://127\.0\.0\.1:(\d+)")[1])
        with closing(WebSocket(port, "/session")) as channel:
            yield Firefox(channel)


@contextmanager
def _open_webkit(folder: Path) -> Iterator[WebKit]:
    browser = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    with ExitStack() as exit_stack:
        read_end, write_end = os.pipe()
        exit_stack.callback(os.close, read_end)
        command = ["Xvfb", "-displayfd", str(write_end), "-nolisten", "tcp"]
        exit_stack.enter_context(
            start_browser(command, folder, subprocess.DEVNULL, pass_fds=(write_end,))
        )
        os.close(write_end)
        with os.fdopen(os.dup(read_end), "rb", buffering=0) as display:
            number = _find_line(display, rb"(\d+)")[1].decode()
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        environment = {"DISPLAY": f":{number}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        command = ["WebKitWebDriver", f"--port={port}"]
        exit_stack.enter_context(
            start_browser(command, folder, subprocess.DEVNULL, variables=environment)
        )
        _wait_for_port(port)
        yield exit_stack.enter_context(closing(WebKit(port, str(browser))))


@contextmanager
def start_browser(
    command: list[str],
    folder: Path,
    stderr: int,
    *,
    pass_fds: tuple[int, ...] = (),
    variables: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program whose files are in a folder, and end it when the context ends."""
    program = find_program(command[0])
    assert program is not None
    # Firefox stores large blobs below TMPDIR, and does not delete them when it ends.
    homes = dict.fromkeys(
        ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(folder)
    )
    process = subprocess.Popen(
        [program, *command[1:]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        pass_fds=pass_fds,
        env={**os.environ, **homes, **(variables or {})},
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)
        if process.stderr is not None:
            process.stderr.close()


def _make_address(location: Path | str) -> str:
    return location if isinstance(location, str) else location.as_uri()


def _find_line(stream: IO[bytes], pattern: bytes) -> re.Match[bytes]:
    """Return the match in the first line of a stream that matches a pattern."""
    deadline, text = time.monotonic() + _STARTS_WITHIN, b""
    while (match := re.search(pattern + rb".*\n", text)) is None:
        assert select.select([stream], [], [], deadline - time.monotonic())[0], text
        new_bytes = os.read(stream.fileno(), 4096)
        assert new_bytes, text
        text += new_bytes
    return match


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + _STARTS_WITHIN
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return
