"""Camera raw in the form of TIFF: DNG, NEF, ARW and others, which no signature tells apart."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.jpeg import file as jpeg
from sudokucrypt.images.jpeg.file import stream_shape
from sudokucrypt.images.picture import Glance, Metadata
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.directory import (
    SHORT,
    SIGNATURES,
    Directory,
    TiffReader,
    Tree,
    numbers,
)
from sudokucrypt.images.tiff.exif import build

_DNG_VERSION: Final = 50706
_SENSOR: Final = {32803, 34892}  # meanings of samples that are no colors yet
_JPEG_START: Final = b"\xff\xd8\xff"
_MOST: Final = 8  # directories in a row, and below each, that are looked at


def glance(source: Source, side: int) -> Glance | None:
    """Return one of the JPEG pictures in a camera raw: the smallest that is large enough."""
    reader = TiffReader(source)
    directories = list(_directories(reader))
    shapes = {
        data: shape
        for page in directories
        for data in _jpegs(reader, page)
        if (shape := stream_shape(data))
    }
    if not shapes:
        return None
    # Of those that are too small the largest, of the others the smallest.
    sizes = {data: max(rows, columns) for data, (rows, columns, _) in shapes.items()}
    chosen = min(sizes, key=lambda data: (sizes[data] < side, abs(sizes[data] - side)))
    picture = jpeg.glance(replace(source, data=chosen), side).picture
    pixels = max(page.integer(t.ROWS, 0) * page.integer(t.COLUMNS, 0) for page in directories)
    if picture.metadata.exif is None:  # the raw file says for both how they are turned
        turned = numbers(SHORT, directories[0].integer(t.ORIENTATION, 1), order="<")
        exif = build("<", Tree({t.ORIENTATION: turned}))
        picture = replace(picture, metadata=Metadata(exif=exif))
    return Glance(picture, pixels)


def _jpegs(reader: TiffReader, page: Directory) -> Iterator[bytes]:
    """Yield the JPEG streams of a directory; what a sensor saw may be coded losslessly as one."""
    for offsets, sizes in ((t.THUMBNAIL, t.THUMBNAIL_SIZE), (t.STRIP_OFFSETS, t.STRIP_SIZES)):
        starts, lengths = page.integers(offsets, ()), page.integers(sizes, ())
        if len(starts) == len(lengths) == 1:
            data = bytes(reader.view(starts[0], lengths[0]))
            if data.startswith(_JPEG_START):
                yield data


def _directories(reader: TiffReader) -> Iterator[Directory]:
    for page in islice(reader.chain(), _MOST):
        yield page
        yield from map(page.at, page.integers(t.SUB_DIRECTORIES, ())[:_MOST])


def matches_raw(data: bytes) -> bool:
    """Return whether this is a TIFF of what a sensor saw, as far as enough of it is there."""
    if not data.startswith(SIGNATURES):
        return False
    with suppress(SudokucryptError):  # what is damaged is for the reader of TIFF to say
        pages = _directories(TiffReader(Source(data, "", 0)))
        return any(
            _DNG_VERSION in page or page.integer(t.PHOTOMETRIC, -1) in _SENSOR for page in pages
        )
    return False
