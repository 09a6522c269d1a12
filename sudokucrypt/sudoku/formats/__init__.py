"""Formats in which people exchange puzzles, a module for each, and stored puzzles."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
