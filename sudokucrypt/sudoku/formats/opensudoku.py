"""Folders of the Android program OpenSudoku, in XML."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle, ordinary
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
    games = [game.get("data", "") for game in root.iter("game")]
    if not games:
        raise InvalidGridError("the XML has no game of OpenSudoku")
    for data in games:
        if len(data) != 81 or data.strip("0123456789."):
            raise InvalidGridError("a game in the XML is not 81 digits")
        yield StoredPuzzle(SudokuPuzzle.from_text(data), title=title, author=author)


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
