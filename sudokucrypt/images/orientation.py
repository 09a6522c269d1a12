"""Orientation as EXIF states it: never applied to stored samples, but to what people point at."""

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from sudokucrypt.images.picture import Picture
from sudokucrypt.images.tiff.tags import ORIENTATION
from sudokucrypt.typing import AnyArray, Region, RegionLike

UPRIGHT: Final = 1  # the orientation of a picture that needs no turning


class Turn(NamedTuple):
    """What brings stored pixels upright.

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
        """Return pixels as they are stored, of which `upright` makes these."""
        turned = pixels[:: -1 if self.rows else 1, :: -1 if self.columns else 1]
        return turned.swapaxes(0, 1) if self.swapped else turned

    def upright_shape(self, canvas: tuple[int, int]) -> tuple[int, int]:
        """Return rows and columns of the upright picture of stored rows and columns."""
        return (canvas[1], canvas[0]) if self.swapped else canvas

    def stored(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return where a rectangle of the upright picture, of this shape, lies in the file.

        >>> Turn(swapped=True, columns=True).stored((0, 0, 2, 3), (40, 30))
        Region(row=27, column=0, rows=3, columns=2)
        """
        return self._exchanged(self._reversed(region, shape))

    def shown(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return where a rectangle of the file lies in the upright picture, of this shape.

        >>> Turn(swapped=True, columns=True).shown((27, 0, 3, 2), (40, 30))
        Region(row=0, column=0, rows=2, columns=3)
        """
        return self._reversed(self._exchanged(region), shape)

    def _exchanged(self, region: RegionLike) -> Region:
        row, column, rows, columns = region
        return Region(column, row, columns, rows) if self.swapped else Region(*region)

    def _reversed(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
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
    return TURNS[orientation_in(picture.metadata.exif)]


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


def orientation_in(exif: bytes | None) -> int:
    """Return the orientation that an EXIF block gives, 1..8; 1 if it gives none."""
    from sudokucrypt.images.tiff.directory import SHORT
    from sudokucrypt.images.tiff.exif import Block

    block = Block.parse(exif)
    field = None if block is None else block.tree.fields.get(ORIENTATION)
    if block is None or field is None or field.kind != SHORT:
        return UPRIGHT
    value = int.from_bytes(field.data, "little" if block.order == "<" else "big")
    return value if value in TURNS else UPRIGHT
