"""Images as groups of equal units: pixels, samples, or blocks with their cut edges."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.bijections.checks import checked_integer
from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sudokucrypt.typing import AnyArray, Unit

MAX_BLOCK_SIZE = 65535
UNITS = ("pixel", "sample", "block")


@dataclass(frozen=True)
class UnitGroups:
    """How an image of a given shape divides into units that may change places.

    Parameters
    ----------
    shape : tuple of int
        (M,), (M, N) or (M, N, C); a one-dimensional image is one row of pixels.
    unit : {"pixel", "sample", "block"}
        What moves as a whole.
    block_size : int, optional
        Side b of a block in pixels, 1..65535; for blocks only.

    Notes
    -----
    Where b does not divide the image, the blocks cut by the right edge and those cut by the
    bottom edge are groups of their own; the one in the corner has no equal and stays.

    Raises
    ------
    InvalidParameterError
        If the unit is unknown or the block size is missing, superfluous or out of range.
    """

    shape: tuple[int, ...]
    unit: Unit
    block_size: int | None = None

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise InvalidParameterError(
                f"unit must be one of {', '.join(UNITS)}, not {self.unit!r}"
            )
        if self.unit == "block":
            checked_integer("block size", self.block_size, MAX_BLOCK_SIZE)
        elif self.block_size is not None:
            raise InvalidParameterError(f"a block size has no meaning with unit {self.unit}")

    @property
    def counts(self) -> dict[str, int]:
        """How many units each group holds, by the name of the group, empty groups left out."""
        if self.unit == "sample":
            return {"main": prod(self.shape)}
        if self.unit == "pixel":
            return {"main": prod(self.shape[:2])}
        regions = self._regions()
        counts = {name: (rows // bh) * (columns // bw) for name, rows, columns, bh, bw in regions}
        return {name: count for name, count in counts.items() if count}

    def for_each(self, image: AnyArray, change: Callable[[str, AnyArray], None]) -> None:
        """Call `change(name, units)` for every group; it reorders the units of `image` in place.

        Parameters
        ----------
        image : ndarray of this shape, C-contiguous
            Changed in place.
        change : callable
            Gets the name of the group and its units as an array of shape (count,), one opaque
            item a unit, and reorders that array in place.
        """
        if self.unit != "block":
            change("main", _as_items(image, self.counts["main"]))
            return
        height, width = self._extent()
        pixels = image.reshape(height, width, -1).view(np.uint8)
        for name, rows, columns, bh, bw in self._regions():
            count = (rows // bh) * (columns // bw)
            if count == 0:
                continue
            top = 0 if name != "bottom" else height - rows
            left = 0 if name != "right" else width - columns
            region = pixels[top : top + rows, left : left + columns]
            blocks = region.reshape(rows // bh, bh, columns // bw, bw, -1).swapaxes(1, 2)
            units = np.ascontiguousarray(blocks)
            change(name, _as_items(units, count))
            blocks[...] = units

    def _extent(self) -> tuple[int, int]:
        return (1, self.shape[0]) if len(self.shape) == 1 else (self.shape[0], self.shape[1])

    def _regions(self) -> Iterator[tuple[str, int, int, int, int]]:
        """Yield name, rows, columns, block rows and block columns of each group."""
        b = self.block_size or 1
        height, width = self._extent()
        right, bottom = width % b, height % b
        yield "main", height - bottom, width - right, b, b
        if right:
            yield "right", height - bottom, right, b, right
        if bottom:
            yield "bottom", bottom, width - right, bottom, b


def _as_items(array: AnyArray, count: int) -> AnyArray:
    """View a contiguous array as `count` opaque items, integers where their size allows it."""
    data = array.reshape(-1).view(np.uint8)
    size = data.size // count
    return data.view(f"u{size}" if size in (1, 2, 4, 8) else f"V{size}")
