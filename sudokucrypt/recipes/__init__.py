"""The safe front: scramble, encrypt and restore arrays and files with one call each."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
