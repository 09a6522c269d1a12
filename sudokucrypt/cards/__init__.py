"""Key cards: print a key as four Sudoku puzzles, and read the key from the solved grids."""

from sudokucrypt.cards.card import card_puzzles, draw_card
from sudokucrypt.cards.numbers import GRIDS_PER_CARD, card_grids
from sudokucrypt.cards.reading import CardReading, ShareReading, read_card, read_share_card

__all__ = [
    "GRIDS_PER_CARD",
    "CardReading",
    "ShareReading",
    "card_grids",
    "card_puzzles",
    "draw_card",
    "read_card",
    "read_share_card",
]
