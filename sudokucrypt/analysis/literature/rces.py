"""RCES, also RSES: pixels of blocks of 16 change places in pairs, then take up one of four masks.

For each block an orbit gives 129 bits: 8 say which neighbours are swapped, 16 are two seeds, and
pairs of bits choose a seed or its complement for each pixel.
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import bits, fraction, logistic
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray

# As in the paper: pixels of a block, and bits that an orbit gives for it.
_BLOCK = 16
_BITS = 129


def schedule(key: bytes, count: int) -> tuple[AnyArray, AnyArray]:
    """Return for a number of pixels which pairs are swapped, and the masks."""
    blocks = -(-count // _BLOCK)
    stream = bits(logistic(fraction(key, 0), -(-blocks * _BITS // 16)))[: blocks * _BITS]
    rows = stream.reshape(blocks, _BITS)
    seeds = np.packbits(rows[:, 40:56], axis=1)
    chosen = 2 * rows[:, 8:40:2] + rows[:, 9:40:2]
    table = np.stack([~seeds[:, 1], seeds[:, 1], ~seeds[:, 0], seeds[:, 0]], axis=1)
    masks = np.take_along_axis(table, chosen.astype(np.intp), axis=1).reshape(-1)[:count]
    return rows[:, :8].reshape(-1)[: count // 2] == 1, masks


def swapped(flat: AnyArray, swaps: AnyArray) -> AnyArray:
    """Return pixels of which the named pairs are swapped; a last single one stays."""
    result = flat.copy()
    pairs = result[: 2 * len(swaps)].reshape(-1, 2)
    pairs[swaps] = pairs[swaps, ::-1]
    return result


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Swap, then mask."""
    swaps, masks = schedule(key, image.size)
    return (swapped(image.reshape(-1), swaps) ^ masks).reshape(image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    swaps, masks = schedule(key, image.size)
    return swapped(image.reshape(-1) ^ masks, swaps).reshape(image.shape)


register_cipher(
    encrypt,
    decrypt,
    name="rces",
    source="H.-C. Chen, J.-C. Yen, A new cryptography system and its VLSI realization, Journal of "
    "Systems Architecture 49, 2003, doi:10.1016/S1383-7621(03)00087-5",
    broken_by="S. Li, C. Li, G. Chen, K.-T. Lo, Cryptanalysis of the RCES/RSES image encryption "
    "scheme, 2008, doi:10.1016/j.jss.2007.07.037: 1 or 2 known images",
    basis="The abstract of the break was read; steps and the DOI of the cipher are from memory. "
    "Chosen: which of the 129 bits do what, and that pixels beyond whole blocks are treated alike.",
    limits="swaps reach one pixel far, and one mask serves all images of a size",
    key_bits=52,
)
