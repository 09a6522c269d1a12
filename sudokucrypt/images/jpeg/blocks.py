"""Blocks of coefficients: the order of the coefficients, and their limits."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

# The numbers of rows and of columns of a block.
BLOCK_SIDE: Final = 8

COEFFICIENT_COUNT: Final = BLOCK_SIDE * BLOCK_SIDE

ZIGZAG: Final = tuple(
    row * BLOCK_SIDE + diagonal - row
    for diagonal in range(2 * BLOCK_SIDE - 1)
    for row in (range(BLOCK_SIDE) if diagonal % 2 else reversed(range(BLOCK_SIDE)))
    if 0 <= diagonal - row < BLOCK_SIDE
)
"""For each coefficient in zigzag order, its index in the 8x8 block read row by row."""

# Kinds of scans: all bits of whole blocks; the upper bits of DC or AC; one more bit of DC or AC.
SEQUENTIAL, DC_FIRST, DC_REFINED, AC_FIRST, AC_REFINED = range(5)

# The range of DC: the difference of two values fits into the 15 bits of a token. JPEG needs at
# most 11 bits.
MIN_DC, MAX_DC = -16384, 16383

# The largest value of a signed 16-bit number. JPEG of 8 bits needs 1023; hostile files state more.
MAX_AC: Final = 32767

# The largest number of blocks whose end one symbol can signal.
MAX_RUN_BLOCKS: Final = 0x7FFF

# With more correction bits than this, encoders end a run of blocks, as libjpeg buffers no more.
MAX_CORRECTION_BITS: Final = 937

# Numbers of rows and columns.
Sides = tuple[int, int]

# The kind of a scan, its first and last coefficient, and how many of their bits are still missing.
Band = tuple[int, int, int, int]

# The blocks of a component, of shape (rows, columns, 64), each in zigzag order.
BlockArray = NDArray[np.int16]
