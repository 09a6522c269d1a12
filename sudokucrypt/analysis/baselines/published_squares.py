"""Published ciphers that are built of Latin squares and of Sudoku squares.

They are for study, never for protection.
"""

from functools import lru_cache

import numpy as np

from sudokucrypt.analysis.baselines.chaos import fraction, logistic, order
from sudokucrypt.analysis.baselines.contract import GrayCipher, register_baseline
from sudokucrypt.typing import AnyArray, IntArray

_ORDER = 256  # of the squares of LSIC, and the side of its blocks
_ROUNDS = 8


@register_baseline(
    evidence="authors' code",
    reduced=True,
    key_bits=256,
)
class LatinSquare(GrayCipher):
    """LSIC without its noise, after Wu and others: eight rounds by nine Latin squares of order 256.

    A congruential generator draws the squares. In a round the image is mirrored or not as the first
    entry says, and the square is added; each pixel goes through a row of the square that the pixel
    before it names, along columns and rows in turns; then rows, and columns, move by the rows and
    columns of the square. The ninth square is added at last.

    Limits: a changed pixel of a result changes few of the picture, so that changed copies show
    it

    Source: Y. Wu, Y. Zhou, J. P. Noonan, S. Agaian, Design of image cipher using Latin squares,
    2014, doi:10.1016/j.ins.2013.11.027

    Basis: The code of the authors of the cipher (copied in
    github.com/bhavya625/Image-Encryption-using-Latin-Squares), run without its noise on an
    image of ours of 256 x 256 pixels, gives the result that a test expects. Reduced: the noise
    in the lowest plane is left out, so that the cipher restores exactly and has no new result
    each time. Chosen: of smaller images, orders are those of the entries below their sides; of
    larger ones, blocks are taken one by one.
    """

    name = "latin-square-no-noise"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Encrypt block by block."""
        return self._apply_blocks(image, undo=False)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        return self._apply_blocks(image, undo=True)

    def _apply_blocks(self, image: AnyArray, *, undo: bool) -> AnyArray:
        squares, result = _latin_squares(self.key), np.empty_like(image)
        for top in range(0, image.shape[0], _ORDER):
            for left in range(0, image.shape[1], _ORDER):
                block = np.s_[top : top + _ORDER, left : left + _ORDER]
                result[block] = (_undo_rounds if undo else _apply_rounds)(image[block], squares)
        return result


@lru_cache(maxsize=16)
def _latin_squares(key: bytes) -> list[AnyArray]:
    """Return nine Latin squares of order 256."""
    words = np.frombuffer(key, ">u4").astype(np.uint32)
    squares = []
    for _ in range(_ROUNDS + 1):
        drawn = []
        for _ in range(64):
            words = words * np.uint32(1664525) + np.uint32(1013904223)
            drawn.append(words)
        halves = np.array(drawn).reshape(2, 32, 8)
        first, shifts = (np.argsort(half.T.reshape(-1), kind="stable") + 1 for half in halves)
        squares.append(((first + shifts[:, None]) % _ORDER).astype(np.uint8))
    return squares


def _whiten(block: AnyArray, square: AnyArray) -> AnyArray:
    return _mirror(block, square) + square[: block.shape[0], : block.shape[1]]


def _undo_whitening(block: AnyArray, square: AnyArray) -> AnyArray:
    return _mirror(block - square[: block.shape[0], : block.shape[1]], square)


def _mirror(block: AnyArray, square: AnyArray) -> AnyArray:
    turns = int(square[0, 0]) % 3
    return block[::-1] if turns == 1 else block[:, ::-1] if turns == 2 else block


def _substitute(block: AnyArray, square: AnyArray) -> AnyArray:
    """Substitute along rows, each row by the result above it, or 0 above the first."""
    above, result = np.zeros(block.shape[1], np.uint8), np.empty_like(block)
    for index, line in enumerate(block):
        result[index] = above = square[above, line]
    return result


def _undo_substitution(block: AnyArray, square: AnyArray) -> AnyArray:
    above = np.roll(block, 1, axis=0)
    above[0] = 0
    return np.argsort(square, axis=1).astype(np.uint8)[above, block]


def _row_orders(square: AnyArray, rows: int, columns: int) -> IntArray:
    """Return for each row the entries of the square that are below the number of columns."""
    lines = square[:rows].astype(np.intp)
    return lines[lines < columns].reshape(rows, columns)


def _apply_rounds(block: AnyArray, squares: list[AnyArray]) -> AnyArray:
    rows, columns = block.shape
    for turn, square in enumerate(squares[:-1]):
        block = _whiten(block, square)
        # Along columns and rows in turns.
        block = _substitute(block, square) if turn % 2 else _substitute(block.T, square.T).T
        block = np.take_along_axis(block, _row_orders(square, rows, columns), axis=1)
        block = np.take_along_axis(block, _row_orders(square.T, columns, rows).T, axis=0)
    return _whiten(block, squares[-1])


def _undo_rounds(block: AnyArray, squares: list[AnyArray]) -> AnyArray:
    rows, columns = block.shape
    block = _undo_whitening(block, squares[-1])
    for turn in reversed(range(_ROUNDS)):
        square = squares[turn]
        down = np.argsort(_row_orders(square.T, columns, rows).T, axis=0)
        block = np.take_along_axis(block, down, axis=0)
        across = np.argsort(_row_orders(square, rows, columns), axis=1)
        block = np.take_along_axis(block, across, axis=1)
        if turn % 2:
            block = _undo_substitution(block, square)
        else:
            block = _undo_substitution(block.T, square.T).T
        block = _undo_whitening(block, square)
    return block


_SUDOKU_SIDE = 4  # of the boxes: the square has 16 digits


@register_baseline(
    evidence="other code",
    key_bits=52,
)
class SudokuMatrix(GrayCipher):
    """Wu and others 2010: a Sudoku square, a Latin square of Latin squares, masks and moves blocks.

    A logistic orbit orders the digits. In blocks of 16 x 16 the scaled square is added to the
    pixels, modulo 256; then pixels move along their row to the place that their digit names. All
    channels are treated equally. The ciphers and scramblers of this project descend from it.

    Limits: one map and one mask for all blocks of all images

    Source: Y. Wu, Y. Zhou, J. P. Noonan, K. Panetta, S. Agaian, Image encryption using the
    Sudoku matrix, Proc. SPIE 7708, 2010, doi:10.1117/12.853197

    Broken by: this project, in tests/analysis/baselines/breaks.py: 2 chosen images

    Basis: The square and the mask are those of one independent implementation
    (github.com/LudoProvost/sudoku-matrix-encryption); that positions move by the square too is
    in the abstract. Chosen: digits of rows say where pixels go, a square of 16 digits, growth
    3.9999, one iteration, and sums modulo 256 in place of 255, under which level 255 is lost.
    """

    name = "sudoku-matrix"
    in_color = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Add the square, then move pixels in whole blocks."""
        mask, sources = self._tiled(image.shape)
        masked = image + mask.reshape(*mask.shape, *(1,) * (image.ndim - 2))
        return masked[np.arange(len(image))[:, None], sources]

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        mask, sources = self._tiled(image.shape)
        masked = np.empty_like(image)
        masked[np.arange(len(image))[:, None], sources] = image
        return masked - mask.reshape(*mask.shape, *(1,) * (image.ndim - 2))

    def _tiled(self, shape: tuple[int, ...]) -> tuple[AnyArray, IntArray]:
        """Return what is added to each pixel, and the column that each pixel comes from."""
        square = self.square_of_digits(logistic(fraction(self.key, 0), _SUDOKU_SIDE**2, skipped=0))
        digits, (rows, columns) = len(square), shape[:2]
        tiles = -(-rows // digits), -(-columns // digits)
        whole = np.tile(square, tiles)[:rows, :columns]
        sources = np.tile(np.argsort(square, axis=1), tiles)[:rows, :columns]
        place = np.arange(columns)
        sources = sources + place // digits * digits
        # Blocks that the right edge cuts have no place for all digits.
        cut = place >= columns // digits * digits
        sources[:, cut] = place[cut]
        return (whole * (256 // digits)).astype(np.uint8), sources

    @staticmethod
    def square_of_digits(orbit: AnyArray) -> IntArray:
        """Return the Sudoku square, of digits from 0, that the order of an orbit gives."""
        digits, side = order(orbit), _SUDOKU_SIDE
        row, column = np.indices((side**2, side**2))
        group = (row % side + column // side) % side
        inside = (column % side + row // side) % side
        square: IntArray = digits[side * group + inside]
        return square
