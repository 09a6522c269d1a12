"""The server behind the page: for this computer, and for the one page that redeemed the token."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import sys
from collections import OrderedDict
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from sudokucrypt.cli.messages import describe, say
from sudokucrypt.errors import OutputExistsError, SudokucryptError, format_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sudokucrypt.cli.open.folder import Folder

_ADDRESS: Final = "127.0.0.1"
_STRANGERS: Final = 64  # connections that have not shown the secret; beyond, the oldest ends
_PATIENCE: Final = 60  # seconds
_PIECE: Final = 1 << 20
_RANGE = re.compile(r"bytes=([0-9]{1,15})-([0-9]{1,15})")
_LENGTH = re.compile(r"[0-9]{1,12}")
_CALL = re.compile(r"/(redeem|hold|list|write|read/(0|[1-9][0-9]{0,8}))")
_ALWAYS: Final = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"


class PageServer(ThreadingMixIn, TCPServer):
    """Serves the page, and a folder to the one page that redeems the token; use it with `with`.

    Raises `SudokucryptError` if the port is taken, or is not for this user.

    Parameters
    ----------
    page : bytes
        The page, which holds no secret: anyone on this computer may read it.
    alone : bytes
        The page without a folder, of which the other one makes albums.
    folder : Folder or None
        What is listed, read and written; without one, these calls are refused.
    keys : mapping
        What the page is told once, when it redeems the token.
    port : int
        0 takes any that is free.
    redeemed : callable
        Called when the token was redeemed.
    """

    allow_reuse_address = os.name == "posix"  # elsewhere another program could share the port
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self,
        page: bytes,
        alone: bytes,
        folder: Folder | None = None,
        keys: Mapping[str, Any] | None = None,
        *,
        port: int = 0,
        redeemed: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder = folder
        self.pages = {"/": page, "/page.html": alone}
        self.token, self._secret = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self._keys = dict(keys or {})
        self._redeemed = redeemed
        self._open = True  # whether the token may be redeemed
        self._lock = Lock()
        self._strangers: OrderedDict[socket.socket, None] = OrderedDict()
        try:
            super().__init__((_ADDRESS, port), _Handler)
        except OSError as error:
            raise SudokucryptError(
                f"cannot listen on port {port}: {format_reason(error)}",
                hint="leave out --port to take a free one",
            ) from None
        self.port: int = self.socket.getsockname()[1]
        hosts = {_ADDRESS, "localhost"}
        self.hosts = {f"{host}:{self.port}" for host in hosts}
        if self.port == 80:  # which browsers leave out
            self.hosts |= hosts

    @property
    def url(self) -> str:
        """The address that opens the page once; browsers send what follows # to nobody."""
        return f"http://{_ADDRESS}:{self.port}/#{self.token}"

    def redeem(self, token: str) -> dict[str, Any] | None:
        """Return the session's secret and settings to the first caller, and None to any other."""
        with self._lock:
            right = secrets.compare_digest(token.encode(), self.token.encode())
            if not (right and self._open):
                return None
            self._open = False
        keys, self._keys = self._keys, {}  # handed over once
        self._redeemed()
        name = None if self.folder is None else self.folder.name
        return {"secret": self._secret, "folder": name, **keys}

    def is_page(self, secret: str) -> bool:
        """Return whether a request is one of the page that redeemed the token."""
        known = secrets.compare_digest(secret.encode(), self._secret.encode())
        return known and not self._open

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; whoever is silent makes room for whoever comes."""
        with self._lock:
            self._strangers[request] = None
            oldest = next(iter(self._strangers)) if len(self._strangers) > _STRANGERS else None
            if oldest is not None:
                del self._strangers[oldest]
        if oldest is not None:
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def forget(self, request: Any) -> None:
        """Count a connection no more among those that may have to make room."""
        with self._lock:
            self._strangers.pop(request, None)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.forget(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong, unless the browser just went away."""
        del request, client_address
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, OSError):
            say("error", describe(error))


class _Handler(BaseHTTPRequestHandler):
    """Answers one request; whatever it does not know gets an empty answer."""

    server: PageServer
    timeout = _PATIENCE
    protocol_version = "HTTP/1.1"  # older answers have no parts
    default_request_version = "HTTP/1.0"  # so that even what is no request gets a status

    def do_GET(self) -> None:
        """Send the page, which holds no secret."""
        if not self._is_for_us():
            self._answer(HTTPStatus.FORBIDDEN)
        elif (content := self.server.pages.get(self._get_target())) is None:
            self._answer(HTTPStatus.NOT_FOUND)
        else:
            rules = f"{_find_policy(content)}; frame-ancestors 'none'"
            headers = {"Content-Type": "text/html; charset=utf-8"}
            self._answer(HTTPStatus.OK, content, headers, rules)

    do_HEAD = do_GET  # noqa: N815 - the name that the library looks for

    def do_POST(self) -> None:
        """Answer a call of the page."""
        # A page from elsewhere may send a form here, but not pretend to be this one.
        origins = {f"http://{host}" for host in self.server.hosts}
        call = _CALL.fullmatch(self._get_target())
        if not self._is_for_us() or self._get_only_header("Origin") not in origins:
            self._answer(HTTPStatus.FORBIDDEN)
        elif call is None:
            self._answer(HTTPStatus.NOT_FOUND)
        elif "Transfer-Encoding" in self.headers or not _LENGTH.fullmatch(
            self._get_only_header("Content-Length")
        ):
            self._answer(HTTPStatus.BAD_REQUEST)
        elif call[1] == "redeem":
            self._redeem()
        elif not self.server.is_page(self._get_only_header("X-Secret")):
            self._answer(HTTPStatus.FORBIDDEN)
        elif self.server.folder is None:
            self._answer(HTTPStatus.NOT_FOUND)
        else:
            self.server.forget(self.request)
            self._attempt(call, self.server.folder)

    def _attempt(self, call: re.Match[str], folder: Folder) -> None:
        """Do what the page asks for, and answer with what is wrong if that fails."""
        try:
            if call[1] == "hold":
                self._hold()
            elif call[1] == "list":
                self._send_json(folder.list_files())
            elif call[1] == "write":
                self._send_json({"name": self._write(folder)})
            else:
                self._send_file(folder, int(call[2]))
        except (ConnectionError, TimeoutError):
            raise  # the browser went away
        except Exception as error:
            self._say(HTTPStatus.UNPROCESSABLE_ENTITY, describe(error))

    def _redeem(self) -> None:
        """Give the secret to anyone who has the token first."""
        answer = self.server.redeem(self._get_only_header("X-Token"))
        if answer is None:
            self._answer(HTTPStatus.FORBIDDEN)
        else:
            self._send_json(answer)

    def _hold(self) -> None:
        """Begin an answer that ends with the program.

        Anyone who takes the port then must not get what the page would write.
        """
        self._begin(HTTPStatus.OK, 1, {}, _NOTHING)
        self.connection.settimeout(None)
        self.rfile.read(1)  # until the page goes away

    def _write(self, folder: Folder) -> str | None:
        """Write the body as a file; return its name, or None if one has this name."""
        body = self._iterate_body()
        try:
            return folder.write(unquote(self._get_only_header("X-Name")), body)
        except OutputExistsError:
            return None
        finally:  # a browser that still sends would not read the answer
            for _ in body:
                pass

    def _iterate_body(self) -> Iterator[bytes]:
        """Yield the body in pieces; one that ends too soon is an error, and nothing is written."""
        left = int(self._get_only_header("Content-Length"))
        while left:
            piece = self.rfile.read(min(left, _PIECE))
            if not piece:
                raise SudokucryptError("the file did not arrive whole")
            left -= len(piece)
            yield piece

    def _send_file(self, folder: Folder, number: int) -> None:
        """Send a file, or the part of it that was asked for."""
        with folder.open(number) as file:
            size = os.fstat(file.fileno()).st_size
            asked = _RANGE.fullmatch(self._get_only_header("Range"))
            first, end = (int(asked[1]), int(asked[2]) + 1) if asked else (0, size)
            first, end = min(first, size), min(max(first, end), size)
            file.seek(first)
            status = HTTPStatus.PARTIAL_CONTENT if asked else HTTPStatus.OK
            headers = {"Content-Type": "application/octet-stream", "X-Size": str(size)}
            self._begin(status, end - first, headers, _NOTHING)
            for start in range(first, end, _PIECE):  # each piece has its own time
                piece = file.read(min(_PIECE, end - start))
                self.wfile.write(piece)
                if len(piece) < min(_PIECE, end - start):
                    return  # the file became shorter; so the answer ends before its length

    def _is_for_us(self) -> bool:
        """Return whether the request names this server; another name may lead here by a trick."""
        return self._get_only_header("Host").lower() in self.server.hosts

    def _get_target(self) -> str:
        """Return the target as it came: what is not just so is not found, however it resolves."""
        return self.requestline.partition(" ")[2].partition(" ")[0]

    def _get_only_header(self, name: str) -> str:
        """Return the value of a header that is there once, and nothing otherwise."""
        values = self.headers.get_all(name, [])
        return values[0] if len(values) == 1 else ""

    def _send_json(self, value: Any) -> None:
        data = json.dumps(value).encode("ascii")
        self._answer(HTTPStatus.OK, data, {"Content-Type": "application/json"})

    def _say(self, status: HTTPStatus, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self._answer(status, data, {"Content-Type": "text/plain; charset=utf-8"})

    def _answer(
        self,
        status: HTTPStatus,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
        rules: str = _NOTHING,
    ) -> None:
        """Send a whole answer; neither the program nor its version is named."""
        self._begin(status, len(content), headers or {}, rules)
        if self.command != "HEAD":
            self.wfile.write(content)

    def _begin(
        self, status: HTTPStatus, length: int, headers: Mapping[str, str], rules: str
    ) -> None:
        self.close_connection = True
        self.send_response_only(status)
        fields = {**_ALWAYS, "Content-Security-Policy": rules, **headers}
        for name, value in {**fields, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not a request that we know with an empty answer."""
        del message, explain
        status = HTTPStatus(code)
        unknown = status is HTTPStatus.NOT_IMPLEMENTED
        headers = {"Allow": "GET, HEAD, POST"} if unknown else {}
        self._answer(HTTPStatus.METHOD_NOT_ALLOWED if unknown else status, headers=headers)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's
        """Log nothing."""


def _find_policy(page: bytes) -> str:
    """Return the policy that the page states, which the server repeats in a header."""
    stated = re.search(rb'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    return stated[1].decode("ascii") if stated else _NOTHING
