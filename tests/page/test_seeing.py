"""The tab See, which shows how a Sudoku moves a picture: shown pixels equal the package's."""

import random
import re
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sudokucrypt
from sudokucrypt import Key, Numbering, Representation, bijection, invert
from sudokucrypt.page import assembling
from sudokucrypt.page.assembling import join_code, package_text, stripped_style
from sudokucrypt.sudoku import ParametricGrid, SudokuGrid, random_grid, seeded_draws
from sudokucrypt.typing import IntArray
from tests.reports.browser import Page

_TAB_FOLDER = Path(sudokucrypt.__file__).parent / "page" / "see"
_NAMES_ON_PAGE = {  # by their names on the page
    "row, column": Representation.ROW_COLUMN,
    "box, place": Representation.BLOCK_GRID,
    "row, digit": Representation.ROW_DIGIT,
    "digit, row": Representation.DIGIT_ROW,
    "column, digit": Representation.COLUMN_DIGIT,
    "digit, column": Representation.DIGIT_COLUMN,
    "box, digit": Representation.BLOCK_DIGIT,
    "digit, box": Representation.DIGIT_BLOCK,
}
_RANDOM_BYTE = 0x5A  # the value of all random bytes of the page in some tests
_FIXED_RANDOM_SCRIPT = (
    f"crypto.getRandomValues = (array) => array.fill({_RANDOM_BYTE * 0x01010101} & -1);"
)
"""Random values that are known: a key and a salt of equal bytes."""

_CLOCK_SCRIPT = """
    let [now, waiting] = [0, []];
    requestAnimationFrame = (step) => waiting.push(step);
    tick = async (time) => {
        now += time;
        for (const step of waiting.splice(0)) step(now);
    };
"""
"""Frames whose times the test says."""


def _make_map(grid: SudokuGrid, source: str, target: str) -> IntArray:
    return bijection(
        grid, _NAMES_ON_PAGE[source], _NAMES_ON_PAGE[target], numbering=Numbering.ROW_MAJOR
    )


def move_pixels(pixels: IntArray, cells: IntArray) -> IntArray:
    """Return a picture whose 9 x 9 tiles were moved by a map."""
    size = len(pixels) // 9
    tiles = pixels.reshape(9, size, 9, size).swapaxes(1, 2).reshape(81, size, size)
    moved = np.empty_like(tiles)
    moved[cells] = tiles
    return moved.reshape(9, 9, size, size).swapaxes(1, 2).reshape(pixels.shape)


class Seen:
    """The tab See in a browser, with known random values."""

    def __init__(self, tab: Page, path: Path) -> None:
        self.tab, self.path, self.still = tab, path, True

    def open(self, *, width: int = 1280, dark: bool = False, still: bool = True) -> None:
        """Open the page, and wait until the tab is ready."""
        self.still = still
        script = _FIXED_RANDOM_SCRIPT if still else _FIXED_RANDOM_SCRIPT + _CLOCK_SCRIPT
        added = self.tab.ask("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.tab.open(self.path, width=width, dark=dark)
        self.tab.ask("Page.removeScriptToEvaluateOnNewDocument", **added)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce" if still else ""}
        self.tab.ask("Emulation.setEmulatedMedia", features=[scheme, motion])
        self.choose_tab()

    def choose_tab(self) -> None:
        """Choose the tab, and wait until it is drawn."""
        self.tab.value("document.querySelector('[value=see]').click()")
        self.tab.wait_for("document.querySelectorAll('[role=gridcell]').length", 81)

    def part(self, name: str) -> str:
        """Return an expression for a part of the page."""
        return f"document.getElementById('see-{name}')"

    def click(self, name: str) -> None:
        """Click on a button."""
        self.tab.value(f"{self.part(name)}.click()")

    def choose(self, name: str, value: object, event: str = "change") -> None:
        """Choose a value of a control."""
        self.tab.value(
            f"((e) => {{ e.value = {value!r}; e.dispatchEvent(new Event({event!r})) }})"
            f"({self.part(name)})"
        )

    def text(self, name: str) -> str:
        """Return the text of a part."""
        return str(self.tab.value(f"{self.part(name)}.textContent"))

    def pixels(self, name: str) -> IntArray:
        """Return the colors of a canvas as numbers."""
        if self.still:
            self.tab.value("new Promise(requestAnimationFrame).then(() => 0)")
        address = self.tab.value(f"{self.part(name)}.toDataURL()")
        image = Image.open(BytesIO(b64decode(address.partition(",")[2]))).convert("RGBA")
        return np.asarray(image).view(np.uint32)[..., 0].astype(np.int64)

    def digits(self) -> SudokuGrid:
        """Return the visible grid."""
        cells = "[...document.querySelectorAll('[role=gridcell]')].map((e) => e.textContent)"
        return SudokuGrid.from_text("".join(self.tab.value(cells)))

    def labels(self) -> list[str]:
        """Return the label of each cell, for screen readers."""
        cells = "[...document.querySelectorAll('[role=gridcell]')].map((e) => e.ariaLabel)"
        result: list[str] = self.tab.value(cells)
        return result

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.tab.ask("Input.dispatchKeyEvent", type=kind, key=key)


@pytest.fixture
def seen(tab: Page, page_file: Path) -> Iterator[Seen]:
    """The tab See, without script errors and without any request."""
    yield Seen(tab, page_file)
    assert tab.problems == []


@pytest.mark.programs("chromium")
def test_pictures_equal_those_of_the_package(tab: Page, tmp_path: Path) -> None:
    """For 200 grids, names and pictures, the last frame equals the package's, and is inverted."""
    chance = random.Random(1)  # noqa: S311 - a test
    source, names, cases, expected_pictures = seeded_draws(4), list(_NAMES_ON_PAGE), [], []
    for seed in range(200):
        grid_drawn = (
            random_grid(source) if seed % 2 else ParametricGrid.random((3, 3), source).to_grid()
        )
        pair = chance.sample(names, 2)
        picture = np.random.default_rng(seed).integers(0, 1 << 31, (36, 36))
        cases.append([(grid_drawn.cells.ravel() + 1).tolist(), *pair, picture.ravel().tolist()])
        expected_pictures.append(
            move_pixels(picture, _make_map(grid_drawn, *pair)).ravel().tolist()
        )
    script = """cases.map(([digits, from, to, picture]) => {
        const stage = new Stage(document.createElement("canvas"), 36, 9);
        const fly = (pixels, one, other) => {
            const map = cellMap(numbersOf(Int32Array.from(digits)), one, other);
            stage.plan(Int32Array.from(pixels), placesOf(81), map);
            for (const time of [0, 0.5, 1]) stage.draw(time);
            return [...stage.pixels];
        };
        const there = fly(picture, from, to);
        return [there, String(fly(there, to, from)) === String(picture)];
    })"""
    path = tmp_path / "stage.html"
    code = f"{join_code('see/stage.js')}const cases = {cases};"
    path.write_text(f"<!doctype html><meta charset=utf-8><script>{code}</script>")
    tab.open(path, width=390)
    for (pixels, inverted_pixels), expected in zip(
        tab.value(script), expected_pictures, strict=True
    ):
        assert pixels == expected
        assert inverted_pixels


@pytest.mark.programs("chromium")
def test_tiles_on_the_page(seen: Seen) -> None:
    """The canvas shows the picture that the package makes from the grid, names and picture."""
    seen.open()
    plain = seen.pixels("tiles")
    seen.click("play")
    for kind, pair in (
        ("draw", ("row, digit", "row, column")),
        ("digit", ("box, place", "digit, row")),
        ("band", ("digit, column", "box, digit")),
        ("stack", ("row, column", "digit, box")),
    ):
        before = seen.digits()
        seen.click(kind)
        seen.choose("from", pair[0])
        seen.choose("to", pair[1])
        grid = seen.digits()
        assert (grid.cells != before.cells).any() == (
            kind != "draw"
        )  # a drawn grid uses fixed random bytes, so it does not change
        cells = _make_map(grid, *pair)
        assert np.array_equal(seen.pixels("tiles"), move_pixels(plain, cells))
        for cell, (label, goal) in enumerate(zip(seen.labels(), cells.tolist(), strict=True)):
            goes = f"flies to row {goal // 9 + 1}, column {goal % 9 + 1}"
            assert label.endswith(", stays" if goal == cell else f", {goes}")
    seen.click("play")
    assert np.array_equal(seen.pixels("tiles"), plain)


@pytest.mark.programs("chromium")
def test_rounds_on_the_page(seen: Seen) -> None:
    """Each round gives the picture of `permutation`, and each pass keeps its invariant."""
    seen.open()
    plain = seen.pixels("rounds")
    key, salt = Key(bytes([_RANDOM_BYTE] * 32)), bytes([_RANDOM_BYTE] * 16)
    for rounds in (1, 3, 2, 0):
        seen.choose("passes", 3 * rounds, "input")
        order = np.arange(plain.size)
        if rounds:
            order = sudokucrypt.permutation(plain.size, key, nonce=salt, rounds=rounds)
        assert np.array_equal(seen.pixels("rounds").ravel(), plain.ravel()[order])
    seen.choose("passes", 1, "input")
    assert seen.text("pass") == "Round 1: pixels stay in their rows."
    for moved, still in zip(seen.pixels("rounds"), plain, strict=True):
        assert np.array_equal(np.sort(moved), np.sort(still))


@pytest.mark.programs("chromium")
def test_the_attack_needs_the_same_salt(seen: Seen) -> None:
    """The map found with the known picture restores the other picture only under the same salt."""
    seen.open()
    plain = seen.pixels("rounds")
    assert len(np.unique(seen.pixels("known"))) == plain.size
    assert not np.array_equal(seen.pixels("other"), plain)
    seen.click("attack")
    assert np.array_equal(seen.pixels("other"), plain)
    assert seen.text("found") == "262144 of 262144 pixels came home."


@pytest.mark.programs("chromium")
def test_a_fresh_salt_stops_the_attack(seen: Seen) -> None:
    """With random salts, the attack restores almost no pixel."""
    seen.tab.open(seen.path, width=1280)
    seen.choose_tab()
    still = {"name": "prefers-reduced-motion", "value": "reduce"}
    seen.tab.ask("Emulation.setEmulatedMedia", features=[still])
    seen.choose("salt", "fresh")
    seen.click("attack")
    seen.tab.wait_for(f"{seen.part('found')}.textContent !== ''", True)
    assert int(seen.text("found").split()[0]) < 20


@pytest.mark.programs("chromium")
def test_a_chosen_picture(seen: Seen, tmp_path: Path) -> None:
    """The middle of a chosen picture is shown; a file that is no picture changes nothing."""
    seen.open()
    grid = seen.digits()
    colors = np.random.default_rng(1).integers(0, 256, (504, 700, 3), dtype=np.uint8)
    Image.fromarray(colors).save(tmp_path / "own.png")
    (tmp_path / "none.png").write_bytes(b"none")
    field = seen.tab.ask("Runtime.evaluate", expression=seen.part("file"))["result"]["objectId"]
    for name, message in (("none.png", "This browser cannot show it."), ("own.png", "")):
        seen.tab.ask("DOM.setFileInputFiles", files=[str(tmp_path / name)], objectId=field)
        seen.tab.wait_for(f"{seen.part('problem')}.textContent", message)
    channels_shown = np.stack(
        [seen.pixels("tiles") >> shift & 255 for shift in (0, 8, 16)], axis=-1
    )
    assert np.array_equal(channels_shown, colors[:, 98:602])
    assert seen.digits() == grid


@pytest.mark.programs("chromium")
def test_keyboard_and_words(seen: Seen) -> None:
    """Arrows move over the grid, one stop of Tab, and each cell is labeled by its eight names."""
    seen.open()
    seen.tab.value("document.querySelector('[role=gridcell][tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowUp", "ArrowRight"):
        seen.press(key)
    assert seen.labels()[34] == seen.tab.value("document.activeElement.ariaLabel")
    digit = int(seen.digits().cells[3, 7]) + 1
    rows = seen.tab.value("[...document.querySelectorAll('#see-names tr')].map((e) => e.innerText)")
    assert [row.split("\t") for row in rows] == [
        ["row, column", "4, 8"],
        ["box, place", "6, 2"],
        ["row, digit", f"4, {digit}"],
        ["digit, row", f"{digit}, 4"],
        ["column, digit", f"8, {digit}"],
        ["digit, column", f"{digit}, 8"],
        ["box, digit", f"6, {digit}"],
        ["digit, box", f"{digit}, 6"],
    ]
    label_text = f"row 4, column {digit}"
    assert (
        seen.text("says")
        == f"Read row 4, digit {digit} as {label_text}: the tile flies to {label_text}."
    )
    nodes = seen.tab.ask("Accessibility.getFullAXTree")["nodes"]
    named_nodes = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes}
    for control in ("From", "To", "Passes, three a round", "Salt of the other picture"):
        assert any(name.startswith(control) for _, name in named_nodes), control
    buttons = {"button", "combobox", "slider", "gridcell"}
    assert not [role for role, name in named_nodes if role in buttons and not name]


@pytest.mark.programs("chromium")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True), (320, False)])
def test_contrast_and_sizes(seen: Seen, width: int, *, dark: bool) -> None:
    """Text has a contrast of 4.5, controls are large enough, and all is inside the window."""
    seen.open(width=width, dark=dark)
    assert seen.tab.value("document.documentElement.scrollWidth <= innerWidth")
    small = """[...document.querySelectorAll('#see button, #see select, #see-passes')].map((e) =>
        e.getBoundingClientRect().height).filter((height) => height < 43)"""
    assert seen.tab.value(small) == []
    parts = [
        "#see p",
        "#see h2",
        "#see label",
        "#see .main",
        "#see-draw",
        ".see-from",
        ".see-to",
        ".see-near",
        "td",
    ]
    assert seen.tab.contrast(parts) >= 4.5


@pytest.mark.programs("chromium")
def test_tiles_fly(seen: Seen) -> None:
    """Tiles move in frames between two pictures, and the last frame is exact, also after stops."""

    def run_frames(*times: int) -> IntArray:
        for time in times:
            seen.tab.value(f"tick({time})")
        return seen.pixels("tiles")

    seen.open(still=False)
    plain = run_frames(0, 5000)
    seen.click("play")
    middle_pixels = run_frames(0, 900)
    expected_pixels = move_pixels(plain, _make_map(seen.digits(), "row, digit", "row, column"))
    assert not np.array_equal(middle_pixels, plain)
    assert not np.array_equal(middle_pixels, expected_pixels)
    seen.click("play")
    run_frames(0, 300)
    seen.click("play")
    assert np.array_equal(run_frames(0, 900, 5000), expected_pixels)


@pytest.mark.programs("chromium")
def test_a_browser_without_webassembly(seen: Seen) -> None:
    """Without WebAssembly, a message names what is missing."""
    added = seen.tab.ask(
        "Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.WebAssembly"
    )
    seen.tab.open(seen.path, width=390)
    seen.tab.ask("Page.removeScriptToEvaluateOnNewDocument", **added)
    seen.tab.value("document.querySelector('[value=see]').click()")
    seen.tab.wait_for("document.querySelectorAll('#errors p').length", 1)
    assert "WebAssembly" in seen.tab.value("document.getElementById('errors').textContent")


@pytest.mark.programs("chromium")
def test_closing_forgets_the_picture(seen: Seen, tmp_path: Path) -> None:
    """After closing, a chosen picture is gone from all canvases."""
    seen.open()
    plain = seen.pixels("rounds")
    Image.fromarray(np.zeros((600, 600, 3), np.uint8)).save(tmp_path / "own.png")
    field = seen.tab.ask("Runtime.evaluate", expression=seen.part("file"))["result"]["objectId"]
    canvas_data = f"{seen.part('rounds')}.toDataURL()"
    seen.tab.value(f"window.before = {canvas_data}, 0")
    seen.tab.ask("DOM.setFileInputFiles", files=[str(tmp_path / "own.png")], objectId=field)
    seen.tab.wait_for(f"{canvas_data} === before", False)
    assert (seen.pixels("rounds") == 0xFF000000).all()
    seen.tab.value("document.getElementById('close').click()")
    seen.tab.wait_for(f"{seen.part('file')}.files.length", 0)
    assert np.array_equal(seen.pixels("rounds"), plain)
    assert seen.pixels("other").max() > 0xFF000000


def _read_markup() -> str:
    """Return the HTML of the tab."""
    text = package_text("page.html")
    return text[text.index('<div id="see"') : text.index('<div id="going-on"')]


def test_answers_are_short() -> None:
    """Each of the four questions has an answer of at most two sentences."""
    answers = re.findall(r"<b>[^<]+\?</b>([^<]+)", _read_markup())
    assert len(answers) == 4
    for answer in answers:
        assert 1 <= answer.count(". ") + 1 <= 2, answer


def test_the_tab_is_small() -> None:
    """The code that only this tab uses has at most 12,000 bytes."""
    sources = [package_text(f"see/{path.name}") for path in _TAB_FOLDER.glob("*.js")]
    codes = [assembling._strip_comments(assembling._strip_module(source)) for source in sources]
    parts = [*codes, stripped_style(package_text("see/see.css")), _read_markup()]
    assert len("".join(parts).encode()) <= 12_000


def test_maps_are_inverted() -> None:
    """The inverse of a map from one name to another is the map from the other to the first."""
    grid = random_grid(seeded_draws(1))
    for first_name in _NAMES_ON_PAGE:
        for second_name in _NAMES_ON_PAGE:
            map_there, map_back = (
                _make_map(grid, first_name, second_name),
                _make_map(grid, second_name, first_name),
            )
            assert np.array_equal(invert(map_there), map_back)
