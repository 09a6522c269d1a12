"""The page in Chromium, opened from a file: its results, its messages, and forbidden actions."""

import filecmp
import io
import json
import mimetypes
import os
import re
import wave
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops

from sudokucrypt import (
    Identity,
    Key,
    Passphrase,
    decrypt_bytes,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
    scramble_file,
    storage,
    unscramble_file,
)
from sudokucrypt.keys import KeyDerivation, lock, unlock
from sudokucrypt.page import page
from sudokucrypt.page.assembling import join_code
from sudokucrypt.recipes import picture_key, read_header, read_sealed_info
from sudokucrypt.recipes.naming import make_safe_name
from tests.images.builders import noise
from tests.page.conftest import Driver
from tests.reports.browser import Page

pytestmark = pytest.mark.programs("chromium")
KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
WRONG_KEY_MESSAGE = "the key or passphrase is wrong, or the file was altered"


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "my.key"
    path.write_text(KEY.to_file_text())
    return path


def save_picture(path: Path) -> Path:
    rows, columns = np.indices((48, 64))
    samples = np.stack([rows * 5, columns * 3, rows + columns], axis=2).astype(np.uint8)
    Image.fromarray(samples).save(path)
    return path


def encrypt_content(folder: Path, name: str, content: bytes) -> Path:
    """Return an encrypted file whose own name differs from the encrypted one."""
    path = folder / f"{len(list(folder.iterdir()))}.encrypted.png"
    path.write_bytes(encrypt_bytes(content, KEY, name=name))
    return path


def test_files_of_the_command_line(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """The page restores encrypted files with their names, and pictures with equal pixels."""
    source = save_picture(tmp_path / "photo.png")
    text = tmp_path / "Grüße.txt"
    text.write_text("words\n" * 300)
    result = {
        "photo.png": encrypt_file(source, tmp_path / "1.png", KEY),
        text.name: encrypt_file(text, tmp_path / "2.png", KEY, pad=True),
        "3.png.restored.png": encrypt_file(source, tmp_path / "3.png", KEY, as_file=False),
        "4.png.restored.png": scramble_file(source, tmp_path / "4.png", KEY, unit="sample"),
        "5.png.restored.png": scramble_file(source, tmp_path / "5.png", KEY, rounds=1),
    }
    driver.choose("files", [tmp_path / f"{number}.png" for number in range(1, 6)])
    driver.choose("key-file", [key_file])
    assert driver.run() == (list(result), [])
    for index, name in enumerate(result):
        saved = driver.save(index)
        assert saved.name == name
        if index < 2:
            assert saved.read_bytes() == (source, text)[index].read_bytes()
        else:
            assert ImageChops.difference(Image.open(saved), Image.open(source)).getbbox() is None


def test_a_scrambled_jpeg(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """A scrambled JPEG is restored byte for byte, and shown."""
    photo, result = tmp_path / "photo.jpg", tmp_path / "photo.jpg.scrambled.jpg"
    Image.fromarray(noise(150, 200, 3)).save(photo, quality=90, progressive=True)
    scramble_file(photo, result, KEY)
    driver.choose("files", [result])
    driver.choose("key-file", [key_file])
    assert driver.run() == (["photo.jpg.restored.jpg"], [])
    assert driver.measure("#cards img") == 200
    assert driver.save().read_bytes() == photo.read_bytes()


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_large_picture_gets_a_preview(
    driver: Driver, tmp_path: Path, key_file: Path, orientation: int
) -> None:
    """A large picture gets an upright, encrypted preview of at most 320 pixels."""
    photo, exif = tmp_path / "photo.jpg", Image.Exif()
    exif[274] = orientation
    gradient = np.indices((1200, 1600)).sum(axis=0)[..., None] // 14
    samples = (gradient + noise(1200, 1600, 3) // 8).astype(
        np.uint8
    )  # noise of a small amplitude, so that the preview is smooth
    Image.fromarray(samples).save(photo, quality=99, exif=exif)
    driver.set_task("encrypt")
    driver.choose("files", [photo])
    driver.choose("key-file", [key_file])
    assert driver.run() == (["photo.jpg.encrypted.png"], [])
    file = driver.save()
    preview = read_sealed_info(file, KEY).preview
    encrypt_file(photo, tmp_path / "ours.png", KEY)
    package_preview = read_sealed_info(tmp_path / "ours.png", KEY).preview
    assert preview is not None
    assert package_preview is not None
    page_image, package_image = (
        Image.open(io.BytesIO(content)) for content in (preview, package_preview)
    )
    assert page_image.size == package_image.size
    assert page_image.format == "WEBP"
    difference = ImageChops.difference(page_image.convert("L"), package_image.convert("L"))
    assert np.asarray(difference).mean() < 12
    assert decrypt_bytes(file.read_bytes(), KEY) == photo.read_bytes()


def test_every_secret(driver: Driver, tmp_path: Path) -> None:
    """Key texts, locked keys with their passphrase, picture keys and passphrases open files."""
    words = Passphrase("correct horse battery")
    keyed, worded = encrypt_bytes(b"keyed", KEY), encrypt_bytes(b"worded", words)
    for name, content in (("keyed.png", keyed), ("worded.png", worded)):
        (tmp_path / name).write_bytes(content)
    of_picture = picture_key(KEY, read_header(io.BytesIO(keyed))).to_text()
    for name, text, passphrase in (
        ("keyed.png", KEY.to_text(), ""),
        ("keyed.png", lock(KEY, words), "correct horse battery"),
        ("keyed.png", of_picture, ""),
        ("worded.png", "", "correct horse battery"),
    ):
        driver.choose("files", [tmp_path / name])
        if text.count("\n") > 1:
            (tmp_path / "locked.key").write_text(text)
            driver.choose("key-file", [tmp_path / "locked.key"])
        else:
            driver.enter("key-text", text)
        driver.enter("passphrase", passphrase)
        names, messages = driver.run()
        assert (len(names), messages) == (1, [])
        assert driver.save().read_bytes() == name.removesuffix(".png").encode()
        driver.tab.value("document.getElementById('close').click()")


def test_recipients(driver: Driver, tmp_path: Path) -> None:
    """An identity made in the page opens files that command line and page encrypt for it."""
    driver.set_task("keygen")
    driver.tab.value("document.getElementById('identity').click()")
    assert driver.run() == (["me.txt"], [])
    identity = Identity.from_file(driver.save())
    (tmp_path / "made.png").write_bytes(encrypt_bytes(b"here", identity.recipient, name="here.txt"))
    driver.set_task("encrypt")
    (tmp_path / "there.txt").write_bytes(b"there")
    driver.choose("files", [tmp_path / "there.txt"])
    driver.enter("recipients", f"{identity.recipient.to_text()}\n")
    assert driver.run() == (["there.txt.encrypted.png"], [])
    saved = driver.save()
    restored_path = decrypt_file(saved, tmp_path / "there.back", identity)
    assert restored_path.file is not None
    assert (tmp_path / "there.back").read_bytes() == b"there"
    driver.set_task("decrypt")
    driver.choose("files", [tmp_path / "made.png", saved])
    driver.choose("key-file", [driver.saved / "me.txt"])
    assert driver.run() == (["here.txt", "there.txt"], [])


@pytest.mark.parametrize("names", [["a b.txt"], ["photo.png", "empty", "déjà.bin"]])
def test_files_made_in_the_page(
    driver: Driver, tmp_path: Path, key_file: Path, names: list[str]
) -> None:
    """The command line decrypts files of the page exactly, with name and time, by key or words."""
    driver.set_task("encrypt")
    sources = [tmp_path / name for name in names]
    for number, path in enumerate(sources):
        path.write_bytes(bytes(range(256)) * 7 * number)
        os.utime(path, (1_700_000_000, 1_700_000_000))
    driver.choose("files", sources)
    if len(names) == 1:
        driver.tab.value("document.getElementById('offer').click()")
        words = driver.tab.value("document.getElementById('passphrase').value")
        assert len(words.split()) == 6
        key: Key | Passphrase = Passphrase(words)
    else:
        driver.choose("key-file", [key_file])
        key = KEY
    assert driver.run() == ([f"{name}.encrypted.png" for name in names], [])
    for index, source in enumerate(sources):
        restored_path = decrypt_file(driver.save(index), None, key).target
        assert isinstance(restored_path, Path)
        assert restored_path.name == source.name
        assert restored_path.read_bytes() == source.read_bytes()
        assert restored_path.stat().st_mtime == 1_700_000_000


_SMALL_LIMIT = """
    const small = (text) => text.replace("LIMIT=256*2**20", "LIMIT=%d");
    Blob = class extends Blob {
        constructor(parts, options) {
            super(options?.type === "text/javascript" ? parts.map(small) : parts, options);
        }
    };
"""


def open_with_script(driver: Driver, path: Path, script: str) -> None:
    """Open a page in which a script runs first."""
    spy = driver.tab.ask("Page.addScriptToEvaluateOnNewDocument", source=script)
    driver.open(path)
    driver.tab.ask("Page.removeScriptToEvaluateOnNewDocument", **spy)


@pytest.mark.parametrize(
    ("limit", "size"),
    [(2**21, 5 * 2**20 + 3), pytest.param(None, 2 * 10**9, marks=pytest.mark.nightly)],
)
def test_files_above_the_limit_are_read_in_pieces(
    driver: Driver, page_file: Path, tmp_path: Path, key_file: Path, limit: int | None, size: int
) -> None:
    """Large files are processed in pieces; files without segments are refused unread."""
    if limit:  # lower the limit for files that are processed at once
        open_with_script(driver, page_file, _SMALL_LIMIT % limit)
    plain_file, package_file = tmp_path / "film.bin", tmp_path / "theirs.png"
    with plain_file.open("wb") as file:
        for offset in range(0, size, 2**20):
            file.write(os.urandom(min(2**20, size - offset)))
    os.utime(plain_file, (1_700_000_000, 1_700_000_000))
    driver.choose("files", [plain_file])
    driver.choose("key-file", [key_file])
    assert driver.run() == ([], ["film.bin: the file is larger than 256 MiB; use the command line"])
    driver.set_task("encrypt")
    assert driver.run() == (["film.bin.encrypted.png"], [])
    saved_file = driver.save()
    restored_path = decrypt_file(saved_file, tmp_path / "back", KEY).target
    assert isinstance(restored_path, Path)
    assert filecmp.cmp(plain_file, restored_path, shallow=False)
    assert restored_path.stat().st_mtime == 1_700_000_000
    encrypt_file(plain_file, package_file, KEY)
    driver.set_task("decrypt")
    for source in (saved_file, package_file):
        driver.choose("files", [source])
        assert driver.run() == (["film.bin"], [])
        assert filecmp.cmp(plain_file, driver.save(), shallow=False)
    with package_file.open("r+b") as file:  # change a sample before the header rows
        file.seek(size - 10**6)
        old = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([old[0] ^ 1]))
    driver.choose("files", [package_file])
    names, messages = driver.run()
    assert (names, len(messages)) == ([], 1)


def test_a_wrong_key(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """A wrong key gives one message for all files, as changed data do, and shows nothing."""
    valid_file = encrypt_bytes(b"text", KEY)
    changed_file = valid_file[:-20] + bytes([valid_file[-20] ^ 1]) + valid_file[-19:]
    paths = [tmp_path / f"{index}.png" for index in range(3)]
    for path in paths:
        path.write_bytes(encrypt_bytes(b"text", OTHER))
    driver.choose("files", paths)
    driver.choose("key-file", [key_file])
    assert driver.run() == ([], [f"3 files: {WRONG_KEY_MESSAGE}"])
    assert driver.get_texts("#errors small") == ["0.png, 1.png, 2.png"]
    assert driver.tab.value("document.getElementById('results').hidden")
    assert driver.get_texts("#status") == [""]
    driver.choose("files", paths[:1])
    assert driver.run() == ([], [f"0.png: {WRONG_KEY_MESSAGE}"])
    paths[0].write_bytes(changed_file)
    driver.choose("files", paths[:1])
    names, messages = driver.run()
    assert names == []
    assert len(messages) == 1


def test_failures_stay_until_they_are_dismissed(
    driver: Driver, tmp_path: Path, key_file: Path
) -> None:
    """A failure stays while other files are processed; a second try or *Dismiss* removes it."""
    damaged_file, valid_file = tmp_path / "bad.png", encrypt_content(tmp_path, "a.txt", b"a")
    damaged_file.write_bytes(encrypt_bytes(b"b", OTHER))
    run = "document.getElementById('run')"

    def try_secret(path: Path) -> list[str]:
        driver.choose("files", [path])
        driver.tab.value(f"{run}.click()")
        driver.tab.wait_for("document.getElementById('going-on').hidden", True)
        return driver.get_texts("#errors p")

    driver.choose("key-file", [key_file])
    failure = [f"bad.png: {WRONG_KEY_MESSAGE}"]
    assert try_secret(damaged_file) == failure
    assert try_secret(valid_file) == failure
    assert driver.get_texts("#cards h3") == ["a.txt"]
    assert try_secret(damaged_file) == failure
    button = "document.querySelector('#errors button')"
    assert driver.tab.value(f"{button}.ariaLabel") == f"Dismiss: {failure[0]}"
    driver.tab.value(f"{button}.click()")
    assert driver.get_texts("#errors *") == []
    assert driver.tab.value("document.activeElement.id") == "run"
    assert try_secret(damaged_file) == failure
    (tmp_path / "other.key").write_text(OTHER.to_file_text())
    driver.choose("key-file", [tmp_path / "other.key"])
    assert try_secret(damaged_file) == []


def test_mistakes_have_messages(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """Each mistake of the user has a message, and a file above the limit is not read."""
    large_file = tmp_path / "large.png"
    with large_file.open("wb") as file:
        file.truncate(2**28 + 1)  # a sparse file that takes long to read
    assert driver.run() == ([], ["no file was chosen"])
    driver.choose("files", [large_file])
    assert driver.run() == ([], ["no key: enter a passphrase, or choose a key file"])
    driver.choose("key-file", [key_file])
    assert driver.run() == (
        [], ["large.png: the file is larger than 256 MiB; use the command line"],
    )  # fmt: skip
    driver.choose("files", [key_file])
    driver.enter("passphrase", "x")
    driver.set_task("encrypt")
    message = "encrypt with one key or passphrase, not with several"
    assert driver.run() == ([], [message])
    driver.set_task("decrypt")
    key_file.write_text(lock(KEY, Passphrase("x")))
    driver.choose("key-file", [key_file])
    driver.tab.value("document.getElementById('passphrase').value = ''")
    assert driver.run() == ([], ["the key file is locked with a passphrase"])
    driver.set_task("encrypt")
    driver.tab.value("document.getElementById('key-file').value = ''")
    driver.enter("passphrase", "one thing")
    driver.enter("again", "another")
    assert driver.run() == ([], ["the two passphrases differ; type them again"])


def test_nothing_is_left_after_closing(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """After closing, all addresses of results are dead, fields are empty, the worker is gone."""
    driver.tab.ask("Page.setBypassCSP", enabled=True)  # for `alive`
    driver.open(Path(driver.tab.value("decodeURI(location.pathname)")))
    driver.choose("files", [encrypt_content(tmp_path, f"{n}.txt", b"text") for n in range(3)])
    driver.choose("key-file", [key_file])
    names, _ = driver.run()
    assert driver.count_blobs() >= len(names) == 3
    driver.tab.value("document.querySelector('#cards button').click()")
    driver.tab.wait_for("document.getElementById('viewer').open", True)
    driver.tab.value("document.getElementById('close').click()")
    assert driver.count_blobs() == 0
    fields = "[...document.querySelectorAll('input, textarea')].filter((e) => e.value)"
    field_types = set(driver.tab.value(f"{fields}.map((e) => e.type)"))
    assert field_types == {"checkbox", "radio", "range"}
    assert driver.get_texts("#cards li, #chosen li, #viewed *") == []
    assert not driver.tab.value("document.getElementById('viewer').open")
    stored_data = "[localStorage.length, sessionStorage.length, document.cookie]"
    assert driver.tab.value(stored_data) == [0, 0, ""]
    driver.tab.ask("Page.setBypassCSP", enabled=False)
    driver.tab.problems.clear()  # failed requests of dead addresses


_WORKERS_SCRIPT = """
    window.workers = [];
    window.Worker = class extends Worker {
        constructor(url) { super(url); workers.push(this); }
    };
"""
_WITHOUT_WEBASSEMBLY = """
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
        const code = blob.type === "text/javascript";
        return make(code ? new Blob(["delete self.WebAssembly;", blob], blob) : blob);
    };
"""


@pytest.mark.parametrize("moments", [4, pytest.param(40, marks=pytest.mark.nightly)])
def test_a_worker_that_ends_at_any_moment(
    driver: Driver, page_file: Path, tmp_path: Path, key_file: Path, moments: int
) -> None:
    """If a worker is stopped or runs out of memory, the next run works or says what is wrong."""
    open_with_script(driver, page_file, _WORKERS_SCRIPT)
    files = [encrypt_content(tmp_path, f"{n}.bin", os.urandom(400_000)) for n in range(5)]
    run = "document.getElementById('run')"
    for delay in range(moments):
        driver.choose("files", files)
        driver.choose("key-file", [key_file])
        driver.tab.value(f"{run}.click()")
        pause = f"new Promise((done) => setTimeout(done, {delay * 120 // moments}))"
        if delay % 2 == 0:
            driver.tab.value(f"{pause}.then(() => document.getElementById('close').click())")
            driver.tab.wait_for(f"{run}.disabled", False)
            assert set(driver.get_texts("#errors p")) <= {"stopped"}
            assert len(driver.get_texts("#cards h3")) in {0, len(files)}
            driver.choose("files", files)
            driver.choose("key-file", [key_file])
        else:
            driver.tab.value(f"{pause}.then(() => workers.at(-1).onerror(new Event('error')))")
            driver.tab.wait_for(f"{run}.disabled", False)
            errors_shown = driver.get_texts("#errors p")
            assert all("memory" in message for message in errors_shown)
            assert len(errors_shown) + len(driver.get_texts("#cards h3")) in {1, len(files)}
        names, messages = driver.run()
        assert (len(names), messages) == (len(files), [])


def test_a_browser_without_webassembly(
    driver: Driver, page_file: Path, tmp_path: Path, key_file: Path
) -> None:
    """Without WebAssembly, decrypting and encrypting end with a message that names it."""
    open_with_script(driver, page_file, _WITHOUT_WEBASSEMBLY)
    driver.choose("key-file", [key_file])
    for task in ("decrypt", "encrypt"):
        driver.set_task(task)
        driver.choose("files", [encrypt_content(tmp_path, "a.txt", b"a")])
        names, messages = driver.run()
        assert (names, len(messages)) == ([], 1)
        assert "WebAssembly" in messages[0]


def test_workers_that_read_no_files(
    driver: Driver, page_file: Path, tmp_path: Path, key_file: Path
) -> None:
    """If workers cannot read files, as in WebKit, the page processes them, and stops at once."""
    script = "Blob.prototype.arrayBuffer = () => Promise.reject(new Error());"
    open_with_script(
        driver, page_file, _WITHOUT_WEBASSEMBLY.replace("delete self.WebAssembly;", script)
    )
    driver.choose("files", [encrypt_content(tmp_path, "a.txt", b"a" * 999)])
    driver.choose("key-file", [key_file])
    assert driver.run() == (["a.txt"], [])
    assert driver.save().read_bytes() == b"a" * 999
    driver.set_task("encrypt")
    driver.tab.value("document.getElementById('key-file').value = ''")
    driver.tab.value("document.getElementById('offer').click()")
    driver.tab.value("document.getElementById('run').click()")
    driver.tab.wait_for(
        "document.getElementById('bar').value > 1", True
    )  # wait until a derivation has begun
    driver.tab.value("document.getElementById('close').click()")
    driver.tab.wait_for("document.getElementById('run').disabled", False)
    assert driver.get_texts("#status") == ["Stopped"]
    driver.tab.value("document.getElementById('passphrase').value = ''")
    driver.choose("key-file", [key_file])
    (name,), messages = driver.run()
    assert (name[1:], messages) == (".encrypted.png.encrypted.png", [])


_FORBIDDEN_ACTIONS = (
    "fetch(address).then(() => 'sent', () => 'refused')",
    """new Promise((done) => { const image = new Image(); image.src = address;
        image.onload = () => done('sent'); image.onerror = () => done('refused') })""",
    """new Promise((done) => { const script = document.createElement('script');
        script.textContent = 'window.ran = 1'; document.body.append(script);
        setTimeout(() => done(window.ran ? 'sent' : 'refused'), 50) })""",
    """new Promise((done) => { setTimeout('window.ran = 1');
        setTimeout(() => done(window.ran ? 'sent' : 'refused'), 50) })""",
    """new Promise((done) => {
        const code = `const answer = (text) => () => postMessage(text);
            fetch('${address}').then(answer('sent'), answer('refused'))`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        worker.onmessage = ({ data }) => done(data) })""",
)


def test_the_policy_refuses_requests(
    driver: Driver, page_file: Path, request_log: tuple[str, list[str]]
) -> None:
    """Requests of page and worker, pictures from other addresses, and other scripts are refused."""
    address, paths = request_log
    for is_bypassed in (True, False):  # without the policy, the attempts must succeed
        driver.tab.ask("Page.setBypassCSP", enabled=is_bypassed)
        driver.open(page_file)
        driver.tab.ask("Network.setBlockedURLs", urls=[])
        driver.tab.value(f"window.address = {address!r}, 0")
        for index, action in enumerate(_FORBIDDEN_ACTIONS):
            result = driver.tab.value(action)
            if index != 1:  # attempt 1 fails anyway, as the answer is no picture
                assert result == ("sent" if is_bypassed else "refused"), action
        assert bool(paths) == is_bypassed
        paths.clear()
    driver.tab.problems.clear()


def test_names_that_mislead(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results get the names that the command line would choose on Windows."""
    names = [
        "../../up.txt", "C:\\x\\con.txt", "pay\u202egpj.exe", "a\0b\nc", ". ", "", ".profile",
        "x" * 300 + ".png", "\u00e9" * 200 + ".jpg", "." + "y" * 300, "é.tar.gz", "a\u200db.txt",
        "\u0645\u06cc\u200c\u062e\u0648.txt", "\u0928\u094d\u200d.txt", "a.sudokucrypt.json",
        "\U0001f469\u200d\U0001f4bb.png", "Desktop.ini", "de\u017fktop.ini", "autorun.inf", "AUX",
        "aux .txt", "com\u00b9.txt", "conin$", "a.REDACTION", "b?c*d|e", "end. . ", "\udcff.txt",
        "-rf", "~x", "\u0131.\u0130",
    ]  # fmt: skip
    module = join_code("shell/names.js")
    expression = "(s) => safeName(JSON.parse(s), 'file')"
    script = (
        f"(() => {{ {module} return {[json.dumps(name) for name in names]}.map({expression}) }})()"
    )
    monkeypatch.setattr(storage, "IS_WINDOWS", True)
    assert driver.tab.value(script) == [make_safe_name(name) or "file" for name in names]
    results = ["a.jpg.scrambled.png", "b.encrypted.png", ".redacted.png", "c.png", "d.rekeyed"]
    script = f"(() => {{ {module} return {json.dumps(results)}.map(originalName) }})()"
    assert driver.tab.value(script) == ["a.jpg", "b", ".redacted.png", "c.png", "d"]
    equal_names = ["a.txt", "A.txt", "a.txt", "stra\u00dfe", "STRASSE", "e\u0301", "\u00e9"]
    script = f"(() => {{ {module} return distinctNames({json.dumps(equal_names)}) }})()"
    assert driver.tab.value(script) == [
        "a.txt", "A (2).txt", "a (3).txt", "stra\u00dfe", "STRASSE (2)", "e\u0301", "\u00e9 (2)",
    ]  # fmt: skip


def test_hostile_content_does_not_run(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """Scripts in restored HTML and SVG do not run, for any encrypted media type."""
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" onload="ran=1"><script>ran=1</script></svg>'
    html = b"<script>window.ran = 1</script><img src=http://127.0.0.1:9/x onerror='ran=1'>"
    files = [encrypt_content(tmp_path, "a.html", html), encrypt_content(tmp_path, "a.svg", svg)]
    driver.choose("key-file", [key_file])
    for path, element in zip(files, ("pre", "canvas"), strict=True):
        driver.choose("files", [path])
        driver.run()
        driver.tab.wait_for(f"document.querySelector('#cards {element}') !== null", True)
    assert driver.tab.value("window.ran") is None


def test_media_are_shown(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """Pictures, sound and text are shown, and all other files can be saved."""
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setparams((1, 1, 8000, 0, "NONE", ""))
        file.writeframes(bytes(8000))
    contents = {
        "a.png": save_picture(tmp_path / "a.png").read_bytes(),
        "b.wav": sound.getvalue(),
        "c.txt": "ä text\n".encode(),
        "d.pdf": b"%PDF-1.4",
        "e.bin": bytes(100),
    }
    paths = [encrypt_content(tmp_path, name, content) for name, content in contents.items()]
    driver.choose("key-file", [key_file])
    driver.choose("files", paths)
    assert driver.run() == (list(contents), [])
    viewed = []
    driver.tab.value("document.querySelector('#cards button').click()")
    for name in contents:
        driver.tab.wait_for("document.getElementById('viewed-name').textContent", name)
        viewed.append(driver.tab.value("document.getElementById('viewed').firstChild.tagName"))
        if name == "a.png":
            size = "document.querySelector('#viewed img').decode().then(() => 1)"
            assert driver.tab.value(size) == 1
        if name == "b.wav":
            driver.tab.wait_for("document.querySelector('#viewed audio').duration", 1)
        if name == "c.txt":
            assert driver.get_texts("#viewed pre") == ["ä text\n"]
        driver.tab.value("document.getElementById('next').click()")
    assert viewed == ["IMG", "AUDIO", "PRE", "DIV", "DIV"]
    driver.tab.value("document.getElementById('close-viewer').click()")
    with zipfile.ZipFile(
        driver.download("document.getElementById('save-all').click()", "sudokucrypt.zip")
    ) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == contents


def test_the_remaining_time_is_shown(driver: Driver, tmp_path: Path) -> None:
    """The button shows the progress of a derivation and the remaining seconds."""
    driver.tab.value("""(() => {
        let now = 0;
        performance.now = () => (now += 60000); // a minute from one step to the next
        window.said = [];
        const button = document.getElementById("run");
        const options = { childList: true, subtree: true, characterData: true };
        new MutationObserver(() => said.push(button.textContent)).observe(button, options);
    })()""")
    (tmp_path / "a.txt").write_bytes(b"a")
    driver.set_task("encrypt")
    driver.choose("files", [tmp_path / "a.txt"])
    driver.tab.value("document.getElementById('offer').click()")
    assert driver.run() == (["a.txt.encrypted.png"], [])
    pattern = r"Protect \.\.\. (\d+) %, (\d+) s left"
    time_matches = [re.fullmatch(pattern, text) for text in driver.tab.value("said")]
    shares = [int(match[1]) for match in time_matches if match]
    assert len(shares) > 10
    assert shares == sorted(shares)


def test_a_space_at_the_end(driver: Driver, tmp_path: Path) -> None:
    """The message for a wrong passphrase that ends with a space says so."""
    (tmp_path / "a.png").write_bytes(encrypt_bytes(b"a", Passphrase("one thing")))
    driver.choose("files", [tmp_path / "a.png"])
    driver.enter("passphrase", "one thing ")
    space = "a space stands at the end of the passphrase"
    assert driver.run() == ([], [f"a.png: {WRONG_KEY_MESSAGE}; {space}"])


def test_a_file_that_went_away(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """A chosen file that was removed is named in a message."""
    path = encrypt_content(tmp_path, "a.txt", b"a")
    driver.choose("files", [path])
    driver.choose("key-file", [key_file])
    path.unlink()
    message = f"{path.name}: the file cannot be read any more; choose it again"
    assert driver.run() == ([], [message])


def test_tiff_previews_are_shown(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """A restored TIFF shows its encrypted preview, and what to do."""
    Image.fromarray(noise(48, 64, 3)).save(tmp_path / "a.tif")
    encrypt_file(tmp_path / "a.tif", tmp_path / "a.png", KEY, preview=True)
    driver.choose("files", [tmp_path / "a.png"])
    driver.choose("key-file", [key_file])
    assert driver.run() == (["a.tif"], [])
    driver.tab.wait_for("document.querySelector('#cards img')?.alt ?? ''", "Preview of a.tif")
    assert driver.measure("#cards img") > 0


def test_a_new_key(driver: Driver) -> None:
    """A new key file of the page is valid, and differs each time."""
    keys = set()
    for _ in range(2):
        driver.set_task("keygen")
        assert driver.run() == (["my.key"], [])
        keys.add(Key.from_file(driver.save()))
    assert len(keys) == 2


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 640, 390, 195])  # half of them are zoomed to 200 %
def test_nothing_sticks_out(
    driver: Driver, page_file: Path, tmp_path: Path, key_file: Path, width: int, *, dark: bool
) -> None:
    """For any width and long names, all elements are in the window, and controls suit fingers."""
    driver.open(page_file, width=width, dark=dark)
    long_name = tmp_path / f"{'long' * 50}.txt"
    long_name.write_bytes(b"x" * 1000)
    outside_elements = """[...document.body.querySelectorAll('*')].filter((e) =>
        e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML)"""
    small_elements = """[...document.querySelectorAll('button, .button, input')].filter((e) =>
        e.checkVisibility() && Math.max(e.getBoundingClientRect().height,
        e.closest('label')?.getBoundingClientRect().height ?? 0) < 43).map((e) => e.id)"""
    narrow_elements = """[...document.querySelectorAll('.field input, textarea')].filter((e) =>
        e.checkVisibility() && e.offsetWidth < Math.min(200, innerWidth * 0.6)).map((e) => e.id)"""
    for task in ("keygen", "see", "give", "cover", "decrypt", "encrypt"):
        driver.set_task(task)
        assert driver.tab.value(outside_elements) == []
        assert driver.tab.value(narrow_elements) == []
        assert driver.tab.value(small_elements) == []
    driver.choose("files", [long_name, key_file])
    driver.choose("key-file", [key_file])
    driver.run()
    assert driver.tab.value(outside_elements) == []
    assert driver.tab.value(small_elements) == []
    driver.set_task("decrypt")
    driver.run()
    assert driver.tab.value(outside_elements) == []


def test_six_words_are_fully_visible(driver: Driver, page_file: Path, tmp_path: Path) -> None:
    """The field of six words shows the longest words completely, also on a phone."""
    longest = "among mulch gravy women bagel dwarf"
    driver.open(page_file, width=390)
    driver.set_task("cover")
    driver.choose("files", [save_picture(tmp_path / "photo.png")])
    driver.tab.wait_for("document.getElementById('covering').hidden", False)
    for button in ("add-layer", "offer"):
        driver.tab.value(f"document.getElementById('{button}').click()")
    overflow = f"(e) => (e.value = '{longest}', e.scrollWidth - e.clientWidth)"
    for task, field in (
        ("cover", "layer-2-words"),
        ("cover", "passphrase"),
        ("keygen", "lock-words"),
    ):
        driver.set_task(task)
        driver.tab.value("document.getElementById('lock').click()")
        assert driver.tab.value(f"({overflow})(document.getElementById('{field}'))") == 0, field


def test_keyboard_and_screen_reader(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """Each control has a name and is reached by Tab; progress, errors and results are announced."""
    driver.set_task("encrypt")
    driver.tab.value("document.getElementById('more').open = true")
    nodes = driver.tab.ask("Accessibility.getFullAXTree")["nodes"]
    roles = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
             if not node["ignored"]]  # fmt: skip
    controls = {"button", "textbox", "checkbox", "radio", "progressbar", "link"}
    assert [role for role, name in roles if role in controls and not name] == []
    for role in ("main", "status", "alert", "heading", "radio", "textbox"):
        assert role in dict(roles), role
    driver.tab.value("document.activeElement.blur()")
    focused_elements = []
    for _ in range(16):
        for event_type in ("keyDown", "keyUp"):
            driver.tab.ask(
                "Input.dispatchKeyEvent", type=event_type, key="Tab", windowsVirtualKeyCode=9
            )
        focused_elements.append(
            driver.tab.value("document.activeElement.id || document.activeElement.name")
        )
    element_ids = "task files passphrase again show-passphrase offer key-file key-text pad run"
    assert [name for name in element_ids.split() if name not in focused_elements] == []
    driver.set_task("decrypt")
    driver.choose("files", [encrypt_content(tmp_path, "a.txt", b"x")])
    driver.choose("key-file", [key_file])
    driver.run()
    assert driver.tab.value("document.activeElement.id") == "results-title"
    assert driver.get_texts("#status") == ["Done"]


def test_text_has_enough_contrast(driver: Driver, page_file: Path) -> None:
    """Text has the contrast of 4.5 that WCAG 2.2 requires (1.4.3), in dark and light mode."""
    selectors = (".lead", "legend", "label", "#run", "#close", ".errors p", ".note", "footer p")
    for dark in (False, True):
        driver.open(page_file, dark=dark)
        driver.run()
        assert driver.tab.contrast(selectors) >= 4.5


def test_costly_derivations_are_refused(driver: Driver, tmp_path: Path) -> None:
    """A header that requires a too costly derivation is refused before it begins."""
    words = Passphrase("x")
    words._derivation = KeyDerivation("argon2id", 64, 65, 1, bytes(16))
    path = tmp_path / "costly.png"
    path.write_bytes(encrypt_bytes(b"x", words))
    driver.choose("files", [path])
    driver.enter("passphrase", "x")
    costly = "costly.png: the field 'kdf' asks for more memory or time than is allowed"
    assert driver.run() == ([], [costly])


def test_types_of_addresses(driver: Driver) -> None:
    """For any given type, an address has a type that browsers show or play, never a document."""
    listed_types = {*mimetypes.types_map.values(), *mimetypes.common_types.values()}
    more_types = (
        "application/xhtml+xml", "text/html", "image/svg+xml", "text/xml", "application/pdf",
        "application/mathml+xml", "text/xsl", "multipart/related", "message/rfc822", "TEXT/HTML",
        "audio/mpegurl", "application/x-shockwave-flash", "image/svg+xml;x=y",
    )  # fmt: skip
    types = sorted({*listed_types, *more_types})
    module = join_code("shell/blobs.js")
    script = f"""(() => {{ {module}
        const types = [];
        URL.createObjectURL = ({{ type }}) => String(types.push(type));
        for (const type of {json.dumps(types)}) makeAddress(new Blob(["x"]), type);
        return types; }})()"""
    address_types = dict(zip(types, driver.tab.value(script), strict=True))
    binary = {name for name, type_ in address_types.items() if type_ == "application/octet-stream"}
    assert all(address_types[name] in (name, "application/octet-stream") for name in types)
    assert {name.partition("/")[0] for name in set(types) - binary} == {"image", "audio", "video"}
    assert not {name for name in set(types) - binary if "xml" in name or "html" in name}
    assert set(more_types) <= binary


def test_keys_are_locked(driver: Driver, key_file: Path) -> None:
    """A key file that the page locked is unlocked by the command line and by the page."""
    driver.set_task("keygen")
    driver.tab.value("document.getElementById('lock').click()")
    assert driver.run() == ([], ["choose a key file, and enter a passphrase"])
    driver.choose("lock-file", [key_file])
    driver.enter("lock-words", "open sesame")
    assert driver.run() == (["my.key"], [])
    text = driver.save().read_text()
    assert KEY.to_text() not in text
    assert unlock(text, Passphrase("open sesame")) == KEY


def test_pictures_are_scrambled(driver: Driver, tmp_path: Path, key_file: Path) -> None:
    """A JPEG is scrambled and restored byte for byte; a file that is no picture is encrypted."""
    Image.open(save_picture(tmp_path / "photo.png")).save(tmp_path / "photo.jpg")
    (tmp_path / "notes.txt").write_bytes(b"notes")
    driver.set_task("encrypt")
    driver.tab.value("document.getElementById('scramble').checked = true")
    driver.choose("files", [tmp_path / name for name in ("photo.jpg", "photo.png", "notes.txt")])
    driver.choose("key-file", [key_file])
    assert driver.run() == (
        ["photo.jpg.scrambled.jpg", "photo.png.scrambled.png", "notes.txt.encrypted.png"], [],
    )  # fmt: skip
    unscramble_file(driver.save(0), tmp_path / "back.jpg", KEY)
    assert (tmp_path / "back.jpg").read_bytes() == (tmp_path / "photo.jpg").read_bytes()
    unscramble_file(driver.save(1), tmp_path / "back.png", KEY)
    images = (Image.open(tmp_path / name) for name in ("back.png", "photo.png"))
    assert ImageChops.difference(*images).getbbox() is None


def test_a_plain_address_without_cryptography(tab: Page, tmp_path: Path) -> None:
    """The page over plain http says what to do, as browsers offer no cryptography there."""
    script = tab.ask(
        "Page.addScriptToEvaluateOnNewDocument",
        source="Object.defineProperty(crypto, 'subtle', { value: undefined })",
    )
    driver = Driver(tab, tmp_path)
    (tmp_path / "page.html").write_bytes(page())
    driver.tab.open(tmp_path / "page.html", width=390)
    tab.ask("Page.removeScriptToEvaluateOnNewDocument", **script)
    assert "https" in driver.get_texts("#errors p")[0]
