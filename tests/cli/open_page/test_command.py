"""``sudokucrypt open`` as a program: its address, the keys for the page, and its end."""

import http.client
import json
import os
import signal
import socket
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import Identity, Passphrase
from sudokucrypt.keys import lock
from sudokucrypt.storage import supports_nameless_files
from tests.cli.conftest import KEY, Run
from tests.cli.open_page.conftest import SECRET
from tests.cli.test_manners import begin_program

# A program in place of a browser: it reads the given file, redeems the token, and prints which of
# its data others could read.
_BROWSER = """#!{python}
import http.client, json, os, re, stat, sys
from urllib.request import url2pathname
file = url2pathname(sys.argv[1].removeprefix("file://"))
mode = stat.S_IMODE(os.stat(file).st_mode)
folder = stat.S_IMODE(os.stat(os.path.dirname(file)).st_mode)
host, token = re.search(r'url=http://([^/]+)/#([^"]+)', open(file).read()).groups()
connection = http.client.HTTPConnection(host, timeout=20)
headers = {{"Origin": f"http://{{host}}", "X-Token": token}}
connection.request("POST", "/redeem", b"", headers)
known = json.loads(connection.getresponse().read())
seen = [sys.argv, mode, folder, os.path.exists(file), token, known, dict(os.environ)]
with open({out!r} + ".part", "w") as out:
    json.dump(seen, out)
os.rename({out!r} + ".part", {out!r})
"""


def _redeem_code(url: str) -> dict[str, Any]:
    """Redeem the token of an address like the page."""
    host, _, token = url.removeprefix("http://").partition("/#")
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request("POST", "/redeem", b"", {"Origin": f"http://{host}", "X-Token": token})
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    return answer


@pytest.mark.usefixtures("safe")
def test_no_other_account_learns_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser gets the address in a file of mode 0600, which is removed once the page is open.

    The program serves the page while the browser is running.
    """
    SECRET.to_file(tmp_path / "my.key")
    script = tmp_path / "browser"
    script.write_text(_BROWSER.format(python=sys.executable, out=str(tmp_path / "seen")))
    script.chmod(0o755)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setenv("BROWSER", f"{script} %s")
    with begin_program(tmp_path, "open", "safe", *KEY) as process:
        while not (tmp_path / "seen").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    arguments, mode, folder, exists, token, answer, variables = json.loads(
        (tmp_path / "seen").read_text()
    )
    assert (mode, folder, exists) == (0o600, 0o700, False)
    assert (answer["folder"], answer["keys"]) == ("safe", [f"{SECRET.to_text()}\n"])
    for text in (str(arguments), str(variables), out, err):
        assert token not in text
    assert (process.returncode, list((tmp_path / "scratch").iterdir())) == (0, [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_end_the_program(
    safe: Path, tmp_path: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends the program with code 0, without a traceback; no file was written."""
    SECRET.to_file(tmp_path / "my.key")
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    times_before = {path: path.lstat().st_mtime_ns for path in safe.rglob("*")}
    with begin_program(tmp_path, "open", "safe", "-r", "--no-browser", *KEY) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert _redeem_code(url)["folder"] == "safe"
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert err == (
        "sudokucrypt: note: the address opens the page once, on this computer; press Ctrl-C to "
        "end\nsudokucrypt: note: ended; close the page\n"
    )
    assert {path: path.lstat().st_mtime_ns for path in safe.rglob("*")} == times_before
    assert list((tmp_path / "scratch").iterdir()) == []
    host, port = url.removeprefix("http://").partition("/")[0].split(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=20).close()


def test_keys_for_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page gets keys from files, locked files, folders, variables and the default key."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    identity = Identity.generate()
    (tmp_path / "ring").mkdir()
    SECRET.to_file(tmp_path / "ring" / "a.key")
    identity.to_file(tmp_path / "ring" / "b.key")
    (tmp_path / "words").write_text("open sesame\n")
    (tmp_path / "locked.key").write_text(lock(SECRET, Passphrase("open sesame")))
    for path in (tmp_path / "words", tmp_path / "locked.key"):
        path.chmod(0o600)
    secret_text, identity_text = f"{SECRET.to_text()}\n", f"{identity.to_text()}\n"
    for options, keys, passphrase in (
        ("", None, None),
        ("--key ring", [secret_text, identity_text], None),
        ("--identity ring/b.key", [identity_text], None),
        ("--passphrase-file words", [], "open sesame"),
        ("--key locked.key --passphrase-file words", [secret_text], None),
        ("", [secret_text], None),
    ):
        if not options and keys:
            (tmp_path / "config" / "sudokucrypt").mkdir(parents=True)
            SECRET.to_file(tmp_path / "config" / "sudokucrypt" / "key")
        with begin_program(tmp_path, "open", "--no-browser", *options.split()) as process:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url, process.communicate(timeout=60)
            answer = _redeem_code(url)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        assert (answer["folder"], answer.get("keys"), answer.get("passphrase")) == (
            None, keys, passphrase,
        )  # fmt: skip


def test_refused_arguments(run: Run, tmp_path: Path) -> None:
    """URLs, stdin, missing folders and a port in use are errors."""
    for place in ("s3://bucket/folder", "-"):
        run("open", place, code=2, says="only a file or folder of this computer")
    run("open missing", code=1, says="no such file")
    with socket.create_server(("127.0.0.1", 0)) as used_socket:
        port = used_socket.getsockname()[1]
        result = run("open", str(tmp_path), "--no-browser", "--port", str(port), code=1)
    assert f"error: cannot listen on port {port}: address already in use" in result.err
    assert "hint: leave out --port to take a free one" in result.err


def test_results_are_the_users_own(safe: Path) -> None:
    """A result has the mode of new files by the umask."""
    from sudokucrypt.cli.open.folder import Folder

    mask = os.umask(0o027)
    try:
        Folder(safe).write("a.txt", [b"x"])
    finally:
        os.umask(mask)
    assert stat.S_IMODE((safe / "a.txt").stat().st_mode) == 0o640


def test_an_end_while_the_page_writes(safe: Path, tmp_path: Path) -> None:
    """If the program ends while a result arrives, no part of it stays in the folder."""
    paths_before = sorted(safe.rglob("*"))
    if not supports_nameless_files(safe):
        pytest.skip("files have names here while they are written")
    with begin_program(tmp_path, "open", "safe", "--no-browser") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        address = url.removeprefix("http://").partition("/")[0]
        lines = (
            "POST /write HTTP/1.1", f"Host: {address}", f"Origin: http://{address}",
            f"X-Secret: {_redeem_code(url)['secret']}", "X-Name: a.txt", "Content-Length: 99999999",
        )  # fmt: skip
        host, port = address.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall("\r\n".join((*lines, "", "")).encode() + bytes(1 << 23))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    assert sorted(safe.rglob("*")) == paths_before
