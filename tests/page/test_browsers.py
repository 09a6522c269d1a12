"""All browsers: the vectors, every tab of the page, and how restored files open."""

import filecmp
import io
import json
import os
import re
import threading
import time
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from sudokucrypt import (
    Key,
    Passphrase,
    decrypt_bytes,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
    unredact_file,
)
from sudokucrypt.cli.open.folder import Folder
from sudokucrypt.cli.open.server import PageServer
from sudokucrypt.page import make_folder_page, page
from tests.cli.open_page.conftest import run_server
from tests.kit.replay import VECTORS
from tests.page.browsers import Firefox, Opener, open_any_browser
from tests.page.conftest import REPLAY, engine_code
from tests.page.node import run_node

KINDS = re.findall(
    r"\b(\w+)(?:: \w+)?,", REPLAY.partition("const CHECKS = {")[2].partition("};")[0]
)
OTHER_VECTORS = {"cards", "robust"}
"""Vectors of what the page does not do."""

SKIPPED = {
    "draws": 19,
    "images": 22,
    "accept": 59,
    "accept_pictures": 1,
    "reject": 42,
    "reject_pictures": 2,
    "containers": 27,
}
"""Cases that the page is not asked: bounds above 2^32, other containers, arrays under a context."""

ALL_VECTORS = {
    kind: json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))["cases"]
    for kind in KINDS
}
EXPECTED_RESULTS = {kind: {"failures": [], "skipped": SKIPPED.get(kind, 0)} for kind in KINDS}


_OTHER_BROWSERS = [
    pytest.param("firefox-esr", marks=pytest.mark.programs("firefox-esr")),
    pytest.param(
        "WebKitWebDriver",
        marks=[pytest.mark.nightly, pytest.mark.programs("WebKitWebDriver", "Xvfb")],
    ),
]
_CHROMIUM = pytest.param("chromium", marks=pytest.mark.programs("chromium"))
_IN_OTHERS = pytest.mark.parametrize("program", _OTHER_BROWSERS)
_IN_ALL = pytest.mark.parametrize("program", [_CHROMIUM, *_OTHER_BROWSERS])


def test_every_kind_of_vector_is_compared() -> None:
    """Each file of vectors is compared with the page, or listed as one that the page cannot do."""
    assert {path.stem for path in VECTORS.glob("*.json")} == {*KINDS} | OTHER_VECTORS


@_IN_ALL
def test_vectors(program: str, engine_file: Path, tmp_path: Path) -> None:
    """In each browser, the engine accepts, refuses and writes exactly what the vectors say."""
    with open_any_browser(program, tmp_path) as opener:
        opener.open(engine_file)
        for kind, cases in ALL_VECTORS.items():
            result = opener.value(f"replay({kind!r}, {json.dumps(cases)})")
            assert result == EXPECTED_RESULTS[kind], kind


@pytest.mark.programs("node")
def test_vectors_in_node() -> None:
    """In Node, the engine accepts, refuses and writes exactly what the vectors say."""
    script = """
        const replay = new Function(`${argument.code}; return replay;`)();
        const results = {};
        for (const kind in argument.all) results[kind] = await replay(kind, argument.all[kind]);
        return results;
    """
    result: Any = run_node(script, {"code": engine_code(), "all": ALL_VECTORS})
    assert result == EXPECTED_RESULTS


# Functions of a user, and one that reads an offered file, as the policy forbids fetching.
_USER_SCRIPT = """
    const blobs = new Map();
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => {
        const url = createObjectURL(blob);
        blobs.set(url, blob);
        return url;
    };
    URL.revokeObjectURL = () => {}; // all stay, for `visit`
    const part = (id) => document.getElementById(id);
    window.reader = {
        blobs,
        task: (name) => document.querySelector(`[value=${name}]`).click(),
        choose(id, all) {
            const files = new DataTransfer();
            for (const [name, letters] of Object.entries(all)) {
                const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
                const type = name.endsWith("jpg") ? "image/jpeg" : "";
                files.items.add(new File([bytes], name, { type }));
            }
            part(id).files = files.files;
            part(id).dispatchEvent(new Event("change", { bubbles: true }));
        },
        async until(holds) {
            while (!holds()) await new Promise((done) => setTimeout(done, 50));
        },
        async run() {
            part("run").click();
            await reader.until(() => part("going-on").hidden);
            const all = (query) => [...document.querySelectorAll(query)];
            const texts = (query) => all(query).map((e) => e.textContent);
            const [link] = all("#cards .button");
            const data = link ? new Uint8Array(await blobs.get(link.href).arrayBuffer()) : [];
            const letters = Array.from(data, (byte) => String.fromCharCode(byte)).join("");
            return [btoa(letters), texts("#cards .note"), texts("#errors p")];
        },
        async show(name) {
            document.querySelector(`[aria-label="Show ${name}"]`).click();
            await reader.until(() => part("viewed-name").textContent === name);
            await reader.until(() => part("viewed-actions").childElementCount > 0);
        },
        async visit(urls) {
            for (const url of urls) open(url);
            await new Promise((done) => setTimeout(done, 1000));
        },
    };
"""


class Reader:
    """Someone at the page in a browser."""

    def __init__(self, opener: Opener, location: Path | str) -> None:
        self._evaluate = opener.value
        opener.open(location)
        self._evaluate(f"(() => {{ {_USER_SCRIPT} }})()")

    def set_task(self, name: str) -> None:
        """Choose a task."""
        self._evaluate(f"reader.task({name!r})")

    def choose(self, field: str, files: dict[str, bytes]) -> None:
        """Choose files in a field."""
        letters = {name: b64encode(content).decode() for name, content in files.items()}
        self._evaluate(f"reader.choose({field!r}, {letters})")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        self._evaluate(f"reader.until(() => {expression})")

    def click(self, name: str) -> None:
        """Press a button."""
        self._evaluate(f"document.getElementById({name!r}).click()")

    def draw_words(self) -> Passphrase:
        """Let the page draw six words."""
        self.click("offer")
        return Passphrase(self._evaluate("document.getElementById('passphrase').value"))

    def run(self) -> tuple[bytes, str]:
        """Run the task; return the first result, and the messages."""
        letters, notes, errors = self._evaluate("reader.run()")
        assert errors == []
        return b64decode(letters), notes[0]


@_IN_OTHERS
def test_every_tab(program: str, page_file: Path, tmp_path: Path) -> None:
    """In each browser, the results of every tab of the page equal the package's."""
    key, picture = Key(bytes(range(32))), io.BytesIO()
    Image.effect_mandelbrot((320, 240), (-2, -1, 1, 1), 30).convert("RGB").save(picture, "JPEG")
    photo = picture.getvalue()
    with open_any_browser(program, tmp_path) as opener:
        reader = Reader(opener, page_file)
        reader.choose("files", {"a.png": encrypt_bytes(photo, key, name="photo.jpg")})
        reader.choose("key-file", {"my.key": key.to_file_text().encode()})
        assert reader.run()[0] == photo
        reader.wait("document.querySelector('#cards img')?.naturalWidth === 320")
        reader.click("close")

        reader.set_task("encrypt")
        reader.choose("files", {"photo.jpg": photo})
        words = reader.draw_words()
        assert decrypt_bytes(reader.run()[0], words) == photo
        reader.click("close")

        reader.set_task("cover")
        reader.choose("files", {"photo.jpg": photo})
        reader.wait("!document.getElementById('covering').hidden")
        reader.click("add-box")
        words = reader.draw_words()
        lifted_file = io.BytesIO()
        unredact_file(io.BytesIO(reader.run()[0]), lifted_file, words)
        assert lifted_file.getvalue() == photo
        reader.click("close")

        reader.set_task("give")
        reader.choose("files", {"photo.jpg": photo})
        album, note = reader.run()
        (file,) = re.findall(rb'id="file-1">([^<]*)</script>', album)
        words_match = re.search("the words that open it: ([a-z -]+)", note)
        assert words_match is not None
        assert decrypt_bytes(b64decode(file), Passphrase(words_match[1])) == photo
        reader.click("close")

        reader.set_task("keygen")
        (tmp_path / "new.key").write_bytes(reader.run()[0])
        assert Key.from_file(tmp_path / "new.key") != key

        reader.set_task("see")
        reader.wait("document.querySelectorAll('[role=gridcell]').length === 81")
        reader.click("see-attack")
        home = "document.getElementById('see-found').textContent"
        reader.wait(f"{home} === '262144 of 262144 pixels came home.'")


@_IN_OTHERS
def test_a_folder(program: str, tmp_path: Path) -> None:
    """In each browser, the page of a folder shows previews and files, and writes new ones."""
    key, folder, photo = Key(bytes(range(32))), tmp_path / "safe", tmp_path / "photo.jpg"
    folder.mkdir()
    Image.effect_mandelbrot((320, 240), (-2, -1, 1, 1), 30).convert("RGB").save(photo)
    encrypt_file(photo, folder / "0.png", key, as_file=True, preview=True)
    keys = {"keys": [key.to_file_text()], "passphrase": None}
    server = PageServer(make_folder_page(), page(), Folder(folder), keys)
    with run_server(server), open_any_browser(program, tmp_path) as opener:
        reader = Reader(opener, server.url)
        reader.wait("document.getElementById('status').textContent === 'Done'")
        reader.wait("document.querySelector('#shelf-cards img')?.naturalWidth > 0")
        opener.value("document.querySelector('#shelf-cards button').click()")
        reader.wait("document.querySelector('#viewed img')?.naturalWidth === 320")
        opener.value("document.querySelector('#viewed-actions button').click()")
        button = "document.querySelector('#viewed-actions button').textContent"
        reader.wait(f"{button} === 'Saved as photo.jpg'")
    assert (folder / "photo.jpg").read_bytes() == photo.read_bytes()


# Each file sends a request to a server if a browser opens it as a document.
_REPORTING_FILES = {
    "a.svg": '<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(\'{0}\')"><script>fetch("{0}")'
    '</script><image href="{0}"/></svg>',
    "a.html": '<script>fetch("{0}")</script><img src="{0}">',
    "a.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><script>fetch("{0}")</script></html>',
    "a.xml": '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="{0}"?>'
    '<a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>fetch("{0}")</h:script></a>',
    "a.pdf": "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS"
    "(app.launchURL('{0}');this.submitForm('{0}'))>>>>endobj\n"
    "2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>",
    "b.jpg": '<html><script>fetch("{0}")</script></html>',
    "b.mp4": '<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("{0}")</script></svg>',
    "a.mht": "MIME-Version: 1.0\nContent-Type: text/html\n\n<img src={0}>",
}
# Whether a file is a document depends on its type, which is tested in a new tab. The policy of a
# page applies to files that it opens, but not to "open image in new tab".
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_DOCUMENTS = {
    "a.svg": "image/svg+xml", "a.html": "text/html", "a.xhtml": "application/xhtml+xml",
}  # fmt: skip


@_IN_ALL
def test_no_restored_file_is_a_document(
    program: str, page_file: Path, tmp_path: Path, request_log: tuple[str, list[str]]
) -> None:
    """Opening the addresses of restored files with scripts runs no script."""
    address, paths = request_log
    key = Key(bytes(range(32)))
    texts = {name: text.format(address + name) for name, text in _REPORTING_FILES.items()}
    unprotected, count = _POLICY.subn("", page_file.read_text("utf-8"))
    assert count == 1
    path = tmp_path / "page.html"
    path.write_text(unprotected, encoding="utf-8")
    (tmp_path / "user.js").write_text('user_pref("dom.disable_open_during_load", false);')
    with open_any_browser(program, tmp_path) as opener:
        reader = Reader(opener, path)
        reader.choose("key-file", {"my.key": key.to_file_text().encode()})
        encrypted_files = {
            f"{name}.png": encrypt_bytes(text.encode(), key, name=name)
            for name, text in texts.items()
        }
        reader.choose("files", encrypted_files)
        reader.run()
        for name in texts:
            opener.value(f"reader.show({name!r})")
        assert opener.value("reader.blobs.size") > 2 * len(texts)
        opener.value("reader.visit(reader.blobs.keys())")
        assert paths == []
        blobs = [
            f"new Blob([{json.dumps(texts[name])}], {{ type: {type_!r} }})"
            for name, type_ in _DOCUMENTS.items()
        ]
        opener.value(f"reader.visit([{', '.join(blobs)}].map((e) => URL.createObjectURL(e)))")
        deadline = time.monotonic() + 60
        while not {f"/{name}" for name in _DOCUMENTS} <= {*paths}:
            assert time.monotonic() < deadline, paths
            time.sleep(0.05)


_FIREFOX_PREFERENCES = """
user_pref("browser.download.folderList", 2);
user_pref("browser.download.dir", "{}");
user_pref("browser.download.always_ask_before_handling_new_types", false);
"""


def _measure_tabs() -> int:
    """Return the memory of the tabs of all browsers that this process started."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    total_bytes = 0
    for process_id in parents:
        parent = process_id
        while parent in parents and parent != os.getpid():
            parent = parents[parent]
        with suppress(OSError):
            words = Path(f"/proc/{process_id}/cmdline").read_bytes().replace(b"\0", b" ").split()
            if parent == os.getpid() and b"tab" in words:
                text = Path(f"/proc/{process_id}/smaps_rollup").read_text()
                total_bytes += 1024 * int(re.findall(r"^Pss: +(\d+)", text, re.MULTILINE)[0])
    return total_bytes


@pytest.mark.nightly
@pytest.mark.programs("firefox-esr")
def test_a_large_file_in_firefox(page_file: Path, tmp_path: Path) -> None:
    """In Firefox, 2 GB are encrypted and decrypted exactly, and tabs take at most 700 MB."""
    folder, film, key = (tmp_path / "saved", tmp_path / "film.bin", Key(bytes(range(32))))
    folder.mkdir()
    (tmp_path / "user.js").write_text(_FIREFOX_PREFERENCES.format(folder))
    (tmp_path / "my.key").write_text(key.to_file_text())
    with film.open("wb") as file:
        for _ in range(2000):
            file.write(os.urandom(10**6))
    end_event, peak_memory = threading.Event(), [0]

    def watch_memory() -> None:
        while not end_event.wait(1):
            peak_memory.append(_measure_tabs())

    def make_files(firefox: Firefox, task: str, source: Path) -> Path:
        firefox.value(f"document.querySelector('[value={task}]').click()")
        firefox.choose("files", source)
        firefox.choose("key-file", tmp_path / "my.key")
        firefox.value("document.getElementById('run').click()")
        while not firefox.value("document.getElementById('going-on').hidden"):
            time.sleep(1)
        link = "document.querySelector('#cards .button')"
        path = folder / str(firefox.value(f"{link}.download"))
        firefox.value(f"{link}.click()")
        while not path.exists() or list(folder.glob("*.part")):
            time.sleep(1)
        return path

    with open_any_browser("firefox-esr", tmp_path) as opener:
        assert isinstance(opener, Firefox)
        opener.open(page_file)
        thread = threading.Thread(target=watch_memory)
        thread.start()
        encrypted_file = make_files(opener, "encrypt", film)
        restored_file = make_files(opener, "decrypt", encrypted_file)
        end_event.set()
        thread.join()
    assert filecmp.cmp(film, restored_file, shallow=False)
    restored_file.unlink()  # large files are deleted at once
    decrypt_file(encrypted_file, tmp_path / "ours.bin", key)
    assert filecmp.cmp(film, tmp_path / "ours.bin", shallow=False)
    assert 10**7 < max(peak_memory) <= 700 * 10**6
