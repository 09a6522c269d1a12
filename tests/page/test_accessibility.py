"""Accessibility of each state of the page: axe-core finds no fault, and all tasks work by keys."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from sudokucrypt import (
    Identity,
    Key,
    Passphrase,
    Recipient,
    decrypt_bytes,
    encrypt_bytes,
    unredact_file,
)
from sudokucrypt.cli.open.folder import Folder
from sudokucrypt.cli.open.server import PageServer
from sudokucrypt.page import make_album, make_folder_page, page
from tests.cli.open_page.conftest import run_server
from tests.page.conftest import Driver

pytestmark = pytest.mark.programs("chromium")
KEY = Key(bytes(range(32)))
WORDS = "lend trace april dove gulf iron"
# Violated rules of axe-core with their elements, and elements whose contrast it cannot measure,
# except labels around their own field.
_AXE_SCRIPT = """axe.run(document).then(({ violations, incomplete }) => {
    const contrast = incomplete.filter(({ id }) => id === "color-contrast");
    const said = (rules) =>
        rules.flatMap(({ id, nodes }) => nodes.map(({ target }) => [id, target]));
    const label = "label:has(input, select)";
    const around = ([, target]) => document.querySelector(target).matches(label);
    return [...said(violations), ...said(contrast).filter((each) => !around(each))]
        .map(([id, target]) => `${id}: ${target}`); })"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from a Python package."""
    package = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    path = Path(package.__file__).with_name("axe.min.js")
    return path.read_text(encoding="utf-8")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A picture, encrypted files, a damaged file, their key, and albums."""
    paths = {name: tmp_path / name for name in ("photo.jpg", "a.png", "b.png", "bad.png", "my.key")}
    Image.effect_mandelbrot((320, 240), (-2, -1, 1, 1), 30).convert("RGB").save(paths["photo.jpg"])
    photo = paths["photo.jpg"].read_bytes()
    paths["a.png"].write_bytes(encrypt_bytes(photo, KEY, name="photo.jpg"))
    paths["b.png"].write_bytes(encrypt_bytes(b"Dear all,", KEY, name="letter.txt"))
    paths["bad.png"].write_bytes(encrypt_bytes(b"x", Key(bytes(32))))
    paths["my.key"].write_text(KEY.to_file_text())
    keys: dict[str, Passphrase | Recipient] = {
        "words": Passphrase(WORDS),
        "people": Identity.generate().recipient,
    }
    for name, key in keys.items():
        paths[name] = tmp_path / f"{name}.html"
        encrypted_files = [
            encrypt_bytes(photo, key, name="photo.jpg"),
            encrypt_bytes(b"x", key, name="x"),
        ]
        paths[name].write_bytes(b"".join(make_album(encrypted_files, "Holidays")))
    return paths


def _choose(driver: Driver, files: dict[str, Path], *names: str) -> None:
    driver.choose("files", [files[name] for name in names])
    driver.choose("key-file", [files["my.key"]])


def _fail(driver: Driver, files: dict[str, Path]) -> None:
    driver.choose("key-file", [files["my.key"]])
    assert driver.run() == ([], ["no file was chosen"])


def _open_results(driver: Driver, files: dict[str, Path]) -> None:
    _choose(driver, files, "a.png", "b.png", "bad.png")
    assert len(driver.run()[0]) == 2


def _view(driver: Driver, files: dict[str, Path]) -> None:
    _open_results(driver, files)
    driver.tab.value("document.querySelector('#cards button').click()")
    driver.tab.wait_for("document.querySelectorAll('#viewed img').length", 1)


def _open_one(driver: Driver, files: dict[str, Path]) -> None:
    _choose(driver, files, "b.png")
    driver.run()


def _protect(driver: Driver, files: dict[str, Path]) -> None:
    driver.set_task("encrypt")
    driver.tab.value("document.getElementById('offer').click()")
    driver.choose("files", [files["photo.jpg"]])
    driver.run()


def _cover(driver: Driver, files: dict[str, Path]) -> None:
    driver.set_task("cover")
    driver.choose("files", [files["photo.jpg"]])
    driver.tab.wait_for("document.getElementById('covering').hidden", False)
    for button in ("add-box", "add-layer", "add-box"):
        driver.tab.value(f"document.getElementById('{button}').click()")


def _give(driver: Driver, files: dict[str, Path]) -> None:
    driver.set_task("give")
    driver.choose("files", [files["photo.jpg"]])
    driver.run()


def _lock(driver: Driver, _: dict[str, Path]) -> None:
    driver.set_task("keygen")
    driver.tab.value("document.getElementById('lock').click()")
    driver.run()


def _see(driver: Driver, _: dict[str, Path]) -> None:
    driver.set_task("see")
    driver.tab.wait_for("document.querySelectorAll('[role=gridcell]').length", 81)


def _open_album(driver: Driver, files: dict[str, Path]) -> None:
    driver.open(files["words"], width=390)
    driver.enter("passphrase", WORDS)
    driver.run()


def _see_album(driver: Driver, files: dict[str, Path]) -> None:
    driver.open(files["people"], width=390)
    album_is_shown = "document.documentElement.classList.contains('for-recipients')"
    driver.tab.wait_for(album_is_shown, True)


_STATES: dict[str, Callable[[Driver, dict[str, Path]], None]] = {
    "first": lambda *_: None,
    "no file": _fail,
    "results": _open_results,
    "viewer": _view,
    "one result": _open_one,
    "protected": _protect,
    "covering": _cover,
    "given": _give,
    "keys": lambda driver, _: driver.set_task("keygen"),
    "locking": _lock,
    "see": _see,
    "album": _open_album,
    "for recipients": _see_album,
}


@pytest.mark.parametrize("state", _STATES)
def test_axe_finds_nothing(
    driver: Driver, page_file: Path, files: dict[str, Path], axe: str, state: str
) -> None:
    """In each state, with all details open, axe-core finds no violation and nothing undecidable."""
    driver.open(page_file, width=390)
    _STATES[state](driver, files)
    assert _run_axe(driver, axe) == []


def _run_axe(driver: Driver, axe: str) -> list[str]:
    """Return the findings of axe-core in light and dark colors."""
    driver.tab.ask("Runtime.evaluate", expression=axe)
    # All details are open, since axe-core would count their hidden text as an obstacle.
    driver.tab.value("document.getElementById('more').open = true")
    findings = []
    for colors in ("light", "dark"):
        scheme = {"name": "prefers-color-scheme", "value": colors}
        driver.tab.ask("Emulation.setEmulatedMedia", features=[scheme])
        findings += driver.tab.value(_AXE_SCRIPT)
    return findings


def test_axe_finds_nothing_in_a_folder(driver: Driver, files: dict[str, Path], axe: str) -> None:
    """On the page with a folder and in its viewer, axe-core finds nothing."""
    keys = {"keys": [KEY.to_file_text()], "passphrase": None}
    folder = Folder(files["a.png"].parent)
    with run_server(PageServer(make_folder_page(), page(), folder, keys)) as server:
        driver.tab.open(server.url, width=390)
        driver.tab.wait_for("document.getElementById('status').textContent", "Done")
        assert driver.get_texts("#shelf-left li")
        assert _run_axe(driver, axe) == []
        driver.tab.value("document.querySelector('#shelf-cards button').click()")
        driver.tab.wait_for("document.querySelectorAll('#viewed-actions button').length", 1)
        assert _run_axe(driver, axe) == []
    driver.tab.problems.clear()  # requests failed, since the program has ended


def test_axe_finds_faults(driver: Driver, axe: str) -> None:
    """axe-core finds a field without a name, and gray text."""
    driver.tab.value("document.getElementById('more').open = true")
    driver.tab.ask("Runtime.evaluate", expression=axe)
    driver.tab.value("""document.getElementById("main").insertAdjacentHTML("beforeend",
        "<input id=nameless><p id=gray>words</p>"), gray.style.color = "#bbb" """)
    assert driver.tab.value(_AXE_SCRIPT) == ["color-contrast: #gray", "label: #nameless"]


_FOCUS_IS_VISIBLE = """((e) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(e.closest(".tasks label") ?? e);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
})(document.activeElement)"""
_KEY_CODES = {"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
          "ArrowDown": 40, "Escape": 27}  # fmt: skip


class Keyboard:
    """A user without a mouse, who must see where the focus is."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.tab = driver, driver.tab
        self.tab.value("document.activeElement.blur()")

    def press(self, *keys: str, shift: bool = False) -> None:
        """Press keys in sequence."""
        for key in keys:
            text = {"Enter": "\r", " ": " "}.get(key, "")
            for event_type in ("keyDown", "keyUp"):
                options = {"text": text} if text and event_type == "keyDown" else {}
                key_code = _KEY_CODES.get(key, 0)
                self.tab.ask(
                    "Input.dispatchKeyEvent",
                    type=event_type,
                    key=key,
                    windowsVirtualKeyCode=key_code,
                    modifiers=8 * shift,
                    **options,
                )

    def focus(self, selector: str) -> None:
        """Press Tab until an element has the focus, which must always be visible."""
        for _ in range(120):
            self.press("Tab")
            if self.tab.value("document.activeElement === document.body"):
                continue  # the focus left the page for the controls of the browser
            assert self.tab.value(_FOCUS_IS_VISIBLE), self.tab.value(
                "document.activeElement.outerHTML"
            )
            if self.tab.value(f"document.activeElement.matches({selector!r})"):
                return
        pytest.fail(f"{selector} is not reached")

    def set_task(self, number: int) -> None:
        """Choose a task by its number."""
        self.focus("[name=task]")
        self.press(*["ArrowRight"] * number)

    def choose(self, field: str, *paths: Path) -> None:
        """Go to a field for files, and choose files without the dialog of the browser."""
        self.focus(f"#{field}")
        self.driver.choose(field, paths)

    def run(self) -> list[str]:
        """Run the task, and return the names of the results, which get the focus."""
        self.focus("#run")
        self.press("Enter")
        self.tab.wait_for("document.getElementById('going-on').hidden", True, seconds=60)
        assert self.driver.get_texts("#errors p") == []
        assert self.tab.value("document.activeElement.id") == "results-title"
        return self.driver.get_texts("#cards h3")

    def save(self) -> bytes:
        """Save the first result."""
        self.focus("#cards .button")
        name = self.tab.value("document.activeElement.download")
        return self.driver.download("0", name, lambda: self.press("Enter")).read_bytes()


def test_opening_by_keyboard(driver: Driver, files: dict[str, Path]) -> None:
    """By keyboard, files are opened, shown in the viewer and saved, and a failure is dismissed."""
    keyboard = Keyboard(driver)
    keyboard.choose("files", files["a.png"], files["b.png"])
    keyboard.choose("key-file", files["my.key"])
    assert keyboard.run() == ["photo.jpg", "letter.txt"]
    keyboard.focus("#cards button")
    keyboard.press("Enter")
    driver.tab.wait_for("document.getElementById('viewed-name').textContent", "photo.jpg")
    keyboard.press("ArrowRight")
    driver.tab.wait_for("document.getElementById('viewed-name').textContent", "letter.txt")
    keyboard.focus("#close-viewer")
    keyboard.press("Enter")
    assert driver.tab.value("document.activeElement.ariaLabel") == "Show photo.jpg"
    assert keyboard.save() == files["photo.jpg"].read_bytes()
    keyboard.focus("#close")
    keyboard.press("Enter")
    assert driver.get_texts("#cards *, #chosen *") == []
    keyboard.choose("files", files["bad.png"])
    keyboard.choose("key-file", files["my.key"])
    keyboard.focus("#run")
    keyboard.press("Enter")
    driver.tab.wait_for("document.querySelectorAll('#errors p').length", 1)
    keyboard.focus("#errors button")
    keyboard.press(" ")
    assert driver.get_texts("#errors *") == []
    assert driver.tab.value("document.activeElement.id") == "run"


@pytest.mark.parametrize("task", [1, 3])
def test_protecting_and_giving_by_keyboard(
    driver: Driver, files: dict[str, Path], task: int
) -> None:
    """By keyboard, files are encrypted with six generated words, which open the saved file."""
    keyboard = Keyboard(driver)
    keyboard.set_task(task)
    keyboard.choose("files", files["photo.jpg"])
    if task == 1:
        keyboard.focus("#offer")
        keyboard.press("Enter")
        words = driver.tab.value("document.activeElement.value")
    keyboard.run()
    saved = keyboard.save()
    if task == 1:
        assert decrypt_bytes(saved, Passphrase(words)) == files["photo.jpg"].read_bytes()
    else:
        assert re.search("the words that open it: ([a-z ]+)", driver.get_texts("#cards .note")[0])
        assert saved.startswith(b"<!doctype html>")


def test_covering_by_keyboard(driver: Driver, files: dict[str, Path], tmp_path: Path) -> None:
    """By keyboard, a box is added, moved, resized and typed, and its words lift it."""
    keyboard = Keyboard(driver)
    keyboard.set_task(2)
    keyboard.choose("files", files["photo.jpg"])
    driver.tab.wait_for("document.getElementById('covering').hidden", False)
    keyboard.focus("#add-box")
    keyboard.press("Enter", "ArrowRight", "ArrowDown")
    keyboard.press("ArrowRight", shift=True)
    keyboard.focus("#boxes input")
    assert driver.tab.value("document.activeElement.value") == "130,98,66,48"
    keyboard.focus("#offer")
    keyboard.press("Enter")
    words = driver.tab.value("document.activeElement.value")
    keyboard.run()
    (tmp_path / "covered.jpg").write_bytes(keyboard.save())
    unredact_file(tmp_path / "covered.jpg", tmp_path / "back.jpg", Passphrase(words))
    assert (tmp_path / "back.jpg").read_bytes() == files["photo.jpg"].read_bytes()


def test_making_keys_by_keyboard(driver: Driver) -> None:
    """By keyboard, a key and an identity are chosen by arrows and saved."""
    keyboard = Keyboard(driver)
    keyboard.set_task(4)
    assert keyboard.run() == ["my.key"]
    assert keyboard.save().splitlines()[-1].startswith(b"SUDOKUCRYPT-KEY-")
    keyboard.focus("[name=kind]")
    keyboard.press("ArrowDown")
    assert keyboard.run() == ["me.txt"]
    assert b"AGE-SECRET-KEY-" in keyboard.save()


def test_seeing_by_keyboard(driver: Driver) -> None:
    """By keyboard, cells, names, passes and the attack of the tab See are reached."""
    keyboard = Keyboard(driver)
    still = {"name": "prefers-reduced-motion", "value": "reduce"}
    driver.tab.ask("Emulation.setEmulatedMedia", features=[still])
    keyboard.set_task(5)
    driver.tab.wait_for("document.querySelectorAll('[role=gridcell]').length", 81)
    keyboard.focus("[role=gridcell]")
    keyboard.press("ArrowDown")
    keyboard.focus("#see-from")
    keyboard.press("ArrowDown")
    keyboard.focus("#see-play")
    keyboard.press("Enter")
    assert driver.get_texts("#see-play") == ["Fly back"]
    keyboard.focus("#see-passes")
    keyboard.press("ArrowRight")
    assert driver.get_texts("#see-pass") == ["Round 1: pixels stay in their rows."]
    keyboard.focus("#see-attack")
    keyboard.press("Enter")
    home = "document.getElementById('see-found').textContent"
    driver.tab.wait_for(home, "262144 of 262144 pixels came home.")
