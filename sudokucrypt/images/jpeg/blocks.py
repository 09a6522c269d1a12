"""Blocks of coefficients: the order of the coefficients, and their limits."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

# The numbers of rows and of columns of a block.
SIDE: Final = 8

COEFFICIENT_COUNT: Final = SIDE * SIDE

ZIGZAG: Final = tuple(
    row * SIDE + diagonal - row
    for diagonal in range(2 * SIDE - 1)
    for row in (range(SIDE) if diagonal % 2 else reversed(range(SIDE)))
    if 0 <= diagonal - row < SIDE
)
"""For each coefficient in zigzag order, its position in the 8 rows of 8 frequencies of a block."""

# Kinds of scans: all bits of whole blocks; the upper bits of DC or AC; one more bit of DC or AC.
SEQUENTIAL, DC_FIRST, DC_REFINED, AC_FIRST, AC_REFINED = range(5)

# The range of DC: the difference of two values fits into the 15 bits of a token. JPEG needs at
# most 11 bits.
LEAST_DC, LARGEST_DC = -16384, 16383

# The largest value of a signed 16-bit number. JPEG of 8 bits needs 1023; hostile files state more.
LARGEST_AC: Final = 32767

# The largest number of blocks whose end one symbol can signal.
LONGEST_RUN: Final = 0x7FFF

# With more correction bits than this, encoders end a run of blocks, as libjpeg buffers no more.
MOST_CORRECTIONS: Final = 937

# Numbers of rows and columns.
Sides = tuple[int, int]

# The kind of a scan, its first and last coefficient, and how many of their bits are still missing.
Band = tuple[int, int, int, int]

# The blocks of a component, of shape (rows, columns, 64), each in zigzag order.
BlockArray = NDArray[np.int16]
