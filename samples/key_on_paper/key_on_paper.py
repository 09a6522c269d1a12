"""Print a key as four Sudoku puzzles, and recover it from a copy with mistakes.

Usage: python key_on_paper.py CARD.pdf
Needs the extra `print`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from sudokucrypt import Key
from sudokucrypt.cards import card_puzzles, draw_card, read_card
from sudokucrypt.sudoku import solve
from sudokucrypt.sudoku.drawing import to_pdf


def copy_with_mistakes(key: Key) -> list[np.ndarray]:
    """Return the solved puzzles of a card with typical typing mistakes."""
    first, second, third, fourth = (np.asarray(solve(puzzle)) for puzzle in card_puzzles(key))
    second[4, 6] = second[4, 6] % 9 + 1  # a wrong digit
    third[:2] = 0  # a coffee stain over two rows
    return [first, second, fourth, third]  # the last two grids swapped


def main(card: Path) -> None:
    """Write the card of a new key, and recover the key only from the card."""
    key = Key.generate()
    page = to_pdf([draw_card(key)], title="Sudoku key card")
    card.touch(mode=0o600, exist_ok=False)  # anyone who can read the card has the key
    card.write_bytes(page)
    print(f"the card of key {key.id} is in {card}")

    reading = read_card(copy_with_mistakes(key))
    for grid, cell in reading.wrong:
        print(f"the digit in {cell} of sheet {grid} was wrong")
    print(f"grids 1 to 4 of the card are sheets {reading.order}")
    print(f"key {reading.key.id} is back: {reading.key == key}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
