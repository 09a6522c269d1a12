"""How N units in raster order become a Sudoku square and spares."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from sudokucrypt.typing import Box

MIN_COUNT = 36
"""Fewest units for a layout. Below, the order would be 4, which has 288 grids only."""


@dataclass(frozen=True)
class RasterLayout:
    """A window of n rows of n units, n the largest order with a box of 1:1 to 1:2 that fits.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box, p <= q <= 2p; n = p * q.
    spares : int
        Units behind the window.
    """

    box: Box
    spares: int

    @classmethod
    def of(cls, count: int) -> RasterLayout:
        """Return the layout of `count` units; `InvalidParameterError` below `MIN_COUNT`."""
        if count < MIN_COUNT:
            raise InvalidParameterError(f"a layout needs at least {MIN_COUNT} units, not {count}")
        order = isqrt(count)
        while (box := _balanced_box(order)) is None:
            order -= 1
        return cls(box, count - order * order)

    @property
    def order(self) -> int:
        """The order n of the grids, and the side of the window."""
        return self.box[0] * self.box[1]


def _balanced_box(order: int) -> Box | None:
    """Return the most nearly square box (p, q) of `order` with p <= q <= 2p, if there is one."""
    p = isqrt(order)
    while p > 1 and order % p:
        p -= 1
    q = order // p
    return (p, q) if p > 1 and q <= 2 * p else None
