"""Orientation: how viewers must rotate and mirror the stored pixels of a picture.

AVIF, HEIF and JPEG XL state the orientation outside EXIF, and ignore the EXIF value. Samples are
kept as they are stored, so the stated orientation is copied into the EXIF block, whose other bytes
do not change.
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
    """The rotation and mirroring that make stored pixels upright.

    First, rows and columns are exchanged if `swaps_axes`. Then the order of the rows is reversed if
    `reverses_rows` is true, and the order of the columns if `reverses_columns` is true.
    """

    swaps_axes: bool = False
    reverses_rows: bool = False
    reverses_columns: bool = False

    def make_upright(self, pixels: AnyArray) -> AnyArray:
        """Return stored pixels upright, as viewers show them."""
        swapped_pixels = pixels.swapaxes(0, 1) if self.swaps_axes else pixels
        return swapped_pixels[
            :: -1 if self.reverses_rows else 1, :: -1 if self.reverses_columns else 1
        ]

    def turn_back(self, pixels: AnyArray) -> AnyArray:
        """Return upright pixels in the order of stored pixels: the inverse of `make_upright`."""
        turned_pixels = pixels[
            :: -1 if self.reverses_rows else 1, :: -1 if self.reverses_columns else 1
        ]
        return turned_pixels.swapaxes(0, 1) if self.swaps_axes else turned_pixels

    def get_upright_shape(self, stored_shape: tuple[int, int]) -> tuple[int, int]:
        """Return the shape of the upright picture, given the shape of the stored picture."""
        return (stored_shape[1], stored_shape[0]) if self.swaps_axes else stored_shape

    def locate_stored_region(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return the stored rectangle for a rectangle of the upright picture.

        `shape` is the shape of the upright picture.

        >>> quarter_turn = Turn(swaps_axes=True, reverses_columns=True)
        >>> quarter_turn.locate_stored_region((0, 0, 2, 3), (40, 30))
        Region(row=27, column=0, rows=3, columns=2)
        """
        return self._exchange_axes(self._reverse_axes(region, shape))

    def locate_shown_region(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        """Return the rectangle of the upright picture for a stored rectangle.

        `shape` is the shape of the upright picture.

        >>> quarter_turn = Turn(swaps_axes=True, reverses_columns=True)
        >>> quarter_turn.locate_shown_region((27, 0, 3, 2), (40, 30))
        Region(row=0, column=0, rows=2, columns=3)
        """
        return self._reverse_axes(self._exchange_axes(region), shape)

    def _exchange_axes(self, region: RegionLike) -> Region:
        row, column, rows, columns = region
        return Region(column, row, columns, rows) if self.swaps_axes else Region(*region)

    def _reverse_axes(self, region: RegionLike, shape: tuple[int, ...]) -> Region:
        row, column, rows, columns = region
        row = shape[0] - row - rows if self.reverses_rows else row
        return Region(
            row, shape[1] - column - columns if self.reverses_columns else column, rows, columns
        )


# The turn for each EXIF orientation.
TURNS: Final = {
    1: Turn(),
    2: Turn(reverses_columns=True),
    3: Turn(reverses_rows=True, reverses_columns=True),
    4: Turn(reverses_rows=True),
    5: Turn(swaps_axes=True),
    6: Turn(swaps_axes=True, reverses_columns=True),
    7: Turn(swaps_axes=True, reverses_rows=True, reverses_columns=True),
    8: Turn(swaps_axes=True, reverses_rows=True),
}


def get_turn(picture: Picture) -> Turn:
    """Return the turn that a picture needs by its EXIF, or the identity without EXIF.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    return TURNS[read_orientation(picture.metadata.exif)]


def turn_upright(picture: Picture, turn: Turn) -> Picture:
    """Return a picture with its samples turned upright and without EXIF.

    A picture that needs no turning is returned unchanged.

    Parameters
    ----------
    picture : Picture
        The picture.
    turn : Turn
        The turn of its samples, from `get_turn`.
    """
    if turn == get_turn(picture) == Turn():
        return picture
    pixels = np.ascontiguousarray(turn.make_upright(picture.pixels))
    return replace(picture, pixels=pixels, metadata=replace(picture.metadata, exif=None))


def read_orientation(exif: bytes | None) -> int:
    """Return the orientation in an EXIF block, 1..8; 1 if the block states none."""
    block = None if exif is None else d.ExifBlock.parse(exif)
    field = None if block is None else block.tree.fields.get(d.ORIENTATION)
    if block is None or field is None or field.kind != d.SHORT:
        return UPRIGHT
    value = int.from_bytes(field.data, "little" if block.order == "<" else "big")
    return value if value in TURNS else UPRIGHT


def write_orientation(orientation: int) -> bytes | None:
    """Return an EXIF block with only this orientation, or None if it is 1 or not in 1..8."""
    if orientation == UPRIGHT or orientation not in TURNS:
        return None
    return d.build_exif_block(
        "<", d.Tree({d.ORIENTATION: d.numbers(d.SHORT, orientation, order="<")})
    )


def set_orientation(exif: bytes | None, orientation: int) -> bytes | None:
    """Return an EXIF block with this orientation, in which all other bytes keep their positions.

    The block is returned unchanged if it already has this orientation, cannot be read, or has the
    maximum number of tags.
    """
    if exif is None:
        return write_orientation(orientation)
    if not exif.startswith(d.SIGNATURES[:2]):
        return exif
    try:
        reader = d.TiffReader(Source(exif, "EXIF", 0))
        order = reader.order
        (directory_start,) = reader.unpack("I", 4)
        (count,) = reader.unpack("H", directory_start)
        entry_lines = [
            bytes(reader.view_bytes(directory_start + 2 + 12 * n, 12)) for n in range(count)
        ]
        next_offset_bytes = bytes(reader.view_bytes(directory_start + 2 + 12 * count, 4))
    except SudokucryptError:
        return exif
    entries = {struct.unpack(order + "H", new_entry[:2])[0]: new_entry for new_entry in entry_lines}
    new_entry = struct.pack(order + "HHIHH", d.ORIENTATION, d.SHORT, 1, orientation, 0)
    if (
        entries.get(d.ORIENTATION, new_entry if orientation == UPRIGHT else b"")[:10]
        == new_entry[:10]
    ):
        return exif
    # The new directory goes to the end, so that all offsets from the start of the block stay right.
    entries[d.ORIENTATION] = new_entry
    if len(entries) > d.MAX_ENTRIES:
        return exif
    padded_exif = exif + b"\0" * (len(exif) % 2)
    updated_exif = padded_exif[:4] + struct.pack(order + "I", len(padded_exif)) + padded_exif[8:]
    directory_bytes = b"".join(entries[tag] for tag in sorted(entries))
    return (
        updated_exif + struct.pack(order + "H", len(entries)) + directory_bytes + next_offset_bytes
    )


def combine_turns(turns: Iterable[tuple[bytes, int]]) -> int:
    """Return the EXIF orientation that is equal to these steps in sequence.

    A step is ``b"irot"`` with the number of quarter turns to the left, or ``b"imir"`` with 0 to
    reverse the order of the rows, or 1 to reverse the order of the columns.
    """
    turned_marks = marks = np.arange(6).reshape(2, 3)
    for kind, value in turns:
        if kind == b"irot":
            turned_marks = np.rot90(turned_marks, value & 3)
        else:
            turned_marks = turned_marks[:, ::-1] if value & 1 else turned_marks[::-1]
    equal_orientations = (
        orientation
        for orientation, turn in TURNS.items()
        if np.array_equal(turn.make_upright(marks), turned_marks)
    )
    return next(equal_orientations, UPRIGHT)
