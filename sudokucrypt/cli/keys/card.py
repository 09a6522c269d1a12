"""``sudokucrypt key card`` and ``key read-card``: print a key or a share on paper, and read it."""

import os
import re
from itertools import takewhile
from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.keys.secret_options import load_key_or_share, warn_if_accessible
from sudokucrypt.cli.messages import say
from sudokucrypt.errors import InvalidKeyError
from sudokucrypt.keys import LABEL_PREFIX, Key, KeyShare
from sudokucrypt.storage import require_free, write_secret_file

_CELL_COUNT = 81
# An argument with at least this many digits and dots is a typed grid, not the name of a file.
_MIN_GRID_CHARACTERS = 30


@click.command()
@click.argument("name", metavar="KEY", type=options.FILE_TYPE)
@option(
    "-o, --output CARD",
    "A new file, readable only by you: .pdf, .png or .svg.",
    type=options.PATH_TYPE,
    required=True,
)
def card(*, name: str, output: Path) -> None:
    """Draw a key as a card of four Sudoku puzzles.

    KEY is a file with a key or with a share of one, or - for stdin. The solved puzzles are the key;
    its text and a QR code are also on the card. Anyone who finds the card has the key. Needs the
    extra 'print'.
    """
    from sudokucrypt.cards import draw_card
    from sudokucrypt.cli.printing import choose_page_format, iterate_page_parts

    page_format = choose_page_format(str(output))
    require_free(output, secret=True)
    key = load_key_or_share(name)
    if not isinstance(key, Key | KeyShare):
        raise InvalidKeyError(
            f"{'an identity' if key.KEY_LEVEL == 'identity' else 'the key of one picture'} has "
            "no card"
        )
    description = f"key {key.id}" if isinstance(key, Key) else f"share {key.number}"
    parts = iterate_page_parts([draw_card(key)], page_format, f"Key card, {description}")
    write_secret_file(output, b"".join(parts))
    say("note", f"anyone who has '{output}', or the printed card, has {description}")


@click.command("read-card")
@click.argument("name", metavar="GRIDS", type=options.FILE_TYPE)
@option(
    "-o, --output KEY",
    "A new key file, readable only by you.",
    type=options.PATH_TYPE,
    required=True,
)
def read_card(*, name: str, output: Path) -> None:
    """Recover the file of a key, or of a key share, from the four grids of its card.

    GRIDS is a file, or - for stdin, with the solved grids or the puzzles as printed, in any form
    that 'sudoku solve' reads and in any order. One wrong digit and up to 20 open cells in each grid
    are repaired, and a row that is shifted by a cell. With the grids of a share, it holds the text
    that begins with SUDOKUCRYPT-SHARE-LABEL.
    """
    from sudokucrypt import cards

    require_free(output, secret=True)
    _require_file(name)
    texts, label = _read_grids_and_label(name)
    if name != "-":
        warn_if_accessible(name)

    def print_note(text: str) -> None:
        say("note", text)

    if label:
        reading: cards.CardReading | cards.ShareReading
        reading = cards.read_share_card(texts, label, report=print_note)
    else:
        reading = cards.read_card(texts, report=print_note)
    if reading.order != tuple(sorted(reading.order)):
        order = ", ".join(map(str, reading.order))
        say("note", f"grids 1 to 4 of the card are numbers {order} of the input")
    for grid, cell in reading.wrong:
        say("note", f"the digit in {cell} of grid {grid} of the input is wrong")
    for grid, row in reading.shifted:
        say("note", f"{row} of grid {grid} of the input is shifted by a cell")
    key = reading.share if isinstance(reading, cards.ShareReading) else reading.key
    write_secret_file(output, key.to_file_text().encode("ascii"))
    if isinstance(key, Key):
        say("note", f"key {key.id} is in '{output}'; its id must be that on the card")
    else:
        say("note", f"share {key.number} is in '{output}'; {key.needed} shares give the key")


def _read_grids_and_label(name: str) -> tuple[list[str], str]:
    """Return the texts of the grids in a file or stdin, and the label of a share or ""."""
    from sudokucrypt.cards import GRIDS_PER_CARD
    from sudokucrypt.cli.sudoku.puzzle_texts import read_content, read_puzzles
    from sudokucrypt.cli.sudoku.sheet_options import VariantOptions
    from sudokucrypt.sudoku.model.text import split_symbols

    lines = read_content(name).splitlines()
    label_line_indexes = (
        number for number, line in enumerate(lines) if line.strip().lower().startswith(LABEL_PREFIX)
    )
    label_line_index = next(label_line_indexes, len(lines))
    # Further lines of a label contain letters; lines of grids do not.
    label_line_count = len(
        [*takewhile(lambda line: re.search("[A-Za-z]", line), lines[label_line_index:])]
    )
    label, grid_lines = (
        "\n".join(lines[label_line_index : label_line_index + label_line_count]),
        lines[:label_line_index] + lines[label_line_index + label_line_count :],
    )
    content = "\n".join([*grid_lines, ""])
    texts = [puzzle.text for puzzle in read_puzzles(name, VariantOptions(), content=content)]
    symbols = "".join("".join(split_symbols(text, 9)) for text in texts)
    # No blank lines separate the grids.
    if len(texts) != GRIDS_PER_CARD and len(symbols) == GRIDS_PER_CARD * _CELL_COUNT:
        texts = [
            symbols[grid_start : grid_start + _CELL_COUNT]
            for grid_start in range(0, len(symbols), _CELL_COUNT)
        ]
    return texts, label


def _require_file(name: str) -> None:
    """Raise an error if there is no such file; the message does not repeat typed grids."""
    if name == "-" or os.path.exists(name):
        return
    if sum(character.isdigit() or character in "._*" for character in name) >= _MIN_GRID_CHARACTERS:
        raise click.UsageError(
            "the grids themselves are on the command line, where others can read them; "
            "put them in a file"
        )
    raise InvalidKeyError(f"there is no file '{name}'", hint="name a text file with the four grids")
