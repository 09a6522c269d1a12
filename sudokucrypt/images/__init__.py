"""Image files: an array of exact samples on one side, the bytes of a file on the other."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
