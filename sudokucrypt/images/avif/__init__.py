"""AVIF, read only."""

from sudokucrypt.images.avif.file import FORMAT, decode, matches

__all__ = ["FORMAT", "decode", "matches"]
