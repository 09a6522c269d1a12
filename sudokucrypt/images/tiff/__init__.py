"""TIFF, with any number of pages."""

from sudokucrypt.images.tiff.exif import page_exif
from sudokucrypt.images.tiff.file import FORMAT, decode, encode, leftover, matches, obstacle

__all__ = ["FORMAT", "decode", "encode", "leftover", "matches", "obstacle", "page_exif"]
