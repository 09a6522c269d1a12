"""Zhu: two chains of sums and exclusive-or in one direction, with neighbouring bytes of a stream.

t(i) = p(i) ^ k(i - 1) ^ (t(i - 1) + k(i)) and c(i) = t(i) ^ k(i - 1) ^ (c(i - 1) + k(i)), sums
modulo 256, with t(0) and c(0) of the key.
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, hyperchaos, samples
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray


def stream(key: bytes, count: int) -> AnyArray:
    """Return k(0) to k(count)."""
    start = (0.3 + fraction(key, 0), -0.4 + fraction(key, 1), 1.2 + fraction(key, 2), 1.0)
    return samples(hyperchaos(start, -(-(count + 1) // 4))).T.reshape(-1)[: count + 1]


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Apply both chains at once."""
    words = stream(key, image.size).tolist()
    t, c, seen = key[21], key[22], []
    for value, before, now in zip(image.reshape(-1).tolist(), words, words[1:], strict=False):
        t = value ^ before ^ (t + now & 255)
        c = t ^ before ^ (c + now & 255)
        seen.append(c)
    return np.array(seen, dtype=np.uint8).reshape(image.shape)


def unchained(values: AnyArray, words: AnyArray, first: int) -> AnyArray:
    """Return what one of the chains took, in one row; `first` is its value before them."""
    before = np.concatenate([np.array([first], dtype=np.uint8), values[:-1]])
    values_before: AnyArray = values ^ words[:-1] ^ (before + words[1:])
    return values_before


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    words = stream(key, image.size)
    once = unchained(image.reshape(-1), words, key[22])
    return unchained(once, words, key[21]).reshape(image.shape)


register_cipher(
    encrypt,
    decrypt,
    name="zhu",
    source="C. Zhu, A novel image encryption scheme based on improved hyperchaotic sequences, "
    "2012, doi:10.1016/j.optcom.2011.08.079",
    broken_by="C. Li, Y. Liu, T. Xie, M. Z. Q. Chen, arXiv:1211.3553: 1 known image and 2^16 "
    "guesses",
    basis="Both chains and the first steps of the break were checked against arXiv:1211.3553; the "
    "DOI of the cipher is from memory. Chosen: the hyperchaotic Chen system without the paper's "
    "improvement of its sequences.",
    limits="from one known image, two bytes of the stream give all others",
    key_bits=3 * 52 + 16,
)
