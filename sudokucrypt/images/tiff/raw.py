"""Camera raw in the form of TIFF: DNG, NEF, ARW and others, which no signature tells apart."""

from itertools import islice
from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.directory import SIGNATURES, TiffReader

_DNG_VERSION: Final = 50706
_SENSOR: Final = {32803, 34892}  # meanings of samples that are no colors yet
_MOST: Final = 8  # directories in a row, and below each, that are looked at


def matches_raw(data: bytes) -> bool:
    """Return whether this is a TIFF of what a sensor saw, as far as enough of it is there."""
    if not data.startswith(SIGNATURES):
        return False
    try:
        for page in islice(TiffReader(Source(data, "", 0)).chain(), _MOST):
            below = page.integers(t.SUB_DIRECTORIES, ())[:_MOST]
            kinds = {each.integer(t.PHOTOMETRIC, -1) for each in (page, *map(page.at, below))}
            if _DNG_VERSION in page or kinds & _SENSOR:
                return True
    except SudokucryptError:
        pass  # what is damaged is for the reader of TIFF to say
    return False
