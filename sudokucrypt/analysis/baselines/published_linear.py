"""Published ciphers that were broken because all their steps are linear over bits.

They are for study, never for protection. Each was compared with public code: a test contains the
result of this code for a test image and the key in the code.
"""

from functools import lru_cache
from math import ceil

import numpy as np

from sudokucrypt.analysis.baselines.chaos import (
    argsort_orbit,
    iterate_adjusted_sine,
    iterate_logistic,
    read_fraction,
    take_late_bytes,
)
from sudokucrypt.analysis.baselines.contract import GrayCipher, register_baseline, undo_xor_chain
from sudokucrypt.analysis.baselines.moving import ArnoldMap
from sudokucrypt.typing import AnyArray, IntArray

_BREAK_SOURCE = (
    "J. Chen, L. Chen, Y. Zhou, Cryptanalysis of image ciphers with permutation-substitution "
    "network and chaos, IEEE Transactions on Circuits and Systems for Video Technology 31(6), "
    "2021, 2494-2508: one chosen ciphertext for each bit, plus one"
)
_CODE_ADDRESS = "github.com/junxin-chen/Break_bitxor"
_RUN_NOTE = (
    f"The code ({_CODE_ADDRESS}), run on our image with its own key, gives the result "
    "that a test expects."
)

_FU_ROUNDS = 3
_FU_GROWTH = 3.99976
_FU_INITIAL_VALUE = 123  # the value before the first pixel of each chain


@register_baseline(
    broken_by=_BREAK_SOURCE,
    evidence="authors' code",
    basis=f"The steps are those of code by the authors of the break. {_RUN_NOTE} The DOI is "
    "from memory. Chosen: the key "
    "changes the start and both parameters of the map.",
    key_bits=52 + 16,
)
class Fu(GrayCipher):
    """Fu and others: each bit plane moves by its own cat map, then pixels are chained.

    In each of three rounds, plane b moves three times by Arnold's cat map, with the round and b
    added to its parameters; then c(i) = p(i) ^ k(i) ^ c(i - 1) with bytes k of a logistic orbit.

    Limits: each bit of the result is a sum of bits of the image and of the key stream

    Source: C. Fu, W. Meng, Y. Zhan, Z. Zhu, F. C. M. Lau, C. K. Tse, H. Ma, An efficient and
    secure medical image protection scheme based on chaotic maps, 2013,
    doi:10.1016/j.compbiomed.2013.05.005
    """

    name = "fu"
    square_only = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Move the planes and chain the pixels, three times."""
        for round_index in range(_FU_ROUNDS):
            moved_bits = np.zeros(image.size, np.uint8)
            for bit, targets in enumerate(self._find_targets(round_index, len(image))):
                moved_bits[targets] |= image.reshape(-1) & 1 << bit
            chained_bits = np.bitwise_xor.accumulate(
                moved_bits ^ self._make_stream(round_index, image.size)
            )
            image = (chained_bits ^ _FU_INITIAL_VALUE).reshape(image.shape)
        return image

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        for round_index in reversed(range(_FU_ROUNDS)):
            moved_bits = undo_xor_chain(image.reshape(-1)) ^ self._make_stream(
                round_index, image.size
            )
            moved_bits[0] ^= _FU_INITIAL_VALUE
            planes = [
                moved_bits[targets] & 1 << bit
                for bit, targets in enumerate(self._find_targets(round_index, len(image)))
            ]
            image = np.bitwise_or.reduce(planes).reshape(image.shape)
        return image

    def derive_parameters(self) -> tuple[float, int, int]:
        """Return the start of the orbit and both parameters of the cat map."""
        return read_fraction(self.key, 0), self.key[7], self.key[8]

    def _find_targets(self, round_index: int, side: int) -> list[IntArray]:
        """Return the targets of the pixels of each plane, the lowest plane first."""
        _, a, b = self.derive_parameters()
        round_number = round_index + 1
        return [
            ArnoldMap(iterations=3, a=a + round_number + bit, b=b + round_number + bit).targets(
                side, side
            )
            for bit in range(8)
        ]

    def _make_stream(self, round_index: int, count: int) -> AnyArray:
        start, *_ = self.derive_parameters()
        second_start = float(iterate_logistic(start, 1, growth=_FU_GROWTH, skipped_count=299)[0])
        growth = _FU_GROWTH + (round_index + 1) * 1e-5
        return take_late_bytes(
            iterate_logistic(second_start, count, growth=growth, skipped_count=0)
        )


@register_baseline(
    broken_by=f"{_BREAK_SOURCE}; this project, in tests/analysis/baselines/breaks.py: 1 chosen "
    "image",
    evidence="authors' code",
    basis=f"The steps are those of code by the authors of the break. {_RUN_NOTE} The DOI is "
    "from memory. Chosen: the key "
    "changes the start.",
    key_bits=52,
)
class Diaconu(GrayCipher):
    """Diaconu: the bits of each row are rotated by their number of ones, then two masks follow.

    A row with an even number of ones is rotated to the right, another row to the left, without any
    key.

    Limits: rows of bits keep their number of ones, and one mask serves all images of a size

    Source: A.-V. Diaconu, Circular inter-intra pixels bit-level permutation and chaos-based
    image encryption, Information Sciences 355-356, 2016, 314-327, doi:10.1016/j.ins.2015.10.027
    """

    name = "diaconu"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Rotate the bits of rows, then mask."""
        return self.turn_bits(image) ^ self._make_mask(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        return self.turn_bits(image ^ self._make_mask(image.shape), inverse=True)

    def derive_start(self) -> float:
        """Return the start of the logistic orbit."""
        return read_fraction(self.key, 0)

    @staticmethod
    def turn_bits(image: AnyArray, *, inverse: bool = False) -> AnyArray:
        """Return an image whose rows of bits are rotated by their number of ones."""
        rows = np.unpackbits(image, axis=1)
        one_counts = rows.sum(axis=1, dtype=np.int64)
        distances = np.where((one_counts % 2 == 0) != inverse, one_counts, -one_counts)
        positions = np.arange(rows.shape[1]) - distances[:, None]
        return np.packbits(np.take_along_axis(rows, positions % rows.shape[1], axis=1), axis=1)

    def _make_mask(self, shape: tuple[int, ...]) -> AnyArray:
        count = shape[0] * shape[1]
        stream = take_late_bytes(
            iterate_logistic(self.derive_start(), 2 * count, growth=_FU_GROWTH, skipped_count=300)
        )
        mask: AnyArray = stream[:count] ^ stream[count:]
        return mask.reshape(shape)


@register_baseline(
    broken_by=_BREAK_SOURCE,
    evidence="authors' code",
    basis=f"The code of the authors of the cipher ({_CODE_ADDRESS}, Hua_2016_INS.m), run on our "
    "image with "
    "a key of ours, gives the result that a test expects. Reduced: the frame of random pixels is "
    "left out, since results have the shape of their images here. Chosen: how a key of 32 bytes "
    "gives the 232 bits.",
    reduced=True,
    key_bits=232 - 8,
)
class HuaLogisticSine(GrayCipher):
    """Hua and Zhou 2016 without the frame of noise: rows and columns are sorted, then chained.

    Two rounds: a stream S of the logistic-adjusted sine map orders the pixels of each row and then
    of each column; then c(i) = p(i) ^ c(i - 1) ^ S(i), where c(-1) is the last pixel.

    Limits: without the frame of noise each bit of the result is a sum of bits of image and
    stream

    Source: Z. Hua, Y. Zhou, Image encryption using 2D Logistic-adjusted-Sine map, Information
    Sciences 339, 2016, 237-253, doi:10.1016/j.ins.2016.01.017
    """

    name = "hua-lasm-no-frame"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Sort and chain, twice."""
        for round_index in range(2):
            stream = self._make_stream(round_index, *image.shape)
            row_orders, column_orders = _find_sort_orders(stream)
            moved_image = np.take_along_axis(
                np.take_along_axis(image, row_orders, axis=1), column_orders, axis=0
            )
            masked_samples = moved_image.reshape(-1) ^ stream.reshape(-1)
            masked_samples[0] ^= moved_image[-1, -1] if image.size > 1 else 0
            image = np.bitwise_xor.accumulate(masked_samples).reshape(image.shape)
        return image

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        for round_index in (1, 0):
            stream = self._make_stream(round_index, *image.shape)
            unmasked_samples = undo_xor_chain(image.reshape(-1)) ^ stream.reshape(-1)
            unmasked_samples[0] ^= unmasked_samples[-1] if image.size > 1 else 0
            row_orders, column_orders = _find_sort_orders(stream)
            moved_image, plain = np.empty_like(image), np.empty_like(image)
            np.put_along_axis(
                moved_image, column_orders, unmasked_samples.reshape(image.shape), axis=0
            )
            np.put_along_axis(plain, row_orders, moved_image, axis=1)
            image = plain
        return image

    def derive_start(self, round_index: int) -> tuple[float, float, float]:
        """Return the start of the orbit of a round, 0 or 1, and its parameter."""
        x, y, growth, step = (read_fraction(self.key, index) for index in range(4))
        last_key_bits = int.from_bytes(self.key[28:31], "big")
        shift = step * (last_key_bits & 4095 if round_index else last_key_bits >> 12)
        return (x + shift) % 1 or 0.4, (y + shift) % 1 or 0.4, (growth + shift) % 0.4 + 0.5

    def _make_stream(self, round_index: int, rows: int, columns: int) -> AnyArray:
        x, y, growth = self.derive_start(round_index)
        orbit = iterate_adjusted_sine(x, y, rows * columns, growth=growth, is_simultaneous=False)
        stream: AnyArray = np.floor(orbit.sum(axis=1) * 2**30 % 256).astype(np.uint8)
        return stream.reshape(rows, columns)


def _find_sort_orders(stream: AnyArray) -> tuple[IntArray, IntArray]:
    """Return the orders of pixels in rows, then in columns: sorted by bytes, then by position."""
    positions = np.arange(stream.size).reshape(stream.shape)
    values = stream.astype(np.int64) * stream.size + positions
    row_orders = np.argsort(values, axis=1)
    return row_orders, np.argsort(np.take_along_axis(values, row_orders, axis=1), axis=0)


@register_baseline(
    evidence="authors' code",
    reduced=True,
    key_bits=4 * 52,
)
class Ieaie(GrayCipher):
    """IEAIE, after Ye and others, one round: entropies of the image choose the map and the chain.

    The entropy of the image changes the start of an orbit that orders rows and columns. A number
    that depends on the position is added to each pixel. Then
    c(i, j) = r(i, j) + d(j) (c(i, j - 1) + k(i, j)) + k(i, d(j)) modulo 256, where d(j) depends
    on the entropy of the columns to the right.

    Limits: one round: the key stream repeats, and the map depends on the image only by the
    entropy of its histogram

    Source: G. Ye, C. Pan, X. Huang, Z. Zhao, J. He, A chaotic image encryption algorithm based
    on information entropy, 2018, doi:10.1142/S0218127418500104

    Broken by: C. Li, D. Lin, B. Feng, J. Lu, F. Hao, Cryptanalysis of a chaotic image
    encryption algorithm based on information entropy, 2018, doi:10.1109/ACCESS.2018.2883690:
    chosen images, for one round; this project, in tests/analysis/baselines/breaks.py: 18 chosen
    images

    Basis: The steps are those of code by the authors of the break
    (github.com/MrDongdongLin/Cryptanalysis_IEAIE). The code, run on our image with its own key,
    gives the result that a test expects. Reduced to one round, as in this code. The DOI of the
    cipher is from memory. Chosen: the key gives the four starts.
    """

    name = "ieaie-one-round"
    square_only = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Permute rows and columns, add position numbers, then chain."""
        rows, columns = self._get_orders(image)
        moved_image = image[:, columns][rows].astype(np.int64)
        return self.chain(
            moved_image + self._get_position_numbers(len(image)), self._make_stream(len(image))
        )

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        side = len(image)
        moved_image = self.undo_chain(image, self._make_stream(side)) - self._get_position_numbers(
            side
        )
        moved_image = (moved_image % 256).astype(np.uint8)
        rows, columns = self._get_orders(moved_image)  # the same histogram
        plain = np.empty_like(moved_image)
        plain[np.ix_(rows, columns)] = moved_image
        return plain

    def derive_starts(self) -> tuple[float, float, float, float]:
        """Return the starts of the orbit for the permutation, then of the orbit for the stream."""
        x, y, a, b = (read_fraction(self.key, index) for index in range(4))
        return x, y, a, b

    def _get_orders(self, image: AnyArray) -> tuple[IntArray, IntArray]:
        x, y, a, b = self.derive_starts()
        side = len(image)
        entropy = _compute_entropy(np.bincount(image.reshape(-1), minlength=256), image.size)
        x_start = (x + (entropy + 1) / (entropy + a + b + 1)) % 1
        y_start = (y + (entropy + 2) / (entropy + a + b + 2)) % 1
        values = _make_sine_square(x_start, y_start, side)
        row = ceil((x + y + 1) * 1e7) % side
        column = ceil((a + b + 2) * 1e7) % side
        columns, rows = values[row], values[:, column]
        return _make_permutation(rows), _make_permutation(columns)

    def _make_stream(self, side: int) -> IntArray:
        """Return the key stream k."""
        x, y, a, b = self.derive_starts()
        square = _make_sine_square((a + 1 / (x + y + 1)) % 1, (b + 2 / (x + y + 2)) % 1, side)
        stream: IntArray = (np.ceil(square * 1e14) % 256).astype(np.int64)
        return stream

    @staticmethod
    def _get_position_numbers(side: int) -> IntArray:
        row, column = np.indices((side, side))
        numbers: IntArray = side * side + row + column + 2
        return numbers

    @staticmethod
    def chain(moved_image: IntArray, stream: IntArray) -> AnyArray:
        """Return the chained image of integers, which are taken modulo 256."""
        moved_image = moved_image % 256
        previous_column, result = (
            np.zeros(len(moved_image), np.int64),
            np.empty(moved_image.shape, np.uint8),
        )
        for column, factor in enumerate(compute_chain_factors(moved_image)):
            sums = moved_image[:, column] + stream[:, factor - 1]
            previous_column = (sums + factor * (previous_column + stream[:, column])) % 256
            result[:, column] = previous_column
        return result

    @staticmethod
    def undo_chain(image: AnyArray, stream: IntArray) -> IntArray:
        """Undo `chain`, from the last column to the first."""
        side = image.shape[1]
        values, result = image.astype(np.int64), np.empty(image.shape, np.int64)
        counts = np.zeros(256, np.int64)
        for column in reversed(range(side)):
            factor = _compute_chain_factor(counts, column, image.shape)
            previous_column = values[:, column - 1] if column else 0
            differences = values[:, column] - stream[:, factor - 1]
            result[:, column] = (differences - factor * (previous_column + stream[:, column])) % 256
            counts += np.bincount(result[:, column], minlength=256)
        return result


def _make_sine_square(x: float, y: float, side: int) -> AnyArray:
    """Return a square of values, x and y of each point in turn, after the first 199 points."""
    points = iterate_adjusted_sine(
        x, y, 199 + (side * side + 1) // 2, growth=0.8116, is_simultaneous=True
    )
    return points[199:].reshape(-1)[: side * side].reshape(side, side)


def _compute_entropy(counts: IntArray, total: int) -> float:
    """Return the entropy of counts in nats, summed in order, since rounding changes the cipher."""
    shares = counts[counts > 0] / total
    terms = shares * np.log(shares)
    return -float(np.add.accumulate(terms)[-1])


def _make_permutation(values: AnyArray) -> IntArray:
    """Return a permutation from late digits of values; missing numbers replace repeated ones."""
    numbers = (np.ceil(values * 1e14) % len(values)).astype(np.int64)
    unused_numbers = iter(np.setdiff1d(np.arange(len(numbers)), numbers).tolist())
    used_numbers: set[int] = set()
    result = []
    for number in numbers.tolist():
        result.append(next(unused_numbers) if number in used_numbers else number)
        used_numbers.add(number)
    return np.array(result)


def _compute_chain_factor(counts: IntArray, column: int, shape: tuple[int, ...]) -> int:
    """Return the factor d of a column from the histogram of all columns on its right."""
    rows, columns = shape
    if column == columns - 1:
        return 1
    # As in the published code, one column too many is counted.
    return ceil(_compute_entropy(counts, rows * (columns - column)) * 1e14) % columns + 1


def compute_chain_factors(moved_samples: IntArray) -> list[int]:
    """Return the factors d of all columns, from the first column on; values are modulo 256."""
    counts = np.zeros(256, np.int64)
    factors = []
    for column in reversed(range(moved_samples.shape[1])):
        factors.append(_compute_chain_factor(counts, column, moved_samples.shape))
        counts += np.bincount(moved_samples[:, column] % 256, minlength=256)
    return factors[::-1]


_SQUARE_ORDER = 256  # the order of the Latin squares of LSIC, and the side of its blocks
_LATIN_ROUNDS = 8


@register_baseline(
    evidence="authors' code",
    reduced=True,
    key_bits=256,
)
class LatinSquare(GrayCipher):
    """LSIC without its noise, after Wu and others: eight rounds with nine Latin squares.

    A congruential generator draws the squares, of order 256. In a round, the image may be mirrored,
    depending on the first entry of the square, and the square is added. Then each pixel is
    substituted by a row of the square that the previous pixel selects, alternately along columns
    and rows, and pixels move along rows, then along columns, by the rows and columns of the square.
    At the end, the ninth square is added.

    Limits: a changed pixel of a result changes few pixels of the picture, so changed copies of a
    result reveal it

    Source: Y. Wu, Y. Zhou, J. P. Noonan, S. Agaian, Design of image cipher using Latin squares,
    2014, doi:10.1016/j.ins.2013.11.027

    Basis: The code of the authors of the cipher (copied in
    github.com/bhavya625/Image-Encryption-using-Latin-Squares), run without its noise on an
    image of ours of 256 x 256 pixels, gives the result that a test expects. Reduced: the noise
    in the lowest plane is left out, so that the cipher restores exactly and has no new result
    each time. Chosen: for smaller images, orders consist of the entries that are valid columns or
    rows; larger images are processed in blocks, one by one.
    """

    name = "latin-square-no-noise"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Encrypt block by block."""
        return self._transform_blocks(image, undo=False)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        return self._transform_blocks(image, undo=True)

    def _transform_blocks(self, image: AnyArray, *, undo: bool) -> AnyArray:
        squares, result = _make_latin_squares(self.key), np.empty_like(image)
        for top in range(0, image.shape[0], _SQUARE_ORDER):
            for left in range(0, image.shape[1], _SQUARE_ORDER):
                block = np.s_[top : top + _SQUARE_ORDER, left : left + _SQUARE_ORDER]
                result[block] = (_undo_rounds if undo else _apply_rounds)(image[block], squares)
        return result


@lru_cache(maxsize=16)
def _make_latin_squares(key: bytes) -> list[AnyArray]:
    """Return nine Latin squares of order 256."""
    words = np.frombuffer(key, ">u4").astype(np.uint32)
    squares = []
    for _ in range(_LATIN_ROUNDS + 1):
        drawn_words = []
        for _ in range(64):
            words = words * np.uint32(1664525) + np.uint32(1013904223)
            drawn_words.append(words)
        halves = np.array(drawn_words).reshape(2, 32, 8)
        first_row, shifts = (np.argsort(half.T.reshape(-1), kind="stable") + 1 for half in halves)
        squares.append(((first_row + shifts[:, None]) % _SQUARE_ORDER).astype(np.uint8))
    return squares


def _whiten_block(block: AnyArray, square: AnyArray) -> AnyArray:
    return _mirror_block(block, square) + square[: block.shape[0], : block.shape[1]]


def _undo_whitening(block: AnyArray, square: AnyArray) -> AnyArray:
    return _mirror_block(block - square[: block.shape[0], : block.shape[1]], square)


def _mirror_block(block: AnyArray, square: AnyArray) -> AnyArray:
    mirror_choice = int(square[0, 0]) % 3
    return block[::-1] if mirror_choice == 1 else block[:, ::-1] if mirror_choice == 2 else block


def _substitute_block(block: AnyArray, square: AnyArray) -> AnyArray:
    """Substitute row by row; the result above a pixel selects its table, or 0 in the first row."""
    previous_row, result = np.zeros(block.shape[1], np.uint8), np.empty_like(block)
    for index, line in enumerate(block):
        result[index] = previous_row = square[previous_row, line]
    return result


def _undo_substitution(block: AnyArray, square: AnyArray) -> AnyArray:
    previous_rows = np.roll(block, 1, axis=0)
    previous_rows[0] = 0
    return np.argsort(square, axis=1).astype(np.uint8)[previous_rows, block]


def _get_row_orders(square: AnyArray, rows: int, columns: int) -> IntArray:
    """Return for each row the order of its pixels: entries of the square less than `columns`."""
    lines = square[:rows].astype(np.intp)
    return lines[lines < columns].reshape(rows, columns)


def _apply_rounds(block: AnyArray, squares: list[AnyArray]) -> AnyArray:
    rows, columns = block.shape
    for round_index, square in enumerate(squares[:-1]):
        block = _whiten_block(block, square)
        # The substitution runs alternately along columns and along rows.
        block = (
            _substitute_block(block, square)
            if round_index % 2
            else _substitute_block(block.T, square.T).T
        )
        block = np.take_along_axis(block, _get_row_orders(square, rows, columns), axis=1)
        block = np.take_along_axis(block, _get_row_orders(square.T, columns, rows).T, axis=0)
    return _whiten_block(block, squares[-1])


def _undo_rounds(block: AnyArray, squares: list[AnyArray]) -> AnyArray:
    rows, columns = block.shape
    block = _undo_whitening(block, squares[-1])
    for round_index in reversed(range(_LATIN_ROUNDS)):
        square = squares[round_index]
        column_orders = np.argsort(_get_row_orders(square.T, columns, rows).T, axis=0)
        block = np.take_along_axis(block, column_orders, axis=0)
        row_orders = np.argsort(_get_row_orders(square, rows, columns), axis=1)
        block = np.take_along_axis(block, row_orders, axis=1)
        if round_index % 2:
            block = _undo_substitution(block, square)
        else:
            block = _undo_substitution(block.T, square.T).T
        block = _undo_whitening(block, square)
    return block


_BOX_SIDE = 4  # the side of the boxes: the square has 16 digits


@register_baseline(
    evidence="other code",
    key_bits=52,
)
class SudokuMatrix(GrayCipher):
    """Wu and others 2010: a Sudoku square masks the pixels of each block and moves them.

    A logistic orbit orders the digits of the square. In blocks of 16 x 16 pixels, the scaled square
    is added modulo 256; then pixels move along their row to the column that their digit names. All
    channels are treated equally. The schemes of this project descend from this cipher.

    Limits: one map and one mask for all blocks of all images

    Source: Y. Wu, Y. Zhou, J. P. Noonan, K. Panetta, S. Agaian, Image encryption using the
    Sudoku matrix, Proc. SPIE 7708, 2010, doi:10.1117/12.853197

    Broken by: this project, in tests/analysis/baselines/breaks.py: 2 chosen images

    Basis: The square and the mask are those of one independent implementation
    (github.com/LudoProvost/sudoku-matrix-encryption); that pixels are also moved
    by the square is in the abstract. Chosen: pixels of a row go to the columns that its digits
    name, a square of 16 digits, growth
    3.9999, one iteration, and sums modulo 256 in place of 255, under which level 255 is lost.
    """

    name = "sudoku-matrix"
    in_color = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Add the square, then move pixels in whole blocks."""
        mask, sources = self._make_mask_and_sources(image.shape)
        masked_image = image + mask.reshape(*mask.shape, *(1,) * (image.ndim - 2))
        return masked_image[np.arange(len(image))[:, None], sources]

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        mask, sources = self._make_mask_and_sources(image.shape)
        masked_image = np.empty_like(image)
        masked_image[np.arange(len(image))[:, None], sources] = image
        return masked_image - mask.reshape(*mask.shape, *(1,) * (image.ndim - 2))

    def _make_mask_and_sources(self, shape: tuple[int, ...]) -> tuple[AnyArray, IntArray]:
        """Return the addend of each pixel, and its source column."""
        square = self.make_square(
            iterate_logistic(read_fraction(self.key, 0), _BOX_SIDE**2, skipped_count=0)
        )
        digits, (rows, columns) = len(square), shape[:2]
        tile_counts = -(-rows // digits), -(-columns // digits)
        tiled_square = np.tile(square, tile_counts)[:rows, :columns]
        sources = np.tile(np.argsort(square, axis=1), tile_counts)[:rows, :columns]
        column = np.arange(columns)
        sources = sources + column // digits * digits
        # A block that the right edge cuts has too few columns for its digits, so its pixels stay.
        is_in_cut_block = column >= columns // digits * digits
        sources[:, is_in_cut_block] = column[is_in_cut_block]
        return (tiled_square * (256 // digits)).astype(np.uint8), sources

    @staticmethod
    def make_square(orbit: AnyArray) -> IntArray:
        """Return the Sudoku square whose digits, from 0, are ordered by the values of an orbit."""
        digits, side = argsort_orbit(orbit), _BOX_SIDE
        row, column = np.indices((side**2, side**2))
        band = (row % side + column // side) % side
        position = (column % side + row // side) % side
        square: IntArray = digits[side * band + position]
        return square
