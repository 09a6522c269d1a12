"""Hua and Zhou: blocks and the pixels in them move, the image turns, and a filter mixes: 4 rounds.

The filter is y(r, c) = x(r, c) + f y(r - 1, c) + g y(r - 1, c - 1) + h y(r, c - 1) modulo 256, with
weights of the round and bytes of the key where there is no neighbour.
"""

from math import isqrt

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, logistic, order
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray

_ROUNDS = 4  # of a quarter turn each, so that the shape is that of the image at the end


def _sources(key: bytes, turn: int, rows: int, columns: int) -> IntArray:
    """Return from which index each pixel comes; what whole blocks leave over stays."""
    side = isqrt(min(rows, columns))
    down, across = rows // side, columns // side
    blocks = down * across
    values = logistic(fraction(key, turn % 2), _ROUNDS * (blocks + side**2))
    values = values[turn * (blocks + side**2) :][: blocks + side**2]
    image = np.arange(rows * columns).reshape(rows, columns)
    whole = image[: down * side, : across * side].reshape(down, side, across, side)
    cut = whole.swapaxes(1, 2).reshape(blocks, side**2)
    cut = cut[order(values[:blocks])][:, order(values[blocks:])]
    moved = cut.reshape(down, across, side, side).swapaxes(1, 2)
    image[: down * side, : across * side] = moved.reshape(down * side, across * side)
    return image.reshape(-1)


def _filtered(image: AnyArray, weights: tuple[int, ...], edge: int) -> AnyArray:
    up, corner, left = weights
    columns = image.shape[1]
    # Powers of the weight of the left neighbour run along a row at once; sums stay below 2^53.
    powers = np.array([pow(left, exponent, 256) for exponent in range(columns)], dtype=np.float64)
    gap = np.subtract.outer(np.arange(columns), np.arange(columns))
    along = np.where(gap >= 0, powers[np.abs(gap)], 0)
    result, above = np.empty_like(image), np.full(columns + 1, edge, dtype=np.int64)
    for row, line in enumerate(image.astype(np.int64)):
        filtered = (line + up * above[1:] + corner * above[:-1]) % 256
        filtered[0] += left * edge
        above[1:] = result[row] = (along @ filtered).astype(np.int64) % 256
    return result


def _unfiltered(image: AnyArray, weights: tuple[int, ...], edge: int) -> AnyArray:
    padded = np.pad(image.astype(np.int64), ((1, 0), (1, 0)), constant_values=edge)
    neighbours = padded[:-1, 1:], padded[:-1, :-1], padded[1:, :-1]
    weighted = sum(weight * each for weight, each in zip(weights, neighbours, strict=True))
    return np.asarray((image - weighted).astype(np.uint8))


def _weights(key: bytes, turn: int) -> tuple[tuple[int, ...], int]:
    # Odd, since powers of even weights soon vanish.
    return tuple(byte | 1 for byte in key[14 + 4 * turn : 17 + 4 * turn]), key[17 + 4 * turn]


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Move, turn and filter, four times."""
    for turn in range(_ROUNDS):
        moved = image.reshape(-1)[_sources(key, turn, *image.shape)].reshape(image.shape)
        image = _filtered(np.rot90(moved), *_weights(key, turn))
    return image


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    for turn in reversed(range(_ROUNDS)):
        moved = np.rot90(_unfiltered(image, *_weights(key, turn)), -1)
        image = np.empty_like(moved)
        np.put(image, _sources(key, turn, *moved.shape), moved)
    return image


register_cipher(
    encrypt,
    decrypt,
    name="hua-filter",
    source="Z. Hua, Y. Zhou, Design of image cipher using block-based scrambling and image "
    "filtering, 2017, doi:10.1016/j.ins.2017.02.036",
    broken_by="F. Yu, X. Gong, H. Li, X. Zhao, S. Wang, arXiv:1812.11693: MN + 1 chosen images",
    basis="The abstract of the break was read; the rest is from memory, the DOI of the cipher "
    "too. Chosen: blocks of the root of the shorter side, three neighbours of odd weights, the "
    "logistic map, and bytes of the key beyond the edge.",
    limits="affine modulo 256, whatever the rounds",
    key_bits=2 * 52 + 116,
)
