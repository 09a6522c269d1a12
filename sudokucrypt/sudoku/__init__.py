"""Sudoku as mathematics: grids and puzzles of any order, made, solved, counted and numbered."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
