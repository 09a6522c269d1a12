"""What ``open`` adds to the page: files that are handed in, restored, shown and protected."""

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from sudokucrypt import Key, Layer, decrypt_bytes, encrypt_bytes, redact_file, scramble_bytes
from sudokucrypt.cli.finding import FileSearch, find_items
from sudokucrypt.cli.gallery import workbench
from sudokucrypt.cli.gallery.contents import Gallery, gather
from sudokucrypt.cli.gallery.html import page_parts
from sudokucrypt.cli.gallery.server import GalleryServer
from sudokucrypt.cli.gallery.workbench import Upload, Workbench
from sudokucrypt.images import decode_picture, turn_of
from tests.cli.conftest import KEY, Run
from tests.cli.gallery import GALLERY
from tests.cli.gallery_page.conftest import LIMITS, SECRET
from tests.images.builders import encoded, noise
from tests.recipes.turned import require_covered, shown, turned
from tests.reports.browser import Page, browser, tab

__all__ = ["browser", "tab"]
HAND_IN = """(name, text) => {
    const data = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([data], name));
    chosen.files = transfer.files;
    chosen.dispatchEvent(new Event('change'));
}"""
DRAW = """(() => {
    const { left, top, width, height } = seen.getBoundingClientRect();
    seen.setPointerCapture = () => {};
    for (const [kind, share] of [['pointerdown', 0.1], ['pointerup', 0.5]])
        seen.dispatchEvent(new PointerEvent(kind, {
            clientX: left + share * width, clientY: top + share * height,
        }));
})()"""
PICTURE = encoded(noise(40, 30, 3), "PNG")
TIFF = encoded(noise(40, 30, 3), "TIFF")


@pytest.fixture
def server() -> Iterator[GalleryServer]:
    """A server that takes files and has no folder."""
    with GalleryServer(
        Gallery(entries=(), limits=LIMITS), workbench=Workbench(SECRET, LIMITS)
    ) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def hand_in(
    server: GalleryServer, task: str, data: bytes, name: str = "a.png", **headers: str
) -> tuple[int, bytes]:
    """Hand in a file as the page does, with other headers if they are named."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    usual = {"Origin": f"http://127.0.0.1:{server.port}", "X-Name": quote(name)}
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    connection.request("POST", f"/{server.token}/{task}", data, {**usual, **named})
    answer = connection.getresponse()
    return answer.status, answer.read()


def fetched(server: GalleryServer, answer: tuple[int, bytes]) -> tuple[dict[str, Any], bytes]:
    """Return what an answer says, and the bytes of the result that it names."""
    assert answer[0] == 200, answer
    fields: dict[str, Any] = json.loads(answer[1])
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", f"/{server.token}/result/{fields['index']}")
    data = connection.getresponse().read()
    assert fields["kind"] == "plain" or len(data) == fields["size"]
    return fields, data


def test_protected_files_come_back(server: GalleryServer) -> None:
    """The very file under its sealed name, and the pixels of a scrambled picture."""
    answer, data = fetched(
        server, hand_in(server, "open", encrypt_bytes(b"notes", SECRET, name="n.txt"))
    )
    assert (answer["kind"], answer["name"], data) == ("restored", "n.txt", b"notes")
    scrambled = scramble_bytes(TIFF, SECRET, format="PNG")
    answer, data = fetched(server, hand_in(server, "open", scrambled, "b.scrambled.png"))
    assert answer["name"].startswith("b.")
    assert np.array_equal(decode_picture(data).pixels, decode_picture(TIFF).pixels)


@pytest.mark.parametrize("data", [PICTURE, TIFF, GALLERY["RGB.jpg"]], ids=["PNG", "TIFF", "JPEG"])
def test_plain_pictures_are_shown_upright(server: GalleryServer, data: bytes) -> None:
    """In any format, with the rows and columns that rectangles count in."""
    answer, shown = fetched(server, hand_in(server, "open", data))
    picture = decode_picture(data)
    rows, columns = turn_of(picture).upright(picture.pixels).shape[:2]
    assert (answer["kind"], answer["rows"], answer["columns"]) == ("plain", rows, columns)
    assert shown[8:12] == b"WEBP"
    status, content = hand_in(server, "open", b"no picture", "a.txt")
    assert (status, json.loads(content)) == (200, {"kind": "plain"})


@pytest.mark.parametrize("orientation", [3, 6, 7])
def test_rectangles_lie_in_the_upright_picture(server: GalleryServer, orientation: int) -> None:
    """What is drawn on the picture that the page shows is covered at this place of it."""
    data = turned("PNG", orientation)
    _, small = fetched(server, hand_in(server, "open", data))
    before = shown(data)
    assert shown(small).shape == before.shape
    _, covered = fetched(server, hand_in(server, "redact", data, X_Regions="3,2,5,4"))
    where = np.zeros(before.shape[:2], dtype=bool)
    where[2:6, 3:8] = True
    require_covered(data, covered, where)


def test_files_are_protected(server: GalleryServer) -> None:
    """The whole file is restored, and the name of the result is made from its name."""
    answer, data = fetched(server, hand_in(server, "protect", b"any", "gr\u00fc\u00df'e.txt"))
    assert answer["name"] == "gr\u00fc\u00df'e.txt.encrypted.png"
    assert decrypt_bytes(data, SECRET) == b"any"


def test_rectangles_are_covered_and_lifted(server: GalleryServer) -> None:
    """What is drawn is covered in a PNG, and the key lifts it to the very file."""
    asked = hand_in(server, "redact", TIFF, "b.tif", X_Regions="2,3,10,20;20,30,5,6")
    answer, data = fetched(server, asked)
    assert (answer["kind"], answer["name"]) == ("redacted", "b.tif.redacted.png")
    assert not decode_picture(data).pixels[3:23, 2:12].any()
    answer, data = fetched(server, hand_in(server, "open", data, "b.tif"))
    assert (answer["kind"], data) == ("restored", TIFF)
    assert hand_in(server, "redact", TIFF)[0] == 409


def test_padlocks_of_redacted_pictures(tmp_path: Path) -> None:
    """A gallery shows a padlock for each layer of a redacted picture, open if the key lifts it."""
    (tmp_path / "plain.png").write_bytes(PICTURE)
    layers = [Layer(SECRET, [(0, 0, 9, 9)]), Layer(Key.generate(), [(20, 10, 9, 9)])]
    redact_file(tmp_path / "plain.png", tmp_path / "hidden.png", layers)
    gallery = gather(
        find_items([tmp_path], FileSearch(word="gallery", recursive=True, restoring=True)),
        SECRET,
        LIMITS,
    )
    (entry,) = gallery.entries
    assert entry.layers == (True, False)
    page = b"".join(page_parts(gallery)).decode()
    assert "The key lifts layer 1" in page
    assert "The key does not lift layer 2" in page
    assert decode_picture(gallery.preview(entry) or b"").pixels.shape[:2] == (40, 30)
    assert decode_picture(bytes(gallery.open(entry).content)).pixels[:9, :9].any()


def test_what_is_refused(server: GalleryServer) -> None:
    """Other origins and hosts, no token, wrong keys, too many bytes: nothing is done."""
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil"}):
        assert hand_in(server, "protect", b"x", **headers)[0] == 403
    assert hand_in(server, "remove", b"x")[0] == 404
    assert hand_in(server, "open", b"x", Content_Length=str(2**31))[0] == 413
    status, text = hand_in(server, "open", encrypt_bytes(b"x", Key.generate()))
    assert status == 409
    assert b"wrong key" in text
    assert hand_in(server, "redact", PICTURE, X_Regions="0,0,99,99")[0] == 409
    assert hand_in(server, "redact", PICTURE, X_Regions="a")[0] == 500
    token, server.token = server.token, "other"
    assert hand_in(server, "open", b"x")[0] == 200
    server.token = token
    server.workbench = None
    assert hand_in(server, "open", b"x")[0] == 405


def test_old_results_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held is bounded in bytes; the page fetches each result soon."""
    monkeypatch.setattr(workbench, "MOST_BYTES", 3000)
    bench = Workbench(SECRET, LIMITS)
    file = encrypt_bytes(bytes(1200), SECRET)
    indices = [bench.tasks["open"](Upload(name="a", data=file))["index"] for _ in range(4)]
    assert [bench.result(index) is not None for index in indices] == [False, False, True, True]


def test_a_damaged_protected_file_is_not_taken_for_a_plain_one(server: GalleryServer) -> None:
    """Nobody encrypts what should have been restored."""
    pixels = decode_picture(encrypt_bytes(b"x", SECRET)).pixels
    damaged = encoded(pixels, "PNG", header=b'{"sudokucrypt":2}')
    status, text = hand_in(server, "open", damaged)
    assert (status, b"header" in text) == (409, True)


def test_the_command_takes_files_and_folders_of_this_computer(run: Run, tmp_path: Path) -> None:
    """Addresses are refused before anything is read."""
    assert run("open", "s3://bucket/folder", *KEY).code == 2
    assert run("open", "-", *KEY).code == 2
    assert run("open", tmp_path / "missing", *KEY).code != 0


@pytest.mark.programs("chromium")
def test_the_page_in_a_browser(tab: Page, server: GalleryServer) -> None:
    """A protected file is shown and saved; rectangles drawn with the mouse are covered."""

    def choose(name: str, data: bytes) -> None:
        tab.value(f"({HAND_IN})({json.dumps(name)}, {json.dumps(b64encode(data).decode())})")

    latest = "document.querySelector('#results .name')?.textContent"
    for width in (1280, 390):
        tab.open(server.url, width=width)
        choose("b.png", encrypt_bytes(PICTURE, SECRET, name="photo.png"))
        tab.wait_for(latest, "photo.png")
        tab.wait_for("document.querySelector('#results img').naturalWidth", 30)
        assert tab.value("document.documentElement.scrollWidth <= innerWidth")
        choose("plain.tif", TIFF)
        tab.wait_for("!drawing.hidden && seen.naturalWidth > 0", expected=True)
        tab.value("(numbers.value = '1,1,999,1', numbers.dispatchEvent(new Event('input')))")
        assert tab.value("cover.disabled")
        tab.value("numbers.value = ''")
        tab.value(DRAW)
        assert tab.value("numbers.value") == "3,4,12,16"
        assert tab.value("command.textContent") == "sudokucrypt encrypt 'plain.tif'"
        assert tab.value("covering.textContent") == (
            "sudokucrypt redact 'plain.tif' --region 3,4,12,16"
        )
        tab.value("whole.click()")
        tab.wait_for(latest, "plain.tif.encrypted.png")
        choose("other.png", PICTURE)
        tab.wait_for("!drawing.hidden && seen.naturalWidth > 0", expected=True)
        tab.value(DRAW)
        tab.value("cover.click()")
        tab.wait_for(latest, "other.png.redacted.png")
        tab.wait_for("document.querySelector('#results img').naturalWidth", 30)
    assert tab.problems == []
