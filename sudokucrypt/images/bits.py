"""Samples of fewer bits than their bytes have: packed in rows of bytes, or small in 16 bits."""

from __future__ import annotations

import numpy as np

from sudokucrypt.images.source import Source
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


def spread(source: Source, pixels: AnyArray, bits: int) -> AnyArray:
    """Return samples that use all 16 bits, made by repeating the highest bits of each.

    Parameters
    ----------
    source : Source
        The file that they are from.
    pixels : ndarray of uint16
        Samples in 0..2**bits-1.
    bits : int
        9..16.

    Returns
    -------
    ndarray of uint16
        Zero stays zero, the largest becomes 65535, and no two samples become one.

    Raises
    ------
    InvalidImageError
        If a sample has more bits.

    Examples
    --------
    >>> from sudokucrypt.images.source import Source
    >>> spread(Source(b"", "x", 3), np.array([[0, 512, 1023]], dtype=np.uint16), 10)
    array([[    0, 32800, 65535]], dtype=uint16)
    """
    if int(pixels.max()) >> bits:
        raise source.damaged(f"it holds samples of more than {bits} bits")
    return (pixels << (16 - bits)) | (pixels >> (2 * bits - 16))
