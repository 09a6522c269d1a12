"""BCIEA, after Xu and others: two rows of bits that mask each other, then change bits by maps.

The high four bits of all pixels make one row, the low four the other, of L bits each. The first is
turned by the number of ones of the second, and chained to it and to a stream; the second likewise
to the result. Then bit i of the first is swapped with a bit of the second that a map names, and the
reverse; the start of the map depends on the number of ones of both rows.
"""

from functools import lru_cache

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, piecewise_linear
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray

_BEND = 0.25678900


def masks(key: bytes, length: int) -> tuple[AnyArray, AnyArray]:
    """Return the two streams of bits."""
    values = piecewise_linear(fraction(key, 0), 2 * length, bend=_BEND) > 0.5
    return values[:length].astype(np.uint8), values[length:].astype(np.uint8)


def planes(image: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the high and the low bits of an image, plane after plane."""
    stack = np.unpackbits(image.reshape(-1, 1), axis=1)
    return stack[:, :4].T.reshape(-1), stack[:, 4:].T.reshape(-1)


def joined(high: AnyArray, low: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    """Undo `planes`."""
    return np.packbits(np.concatenate([high, low]).reshape(8, -1).T, axis=1).reshape(shape)


def chained(row: AnyArray, other: AnyArray, mask: AnyArray) -> AnyArray:
    """Return a row turned by the ones of another, chained to it and to a stream."""
    turned = np.roll(row, int(other.sum()))
    taken = turned ^ other ^ mask
    taken[0] ^= turned[-1]
    return np.bitwise_xor.accumulate(taken)


def unchained(row: AnyArray, other: AnyArray, mask: AnyArray) -> AnyArray:
    """Undo `chained`."""
    turned = row ^ other ^ mask
    turned[1:] ^= row[:-1]
    turned[0] ^= turned[-1]
    return np.roll(turned, -int(other.sum()))


def _partners(key: bytes, length: int, ones: int) -> list[IntArray]:
    """Return with which bit of the other row each bit of the first, then of the second, swaps."""
    start = (fraction(key, 1) + ones / (2 * length)) % 1 or 0.5
    values = piecewise_linear(start, 2 * length, bend=_BEND)
    return list(np.minimum((values * length).astype(np.int64), length - 1).reshape(2, length))


@lru_cache(maxsize=4)
def _sources(key: bytes, length: int, ones: int) -> IntArray:
    """Return from which bit of both rows, one after the other, each bit comes."""
    first, second = list(range(length)), list(range(length, 2 * length))
    to_second, to_first = _partners(key, length, ones)
    for index, partner in enumerate(to_second.tolist()):
        first[index], second[partner] = second[partner], first[index]
    for index, partner in enumerate(to_first.tolist()):
        second[index], first[partner] = first[partner], second[index]
    return np.array(first + second)


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Chain both rows, then swap their bits."""
    high, low = planes(image)
    one, other = masks(key, len(high))
    first = chained(high, low, one)
    both = np.concatenate([first, chained(low, first, other)])
    both = both[_sources(key, len(high), int(both.sum()))]
    return joined(both[: len(high)], both[len(high) :], image.shape)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    seen = np.concatenate(planes(image))
    length = len(seen) // 2
    both = np.empty_like(seen)
    both[_sources(key, length, int(seen.sum()))] = seen
    one, other = masks(key, length)
    low = unchained(both[length:], both[:length], other)
    return joined(unchained(both[:length], low, one), low, image.shape)


register_cipher(
    encrypt,
    decrypt,
    name="bciea",
    source="L. Xu, Z. Li, J. Li, W. Hua, A novel bit-level image encryption algorithm based on "
    "chaotic maps, 2016, doi:10.1016/j.optlaseng.2015.09.007",
    broken_by="doi:10.1016/j.jestch.2024.101634: 2 ceil(log2 4MN) + 1 chosen ciphertexts, 37 for "
    "256 x 256",
    basis="From memory. Chosen: which planes make the rows, that chains take up the bit before "
    "(without which the cipher could not be undone), the thresholds and the bend of the map.",
    limits="all results of one number of ones have one map of bits",
    key_bits=2 * 52,
)
