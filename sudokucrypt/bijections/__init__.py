"""The eight names of a Sudoku cell, the maps between them, and keyed permutations of N units."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
