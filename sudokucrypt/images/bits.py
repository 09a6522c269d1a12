"""Samples of fewer bits than their bytes have: packed in rows of bytes, or small in 16 bits."""

import numpy as np

from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray


def unpack_bits(lines: AnyArray, bits: int, count: int) -> AnyArray:
    """Return the first samples of each row of bytes."""
    if bits == 1:
        return np.unpackbits(lines, axis=1, count=count).view(np.bool_)
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    samples = (lines[:, :, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    return samples.reshape(len(lines), -1)[:, :count]


def pack_bits(samples: AnyArray, bits: int) -> AnyArray:
    """Return samples in rows of whole bytes: `unpack_bits` the other way round."""
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
    """Return samples that use all 16 bits, made by repeating the highest bits of each."""
    if int(pixels.max()) >> bits:
        raise source.damaged(f"it holds samples of more than {bits} bits")
    return (pixels << (16 - bits)) | (pixels >> (2 * bits - 16))
