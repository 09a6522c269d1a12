"""Sudoku as mathematics: make, solve, count and number grids and puzzles of any order."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
