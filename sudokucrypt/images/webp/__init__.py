"""WebP, still and animated."""

from sudokucrypt.images.webp.file import FORMAT, decode, encode, leftover, matches, obstacle

__all__ = ["FORMAT", "decode", "encode", "leftover", "matches", "obstacle"]
