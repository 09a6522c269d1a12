"""JPEG, read only."""

from sudokucrypt.images.jpeg.file import DRIVER, MOST_SCANS

__all__ = ["DRIVER", "MOST_SCANS"]
