"""The server answers this computer, under its secret address, with files from its list."""

import http.client
import io
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import KeyDerivation, Passphrase, encrypt_file
from sudokucrypt.cli.finding import FileSearch, find_items
from sudokucrypt.cli.gallery.contents import Gallery, GalleryEntry, gather
from sudokucrypt.cli.gallery.html import page_parts
from sudokucrypt.cli.gallery.server import GalleryServer
from sudokucrypt.images import decode_picture
from sudokucrypt.recipes import PlainFile, read_sealed_info
from sudokucrypt.recipes.records import same_pictures
from tests.cli.conftest import KEY
from tests.cli.gallery import GALLERY
from tests.cli.gallery_page.conftest import FILES, HOSTILE, LIMITS, SECRET, tamper
from tests.cli.test_manners import begun

Answer = tuple[int, dict[str, str], bytes]


@pytest.fixture
def server(gallery: Gallery) -> Iterator[GalleryServer]:
    """The server at work."""
    with GalleryServer(gallery) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: GalleryServer, path: str, *, method: str = "GET", host: str | None = None, **more: str
) -> Answer:
    """Ask for a path just as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection._validate_path = lambda _: None  # type: ignore[attr-defined]
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", host or f"127.0.0.1:{server.port}")
    for name, value in more.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, data


def raw(server: GalleryServer, request: bytes) -> bytes:
    """Send bytes, and return what comes back."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request)
        pieces = []
        while piece := connection.recv(1 << 16):
            pieces.append(piece)
    return b"".join(pieces)


def parse_location(server: GalleryServer, name: str) -> str:
    """Return the path of a file."""
    names = [entry.name for entry in server.gallery.entries]
    return f"/{server.token}/file/{names.index(name)}"


def test_the_page(server: GalleryServer) -> None:
    """The page is what `page_parts` yields, and its previews are those that were sealed."""
    status, _, data = ask(server, f"/{server.token}/")
    assert (status, data) == (200, b"".join(page_parts(server.gallery, served=True)))
    assert server.url == f"http://127.0.0.1:{server.port}/{server.token}/"
    for index, entry in enumerate(server.gallery.entries):
        status, headers, data = ask(server, f"/{server.token}/preview/{index}")
        assert status == (200 if entry.preview else 404)
        assert data == (read_sealed_info(entry.path, SECRET).preview or b"")
        assert headers.get("content-type") == ("image/webp" if entry.preview else None)


def test_files_come_as_they_were(server: GalleryServer) -> None:
    """Bytes of files, and pictures of the same pixels, with their length and a name."""
    for name, (content, _) in FILES.items():
        status, headers, data = ask(server, parse_location(server, name))
        assert (status, data) == (200, content)
        assert headers["content-length"] == str(len(content))
    for name, source, kind in (
        ("pixels.encrypted.png", "RGBA.png", "pixels.png"),
        ("old.png", "L.png", "old.png"),
    ):
        status, headers, data = ask(server, parse_location(server, name))
        assert (status, headers["content-type"]) == (200, "image/png")
        assert headers["content-disposition"] == f"inline; filename*=UTF-8''{kind}"
        assert same_pictures(decode_picture(data), decode_picture(GALLERY[source]))


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=3-9", (3, 10)),
        ("bytes=5-", (5, None)),
        ("bytes=-4", (-4, None)),
        ("bytes=0-999999999999999999", (0, None)),
        ("bytes=-999999999", (0, None)),
    ],
)
def test_parts_of_files(server: GalleryServer, asked: str, part: tuple[int, int | None]) -> None:
    """Films are moved about in: a part comes with its place, and what it is a part of."""
    content = FILES["late.jpg"][0]
    expected = content[slice(*part)]
    status, headers, data = ask(server, parse_location(server, "late.jpg"), Range=asked)
    first = content.index(expected) if len(expected) > 3 else part[0]
    assert (status, data) == (206, expected)
    assert headers["content-range"] == (f"bytes {first}-{first + len(expected) - 1}/{len(content)}")
    assert headers["content-length"] == str(len(expected))
    assert headers["content-type"] == "image/jpeg"
    whole = ask(server, parse_location(server, "late.jpg"))
    assert (whole[0], whole[1]["accept-ranges"], whole[2]) == (200, "bytes", content)


@pytest.mark.parametrize(
    "asked", ["bytes=9-3", "bytes=-", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=٣-٤", ""]
)
def test_parts_that_are_none(server: GalleryServer, asked: str) -> None:
    """What is malformed, several parts, or asked for under a condition, gets all of the file."""
    path, content = parse_location(server, "late.jpg"), FILES["late.jpg"][0]
    assert ask(server, path, Range=asked.encode().decode("latin-1"))[::2] == (200, content)
    more = {"If-Range": '"x"', "Range": "bytes=0-1"}
    assert ask(server, path, **more)[::2] == (200, content)


@pytest.mark.parametrize("asked", ["bytes=999999-", "bytes=999999-9999999", "bytes=-0"])
def test_parts_beyond_the_end(server: GalleryServer, asked: str) -> None:
    """They are refused, with the size that there is."""
    status, headers, data = ask(server, parse_location(server, "late.jpg"), Range=asked)
    assert (status, data) == (416, b"")
    assert headers["content-range"] == f"bytes */{len(FILES['late.jpg'][0])}"
    assert ask(server, parse_location(server, "no suffix"), Range="bytes=0-")[0] == 416


def test_parts_are_decrypted_once(server: GalleryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the file of which a part was asked for last, others come from memory."""
    opened: list[str] = []
    plain = Gallery.open

    def noted(gallery: Gallery, entry: GalleryEntry) -> PlainFile:
        opened.append(entry.name)
        return plain(gallery, entry)

    monkeypatch.setattr(Gallery, "open", noted)
    for name in ("late.jpg", "late.jpg", "early.jpg", "late.jpg"):
        assert ask(server, parse_location(server, name), Range="bytes=1-2")[0] == 206
    assert opened == ["late.jpg", "early.jpg", "late.jpg"]


def test_what_could_run_is_not_shown(server: GalleryServer) -> None:
    """Pictures, PDF and plain text are shown; HTML, SVG and all else is for saving alone."""
    shown = {"early.jpg": "image/jpeg", "late.jpg": "image/jpeg", "a paper.pdf": "application/pdf",
             "notes.txt": "text/plain; charset=utf-8"}  # fmt: skip
    for name in FILES:
        _, headers, _ = ask(server, parse_location(server, name))
        assert headers["content-type"] == shown.get(name, "application/octet-stream")
        position, _, called = headers["content-disposition"].partition("; ")
        assert position == ("inline" if name in shown else "attachment")
        assert called.startswith("filename*=UTF-8''")
        if name == HOSTILE:
            assert called == "filename*=UTF-8''%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E" \
                "_gpj.html"  # fmt: skip


@pytest.mark.parametrize("name", ["text/html", "image/svg+xml", "application/xhtml+xml",
                                  "text/xml", "text/javascript", "image/png; charset=x",
                                  "multipart/x-mixed-replace", "message/rfc822"])  # fmt: skip
def test_types_that_are_not_shown(
    server: GalleryServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whatever type was sealed, only those on our list reach the browser."""
    opened = PlainFile(name="x", type=name, content=b"data")
    monkeypatch.setattr(Gallery, "open", lambda *_: opened)
    _, headers, _ = ask(server, f"/{server.token}/file/0")
    assert headers["content-type"] == "application/octet-stream"
    assert headers["content-disposition"].startswith("attachment")


def test_every_answer_is_guarded(server: GalleryServer) -> None:
    """Nothing is kept, sniffed, framed or told to others, and the server does not name itself."""
    good = f"/{server.token}/"
    for path, more in (
        (good, {}), (f"{good}file/0", {}), (f"{good}preview/0", {}), ("/", {}),
        (good, {"host": "evil.example"}), (good, {"method": "POST"}),
    ):  # fmt: skip
        _, headers, _ = ask(server, path, **more)
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert not {"server", "date", "access-control-allow-origin", "set-cookie"} & set(headers)
        assert server.token not in str(headers)


def test_only_the_secret_address(server: GalleryServer) -> None:
    """Anything but the token gives 404 and an empty page."""
    token = server.token
    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    for first in (wrong, token[:-1], token + "A", token.swapcase(), "", "x" * 5000):
        for rest in ("/", "/file/0", "/preview/0"):
            assert ask(server, f"/{first}{rest}")[::2] == (404, b"")
    assert len(token) == 43


def test_other_hosts(server: GalleryServer) -> None:
    """A name that leads here by a trick, no name and two names are refused; localhost is not."""
    port, path = server.port, f"/{server.token}/"
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}",
                 f"127.0.0.1:{port}.evil.example", f"[::1]:{port}", "0.0.0.0", " "):  # noqa: S104  # fmt: skip
        assert ask(server, path, host=host)[::2] == (403, b"")
    assert ask(server, path, host=f"LocalHost:{port}")[0] == 200
    here = f"Host: 127.0.0.1:{port}\r\n".encode()
    line = f"GET {path} HTTP/1.1\r\n".encode()
    assert raw(server, line + here + b"\r\n").startswith(b"HTTP/1.1 200 ")
    for lines in (b"", here + here, here + b"Host: evil.example\r\n"):
        assert raw(server, line + lines + b"\r\n").startswith(b"HTTP/1.1 403 ")


def test_only_this_computer(server: GalleryServer) -> None:
    """It listens at the loopback address, and at no other of this computer."""
    assert server.socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=5).close()


def test_paths_are_numbers(server: GalleryServer) -> None:
    """Dots, slashes, escapes, signs, leading zeros and numbers out of range are not found."""
    token, count = server.token, len(server.gallery.entries)
    for path in (
        f"/{token}", f"//{token}/", f"/{token}//", f"/./{token}/", f"/{token}/?x", f"/{token}/#x",
        f"/{token}/..", f"/{token}/../{token}/", f"/{token}/%2e%2e/", f"/{token}/file/",
        f"/{token}/file/..", f"/{token}/file/%2e%2e%2fetc%2fpasswd", f"/{token}/file/../file/0",
        f"/{token}/file//0", f"/{token}/file/0/", f"/{token}/file/00", f"/{token}/file/-1",
        f"/{token}/file/+0", f"/{token}/file/0.png", f"/{token}/file/%30", f"/{token}/file/\u0660",
        f"/{token}/file/{count}", f"/{token}/file/999999999", f"/{token}/file/{'9' * 5000}",
        f"/{token}/file/0%00", f"/{token}/file\\0", f"/{token}/FILE/0", f"/{token}/safe/1.png",
        f"http://127.0.0.1:{server.port}/{token}/", "*", "/etc/passwd", "/favicon.ico",
        f"/{token}/page.css", f"/{token}/file/1e0", f"/%2f{token}/", f"/{token}/file/0\x0b",
    ):  # fmt: skip
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
        head, _, body = raw(server, request.encode()).partition(b"\r\n\r\n")
        assert head.split()[1] in (b"400", b"404"), path
        assert not body


def test_other_methods(server: GalleryServer) -> None:
    """Only GET and HEAD are known; HEAD has the headers and no body."""
    for path in ("/", f"/{server.token}/", f"/{server.token}/file/0"):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "get"):
            status, headers, data = ask(server, path, method=method)
            assert (status, headers["allow"], data) == (405, "GET, HEAD", b"")
    status, headers, data = ask(server, f"/{server.token}/file/0", method="HEAD")
    assert (status, data) == (200, b"")
    assert headers["content-length"] == str(len(FILES["early.jpg"][0]))
    assert ask(server, "/", method="HEAD")[0] == 404


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", b"431"),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 70_000 + b"\r\n\r\n", b"431"),
        (b"GET / HTTP/9.9\r\n\r\n", b"505"),
        (b"GET / x y HTTP/1.1\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"400"),
    ],
)
def test_requests_that_are_none(server: GalleryServer, request_: bytes, code: bytes) -> None:
    """Lines and headers without end, and noise, get their code and an empty page."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request_)
        head, _, body = connection.recv(1 << 16).partition(b"\r\n\r\n")
    assert code in head.split()[:2]
    assert not body
    assert b"Server:" not in head
    assert ask(server, f"/{server.token}/")[0] == 200


def test_a_file_that_was_changed(server: GalleryServer, capfd: Any) -> None:
    """A picture that is not what it was, or is gone, gives one sentence and no byte of it."""
    paths = {entry.name: entry.path for entry in server.gallery.entries}
    tamper(paths["early.jpg"])
    status, headers, data = ask(server, parse_location(server, "early.jpg"))
    assert (status, headers["content-type"]) == (409, "text/plain; charset=utf-8")
    assert data == b"sudokucrypt: wrong key, or the picture or its header was changed\n"
    paths["late.jpg"].unlink()
    status, _, data = ask(server, parse_location(server, "late.jpg"))
    assert status == 409
    assert b"no such file" in data
    assert not capfd.readouterr().err


def test_surprises(server: GalleryServer, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """Even a fault of our own is a sentence, and no traceback is shown anywhere."""
    monkeypatch.setattr(Gallery, "open", lambda *_: 1 // 0)
    status, _, data = ask(server, f"/{server.token}/file/0")
    assert (status, data) == (500, b"sudokucrypt: unexpected ZeroDivisionError\n")
    monkeypatch.setattr(Gallery, "preview", lambda *_: 1 // 0)
    with pytest.raises(http.client.HTTPException):
        ask(server, f"/{server.token}/preview/0")
    assert capfd.readouterr().err == "sudokucrypt: error: unexpected ZeroDivisionError\n"


def test_nothing_is_logged(server: GalleryServer, capfd: Any) -> None:
    """Neither addresses nor browsers that go away are printed."""
    ask(server, f"/{server.token}/file/0")
    ask(server, "/nothing")
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(b"GET /" + server.token.encode())
    raw(server, b"nonsense\r\n\r\n")
    time.sleep(0.1)
    assert capfd.readouterr() == ("", "")


def test_few_at_a_time(server: GalleryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files at most are decrypted at a time, however many are asked for."""
    at_work, most, lock = 0, 0, threading.Lock()

    def slow(_: Gallery, __: GalleryEntry) -> PlainFile:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.05)
        with lock:
            at_work -= 1
        return PlainFile(name="x", type=None, content=b"x")

    monkeypatch.setattr(Gallery, "open", slow)
    path, codes = f"/{server.token}/file/0", []
    threads = [
        threading.Thread(target=lambda: codes.append(ask(server, path)[0])) for _ in range(9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (codes, most) == ([200] * 9, 2)


def test_many_connections(server: GalleryServer) -> None:
    """Idle connections are bounded; those over the bound are closed, and others go on later."""
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(70)]
    idle[-1].settimeout(20)
    assert idle[-1].recv(1) == b""
    for connection in idle:
        connection.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            assert ask(server, f"/{server.token}/")[0] == 200
            break
        except (ConnectionError, http.client.HTTPException):
            time.sleep(0.05)
    else:
        pytest.fail("the server did not recover")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_end(safe: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is the usual end: code 0, no traceback, and nothing was written anywhere."""
    folder = safe.parent
    SECRET.to_file(folder / "my.key")
    (folder / "scratch").mkdir()
    for name in ("HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(folder / "scratch"))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    with begun(folder, "gallery", "safe", "-r", "--serve", *KEY) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        host, _, path = url.removeprefix("http://").partition("/")
        for position in ("", "file/0", "preview/0"):
            connection = http.client.HTTPConnection(host, timeout=20)
            connection.request("GET", f"/{path}{position}")
            assert connection.getresponse().status == 200
            connection.close()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert path.strip("/") not in err
    assert err.endswith(
        "sudokucrypt: note: only browsers on this computer can open this address; press Ctrl-C to "
        "end\nsudokucrypt: note: ended\n"
    )
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    with pytest.raises(ConnectionRefusedError):
        connection.connect()


def test_a_passphrase_is_derived_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a passphrase protects is shown with the keys that it gave at the start."""
    word = Passphrase("open sesame")
    encrypt_file(io.BytesIO(b"content"), tmp_path / "x.png", word, as_file=True, name="x.txt")
    result = gather(
        find_items([tmp_path], FileSearch(word="gallery", restoring=True)), word, LIMITS
    )
    monkeypatch.setattr(KeyDerivation, "derive", lambda *_: 1 // 0)
    assert bytes(result.open(result.entries[0]).content) == b"content"
