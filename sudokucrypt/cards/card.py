"""Draw key cards: four puzzles, the text of the key or share, and its QR code, on one page."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from textwrap import wrap
from typing import Final

from sudokucrypt.cards.numbers import card_grids, get_secret_and_use
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import UnsupportedError, format_extra_hint
from sudokucrypt.keys import Key, KeyShare, KeyStream
from sudokucrypt.keys.key import derive_bytes
from sudokucrypt.sudoku import Level, SudokuPuzzle, make_puzzle
from sudokucrypt.sudoku.drawing import Drawing, Rectangle, Text
from sudokucrypt.sudoku.drawing.paper import GRAY, convert_to_pixels, get_paper_size, make_text_line
from sudokucrypt.sudoku.model.sheet_picture import INK, make_rectangles, make_texts

_WARNING_COLOR: Final = "#b3261e"
# Lengths for a page of A5, which has four grids, the text of the key and its QR code.
_MARGIN, _GRID_GAP = convert_to_pixels(11), convert_to_pixels(8.5)
_CELL_SIDE = convert_to_pixels(6.2)
_QR_SIDE = convert_to_pixels(40)
_GROUP_LENGTH = 5  # characters of a group, which people copy at a glance
# Numbers of groups in each line of a key, share or label; the first line also has the prefix.
_KEY_GROUP_COUNTS = 2, 5, 5
_SHARE_GROUP_COUNTS = 2, 6, 6, 6
_LABEL_GROUP_COUNTS = 2, 6

_KEY_CAUTION = "Whoever finds this card has the key."
_KEY_INSTRUCTIONS = (
    "Fill each grid so that every row, column and box of nine cells holds the digits 1 to 9. "
    "From the four grids, typed into a text file, the program sudokucrypt makes the key file "
    "again."
)
_SHARE_CAUTION = "Whoever finds {} of these cards has the key."
_SHARE_INSTRUCTIONS = (
    "From the four solved grids and the text that begins with SUDOKUCRYPT-SHARE-LABEL, typed into "
    "a file, the program sudokucrypt makes the share again."
)
_INSTRUCTION_LINE_LENGTH = 52  # characters of a line


def card_puzzles(key: Key | KeyShare) -> tuple[SudokuPuzzle, ...]:
    """Return the four puzzles of a card, each with one of the four grids as its only solution.

    The givens depend only on the key or share, so that a card is always the same.

    Parameters
    ----------
    key : Key or KeyShare
        The key, or a share of one.
    """
    secret, key_use = get_secret_and_use(key)
    source = StreamDraws(KeyStream(derive_bytes(secret, f"{key_use}/puzzles", b"")))
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
    center = width // 2
    title = (
        f"Sudoku key card, share {key.number}" if isinstance(key, KeyShare) else "Sudoku key card"
    )
    subtitle = (
        f"{key.needed} shares of split {key.split.hex()[:8]} give the key"
        if isinstance(key, KeyShare)
        else f"key id {key.id}"
    )
    texts = [
        make_text_line(title, baseline=convert_to_pixels(18), middle=center, size=44, bold=True),
        make_text_line(
            subtitle, baseline=convert_to_pixels(24), middle=center, size=22, color=GRAY
        ),
    ]
    shapes: list[Rectangle] = []
    side = 9 * _CELL_SIDE
    for index, puzzle in enumerate(card_puzzles(key)):
        row, column = divmod(index, 2)
        top = convert_to_pixels(33) + row * (side + _GRID_GAP)
        left = center - side - _GRID_GAP // 2 + column * (side + _GRID_GAP)
        shapes += make_rectangles(puzzle.panel(), top=top, left=left, side=_CELL_SIDE)
        texts += make_texts(puzzle.panel(), top=top, left=left, side=_CELL_SIDE)
        texts.append(
            make_text_line(
                str(index + 1), baseline=top - 10, middle=left + side // 2, size=24, bold=True
            )
        )
    foot_top = height - _MARGIN - _QR_SIDE
    left = center - side - _GRID_GAP // 2
    shapes += _iterate_qr_runs(key.to_text(), top=foot_top, left=left)
    texts += _iterate_foot_lines(key, top=foot_top, left=left + _QR_SIDE, right=width - left)
    return Drawing(height, width, tuple(shapes), tuple(texts))


def group_text(text: str, counts: Sequence[int] = _KEY_GROUP_COUNTS) -> list[str]:
    """Return the lines of the text of a key on a card, in groups that are easy to copy.

    `counts` are the numbers of groups in each line.
    """
    prefix, _, characters = text.partition("1")
    groups = iter(wrap(characters, _GROUP_LENGTH))
    lines = [" ".join(islice(groups, count)) for count in counts]
    return [f"{prefix}1 {lines[0]}", *lines[1:]]


def _iterate_foot_lines(key: Key | KeyShare, *, top: int, left: int, right: int) -> Iterator[Text]:
    """Yield the lines next to the QR code: the warning, the text of the key, and the rules."""
    center, width = (left + right) // 2, right - left
    caution, rules, size, step, line_gap = _KEY_CAUTION, _KEY_INSTRUCTIONS, 25, 30, 16
    text_blocks = [group_text(key.to_text())]
    if isinstance(key, KeyShare):  # a share has a label and a longer text
        caution, rules, size, step, line_gap = _SHARE_CAUTION, _SHARE_INSTRUCTIONS, 19, 23, 8
        text_blocks = [
            group_text(key.to_text(), _SHARE_GROUP_COUNTS),
            group_text(key.label, _LABEL_GROUP_COUNTS),
        ]
        caution = caution.format(key.needed)
    baseline = top + 22
    yield make_text_line(
        caution,
        baseline=baseline,
        middle=center,
        size=26,
        bold=True,
        color=_WARNING_COLOR,
        width=width,
    )
    for text_block in text_blocks:
        baseline += line_gap
        for groups in text_block:
            baseline += step
            yield make_text_line(groups, baseline=baseline, middle=center, size=size, width=width)
    baseline += 22
    for groups in wrap(rules, _INSTRUCTION_LINE_LENGTH, break_on_hyphens=False):
        baseline += 22
        yield make_text_line(groups, baseline=baseline, middle=center, size=17, color=INK)


def _iterate_qr_runs(text: str, *, top: int, left: int) -> Iterator[Rectangle]:
    """Yield rectangles of the dark modules of a QR code; up to a quarter of it may be damaged."""
    try:
        import segno
    except ImportError:
        raise UnsupportedError(
            "making a QR code needs segno", hint=format_extra_hint("print")
        ) from None
    qr_code = segno.make_qr(text, error="q", boost_error=False)
    side = _QR_SIDE // len(qr_code.matrix)
    # Runs along rows and along columns overlap, so that no gaps are visible if pixels are blurred.
    for row, modules in enumerate(qr_code.matrix):
        for run_start, run_end in _iterate_dark_runs(modules):
            corner = top + row * side, left + run_start * side
            yield Rectangle(*corner, side, (run_end - run_start) * side, INK)
    for column, column_modules in enumerate(zip(*qr_code.matrix, strict=True)):
        for run_start, run_end in _iterate_dark_runs(column_modules):
            corner = top + run_start * side, left + column * side
            yield Rectangle(*corner, (run_end - run_start) * side, side, INK)


def _iterate_dark_runs(modules: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and the stop of each run of dark modules."""
    run_end = 0
    for is_dark, run_modules in groupby(modules):
        run_start, run_end = run_end, run_end + len(list(run_modules))
        if is_dark:
            yield run_start, run_end
