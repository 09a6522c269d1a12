"""ISEA: the rows and the columns of the matrix of bits, M x 8N, change places."""

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, logistic, order
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray


def orders(key: bytes, rows: int, columns: int) -> tuple[IntArray, IntArray]:
    """Return which row, and which column of bits, comes first, second and so on."""
    values = logistic(fraction(key, 0), rows + 8 * columns)
    return order(values[:rows]), order(values[rows:])


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Move rows, then columns of bits."""
    rows, columns = orders(key, *image.shape)
    return np.packbits(np.unpackbits(image, axis=1)[rows][:, columns], axis=1)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    rows, columns = (np.argsort(each) for each in orders(key, *image.shape))
    return np.packbits(np.unpackbits(image, axis=1)[rows][:, columns], axis=1)


register_cipher(
    encrypt,
    decrypt,
    name="isea",
    source="G. Ye, Image scrambling encryption algorithm of pixel bit based on chaos map, 2010, "
    "doi:10.1016/j.patrec.2009.11.008",
    broken_by="C. Li, K.-T. Lo, arXiv:0912.1918: about log2 of the number of bits in known or "
    "chosen images",
    basis="The abstracts of the break and of a later one were read; the rest is from memory. "
    "Chosen: one order of columns for all rows, one orbit for both orders, growth 3.9999.",
    limits="rows and columns of bits keep their number of ones",
    key_bits=52,
)
