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
from tests.page.conftest import Driver

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


def choose_picture(driver: Driver, path: Path) -> None:
    """Choose a picture to cover."""
    driver.set_task("cover")
    driver.choose("files", [path])
    driver.tab.wait_for("document.getElementById('covering').hidden", False)
    driver.tab.value("document.getElementById('stage').scrollIntoView()")


def locate(driver: Driver, x: float, y: float) -> dict[str, float]:
    """Return the position in the window of a position of the picture."""
    left, top, width, height = driver.tab.value(
        "(({ left, top, width, height }) => [left, top, width, height])"
        "(document.getElementById('seen').getBoundingClientRect())"
    )
    return {"x": left + x * width, "y": top + y * height}


def drag(driver: Driver, start_point: tuple[float, float], end_point: tuple[float, float]) -> None:
    """Draw a box with the mouse; it must be visible before the button is released."""

    def move(event_type: str, place: tuple[float, float]) -> None:
        options: dict[str, Any] = {"button": "left", "buttons": 1, "clickCount": 1}
        driver.tab.ask(
            "Input.dispatchMouseEvent", type=event_type, **locate(driver, *place), **options
        )

    box_count = driver.tab.value("document.querySelectorAll('.box').length")
    move("mousePressed", start_point)
    move("mouseMoved", ((start_point[0] + end_point[0]) / 2, (start_point[1] + end_point[1]) / 2))
    move("mouseMoved", end_point)
    assert driver.tab.value("document.querySelectorAll('.box').length") >= box_count
    move("mouseReleased", end_point)


def touch(driver: Driver, start_point: tuple[float, float], end_point: tuple[float, float]) -> None:
    """Draw a box with a finger."""
    for event_type, positions in (
        ("touchStart", [start_point]),
        ("touchMove", [((start_point[0] + end_point[0]) / 2, (start_point[1] + end_point[1]) / 2)]),
        ("touchMove", [end_point]),
        ("touchEnd", []),
    ):
        points = [locate(driver, *position) for position in positions]
        driver.tab.ask("Input.dispatchTouchEvent", type=event_type, touchPoints=points)


def press(driver: Driver, key: str, *, shift: bool = False) -> None:
    """Press a key."""
    for event_type in ("keyDown", "keyUp"):
        driver.tab.ask("Input.dispatchKeyEvent", type=event_type, key=key, modifiers=8 * shift)


def read_areas(driver: Driver) -> list[tuple[int, ...]]:
    """Return the boxes as X, Y, W, H."""
    return [tuple(map(int, text.split(","))) for text in driver.tab.value(READ_NUMBERS)]


@pytest.mark.parametrize("width", [1280, 390])
def test_boxes_by_mouse_and_finger(
    driver: Driver, photo: Path, page_file: Path, tmp_path: Path, width: int
) -> None:
    """Drawn boxes give the pixels, index and lifted file of `redact` for the same areas."""
    driver.open(page_file, width=width)
    choose_picture(driver, photo)
    driver.tab.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    drag(driver, (0.1, 0.1), (0.4, 0.3))
    touch(driver, (0.9, 0.6), (0.6, 0.4))
    driver.tab.ask("Emulation.setTouchEmulationEnabled", enabled=False)
    boxes = read_areas(driver)
    assert len(boxes) == 2
    for (x, y, w, h), expected_area in zip(
        boxes, ((24, 32, 72, 64), (144, 128, 72, 64)), strict=True
    ):
        assert np.abs(np.subtract((x, y, w, h), expected_area)).max() <= 3
    driver.enter("key-text", KEY.to_text())
    assert driver.run() == (["photo.jpg.redacted.jpg"], [])
    saved = driver.save()
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
    driver.set_task("decrypt")
    driver.choose("files", [tmp_path / "ours.jpg"])
    assert driver.run() == (["ours.jpg.unredacted.jpg"], [])
    assert driver.save().read_bytes() == photo.read_bytes()
    assert driver.tab.value("document.documentElement.scrollWidth <= innerWidth")


def test_boxes_by_keyboard(driver: Driver, photo: Path) -> None:
    """By keyboard, a box is added, moved, resized, typed and removed, inside the picture."""
    choose_picture(driver, photo)
    for _ in range(2):
        driver.tab.value("document.getElementById('add-box').click()")
    assert read_areas(driver) == [(96, 128, 48, 64), (108, 144, 48, 64)]
    driver.tab.value("document.querySelector('.box').focus()")
    press(driver, "Delete")
    driver.tab.value("document.querySelector('.box').focus()")
    press(driver, "ArrowRight")
    press(driver, "ArrowUp")
    press(driver, "ArrowLeft", shift=True)
    press(driver, "ArrowDown", shift=True)
    x, y, w, h = read_areas(driver)[-1]
    assert (x > 108, y < 144, w < 48, h > 64) == (True, True, True, True)
    for _ in range(200):
        press(driver, "ArrowRight")
    x, y, w, h = read_areas(driver)[-1]
    assert x + w == ROWS
    field = "document.querySelector('#boxes li:last-child input')"
    driver.tab.value(f"{field}.value = '1,2,3,4', {field}.dispatchEvent(new Event('input'))")
    style = "document.querySelector('#sheet .box:last-child').style"
    assert driver.tab.value(f"[{style}.left, {style}.width]") == ["0.416667%", "1.25%"]
    driver.tab.value(f"{field}.value = '1,2,x', {field}.dispatchEvent(new Event('input'))")
    assert driver.tab.value(f"{field}.getAttribute('aria-invalid')") == "true"
    count = len(read_labels(driver))
    driver.tab.value("document.querySelector('#sheet .box:last-child').focus()")
    press(driver, "Delete")
    assert len(read_labels(driver)) == count - 1
    assert driver.tab.value("document.activeElement.id") == "add-box"


def read_labels(driver: Driver) -> list[str]:
    """Return the labels of the boxes on the picture."""
    labels: list[str] = driver.tab.value(
        "[...document.querySelectorAll('.box')].map((e) => e.ariaLabel)"
    )
    return labels


def test_boxes_are_moved_and_resized(driver: Driver, photo: Path) -> None:
    """A box follows the mouse, and is resized at its lower right corner, also when zoomed."""
    choose_picture(driver, photo)
    zoom = "document.getElementById('zoom')"
    driver.tab.value(f"{zoom}.value = 1.5, {zoom}.dispatchEvent(new Event('input'))")
    drag(driver, (0.1, 0.1), (0.3, 0.3))
    x, y, w, h = read_areas(driver)[0]
    drag(driver, (0.2, 0.2), (0.3, 0.25))
    moved_area = read_areas(driver)[0]
    assert (moved_area[2:], moved_area[0] > x, moved_area[1] > y) == ((w, h), True, True)
    new_x, new_y = (moved_area[0] + w) / ROWS, (moved_area[1] + h) / COLUMNS
    drag(driver, (new_x - 0.01, new_y - 0.01), (new_x + 0.1, new_y + 0.05))
    resized = read_areas(driver)[0]
    assert (resized[:2], resized[2] > w, resized[3] > h) == (moved_area[:2], True, True)


def test_layers_with_keys_of_their_own(driver: Driver, photo: Path, tmp_path: Path) -> None:
    """Layers for words, a key, a recipient or nobody are lifted only by their own secret."""
    identity = Identity.generate()
    (tmp_path / "two.key").write_text(KEY.to_file_text())
    choose_picture(driver, photo)
    for _ in range(2):
        driver.tab.value("document.getElementById('add-layer').click()")
    boxes = ["0,0,32,32", "64,64,32,32", "128,128,32,32", "192,256,32,32"]
    for index, (box, layer) in enumerate(zip(boxes, ("1", "2", "3", "permanent"), strict=True)):
        driver.tab.value("document.getElementById('add-box').click()")
        driver.tab.value(f"""((line) => {{
            const [input, select] = [line.querySelector("input"), line.querySelector("select")];
            input.value = {json.dumps(box)};
            input.dispatchEvent(new Event("input"));
            select.value = {json.dumps(layer)};
            select.dispatchEvent(new Event("change"));
        }})(document.querySelectorAll("#boxes li")[{index}])""")
    driver.tab.value("document.getElementById('offer').click()")
    words = driver.tab.value("document.getElementById('passphrase').value")
    assert driver.run()[1] == ["layer 2 has no key: enter a passphrase, or choose a key file"]
    driver.choose("layer-2-key", [tmp_path / "two.key"])
    driver.tab.value(
        f"document.getElementById('layer-3-to').value = {identity.recipient.to_text()!r}"
    )
    assert driver.run() == (["photo.jpg.redacted.jpg"], [])
    saved = driver.save()
    original = read_upright(photo.read_bytes())
    keys: list[Passphrase | Key | Identity] = [Passphrase(words), KEY, identity]
    for own_layer, key in enumerate(keys):
        unredact_file(saved, tmp_path / "part.jpg", key, replace=True)
        pixels = read_upright((tmp_path / "part.jpg").read_bytes())
        for index, text in enumerate(boxes):
            x, y, w, h = map(int, text.split(","))
            inner = (slice(y + 8, y + h - 8), slice(x + 8, x + w - 8))
            is_lifted = np.abs(pixels[inner].astype(int) - original[inner]).max() < 8
            assert is_lifted == (index == own_layer), (index, own_layer)


def test_a_new_layer_gets_the_next_box(driver: Driver, photo: Path, tmp_path: Path) -> None:
    """A box drawn after adding a layer belongs to it; a key without boxes is no result."""
    KEY.to_file(tmp_path / "two.key")
    choose_picture(driver, photo)
    for button in ("add-box", "add-layer", "add-box"):
        driver.tab.value(f"document.getElementById('{button}').click()")
    chosen_layers = "[...document.querySelectorAll('#boxes select')].map((e) => e.value)"
    assert driver.tab.value(chosen_layers) == ["1", "2"]
    driver.tab.value("document.getElementById('offer').click()")
    driver.choose("layer-2-key", [tmp_path / "two.key"])
    driver.tab.value("document.querySelector('#boxes li:last-child button').click()")
    message = "layer 2 has a key, and no box: choose the layer below the picture, at a box"
    assert driver.run() == ([], [message])
    driver.tab.value("document.getElementById('layer-2-key').value = ''")
    assert driver.run() == (["photo.jpg.redacted.jpg"], [])


def read_upright(data: bytes) -> np.ndarray:
    """Return the pixels of a picture as they are shown."""
    picture = decode_picture(data)
    return np.asarray(get_turn(picture).make_upright(picture.pixels))


def test_two_passphrases_lift_two_layers(driver: Driver, photo: Path, tmp_path: Path) -> None:
    """Two passphrases in two lines lift two layers at once."""
    words, secret = [Passphrase("one of them"), Passphrase("the other")], tmp_path / "two.jpg"
    layers = [Layer(phrase, [Region(0, 32 * i, 32, 32)]) for i, phrase in enumerate(words)]
    redact_file(photo, secret, layers)
    driver.choose("files", [secret])
    driver.enter("passphrase", "one of them")
    assert driver.run() == (["two.jpg.unredacted.jpg"], [])
    assert "1 of 2 layers stay covered" in driver.get_texts("#cards .note")[0]
    driver.enter("others", "the other\n")
    assert driver.run() == (["two.jpg.unredacted.jpg"], [])
    assert driver.save().read_bytes() == photo.read_bytes()


@pytest.mark.parametrize("metadata_choice", ["key", "gone"])
def test_metadata_alone(driver: Driver, photo: Path, tmp_path: Path, metadata_choice: str) -> None:
    """Without a box, metadata are encrypted on request, or removed."""
    image, exif = Image.open(photo), Image.Exif()
    exif[271] = "a maker"
    image.save(photo, exif=exif)
    choose_picture(driver, photo)
    driver.tab.value(f"document.getElementById('bare').value = {metadata_choice!r}")
    if metadata_choice == "key":
        KEY.to_file(tmp_path / "my.key")
        driver.choose("key-file", [tmp_path / "my.key"])
    assert driver.run() == (["photo.jpg.redacted.jpg"], [])
    saved = driver.save()
    assert b"a maker" not in saved.read_bytes()
    assert np.array_equal(read_upright(saved.read_bytes()), read_upright(photo.read_bytes()))
    if metadata_choice == "key":
        unredact_file(saved, tmp_path / "back.jpg", KEY)
        assert (tmp_path / "back.jpg").read_bytes() == photo.read_bytes()


def test_mistakes_have_messages(driver: Driver, photo: Path, tmp_path: Path) -> None:
    """Each mistake of the user has a message, and unsupported pictures are named."""
    driver.set_task("cover")
    assert driver.run() == ([], ["choose one picture"])
    choose_picture(driver, photo)
    assert driver.run() == ([], ["no area was chosen: draw a box on the picture"])
    driver.tab.value("document.getElementById('add-box').click()")
    assert driver.run() == (
        [],
        ["no key: enter a passphrase, choose a key file, or enter recipients under More"],
    )
    stream = io.BytesIO()
    Image.open(photo).save(stream, "TIFF")
    (tmp_path / "photo.tif").write_bytes(stream.getvalue())
    driver.choose("files", [tmp_path / "photo.tif"])
    driver.tab.wait_for("document.getElementById('covering').hidden", True)
    cannot = "this browser cannot show the picture; use the command line"
    assert driver.run() == ([], [cannot])
    assert driver.tab.value("document.querySelectorAll('.box').length") == 0
