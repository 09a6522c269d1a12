"""Pareek, Patidar and Sud: one of eight operations for each pixel, by two logistic maps.

The key has ten bytes. A start from three of them, and from three others, drives the first map; its
values pick bits of the key, which start the second; the interval that its value falls into names
the operation on a pixel. After each block of 16 pixels, nine bytes take up the tenth.
"""

from functools import lru_cache

import numpy as np

from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray

# As in the paper: pixels after which the key is changed.
_BLOCK = 16
_INTERVALS = 24  # of 0.1..0.9, where the maps stay most of the time


def _step(x: float) -> float:
    return 3.9999 * x * (1 - x)


def _start(parts: list[int], picks: list[int] | None = None) -> float:
    bits = f"{parts[0]:08b}{parts[1]:08b}{parts[2]:08b}"
    chosen = bits if picks is None else "".join(bits[pick] for pick in picks)
    return (int(chosen, 2) + 0.5) / 2**24


@lru_cache(maxsize=16)
def operations(key: bytes, count: int) -> tuple[AnyArray, AnyArray]:
    """Return for each of a number of pixels whether it is a sum, and what is added or joined."""
    bytes_, sums, operands = list(key[:10]), [], []
    for _ in range(-(-count // _BLOCK)):
        digits = sum(byte // 16 + byte % 16 for byte in bytes_[6:9])
        x = (_start(bytes_[3:6]) + digits / 96) % 1 or 0.5
        picks: list[int] = []
        while len(picks) < 24:
            x = _step(x)
            if 0.1 <= x < 0.9:
                picks.append(min(int((x - 0.1) / 0.8 * 24), 23))
        y = (_start(bytes_[:3], picks) + _start(bytes_[:3])) % 1 or 0.5
        for _ in range(_BLOCK):
            y = _step(y)
            while not 0.1 <= y < 0.9:
                y = _step(y)
            kind = int((y - 0.1) / 0.8 * _INTERVALS) % 8
            a, b = bytes_[3 + kind % 3], bytes_[6 + kind % 3]
            joined = (255, a, 0, a ^ 255, b, 0, b ^ 255, a ^ b)[kind]
            sums.append(kind in {2, 5})
            operands.append((a + b) % 256 if kind in {2, 5} else joined)
        bytes_ = [(byte + bytes_[9]) % 256 for byte in bytes_[:9]] + bytes_[9:]
    return np.array(sums[:count]), np.array(operands[:count], dtype=np.uint8)


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Apply the operations."""
    sums, operands = operations(key[:10], image.size)
    flat = image.reshape(-1)
    return np.where(sums, flat + operands, flat ^ operands).reshape(image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo them."""
    sums, operands = operations(key[:10], image.size)
    flat = image.reshape(-1)
    return np.where(sums, flat - operands, flat ^ operands).reshape(image.shape)


register_cipher(
    encrypt,
    decrypt,
    name="pareek",
    source="N. K. Pareek, V. Patidar, K. K. Sud, Image encryption using chaotic logistic map, "
    "2006, doi:10.1016/j.imavis.2006.02.021",
    broken_by="C. Li, S. Li, M. Asim, J. Nunez, G. Alvarez, G. Chen, On the security defects of an "
    "image encryption scheme, 2009, doi:10.1016/j.imavis.2008.12.008, arXiv:1610.02534: 1 known or "
    "at most 128 chosen images",
    basis="The abstract of the break was read; the rest is from memory. Chosen: gray pixels in "
    "place of colored ones, which bytes each operation takes, the intervals. The break that is "
    "tested finds what is done to each pixel, not the key.",
    limits="one operation for each pixel of all images of a size",
    key_bits=80,
)
