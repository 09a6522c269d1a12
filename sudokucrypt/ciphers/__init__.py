"""Schemes: permutations, masks and tags, joined so that the picture can be restored exactly."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
