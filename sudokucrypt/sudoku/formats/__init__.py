"""Formats in which people exchange puzzles; each format is read and written by one module."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
