"""Sheela, Suresh and Tandur: shifts of rows and columns by a Henon orbit, then a sine-map chain.

Each row is turned by an amount of the orbit and by the sum of its pixels, then each column; the
pixels are read along the diagonals, and c(i) = p(i) ^ s(i) ^ c(i - 1).
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, samples, sine
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray

# The first values of the maps still show how near two keys are.
_SKIPPED = 500


def _henon(x: float, y: float, count: int) -> AnyArray:
    """Return bytes of a Henon map whose square is a cosine, which keeps it bounded."""
    values = []
    for _ in range(_SKIPPED + count):
        x, y = 1 - 3.58 * np.cos(x) + y, 0.56 * x
        values.append(x)
    return samples(np.array(values[_SKIPPED:]))


def shifts(key: bytes, rows: int, columns: int) -> tuple[IntArray, IntArray]:
    """Return the amounts of rows and of columns, without those of their sums."""
    drawn = _henon(fraction(key, 0), fraction(key, 1), 2 * (rows + columns)).astype(np.int64)
    amounts = 256 * drawn[::2] + drawn[1::2]
    return amounts[:rows], amounts[rows:]


def turned(image: AnyArray, amounts: IntArray, *, back: bool = False) -> AnyArray:
    """Return an image whose rows are turned to the right by amounts and by their sums."""
    amounts = amounts + image.sum(axis=1, dtype=np.int64)
    positions = np.arange(image.shape[1]) + (amounts if back else -amounts)[:, None]
    return np.take_along_axis(image, positions % image.shape[1], axis=1)


def diagonals(rows: int, columns: int) -> IntArray:
    """Return the indexes of the pixels along diagonals, from the first corner to the last."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    return np.lexsort((row, row + column))


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Turn rows and columns, then chain."""
    across, down = shifts(key, *image.shape)
    moved = turned(turned(image, across).T, down).T
    row = moved.reshape(-1)[diagonals(*image.shape)]
    chain = np.bitwise_xor.accumulate(row ^ samples(sine(fraction(key, 2), image.size)))
    return chain.reshape(image.shape)


def unchained(image: AnyArray, stream: AnyArray) -> AnyArray:
    """Return the image before the chain, from the stream in the order of diagonals."""
    row = image.reshape(-1) ^ stream
    row[1:] ^= image.reshape(-1)[:-1]
    moved = np.empty_like(row)
    moved[diagonals(*image.shape)] = row
    return moved.reshape(image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    across, down = shifts(key, *image.shape)
    moved = unchained(image, samples(sine(fraction(key, 2), image.size)))
    return turned(turned(moved.T, down, back=True).T, across, back=True)


register_cipher(
    encrypt,
    decrypt,
    name="mhm",
    source="S. J. Sheela, K. V. Suresh, D. Tandur, Image encryption based on modified Henon map "
    "using hybrid chaotic shift transform, 2018, doi:10.1007/s11042-018-5782-2",
    broken_by="Digital Signal Processing 93, 2019: chosen images",
    basis="From memory, the DOI too; authors and title of the break were not verified. Chosen: how "
    "sums enter the shifts, parameters of the maps, the scan of diagonals.",
    limits="shifts keep rows and columns together, and the chain is affine over bits",
    key_bits=3 * 52,
)
