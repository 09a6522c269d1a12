"""The server of the page, for this computer only; one page gets access to the folder."""

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

from sudokucrypt.cli.messages import describe_error, say
from sudokucrypt.errors import OutputExistsError, SudokucryptError, format_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sudokucrypt.cli.open.folder import Folder

_ADDRESS: Final = "127.0.0.1"
_MAX_UNKNOWN_CONNECTIONS: Final = (
    64  # connections that have not sent the secret; if there are more, the oldest is closed
)
_TIMEOUT_SECONDS: Final = 60  # seconds without data, after which a connection is closed
_TRANSFER_BYTES: Final = 1 << 20
_BYTE_RANGE_PATTERN = re.compile(r"bytes=([0-9]{1,15})-([0-9]{1,15})")
_LENGTH_PATTERN = re.compile(r"[0-9]{1,12}")
_CALL_PATH_PATTERN = re.compile(r"/(redeem|hold|list|write|read/(0|[1-9][0-9]{0,8}))")
_COMMON_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_EMPTY_ANSWER_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"


class PageServer(ThreadingMixIn, TCPServer):
    """Serve the page, and a folder to the page that redeems the token; use in a `with` statement.

    Raises `SudokucryptError` if the port is in use, or this user may not use it.

    Parameters
    ----------
    page : bytes
        The page, which contains no secret: anyone on this computer may read it.
    page_without_folder : bytes
        The page without the code for folders, from which `page` makes albums.
    folder : Folder or None
        The folder that the page works on; without a folder, its calls are refused.
    keys : mapping
        Keys and passphrase, which are sent to the page once, when it redeems the token.
    port : int
        The port to listen on; 0 chooses a free one.
    on_redeemed : callable
        Called once the token is redeemed.
    """

    # On Windows, reuse would let another program share the port.
    allow_reuse_address = os.name == "posix"
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self,
        page: bytes,
        page_without_folder: bytes,
        folder: Folder | None = None,
        keys: Mapping[str, Any] | None = None,
        *,
        port: int = 0,
        on_redeemed: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder = folder
        self.pages = {"/": page, "/page.html": page_without_folder}
        self.token, self._secret = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self._keys = dict(keys or {})
        self._on_redeemed = on_redeemed
        self._is_redeemable = True  # whether the token was not used yet
        self._lock = Lock()
        self._unknown_connections: OrderedDict[socket.socket, None] = OrderedDict()
        try:
            super().__init__((_ADDRESS, port), _Handler)
        except OSError as error:
            raise SudokucryptError(
                f"cannot listen on port {port}: {format_reason(error)}",
                hint="leave out --port to take a free one",
            ) from None
        self.port: int = self.socket.getsockname()[1]
        host_names = {_ADDRESS, "localhost"}
        self.hosts = {f"{host}:{self.port}" for host in host_names}
        if self.port == 80:  # browsers omit this port in the header Host
            self.hosts |= host_names

    @property
    def url(self) -> str:
        """The address that opens the page once; browsers do not send the token after the #."""
        return f"http://{_ADDRESS}:{self.port}/#{self.token}"

    def redeem_token(self, token: str) -> dict[str, Any] | None:
        """Return the secret and settings of the session to the first caller with the token.

        Any other caller gets None.
        """
        with self._lock:
            is_correct = secrets.compare_digest(token.encode(), self.token.encode())
            if not (is_correct and self._is_redeemable):
                return None
            self._is_redeemable = False
        keys, self._keys = self._keys, {}  # the keys are sent only once
        self._on_redeemed()
        folder_name = None if self.folder is None else self.folder.name
        return {"secret": self._secret, "folder": folder_name, **keys}

    def is_page_secret(self, secret: str) -> bool:
        """Return whether a request has the secret of the page that redeemed the token."""
        is_correct = secrets.compare_digest(secret.encode(), self._secret.encode())
        return is_correct and not self._is_redeemable

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; if too many connections lack the secret, close the oldest one."""
        with self._lock:
            self._unknown_connections[request] = None
            oldest_connection = (
                next(iter(self._unknown_connections))
                if len(self._unknown_connections) > _MAX_UNKNOWN_CONNECTIONS
                else None
            )
            if oldest_connection is not None:
                del self._unknown_connections[oldest_connection]
        if oldest_connection is not None:
            with suppress(OSError):
                oldest_connection.shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def trust_connection(self, request: Any) -> None:
        """Stop counting a connection as one without the secret, so that it is not closed."""
        with self._lock:
            self._unknown_connections.pop(request, None)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.trust_connection(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error, unless the browser only closed the connection."""
        del request, client_address
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, OSError):
            say("error", describe_error(error))


class _Handler(BaseHTTPRequestHandler):
    """Answer one request; unknown requests get an empty answer."""

    server: PageServer
    timeout = _TIMEOUT_SECONDS
    protocol_version = "HTTP/1.1"  # HTTP/1.0 cannot answer with a part of a file
    default_request_version = "HTTP/1.0"  # with it, malformed requests also get a status

    def do_GET(self) -> None:
        """Send the page, which contains no secret."""
        if not self._has_valid_host_header():
            self._send_answer(HTTPStatus.FORBIDDEN)
        elif (content := self.server.pages.get(self._get_request_target())) is None:
            self._send_answer(HTTPStatus.NOT_FOUND)
        else:
            policy = f"{_find_policy(content)}; frame-ancestors 'none'"
            headers = {"Content-Type": "text/html; charset=utf-8"}
            self._send_answer(HTTPStatus.OK, content, headers, policy)

    do_HEAD = do_GET  # noqa: N815 - the name that the library looks for

    def do_POST(self) -> None:
        """Answer a call of the page."""
        # Any web page can make a browser send a form here, but only with its own origin.
        origins = {f"http://{host}" for host in self.server.hosts}
        path_match = _CALL_PATH_PATTERN.fullmatch(self._get_request_target())
        if not self._has_valid_host_header() or self._get_single_header("Origin") not in origins:
            self._send_answer(HTTPStatus.FORBIDDEN)
        elif path_match is None:
            self._send_answer(HTTPStatus.NOT_FOUND)
        elif "Transfer-Encoding" in self.headers or not _LENGTH_PATTERN.fullmatch(
            self._get_single_header("Content-Length")
        ):
            self._send_answer(HTTPStatus.BAD_REQUEST)
        elif path_match[1] == "redeem":
            self._redeem_token()
        elif not self.server.is_page_secret(self._get_single_header("X-Secret")):
            self._send_answer(HTTPStatus.FORBIDDEN)
        elif self.server.folder is None:
            self._send_answer(HTTPStatus.NOT_FOUND)
        else:
            self.server.trust_connection(self.request)
            self._answer_call(path_match, self.server.folder)

    def _answer_call(self, path_match: re.Match[str], folder: Folder) -> None:
        """Do what the page asks for; if that fails, answer with the error message."""
        try:
            if path_match[1] == "hold":
                self._hold_connection()
            elif path_match[1] == "list":
                self._send_json(folder.list_files())
            elif path_match[1] == "write":
                self._send_json({"name": self._receive_file(folder)})
            else:
                self._send_file(folder, int(path_match[2]))
        except (ConnectionError, TimeoutError):
            raise  # the browser closed the connection
        except Exception as error:
            self._send_text(HTTPStatus.UNPROCESSABLE_ENTITY, describe_error(error))

    def _redeem_token(self) -> None:
        """Send the secret of the session to the first request with the token."""
        answer = self.server.redeem_token(self._get_single_header("X-Token"))
        if answer is None:
            self._send_answer(HTTPStatus.FORBIDDEN)
        else:
            self._send_json(answer)

    def _hold_connection(self) -> None:
        """Begin an answer that lasts until the program ends, so that the page notices the end.

        Another program could use the port afterwards, and must not get data from the page.
        """
        self._begin_answer(HTTPStatus.OK, 1, {}, _EMPTY_ANSWER_POLICY)
        self.connection.settimeout(None)
        self.rfile.read(1)  # wait until the page is closed

    def _receive_file(self, folder: Folder) -> str | None:
        """Write the body of a request as a file; return its name, or None if the name exists."""
        body = self._iterate_body()
        try:
            return folder.write(unquote(self._get_single_header("X-Name")), body)
        except OutputExistsError:
            return None
        finally:  # read the rest, since a browser reads no answer while it sends
            for _ in body:
                pass

    def _iterate_body(self) -> Iterator[bytes]:
        """Yield the body of a request in pieces; raise an error if it ends too soon."""
        remaining_bytes = int(self._get_single_header("Content-Length"))
        while remaining_bytes:
            piece = self.rfile.read(min(remaining_bytes, _TRANSFER_BYTES))
            if not piece:
                raise SudokucryptError("the file did not arrive completely")
            remaining_bytes -= len(piece)
            yield piece

    def _send_file(self, folder: Folder, number: int) -> None:
        """Send a file, or the part that the header Range asks for."""
        with folder.open(number) as file:
            size = os.fstat(file.fileno()).st_size
            match = _BYTE_RANGE_PATTERN.fullmatch(self._get_single_header("Range"))
            range_start, range_end = (int(match[1]), int(match[2]) + 1) if match else (0, size)
            range_start, range_end = min(range_start, size), min(max(range_start, range_end), size)
            file.seek(range_start)
            status = HTTPStatus.PARTIAL_CONTENT if match else HTTPStatus.OK
            headers = {"Content-Type": "application/octet-stream", "X-Size": str(size)}
            self._begin_answer(status, range_end - range_start, headers, _EMPTY_ANSWER_POLICY)
            # The timeout applies to each piece.
            for piece_start in range(range_start, range_end, _TRANSFER_BYTES):
                piece = file.read(min(_TRANSFER_BYTES, range_end - piece_start))
                self.wfile.write(piece)
                if len(piece) < min(_TRANSFER_BYTES, range_end - piece_start):
                    return  # the file became shorter; the browser notices the missing bytes

    def _has_valid_host_header(self) -> bool:
        """Return whether the Host header names this server; an attacker's domain may lead here."""
        return self._get_single_header("Host").lower() in self.server.hosts

    def _get_request_target(self) -> str:
        """Return the target of the request without resolving it, so that only exact paths match."""
        return self.requestline.partition(" ")[2].partition(" ")[0]

    def _get_single_header(self, name: str) -> str:
        """Return the value of a header, or "" if the header is missing or repeated."""
        values = self.headers.get_all(name, [])
        return values[0] if len(values) == 1 else ""

    def _send_json(self, value: Any) -> None:
        content = json.dumps(value).encode("ascii")
        self._send_answer(HTTPStatus.OK, content, {"Content-Type": "application/json"})

    def _send_text(self, status: HTTPStatus, text: str) -> None:
        content = text.encode("utf-8", "replace")
        self._send_answer(status, content, {"Content-Type": "text/plain; charset=utf-8"})

    def _send_answer(
        self,
        status: HTTPStatus,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
        policy: str = _EMPTY_ANSWER_POLICY,
    ) -> None:
        """Send a complete answer, which does not name the program and its version."""
        self._begin_answer(status, len(content), headers or {}, policy)
        if self.command != "HEAD":
            self.wfile.write(content)

    def _begin_answer(
        self, status: HTTPStatus, length: int, headers: Mapping[str, str], policy: str
    ) -> None:
        self.close_connection = True
        self.send_response_only(status)
        all_headers = {**_COMMON_HEADERS, "Content-Security-Policy": policy, **headers}
        for name, value in {**all_headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send an empty answer to an unknown or malformed request."""
        del message, explain
        status = HTTPStatus(code)
        is_unknown_method = status is HTTPStatus.NOT_IMPLEMENTED
        headers = {"Allow": "GET, HEAD, POST"} if is_unknown_method else {}
        self._send_answer(
            HTTPStatus.METHOD_NOT_ALLOWED if is_unknown_method else status, headers=headers
        )

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's
        """Log nothing."""


def _find_policy(page: bytes) -> str:
    """Return the Content-Security-Policy in a page, which the server repeats in a header."""
    policy_match = re.search(rb'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    return policy_match[1].decode("ascii") if policy_match else _EMPTY_ANSWER_POLICY
