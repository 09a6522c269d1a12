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
from sudokucrypt.page.assembling import join_code, read_package_text, strip_style
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
    moved_tiles = np.empty_like(tiles)
    moved_tiles[cells] = tiles
    return moved_tiles.reshape(9, 9, size, size).swapaxes(1, 2).reshape(pixels.shape)


class SeeTab:
    """The tab See in a browser, with known random values."""

    def __init__(self, tab: Page, path: Path) -> None:
        self.tab, self.path, self.still = tab, path, True

    def open(self, *, width: int = 1280, dark: bool = False, is_still: bool = True) -> None:
        """Open the page, and wait until the tab is ready."""
        self.still = is_still
        script = _FIXED_RANDOM_SCRIPT if is_still else _FIXED_RANDOM_SCRIPT + _CLOCK_SCRIPT
        added_script = self.tab.ask("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.tab.open(self.path, width=width, dark=dark)
        self.tab.ask("Page.removeScriptToEvaluateOnNewDocument", **added_script)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce" if is_still else ""}
        self.tab.ask("Emulation.setEmulatedMedia", features=[scheme, motion])
        self.choose_tab()

    def choose_tab(self) -> None:
        """Choose the tab, and wait until it is drawn."""
        self.tab.value("document.querySelector('[value=see]').click()")
        self.tab.wait_for("document.querySelectorAll('[role=gridcell]').length", 81)

    def find(self, name: str) -> str:
        """Return an expression for a part of the page."""
        return f"document.getElementById('see-{name}')"

    def click(self, name: str) -> None:
        """Click on a button."""
        self.tab.value(f"{self.find(name)}.click()")

    def choose(self, name: str, value: object, event: str = "change") -> None:
        """Choose a value of a control."""
        self.tab.value(
            f"((e) => {{ e.value = {value!r}; e.dispatchEvent(new Event({event!r})) }})"
            f"({self.find(name)})"
        )

    def get_text(self, name: str) -> str:
        """Return the text of a part."""
        return str(self.tab.value(f"{self.find(name)}.textContent"))

    def read_pixels(self, name: str) -> IntArray:
        """Return the colors of a canvas as numbers."""
        if self.still:
            self.tab.value("new Promise(requestAnimationFrame).then(() => 0)")
        address = self.tab.value(f"{self.find(name)}.toDataURL()")
        image = Image.open(BytesIO(b64decode(address.partition(",")[2]))).convert("RGBA")
        return np.asarray(image).view(np.uint32)[..., 0].astype(np.int64)

    def read_grid(self) -> SudokuGrid:
        """Return the visible grid."""
        cells = "[...document.querySelectorAll('[role=gridcell]')].map((e) => e.textContent)"
        return SudokuGrid.from_text("".join(self.tab.value(cells)))

    def get_labels(self) -> list[str]:
        """Return the label of each cell, for screen readers."""
        cells = "[...document.querySelectorAll('[role=gridcell]')].map((e) => e.ariaLabel)"
        result: list[str] = self.tab.value(cells)
        return result

    def press(self, key: str) -> None:
        """Press a key."""
        for event_type in ("keyDown", "keyUp"):
            self.tab.ask("Input.dispatchKeyEvent", type=event_type, key=key)


@pytest.fixture
def see_tab(tab: Page, page_file: Path) -> Iterator[SeeTab]:
    """The tab See, without script errors and without any request."""
    yield SeeTab(tab, page_file)
    assert tab.problems == []


@pytest.mark.programs("chromium")
def test_pictures_equal_those_of_the_package(tab: Page, tmp_path: Path) -> None:
    """For 200 grids, names and pictures, the last frame equals the package's, and is inverted."""
    generator = random.Random(1)  # noqa: S311 - a test
    source, names, cases, expected_pictures = seeded_draws(4), list(_NAMES_ON_PAGE), [], []
    for seed in range(200):
        grid_drawn = (
            random_grid(source) if seed % 2 else ParametricGrid.random((3, 3), source).to_grid()
        )
        two_names = generator.sample(names, 2)
        picture = np.random.default_rng(seed).integers(0, 1 << 31, (36, 36))
        cases.append(
            [(grid_drawn.cells.ravel() + 1).tolist(), *two_names, picture.ravel().tolist()]
        )
        expected_pictures.append(
            move_pixels(picture, _make_map(grid_drawn, *two_names)).ravel().tolist()
        )
    script = """cases.map(([digits, from, to, picture]) => {
        const stage = new Stage(document.createElement("canvas"), 36, 9);
        const fly = (pixels, one, other) => {
            const map = makeCellMap(numberCells(Int32Array.from(digits)), one, other);
            stage.plan(Int32Array.from(pixels), listPlaces(81), map);
            for (const time of [0, 0.5, 1]) stage.draw(time);
            return [...stage.pixels];
        };
        const there = fly(picture, from, to);
        return [there, String(fly(there, to, from)) === String(picture)];
    })"""
    path = tmp_path / "stage.html"
    module = f"{join_code('see/stage.js')}const cases = {cases};"
    path.write_text(f"<!doctype html><meta charset=utf-8><script>{module}</script>")
    tab.open(path, width=390)
    for (pixels, inverted_pixels), expected in zip(
        tab.value(script), expected_pictures, strict=True
    ):
        assert pixels == expected
        assert inverted_pixels


@pytest.mark.programs("chromium")
def test_tiles_on_the_page(see_tab: SeeTab) -> None:
    """The canvas shows the picture that the package makes from the grid, names and picture."""
    see_tab.open()
    original = see_tab.read_pixels("tiles")
    see_tab.click("play")
    for tile_order, names in (
        ("draw", ("row, digit", "row, column")),
        ("digit", ("box, place", "digit, row")),
        ("band", ("digit, column", "box, digit")),
        ("stack", ("row, column", "digit, box")),
    ):
        grid_before = see_tab.read_grid()
        see_tab.click(tile_order)
        see_tab.choose("from", names[0])
        see_tab.choose("to", names[1])
        grid = see_tab.read_grid()
        assert (grid.cells != grid_before.cells).any() == (
            tile_order != "draw"
        )  # a drawn grid uses fixed random bytes, so it does not change
        cells = _make_map(grid, *names)
        assert np.array_equal(see_tab.read_pixels("tiles"), move_pixels(original, cells))
        for cell, (label, target) in enumerate(
            zip(see_tab.get_labels(), cells.tolist(), strict=True)
        ):
            target_text = f"flies to row {target // 9 + 1}, column {target % 9 + 1}"
            assert label.endswith(", stays" if target == cell else f", {target_text}")
    see_tab.click("play")
    assert np.array_equal(see_tab.read_pixels("tiles"), original)


@pytest.mark.programs("chromium")
def test_rounds_on_the_page(see_tab: SeeTab) -> None:
    """Each round gives the picture of `permutation`, and each pass keeps its invariant."""
    see_tab.open()
    original = see_tab.read_pixels("rounds")
    key, salt = Key(bytes([_RANDOM_BYTE] * 32)), bytes([_RANDOM_BYTE] * 16)
    for rounds in (1, 3, 2, 0):
        see_tab.choose("passes", 3 * rounds, "input")
        pixel_order = np.arange(original.size)
        if rounds:
            pixel_order = sudokucrypt.permutation(original.size, key, nonce=salt, rounds=rounds)
        assert np.array_equal(see_tab.read_pixels("rounds").ravel(), original.ravel()[pixel_order])
    see_tab.choose("passes", 1, "input")
    assert see_tab.get_text("pass") == "Round 1: pixels stay in their rows."
    for moved_pixel, original_pixel in zip(see_tab.read_pixels("rounds"), original, strict=True):
        assert np.array_equal(np.sort(moved_pixel), np.sort(original_pixel))


@pytest.mark.programs("chromium")
def test_the_attack_needs_the_same_salt(see_tab: SeeTab) -> None:
    """The map found with the known picture restores the other picture only under the same salt."""
    see_tab.open()
    original = see_tab.read_pixels("rounds")
    assert len(np.unique(see_tab.read_pixels("known"))) == original.size
    assert not np.array_equal(see_tab.read_pixels("other"), original)
    see_tab.click("attack")
    assert np.array_equal(see_tab.read_pixels("other"), original)
    assert see_tab.get_text("found") == "262144 of 262144 pixels came home."


@pytest.mark.programs("chromium")
def test_a_fresh_salt_stops_the_attack(see_tab: SeeTab) -> None:
    """With random salts, the attack restores almost no pixel."""
    see_tab.tab.open(see_tab.path, width=1280)
    see_tab.choose_tab()
    reduced_motion = {"name": "prefers-reduced-motion", "value": "reduce"}
    see_tab.tab.ask("Emulation.setEmulatedMedia", features=[reduced_motion])
    see_tab.choose("salt", "fresh")
    see_tab.click("attack")
    see_tab.tab.wait_for(f"{see_tab.find('found')}.textContent !== ''", True)
    assert int(see_tab.get_text("found").split()[0]) < 20


@pytest.mark.programs("chromium")
def test_a_chosen_picture(see_tab: SeeTab, tmp_path: Path) -> None:
    """The middle of a chosen picture is shown; a file that is no picture changes nothing."""
    see_tab.open()
    grid = see_tab.read_grid()
    colors = np.random.default_rng(1).integers(0, 256, (504, 700, 3), dtype=np.uint8)
    Image.fromarray(colors).save(tmp_path / "own.png")
    (tmp_path / "none.png").write_bytes(b"none")
    field = see_tab.tab.ask("Runtime.evaluate", expression=see_tab.find("file"))["result"][
        "objectId"
    ]
    for name, message in (("none.png", "This browser cannot show it."), ("own.png", "")):
        see_tab.tab.ask("DOM.setFileInputFiles", files=[str(tmp_path / name)], objectId=field)
        see_tab.tab.wait_for(f"{see_tab.find('problem')}.textContent", message)
    channels_shown = np.stack(
        [see_tab.read_pixels("tiles") >> shift & 255 for shift in (0, 8, 16)], axis=-1
    )
    assert np.array_equal(channels_shown, colors[:, 98:602])
    assert see_tab.read_grid() == grid


@pytest.mark.programs("chromium")
def test_keyboard_and_words(see_tab: SeeTab) -> None:
    """Arrows move over the grid, one stop of Tab, and each cell is labeled by its eight names."""
    see_tab.open()
    see_tab.tab.value("document.querySelector('[role=gridcell][tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowUp", "ArrowRight"):
        see_tab.press(key)
    assert see_tab.get_labels()[34] == see_tab.tab.value("document.activeElement.ariaLabel")
    digit = int(see_tab.read_grid().cells[3, 7]) + 1
    rows = see_tab.tab.value(
        "[...document.querySelectorAll('#see-names tr')].map((e) => e.innerText)"
    )
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
        see_tab.get_text("says")
        == f"Read row 4, digit {digit} as {label_text}: the tile flies to {label_text}."
    )
    nodes = see_tab.tab.ask("Accessibility.getFullAXTree")["nodes"]
    named_nodes = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes}
    for control in ("From", "To", "Passes, three a round", "Salt of the other picture"):
        assert any(name.startswith(control) for _, name in named_nodes), control
    buttons = {"button", "combobox", "slider", "gridcell"}
    assert not [role for role, name in named_nodes if role in buttons and not name]


@pytest.mark.programs("chromium")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True), (320, False)])
def test_contrast_and_sizes(see_tab: SeeTab, width: int, *, dark: bool) -> None:
    """Text has a contrast of 4.5, controls are large enough, and all is inside the window."""
    see_tab.open(width=width, dark=dark)
    assert see_tab.tab.value("document.documentElement.scrollWidth <= innerWidth")
    low = """[...document.querySelectorAll('#see button, #see select, #see-passes')].map((e) =>
        e.getBoundingClientRect().height).filter((height) => height < 43)"""
    assert see_tab.tab.value(low) == []
    selectors = [
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
    assert see_tab.tab.contrast(selectors) >= 4.5


@pytest.mark.programs("chromium")
def test_tiles_fly(see_tab: SeeTab) -> None:
    """Tiles move in frames between two pictures, and the last frame is exact, also after stops."""

    def run_frames(*times: int) -> IntArray:
        for time in times:
            see_tab.tab.value(f"tick({time})")
        return see_tab.read_pixels("tiles")

    see_tab.open(is_still=False)
    original = run_frames(0, 5000)
    see_tab.click("play")
    middle_pixels = run_frames(0, 900)
    expected_pixels = move_pixels(
        original, _make_map(see_tab.read_grid(), "row, digit", "row, column")
    )
    assert not np.array_equal(middle_pixels, original)
    assert not np.array_equal(middle_pixels, expected_pixels)
    see_tab.click("play")
    run_frames(0, 300)
    see_tab.click("play")
    assert np.array_equal(run_frames(0, 900, 5000), expected_pixels)


@pytest.mark.programs("chromium")
def test_a_browser_without_webassembly(see_tab: SeeTab) -> None:
    """Without WebAssembly, a message names what is missing."""
    script = see_tab.tab.ask(
        "Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.WebAssembly"
    )
    see_tab.tab.open(see_tab.path, width=390)
    see_tab.tab.ask("Page.removeScriptToEvaluateOnNewDocument", **script)
    see_tab.tab.value("document.querySelector('[value=see]').click()")
    see_tab.tab.wait_for("document.querySelectorAll('#errors p').length", 1)
    assert "WebAssembly" in see_tab.tab.value("document.getElementById('errors').textContent")


@pytest.mark.programs("chromium")
def test_closing_forgets_the_picture(see_tab: SeeTab, tmp_path: Path) -> None:
    """After closing, a chosen picture is gone from all canvases."""
    see_tab.open()
    original = see_tab.read_pixels("rounds")
    Image.fromarray(np.zeros((600, 600, 3), np.uint8)).save(tmp_path / "own.png")
    field = see_tab.tab.ask("Runtime.evaluate", expression=see_tab.find("file"))["result"][
        "objectId"
    ]
    canvas_data = f"{see_tab.find('rounds')}.toDataURL()"
    see_tab.tab.value(f"window.before = {canvas_data}, 0")
    see_tab.tab.ask("DOM.setFileInputFiles", files=[str(tmp_path / "own.png")], objectId=field)
    see_tab.tab.wait_for(f"{canvas_data} === before", False)
    assert (see_tab.read_pixels("rounds") == 0xFF000000).all()
    see_tab.tab.value("document.getElementById('close').click()")
    see_tab.tab.wait_for(f"{see_tab.find('file')}.files.length", 0)
    assert np.array_equal(see_tab.read_pixels("rounds"), original)
    assert see_tab.read_pixels("other").max() > 0xFF000000


def _read_markup() -> str:
    """Return the HTML of the tab."""
    text = read_package_text("page.html")
    return text[text.index('<div id="see"') : text.index('<div id="going-on"')]


def test_answers_are_short() -> None:
    """Each of the four questions has an answer of at most two sentences."""
    answers = re.findall(r"<b>[^<]+\?</b>([^<]+)", _read_markup())
    assert len(answers) == 4
    for answer in answers:
        assert 1 <= answer.count(". ") + 1 <= 2, answer


def test_the_tab_is_small() -> None:
    """The code that only this tab uses has at most 12,000 bytes."""
    sources = [read_package_text(f"see/{path.name}") for path in _TAB_FOLDER.glob("*.js")]
    modules = [assembling._strip_comments(assembling._strip_module(source)) for source in sources]
    texts = [*modules, strip_style(read_package_text("see/see.css")), _read_markup()]
    assert len("".join(texts).encode()) <= 12_000


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
