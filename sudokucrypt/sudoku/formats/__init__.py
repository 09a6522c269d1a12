"""Formats in which people exchange puzzles, one file for each, and the puzzles that they store."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
