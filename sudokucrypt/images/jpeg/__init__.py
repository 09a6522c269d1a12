"""JPEG: pictures read from it, and its quantised coefficients, read and written exactly."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.images.jpeg.blocks import ZIGZAG as ZIGZAG
    from sudokucrypt.images.jpeg.coefficients import JpegFile as JpegFile
    from sudokucrypt.images.jpeg.file import metadata_of as metadata_of
    from sudokucrypt.images.jpeg.fillers import filler_places as filler_places
    from sudokucrypt.images.jpeg.fillers import with_usual_fillers as with_usual_fillers
    from sudokucrypt.images.jpeg.frame import Component as Component
    from sudokucrypt.images.jpeg.frame import JpegFrame as JpegFrame
    from sudokucrypt.images.jpeg.reading import read_coefficients as read_coefficients
    from sudokucrypt.images.jpeg.scans import Scan as Scan
    from sudokucrypt.images.jpeg.segments import Segment as Segment
    from sudokucrypt.images.jpeg.showing import quantiser_segment as quantiser_segment
    from sudokucrypt.images.jpeg.showing import shown as shown
    from sudokucrypt.images.jpeg.showing import without_metadata as without_metadata
    from sudokucrypt.images.jpeg.structure import COPIES as COPIES
    from sudokucrypt.images.jpeg.structure import JpegStructure as JpegStructure
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__spec__, globals())
