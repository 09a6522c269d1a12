"""Blocks of coefficients: their order in a block and in a scan, and how large they may be."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

SIDE: Final = 8
"""Rows and columns of a block."""

COEFFICIENTS: Final = SIDE * SIDE

ZIGZAG: Final = tuple(
    row * SIDE + diagonal - row
    for diagonal in range(2 * SIDE - 1)
    for row in (range(SIDE) if diagonal % 2 else reversed(range(SIDE)))
    if 0 <= diagonal - row < SIDE
)
"""Where each coefficient of a block lies in its 8 rows of 8 frequencies."""

SEQUENTIAL, DC_FIRST, DC_REFINED, AC_FIRST, AC_REFINED = range(5)
"""Kinds of scans: whole blocks, or for DC or AC the upper bits first and then bit by bit."""

LEAST_DC, LARGEST_DC = -16384, 16383
"""Differences of two take 15 bits, as many as a token has; JPEG needs no more than 11."""

LARGEST_AC: Final = 32767

LONGEST_RUN: Final = 0x7FFF
"""The most blocks of which one symbol can say that nothing follows in them."""

MOST_CORRECTIONS: Final = 937
"""A run of ends of block usually stops behind more bits of correction, as libjpeg keeps no more."""

Sides = tuple[int, int]
"""Rows and columns."""

Band = tuple[int, int, int, int]
"""Kind of a scan, its first and last coefficient, and how many of their bits stay missing."""

BlockArray = NDArray[np.int16]
"""The blocks of a component, of shape (rows, columns, 64), each in zigzag order."""


def in_order(
    planes: Sequence[BlockArray], samplings: Sequence[Sides], units: Sides
) -> Iterator[tuple[int, memoryview]]:
    """Yield the blocks of a scan, each as 64 numbers behind the index of its component.

    Parameters
    ----------
    planes : sequence of ndarray
        The blocks of each component.
    samplings : sequence of tuple
        Rows and columns of blocks that each component has in a unit.
    units : tuple
        Rows and columns of units.
    """
    # Numbers of a memoryview are quicker to reach than those of an array.
    views = [plane.reshape(-1).data for plane in planes]
    for row in range(units[0]):
        for column in range(units[1]):
            for index, (down, across) in enumerate(samplings):
                width = planes[index].shape[1]
                for y in range(row * down, row * down + down):
                    for x in range(column * across, column * across + across):
                        start = (y * width + x) * COEFFICIENTS
                        yield index, views[index][start : start + COEFFICIENTS]
