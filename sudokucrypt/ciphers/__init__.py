"""Schemes: how rounds, key streams and tags join into something that restores exactly."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
