"""JPEG: pictures read from it, and its quantised coefficients, read and written exactly."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "images.jpeg.blocks": "ZIGZAG",
    "images.jpeg.coefficients": "JpegFile",
    "images.jpeg.frame": "Component JpegFrame",
    "images.jpeg.reading": "read_coefficients",
    "images.jpeg.scans": "Scan",
    "images.jpeg.segments": "Segment",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.images.jpeg.blocks import ZIGZAG as ZIGZAG
    from sudokucrypt.images.jpeg.coefficients import JpegFile as JpegFile
    from sudokucrypt.images.jpeg.frame import Component as Component
    from sudokucrypt.images.jpeg.frame import JpegFrame as JpegFrame
    from sudokucrypt.images.jpeg.reading import read_coefficients as read_coefficients
    from sudokucrypt.images.jpeg.scans import Scan as Scan
    from sudokucrypt.images.jpeg.segments import Segment as Segment
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)
