"""Samples of 1, 2 and 4 bits in rows of whole bytes, the first sample in the highest bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray


def unpack_bits(lines: AnyArray, bits: int, count: int) -> AnyArray:
    """Return the first samples of each row of bytes.

    Parameters
    ----------
    lines : ndarray of uint8, shape (M, B)
        Packed rows.
    bits : {1, 2, 4}
        Bits of a sample.
    count : int
        Samples of a row.

    Returns
    -------
    ndarray of shape (M, count)
        bool for single bits, else uint8.

    Examples
    --------
    >>> unpack_bits(np.array([[0x1B, 0xF0]], dtype=np.uint8), 2, 5)
    array([[0, 1, 2, 3, 3]], dtype=uint8)
    """
    if bits == 1:
        return np.unpackbits(lines, axis=1, count=count).view(np.bool_)
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    samples = (lines[:, :, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    return samples.reshape(len(lines), -1)[:, :count]


def pack_bits(samples: AnyArray, bits: int) -> AnyArray:
    """Return samples in rows of whole bytes: `unpack_bits` the other way round.

    Examples
    --------
    >>> pack_bits(np.array([[0, 1, 2, 3, 3]], dtype=np.uint8), 2)
    array([[ 27, 192]], dtype=uint8)
    """
    if bits == 1:
        return np.packbits(samples, axis=1)
    rows, columns = samples.shape
    each = 8 // bits
    padded = np.zeros((rows, -(-columns // each), each), dtype=np.uint8)
    padded.reshape(rows, -1)[:, :columns] = samples
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    packed: AnyArray = np.bitwise_or.reduce(padded << shifts, axis=2)
    return packed
