"""The eight representations of Sudoku cells, bijections between them, and keyed permutations."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
