"""BRIE: the bits of each pixel are rotated, by one of two amounts to the left or right.

A bit b(i) of a logistic orbit is the direction and alpha + beta b(i + 1) the amount; the key holds
alpha and beta, which are at least 1 and below 8 together.
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import bits, fraction, logistic
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray

# As the paper has them: alpha + beta is less than 8.
_AMOUNTS = [(alpha, beta) for alpha in range(1, 7) for beta in range(1, 8 - alpha)]


def amounts(key: bytes, count: int) -> AnyArray:
    """Return by how many bits, 1..7, each of a number of pixels turns to the left."""
    alpha, beta = _AMOUNTS[key[7] % len(_AMOUNTS)]
    stream = bits(logistic(fraction(key, 0), count // 16 + 1))
    turns = alpha + beta * stream[1 : count + 1]
    return np.where(stream[:count] == 1, 8 - turns, turns).astype(np.uint8)


def rotated(image: AnyArray, turns: AnyArray) -> AnyArray:
    """Return pixels whose bits are rotated to the left by 0..7 each."""
    flat = image.reshape(-1).astype(np.uint16)
    turned: AnyArray = (flat << turns | flat >> (8 - turns)) & 255
    return turned.astype(np.uint8).reshape(image.shape)


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Rotate the bits of pixels."""
    return rotated(image, amounts(key, image.size))


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Rotate them back."""
    return rotated(image, 8 - amounts(key, image.size))


register_cipher(
    encrypt,
    decrypt,
    name="brie",
    source="J.-C. Yen, J.-I. Guo, A new image encryption algorithm and its VLSI architecture, "
    "SiPS 1999, doi:10.1109/SIPS.1999.822348",
    broken_by="S. Li, X. Zheng, On the security of an image encryption method, ICIP 2002, "
    "doi:10.1109/ICIP.2002.1040103: 1 chosen image or a few known ones",
    basis="Both DOIs and all steps are from memory. Chosen: growth 3.9999, 16 bits of each value "
    "of the orbit, a bit of 1 for the right.",
    limits="pixels keep their number of ones: black, white and outlines stay",
    key_bits=52 + 3.9,
)
