"""Links: f-puzzles, SudokuPad and SudokuWiki."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import combinations, islice
from urllib.parse import quote, unquote

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats import fpuzzles, scl
from sudokucrypt.sudoku.formats.contract import (
    PuzzleFormat,
    StoredPuzzle,
    load_json,
    narrowed,
    numbered,
    with_typed,
)
from sudokucrypt.sudoku.formats.lzstring import compress, decompress
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

_LINK = re.compile(r"(https?://)?([^/?#:\s]+)(?::[0-9]+)?((?:[/?#]\S*)?)", re.IGNORECASE)
_SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PADS = ("sudokupad.app", "crackingthecryptic.com", "svencodes.com")
_HOSTS = (*_PADS, "f-puzzles.com", "sudokuwiki.org", "tinyurl.com")  # known without https:// too
_CELLS = re.compile(r"(?<![0-9.])[0-9.]{81}(?![0-9.])")
_SHORTEST = 64  # characters of a packed puzzle; fewer are the name of a page
_MOST_REPAIRS = 64  # places tried for a slash that was lost


def _host(name: str) -> str:
    return ".".join(name.lower().split(".")[-2:])


def _is_link(text: str) -> bool:
    match = _LINK.fullmatch(text.split(maxsplit=1)[0]) if text[:200].strip() else None
    return match is not None and (match[1] is not None or _host(match[2]) in _HOSTS)


def _read(link: str) -> StoredPuzzle:
    match = _LINK.fullmatch(link)
    if match is None:
        raise InvalidGridError(f"{link[:40]!r} is not a link to a puzzle")
    host, path = _host(match[2]), match[3]
    # Settings may follow, and the page that shows it may come before.
    packed = re.sub(r"^/?(sudoku/?|puzzle/?)?(\?puzzleid=)?|[?&#].*", "", unquote(path))
    parse = next((_PACKED[prefix] for prefix in _PACKED if packed.startswith(prefix)), None)
    load = re.search(r"[?&]load=([^&#]+)", path)
    if host == "f-puzzles.com" and load:
        packed, parse = f"fpuzzles{unquote(load[1])}", _PACKED["fpuzzles"]
    elif host not in _PADS:
        parse = None
    try:
        if parse:
            return parse(packed)
        if board := re.search(r"[?&]bd=(S9B[^&#]*)", path):
            return _wiki(board[1])
        if cells := _CELLS.search(unquote(path)):
            return StoredPuzzle(SudokuPuzzle.from_text(cells[0]))
    except InvalidGridError:
        if len(packed) >= _SHORTEST or not parse:
            raise
    raise InvalidGridError(
        f"the address {link[:60]!r} does not contain its puzzle",
        hint="open the page and copy its long link or its 81 cells; nothing is fetched from here",
    )


def _unpacked(packed: str, parse: Callable[[str], StoredPuzzle]) -> StoredPuzzle:
    """Return a packed puzzle, also where a program made one slash of two."""
    try:
        return parse(decompress(packed))
    except InvalidGridError:
        slashes = [at for at, symbol in enumerate(packed) if symbol == "/"]
        lost = -len(packed) % 4
        for places in islice(combinations(slashes, lost), _MOST_REPAIRS) if lost else ():
            repaired = "".join(sign + "/" * (at in places) for at, sign in enumerate(packed))
            with suppress(InvalidGridError):
                return parse(decompress(repaired))
        raise


def _parse_fpuzzles(text: str) -> StoredPuzzle:
    return fpuzzles.parsed(load_json(text, "an f-puzzles puzzle"))


def _wiki(board: str) -> StoredPuzzle:
    """Return a board of SudokuWiki: after S9B two symbols for each cell."""
    if not re.fullmatch(r"S9B[0-9a-z]{162}", board):
        raise InvalidGridError("the link has no board of 9x9 after bd=")
    # From 1 givens, from 10 other digits, from 19 candidates as bits.
    values = [int(board[at : at + 2], 36) for at in range(3, len(board), 2)]
    if not 0 < min(values) <= max(values) < 19 + 511:
        raise InvalidGridError("the link is damaged")
    stored = StoredPuzzle(SudokuPuzzle([value if value < 10 else 0 for value in values]))
    stored = with_typed(stored, [value - 9 if 10 <= value < 19 else 0 for value in values])
    return narrowed(stored, [max(0, value - 18) for value in values])


def _classic(packed: str) -> StoredPuzzle:
    """Return 81 digits, where each symbol is a digit and the open cells after it, up to five."""
    if len(packed) > 81 or not set(packed) <= {*_SYMBOLS[:60]}:
        raise InvalidGridError("the link is damaged")
    values = map(_SYMBOLS.index, packed)
    cells = "".join(str(value % 10) + "0" * (value // 10) for value in values)
    if len(cells) != 81:
        raise InvalidGridError(f"the link holds {len(cells)} cells, not 81")
    return StoredPuzzle(SudokuPuzzle.from_text(cells))


_PACKED: dict[str, Callable[[str], StoredPuzzle]] = {
    "fpuzzles": lambda packed: _unpacked(packed[len("fpuzzles") :], _parse_fpuzzles),
    "fpuz": lambda packed: _unpacked(packed[len("fpuz") :], _parse_fpuzzles),
    "scf": lambda packed: _classic(packed[len("scf") :]),
    "scl": lambda packed: _unpacked(packed[len("scl") :], scl.loaded),
    "ctc": lambda packed: _unpacked(packed[len("ctc") :], scl.loaded),
}


def _write_packed(address: str) -> Callable[[Sequence[StoredPuzzle]], str]:
    """Return what writes links with the JSON of f-puzzles, each sign escaped that links escape."""

    def write(puzzles: Sequence[StoredPuzzle]) -> str:
        packed = (quote(compress(fpuzzles.written(stored)), safe="") for stored in puzzles)
        return "".join(f"{address}{text}\n" for text in packed)

    return write


FPUZZLES_LINK = PuzzleFormat(
    name="f-puzzles-link",
    title="a link",
    matches=_is_link,
    split=lambda text: numbered("link", text.split()),
    read=_read,
    write=_write_packed("https://f-puzzles.com/?load="),
    typed=True,
)
SUDOKUPAD = PuzzleFormat(
    name="sudokupad",
    title="SudokuPad",
    write=_write_packed("https://sudokupad.app/fpuzzles"),
    typed=True,
)
