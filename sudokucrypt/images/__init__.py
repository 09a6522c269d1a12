"""Read and write image files: convert between arrays of exact samples and bytes of files."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
