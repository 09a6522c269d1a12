"""Formats in which people exchange puzzles, one file each, and what their puzzles carry."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
