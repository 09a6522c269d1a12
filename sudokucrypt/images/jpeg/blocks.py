"""Blocks of coefficients: their order in a block, and how large they may be."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

# Rows and columns of a block.
SIDE: Final = 8

COEFFICIENTS: Final = SIDE * SIDE

ZIGZAG: Final = tuple(
    row * SIDE + diagonal - row
    for diagonal in range(2 * SIDE - 1)
    for row in (range(SIDE) if diagonal % 2 else reversed(range(SIDE)))
    if 0 <= diagonal - row < SIDE
)
"""Where each coefficient of a block lies in its 8 rows of 8 frequencies."""

# Kinds of scans: whole blocks, or for DC or AC the upper bits first and then bit by bit.
SEQUENTIAL, DC_FIRST, DC_REFINED, AC_FIRST, AC_REFINED = range(5)

# Differences of two take 15 bits, as many as a token has; JPEG needs no more than 11.
LEAST_DC, LARGEST_DC = -16384, 16383

# The largest value of 16 bits; JPEG of 8 bits needs 1023, and hostile files may state more.
LARGEST_AC: Final = 32767

# The most blocks of which one symbol can say that nothing follows in them.
LONGEST_RUN: Final = 0x7FFF

# A run of ends of block usually stops behind more bits of correction, as libjpeg keeps no more.
MOST_CORRECTIONS: Final = 937

# Rows and columns.
Sides = tuple[int, int]

# Kind of a scan, its first and last coefficient, and how many of their bits stay missing.
Band = tuple[int, int, int, int]

# The blocks of a component, of shape (rows, columns, 64), each in zigzag order.
BlockArray = NDArray[np.int16]
