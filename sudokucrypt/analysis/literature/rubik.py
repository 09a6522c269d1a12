"""Loukhaoukha, Chouinard and Berdai: rows and columns turn like those of a Rubik's cube.

Each row is turned to the right if its sum is even and else to the left, by a number of the key, and
then each column up or down; odd rows take up the key of columns by exclusive-or and even ones the
same reversed, and columns likewise the key of rows.
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, logistic, samples
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray


def _vectors(key: bytes, rows: int, columns: int) -> tuple[AnyArray, AnyArray]:
    return (
        samples(logistic(fraction(key, 0), rows)),
        samples(logistic(fraction(key, 1), columns)),
    )


def _turned(image: AnyArray, amounts: AnyArray, *, back: bool) -> AnyArray:
    """Return an image whose rows of even sum are turned to the right, and others to the left."""
    even = image.sum(axis=1, dtype=np.int64) % 2 == 0
    steps = np.where(even != back, amounts.astype(np.int64), -amounts.astype(np.int64))
    positions = (np.arange(image.shape[1]) - steps[:, None]) % image.shape[1]
    return np.take_along_axis(image, positions, axis=1)


def _masked(image: AnyArray, rows: AnyArray, columns: AnyArray) -> AnyArray:
    result = image.copy()
    result[::2] ^= columns
    result[1::2] ^= columns[::-1]
    result[:, ::2] ^= rows[:, None]
    result[:, 1::2] ^= rows[::-1, None]
    return result


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Turn rows, then columns, then mask."""
    rows, columns = _vectors(key, *image.shape)
    moved = _turned(image, rows, back=False)
    # A column goes up where a row would go to the right: the transposed image is read backwards.
    moved = _turned(moved.T[:, ::-1], columns, back=False)[:, ::-1].T
    return _masked(moved, rows, columns)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    rows, columns = _vectors(key, *image.shape)
    moved = _masked(image, rows, columns)
    moved = _turned(moved.T[:, ::-1], columns, back=True)[:, ::-1].T
    return _turned(moved, rows, back=True)


register_cipher(
    encrypt,
    decrypt,
    name="rubik",
    source="K. Loukhaoukha, J.-Y. Chouinard, A. Berdai, A secure image encryption algorithm based "
    "on Rubik's cube principle, 2012, doi:10.1155/2012/173931",
    broken_by="",
    basis="From memory. Chosen: one iteration, and key vectors from logistic orbits, which the "
    "paper draws at random.",
    limits="one change of a pixel reaches a row and a column; no break of it is known to us",
    key_bits=2 * 52,
)
