"""JPEG, read only."""

from sudokucrypt.images.jpeg.file import FORMAT, MOST_SCANS, decode, matches

__all__ = ["FORMAT", "MOST_SCANS", "decode", "matches"]
