"""Image files: an array of exact samples on one side, the bytes of a file on the other."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
