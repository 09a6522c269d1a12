"""Fridrich's design: rounds of a chaotic map of positions and of sums that pass through a table.

In each round pixels move by Arnold's cat map with the parameters a and b, then
v'(i) = v(i) + G(v'(i - 1)) modulo 256 in reading order, with v'(-1) = 0. Map and table are the same
in all rounds.
"""

import numpy as np

from sudokucrypt.analysis.baselines import ArnoldMap
from sudokucrypt.analysis.literature.chaos import fraction, logistic, order
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray

ROUNDS = 2
_TURNS = 3


def table(key: bytes) -> AnyArray:
    """Return G, a permutation of the levels."""
    return order(logistic(fraction(key, 0), 256)).astype(np.uint8)


def targets(key: bytes, side: int) -> IntArray:
    """Return where the map sends each pixel of a square in one round."""
    return ArnoldMap(iterations=_TURNS, a=key[7] + 1, b=key[8] + 1).targets(side, side)


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Move, then sum up, some rounds."""
    positions, step = targets(key, image.shape[0]), table(key).tolist()
    values = image.reshape(-1)
    for _ in range(ROUNDS):
        moved = np.empty_like(values)
        moved[positions] = values
        last, sums = 0, []
        for value in moved.tolist():
            last = value + step[last] & 255
            sums.append(last)
        values = np.array(sums, dtype=np.uint8)
    return values.reshape(image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    positions, step = targets(key, image.shape[0]), table(key)
    values = image.reshape(-1)
    for _ in range(ROUNDS):
        before = np.concatenate([np.zeros(1, dtype=np.uint8), values[:-1]])
        values = (values - step[before])[positions]
    return values.reshape(image.shape)


register_cipher(
    encrypt,
    decrypt,
    name="fridrich",
    source="J. Fridrich, Symmetric ciphers based on two-dimensional chaotic maps, 1998, "
    "doi:10.1142/S021812749800098X",
    broken_by="E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010, "
    "doi:10.1142/S0218127410026563; E. Y. Xie, C. Li, S. Yu, J. Lu, 2017, "
    "doi:10.1016/j.sigpro.2016.10.002: chosen ciphertexts",
    basis="From memory. Chosen: the cat map in place of the baker map, "
    f"{_TURNS} times in each of {ROUNDS} rounds (the paper leaves rounds to the key, and the break "
    "gets harder with each), a table from a logistic orbit, and no third coordinate.",
    limits="a changed sample of the result changes at most 2^rounds samples of the picture",
    key_bits=52 + 16,
    square=True,
)
