"""Read and write folders of the Android program OpenSudoku, in XML."""

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import (
    PuzzleFormat,
    StoredPuzzle,
    add_pencil_marks,
    add_typed_digits,
    label_parts,
    require_ordinary_puzzle,
)
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle


def _split_games(text: str) -> list[tuple[str, Any]]:
    # Entities make untrusted XML dangerous, and a folder of games has none.
    if "<!ENTITY" in text.upper():
        raise InvalidGridError("XML with entities is refused")
    try:
        # The text is decoded already, so the encoding in the XML declaration is removed.
        root = ElementTree.fromstring(re.sub(r"^<\?xml.*?\?>", "", text))  # noqa: S314 - no entities
    except (ElementTree.ParseError, ValueError):
        raise InvalidGridError("the XML is damaged") from None
    author = root.findtext("author", "").strip()
    folders = [
        (folder, folder.get("name", "") or folder.findtext("name", "").strip(), author)
        for folder in (root, *root.iter("folder"))
    ]
    games = [(game, *words) for folder, *words in folders for game in folder.findall("game")]
    if not games:
        raise InvalidGridError("the XML has no game of OpenSudoku")
    return label_parts("game", games)


def _read_game(named_game: tuple[ElementTree.Element, str, str]) -> StoredPuzzle:
    """Return the puzzle of a game, with the title and the author of its file."""
    game, title, author = named_game
    cell_data = game.get("data", game.get("cells_data", ""))
    match = re.fullmatch(r"version:\s*([1-4])\s+([0-9|,-]{0,9000})", cell_data.strip())
    if match is None:
        cells = [[digit, "0", "0"] for digit in cell_data]
    else:
        fields, width = (re.sub(r"\|$", "", match[2]).split("|"), 4 if match[1] == "4" else 3)
        # A cell has two kinds of notes; the center notes are the last field.
        cells = [fields[start : start + 1] + fields[start + width - 2 : start + width]
                 for start in range(0, len(fields), width)]  # fmt: skip
    digits = "".join(cell[0] for cell in cells)
    if len(cells) != 81 or len(digits) != 81 or digits.strip("0123456789.") or len(cells[-1]) < 3:
        raise InvalidGridError(f"a game of OpenSudoku has 81 cells, and not {len(digits)}")
    values = [int(digit) if digit != "." else 0 for digit in digits]
    # The last field of a cell says whether it can be changed; then its digit is not a given.
    typed_digits = [
        value if cell[2] == "1" else 0 for value, cell in zip(values, cells, strict=True)
    ]
    givens = [value - typed_digit for value, typed_digit in zip(values, typed_digits, strict=True)]
    stored_puzzle = StoredPuzzle(SudokuPuzzle(givens), title=title, author=author)
    read_note = _read_note_digits if match and match[1] == "1" else _read_note_bits
    notes = [0 if value else read_note(cell[1]) for value, cell in zip(values, cells, strict=True)]
    return add_pencil_marks(add_typed_digits(stored_puzzle, typed_digits), notes)


def _read_note_digits(note: str) -> int:
    return sum(1 << int(digit) - 1 for digit in {*re.findall("[1-9]", note)})


def _read_note_bits(note: str) -> int:
    return int(f"0{note.strip('-,')}"[:4]) & 511 if note.strip("-,").isdecimal() else 0


def _format_folder(puzzles: Sequence[StoredPuzzle]) -> str:
    root = ElementTree.Element("opensudoku")
    for name, value in (("name", puzzles[0].title), ("author", puzzles[0].author)):
        ElementTree.SubElement(root, name).text = value
    for stored_puzzle in puzzles:
        digits = (
            require_ordinary_puzzle(stored_puzzle, "OpenSudoku").puzzle.to_text().replace(".", "0")
        )
        ElementTree.SubElement(root, "game", data=digits)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


OPENSUDOKU_FORMAT = PuzzleFormat(
    name="opensudoku",
    title="OpenSudoku XML",
    matches=lambda text: text.startswith("<") and "<opensudoku" in text[:2000],
    split=_split_games,
    read=_read_game,
    write=_format_folder,
)
