"""The gray carrier: cells of 8 x 8 samples; the cells of the header are above the picture.

::

    row 0            timing: dark and light cells by turns
    row 1            columns: a sequence that says which column a cell is in
    rows 2..h+1      the 640 bits of the header, one a cell, over and over until the rows are full
    row h+2          pilot cells: known textures, which show how much the carrier was damaged
    the rest         the blocks of the picture, and gray ones until the last row is full
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

# Rows and columns of a cell, those of the blocks of JPEG.
SIDE: Final = 8

# Far enough apart to be told from each other after strong compression, and far enough from 0 and
# 255 that ringing at the edges of cells is not cut off.
DARK: Final = 48
LIGHT: Final = 208
MIDDLE: Final = 128
CODE_BITS: Final = 8 * CODE_BYTES
# However small a picture is, a few rows of its carrier have room for the header.
LEAST_ACROSS: Final = 32
# Cells in a row of the widest carrier: 65496 samples, within what JPEG holds.
MOST_ACROSS: Final = 8187

# By how many 4096ths scrambling shrinks differences to middle gray, to keep them within 0..255.
GAIN: Final = 3277

# By how many restoring enlarges them: 1.25.
UNGAIN: Final = 5120

# Of the probes: how far their samples lie from middle gray before their signs are flipped.
CONTRASTS: Final = (2, 4, 8, 16, 24, 32, 48, 64)


@dataclass(frozen=True)
class CarrierImage:
    """How many cells the carrier of a picture has, and where its planes begin."""

    rows: int  #: Of the picture.
    columns: int
    color: bool  #: Whether it has chroma planes too.

    @classmethod
    def for_picture(cls, shape: tuple[int, ...]) -> Self:
        """Return the carrier of a picture of shape (M, N) or (M, N, 3).

        Raises `UnsupportedError` if the carrier would be wider than a JPEG can be.
        """
        carrier = cls(shape[0], shape[1], len(shape) == 3)
        if carrier.across > MOST_ACROSS:
            raise UnsupportedError(
                f"a picture of {shape[0]} x {shape[1]} pixels is too large for a robust one",
                hint="make it smaller first",
                hint_key="max_side",
            )
        return carrier

    @property
    def luma(self) -> tuple[int, int]:
        """Rows and columns of blocks of the luma plane."""
        return -(-self.rows // SIDE), -(-self.columns // SIDE)

    @property
    def chroma(self) -> tuple[int, int]:
        """Rows and columns of blocks of either chroma plane, at half the size."""
        if not self.color:
            return 0, 0
        return -(-self.rows // (2 * SIDE)), -(-self.columns // (2 * SIDE))

    @property
    def blocks(self) -> int:
        """How many blocks the picture has."""
        (rows, columns), (down, across) = self.luma, self.chroma
        return rows * columns + 2 * down * across

    @property
    def across(self) -> int:
        """Cells in a row: as few as make the carrier no taller than wide, 32 at least."""
        across = max(LEAST_ACROSS, isqrt(self.blocks))
        while across * (across - preamble_rows(across)) < self.blocks:
            across += 1
        return across

    @property
    def preamble(self) -> int:
        """Rows of cells above the blocks."""
        return preamble_rows(self.across)

    @property
    def down(self) -> int:
        """Rows of cells, all together."""
        return self.preamble + -(-self.blocks // self.across)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of samples."""
        return SIDE * self.down, SIDE * self.across

    @property
    def capacity(self) -> int:
        """How many blocks fit below the preamble."""
        return (self.down - self.preamble) * self.across


def preamble_rows(across: int) -> int:
    """Return the rows of cells above the blocks of a carrier with rows of `across` cells."""
    return 3 + -(-CODE_BITS // across)


def preamble(carrier: CarrierImage, header: bytes) -> Samples:
    """Return the rows of samples above the blocks."""
    across = carrier.across
    bits = np.unpackbits(np.frombuffer(encode_bytes(header), np.uint8), bitorder="little")
    wanted = np.arange(across * (carrier.preamble - 3)) % CODE_BITS
    cells = np.concatenate([np.arange(across) % 2, column_sequence(across), bits[wanted]])
    levels = np.where(cells, LIGHT, DARK).astype(np.uint8).reshape(-1, across)
    top = levels.repeat(SIDE, axis=0).repeat(SIDE, axis=1)
    return np.concatenate([top, laid(pilot_cells(across), across)])


@cache
def _make_sequence() -> NDArray[np.uint8]:
    """Return 8191 bits in which every window of 13 occurs once: x^13 + x^4 + x^3 + x + 1."""
    bits = [1] * 13
    while len(bits) < MOST_ACROSS:
        bits.append(bits[-13] ^ bits[-12] ^ bits[-10] ^ bits[-9])
    return np.array(bits, dtype=np.uint8)


def column_sequence(count: int) -> NDArray[np.uint8]:
    """Return the first bits of the sequence that says which column a cell is in."""
    return _make_sequence()[:count]


def plain_pilot_cells(count: int) -> Samples:
    """Return the blocks of the pilot cells before their signs are flipped: a light corner each."""
    down, right = np.indices((SIDE, SIDE))
    corner = np.where((down < 3) & (right < 5), 1, -1).reshape(-1)
    contrasts = np.resize(CONTRASTS, count)
    return np.asarray(MIDDLE + contrasts[:, None] * corner, dtype=np.uint8)


def pilot_cells(count: int) -> Samples:
    """Return the blocks of the pilot cells as they are on the carrier."""
    blocks = plain_pilot_cells(count)
    _kernels.flip(blocks, pilot_signs(count), GAIN, 0, count)
    return blocks


def pilot_signs(count: int) -> Samples:
    """Return which signs of the pilot cells are flipped: bits that anyone can compute."""
    digests = [hashlib.sha256(b"robust probe %d" % index).digest() for index in range(count)]
    return np.frombuffer(b"".join(digest[:SIDE] for digest in digests), np.uint8).reshape(-1, SIDE)


def cells(samples: Samples) -> Samples:
    """View whole rows of cells as an array of shape (rows, columns, 8, 8)."""
    rows, columns = samples.shape
    return samples.reshape(rows // SIDE, SIDE, columns // SIDE, SIDE).swapaxes(1, 2)


def laid(blocks: Samples, across: int) -> Samples:
    """Return blocks of shape (n, 64) in rows and columns, `across` in a row."""
    samples = np.empty((SIDE * len(blocks) // across, SIDE * across), dtype=np.uint8)
    cells(samples)[...] = blocks.reshape(-1, across, SIDE, SIDE)
    return samples


def cut(samples: Samples) -> Samples:
    """Return the blocks of whole rows of cells, an array of shape (n, 64)."""
    # A copy in any case: blocks are flipped in place.
    return np.array(cells(samples), order="C").reshape(-1, SIDE * SIDE)
