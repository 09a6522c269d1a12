"""The server of a gallery: for this computer, for whoever has the token, and from memory alone."""

import json
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import quote, unquote

from sudokucrypt.cli.gallery.contents import Gallery, GalleryEntry
from sudokucrypt.cli.gallery.html import page_parts, policy
from sudokucrypt.cli.gallery.workbench import MOST_BYTES, Task, Upload, Workbench
from sudokucrypt.cli.messages import describe, say
from sudokucrypt.errors import SudokucryptError, reason_of
from sudokucrypt.recipes import PlainFile
from sudokucrypt.typing import Buffer, Region

_ADDRESS = "127.0.0.1"
# More than a browser opens at once, and few enough for their threads and memory.
_CONNECTIONS = 64
_AT_A_TIME = 2  # files that are decrypted, and held until they are sent
_PATIENCE = 60  # seconds
# Bytes at a time, so that a slow reader of a large file does not run out of its time.
_PIECE = 1 << 20
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_PATH = re.compile(r"/([A-Za-z0-9_-]+)/(?:(preview|file|result)/(0|[1-9][0-9]{0,8}))?")
_TASK = re.compile(r"/([A-Za-z0-9_-]+)/(open|protect|redact)")
_LENGTH = re.compile(r"[0-9]{1,10}")
_SHOWN = re.compile(
    r"image/(avif|bmp|gif|heic|heif|jpeg|jxl|png|tiff|webp)|application/pdf|text/plain"
    r"|(audio|video)/(3gpp|aac|flac|mp4|mpeg|ogg|quicktime|wav|webm|x-flac|x-m4v|x-matroska|x-wav)"
)
"""What a browser may show: nothing that can hold scripts of its own, such as HTML, SVG and XML."""

_CHARSETS: dict[str | None, str] = {"text/plain": "text/plain; charset=utf-8"}
_ALWAYS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOTHING = "default-src 'none'; frame-ancestors 'none'"
_RULES = {
    "application": "frame-ancestors 'none'",  # PDF, for which browsers have viewers of their own
    "audio": f"{_NOTHING}; media-src 'self'; style-src 'unsafe-inline'",  # loaded once more
    "image": f"{_NOTHING}; style-src 'unsafe-inline'; sandbox",
    "text": f"{_NOTHING}; sandbox",
    "video": f"{_NOTHING}; media-src 'self'; style-src 'unsafe-inline'",
}
"""What the pages may load and run in which browsers show files, by the kind of the file."""


class GalleryServer(ThreadingMixIn, TCPServer):
    """Shows a gallery under a secret address; use it in a `with` statement.

    Requests name its files by their numbers, never by paths; without a workbench, files are looked
    at alone. Port 0 takes any that is free. Raises `SudokucryptError` if the port is taken, or not
    for this user.
    """

    allow_reuse_address = os.name == "posix"  # elsewhere another program could share the port
    daemon_threads = True
    block_on_close = False
    request_queue_size = 32

    def __init__(self, gallery: Gallery, port: int = 0, workbench: Workbench | None = None) -> None:
        self.gallery, self.workbench = gallery, workbench
        self.token = secrets.token_urlsafe(32)
        self.work = BoundedSemaphore(_AT_A_TIME)
        # The latest file of which a part was asked for: who moves about in a film asks for many.
        self.held: tuple[GalleryEntry, PlainFile] | None = None
        self._connections = BoundedSemaphore(_CONNECTIONS)
        try:
            super().__init__((_ADDRESS, port), _Handler)
        except OSError as error:
            reason = reason_of(error)
            raise SudokucryptError(
                f"cannot listen on port {port}: {reason}",
                hint="leave out --port to take a free one",
            ) from None
        self.port: int = self.socket.getsockname()[1]
        hosts = {_ADDRESS, "localhost"}
        self.hosts = {f"{host}:{self.port}" for host in hosts}
        if self.port == 80:  # which browsers leave out
            self.hosts |= hosts

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{_ADDRESS}:{self.port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, unless too many are at work."""
        if self._connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong, unless the browser just went away."""
        del request, client_address
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, OSError):
            say("error", describe(error))


class _Handler(BaseHTTPRequestHandler):
    """Answers one request; whatever it does not know gets an empty page."""

    server: GalleryServer
    timeout = _PATIENCE
    protocol_version = "HTTP/1.1"  # older answers have no parts
    default_request_version = "HTTP/1.0"  # so that even what is no request gets a status

    def do_GET(self) -> None:
        """Send the page, a preview or a file."""
        server = self.server
        match = self._matched(_PATH)
        if match is None:
            return
        entries, index = server.gallery.entries, int(match[3] or 0)
        if match[2] is None:
            working = server.workbench is not None
            rules = f"{policy(served=True, working=working)}; frame-ancestors 'none'"
            headers = {"Content-Type": "text/html; charset=utf-8"}
            parts = page_parts(server.gallery, served=True, working=working)
            self._answer(HTTPStatus.OK, parts, headers, rules)
        elif match[2] == "result":
            self._send_result(index)
        elif index >= len(entries):
            self._answer(HTTPStatus.NOT_FOUND)
        elif match[2] == "preview":
            self._send_preview(entries[index])
        else:
            self._send_file(entries[index])

    do_HEAD = do_GET  # noqa: N815 - the name that the library looks for

    def do_POST(self) -> None:
        """Take a file that the page hands in, and say what came of it."""
        bench = self.server.workbench
        if bench is None:  # a gallery is looked at, and takes nothing
            self.send_error(HTTPStatus.NOT_IMPLEMENTED)
            return
        match = self._matched(_TASK)
        if match is None:
            return
        # A page from elsewhere may send a form here, but not pretend to be this one.
        origins = {f"http://{host}" for host in self.server.hosts}
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Origin") not in origins:
            self._answer(HTTPStatus.FORBIDDEN)
        elif not _LENGTH.fullmatch(length) or int(length) > MOST_BYTES:
            self._say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the file is larger than 1 GiB")
        else:
            self._attempt(lambda: self._do_task(bench.tasks[match[2]], int(length)))

    def _do_task(self, task: Task, length: int) -> None:
        upload = Upload(
            name=unquote(self.headers.get("X-Name", "")) or "input",
            data=self.rfile.read(length),
            regions=_regions(self.headers.get("X-Regions", "")),
        )
        data = json.dumps(task(upload)).encode("ascii")
        self._answer(HTTPStatus.OK, [data], {"Content-Type": "application/json"})

    def _matched(self, form: re.Pattern[str]) -> re.Match[str] | None:
        """Return what a path in this form names; what is none or has no token is answered."""
        named = self.headers.get_all("Host", [])
        if len(named) != 1 or named[0].lower() not in self.server.hosts:
            self._answer(HTTPStatus.FORBIDDEN)  # another name may lead here, as by DNS rebinding
            return None
        # The line as it came: what is not just so is not found, however it might be resolved.
        match = form.fullmatch(self.requestline.partition(" ")[2].partition(" ")[0])
        token = match[1] if match else ""
        if secrets.compare_digest(token.encode(), self.server.token.encode()):
            return match
        self._answer(HTTPStatus.NOT_FOUND)
        return None

    def _send_preview(self, entry: GalleryEntry) -> None:
        preview = self.server.gallery.preview(entry)
        if preview is None:
            self._answer(HTTPStatus.NOT_FOUND)
        else:
            self._answer(HTTPStatus.OK, [preview], {"Content-Type": "image/webp"})

    def _send_result(self, index: int) -> None:
        bench = self.server.workbench
        result = None if bench is None else bench.result(index)
        if result is None:
            self._answer(HTTPStatus.NOT_FOUND)
        else:
            self._send_plain(result)

    def _send_file(self, entry: GalleryEntry) -> None:
        self._attempt(lambda: self._send_plain(self._opened(entry)))

    def _attempt(self, work: Callable[[], None]) -> None:
        """Do work that takes memory, and answer with what is wrong if it fails."""
        if not self.server.work.acquire(timeout=_PATIENCE):
            self._say(HTTPStatus.SERVICE_UNAVAILABLE, "other files are being sent: try again")
            return
        try:
            work()
        except Exception as error:
            ours = isinstance(error, SudokucryptError)
            if isinstance(error, OSError) and not ours:
                raise  # the browser went away
            status = HTTPStatus.CONFLICT if ours else HTTPStatus.INTERNAL_SERVER_ERROR
            self._say(status, describe(error))
        finally:
            self.server.work.release()

    def _send_plain(self, opened: PlainFile) -> None:
        kind = opened.type if opened.type and _SHOWN.fullmatch(opened.type) else None
        disposition = "attachment" if kind is None else "inline"
        name = quote(opened.name, safe="", errors="replace")
        headers = {
            "Accept-Ranges": "bytes",
            "Content-Type": _CHARSETS.get(kind, kind) or "application/octet-stream",
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
        }
        status, content = HTTPStatus.OK, memoryview(opened.content)
        part = self._part(len(content))
        if part is not None:
            there = f"{part.start}-{part.stop - 1}" if part else "*"
            headers["Content-Range"] = f"bytes {there}/{len(content)}"
            content = content[part.start : part.stop]
            status = (
                HTTPStatus.PARTIAL_CONTENT if part else HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
            )
        rules = _RULES.get((kind or "").partition("/")[0], _NOTHING)
        self._answer(status, [content], headers, rules)

    def _opened(self, entry: GalleryEntry) -> PlainFile:
        """Return the plain file, and hold it if a part of it was asked for."""
        held = self.server.held
        if "Range" not in self.headers:
            return self.server.gallery.open(entry)
        if held is not None and held[0] is entry:
            return held[1]
        self.server.held = None  # its memory may be needed
        opened = self.server.gallery.open(entry)
        self.server.held = entry, opened
        return opened

    def _part(self, size: int) -> range | None:
        """Return which bytes were asked for, none of them if there are none such, or no part."""
        match = _RANGE.fullmatch(self.headers.get("Range", ""))
        # A condition compares with a version that was named, and no answer of ours names one.
        if match is None or not any(match.groups()) or "If-Range" in self.headers:
            return None
        first, last = match.groups()
        if not first:
            return range(size - min(int(last), size), size)
        if last and int(last) < int(first):
            return None
        start = min(int(first), size)
        return range(start, max(start, min(int(last) + 1, size)) if last else size)

    def _say(self, status: HTTPStatus, text: str) -> None:
        data = f"sudokucrypt: {text}\n".encode("utf-8", "replace")
        self._answer(status, [data], {"Content-Type": "text/plain; charset=utf-8"})

    def _answer(
        self,
        status: HTTPStatus,
        parts: Iterable[Buffer] = (),
        headers: Mapping[str, str] | None = None,
        rules: str = _NOTHING,
    ) -> None:
        """Send a whole answer; neither the program nor its version is named."""
        self.close_connection = True
        fields = {**_ALWAYS, "Content-Security-Policy": rules, **(headers or {})}
        if isinstance(parts, list | tuple):
            fields["Content-Length"] = str(sum(len(part) for part in parts))
        self.send_response_only(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        for part in parts:
            view = memoryview(part)
            for start in range(0, len(view), _PIECE):  # each piece has its own time
                self.wfile.write(view[start : start + _PIECE])

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no request that we know with an empty page."""
        del message, explain
        status = HTTPStatus(code)
        unknown = status is HTTPStatus.NOT_IMPLEMENTED
        headers = {"Allow": "GET, HEAD"} if unknown else {}
        self._answer(HTTPStatus.METHOD_NOT_ALLOWED if unknown else status, headers=headers)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's
        """Log nothing: addresses hold the token."""


def _regions(text: str) -> tuple[Region, ...]:
    """Read rectangles that the page drew: X,Y,W,H of each, with semicolons between them."""
    return tuple(Region.xywh(*map(int, part.split(","))) for part in text.split(";") if part)
