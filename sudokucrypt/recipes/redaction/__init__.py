"""Covers that can be lifted later: the areas of a picture, and what they hide, sealed in it."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
