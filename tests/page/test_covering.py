"""Covering areas of a picture in Chromium: drawn boxes are covered, and can be lifted."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    Identity,
    Key,
    Layer,
    Passphrase,
    Region,
    redact_file,
    redactions,
    unredact_file,
)
from sudokucrypt.images import decode_picture, get_turn
from tests.page.conftest import Opened

pytestmark = pytest.mark.programs("chromium")
KEY = Key(bytes(range(32)))
COLUMNS, ROWS = 320, 240
READ_NUMBERS = "[...document.querySelectorAll('#boxes input')].map((e) => e.value)"


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A JPEG of a phone that is stored turned, and shown as 240 x 320."""
    path = tmp_path / "photo.jpg"
    tags = Image.Exif()
    tags[274] = 6
    Image.effect_mandelbrot((COLUMNS, ROWS), (-2, -1, 1, 1), 30).convert("RGB").save(
        path, exif=tags
    )
    return path


def choose_picture(opened: Opened, path: Path) -> None:
    """Choose a picture to cover."""
    opened.task("cover")
    opened.choose("files", [path])
    opened.tab.wait_for("document.getElementById('covering').hidden", False)
    opened.tab.value("document.getElementById('stage').scrollIntoView()")


def locate(opened: Opened, x: float, y: float) -> dict[str, float]:
    """Return the position in the window of a position of the picture."""
    left, top, width, height = opened.tab.value(
        "(({ left, top, width, height }) => [left, top, width, height])"
        "(document.getElementById('seen').getBoundingClientRect())"
    )
    return {"x": left + x * width, "y": top + y * height}


def drag(opened: Opened, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a box with the mouse; it must be visible before the button is released."""

    def move(kind: str, place: tuple[float, float]) -> None:
        options: dict[str, Any] = {"button": "left", "buttons": 1, "clickCount": 1}
        opened.tab.ask("Input.dispatchMouseEvent", type=kind, **locate(opened, *place), **options)

    before = opened.tab.value("document.querySelectorAll('.box').length")
    move("mousePressed", start)
    move("mouseMoved", ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
    move("mouseMoved", end)
    assert opened.tab.value("document.querySelectorAll('.box').length") >= before
    move("mouseReleased", end)


def touch(opened: Opened, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a box with a finger."""
    for kind, positions in (
        ("touchStart", [start]),
        ("touchMove", [((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)]),
        ("touchMove", [end]),
        ("touchEnd", []),
    ):
        points = [locate(opened, *position) for position in positions]
        opened.tab.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)


def press(opened: Opened, key: str, *, shift: bool = False) -> None:
    """Press a key."""
    for kind in ("keyDown", "keyUp"):
        opened.tab.ask("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 * shift)


def read_areas(opened: Opened) -> list[tuple[int, ...]]:
    """Return the boxes as X, Y, W, H."""
    return [tuple(map(int, text.split(","))) for text in opened.tab.value(READ_NUMBERS)]


@pytest.mark.parametrize("width", [1280, 390])
def test_boxes_by_mouse_and_finger(
    opened: Opened, photo: Path, page_file: Path, tmp_path: Path, width: int
) -> None:
    """Drawn boxes give the pixels, index and lifted file of `redact` for the same areas."""
    opened.open(page_file, width=width)
    choose_picture(opened, photo)
    opened.tab.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    drag(opened, (0.1, 0.1), (0.4, 0.3))
    touch(opened, (0.9, 0.6), (0.6, 0.4))
    opened.tab.ask("Emulation.setTouchEmulationEnabled", enabled=False)
    boxes = read_areas(opened)
    assert len(boxes) == 2
    for (x, y, w, h), expected_area in zip(
        boxes, ((24, 32, 72, 64), (144, 128, 72, 64)), strict=True
    ):
        assert np.abs(np.subtract((x, y, w, h), expected_area)).max() <= 3
    opened.enter("key-text", KEY.to_text())
    assert opened.run() == (["photo.jpg.redacted.jpg"], [])
    saved = opened.save()
    regions = [(y, x, h, w) for x, y, w, h in boxes]
    redact_file(photo, tmp_path / "ours.jpg", [Layer(KEY, regions)])
    page_result, package_result = (
        decode_picture(path.read_bytes()) for path in (saved, tmp_path / "ours.jpg")
    )
    assert np.array_equal(page_result.pixels, package_result.pixels)
    assert get_turn(page_result) == get_turn(package_result)
    assert redactions(saved).layers == redactions(tmp_path / "ours.jpg").layers
    unredact_file(saved, tmp_path / "back.jpg", KEY)
    assert (tmp_path / "back.jpg").read_bytes() == photo.read_bytes()
    opened.task("decrypt")
    opened.choose("files", [tmp_path / "ours.jpg"])
    assert opened.run() == (["ours.jpg.unredacted.jpg"], [])
    assert opened.save().read_bytes() == photo.read_bytes()
    assert opened.tab.value("document.documentElement.scrollWidth <= innerWidth")


def test_boxes_by_keyboard(opened: Opened, photo: Path) -> None:
    """By keyboard, a box is added, moved, resized, typed and removed, inside the picture."""
    choose_picture(opened, photo)
    for _ in range(2):
        opened.tab.value("document.getElementById('add-box').click()")
    assert read_areas(opened) == [(96, 128, 48, 64), (108, 144, 48, 64)]
    opened.tab.value("document.querySelector('.box').focus()")
    press(opened, "Delete")
    opened.tab.value("document.querySelector('.box').focus()")
    press(opened, "ArrowRight")
    press(opened, "ArrowUp")
    press(opened, "ArrowLeft", shift=True)
    press(opened, "ArrowDown", shift=True)
    x, y, w, h = read_areas(opened)[-1]
    assert (x > 108, y < 144, w < 48, h > 64) == (True, True, True, True)
    for _ in range(200):
        press(opened, "ArrowRight")
    x, y, w, h = read_areas(opened)[-1]
    assert x + w == ROWS
    field = "document.querySelector('#boxes li:last-child input')"
    opened.tab.value(f"{field}.value = '1,2,3,4', {field}.dispatchEvent(new Event('input'))")
    style = "document.querySelector('#sheet .box:last-child').style"
    assert opened.tab.value(f"[{style}.left, {style}.width]") == ["0.416667%", "1.25%"]
    opened.tab.value(f"{field}.value = '1,2,x', {field}.dispatchEvent(new Event('input'))")
    assert opened.tab.value(f"{field}.getAttribute('aria-invalid')") == "true"
    count = len(read_labels(opened))
    opened.tab.value("document.querySelector('#sheet .box:last-child').focus()")
    press(opened, "Delete")
    assert len(read_labels(opened)) == count - 1
    assert opened.tab.value("document.activeElement.id") == "add-box"


def read_labels(opened: Opened) -> list[str]:
    """Return the labels of the boxes on the picture."""
    labels: list[str] = opened.tab.value(
        "[...document.querySelectorAll('.box')].map((e) => e.ariaLabel)"
    )
    return labels


def test_boxes_are_moved_and_resized(opened: Opened, photo: Path) -> None:
    """A box follows the mouse, and is resized at its lower right corner, also when zoomed."""
    choose_picture(opened, photo)
    zoom = "document.getElementById('zoom')"
    opened.tab.value(f"{zoom}.value = 1.5, {zoom}.dispatchEvent(new Event('input'))")
    drag(opened, (0.1, 0.1), (0.3, 0.3))
    x, y, w, h = read_areas(opened)[0]
    drag(opened, (0.2, 0.2), (0.3, 0.25))
    moved = read_areas(opened)[0]
    assert (moved[2:], moved[0] > x, moved[1] > y) == ((w, h), True, True)
    left, top = (moved[0] + w) / ROWS, (moved[1] + h) / COLUMNS
    drag(opened, (left - 0.01, top - 0.01), (left + 0.1, top + 0.05))
    resized = read_areas(opened)[0]
    assert (resized[:2], resized[2] > w, resized[3] > h) == (moved[:2], True, True)


def test_layers_with_keys_of_their_own(opened: Opened, photo: Path, tmp_path: Path) -> None:
    """Layers for words, a key, a recipient or nobody are lifted only by their own secret."""
    identity = Identity.generate()
    (tmp_path / "two.key").write_text(KEY.to_file_text())
    choose_picture(opened, photo)
    for _ in range(2):
        opened.tab.value("document.getElementById('add-layer').click()")
    boxes = ["0,0,32,32", "64,64,32,32", "128,128,32,32", "192,256,32,32"]
    for index, (box, layer) in enumerate(zip(boxes, ("1", "2", "3", "permanent"), strict=True)):
        opened.tab.value("document.getElementById('add-box').click()")
        opened.tab.value(f"""((line) => {{
            const [input, select] = [line.querySelector("input"), line.querySelector("select")];
            input.value = {json.dumps(box)};
            input.dispatchEvent(new Event("input"));
            select.value = {json.dumps(layer)};
            select.dispatchEvent(new Event("change"));
        }})(document.querySelectorAll("#boxes li")[{index}])""")
    opened.tab.value("document.getElementById('offer').click()")
    words = opened.tab.value("document.getElementById('passphrase').value")
    assert opened.run()[1] == ["layer 2 has no key: enter a passphrase, or choose a key file"]
    opened.choose("layer-2-key", [tmp_path / "two.key"])
    opened.tab.value(
        f"document.getElementById('layer-3-to').value = {identity.recipient.to_text()!r}"
    )
    assert opened.run() == (["photo.jpg.redacted.jpg"], [])
    saved = opened.save()
    plain = read_upright(photo.read_bytes())
    keys: list[Passphrase | Key | Identity] = [Passphrase(words), KEY, identity]
    for own_layer, key in enumerate(keys):
        unredact_file(saved, tmp_path / "part.jpg", key, replace=True)
        pixels = read_upright((tmp_path / "part.jpg").read_bytes())
        for index, text in enumerate(boxes):
            x, y, w, h = map(int, text.split(","))
            inner = (slice(y + 8, y + h - 8), slice(x + 8, x + w - 8))
            is_lifted = np.abs(pixels[inner].astype(int) - plain[inner]).max() < 8
            assert is_lifted == (index == own_layer), (index, own_layer)


def test_a_new_layer_gets_the_next_box(opened: Opened, photo: Path, tmp_path: Path) -> None:
    """A box drawn after adding a layer belongs to it; a key without boxes is no result."""
    KEY.to_file(tmp_path / "two.key")
    choose_picture(opened, photo)
    for button in ("add-box", "add-layer", "add-box"):
        opened.tab.value(f"document.getElementById('{button}').click()")
    chosen_layers = "[...document.querySelectorAll('#boxes select')].map((e) => e.value)"
    assert opened.tab.value(chosen_layers) == ["1", "2"]
    opened.tab.value("document.getElementById('offer').click()")
    opened.choose("layer-2-key", [tmp_path / "two.key"])
    opened.tab.value("document.querySelector('#boxes li:last-child button').click()")
    message = "layer 2 has a key, and no box: choose the layer below the picture, at a box"
    assert opened.run() == ([], [message])
    opened.tab.value("document.getElementById('layer-2-key').value = ''")
    assert opened.run() == (["photo.jpg.redacted.jpg"], [])


def read_upright(data: bytes) -> np.ndarray:
    """Return the pixels of a picture as they are shown."""
    picture = decode_picture(data)
    return np.asarray(get_turn(picture).upright(picture.pixels))


def test_two_passphrases_lift_two_layers(opened: Opened, photo: Path, tmp_path: Path) -> None:
    """Two passphrases in two lines lift two layers at once."""
    words, secret = [Passphrase("one of them"), Passphrase("the other")], tmp_path / "two.jpg"
    layers = [Layer(each, [Region(0, 32 * i, 32, 32)]) for i, each in enumerate(words)]
    redact_file(photo, secret, layers)
    opened.choose("files", [secret])
    opened.enter("passphrase", "one of them")
    assert opened.run() == (["two.jpg.unredacted.jpg"], [])
    assert "1 of 2 layers stay covered" in opened.texts("#cards .note")[0]
    opened.enter("others", "the other\n")
    assert opened.run() == (["two.jpg.unredacted.jpg"], [])
    assert opened.save().read_bytes() == photo.read_bytes()


@pytest.mark.parametrize("choice", ["key", "gone"])
def test_metadata_alone(opened: Opened, photo: Path, tmp_path: Path, choice: str) -> None:
    """Without a box, metadata are encrypted on request, or removed."""
    image, exif = Image.open(photo), Image.Exif()
    exif[271] = "a maker"
    image.save(photo, exif=exif)
    choose_picture(opened, photo)
    opened.tab.value(f"document.getElementById('bare').value = {choice!r}")
    if choice == "key":
        KEY.to_file(tmp_path / "my.key")
        opened.choose("key-file", [tmp_path / "my.key"])
    assert opened.run() == (["photo.jpg.redacted.jpg"], [])
    saved = opened.save()
    assert b"a maker" not in saved.read_bytes()
    assert np.array_equal(read_upright(saved.read_bytes()), read_upright(photo.read_bytes()))
    if choice == "key":
        unredact_file(saved, tmp_path / "back.jpg", KEY)
        assert (tmp_path / "back.jpg").read_bytes() == photo.read_bytes()


def test_mistakes_have_messages(opened: Opened, photo: Path, tmp_path: Path) -> None:
    """Each mistake of the user has a message, and unsupported pictures are named."""
    opened.task("cover")
    assert opened.run() == ([], ["choose one picture"])
    choose_picture(opened, photo)
    assert opened.run() == ([], ["no area was chosen: draw a box on the picture"])
    opened.tab.value("document.getElementById('add-box').click()")
    assert opened.run() == (
        [],
        ["no key: enter a passphrase, choose a key file, or enter recipients under More"],
    )
    stream = io.BytesIO()
    Image.open(photo).save(stream, "TIFF")
    (tmp_path / "photo.tif").write_bytes(stream.getvalue())
    opened.choose("files", [tmp_path / "photo.tif"])
    opened.tab.wait_for("document.getElementById('covering').hidden", True)
    cannot = "this browser cannot show the picture; use the command line"
    assert opened.run() == ([], [cannot])
    assert opened.tab.value("document.querySelectorAll('.box').length") == 0
