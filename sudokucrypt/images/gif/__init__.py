"""GIF, frame by frame."""

from sudokucrypt.images.gif.file import DRIVER

__all__ = ["DRIVER"]
