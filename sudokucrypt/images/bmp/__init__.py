"""BMP, read only."""

from sudokucrypt.images.bmp.file import FORMAT, decode, matches

__all__ = ["FORMAT", "decode", "matches"]
