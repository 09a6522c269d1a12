"""Orientation: how stored pixels are to be turned to be seen, as EXIF and other boxes give it.

AVIF, HEIF and JPEG XL give it outside EXIF, and there it counts. Samples stay as they are stored,
so the EXIF block gives the orientation afterwards; all of its other bytes stay.
"""

import struct
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.picture import Picture
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.typing import AnyArray, Region, RegionLike

UPRIGHT: Final = 1  # the orientation of a picture that needs no turning


class Turn(NamedTuple):
    """The turn that brings stored pixels upright.

    Rows and columns change places if `swapped`; after that, the order of rows, and that of columns,
    is reversed.
    """

    swapped: bool = False
    rows: bool = False
    columns: bool = False

    def upright(self, pixels: AnyArray) -> AnyArray:
        """Return pixels as they are to be seen."""
        turned = pixels.swapaxes(0, 1) if self.swapped else pixels
        return turned[:: -1 if self.rows else 1, :: -1 if self.columns else 1]

    def undone(self, pixels: AnyArray) -> AnyArray:
        """Return upright pixels as they are stored: the inverse of `upright`."""
        turned = pixels[:: -1 if self.rows else 1, :: -1 if self.columns else 1]
        return turned.swapaxes(0, 1) if self.swapped else turned

    def upright_shape(self, canvas: tuple[int, int]) -> tuple[int, int]:
        """Return rows and columns of the upright picture of stored rows and columns."""
        return (canvas[1], canvas[0]) if self.swapped else canvas

    def locate_stored(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return where a rectangle of the upright picture, of this shape, lies in the file.

        >>> Turn(swapped=True, columns=True).locate_stored((0, 0, 2, 3), (40, 30))
        Region(row=27, column=0, rows=3, columns=2)
        """
        return self._exchange(self._reverse(region, shape))

    def locate_shown(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return where a rectangle of the file lies in the upright picture, of this shape.

        >>> Turn(swapped=True, columns=True).locate_shown((27, 0, 3, 2), (40, 30))
        Region(row=0, column=0, rows=2, columns=3)
        """
        return self._reverse(self._exchange(region), shape)

    def _exchange(self, region: RegionLike) -> Region:
        row, column, rows, columns = region
        return Region(column, row, columns, rows) if self.swapped else Region(*region)

    def _reverse(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        row, column, rows, columns = region
        row = shape[0] - row - rows if self.rows else row
        return Region(row, shape[1] - column - columns if self.columns else column, rows, columns)


# What each of EXIF's numbers asks for.
TURNS: Final = {
    1: Turn(),
    2: Turn(columns=True),
    3: Turn(rows=True, columns=True),
    4: Turn(rows=True),
    5: Turn(swapped=True),
    6: Turn(swapped=True, columns=True),
    7: Turn(swapped=True, rows=True, columns=True),
    8: Turn(swapped=True, rows=True),
}


def turn_of(picture: Picture) -> Turn:
    """Return how EXIF says that a picture is to be turned; not at all if it does not say.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    return TURNS[read_orientation(picture.metadata.exif)]


def turn_upright(picture: Picture, turn: Turn) -> Picture:
    """Return a picture as it is shown: with its samples turned, and without its EXIF then.

    Parameters
    ----------
    picture : Picture
        The picture.
    turn : Turn
        How its samples are turned, from `turn_of`.
    """
    if turn == turn_of(picture) == Turn():
        return picture
    pixels = np.ascontiguousarray(turn.upright(picture.pixels))
    return replace(picture, pixels=pixels, metadata=replace(picture.metadata, exif=None))


def read_orientation(exif: bytes | None) -> int:
    """Return the orientation that an EXIF block gives, 1..8; 1 if it gives none."""
    block = None if exif is None else d.Block.parse(exif)
    field = None if block is None else block.tree.fields.get(d.ORIENTATION)
    if block is None or field is None or field.kind != d.SHORT:
        return UPRIGHT
    value = int.from_bytes(field.data, "little" if block.order == "<" else "big")
    return value if value in TURNS else UPRIGHT


def write_orientation(orientation: int) -> bytes | None:
    """Return an EXIF block that gives an orientation, or None for a picture that needs no turning.

    Any other number than 1 to 8 needs no turning either.
    """
    if orientation == UPRIGHT or orientation not in TURNS:
        return None
    return d.build("<", d.Tree({d.ORIENTATION: d.numbers(d.SHORT, orientation, order="<")}))


def set_orientation(exif: bytes | None, orientation: int) -> bytes | None:
    """Return an EXIF block with this orientation, and everything else at its place.

    It is the same block if it has this orientation, cannot be read, or has no room for a tag more.
    """
    if exif is None:
        return write_orientation(orientation)
    if not exif.startswith(d.SIGNATURES[:2]):
        return exif
    try:
        reader = d.TiffReader(Source(exif, "EXIF", 0))
        order = reader.order
        (start,) = reader.unpack("I", 4)
        (count,) = reader.unpack("H", start)
        lines = [bytes(reader.view(start + 2 + 12 * n, 12)) for n in range(count)]
        following = bytes(reader.view(start + 2 + 12 * count, 4))
    except SudokucryptError:
        return exif
    entries = {struct.unpack(order + "H", line[:2])[0]: line for line in lines}
    line = struct.pack(order + "HHIHH", d.ORIENTATION, d.SHORT, 1, orientation, 0)
    if entries.get(d.ORIENTATION, line if orientation == UPRIGHT else b"")[:10] == line[:10]:
        return exif
    # At the end, so that everything at an offset from the start of the block keeps its place.
    entries[d.ORIENTATION] = line
    if len(entries) > d.MAX_ENTRIES:
        return exif
    block = exif + b"\0" * (len(exif) % 2)
    head = block[:4] + struct.pack(order + "I", len(block)) + block[8:]
    directory = b"".join(entries[tag] for tag in sorted(entries))
    return head + struct.pack(order + "H", len(entries)) + directory + following


def combine_turns(steps: Iterable[tuple[bytes, int]]) -> int:
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
