"""Making puzzles with exactly one solution."""

from sudokucrypt.sudoku.making.patterns import PATTERNS, Pattern
from sudokucrypt.sudoku.making.puzzles import Made, make_puzzle, make_puzzles

__all__ = ["PATTERNS", "Made", "Pattern", "make_puzzle", "make_puzzles"]
