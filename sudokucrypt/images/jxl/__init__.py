"""JPEG XL, read only."""

from sudokucrypt.images.jxl.file import FORMAT, decode, matches

__all__ = ["FORMAT", "decode", "matches"]
