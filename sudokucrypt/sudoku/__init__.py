"""Sudoku as mathematics: grids and puzzles of any order, made, solved, counted and numbered."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
