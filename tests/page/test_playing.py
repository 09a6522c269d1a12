"""The page of puzzles: playing by keyboard and by touch, hints, and printing."""

import io
import json
import random
import re
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from sudokucrypt.errors import InvalidParameterError, MultipleSolutionsError
from sudokucrypt.page.playing import MAX_PUZZLES, play_page
from sudokucrypt.sudoku import (
    Level,
    SudokuPuzzle,
    Variant,
    deductions,
    explain,
    make_constrained,
    make_puzzle,
    random_jigsaw,
    solve,
)
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.text import get_symbol
from tests.reports.browser import Page

KINDS: dict[str, Callable[[], SudokuPuzzle]] = {
    "tiny": lambda: SudokuPuzzle.from_text("1.....2..3.....4"),
    "six": lambda: make_puzzle(1, sheet=Variant.x((2, 3))).puzzle,
    "hard": lambda: make_puzzle(5, level=Level.HARD).puzzle,
    "ten": lambda: make_puzzle(1, sheet=Variant.standard((2, 5))).puzzle,
    "jigsaw": lambda: make_puzzle(1, sheet=random_jigsaw(1)).puzzle,
    "windoku": lambda: make_puzzle(1, sheet=Variant.windoku()).puzzle,
    "samurai": lambda: make_puzzle(1, sheet=Variant.samurai()).puzzle,
    "letters": lambda: make_puzzle(1, sheet=Variant.standard((4, 4)), givens=130).puzzle,
}
MARKUP = "</script><b id=planted>&amp;</b><!--"


@cache
def make_puzzle_once(variant_name: str) -> SudokuPuzzle:
    """Return the puzzle of a kind, which is made when it is first needed."""
    return KINDS[variant_name]()


@cache
def _make_page(puzzles: tuple[SudokuPuzzle, ...], **options: Any) -> bytes:
    return play_page(puzzles, **options)


class Player:
    """A user of a page of puzzles."""

    def __init__(self, tab: Page, folder: Path) -> None:
        self.tab, self.path = tab, folder / "play.html"

    def open(self, *puzzles: SudokuPuzzle, width: int = 1280, **options: Any) -> None:
        """Open a page of puzzles."""
        self.path.write_bytes(_make_page(puzzles, **options))
        self.tab.open(self.path, width=width)
        # The store is only cleared if it is not empty, as a late clearing could delete new games.
        clearing = "localStorage.length && localStorage.clear()"
        self.visit("localStorage.length", 0, before_reload=clearing, width=width)

    def visit(
        self, expression: str, expected: object, *, before_reload: str = "0", width: int = 1280
    ) -> None:
        """Reload the page, each time after `before_reload`, until an expression has a value.

        The store must have what the page wrote before it is reloaded. Chromium may lose it when
        the page of a file ends, so it is written again.
        """
        self.tab.value(before_reload)
        stored_games = self.tab.value("JSON.stringify(localStorage)")
        deadline = time.monotonic() + 20
        while True:
            self.tab.open(self.path, width=width)
            if self.tab.value(expression) == expected:
                return
            assert time.monotonic() < deadline, expression
            self.tab.value(f"localStorage.clear(), Object.assign(localStorage, {stored_games}), 0")

    def press(self, key: str, *, code: str = "", modifiers: int = 0) -> None:
        """Press a key; the modifiers are 2 for Ctrl and 8 for Shift."""
        for event_type in ("keyDown", "keyUp"):
            self.tab.ask(
                "Input.dispatchKeyEvent", type=event_type, key=key, code=code, modifiers=modifiers
            )

    def touch(self, element: str) -> None:
        """Tap on the middle of an element."""
        x, y = self.tab.value(
            f"(e => {{ e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect();"
            f" return [b.x + b.width / 2, b.y + b.height / 2] }})({element})"
        )
        self.tab.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.tab.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, name: str) -> None:
        """Click on a button."""
        self.tab.value(f"document.getElementById('{name}').click()")

    def get_labels(self) -> list[str]:
        """Return the label of each cell of the visible board, for screen readers."""
        labels: list[str] = self.tab.value(
            "[...document.querySelectorAll('.board:not([hidden]) [role=gridcell]')]"
            ".map((e) => e.getAttribute('aria-label'))"
        )
        return labels

    def get_label(self) -> str:
        """Return the label of the focused cell, for screen readers."""
        return str(self.tab.value("document.activeElement.getAttribute('aria-label')"))

    @property
    def status(self) -> str:
        """Return the message."""
        return str(self.tab.value("document.getElementById('status').textContent"))

    def get_hint(self) -> str:
        """Ask for a hint, follow it, and return its sentence."""
        self.click("hint")
        sentence = self.status.partition(": ")[2]
        self.click("take")
        return sentence


@pytest.fixture
def player(tab: Page, tmp_path: Path) -> Iterator[Player]:
    """A user of a page without script errors, and without any request."""
    yield Player(tab, tmp_path)
    assert tab.problems == []


def list_solution(puzzle: SudokuPuzzle) -> list[tuple[int, str]]:
    """Return the open cells of a puzzle with the symbols of their solution."""
    solution = solve(puzzle).givens.tolist()
    digits = puzzle.variant.digits
    return [
        (cell, get_symbol(solution[cell], digits))
        for cell, is_given in enumerate(puzzle.givens)
        if is_given < 0
    ]


@pytest.mark.programs("chromium")
@pytest.mark.parametrize("name", ["tiny", "ten"])
def test_by_keyboard_alone(player: Player, name: str) -> None:
    """By keyboard, a puzzle is reached and solved, and reloading keeps the game."""
    puzzle = make_puzzle_once(name)
    player.open(puzzle)
    player.tab.value("document.querySelector('.board:not([hidden]) [tabindex=\"0\"]').focus()")
    at_row, at_column = puzzle.variant.cells[list_solution(puzzle)[0][0]]
    for cell, symbol_ in list_solution(puzzle):
        row, column = puzzle.variant.cells[cell]
        for key, count in (
            ("ArrowDown", row - at_row),
            ("ArrowRight", column - at_column),
            ("ArrowLeft", at_column - column),
        ):
            for _ in range(count):
                player.press(key)
        assert player.get_label() == f"row {row + 1}, column {column + 1}, empty"
        player.press(symbol_.lower())
        assert player.get_label() == f"row {row + 1}, column {column + 1}, {symbol_}"
        at_row, at_column = row, column
    assert player.status == "Solved."
    player.visit("document.getElementById('status').textContent", "Solved.")


@pytest.mark.programs("chromium")
def test_by_touch_alone(player: Player) -> None:
    """By touch, cells and buttons are tapped, and the pencil sets marks, which a digit removes."""
    puzzle = make_puzzle_once("six")
    player.open(puzzle, width=390)
    player.tab.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    cells = "document.querySelectorAll('.board:not([hidden]) [role=gridcell]')"
    digits = "document.querySelectorAll('#digits button')"
    (first_cell, first_digit), *_ = list_solution(puzzle)
    player.touch(f"{cells}[{first_cell}]")
    player.touch("document.getElementById('pencil')")
    for digit in (2, 0, 4, 2):
        player.touch(f"{digits}[{digit}]")
    assert player.get_labels()[first_cell].endswith("marks 1 5")
    player.touch("document.getElementById('pencil')")
    for cell, symbol_ in list_solution(puzzle):
        assert player.status == ""
        player.touch(f"{cells}[{cell}]")
        player.touch(f"{digits}[{int(symbol_) - 1}]")
    assert player.status == "Solved."
    assert player.get_labels()[first_cell].endswith(first_digit)
    player.tab.ask("Emulation.setTouchEmulationEnabled", enabled=False)


@pytest.mark.programs("chromium")
def test_digit_keys_are_a_square(player: Player) -> None:
    """The keys of nine digits form three rows of three, and the keys of six digits are as wide."""
    for name in ("hard", "six"):
        player.open(make_puzzle_once(name), width=390)
        columns = "getComputedStyle(document.getElementById('digits')).gridTemplateColumns"
        assert player.tab.value(f"{columns}.split(' ').length") == 3


@pytest.mark.programs("chromium")
@pytest.mark.parametrize("name", ["hard", "jigsaw", "windoku"])
def test_hints_are_the_steps(player: Player, name: str) -> None:
    """Following all hints gives the sentences of the trace, each once and in order."""
    puzzle = make_puzzle_once(name)
    player.open(puzzle)
    for step in deductions(puzzle):
        assert player.status == ""
        assert player.get_hint() == explain(step)
    assert player.status == "Solved."


@pytest.mark.programs("chromium")
@pytest.mark.parametrize("seed", range(2))
def test_hints_suit_the_board(player: Player, seed: int) -> None:
    """Hints skip done steps, and each places a right digit or strikes a wrong candidate."""
    generator = random.Random(seed)  # noqa: S311 - a test
    puzzle = make_puzzle_once("hard")
    player.open(puzzle)
    solution = solve(puzzle).givens.tolist()
    cells = list_solution(puzzle)
    for cell, digit in generator.sample(cells, 25):
        player.tab.value(
            f"document.querySelectorAll('[role=gridcell]')[{cell}].dispatchEvent("
            "new MouseEvent('click'))"
        )
        player.press(digit)
    if seed:
        player.click("marks")
    sentences = [explain(step) for step in deductions(puzzle)]
    sentences_shown: list[str] = []
    old_labels = player.get_labels()
    while player.status != "Solved.":
        sentence = player.get_hint()
        assert sentence in sentences
        sentences_shown.append(sentence)
        new_labels = player.get_labels()
        for cell, (old_label, new_label) in enumerate(zip(old_labels, new_labels, strict=True)):
            right_digit = str(solution[cell] + 1)
            if old_label != new_label and "marks" in new_label:
                assert right_digit in new_label.partition("marks")[2]
            elif old_label != new_label:
                assert new_label.endswith(right_digit)
        old_labels = new_labels
    assert len(set(sentences_shown)) == len(sentences_shown) < len(sentences)


@pytest.mark.programs("chromium")
def test_mistakes(player: Player) -> None:
    """Checks count wrong digits, clashes are marked, hints name mistakes first, and undo works."""
    puzzle = make_puzzle_once("hard")
    player.open(puzzle)
    (cell, right_digit), (other_cell, other_digit), *_ = list_solution(puzzle)
    row, column = puzzle.variant.cells[cell]
    select = (
        "document.querySelectorAll('[role=gridcell]')[{}].dispatchEvent(new MouseEvent('click'))"
    )
    empty_labels = player.get_labels()
    player.tab.value(select.format(cell))
    player.click("check")
    assert player.status == "No digit is wrong."
    given_cell = next(
        str(puzzle.givens[peer] + 1)
        for peer in puzzle.variant.peers(cell)
        if puzzle.givens[peer] >= 0 and str(puzzle.givens[peer] + 1) != right_digit
    )
    player.press(given_cell)
    assert player.get_label().endswith(f"{given_cell}, clashes")
    player.click("check")
    assert player.status == "Wrong digits: 1"
    assert player.get_label().endswith(f"{given_cell}, wrong, clashes")
    assert player.get_hint() == f"r{row + 1}c{column + 1}."
    assert player.get_labels()[cell].endswith("empty")
    player.tab.value(select.format(other_cell))
    lacking = next(digit for digit in "123456789" if digit != other_digit)
    player.press("!", code=f"Digit{lacking}", modifiers=8)
    assert player.get_label().endswith(f"marks {lacking}")
    player.click("hint")
    assert player.status.startswith("Pencil marks without the right digit: ")
    player.click("marks")
    assert all("empty" not in label for label in player.get_labels())
    player.press(" ")
    player.press(lacking)
    player.press("Backspace")
    player.click("restart")
    for _ in range(9):
        player.press("z", modifiers=2)
    assert player.get_labels() == empty_labels
    assert player.tab.value("document.getElementById('undo').disabled")


@pytest.mark.programs("chromium")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_kinds_of_puzzles(player: Player, width: int, *, dark: bool) -> None:
    """Puzzles of all variants fit into the window, with large buttons and enough contrast."""
    player.open(*map(make_puzzle_once, KINDS), per_page=1, captions=tuple(KINDS))
    player.tab.open(player.path, width=width, dark=dark)
    for name in KINDS:
        puzzle = make_puzzle_once(name)
        assert player.tab.value("document.getElementById('caption').textContent") == name
        rule = player.tab.value("document.getElementById('rule').textContent")
        assert rule == puzzle.variant.rule
        assert len(player.get_labels()) == len(puzzle.variant.cells)
        given_labels = [label for label in player.get_labels() if label.endswith("given")]
        assert len(given_labels) == puzzle.number_of_givens
        player.click("hint")
        step = next(deductions(puzzle))
        label = step.technique.label
        assert player.status == f"{label[0].upper()}{label[1:]}: {explain(step)}"
        assert player.tab.value("document.documentElement.scrollWidth <= window.innerWidth")
        sizes = player.tab.value(
            "[...document.querySelectorAll('button, select')].map((e) => e.getBoundingClientRect())"
            ".filter((b) => b.width > 0).map((b) => Math.min(b.width, b.height))"
        )
        assert min(sizes) >= 40
        texts = ["p", "h1", "h2", "label", "#digits button", ".tools button", "footer p", "#take"]
        assert player.tab.contrast(texts) >= 4.5
        player.click("next")


@pytest.mark.programs("chromium")
def test_markup_is_shown_as_text(player: Player) -> None:
    """Markup in a title or a caption is shown as text, and creates no element."""
    title = MARKUP + "<!-- data -->"
    player.open(
        make_puzzle_once("tiny"), make_puzzle_once("six"), title=title, captions=(MARKUP, "b")
    )
    assert player.tab.value("document.title") == title
    assert player.tab.value("document.querySelector('h1').textContent") == title
    assert player.tab.value("document.getElementById('caption').textContent") == MARKUP
    assert player.tab.value("document.getElementById('chosen').options[0].text") == MARKUP
    assert player.tab.value("document.getElementById('planted')") is None


@pytest.mark.programs("chromium")
@pytest.mark.parametrize(
    "stored_game", ["", "[]", "{", "null", '{"digits": [], "marks": [], "struck": []}', "state"]
)
def test_invalid_stored_games_are_ignored(player: Player, stored_game: str) -> None:
    """A stored game is ignored if it is not a valid game of the puzzle."""
    puzzle = make_puzzle_once("tiny")
    player.open(puzzle)
    initial_labels = player.get_labels()
    key = f"sudokucrypt play {_read_data(player.path)['puzzles'][0]['id']}"
    if stored_game == "state":  # a stored digit that differs from a given
        no_marks: list[list[int]] = [[] for _ in puzzle.givens]
        stored_game = json.dumps({"digits": [3] * len(no_marks), "marks": no_marks, "struck": []})
    store = f"localStorage.setItem('{key}', {json.dumps(stored_game)})"
    player.visit(f"localStorage.getItem('{key}')", stored_game, before_reload=store)
    assert player.get_labels() == initial_labels


@pytest.mark.programs("chromium")
def test_only_moves_are_stored(player: Player) -> None:
    """A page without moves does not overwrite a game that another window stored."""
    player.open(make_puzzle_once("tiny"))
    stored_values = "Object.values(localStorage)"
    player.tab.value("document.querySelector('[role=gridcell]').focus()")
    player.press("ArrowDown")
    assert player.tab.value(stored_values) == []
    player.press("3")
    assert len(player.tab.value(stored_values)) == 1
    player.click("undo")
    assert (
        json.loads(player.tab.value(stored_values)[0])["digits"]
        == make_puzzle_once("tiny").givens.tolist()
    )


@pytest.mark.programs("chromium")
def test_printing(player: Player) -> None:
    """The printed page has puzzles and solutions in the size of the paper, and no controls."""
    player.open(
        make_puzzle_once("hard"), make_puzzle_once("six"), title="On paper", per_page=1, paper="a5"
    )
    printed_file = player.tab.ask("Page.printToPDF", preferCSSPageSize=True)
    document = pypdfium2.PdfDocument(io.BytesIO(b64decode(printed_file["data"])))
    texts = [page.get_textpage().get_text_bounded() for page in document]
    assert document[0].get_size() == pytest.approx((148 / 25.4 * 72, 210 / 25.4 * 72), abs=1)
    document.close()
    assert len(texts) == 2 + 1
    assert "On paper" in texts[0]
    assert Variant.x().rule in texts[1]
    assert not re.search("Pencil|Hint|Undo|Keys", "".join(texts))


def _read_data(path: Path) -> Any:
    """Return the data that the script of a page reads."""
    return json.loads(path.read_text("utf-8").partition('id="data">')[2].partition("</script>")[0])


@pytest.mark.programs("chromium")
def test_hints_under_constraints(player: Player) -> None:
    """Hints use cages, and all marks and the sums of cages are visible."""
    puzzle = make_constrained(2, kind="killer", box=(2, 2)).puzzle
    player.open(puzzle)
    sandwich = Variant.standard((2, 2)).with_constraints(Constraint("sandwich", (0, 1, 2, 3), 5))
    pages = [play_page([each]) for each in (puzzle, make_puzzle(1, sheet=sandwich).puzzle)]
    views = [re.findall(rb'class="board".*?viewBox="0 0 (\d+)', page)[0] for page in pages]
    assert int(views[0]) < int(views[1])  # the board is wider, as it has marks outside
    assert player.tab.value("document.getElementById('rule').textContent") == puzzle.variant.legend
    for step in deductions(puzzle):
        assert player.get_hint() == explain(step)
    assert player.status == "Solved."
    cages = [Constraint("killer", (0, 1), 3), Constraint("thermometer", (6, 11))]
    variant = Variant.standard((2, 2)).with_constraints(*cages)
    player.open(make_puzzle(3, sheet=variant, method="add", minimal=False).puzzle)
    player.click("restart")
    player.click("marks")
    marked = {cell: label.partition("marks ")[2] for cell, label in enumerate(player.get_labels())}
    assert not {"3", "4"} & {*(marked[0] + marked[1]).split()}
    assert "1" not in marked[11].split()
    assert "4" not in marked[6].split()


@pytest.mark.programs("chromium")
def test_several_cells_colors_and_redo(player: Player) -> None:
    """Shift and arrows select several cells, which get marks and colors; undo and redo work."""
    puzzle = make_puzzle_once("hard")
    player.open(puzzle)
    player.tab.value("document.querySelector('.board:not([hidden]) [tabindex=\"0\"]').focus()")
    initial_labels = player.get_labels()
    selected_count = "document.querySelectorAll('[aria-selected=true]').length"
    assert player.tab.value(selected_count) == 1
    player.press("ArrowRight", modifiers=8)
    player.press("ArrowDown", modifiers=8)
    assert player.tab.value(selected_count) == 3
    player.press("/")
    player.press("2")
    assert sum("color 2" in label for label in player.get_labels()) == 3
    player.press("/")
    player.press("!", code="Digit5", modifiers=8)
    marked = player.get_labels()
    assert sum(label.endswith("color 2") for label in marked) == 3
    player.press("z", modifiers=2)
    player.press("z", modifiers=2)
    assert player.get_labels() == initial_labels
    player.press("y", modifiers=2)
    player.press("Z", modifiers=2 + 8)
    assert player.get_labels() == marked
    assert player.tab.value("document.getElementById('redo').disabled")
    player.press("Escape")
    assert player.tab.value(selected_count) == 1


@pytest.mark.programs("chromium")
def test_several_cells_by_touch(player: Player) -> None:
    """With a button pressed, each tapped cell is added to the selection."""
    puzzle = make_puzzle_once("six")
    player.open(puzzle, width=390)
    player.tab.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    cells = "document.querySelectorAll('.board:not([hidden]) [role=gridcell]')"
    player.touch("document.getElementById('several')")
    (first_cell, _), (second_cell, _), *_ = list_solution(puzzle)
    player.touch(f"{cells}[{first_cell}]")
    player.touch(f"{cells}[{second_cell}]")
    player.touch("document.getElementById('color')")
    player.touch("document.querySelectorAll('#digits button')[4]")
    assert [cell for cell, label in enumerate(player.get_labels()) if "color 5" in label] == [
        first_cell,
        second_cell,
    ]
    player.tab.ask("Emulation.setTouchEmulationEnabled", enabled=False)


@pytest.mark.programs("chromium")
def test_a_puzzle_is_typed_in(player: Player) -> None:
    """A puzzle typed into the last board can be played if it has one solution."""
    player.open(make_puzzle_once("tiny"))
    player.click("next")
    assert player.status == "Type the digits of a puzzle, then press Play it."
    player.click("begin")
    assert player.status == "Type the digits of a puzzle first."
    player.tab.value("document.querySelector('.board:not([hidden]) [tabindex=\"0\"]').focus()")
    puzzle = make_puzzle_once("hard")
    for cell, digit in enumerate(puzzle.givens.tolist()):
        if digit >= 0:
            player.press(str(digit + 1))
        if cell == 40:
            player.click("begin")
            assert player.status == "These digits have several solutions."
        player.press("ArrowRight")
        if cell % 9 == 8:
            player.press("ArrowDown")
            for _ in range(8):
                player.press("ArrowLeft")
    player.click("begin")
    assert player.status == ""
    given_labels = [label for label in player.get_labels() if label.endswith("given")]
    assert len(given_labels) == puzzle.number_of_givens
    assert player.get_hint()
    givens = "document.getElementById('next').click(), document.querySelectorAll("
    givens += "'.board:not([hidden]) [aria-label$=given]').length"
    player.visit(givens, len(given_labels))
    player.click("change")
    assert not [label for label in player.get_labels() if label.endswith("given")]
    player.tab.value("document.querySelector('.board:not([hidden]) [tabindex=\"0\"]').focus()")
    clashing = str(puzzle.givens.max() + 1)
    for _ in range(2):
        player.press(clashing)
        player.press("ArrowRight")
    player.click("begin")
    assert player.status == "These digits have no solution."


def test_pages_are_reproducible() -> None:
    """A page has the same bytes each time, and contains no address except that of SVG."""
    page = play_page([make_puzzle_once("hard")])
    assert page == play_page([make_puzzle_once("hard")])
    assert not re.search(rb"https?://(?!www\.w3\.org/2000/svg)", page)
    script = page.rpartition(b"<script>")[2]
    assert not re.search(rb"fetch|XMLHttp|WebSocket|innerHTML|eval|import\b", script)


def test_invalid_puzzles_are_refused() -> None:
    """Puzzles without exactly one solution, no puzzle, and too many puzzles are refused."""
    with pytest.raises(MultipleSolutionsError):
        play_page(["1..............."])
    with pytest.raises(InvalidParameterError, match="without puzzles"):
        play_page([])
    with pytest.raises(InvalidParameterError, match="too many for one page"):
        play_page(["1.....2..3.....4"] * (MAX_PUZZLES + 1))
