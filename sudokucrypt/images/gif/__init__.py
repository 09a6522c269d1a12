"""GIF, frame by frame."""

from sudokucrypt.images.gif.file import FORMAT, decode, encode, leftover, matches, obstacle

__all__ = ["FORMAT", "decode", "encode", "leftover", "matches", "obstacle"]
