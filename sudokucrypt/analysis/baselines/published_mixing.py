"""Published ciphers that move pixels or bits, most of them with steps that also change pixels.

They are for study, never for protection. Each has the steps of its paper; its `basis` says which
details were checked against the paper, which are from memory, and which were chosen because the
paper leaves them open.
"""

from functools import lru_cache
from math import cos, isqrt
from typing import Any

import numpy as np

from sudokucrypt.analysis.baselines.chaos import (
    argsort_orbit,
    iterate_bent_map,
    iterate_hyperchaos,
    iterate_logistic,
    iterate_sine,
    read_fraction,
    take_late_bytes,
    take_samples,
)
from sudokucrypt.analysis.baselines.contract import GrayCipher, register_baseline, undo_xor_chain
from sudokucrypt.analysis.baselines.moving import ArnoldMap
from sudokucrypt.typing import AnyArray, IntArray


@register_baseline(
    evidence="pairs",
    key_bits=52,
)
class Isea(GrayCipher):
    """ISEA: the rows and the columns of the matrix of bits, M x 8N, are permuted.

    Limits: rows and columns of bits keep their number of ones

    Source: G. Ye, Image scrambling encryption algorithm of pixel bit based on chaos map, 2010,
    doi:10.1016/j.patrec.2009.11.008

    Broken by: C. Li, K.-T. Lo, arXiv:0912.1918: about log2 of the number of bits in known or
    chosen images; C. Li, D. Lin, J. Lu, IEEE MultiMedia 24(3), 2017, 64-71

    Basis: 38 public pairs of picture and result (github.com/MrDongdongLin/Cryptanalysis_ISEA)
    were compared by reviewers of this project: in all of them one order of rows and one order
    of columns of the bit matrix, the lowest bit first, give the result. The pictures are not
    copied; a test breaks the cipher under the key that is published with them, x0 = 0.2009,
    growth 3.98 and four iterations. From memory: how the orbit gives both orders. Chosen:
    growth 3.9999 and one iteration.
    """

    name = "isea"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Permute rows, then columns of bits."""
        return self.permute_bits(image, *self._find_line_orders(*image.shape))

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        return self.permute_bits(
            image, *(np.argsort(each) for each in self._find_line_orders(*image.shape))
        )

    @staticmethod
    def permute_bits(image: AnyArray, rows: IntArray, columns: IntArray) -> AnyArray:
        """Permute rows and columns of the bits of an image, the lowest bit of a pixel first."""
        matrix = np.unpackbits(image, axis=1, bitorder="little")
        return np.packbits(matrix[rows][:, columns], axis=1, bitorder="little")

    def _find_line_orders(self, rows: int, columns: int) -> tuple[IntArray, IntArray]:
        """Return the order of the rows and the order of the columns of bits."""
        values = iterate_logistic(read_fraction(self.key, 0), rows + 8 * columns)
        return argsort_orbit(values[:rows]), argsort_orbit(values[rows:])


# The choices of three of four coordinates from which Gao and Chen's cipher takes bytes.
_COORDINATE_CHOICES = np.array([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])


@register_baseline(
    evidence="other code",
    key_bits=4 * 52 - 4,
)
class GaoChen(GrayCipher):
    """Gao and Chen: a total shuffle by the logistic map, then a hyperchaotic stream.

    Rows are permuted, then the pixels within each row by an order of its own. The hyperchaotic Chen
    system gives a byte for each of four coordinates; x mod 4 of the first chooses three of them for
    the next three pixels, c(i) = p(i) ^ b(i).

    Limits: one map and one mask for all images of a size

    Source: T. Gao, Z. Chen, A new image encryption algorithm based on hyper-chaos, 2008,
    doi:10.1016/j.physleta.2007.07.040

    Broken by: R. Rhouma, S. Belghith, Cryptanalysis of a new image encryption algorithm based
    on hyper-chaos, 2008, doi:10.1016/j.physleta.2008.07.057: 3 chosen images

    Basis: Parameters, start, bytes, the choice of coordinates, and that there is no feedback
    are those of one independent implementation; the map is from memory. Chosen: the key changes
    the start of the orbit, and the steps of the integration are 0.002.
    """

    name = "gao-chen"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Shuffle, then mask."""
        moved_samples = image.reshape(-1)[self._find_sources(*image.shape)]
        return (moved_samples ^ self._make_stream(image.size)).reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        plain = np.empty_like(image.reshape(-1))
        moved_samples = image.reshape(-1) ^ self._make_stream(image.size)
        plain[self._find_sources(*image.shape)] = moved_samples
        return plain.reshape(image.shape)

    def _find_sources(self, rows: int, columns: int) -> IntArray:
        """Return the index in the image of each pixel of the shuffled image."""
        row_order = argsort_orbit(iterate_logistic(read_fraction(self.key, 0), rows))
        orbit_rows = iterate_logistic(read_fraction(self.key, 1), rows * columns).reshape(
            rows, columns
        )
        pixel_orders = np.argsort(orbit_rows, axis=1, kind="stable")
        return (row_order[:, None] * columns + pixel_orders).reshape(-1)

    def _make_stream(self, count: int) -> AnyArray:
        start = (0.3 + read_fraction(self.key, 2), -0.4 + read_fraction(self.key, 3), 1.2, 1.0)
        orbit = np.abs(iterate_hyperchaos(start, -(-count // 3), skipped_count=3000))
        orbit_bytes = take_late_bytes(orbit - np.floor(orbit))
        coordinates = _COORDINATE_CHOICES[orbit_bytes[0] % 4]
        return np.take_along_axis(orbit_bytes.T, coordinates, axis=1).reshape(-1)[:count]


_MHM_PI = 3.141592657  # as in the published code, which is wrong from the ninth digit on


@register_baseline(
    evidence="authors' code",
    key_bits=3 * 52,
)
class Mhm(GrayCipher):
    """Sheela, Suresh and Tandur: shifts by a modified Henon map, a table, and a sine mask.

    Columns are rotated by amounts from the order of an orbit, even amounts down and odd ones up,
    then rows by amounts from its second coordinate, even ones to the right. The first and the last
    row are substituted by a table, and row i is rotated left by i - 1. The interior is masked by
    S(i - 1, N) and S(i, j + 1); the pixels are read in zigzag, and
    R(i, j) = O(i, j) ^ O(i - 1, j) ^ S(i, j).

    Limits: a changed pixel changes two pixels of the result; all steps are affine except one table

    Source: S. J. Sheela, K. V. Suresh, D. Tandur, Image encryption based on modified Henon map
    using hybrid chaotic shift transform, 2018, doi:10.1007/s11042-018-5782-2

    Broken by: K. Zhou, M. Xu, J. Luo, H. Fan, M. Li, Digital Signal Processing 93, 2019,
    115-127: 257 + ceil(log256 MN) chosen images

    Basis: The steps are those of code by the authors of the break
    (github.com/ZhouKanglei/Cryptanalysis-of-MHM). The code, run on our image of 256 x 256 pixels
    with its own key, gives the result that a test expects. With the parameters of that
    code, the orbit of one map soon reaches a fixed point, and the orbit of the other a cycle.
    Chosen: the key changes the starts; for images
    of other sizes, the table is still the table of 256 columns.
    """

    name = "mhm"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Rotate columns and rows, substitute, rotate, mask, read in zigzag and mask again."""
        row_shifts, column_shifts, table = self._derive_shifts(*image.shape)
        moved_image = self.turn_rows(self.turn_rows(image.T, column_shifts).T, row_shifts)
        stream = self._make_stream(*image.shape)
        moved_image = self.turn_rows_left(
            self.substitute_end_rows(moved_image, table)
        ) ^ self._make_inner_mask(stream)
        scanned_rows = moved_image.reshape(-1)[self.list_zigzag_indices(*image.shape)].reshape(
            image.shape
        )
        result = scanned_rows ^ stream
        result[1:] ^= scanned_rows[:-1]
        return result

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        row_shifts, column_shifts, table = self._derive_shifts(*image.shape)
        stream = self._make_stream(*image.shape)
        moved_image = self.undo_outer_mask(image, stream) ^ self._make_inner_mask(stream)
        moved_image = self.substitute_end_rows(
            self.turn_rows_left(moved_image, inverse=True), np.argsort(table)
        )
        return self.turn_rows(self.turn_rows(moved_image, -row_shifts).T, -column_shifts).T

    def _derive_shifts(self, rows: int, columns: int) -> tuple[IntArray, IntArray, AnyArray]:
        """Return the amounts by which rows rotate right and columns down, and the table."""
        x, y, _ = self.derive_starts()
        points = np.array(_iterate_henon_map(x, y, max(rows, columns, 256)))
        column_shifts, row_shifts = (
            argsort_orbit(points[:columns, 0]),
            argsort_orbit(points[:rows, 1]),
        )
        table = argsort_orbit(points[:256, 0]).astype(np.uint8)
        row_shifts, column_shifts = (
            np.where(each % 2 == 0, each, -each) for each in (row_shifts, column_shifts)
        )
        return row_shifts, column_shifts, table

    def derive_starts(self) -> tuple[float, float, float]:
        """Return the starts of the orbits: x and y of the Henon map, and z of the sine map."""
        x, y, z = (read_fraction(self.key, index) for index in range(3))
        return 1 + x, 2 + y, 0.3 + 0.4 * z

    def _make_stream(self, rows: int, columns: int) -> AnyArray:
        """Return S: bytes of z -> 0.87 sin(pi z); as published, adjacent rows share a value."""
        *_, start = self.derive_starts()
        count = rows * (rows - 1) + columns - 1
        orbit = np.array(
            [start, *iterate_sine(start, count, growth=0.87, skipped_count=0, pi=_MHM_PI)]
        )
        orbit_rows = orbit[(rows - 1) * np.arange(1, rows + 1)[:, None] + np.arange(columns)]
        # Halves are rounded up, as in the published code.
        stream: AnyArray = (np.floor(orbit_rows * 1e8 + 0.5) % 256).astype(np.uint8)
        return stream

    @staticmethod
    def _make_inner_mask(stream: AnyArray) -> AnyArray:
        mask = np.zeros_like(stream)
        mask[1:-1, 1:-1] = stream[:-2, -1:] ^ stream[1:-1, 2:]
        return mask

    @staticmethod
    def turn_rows(image: AnyArray, amounts: IntArray) -> AnyArray:
        """Return an image whose rows are rotated to the right by these amounts."""
        positions = np.arange(image.shape[1]) - amounts[:, None]
        return np.take_along_axis(image, positions % image.shape[1], axis=1)

    @classmethod
    def turn_rows_left(cls, image: AnyArray, *, inverse: bool = False) -> AnyArray:
        """Return an image whose rows are rotated to the left by 0, 1, 2 and so on."""
        amounts = np.arange(len(image))
        return cls.turn_rows(image, amounts if inverse else -amounts)

    @staticmethod
    def substitute_end_rows(image: AnyArray, table: AnyArray) -> AnyArray:
        """Return an image whose first and last row are substituted by a table."""
        result = image.copy()
        end_rows = [0, -1] if len(image) > 1 else [0]
        result[end_rows] = table[result[end_rows]]
        return result

    @staticmethod
    @lru_cache(maxsize=4)
    def list_zigzag_indices(rows: int, columns: int) -> IntArray:
        """Return the indices of the pixels along diagonals, alternately up and down."""
        row, column = np.divmod(np.arange(rows * columns), columns)
        turns = np.where((row + column) % 2, column, row)
        return np.lexsort((turns, row + column))

    @classmethod
    def undo_outer_mask(cls, image: AnyArray, stream: AnyArray) -> AnyArray:
        """Undo the zigzag and the last mask by `stream`."""
        scanned_rows = np.bitwise_xor.accumulate(image ^ stream, axis=0)
        unmasked_samples = np.empty_like(scanned_rows.reshape(-1))
        unmasked_samples[cls.list_zigzag_indices(*image.shape)] = scanned_rows.reshape(-1)
        return unmasked_samples.reshape(image.shape)


@lru_cache(maxsize=32)
def _iterate_henon_map(x: float, y: float, count: int) -> list[tuple[float, float]]:
    """Return points of x -> 1 - 1.4 cos x - 0.3 y, y -> -x, the first one included."""
    points = [(x, y)]
    while len(points) < count:
        x, y = 1 - 1.4 * cos(x) - 0.3 * y, -x
        points.append((x, y))
    return points


@register_baseline(
    evidence="other code",
    claimed={
        "npcr_same_salt": 0.99585,
        "uaci_same_salt": 0.28621,
        "global_entropy": 7.9968,
        "correlation_horizontal": 0.0068,
        "correlation_vertical": 0.0091,
        "correlation_diagonal": 0.0063,
    },
    key_bits=2 * 52,
)
class Rubik(GrayCipher):
    """Loukhaoukha, Chouinard and Berdai: rows and columns rotate as in a Rubik's cube.

    Each row is rotated to the right if its sum is even, otherwise to the left, by a number of the
    key, and then each column up or down. Odd rows are masked by the key of columns and even rows by
    the same key reversed, and columns similarly by the key of rows.

    Limits: all images whose rows and columns have even sums have one map: three chosen images show
    it completely

    Source: K. Loukhaoukha, J.-Y. Chouinard, A. Berdai, A secure image encryption algorithm
    based on Rubik's cube principle, 2012, doi:10.1155/2012/173931

    Broken by: this project, in tests/analysis/baselines/breaks.py: 3 chosen images

    Basis: The order of the steps is that of two independent implementations. Chosen: one
    iteration, and key vectors from logistic orbits, which the paper draws at random. The stated
    claims are from memory.
    """

    name = "rubik"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Rotate rows, then columns, then mask."""
        row_key, column_key = self._make_key_vectors(*image.shape)
        moved_image = turn_rows_by_parity(image, row_key, inverse=False)
        # Columns rotate up where rows rotate right, so the transposed image is mirrored before and
        # after.
        moved_image = turn_rows_by_parity(moved_image.T[:, ::-1], column_key, inverse=False)[
            :, ::-1
        ].T
        return _mask_lines(moved_image, row_key, column_key)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        row_key, column_key = self._make_key_vectors(*image.shape)
        moved_image = _mask_lines(image, row_key, column_key)
        moved_image = turn_rows_by_parity(moved_image.T[:, ::-1], column_key, inverse=True)[
            :, ::-1
        ].T
        return turn_rows_by_parity(moved_image, row_key, inverse=True)

    def _make_key_vectors(self, rows: int, columns: int) -> list[AnyArray]:
        sides = enumerate((rows, columns))
        return [
            take_samples(iterate_logistic(read_fraction(self.key, index), side))
            for index, side in sides
        ]


def turn_rows_by_parity(image: AnyArray, amounts: AnyArray, *, inverse: bool) -> AnyArray:
    """Rotate the rows of an image: rows of even sum to the right, rows of odd sum to the left."""
    is_even = image.sum(axis=1, dtype=np.int64) % 2 == 0
    distances = np.where(is_even != inverse, amounts.astype(np.int64), -amounts.astype(np.int64))
    positions = (np.arange(image.shape[1]) - distances[:, None]) % image.shape[1]
    return np.take_along_axis(image, positions, axis=1)


def _mask_lines(image: AnyArray, row_key: AnyArray, column_key: AnyArray) -> AnyArray:
    result = image.copy()
    result[::2] ^= column_key
    result[1::2] ^= column_key[::-1]
    result[:, ::2] ^= row_key[:, None]
    result[:, 1::2] ^= row_key[::-1, None]
    return result


_BCIEA_SKIPPED_COUNT = 99  # values of an orbit that are left out, as in the code of the break


@register_baseline(
    evidence="authors' code",
    claimed={
        "npcr_same_salt": 0.9962,
        "uaci_same_salt": 0.3351,
        "global_entropy": 7.9974,
        "correlation_horizontal": -0.0230,
        "correlation_vertical": 0.0019,
        "correlation_diagonal": -0.0034,
    },
    key_bits=2 * 52,
)
class Bciea(GrayCipher):
    """BCIEA, after Xu and others: two rows of bits mask each other, then the bits of each move.

    The high four bit planes make one row, the low four planes the other. Each row is rotated by the
    number of ones of the other, and chained with it and with a stream of a piecewise linear map.
    Then the rows are exchanged, and an orbit whose start depends on the number of ones orders the
    bits of each.

    Limits: all results with the same number of ones have one map of bits

    Source: L. Xu, Z. Li, J. Li, W. Hua, A novel bit-level image encryption algorithm based on
    chaotic maps, 2016, doi:10.1016/j.optlaseng.2015.09.007

    Broken by: H. Wen, Y. Lin, Z. Feng, Engineering Science and Technology 51, 2024,
    doi:10.1016/j.jestch.2024.101634: 37 chosen ciphertexts for 256 x 256

    Basis: Chains are equations 3 to 9 of the paper of the break. Its code
    (github.com/Lucky-YitingLin), run on our image with its own key, gives the result that a
    test expects; the first bits have no feedback there, since the cipher as published cannot be
    undone. The claims of the paper are from memory. Chosen: the key changes the starts.
    """

    name = "bciea"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Chain both rows, then move their bits."""
        (high_bits, low_bits), (first_mask, second_mask) = (
            self.split_bits(image),
            self._derive_masks(image.size),
        )
        first_row = self.chain(high_bits, low_bits, first_mask)
        second_row = self.chain(low_bits, first_row, second_mask)
        targets = self._find_targets(len(high_bits), int(first_row.sum()) + int(second_row.sum()))
        moved_bits = np.empty(2 * len(high_bits), np.uint8)
        moved_bits[targets] = np.concatenate([first_row, second_row])
        return self.join_bits(moved_bits, image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        result_bits = np.concatenate(self.split_bits(image))
        moved_bits = result_bits[self._find_targets(len(result_bits) // 2, int(result_bits.sum()))]
        (first_row, second_row), (first_mask, second_mask) = (
            np.split(moved_bits, 2),
            self._derive_masks(image.size),
        )
        low_bits = self.undo_chain(second_row, first_row, second_mask)
        return self.join_bits(
            np.concatenate([self.undo_chain(first_row, low_bits, first_mask), low_bits]),
            image.shape,
        )

    def derive_starts(self) -> tuple[float, float, float, float]:
        """Return start and bend of the map for the streams, then for the order of bits."""
        return read_fraction(self.key, 0), 0.312345679, read_fraction(self.key, 1), 0.357142857

    def _derive_masks(self, pixels: int) -> list[AnyArray]:
        """Return the two streams of bits: the odd and the even bit planes of a row of bytes."""
        start, bend, *_ = self.derive_starts()
        stream = take_late_bytes(
            iterate_bent_map(start, pixels, bend=bend, skipped_count=_BCIEA_SKIPPED_COUNT)
        )
        planes = np.unpackbits(stream[:, None], axis=1).T  # the highest bit first
        return [planes[1::2].reshape(-1), planes[::2].reshape(-1)]

    def _find_targets(self, length: int, one_count: int) -> IntArray:
        """Return the targets of the bits of both rows: each row takes the place of the other."""
        *_, start, bend = self.derive_starts()
        start = (start + one_count / length) % 1
        values = iterate_bent_map(start, 2 * length, bend=bend, skipped_count=_BCIEA_SKIPPED_COUNT)
        return np.concatenate(
            [length + argsort_orbit(values[:length]), argsort_orbit(values[length:])]
        )

    @staticmethod
    def split_bits(image: AnyArray) -> list[AnyArray]:
        """Return the four high and the four low bit planes of an image, each as one row of bits."""
        return np.split(np.unpackbits(image.reshape(-1, 1), axis=1).T.reshape(-1), 2)

    @staticmethod
    def join_bits(all_bits: AnyArray, shape: tuple[int, ...]) -> AnyArray:
        """Return the image with these bits: both rows, one after the other."""
        return np.packbits(all_bits.reshape(8, -1).T, axis=1).reshape(shape)

    @staticmethod
    def chain(row: AnyArray, other_row: AnyArray, mask: AnyArray) -> AnyArray:
        """Rotate a row by the number of ones in another row, then chain and mask it.

        Each bit is combined with the previous bit of the rotated row, except the first, with the
        other row and with a stream.
        """
        rotated_row = np.roll(row, int(other_row.sum()))
        return undo_xor_chain(rotated_row) ^ other_row ^ mask

    @staticmethod
    def undo_chain(row: AnyArray, other_row: AnyArray, mask: AnyArray) -> AnyArray:
        """Undo `chain`."""
        rotated_row = np.bitwise_xor.accumulate(row ^ other_row ^ mask)
        return np.roll(rotated_row, -int(other_row.sum()))


_FRIDRICH_ROUNDS = 2
_CAT_MAP_ITERATIONS = 3  # in each round


@register_baseline(
    evidence="memory",
    basis="From memory, and reduced. Chosen: the cat map in place of the baker map, "
    f"{_CAT_MAP_ITERATIONS} times in each of {_FRIDRICH_ROUNDS} rounds (the paper leaves rounds "
    "to the key, "
    "and the break gets harder with each), a table from a logistic orbit, and no third coordinate.",
    reduced=True,
    key_bits=52 + 16,
)
class Fridrich(GrayCipher):
    """Fridrich's design: each round moves pixels by a chaotic map, then sums them through a table.

    In each round pixels move by Arnold's cat map with the parameters a and b, then
    v'(i) = v(i) + G(v'(i - 1)) modulo 256 in reading order, with v'(-1) = 0. Map and table are the
    same in all rounds.

    Limits: reduced to two rounds: a changed sample of the result changes at most four plain samples

    Source: J. Fridrich, Symmetric ciphers based on two-dimensional chaotic maps, 1998,
    doi:10.1142/S021812749800098X

    Broken by: E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010,
    doi:10.1142/S0218127410026563; E. Y. Xie, C. Li, S. Yu, J. Lu, 2017,
    doi:10.1016/j.sigpro.2016.10.002: chosen ciphertexts
    """

    name = "fridrich-reduced"
    square_only = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Move pixels, then chain them by sums, in each round."""
        positions, table = self._find_targets(image.shape[0]), self._derive_table().tolist()
        values = image.reshape(-1)
        for _ in range(_FRIDRICH_ROUNDS):
            moved_values = np.empty_like(values)
            moved_values[positions] = values
            previous_sum, sums = 0, []
            for value in moved_values.tolist():
                previous_sum = value + table[previous_sum] & 255
                sums.append(previous_sum)
            values = np.array(sums, dtype=np.uint8)
        return values.reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        positions, table = self._find_targets(image.shape[0]), self._derive_table()
        values = image.reshape(-1)
        for _ in range(_FRIDRICH_ROUNDS):
            previous_values = np.concatenate([np.zeros(1, dtype=np.uint8), values[:-1]])
            values = (values - table[previous_values])[positions]
        return values.reshape(image.shape)

    def _derive_table(self) -> AnyArray:
        """Return G, a permutation of the levels."""
        return argsort_orbit(iterate_logistic(read_fraction(self.key, 0), 256)).astype(np.uint8)

    def _find_targets(self, side: int) -> IntArray:
        """Return the target of each pixel of a square in one round."""
        cat_map = ArnoldMap(iterations=_CAT_MAP_ITERATIONS, a=self.key[7] + 1, b=self.key[8] + 1)
        return cat_map.targets(side, side)


# Each round turns the image by a quarter, so after four rounds it has its shape again.
_HUA_ROUNDS = 4


@register_baseline(
    evidence="authors' code",
    key_bits=2 * 52,
)
class HuaFilter(GrayCipher):
    """Hua and Zhou: in 4 rounds pixels move inside of blocks, the image turns, and a filter mixes.

    Each block of L x L pixels has its own order, from two sorts; L is the square root of the
    shorter side. After a quarter turn, a matrix of bytes is added modulo 256. The filter adds to
    each pixel eight filtered neighbors, up to two rows above and two columns to the left, with
    weights 0..255; the image continues at the opposite edge.

    Limits: affine modulo 256 with any number of rounds

    Source: Z. Hua, Y. Zhou, Design of image cipher using block-based scrambling and image
    filtering, 2017, doi:10.1016/j.ins.2017.02.036

    Broken by: F. Yu, X. Gong, H. Li, X. Zhao, S. Wang, arXiv:1812.11693: MN + 1 chosen images

    Basis: The steps are those of code by the authors of the break
    (github.com/yufeng04/simulation), which was read but not run.
    The DOI of the cipher is from memory. Chosen: the logistic map, streams and weights from its
    orbits, and that pixels outside whole blocks do not move.
    """

    name = "hua-filter"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Move, turn, add and filter, four times."""
        for round_index in range(_HUA_ROUNDS):
            moved_image = image.reshape(-1)[self._find_sources(round_index, *image.shape)].reshape(
                image.shape
            )
            turned_image = np.rot90(moved_image)
            image = _filter_image(
                turned_image + self._make_stream(round_index, turned_image.shape),
                self._derive_weights(round_index),
            )
        return image

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        for round_index in reversed(range(_HUA_ROUNDS)):
            turned_image = _undo_filter(
                image, self._derive_weights(round_index)
            ) - self._make_stream(round_index, image.shape)
            moved_image = np.rot90(turned_image, -1)
            image = np.empty_like(moved_image)
            np.put(image, self._find_sources(round_index, *moved_image.shape), moved_image)
        return image

    def _find_sources(self, round_index: int, rows: int, columns: int) -> IntArray:
        """Return the source index of each pixel; pixels outside whole blocks do not move."""
        side = isqrt(min(rows, columns))
        block_rows, block_columns = rows // side, columns // side
        block_count, block_pixels = block_rows * block_columns, side**2
        values = iterate_logistic(
            read_fraction(self.key, round_index % 2), _HUA_ROUNDS * (block_count + block_pixels)
        )
        values = values[round_index * (block_count + block_pixels) :][: block_count + block_pixels]
        pixel_order, block_order = (
            argsort_orbit(values[:block_pixels]),
            argsort_orbit(values[block_pixels:]),
        )
        image = np.arange(rows * columns).reshape(rows, columns)
        block_grid = image[: block_rows * side, : block_columns * side].reshape(
            block_rows, side, block_columns, side
        )
        block_indices = block_grid.swapaxes(1, 2).reshape(block_count, block_pixels)
        orders = pixel_order[(np.arange(block_pixels) - block_order[:, None] - 1) % block_pixels]
        moved_indices = np.take_along_axis(block_indices, orders, axis=1).reshape(
            block_rows, block_columns, side, side
        )
        image[: block_rows * side, : block_columns * side] = moved_indices.swapaxes(1, 2).reshape(
            block_rows * side, block_columns * side
        )
        return image.reshape(-1)

    def _make_stream(self, round_index: int, shape: tuple[int, ...]) -> AnyArray:
        orbit = iterate_logistic(read_fraction(self.key, round_index % 2), shape[0] * shape[1])
        return take_samples(orbit).reshape(shape)

    def _derive_weights(self, round_index: int) -> IntArray:
        """Return the weights of the eight neighbors in reading order."""
        orbit_bytes = take_samples(
            iterate_logistic(read_fraction(self.key, 1), 8 * _HUA_ROUNDS)
        ).astype(np.int64)
        return orbit_bytes[8 * round_index : 8 * round_index + 8]


# Offsets in rows and columns to the neighbors of the filter, in reading order.
_NEIGHBOR_STEPS = [(row, column) for row in (2, 1, 0) for column in (2, 1, 0)][:-1]


def _weigh_neighbors(weights: IntArray, rows: int, columns: int) -> tuple[list[Any], int, int]:
    """Return the weights and offsets of neighbors above, and the weights of the two on the left.

    In images of fewer than three rows or columns, a neighbor beyond the edge may be the pixel
    itself, which does not count.
    """
    *upper_weights, second_left_weight, left_weight = weights.tolist()
    neighbors_above = [
        (weight, *step)
        for weight, step in zip(upper_weights, _NEIGHBOR_STEPS, strict=False)
        if step[0] < rows
    ]
    return neighbors_above, second_left_weight * (columns > 2), left_weight * (columns > 1)


def _filter_image(image: AnyArray, weights: IntArray) -> AnyArray:
    result = image.astype(np.int64)
    rows, columns = image.shape
    upper_neighbors, second_left_weight, left_weight = _weigh_neighbors(weights, rows, columns)
    # The amount that a pixel adds to each following pixel of its row; sums stay below 2^53.
    response = [1, left_weight]
    while len(response) < columns:
        response.append((left_weight * response[-1] + second_left_weight * response[-2]) % 256)
    distances = np.subtract.outer(np.arange(columns), np.arange(columns))
    response_matrix = np.where(
        distances >= 0, np.array(response, dtype=np.float64)[np.abs(distances)], 0
    )
    for row in range(rows):
        line = result[row].copy()
        # The unfiltered last pixels of the row are the left neighbors of its first ones.
        line[0] += left_weight * result[row, -1] + second_left_weight * result[row, -2 % columns]
        line[1 % columns] += second_left_weight * result[row, -1]
        for weight, rows_up, left in upper_neighbors:
            line += weight * np.roll(result[row - rows_up], left)
        result[row] = (response_matrix @ (line % 256)).astype(np.int64) % 256
    return result.astype(np.uint8)


def _undo_filter(image: AnyArray, weights: IntArray) -> AnyArray:
    result = image.astype(np.int64)
    upper_neighbors, second_left_weight, left_weight = _weigh_neighbors(weights, *image.shape)
    for row in reversed(range(len(result))):
        line = result[row].copy()
        for weight, rows_up, left in upper_neighbors:
            line -= weight * np.roll(result[row - rows_up], left)
        line[1:] -= left_weight * result[row, :-1]
        line[2:] -= second_left_weight * result[row, :-2]
        # The last pixels are already unfiltered, and are the left neighbors of the first ones.
        line[1 % len(line)] -= second_left_weight * line[-1]
        line[0] -= left_weight * line[-1] + second_left_weight * line[-2 % len(line)]
        result[row] = line % 256
    return result.astype(np.uint8)
