"""The high-level interface: scramble, encrypt or restore an array or a file with one call."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
