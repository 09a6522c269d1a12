"""CKBA: each pixel is combined with one of two key bytes or their complements.

Two bits b(2i), b(2i + 1) of a logistic orbit choose among p ^ k1, p xnor k1, p ^ k2 and p xnor k2.
The key bytes differ in four bits.
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import bits, fraction, logistic
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray

# The two bytes of a key differ in four bits, as the paper asks.
_BALANCED = [byte for byte in range(256) if byte.bit_count() == 4]


def mask(key: bytes, count: int) -> AnyArray:
    """Return the byte that is joined to each of a number of pixels."""
    first = key[7]
    second = first ^ _BALANCED[key[8] % len(_BALANCED)]
    chosen = bits(logistic(fraction(key, 0), -(-count // 8)))[: 2 * count].reshape(-1, 2)
    table = np.array([second ^ 255, second, first ^ 255, first], dtype=np.uint8)
    masks: AnyArray = table[2 * chosen[:, 0] + chosen[:, 1]]
    return masks


def crypt(image: AnyArray, key: bytes) -> AnyArray:
    """Encrypt or decrypt, which are one."""
    return image ^ mask(key, image.size).reshape(image.shape)


register_cipher(
    crypt,
    crypt,
    name="ckba",
    source="J.-C. Yen, J.-I. Guo, A new chaotic key-based design for image encryption and "
    "decryption, ISCAS 2000, doi:10.1109/ISCAS.2000.858685",
    broken_by="S. Li, X. Zheng, Cryptanalysis of a chaotic image encryption method, ISCAS 2002, "
    "doi:10.1109/ISCAS.2002.1011451: 1 known image",
    basis="Both DOIs and all steps are from memory. Chosen: growth 3.9999, 16 bits of each value "
    "of the orbit, the highest first.",
    limits="one mask for all images of a size",
    key_bits=52 + 8 + 6.13,
)
