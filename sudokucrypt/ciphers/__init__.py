"""Schemes: permutations, masks and tags, joined so that the picture can be restored exactly."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
