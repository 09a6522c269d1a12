"""The copy of metadata that may stand readable in a protected file."""

from sudokucrypt.images.readable.copying import readable_copy

__all__ = ["readable_copy"]
