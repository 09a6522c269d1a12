"""BCIEA, after Xu and others: two rows of bits that mask each other, then change bits by maps.

The high four bits of all pixels make one row, the low four the other. Each moves by the ones of the
other and is chained to it and to a stream; then bits swap with those that a map names.
"""

from functools import lru_cache

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, piecewise_linear
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray

_BEND = 0.25678900


def masks(key: bytes, length: int) -> list[AnyArray]:
    """Return the two streams of bits."""
    values = piecewise_linear(fraction(key, 0), 2 * length, bend=_BEND)
    return np.split((values > 0.5).astype(np.uint8), 2)


def planes(image: AnyArray) -> list[AnyArray]:
    """Return the high and the low bits of an image, plane after plane."""
    return np.split(np.unpackbits(image.reshape(-1, 1), axis=1).T.reshape(-1), 2)


def joined(both: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    """Return the image of both rows, one after the other."""
    return np.packbits(both.reshape(8, -1).T, axis=1).reshape(shape)


def chained(row: AnyArray, other: AnyArray, mask: AnyArray) -> AnyArray:
    """Return a row turned by the ones of another, chained to it and to a stream."""
    turned = np.roll(row, int(other.sum()))
    masked = turned ^ other ^ mask
    masked[0] ^= turned[-1]
    return np.bitwise_xor.accumulate(masked)


def unchained(row: AnyArray, other: AnyArray, mask: AnyArray) -> AnyArray:
    """Undo `chained`."""
    turned = row ^ other ^ mask
    turned[1:] ^= row[:-1]
    turned[0] ^= turned[-1]
    return np.roll(turned, -int(other.sum()))


@lru_cache(maxsize=4)
def _sources(key: bytes, length: int, ones: int) -> IntArray:
    """Return from which bit of both rows, one after the other, each bit comes."""
    start = (fraction(key, 1) + ones / (2 * length)) % 1 or 0.5
    values = piecewise_linear(start, 2 * length, bend=_BEND)
    partners = np.minimum((values * length).astype(np.int64), length - 1)
    partners[:length] += length  # bits of the first row swap with ones of the second, then back
    sources = list(range(2 * length))
    for index, partner in enumerate(partners.tolist()):
        sources[index], sources[partner] = sources[partner], sources[index]
    return np.array(sources)


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Chain both rows, then swap their bits."""
    (high, low), (one, other) = planes(image), masks(key, 4 * image.size)
    first = chained(high, low, one)
    both = np.concatenate([first, chained(low, first, other)])
    return joined(both[_sources(key, len(high), int(both.sum()))], image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    both, length = np.empty(8 * image.size, np.uint8), 4 * image.size
    both[_sources(key, length, int(np.bitwise_count(image).sum()))] = np.concatenate(planes(image))
    (first, second), (one, other) = np.split(both, 2), masks(key, length)
    low = unchained(second, first, other)
    return joined(np.concatenate([unchained(first, low, one), low]), image.shape)


register_cipher(
    encrypt,
    decrypt,
    name="bciea",
    source="L. Xu, Z. Li, J. Li, W. Hua, A novel bit-level image encryption algorithm based on "
    "chaotic maps, 2016, doi:10.1016/j.optlaseng.2015.09.007",
    broken_by="doi:10.1016/j.jestch.2024.101634: 37 chosen ciphertexts for 256 x 256",
    basis="From memory. Chosen: the planes of both rows, chains over the bit before, and the map.",
    limits="all results of one number of ones have one map of bits",
    key_bits=2 * 52,
)
