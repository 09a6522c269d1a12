"""The eight representations of Sudoku cells, bijections between them, and keyed permutations."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
