"""LSIC, after Wu and others: whitening, substitution and moves by Latin squares, eight rounds.

The square is L(r, c) = q(c + s(r)) with two permutations q and s of the levels. In a round a sum
with L whitens the image; x becomes L(y, x) with y the result to the left, then with y the result
above; rows, then columns, move by orders of such squares.
"""

import numpy as np

from sudokucrypt.analysis.literature.chaos import fraction, logistic, order
from sudokucrypt.analysis.literature.cipher import register_cipher
from sudokucrypt.typing import AnyArray, IntArray

# As in the paper.
_ROUNDS = 8


def _square(key: bytes, turn: int) -> tuple[AnyArray, AnyArray]:
    """Return q and s of a round."""
    values = logistic(fraction(key, 0), 512 * _ROUNDS)[512 * turn : 512 * (turn + 1)]
    return order(values[:256]).astype(np.uint8), order(values[256:]).astype(np.uint8)


def _orders(key: bytes, turn: int, rows: int, columns: int) -> IntArray:
    """Return the orders of the columns in each row: those of a Latin square, row after row."""
    values = logistic(fraction(key, 1 + rows % 2), _ROUNDS * (rows + columns))
    values = values[turn * (rows + columns) :][: rows + columns]
    first, shifts = order(values[:columns]), order(values[columns:])
    orders: IntArray = first[(np.arange(columns) + shifts[:, None]) % columns]
    return orders


def _whitening(square: tuple[AnyArray, AnyArray], shape: tuple[int, ...]) -> AnyArray:
    q, s = square
    row, column = np.indices(shape) % 256
    added: AnyArray = q[(column + s[row]) % 256]
    return added


def _chained(image: AnyArray, square: tuple[AnyArray, AnyArray]) -> AnyArray:
    """Substitute along rows, all rows at once."""
    q, s = square
    lines = np.ascontiguousarray(image.T)
    left = np.arange(lines.shape[1]).astype(np.uint8)
    for index, line in enumerate(lines):
        lines[index] = left = q[line + s[left]]
    return lines.T


def _unchained(image: AnyArray, square: tuple[AnyArray, AnyArray]) -> AnyArray:
    left = np.roll(image, 1, axis=1)
    left[:, 0] = np.arange(len(image))
    return np.asarray(np.argsort(square[0]).astype(np.uint8)[image] - square[1][left])


def encrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Whiten, substitute and move, eight times."""
    for turn in range(_ROUNDS):
        square = _square(key, turn)
        image = image + _whitening(square, image.shape)
        image = _chained(_chained(image, square).T, square).T
        image = np.take_along_axis(image, _orders(key, turn, *image.shape), axis=1)
        image = np.take_along_axis(image.T, _orders(key, turn, *image.shape[::-1]), axis=1).T
    return np.ascontiguousarray(image)


def decrypt(image: AnyArray, key: bytes) -> AnyArray:
    """Undo `encrypt`."""
    for turn in reversed(range(_ROUNDS)):
        square = _square(key, turn)
        across, down = (_orders(key, turn, *shape) for shape in (image.shape, image.shape[::-1]))
        image = np.take_along_axis(image.T, np.argsort(down, axis=1), axis=1).T
        image = np.take_along_axis(image, np.argsort(across, axis=1), axis=1)
        image = _unchained(_unchained(image.T, square).T, square)
        image = image - _whitening(square, image.shape)
    return np.ascontiguousarray(image)


register_cipher(
    encrypt,
    decrypt,
    name="latin-square",
    source="Y. Wu, Y. Zhou, J. P. Noonan, S. Agaian, Design of image cipher using Latin squares, "
    "2014, doi:10.1016/j.ins.2013.11.027",
    broken_by="",
    basis="From memory. Chosen: squares from logistic orbits; chains that substitute by the "
    "neighbour; images of any sides in place of blocks of 256 x 256. The noise that the paper puts "
    "into the lowest plane is left out, so that the cipher restores exactly.",
    limits="no break of eight rounds is known to us",
    key_bits=3 * 52,
)
