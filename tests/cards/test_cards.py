"""Key cards: the page with its puzzles and QR code, and reading damaged copies of the grids."""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import zxingcpp

from sudokucrypt import Key
from sudokucrypt.cards import card_grids, card_puzzles, draw_card, read_card
from sudokucrypt.cards.card import group_text
from sudokucrypt.cards.numbers import decode_key
from sudokucrypt.errors import (
    InvalidGridError,
    InvalidKeyError,
    UnsupportedError,
    format_extra_hint,
)
from sudokucrypt.images import paint
from sudokucrypt.keys import read_key, split_key_texts
from sudokucrypt.sudoku import grid_total, is_unique, rank, solve
from sudokucrypt.sudoku.drawing import Drawing, to_pdf
from sudokucrypt.typing import AnyArray

KEY = Key(bytes(range(32)))


def read_qr_codes(pixels: AnyArray) -> list[str]:
    """Return the texts of the QR codes in a picture."""
    return [code.text for code in zxingcpp.read_barcodes(np.ascontiguousarray(pixels))]


def test_the_qr_code_is_the_key() -> None:
    """The QR code contains the text of the key, and is read even if an eighth of it is damaged."""
    pixels = paint(draw_card(KEY)).pixels.copy()
    assert read_qr_codes(pixels) == [KEY.to_text()]
    pixels[1010:1090, 160:240] = 255  # damage an eighth of the code
    assert read_qr_codes(pixels) == [KEY.to_text()]


def test_the_page_is_complete() -> None:
    """The page shows puzzles, key id, warning and text of the key, inside its edges."""
    page = draw_card(KEY)
    assert page == draw_card(KEY)
    for top, left, height, width, _ in page.rectangles:
        assert min(top, left) >= 0
        assert top + height <= page.height
        assert left + width <= page.width
    assert list_overlaps(page) == []
    page_text = "".join(text.text for text in page.texts)
    assert "".join(group_text(KEY.to_text())) in page_text
    assert KEY.id in page_text
    assert "Whoever finds this card has the key." in page_text
    digits = [text for text in page.texts if len(text.text) == 1]
    givens = sum(puzzle.number_of_givens for puzzle in card_puzzles(KEY))
    assert len(digits) == givens + 4  # the digits of the puzzles, and the numbers of the four grids


def test_the_text_is_in_groups() -> None:
    """The text of the key is in groups of five characters, and is read again from its lines."""
    lines = group_text(KEY.to_text())
    assert lines[0].startswith("SUDOKUCRYPT-KEY-1 ")
    sizes = [len(group) for line in lines for group in line.split()[line is lines[0] :]]
    assert sizes == [5] * 11 + [3]
    for typed in (
        "\n".join(lines),
        "\r\n\n".join(lines).lower(),
        "# mine\n" + " ".join(lines),
        " ".join(KEY.to_text()),
    ):
        assert [read_key(text) for text in split_key_texts(typed)] == [KEY]


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without segno or ReportLab, the error names the extra that installs them."""
    page = draw_card(KEY)
    for name, make_page in (
        ("segno", lambda: draw_card(KEY)),
        ("reportlab.pdfgen.canvas", lambda: to_pdf([page])),
    ):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(UnsupportedError) as error_info:
            make_page()
        assert error_info.value.hint == format_extra_hint("print")


def list_overlaps(page: Drawing) -> list[str]:
    """Return the lines of text that overlap others or the margin."""
    overlap: list[str] = []
    is_inked = np.zeros((page.height, page.width), dtype=bool)
    for text in page.texts:
        if len(text.text) > 1:
            text_ink = paint(Drawing(page.height, page.width, (), (text,))).pixels
            dark = (text_ink < 200).any(axis=2)
            rows, columns = np.nonzero(dark)
            beyond_page = columns.min() < 40 or columns.max() >= page.width - 40
            if beyond_page or rows.max() >= page.height - 40 or (dark & is_inked).any():
                overlap.append(text.text)
            is_inked |= dark
    return overlap


# Reading keys from four grids, also from damaged copies.


EXTREME_SECRETS = [bytes(32), bytes([255]) * 32]


def make_keys(count: int, seed: int) -> list[Key]:
    """Return the given number of keys."""
    random = np.random.default_rng(seed)
    return [Key(random.bytes(32)) for _ in range(count)]


def copy_grids(
    key: Key, random: np.random.Generator, *, wrong_count: Sequence[int] = (), open_count: int = 0
) -> list[AnyArray]:
    """Return the grids of a card with open cells in each, and a wrong digit in some."""
    sheets = [np.array(grid) for grid in card_grids(key)]
    for index, sheet in enumerate(sheets):
        *open_positions, wrong_position = random.permutation(81)[: open_count + 1]
        sheet.flat[open_positions] = 0
        if index in wrong_count:
            sheet.flat[wrong_position] = 1 + (sheet.flat[wrong_position] + random.integers(8)) % 9
    return sheets


@pytest.mark.parametrize("secret", EXTREME_SECRETS, ids=["least", "largest"])
def test_extreme_keys_have_grids(secret: bytes) -> None:
    """The smallest and the largest key are encoded by four grids, and read from them."""
    grids = card_grids(Key(secret))
    assert len(grids) == 4
    assert read_card(grids).key == Key(secret)


def test_random_keys_are_read() -> None:
    """A key is read from its grids, and from their texts with any separators."""
    for key in make_keys(50, 1):
        grids = card_grids(key)
        assert read_card(grids).key == key
        assert read_card([str(grid) for grid in grids]).key == key


def test_puzzles_of_the_card_have_the_grids_as_only_solutions() -> None:
    """Each puzzle of a card is easy, reproducible, and has its grid as the only solution."""
    for key in make_keys(3, 2):
        puzzles = card_puzzles(key)
        assert all(map(is_unique, puzzles))
        assert tuple(solve(puzzle).to_grid() for puzzle in puzzles) == card_grids(key)
        assert puzzles == card_puzzles(key)
        reading = read_card(puzzles)
        assert (reading.key, reading.order, reading.wrong) == (key, (1, 2, 3, 4), ())


def test_any_order_is_read() -> None:
    """Grids in any order are read, and the reading states the order."""
    (key,) = make_keys(1, 3)
    grids = card_grids(key)
    reading = read_card([grids[2], grids[0], grids[3], grids[1]])
    assert (reading.key, reading.order) == (key, (2, 4, 1, 3))


@pytest.mark.parametrize(("wrong", "opened"), [([2], 0), ([], 15), ([], 20), ([0, 1, 2, 3], 20)])
def test_damage_is_corrected(wrong: list[int], opened: int) -> None:
    """Copies with one wrong digit and up to 20 open cells in each grid are read, in any order."""
    random = np.random.default_rng(opened + len(wrong))
    for key in make_keys(15, 4):
        sheets = copy_grids(key, random, wrong_count=wrong, open_count=opened)
        assert read_card(sheets).key == key
        order = random.permutation(4)
        assert read_card([sheets[position] for position in order]).key == key


def test_the_wrong_cell_is_named() -> None:
    """The reading names a wrong cell by its copy and its position, without the digit."""
    (key,) = make_keys(1, 5)
    sheets = [np.array(grid) for grid in card_grids(key)]
    sheets[2][4, 7] = 1 + sheets[2][4, 7] % 9
    assert read_card(sheets).wrong == ((3, "r5c8"),)


def test_a_wrong_given_of_a_puzzle_is_found() -> None:
    """A puzzle with a wrong given is read as its grid, if it has few other solutions."""
    (key,) = make_keys(1, 6)
    sheets = [np.array(puzzle) for puzzle in card_puzzles(key)]
    position = np.flatnonzero(sheets[1])[0]
    sheets[1].flat[position] = 1 + sheets[1].flat[position] % 9
    reading = read_card(sheets)
    assert reading.key == key
    assert [sheet for sheet, _ in reading.wrong] == [2]


def test_other_grids_are_refused() -> None:
    """Grids with a change, from two cards, or of a number above 256 bits are refused."""
    first_grids, second_grids = (card_grids(key) for key in make_keys(2, 7))
    last_number = grid_total() - 1
    assert decode_key([last_number] * 4) is None
    numbers = [rank(grid) for grid in first_grids]
    for difference in (1, -1, 10**12):
        assert decode_key([*numbers[:3], (numbers[3] + difference) % (last_number + 1)]) is None
    with pytest.raises(InvalidKeyError, match="encode no key"):
        read_card([*first_grids[:3], second_grids[3]])
    with pytest.raises(InvalidKeyError, match="has 4 grids, not 3"):
        read_card(first_grids[:3])


@pytest.mark.parametrize(
    "sheet", [np.zeros((9, 9), dtype=int), "." * 81, "12" + "." * 79], ids=["array", "text", "two"]
)
def test_grids_with_too_many_open_cells_are_refused(sheet: Any) -> None:
    """A copy with millions of solutions is refused at once, and the error names it."""
    (key,) = make_keys(1, 8)
    with pytest.raises(InvalidKeyError, match="too much of sheet 2 is open"):
        read_card([card_grids(key)[0], sheet, sheet, sheet])


def test_too_many_combinations_are_refused() -> None:
    """Copies with few solutions each, but too many combinations, are refused."""
    (key,) = make_keys(1, 9)
    sheets = [np.array(grid) for grid in card_grids(key)]
    for sheet in sheets:
        sheet[sheet <= 3] = 0
    with pytest.raises(InvalidKeyError, match="too much of the card"):
        read_card(sheets)
    assert read_card([*sheets[:1], *card_grids(key)[1:]]).key == key


def test_invalid_grids_are_refused() -> None:
    """A grid without 81 cells of the digits 1 to 9 is refused."""
    (key,) = make_keys(1, 10)
    grids: list[Any] = list(card_grids(key))
    with pytest.raises(InvalidGridError, match="81 cells, not 80"):
        read_card([*grids[:3], "1" * 80])
    with pytest.raises(InvalidGridError, match="r1c1 holds 10"):
        read_card([*grids[:3], np.full((9, 9), 10)])


def test_readings_do_not_show_the_key() -> None:
    """The representation of a reading contains the key id, but not the key."""
    (key,) = make_keys(1, 11)
    representation = repr(read_card(card_grids(key)))
    assert key.id in representation
    assert key.to_text() not in representation
    assert key.to_bytes().hex() not in representation


def _shift_row(text: str, row: int, step: int) -> str:
    """Return a grid in which a row was typed a cell too far to the right or left."""
    lines = [text[9 * index : 9 * index + 9] for index in range(9)]
    digit = lines[row][0]
    lines[row] = f"{digit}{lines[row]}"[:9] if step > 0 else f"{lines[row][1:]}{digit}"
    return "".join(lines)


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("faulty", [(1,), (0, 3)])
def test_shifted_rows_are_corrected(faulty: tuple[int, ...], step: int) -> None:
    """Grids with a row that was shifted by a cell are read, and the reading names grid and row."""
    reports: list[str] = []
    (key,) = make_keys(1, seed=5)
    texts = ["".join(map(str, np.ravel(np.array(grid)))) for grid in card_grids(key)]
    texts = [_shift_row(text, 4, step) if i in faulty else text for i, text in enumerate(texts)]
    reading = read_card(texts, report=reports.append)
    assert reading.key == key
    assert reading.shifted == tuple((index + 1, "row 5") for index in faulty)
    assert reading.wrong == ()
    assert "trying rows that are shifted by a cell" in reports[0]


def test_contradictions_are_named() -> None:
    """For grids without solutions, the error names the row, column or box with a digit twice."""
    (key,) = make_keys(1, seed=6)
    texts = ["".join(map(str, np.ravel(np.array(grid)))) for grid in card_grids(key)]
    wrong = texts[2]
    texts[2] = wrong[:9] + wrong[9] * 3 + wrong[12:30] + wrong[30] * 3 + wrong[33:]
    with pytest.raises(InvalidKeyError, match="grid 3 has a digit twice in row 2") as error_info:
        read_card(texts)
    assert wrong[9:18] not in str(error_info.value)
