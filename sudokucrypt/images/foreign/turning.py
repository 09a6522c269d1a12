"""Orientation that a file gives outside EXIF, said in EXIF instead.

AVIF, HEIF and JPEG XL say outside EXIF how a picture is to be turned, and there it counts. The
samples stay as they are stored, so the EXIF block says it afterwards; all of its other bytes stay.
"""

import struct
from collections.abc import Iterable

import numpy as np

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.thumbnails import TURNS, UPRIGHT
from sudokucrypt.images.tiff.directory import (
    ORIENTATION,
    SHORT,
    SIGNATURES,
    TiffReader,
    Tree,
    build,
    numbers,
)


def orientation_of(steps: Iterable[tuple[bytes, int]]) -> int:
    """Return the EXIF orientation that means as much as these steps, one after the other.

    They are ``b"irot"`` and quarters of a turn to the left, or ``b"imir"`` and 0 to reverse the
    order of rows, 1 that of columns.
    """
    seen = marks = np.arange(6).reshape(2, 3)
    for kind, value in steps:
        if kind == b"irot":
            seen = np.rot90(seen, value & 3)
        else:
            seen = seen[:, ::-1] if value & 1 else seen[::-1]
    turned = (
        orientation
        for orientation, turn in TURNS.items()
        if np.array_equal(turn.upright(marks), seen)
    )
    return next(turned, UPRIGHT)


def with_orientation(exif: bytes | None, orientation: int) -> bytes | None:
    """Return an EXIF block that says this; one that says so, or cannot be read, stays as it is."""
    if exif is None:
        tree = Tree({ORIENTATION: numbers(SHORT, orientation, order="<")})
        return None if orientation == UPRIGHT else build("<", tree)
    if not exif.startswith(SIGNATURES[:2]):
        return exif
    try:
        reader = TiffReader(Source(exif, "EXIF", 0))
        order = reader.order
        (start,) = reader.unpack("I", 4)
        (count,) = reader.unpack("H", start)
        lines = [bytes(reader.view(start + 2 + 12 * n, 12)) for n in range(count)]
        following = bytes(reader.view(start + 2 + 12 * count, 4))
    except SudokucryptError:
        return exif
    entries = {struct.unpack(order + "H", line[:2])[0]: line for line in lines}
    line = struct.pack(order + "HHIHH", ORIENTATION, SHORT, 1, orientation, 0)
    if entries.get(ORIENTATION, line if orientation == UPRIGHT else b"")[:10] == line[:10]:
        return exif
    # Behind everything, so that whatever counts from the start of the block stays where it is.
    entries[ORIENTATION] = line
    block = exif + b"\0" * (len(exif) % 2)
    head = block[:4] + struct.pack(order + "I", len(block)) + block[8:]
    directory = b"".join(entries[tag] for tag in sorted(entries))
    return head + struct.pack(order + "H", len(entries)) + directory + following
