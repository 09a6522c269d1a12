"""The layout of the gray carrier image: cells of 8 x 8 samples, with a header above the picture.

::

    row 0            timing: alternating dark and light cells
    row 1            columns: a sequence by which the column of a cell is recognized
    rows 2..h+1      the 640 bits of the header, one for each cell, repeated to fill the rows
    row h+2          pilot cells: known textures, which show how much the carrier was damaged
    other rows       the blocks of the picture, and gray blocks to fill the last row
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from math import isqrt
from typing import TYPE_CHECKING, Final, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.robust.codes import CODE_BYTES, encode_bytes
from sudokucrypt.typing import Samples

if TYPE_CHECKING:
    from sudokucrypt.robust._kernels import blocks_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.robust._kernels", "blocks")

# The numbers of rows and of columns of a cell, as in the blocks of JPEG.
CELL_SIDE: Final = 8

# Levels of cells. They differ enough to be recognized after strong compression, and are far enough
# from 0 and 255 that ringing at the edges of cells is not clipped.
DARK_LEVEL: Final = 48
LIGHT_LEVEL: Final = 208
MIDDLE_GRAY: Final = 128
CODE_BITS: Final = 8 * CODE_BYTES
# Cells in a row of the narrowest carrier, so that the header of a small picture takes few rows.
MIN_CELLS_ACROSS: Final = 32
# Cells in a row of the widest carrier, which has 65496 samples, as a JPEG may have 65535.
MAX_CELLS_ACROSS: Final = 8187

# The factor, in 4096ths, by which scrambling reduces differences from middle gray.
SCRAMBLING_GAIN: Final = 3277

# The factor, in 4096ths, that restoring applies: 1.25.
RESTORING_GAIN: Final = 5120

# The differences of samples of pilot cells from middle gray, before signs are flipped.
PILOT_CONTRASTS: Final = (2, 4, 8, 16, 24, 32, 48, 64)


@dataclass(frozen=True)
class CarrierImage:
    """The size of a carrier image in cells, and the sizes of the picture's planes in blocks."""

    rows: int  #: Rows of pixels of the picture.
    columns: int  #: Columns of pixels of the picture.
    color: bool  #: Whether it has chroma planes in addition to luma.

    @classmethod
    def for_picture(cls, shape: tuple[int, ...]) -> Self:
        """Return the carrier of a picture of shape (M, N) or (M, N, 3).

        Raises `UnsupportedError` if the carrier would be wider than a JPEG can be.
        """
        carrier = cls(shape[0], shape[1], len(shape) == 3)
        if carrier.cells_across > MAX_CELLS_ACROSS:
            raise UnsupportedError(
                f"a picture of {shape[0]} x {shape[1]} pixels is too large for a robust one",
                hint="make it smaller first",
                hint_key="max_side",
            )
        return carrier

    @property
    def luma_shape(self) -> tuple[int, int]:
        """Rows and columns of blocks of the luma plane."""
        return -(-self.rows // CELL_SIDE), -(-self.columns // CELL_SIDE)

    @property
    def chroma_shape(self) -> tuple[int, int]:
        """Rows and columns of blocks of either chroma plane, at half the size."""
        if not self.color:
            return 0, 0
        return -(-self.rows // (2 * CELL_SIDE)), -(-self.columns // (2 * CELL_SIDE))

    @property
    def block_count(self) -> int:
        """The number of blocks of the picture."""
        (rows, columns), (chroma_rows, chroma_columns) = self.luma_shape, self.chroma_shape
        return rows * columns + 2 * chroma_rows * chroma_columns

    @property
    def cells_across(self) -> int:
        """The number of cells in a row: at least 32, and at least the number in a column."""
        cells_per_row = max(MIN_CELLS_ACROSS, isqrt(self.block_count))
        while (
            cells_per_row * (cells_per_row - count_preamble_rows(cells_per_row)) < self.block_count
        ):
            cells_per_row += 1
        return cells_per_row

    @property
    def preamble_rows(self) -> int:
        """The number of rows of cells above the blocks."""
        return count_preamble_rows(self.cells_across)

    @property
    def cells_down(self) -> int:
        """The number of all rows of cells."""
        return self.preamble_rows + -(-self.block_count // self.cells_across)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of samples."""
        return CELL_SIDE * self.cells_down, CELL_SIDE * self.cells_across

    @property
    def capacity(self) -> int:
        """The number of cells below the preamble."""
        return (self.cells_down - self.preamble_rows) * self.cells_across


def count_preamble_rows(cells_per_row: int) -> int:
    """Return the number of rows above the blocks, in a carrier of this number of cells per row."""
    return 3 + -(-CODE_BITS // cells_per_row)


def make_preamble(carrier: CarrierImage, header: bytes) -> Samples:
    """Return the samples of the rows above the blocks."""
    cells_per_row = carrier.cells_across
    bits = np.unpackbits(np.frombuffer(encode_bytes(header), np.uint8), bitorder="little")
    indexes = np.arange(cells_per_row * (carrier.preamble_rows - 3)) % CODE_BITS
    light_flags = np.concatenate(
        [np.arange(cells_per_row) % 2, make_column_sequence(cells_per_row), bits[indexes]]
    )
    levels = (
        np.where(light_flags, LIGHT_LEVEL, DARK_LEVEL).astype(np.uint8).reshape(-1, cells_per_row)
    )
    preamble = levels.repeat(CELL_SIDE, axis=0).repeat(CELL_SIDE, axis=1)
    return np.concatenate([preamble, join_blocks(make_pilot_cells(cells_per_row), cells_per_row)])


@cache
def _make_bit_sequence() -> NDArray[np.uint8]:
    """Return bits in which no 13 bits in a row occur twice, by x^13 + x^4 + x^3 + x + 1."""
    bits = [1] * 13
    while len(bits) < MAX_CELLS_ACROSS:
        bits.append(bits[-13] ^ bits[-12] ^ bits[-10] ^ bits[-9])
    return np.array(bits, dtype=np.uint8)


def make_column_sequence(count: int) -> NDArray[np.uint8]:
    """Return the first `count` bits of the sequence by which the column of a cell is recognized."""
    return _make_bit_sequence()[:count]


def make_plain_pilot_cells(count: int) -> Samples:
    """Return the pilot cells before signs are flipped: blocks with a light corner."""
    rows, columns = np.indices((CELL_SIDE, CELL_SIDE))
    corner = np.where((rows < 3) & (columns < 5), 1, -1).reshape(-1)
    cell_contrasts = np.resize(PILOT_CONTRASTS, count)
    return np.asarray(MIDDLE_GRAY + cell_contrasts[:, None] * corner, dtype=np.uint8)


def make_pilot_cells(count: int) -> Samples:
    """Return the pilot cells of a carrier, as blocks with flipped signs."""
    blocks = make_plain_pilot_cells(count)
    _kernels.flip(blocks, make_pilot_signs(count), SCRAMBLING_GAIN, 0, count)
    return blocks


def make_pilot_signs(count: int) -> Samples:
    """Return the public bits that select the coefficients of pilot cells to change in sign."""
    digests = [hashlib.sha256(b"robust probe %d" % index).digest() for index in range(count)]
    return np.frombuffer(b"".join(digest[:CELL_SIDE] for digest in digests), np.uint8).reshape(
        -1, CELL_SIDE
    )


def view_cells(samples: Samples) -> Samples:
    """View whole rows of cells as an array of shape (rows, columns, 8, 8)."""
    rows, columns = samples.shape
    return samples.reshape(rows // CELL_SIDE, CELL_SIDE, columns // CELL_SIDE, CELL_SIDE).swapaxes(
        1, 2
    )


def join_blocks(blocks: Samples, blocks_per_row: int) -> Samples:
    """Return the samples of a picture of blocks, with `blocks_per_row` blocks in a row.

    The blocks have shape (n, 64).
    """
    samples = np.empty(
        (CELL_SIDE * len(blocks) // blocks_per_row, CELL_SIDE * blocks_per_row), dtype=np.uint8
    )
    view_cells(samples)[...] = blocks.reshape(-1, blocks_per_row, CELL_SIDE, CELL_SIDE)
    return samples


def cut_blocks(samples: Samples) -> Samples:
    """Return the blocks of whole rows of cells as a new array of shape (n, 64)."""
    # Always a copy, since callers change blocks in place.
    return np.array(view_cells(samples), order="C").reshape(-1, CELL_SIDE * CELL_SIDE)
