"""The mask of JPEG coefficients in NumPy, for installations without the compiled kernel."""

import numpy as np
from numpy.typing import NDArray


def mask(source: NDArray[np.int16], target: NDArray[np.int16], words: NDArray[np.uint16]) -> None:
    """Mask or unmask the signs and mantissas of all coefficients except the first of each block.

    A coefficient v of s bits, that is 2**(s-1) <= abs(v) < 2**s, is coded in JPEG as the s bits of
    v if v is positive, else of v + 2**s - 1. These bits are combined with the low s bits of a word
    by exclusive or. The result is the coefficient that is coded so; it has s bits as well.

    The blocks have shape (N, 64) and numbers in -32767..32767. `target` may be `source`; its first
    column is not written. `words` has the same shape, and its first column is not used.
    """
    values = source[:, 1:].astype(np.int32)
    bit_masks = np.abs(values)
    for shift in (1, 2, 4, 8):
        bit_masks |= bit_masks >> shift
    bits = np.where(values > 0, values, values + bit_masks) ^ (words[:, 1:] & bit_masks)
    target[:, 1:] = np.where(bits > bit_masks >> 1, bits, bits - bit_masks)
