"""Links: f-puzzles, SudokuPad and SudokuWiki."""

import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, unquote

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats import fpuzzles, scl
from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle, marked, ordinary
from sudokucrypt.sudoku.formats.lzstring import compress, decompress
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_LINK = re.compile(r"(?:https?://)?(?:[a-z0-9-]+\.)?([a-z-]+\.[a-z]+)/(\S*)", re.IGNORECASE)
_SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_HOSTS = ("f-puzzles.com", "sudokupad.app", "crackingthecryptic.com", "svencodes.com",
          "sudokuwiki.org")  # fmt: skip


def _is_link(text: str) -> bool:
    match = _LINK.match(text[:200])
    return match is not None and match[1].lower() in _HOSTS


def _read(text: str) -> Iterator[StoredPuzzle]:
    for link in text.split():
        match = _LINK.fullmatch(link)
        if match is None:
            raise InvalidGridError(f"{link[:40]!r} is not a link to a puzzle")
        yield _linked(match[1].lower(), match[2])


def _linked(host: str, path: str) -> StoredPuzzle:
    if host == "f-puzzles.com":
        load = re.search(r"[?&]load=([^&#]*)", path)
        return fpuzzles.parsed(decompress(unquote(load[1] if load else "")))
    if host == "sudokuwiki.org":
        board = re.search(r"[?&]bd=([^&#]*)", path)
        return _wiki(board[1] if board else "")
    # Settings may follow, and the page that shows it may come before.
    packed = re.sub(r"^(sudoku/|puzzle/)?(\?puzzleid=)?|[?&#].*", "", unquote(path))
    for prefix, parse in _PACKED.items():
        if packed.startswith(prefix):
            return parse(packed.removeprefix(prefix))
    raise InvalidGridError(
        "only links to SudokuPad that hold the puzzle are read",
        hint=f"what follows the address begins with {', '.join(_PACKED)}",
    )


def _wiki(board: str) -> StoredPuzzle:
    """Return a board of SudokuWiki: 81 digits, or two symbols for each cell after S9B."""
    if re.fullmatch(r"[0-9.]{81}", board):
        return StoredPuzzle(SudokuPuzzle.from_text(board))
    if not re.fullmatch(r"S9B[0-9a-z]{162}", board):
        raise InvalidGridError("the link has no board of 9x9 after bd=")
    # From 1 givens, from 10 other digits, from 19 candidates as bits.
    values = [int(board[at : at + 2], 36) for at in range(3, len(board), 2)]
    if not 0 < min(values) <= max(values) < 19 + 511:
        raise InvalidGridError("the link is damaged")
    digits = [(value - 1) % 9 + 1 if value < 19 else 0 for value in values]
    masks = [1 << digit >> 1 or value - 18 for digit, value in zip(digits, values, strict=True)]
    return marked(masks, digits)


def _classic(packed: str) -> str:
    """Return 81 digits, where each symbol is a digit and the open cells after it, up to five."""
    if len(packed) > 81 or not set(packed) <= {*_SYMBOLS[:60]}:
        raise InvalidGridError("the link is damaged")
    values = map(_SYMBOLS.index, packed)
    cells = "".join(str(value % 10) + "0" * (value // 10) for value in values)
    if len(cells) != 81:
        raise InvalidGridError(f"the link holds {len(cells)} cells, not 81")
    return cells


_PACKED: dict[str, Callable[[str], StoredPuzzle]] = {
    "fpuzzles": lambda packed: fpuzzles.parsed(decompress(packed)),
    "fpuz": lambda packed: fpuzzles.parsed(decompress(packed)),
    "scf": lambda packed: StoredPuzzle(SudokuPuzzle.from_text(_classic(packed))),
    "scl": lambda packed: scl.parsed(decompress(packed)),
    "ctc": lambda packed: scl.parsed(decompress(packed)),
}


def _write_fpuzzles(puzzles: Sequence[StoredPuzzle]) -> str:
    packed = (quote(compress(fpuzzles.written(stored))) for stored in puzzles)
    return "".join(f"https://f-puzzles.com/?load={text}\n" for text in packed)


def _write_sudokupad(puzzles: Sequence[StoredPuzzle]) -> str:
    packed = (quote(compress(fpuzzles.written(stored))) for stored in puzzles)
    return "".join(f"https://sudokupad.app/fpuzzles{text}\n" for text in packed)


def _write_classic(puzzles: Sequence[StoredPuzzle]) -> str:
    links = []
    for stored in puzzles:
        cells = ordinary(stored, "a link of SudokuPad's classic form").puzzle.to_text()
        runs = re.findall(r"(.)(0{0,5})", cells.replace(".", "0"))
        packed = "".join(_SYMBOLS[int(digit) + 10 * len(zeros)] for digit, zeros in runs)
        links.append(f"https://sudokupad.app/scf{packed}\n")
    return "".join(links)


def _write_wiki(puzzles: Sequence[StoredPuzzle]) -> str:
    lines = (ordinary(stored, "SudokuWiki").puzzle.to_text() for stored in puzzles)
    return "".join(
        f"https://www.sudokuwiki.org/sudoku.htm?bd={line.replace('.', '0')}\n" for line in lines
    )


FPUZZLES_LINK = PuzzleFormat(
    name="f-puzzles-link",
    title="a link",
    matches=_is_link,
    read=_read,
    write=_write_fpuzzles,
)
SUDOKUPAD = PuzzleFormat(name="sudokupad", title="SudokuPad", write=_write_sudokupad)
CLASSIC = PuzzleFormat(name="sudokupad-classic", title="SudokuPad", write=_write_classic)
SUDOKUWIKI = PuzzleFormat(name="sudokuwiki", title="SudokuWiki", write=_write_wiki)
