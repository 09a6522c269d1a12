"""The page of a key card: its puzzles, and the QR code as a foreign reader sees it."""

import sys

import numpy as np
import pytest
import zxingcpp

from sudokucrypt import Key
from sudokucrypt.cards import card_puzzles, draw_card
from sudokucrypt.cards.card import group_text
from sudokucrypt.errors import UnsupportedError, extra_hint
from sudokucrypt.images import paint
from sudokucrypt.keys import key_texts, read_key
from sudokucrypt.sudoku.drawing import Drawing, to_pdf
from sudokucrypt.typing import AnyArray

KEY = Key(bytes(range(32)))


def texts_of(pixels: AnyArray) -> list[str]:
    """What the codes in a picture say."""
    return [code.text for code in zxingcpp.read_barcodes(np.ascontiguousarray(pixels))]


def test_the_code_is_the_key() -> None:
    """A reader of QR codes finds the text of the key, and still does where the code is torn."""
    pixels = paint(draw_card(KEY)).pixels.copy()
    assert texts_of(pixels) == [KEY.to_text()]
    pixels[1010:1090, 160:240] = 255  # an eighth of it
    assert texts_of(pixels) == [KEY.to_text()]


def test_the_page_has_everything_inside() -> None:
    """Puzzles, id, warning and the text of the key are on the page, and nothing leaves it."""
    page = draw_card(KEY)
    assert page == draw_card(KEY)
    for top, left, height, width, _ in page.rectangles:
        assert min(top, left) >= 0
        assert top + height <= page.height
        assert left + width <= page.width
    assert words_over(page) == []
    words = "".join(text.text for text in page.texts)
    assert "".join(group_text(KEY.to_text())) in words
    assert KEY.id in words
    assert "Whoever finds this card has the key." in words
    digits = [text for text in page.texts if len(text.text) == 1]
    givens = sum(puzzle.number_of_givens for puzzle in card_puzzles(KEY))
    assert len(digits) == givens + 4  # and the numbers of the grids


def test_the_text_is_in_groups() -> None:
    """Of five characters behind the word for a key, and typed line by line it is read again."""
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
        assert [read_key(text) for text in key_texts(typed)] == [KEY]


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without segno or ReportLab the message says which extra brings them."""
    page = draw_card(KEY)
    for name, make in (
        ("segno", lambda: draw_card(KEY)),
        ("reportlab.pdfgen.canvas", lambda: to_pdf([page])),
    ):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(UnsupportedError) as refused:
            make()
        assert refused.value.hint == extra_hint("print")


def words_over(page: Drawing) -> list[str]:
    """The lines of text that go beyond the margin, or into one another."""
    over: list[str] = []
    taken = np.zeros((page.height, page.width), dtype=bool)
    for text in page.texts:
        if len(text.text) > 1:
            alone = paint(Drawing(page.height, page.width, (), (text,))).pixels
            dark = (alone < 200).any(axis=2)
            rows, columns = np.nonzero(dark)
            beyond = columns.min() < 40 or columns.max() >= page.width - 40
            if beyond or rows.max() >= page.height - 40 or (dark & taken).any():
                over.append(text.text)
            taken |= dark
    return over
