"""WebP, still and animated."""

from sudokucrypt.images.webp.file import DRIVER

__all__ = ["DRIVER"]
