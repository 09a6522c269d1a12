"""JPEG, read only."""

from sudokucrypt.images.jpeg.file import FORMAT, decode, matches

__all__ = ["FORMAT", "decode", "matches"]
