"""The safe front: scramble, encrypt and restore arrays and files with one call each."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
