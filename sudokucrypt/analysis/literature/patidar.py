"""Patidar, Pareek and Sud: key bytes, chains of rows and columns, and a stream, all joined by xor.

Pixels take up 16 bytes of the key in turn; each pixel takes up the one before it in reading order,
then the one after it in the order of columns; at last the image takes up a stream of the standard
and the logistic map.
"""

from functools import lru_cache
from math import pi, sin

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, logistic, samples
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray

_KICK = 18.9  # strong enough to leave no islands of regular motion


@lru_cache(maxsize=16)
def _standard(x: float, y: float, count: int) -> AnyArray:
    """Return angles of the standard map as parts of a whole turn."""
    turn, values = 2 * pi, np.empty(count)
    x, y = turn * x, turn * y
    for index in range(count):
        x = (x + _KICK * sin(y)) % turn
        y = (y + x) % turn
        values[index] = y / turn
    return samples(values)


def stream(key: bytes, shape: tuple[int, ...]) -> AnyArray:
    """Return the bytes that the image takes up at last, of its shape."""
    count = shape[0] * shape[1]
    first = _standard(fraction(key, 0), fraction(key, 1), count)
    return (first ^ samples(logistic(fraction(key, 2), count))).reshape(shape)


def diffused(image: AnyArray) -> AnyArray:
    """Return an image after both chains, in which there is no key."""
    flat = np.bitwise_xor.accumulate(image.reshape(-1)).reshape(image.shape)
    columns = np.bitwise_xor.accumulate(flat.T.reshape(-1)[::-1])[::-1]
    return np.ascontiguousarray(columns.reshape(image.shape[::-1]).T)


def undiffused(image: AnyArray) -> AnyArray:
    """Undo `diffused`."""
    columns = image.T.reshape(-1).copy()
    columns[:-1] ^= columns[1:].copy()
    flat = columns.reshape(image.shape[::-1]).T.reshape(-1).copy()
    flat[1:] ^= flat[:-1].copy()
    return flat.reshape(image.shape)


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Take up the key, the chains and the stream."""
    tiled = np.resize(np.frombuffer(key[:16], dtype=np.uint8), image.shape)
    return diffused(image ^ tiled) ^ stream(key, image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    tiled = np.resize(np.frombuffer(key[:16], dtype=np.uint8), image.shape)
    return undiffused(image ^ stream(key, image.shape)) ^ tiled


register_cipher(
    encrypt,
    decrypt,
    name="patidar",
    source="V. Patidar, N. K. Pareek, K. K. Sud, A new substitution-diffusion based image cipher "
    "using chaotic standard and logistic maps, 2009, doi:10.1016/j.cnsns.2008.11.005",
    broken_by="C. Li, S. Li, K.-T. Lo, arXiv:0907.0821: 1 chosen image",
    basis="The abstract of the break was read; the DOI of the cipher and the order of the steps "
    "are from memory. Chosen: gray images in place of three channels, so that chains run over one; "
    "directions of the chains; parameters of the maps.",
    limits="the only secret is a mask: the chains hold no key",
    key_bits=3 * 52 + 4,
)
