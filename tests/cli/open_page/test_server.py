"""The server of the page: one page gets the folder; all other requests are refused."""

import http.client
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt.cli.open.folder import Folder
from sudokucrypt.cli.open.server import _MAX_UNKNOWN_CONNECTIONS, PageServer
from sudokucrypt.page import make_folder_page, page
from tests.cli.open_page.conftest import KEYS, run_server

Answer = tuple[int, dict[str, str], bytes]


def ask(
    server: PageServer, path: str, *, method: str = "POST", body: bytes = b"", **headers: str | None
) -> Answer:
    """Send a request with the headers of the page; `named` headers replace them, None omits one."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection._validate_path = lambda _: None  # type: ignore[attr-defined]
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    host = f"127.0.0.1:{server.port}"
    usual = {"Host": host, "Origin": f"http://{host}", "Content-Length": str(len(body))}
    request_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    for name, value in {**usual, **request_headers}.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, data


def send_raw(server: PageServer, request: bytes) -> bytes:
    """Send bytes, close the sending side, and return the answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        pieces = []
        while piece := connection.recv(1 << 16):
            pieces.append(piece)
    return b"".join(pieces)


@pytest.fixture
def secret(server: PageServer) -> str:
    """Redeem the token; return the secret of the session."""
    status, _, data = ask(server, "/redeem", X_Token=server.token)
    assert status == 200
    return str(json.loads(data)["secret"])


def list_numbers(server: PageServer, secret: str) -> dict[str, int]:
    """Return the number of each listed file, by its path."""
    status, _, data = ask(server, "/list", X_Secret=secret)
    assert status == 200
    return {path: number for number, path, _, _ in json.loads(data)["files"]}


def test_the_page_has_no_secret(server: PageServer) -> None:
    """The page, which anyone on this computer can read, is constant and has no secret."""
    status, headers, data = ask(server, "/", method="GET")
    assert (status, data) == (200, make_folder_page())
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert "connect-src 'self'" in headers["content-security-policy"]
    assert server.token.encode() not in data
    assert ask(server, "/", method="HEAD")[0::2] == (200, b"")


def test_a_large_file_under_a_taken_name(
    server: PageServer, secret: str, safe: Path, tmp_path: Path
) -> None:
    """A page that sends a large file gets an answer if the name exists or the folder is gone."""
    large = bytes(1 << 24)
    status, _, data = ask(server, "/write", body=large, X_Secret=secret, X_Name="0.png")
    assert (status, json.loads(data)) == (200, {"name": None})
    safe.rename(tmp_path / "elsewhere")
    status, _, data = ask(server, "/write", body=large, X_Secret=secret, X_Name="new.txt")
    assert status == 422
    assert b"no such file" in data
    free_bytes = json.loads(ask(server, "/list", X_Secret=secret)[2])["left"]
    assert free_bytes == ["'safe': no such file or directory"]


def test_the_page_is_told_when_the_program_ends(server: PageServer, secret: str) -> None:
    """The answer to `hold` ends only with the program, and needs the secret."""
    assert ask(server, "/hold")[0] == 403
    host = f"127.0.0.1:{server.port}"
    lines = ("POST /hold HTTP/1.1", f"Host: {host}", f"Origin: http://{host}")
    request = "\r\n".join((*lines, f"X-Secret: {secret}", "Content-Length: 0", "", ""))
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request.encode())
        data = b""
        while not data.endswith(b"\r\n\r\n"):
            data += connection.recv(1 << 16)
        assert b" 200 " in data
        connection.settimeout(0.2)
        with pytest.raises(TimeoutError):
            connection.recv(1)


def test_the_token_is_redeemed_once(server: PageServer) -> None:
    """The first redemption returns secret, keys and folder name; later ones are refused."""
    assert ask(server, "/redeem", X_Token="x" * 43)[0::2] == (403, b"")
    assert ask(server, "/redeem")[0::2] == (403, b"")
    status, _, data = ask(server, "/redeem", X_Token=server.token)
    answer = json.loads(data)
    assert (status, answer["folder"], answer["keys"]) == (200, "safe", KEYS["keys"])
    assert len(answer["secret"]) == 43
    assert answer["secret"] != server.token
    assert ask(server, "/redeem", X_Token=server.token)[0::2] == (403, b"")
    assert server._keys == {}
    assert ask(server, "/list", X_Secret=server.token)[0] == 403


def test_requests_without_the_secret_are_refused(server: PageServer) -> None:
    """Calls without the secret are refused, and also calls with it before the redemption."""
    early_secret = server._secret
    for value in (None, "", "x", server.token, early_secret):
        assert ask(server, "/list", X_Secret=value)[0::2] == (403, b"")
    secret = json.loads(ask(server, "/redeem", X_Token=server.token)[2])["secret"]
    wrong_secret = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    for value in (None, "", wrong_secret, secret[:-1], secret + "A", secret.swapcase(), "\u00e9"):
        for path in ("/list", "/read/0", "/write"):
            assert ask(server, path, X_Secret=value, X_Name="a")[0::2] == (403, b"")
    assert ask(server, "/list", X_Secret=secret)[0] == 200
    # The secret counts only in the header X-Secret, not as a cookie or in the address.
    assert ask(server, "/list", Cookie=f"X-Secret={secret}")[0::2] == (403, b"")
    assert ask(server, f"/list?X-Secret={secret}")[0::2] == (404, b"")
    doubled_header = f"X-Secret: {secret}\r\n" * 2
    host = f"127.0.0.1:{server.port}"
    request = f"POST /list HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{doubled_header}"
    assert b" 403 " in send_raw(server, f"{request}Content-Length: 0\r\n\r\n".encode())


def test_files_are_read(server: PageServer, secret: str, safe: Path) -> None:
    """Listed files are read completely or in part by their number; links are not listed."""
    paths = list_numbers(server, secret)
    assert set(paths) == {
        "0.png", "1.png", "deep/2.png", "foreign.png", "damaged.png", "plain.png",
    }  # fmt: skip
    content = (safe / "0.png").read_bytes()
    url_path = f"/read/{paths['0.png']}"
    status, headers, data = ask(server, url_path, X_Secret=secret)
    assert (status, data) == (200, content)
    assert headers["content-type"] == "application/octet-stream"
    for requested_range, expected_part in {
        "bytes=0-0": content[:1],
        "bytes=3-9": content[3:10],
        "bytes=5-999999999999999": content[5:],
        "bytes=999999-9999999": b"",
        "bytes=9-3": b"",
    }.items():
        status, headers, data = ask(server, url_path, X_Secret=secret, Range=requested_range)
        assert (status, data, headers["x-size"]) == (206, expected_part, str(len(content)))
    for requested_range in (
        "bytes=-",
        "bytes=-4",
        "bytes=5-",
        "bytes=0-1,3-4",
        "items=0-1",
        "bytes=a-b",
        "",
    ):
        assert ask(server, url_path, X_Secret=secret, Range=requested_range)[0::2] == (200, content)


def test_files_keep_their_numbers(server: PageServer, secret: str, safe: Path) -> None:
    """A file keeps its number when other files are added and removed."""
    earlier_numbers = list_numbers(server, secret)
    (safe / "0.png").unlink()
    (safe / "aaa.png").write_bytes(b"new")
    later_numbers = list_numbers(server, secret)
    assert {path: later_numbers[path] for path in earlier_numbers if path in later_numbers} == {
        path: number for path, number in earlier_numbers.items() if path != "0.png"
    }
    assert ask(server, f"/read/{later_numbers['aaa.png']}", X_Secret=secret)[2] == b"new"
    status, _, text = ask(server, f"/read/{earlier_numbers['0.png']}", X_Secret=secret)
    assert (status, text) == (422, b"cannot read '0.png': no such file or directory")


def test_files_that_became_links(
    server: PageServer, secret: str, safe: Path, tmp_path: Path
) -> None:
    """If a listed file or folder is replaced by a link or pipe, reading it is refused."""
    paths = list_numbers(server, secret)
    (safe / "0.png").unlink()
    (safe / "0.png").symlink_to(tmp_path / "outside.txt")
    (safe / "1.png").unlink()
    os.mkfifo(safe / "1.png")
    (safe / "deep").rename(tmp_path / "moved")
    (safe / "deep").symlink_to(tmp_path / "moved")
    for name in ("0.png", "1.png", "deep/2.png"):
        status, _, text = ask(server, f"/read/{paths[name]}", X_Secret=secret)
        assert (status, text.startswith(b"cannot read '")) == (422, True)


@pytest.mark.parametrize(
    ("name", "written_name"),
    [
        ("a.txt", "a.txt"),
        (".profile", "_.profile"),
        ("autorun.inf", "_autorun.inf"),
        ("Desktop.INI", "_Desktop.INI"),
        ("../x", "x"),
        ("..\\..\\x", "x"),
        ("/etc/cron.d/x", "x"),
        ("a/../../b.txt", "b.txt"),
        ("-rf", "_-rf"),
        ("nul.txt", "_nul.txt"),
        ("gpj\u202e.exe", "gpj_.exe"),
        ("x.sudokucrypt.json", "x.sudokucrypt_json"),
        ("x.redaction", "x_redaction"),
        ("end. ", "end__"),
        ("a\n\0b", "a__b"),
        (".x.0123456789abcdef.sudokucrypt-part", "_.x.0123456789abcdef.sudokucrypt-part_"),
        ("\u00e4" * 200 + ".jpg", "\u00e4" * 125 + ".jpg"),
    ],
)
def test_names_that_are_written(
    server: PageServer, secret: str, safe: Path, tmp_path: Path, name: str, written_name: str
) -> None:
    """Unsafe names are changed as by the command line, and stay in the folder and visible."""
    paths_before = sorted(tmp_path.iterdir())
    encoded = "".join(f"%{byte:02x}" for byte in name.encode())
    status, _, data = ask(server, "/write", body=b"content", X_Secret=secret, X_Name=encoded)
    assert (status, json.loads(data)) == (200, {"name": written_name})
    assert (safe / written_name).read_bytes() == b"content"
    assert sorted(tmp_path.iterdir()) == paths_before
    assert not [path.name for path in safe.iterdir() if path.name.startswith(".")]


def test_received_files_replace_nothing(
    server: PageServer, secret: str, safe: Path, tmp_path: Path
) -> None:
    """Existing files, folders and links, even broken ones, are never replaced."""
    (safe / "nothing").symlink_to(tmp_path / "missing")
    sizes_before = {path.name: path.lstat().st_size for path in safe.iterdir()}
    for name in ("0.png", "link.png", "nothing", "deep", "linked"):
        status, _, data = ask(server, "/write", body=b"x", X_Secret=secret, X_Name=name)
        assert (status, json.loads(data)) == (200, {"name": None})
    for name in ("", ".", "..", "a/", "/"):
        status, _, text = ask(server, "/write", body=b"x", X_Secret=secret, X_Name=name)
        assert (status, text) == (422, b"the file has no name")
    assert {path.name: path.lstat().st_size for path in safe.iterdir()} == sizes_before
    assert (tmp_path / "outside.txt").read_text() == "outside"


def test_incomplete_files_are_not_written(server: PageServer, secret: str, safe: Path) -> None:
    """A file that does not arrive completely is not written, and leaves no temporary file."""
    paths_before = sorted(safe.iterdir())
    host = f"127.0.0.1:{server.port}"
    head = (
        f"POST /write HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nX-Secret: {secret}\r\n"
        "X-Name: a.txt\r\nContent-Length: 100\r\n\r\n"
    ).encode()
    assert b"the file did not arrive completely" in send_raw(server, head + b"x" * 99)
    assert sorted(safe.iterdir()) == paths_before
    # Bytes after the body are not read as another request.
    assert send_raw(server, head + b"x" * 100 + head).count(b"HTTP/1.1") == 1
    assert (safe / "a.txt").read_bytes() == b"x" * 100


def test_ambiguous_lengths_are_refused(server: PageServer, secret: str, safe: Path) -> None:
    """A request whose length is ambiguous is refused."""
    host = f"127.0.0.1:{server.port}"
    start = (
        f"POST /write HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nX-Secret: {secret}\r\n"
        "X-Name: a.txt\r\n"
    )
    for lengths in (
        "Content-Length: 1\r\nContent-Length: 2\r\n",
        "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Content-Length: +1\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x1\r\n",
        "Content-Length: 1e0\r\n",
        "Content-Length: 1234567890123\r\n",
        "",
    ):
        assert b" 400 " in send_raw(server, f"{start}{lengths}\r\n1\r\nx\r\n0\r\n\r\n".encode()), (
            lengths
        )
    assert not (safe / "a.txt").exists()


def test_requests_from_other_origins_are_refused(server: PageServer, secret: str) -> None:
    """Requests with a wrong or missing origin are refused, even with the secret."""
    port = server.port
    for origin in (
        None, "null", "", "http://evil.example", f"https://127.0.0.1:{port}",
        f"http://127.0.0.1:{port + 1}", "http://127.0.0.1", f"http://[::1]:{port}",
        f"http://127.0.0.1:{port}.evil.example", "file://", f"http://127.0.0.1:{port}/",
    ):  # fmt: skip
        for path in ("/list", "/read/0", "/write", "/redeem"):
            answer = ask(server, path, Origin=origin, X_Secret=secret, X_Name="a.txt")
            assert answer[0::2] == (403, b"")


def test_requests_for_other_hosts_are_refused(server: PageServer, secret: str) -> None:
    """Requests with a wrong, missing or repeated Host are refused; localhost is accepted."""
    port = server.port
    for host in (
        None, "evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}",
        f"127.0.0.1:{port}.evil.example", f"[::1]:{port}", f"0.0.0.0:{port}", " ",
    ):  # fmt: skip
        assert ask(server, "/", method="GET", Host=host)[0::2] == (403, b"")
        assert ask(server, "/list", Host=host, X_Secret=secret)[0::2] == (403, b"")
    assert ask(server, "/", method="GET", Host=f"LocalHost:{port}")[0] == 200
    host_line = f"Host: 127.0.0.1:{port}\r\n".encode()
    assert send_raw(server, b"GET / HTTP/1.1\r\n" + host_line + b"\r\n").startswith(
        b"HTTP/1.1 200 "
    )
    for lines in (b"", host_line + host_line, host_line + b"Host: evil.example\r\n"):
        assert send_raw(server, b"GET / HTTP/1.1\r\n" + lines + b"\r\n").startswith(
            b"HTTP/1.1 403 "
        )


def test_the_server_listens_only_on_this_computer(server: PageServer) -> None:
    """The server listens only at the loopback address."""
    assert server.socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=5).close()


def test_only_numbers_are_paths_of_files(server: PageServer, secret: str) -> None:
    """Dots, slashes, escapes, signs, leading zeros and unknown numbers in a path are not found."""
    for path in (
        "", "/", "//list", "/list/", "/./list", "/list?x", "/list#x", "/LIST", "/read", "/read/",
        "/read/..", "/read/%2e%2e%2fetc%2fpasswd", "/read/../list", "/read//0", "/read/0/",
        "/read/00", "/read/-1", "/read/+0", "/read/0.png", "/read/%30", "/read/0%00", "/read\\0",
        "/read/1e0", f"/read/{'9' * 5000}", "/etc/passwd", "/favicon.ico", "/write/a", "/redeem/",
        f"http://127.0.0.1:{server.port}/list", "*", "/safe/0.png", "/../list", "/list\x0b",
    ):  # fmt: skip
        status, _, data = ask(server, path, X_Secret=secret, X_Name="a")
        assert (status in (400, 404), data) == (True, b""), path
    for number in (6, 99, 999_999_999):
        answer = ask(server, f"/read/{number}", X_Secret=secret)
        assert answer[0::2] == (422, b"there is no such file")
    for path in ("/list", "/read/0", "/index.html", "/?x", "/#x", "//", f"/{server.token}"):
        assert ask(server, path, method="GET", X_Secret=secret)[0::2] == (404, b"")


def test_unknown_methods_are_refused(server: PageServer, secret: str) -> None:
    """Methods other than GET, HEAD and POST get status 405."""
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "get", "CONNECT"):
        for path in ("/", "/list"):
            status, headers, data = ask(server, path, method=method, X_Secret=secret)
            assert (status, headers["allow"], data) == (405, "GET, HEAD, POST", b"")


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
def test_invalid_requests(server: PageServer, request_: bytes, code: bytes) -> None:
    """Endless lines and headers, and noise, get a status and an empty answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request_)
        head, _, body = connection.recv(1 << 16).partition(b"\r\n\r\n")
    assert code in head.split()[:2]
    assert not body
    assert b"Server:" not in head
    assert ask(server, "/", method="GET")[0] == 200


def test_every_answer_is_guarded(server: PageServer, secret: str) -> None:
    """Every answer has headers against caching, sniffing and framing, and none about the server."""
    for path, extra_headers in {
        "/": {"method": "GET"}, "/list": {"X_Secret": secret}, "/read/0": {"X_Secret": secret},
        "/x": {}, "/redeem": {"X_Token": "x"}, "/write": {"method": "PUT"},
    }.items():  # fmt: skip
        _, headers, _ = ask(server, path, **extra_headers)  # type: ignore[arg-type]
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert not {"server", "date", "access-control-allow-origin", "set-cookie"} & set(headers)
        assert server.token not in str(headers)


@pytest.fixture
def open_sockets() -> Iterator[ExitStack]:
    """Return a stack that closes connections at the end of a test."""
    with ExitStack() as stack:
        yield stack


def test_silent_connections(server: PageServer, secret: str, open_sockets: ExitStack) -> None:
    """64 and 500 silent or incomplete connections do not stop the server."""
    for count in (_MAX_UNKNOWN_CONNECTIONS, 500):
        for index in range(count):
            second_connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            open_sockets.enter_context(second_connection)
            if index % 2:
                second_connection.sendall(b"POST /list HTTP/1.1\r\nX-Secret:")
        assert ask(server, "/", method="GET")[0] == 200
        assert ask(server, "/list", X_Secret=secret)[0] == 200
    assert len(server._unknown_connections) <= _MAX_UNKNOWN_CONNECTIONS


def test_slow_bodies_of_strangers(server: PageServer, secret: str, open_sockets: ExitStack) -> None:
    """Without the secret, a request is answered before its body has arrived."""
    host = f"127.0.0.1:{server.port}"
    head = f"POST /write HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nX-Name: a\r\n"
    answer = send_raw(server, f"{head}Content-Length: 999999\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 403 ")
    own_connection = open_sockets.enter_context(
        socket.create_connection(("127.0.0.1", server.port), timeout=20)
    )
    own_connection.sendall(f"{head}X-Secret: {secret}\r\nContent-Length: 3\r\n\r\n".encode())
    while (
        own_connection.fileno() >= 0 and server._unknown_connections
    ):  # wait until the headers were read
        time.sleep(0.01)
    for _ in range(2 * _MAX_UNKNOWN_CONNECTIONS):
        open_sockets.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20))
    own_connection.sendall(b"abc")
    assert own_connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_surprises(
    server: PageServer, secret: str, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """An unexpected error is answered with a sentence; no traceback is printed."""
    monkeypatch.setattr(Folder, "open", lambda *_: 1 // 0)
    answer = ask(server, "/read/0", X_Secret=secret)
    assert answer[0::2] == (422, b"unexpected ZeroDivisionError")
    assert capfd.readouterr() == ("", "")


def test_requests_are_not_printed(server: PageServer, secret: str, capfd: Any) -> None:
    """Requests and closed connections are not printed."""
    ask(server, "/read/0", X_Secret=secret)
    ask(server, "/nothing")
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(b"GET /" + server.token.encode())
    send_raw(server, b"nonsense\r\n\r\n")
    time.sleep(0.1)
    assert capfd.readouterr() == ("", "")


def test_a_server_without_a_folder() -> None:
    """Without a folder the page gets its keys, and calls for a folder are not found."""
    with run_server(PageServer(make_folder_page(), page(), None, KEYS)) as server:
        answer = json.loads(ask(server, "/redeem", X_Token=server.token)[2])
        assert (answer["folder"], answer["keys"]) == (None, KEYS["keys"])
        for path in ("/list", "/read/0", "/write"):
            status = ask(server, path, X_Secret=answer["secret"], X_Name="a")[0]
            assert status == 404


def test_what_a_folder_leaves_out(safe: Path) -> None:
    """Subfolders are listed only with recursive=True; for a file, only this file is listed."""
    assert [path for _, path, _, _ in Folder(safe).list_files()["files"]] == [
        "0.png", "1.png", "damaged.png", "foreign.png", "plain.png",
    ]  # fmt: skip
    assert Folder(safe).list_files()["left"] == ["the folder 'deep': start with -r to enter it"]
    for number in range(99):
        (safe / f"e{number:02}").mkdir()
    left_out_entries = Folder(safe).list_files()["left"]
    assert (len(left_out_entries), left_out_entries[-2:]) == (
        21, ["the folder 'e18': start with -r to enter it", "80 more folders"]
    )  # fmt: skip
    deep = safe
    for _ in range(220):
        deep /= "d"
        deep.mkdir()
        (deep / "file").touch()
    listed = Folder(safe, recursive=True).list_files()
    assert len(listed["files"]) == 6 + 200
    assert listed["left"] == [f"'{'/'.join(['d'] * 201)}': more than 200 folders deep"]
    file_folder = Folder(safe / "1.png")
    assert [path for _, path, _, _ in file_folder.list_files()["files"]] == ["1.png"]
    assert file_folder.name == "safe"
