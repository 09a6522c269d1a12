"""Previews that cameras put into their files, and JPEG decoded at a smaller scale.

Cameras put thumbnails into the Exif block of a JPEG, which is a TIFF, and whole JPEG files into
their raw files: DNG, NEF, ARW and others, which are TIFF files that no signature tells apart.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg import file as jpeg
from sudokucrypt.images.orientation import write_orientation
from sudokucrypt.images.picture import Glance, Metadata
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff.directory import Directory, TiffReader

_DNG_VERSION: Final = 50706
_SENSOR: Final = {32803, 34892}  # meanings of samples that are no colors yet
_JPEG_START: Final = b"\xff\xd8\xff"
_MOST: Final = 8  # directories in a row, and below each, that are looked at


def glance_raw(source: Source, side: int) -> Glance | None:
    """Return one of the JPEG pictures in a camera raw: the smallest that is large enough."""
    reader = TiffReader(source)
    directories = list(_directories(reader))
    shapes = {
        data: shape
        for page in directories
        for data in _jpegs(reader, page)
        if (shape := jpeg.stream_shape(data))
    }
    if not shapes:
        return None
    # Of those that are too small the largest, of the others the smallest.
    sizes = {data: max(rows, columns) for data, (rows, columns, _) in shapes.items()}
    chosen = min(sizes, key=lambda data: (sizes[data] < side, abs(sizes[data] - side)))
    picture = jpeg.glance(replace(source, data=chosen), side).picture
    pixels = max(page.integer(d.ROWS, 0) * page.integer(d.COLUMNS, 0) for page in directories)
    if picture.metadata.exif is None:  # the raw file says for both how they are turned
        exif = write_orientation(directories[0].integer(d.ORIENTATION, 1))
        picture = replace(picture, metadata=Metadata(exif=exif))
    return Glance(picture, pixels)


def _jpegs(reader: TiffReader, page: Directory) -> Iterator[bytes]:
    """Yield the JPEG streams of a directory; what a sensor saw may be coded losslessly as one."""
    for offsets, sizes in ((d.THUMBNAIL, d.THUMBNAIL_SIZE), (d.STRIP_OFFSETS, d.STRIP_SIZES)):
        starts, lengths = page.integers(offsets, ()), page.integers(sizes, ())
        if len(starts) == len(lengths) == 1:
            data = bytes(reader.view(starts[0], lengths[0]))
            if data.startswith(_JPEG_START):
                yield data


def _directories(reader: TiffReader) -> Iterator[Directory]:
    for page in islice(reader.chain(), _MOST):
        yield page
        yield from map(page.at, page.integers(d.SUB_DIRECTORIES, ())[:_MOST])


def matches_raw(data: bytes) -> bool:
    """Return whether this is a TIFF of what a sensor saw, as far as enough of it is there."""
    if not data.startswith(d.SIGNATURES):
        return False
    with suppress(SudokucryptError):  # what is damaged is for the reader of TIFF to say
        pages = _directories(TiffReader(Source(data, "", 0)))
        return any(
            _DNG_VERSION in page or page.integer(d.PHOTOMETRIC, -1) in _SENSOR for page in pages
        )
    return False


_LEAST_SIDE: Final = 160  # pixels of the longer side, which Exif recommends
_ALIKE: Final = 0.02  # by how much proportions may differ; some cameras add black bars


def glance_jpeg(source: Source, side: int) -> Glance:
    """Return the thumbnail, if it is large enough and has the proportions of the picture.

    Else the picture is decoded at a smaller scale.
    """
    with suppress(SudokucryptError):
        metadata = jpeg.head_metadata(source)
        exif = metadata.exif
        small = None if exif is None else glance_raw(replace(source, data=exif), side)
        if small is not None:
            rows, columns, _ = jpeg.stream_shape(source.data) or (0, 0, 0)
            source.shape(rows, columns, 1)  # which decoding would count too
            high, wide = small.picture.pixels.shape[:2]
            alike = abs(high * columns / (wide * rows) - 1) < _ALIKE
            if alike and max(high, wide) >= _LEAST_SIDE:
                return Glance(replace(small.picture, metadata=metadata), rows * columns)
    return jpeg.glance(replace(source), side)
