"""Folders of the Android program OpenSudoku, in XML."""

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle, narrowed, ordinary
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle


def _read(text: str) -> Iterator[StoredPuzzle]:
    # Entities are what makes XML of strangers dangerous; a folder of games has none.
    if "<!" in text.replace("<!--", ""):
        raise InvalidGridError("XML with a document type or entities is refused")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - without entities
    except ElementTree.ParseError:
        raise InvalidGridError("the XML is damaged") from None
    title, author = (root.findtext(name, "").strip() for name in ("name", "author"))
    games = [game.get("data", game.get("cells_data", "")) for game in root.iter("game")]
    if not games:
        raise InvalidGridError("the XML has no game of OpenSudoku")
    for data in games:
        digits, masks = _state(data)
        if len(digits) != 81 or digits.strip("0123456789."):
            raise InvalidGridError("a game in the XML is not 81 digits")
        stored = StoredPuzzle(SudokuPuzzle.from_text(digits), title=title, author=author)
        yield narrowed(stored, masks)


def _state(data: str) -> tuple[str, list[int]]:
    """Return the digits and the notes, as bits, of a game in progress."""
    match = re.fullmatch(r"version:\s*([1-4])\s+([0-9|,-]{0,9000})", data.strip())
    if match is None:
        return data, []
    parts, width = re.sub(r"\|$", "", match[2]).split("|"), 4 if match[1] == "4" else 3
    if len(parts) != 81 * width:
        return "", []
    notes = parts[width - 2 :: width]  # those in the middle of a cell, of two kinds
    if match[1] == "1":
        return "".join(parts[::width]), [_bits(re.findall("[1-9]", note)) for note in notes]
    return "".join(parts[::width]), [int(f"0{note.strip('-,')}"[:4]) & 511 for note in notes]


def _bits(digits: list[str]) -> int:
    return sum(1 << int(digit) - 1 for digit in {*digits})


def _write(puzzles: Sequence[StoredPuzzle]) -> str:
    root = ElementTree.Element("opensudoku")
    for name, value in (("name", puzzles[0].title), ("author", puzzles[0].author)):
        ElementTree.SubElement(root, name).text = value
    for stored in puzzles:
        data = ordinary(stored, "OpenSudoku").puzzle.to_text().replace(".", "0")
        ElementTree.SubElement(root, "game", data=data)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


OPENSUDOKU = PuzzleFormat(
    name="opensudoku",
    title="OpenSudoku XML",
    matches=lambda text: text.startswith("<") and "<opensudoku" in text[:2000],
    read=_read,
    write=_write,
)
