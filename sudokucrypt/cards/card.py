"""Draw key cards: four puzzles, the text of the key or share, and its QR code, on one page."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from textwrap import wrap
from typing import Final

from sudokucrypt.cards.numbers import card_grids, secret_and_use
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import UnsupportedError, format_extra_hint
from sudokucrypt.keys import Key, KeyShare, KeyStream
from sudokucrypt.keys.key import derive
from sudokucrypt.sudoku import Level, SudokuPuzzle, make_puzzle
from sudokucrypt.sudoku.drawing import Drawing, Rectangle, Text
from sudokucrypt.sudoku.drawing.paper import GRAY, convert_to_pixels, get_paper_size, make_text_line
from sudokucrypt.sudoku.model.sheet_picture import INK, make_rectangles, make_texts

_WARNING: Final = "#b3261e"
# Lengths for a page of A5, which has four grids, the text of the key and its QR code.
_MARGIN, _GRID_GAP = convert_to_pixels(11), convert_to_pixels(8.5)
_CELL_SIDE = convert_to_pixels(6.2)
_QR_SIDE = convert_to_pixels(40)
_GROUP_LENGTH = 5  # characters of a group, which people copy at a glance
# Numbers of groups in each line of a key, share or label; the first line also has the prefix.
_KEY_GROUPS = 2, 5, 5
_SHARE_GROUPS = 2, 6, 6, 6
_LABEL_GROUPS = 2, 6

_CAUTION = "Whoever finds this card has the key."
_RULES = (
    "Fill each grid so that every row, column and box of nine cells holds the digits 1 to 9. "
    "From the four grids, typed into a text file, the program sudokucrypt makes the key file "
    "again."
)
_SHARE_CAUTION = "Whoever finds {} of these cards has the key."
_SHARE_RULES = (
    "From the four solved grids and the text that begins with SUDOKUCRYPT-SHARE-LABEL, typed into "
    "a file, the program sudokucrypt makes the share again."
)
_RULE_WIDTH = 52  # characters of a line


def card_puzzles(key: Key | KeyShare) -> tuple[SudokuPuzzle, ...]:
    """Return the four puzzles of a card, each with one of the four grids as its only solution.

    The givens depend only on the key or share, so that a card is always the same.

    Parameters
    ----------
    key : Key or KeyShare
        The key, or a share of one.
    """
    secret, use = secret_and_use(key)
    source = StreamDraws(KeyStream(derive(secret, f"{use}/puzzles", b"")))
    return tuple(
        make_puzzle(source, sheet=grid, level=Level.EASY, pattern="half-turn").puzzle
        for grid in card_grids(key)
    )


def draw_card(key: Key | KeyShare) -> Drawing:
    """Return the drawing of the card of a key or share, on A5 at 150 pixels per inch.

    Anyone who has the drawing has the key or the share.

    Raises `UnsupportedError` if segno, which makes the QR code, is not installed.

    Parameters
    ----------
    key : Key or KeyShare
        The key, or a share of one.
    """
    height, width = get_paper_size("a5")
    middle = width // 2
    title = (
        f"Sudoku key card, share {key.number}" if isinstance(key, KeyShare) else "Sudoku key card"
    )
    subtitle = (
        f"{key.needed} shares of split {key.split.hex()[:8]} give the key"
        if isinstance(key, KeyShare)
        else f"key id {key.id}"
    )
    words = [
        make_text_line(title, baseline=convert_to_pixels(18), middle=middle, size=44, bold=True),
        make_text_line(
            subtitle, baseline=convert_to_pixels(24), middle=middle, size=22, color=GRAY
        ),
    ]
    shapes: list[Rectangle] = []
    side = 9 * _CELL_SIDE
    for index, puzzle in enumerate(card_puzzles(key)):
        row, column = divmod(index, 2)
        top = convert_to_pixels(33) + row * (side + _GRID_GAP)
        left = middle - side - _GRID_GAP // 2 + column * (side + _GRID_GAP)
        shapes += make_rectangles(puzzle.panel(), top=top, left=left, side=_CELL_SIDE)
        words += make_texts(puzzle.panel(), top=top, left=left, side=_CELL_SIDE)
        words.append(
            make_text_line(
                str(index + 1), baseline=top - 10, middle=left + side // 2, size=24, bold=True
            )
        )
    foot = height - _MARGIN - _QR_SIDE
    left = middle - side - _GRID_GAP // 2
    shapes += _iterate_qr_runs(key.to_text(), top=foot, left=left)
    words += _iterate_foot_lines(key, top=foot, left=left + _QR_SIDE, right=width - left)
    return Drawing(height, width, tuple(shapes), tuple(words))


def group_text(text: str, counts: Sequence[int] = _KEY_GROUPS) -> list[str]:
    """Return the lines of the text of a key on a card, in groups that are easy to copy.

    `counts` are the numbers of groups in each line.
    """
    head, _, data = text.partition("1")
    groups = iter(wrap(data, _GROUP_LENGTH))
    lines = [" ".join(islice(groups, count)) for count in counts]
    return [f"{head}1 {lines[0]}", *lines[1:]]


def _iterate_foot_lines(key: Key | KeyShare, *, top: int, left: int, right: int) -> Iterator[Text]:
    """Yield the lines next to the QR code: the warning, the text of the key, and the rules."""
    middle, width = (left + right) // 2, right - left
    caution, rules, size, step, gap = _CAUTION, _RULES, 25, 30, 16
    parts = [group_text(key.to_text())]
    if isinstance(key, KeyShare):  # a share has a label and a longer text
        caution, rules, size, step, gap = _SHARE_CAUTION, _SHARE_RULES, 19, 23, 8
        parts = [
            group_text(key.to_text(), _SHARE_GROUPS),
            group_text(key.label, _LABEL_GROUPS),
        ]
        caution = caution.format(key.needed)
    baseline = top + 22
    yield make_text_line(
        caution, baseline=baseline, middle=middle, size=26, bold=True, color=_WARNING, width=width
    )
    for part in parts:
        baseline += gap
        for words in part:
            baseline += step
            yield make_text_line(words, baseline=baseline, middle=middle, size=size, width=width)
    baseline += 22
    for words in wrap(rules, _RULE_WIDTH, break_on_hyphens=False):
        baseline += 22
        yield make_text_line(words, baseline=baseline, middle=middle, size=17, color=INK)


def _iterate_qr_runs(text: str, *, top: int, left: int) -> Iterator[Rectangle]:
    """Yield rectangles of the dark modules of a QR code, of which a quarter may be damaged."""
    try:
        import segno
    except ImportError:
        raise UnsupportedError(
            "making a QR code needs segno", hint=format_extra_hint("print")
        ) from None
    code = segno.make_qr(text, error="q", boost_error=False)
    side = _QR_SIDE // len(code.matrix)
    # Runs along rows and along columns overlap, so that no gaps are visible if pixels are blurred.
    for row, modules in enumerate(code.matrix):
        for start, stop in _iterate_dark_runs(modules):
            corner = top + row * side, left + start * side
            yield Rectangle(*corner, side, (stop - start) * side, INK)
    for column, column_modules in enumerate(zip(*code.matrix, strict=True)):
        for start, stop in _iterate_dark_runs(column_modules):
            corner = top + start * side, left + column * side
            yield Rectangle(*corner, (stop - start) * side, side, INK)


def _iterate_dark_runs(modules: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and the stop of each run of dark modules."""
    stop = 0
    for dark, run in groupby(modules):
        start, stop = stop, stop + len(list(run))
        if dark:
            yield start, stop
