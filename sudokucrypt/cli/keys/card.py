"""``sudokucrypt key card`` and ``key read-card``: a key on paper, and back."""

import os
from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.keys.loading import load_key
from sudokucrypt.cli.keys.secret_options import SecretOptions, warn_if_open
from sudokucrypt.cli.messages import say
from sudokucrypt.errors import InvalidKeyError
from sudokucrypt.keys import Key
from sudokucrypt.storage import require_free, write_secret

# So many digits and dots are a grid that was typed, and not the name of a file.
_CELLS, _MANY = 81, 30


@click.command()
@click.argument("name", metavar="KEY", type=options.FILE)
@option(
    "-o, --output CARD",
    "A new file, readable only by you: .pdf, .png or .svg.",
    type=options.PATH,
    required=True,
)
def card(*, name: str, output: Path) -> None:
    """Draw a key as a card of four Sudoku puzzles.

    KEY is a key file, or - for stdin. The solved puzzles are the key; its text and a QR code are
    also on the card. Whoever finds the card has the key. Needs the extra 'print'.
    """
    from sudokucrypt.cards import draw_card
    from sudokucrypt.cli.printing import page_form, page_parts

    form = page_form(str(output))
    require_free(output, secret=True)
    key = load_key(SecretOptions(key=(name,)))
    if not isinstance(key, Key):
        raise InvalidKeyError(
            f"{'an identity' if key.LEVEL == 'identity' else 'the key of one picture'} has no card"
        )
    parts = page_parts([draw_card(key)], form, f"Key card {key.id}")
    write_secret(output, b"".join(parts))
    say("note", f"whoever has '{output}', or the printed card, has key {key.id}")


@click.command("read-card")
@click.argument("name", metavar="GRIDS", type=options.FILE)
@option(
    "-o, --output KEY", "A new key file, readable only by you.", type=options.PATH, required=True
)
def read_card(*, name: str, output: Path) -> None:
    """Recover the key file from the four grids of a card.

    GRIDS is a file, or - for stdin, with the solved grids or the puzzles as printed, in any form
    that 'sudoku solve' reads and in any order. One wrong digit and up to 20 open cells in each grid
    are repaired, and a row that is shifted by a cell.
    """
    from sudokucrypt import cards
    from sudokucrypt.cli.sudoku.puzzle_texts import read_puzzles
    from sudokucrypt.cli.sudoku.sheet_options import VariantOptions
    from sudokucrypt.sudoku.model.text import symbols_of

    require_free(output, secret=True)
    _require_file(name)
    texts = [written.text for written in read_puzzles(name, VariantOptions())]
    symbols = "".join("".join(symbols_of(text, 9)) for text in texts)
    if len(texts) != cards.GRIDS and len(symbols) == cards.GRIDS * _CELLS:  # rows, one by one
        texts = [symbols[start : start + _CELLS] for start in range(0, len(symbols), _CELLS)]
    if name != "-":
        warn_if_open(name)
    reading = cards.read_card(texts, report=lambda text: say("note", text))
    if reading.order != tuple(sorted(reading.order)):
        order = ", ".join(map(str, reading.order))
        say("note", f"grids 1 to 4 of the card are numbers {order} of the input")
    for sheet, cell in reading.wrong:
        say("note", f"the digit in {cell} of grid {sheet} of the input is wrong")
    for sheet, row in reading.shifted:
        say("note", f"{row} of grid {sheet} of the input is shifted by a cell")
    reading.key.to_file(output)
    say("note", f"key {reading.key.id} is in '{output}'; its id must be that on the card")


def _require_file(name: str) -> None:
    """Refuse what is no file, without repeating grids."""
    if name == "-" or os.path.exists(name):
        return
    if sum(letter.isdigit() or letter in "._*" for letter in name) >= _MANY:
        raise click.UsageError(
            "the grids themselves are on the command line, where others can read them; "
            "put them in a file"
        )
    raise InvalidKeyError(f"there is no file '{name}'", hint="name a text file with the four grids")
