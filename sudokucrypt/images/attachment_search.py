"""Whether a file may have an attachment, found out without reading all of it."""

import os
from typing import BinaryIO, Final

from sudokucrypt.images.png.file import SIGNATURE

_CHUNK: Final = b"suRd"
_JPEG: Final = b"\xff\xd8\xff"
_APP11: Final = b"\xff\xeb"
_SCAN: Final = b"\xff\xda"
# Most chunks or segments that are looked at: a hostile file may have one for each of its bytes.
_MOST_PARTS: Final = 2**14


def may_have_attachment(file: BinaryIO) -> bool:
    """Return whether an open file may have an attachment, by the names of chunks and segments.

    A folder of photographs is searched in a moment. Of formats other than PNG and JPEG, and where
    the structure is not understood, a file may have one.
    """
    start = file.read(len(SIGNATURE))
    if start == SIGNATURE:
        return _may_have_in_png(file)
    if start.startswith(_JPEG):
        file.seek(len(_JPEG) - 1)
        return _may_have_in_jpeg(file)
    return True


def _may_have_in_png(file: BinaryIO) -> bool:
    for _ in range(_MOST_PARTS):
        head = file.read(8)
        if len(head) < 8:
            return False
        if head[4:] == _CHUNK:
            return True
        file.seek(int.from_bytes(head[:4], "big") + 4, os.SEEK_CUR)  # the CRC follows the data
    return True


def _may_have_in_jpeg(file: BinaryIO) -> bool:
    """Look at the segments before the first scan, where `with_attachment` writes its own."""
    for _ in range(_MOST_PARTS):
        head = file.read(4)
        if head[:2] == _SCAN or len(head) < 4:
            return False
        if head[:2] == _APP11 or head[0] != 0xFF or head[1] == 0xFF:
            return True
        file.seek(int.from_bytes(head[2:], "big") - 2, os.SEEK_CUR)  # it counts its own length
    return True
