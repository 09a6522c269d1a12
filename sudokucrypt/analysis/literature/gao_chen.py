"""Gao and Chen: a total shuffle by the logistic map, then a hyperchaotic stream with feedback.

Rows change places, then columns within each row by an order of its own. The hyperchaotic Chen
system gives a byte for each of four coordinates; x mod 4 of the first chooses three of them for the
next three pixels, c(i) = p(i) ^ b(i) ^ c(i - 1).
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, hyperchaos, logistic, order, samples
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray

_CHOICES = np.array([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])


def sources(key: bytes, rows: int, columns: int) -> IntArray:
    """Return from which index of the image each pixel of the shuffled one comes."""
    lines = order(logistic(fraction(key, 0), rows))
    cells = logistic(fraction(key, 1), rows * columns).reshape(rows, columns)
    inside = np.argsort(cells, axis=1, kind="stable")
    return (lines[:, None] * columns + inside).reshape(-1)


def stream(key: bytes, count: int) -> AnyArray:
    """Return a number of bytes of the stream."""
    start = (0.3 + fraction(key, 2), -0.4 + fraction(key, 3), 1.2, 1.0)
    drawn = samples(hyperchaos(start, -(-count // 3)))
    chosen = _CHOICES[drawn[0] % 4]
    return np.take_along_axis(drawn.T, chosen, axis=1).reshape(-1)[:count]


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Shuffle, then chain."""
    moved = image.reshape(-1)[sources(key, *image.shape)]
    return np.bitwise_xor.accumulate(moved ^ stream(key, image.size)).reshape(image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    moved = image.reshape(-1) ^ stream(key, image.size)
    moved[1:] ^= image.reshape(-1)[:-1]
    plain = np.empty_like(moved)
    plain[sources(key, *image.shape)] = moved
    return plain.reshape(image.shape)


register_cipher(
    encrypt,
    decrypt,
    name="gao-chen",
    source="T. Gao, Z. Chen, A new image encryption algorithm based on hyper-chaos, 2008, "
    "doi:10.1016/j.physleta.2007.07.040",
    broken_by="R. Rhouma, S. Belghith, Cryptanalysis of a new image encryption algorithm based on "
    "hyper-chaos, 2008, doi:10.1016/j.physleta.2008.07.057: 3 chosen images",
    basis="From memory; whether the feedback comes from one pixel before was not verified. Chosen: "
    "parameters, step and start of the hyperchaotic system, and which digits make bytes.",
    limits="map, stream and chain are affine over bits",
    key_bits=4 * 52 - 4,
)
