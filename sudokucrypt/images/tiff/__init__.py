"""TIFF, with any number of pages."""

from sudokucrypt.images.tiff.file import DRIVER

__all__ = ["DRIVER"]
