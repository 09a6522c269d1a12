"""The thumbnails that cameras put into JPEG files: in the Exif block, which is a TIFF."""

from contextlib import suppress
from dataclasses import replace
from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.jpeg import file as jpeg
from sudokucrypt.images.picture import Glance
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import raw

_LEAST_SIDE: Final = 160  # pixels of the longer side, which Exif recommends
_ALIKE: Final = 0.02  # by how much proportions may differ; some cameras add black bars


def glance(source: Source, side: int) -> Glance:
    """Return the thumbnail, if it is large enough and has the proportions of the picture.

    Else the picture is decoded at a smaller scale.
    """
    with suppress(SudokucryptError):
        metadata = jpeg.head_metadata(source)
        rows, columns, _ = jpeg.stream_shape(source.data) or (0, 0, 0)
        source.shape(rows, columns, 1)  # which decoding would count too
        small = raw.glance(replace(source, data=metadata.exif or b""), side)
        high, wide = (0, 1) if small is None else small.picture.pixels.shape[:2]
        alike = abs(high * columns / (wide * rows) - 1) < _ALIKE
        if small is not None and alike and max(high, wide) >= _LEAST_SIDE:
            return Glance(replace(small.picture, metadata=metadata), rows * columns)
    return jpeg.glance(replace(source), side)
