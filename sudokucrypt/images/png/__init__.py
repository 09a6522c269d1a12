"""PNG and APNG."""

from sudokucrypt.images.png.file import DRIVER

__all__ = ["DRIVER"]
