"""PNG and APNG."""

from sudokucrypt.images.png.file import FORMAT, decode, encode, leftover, matches, obstacle

__all__ = ["FORMAT", "decode", "encode", "leftover", "matches", "obstacle"]
