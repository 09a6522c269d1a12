"""Published ciphers that move pixels or bits, most of them between steps that change pixels.

They are for study, never for protection. Each has the steps of its paper; its `basis` says what was
checked against the paper, what is from memory and what was chosen where the paper is open.
"""

from functools import lru_cache
from math import isqrt

import numpy as np

from sudokucrypt.analysis.baselines.chaos import (
    SKIPPED,
    fraction,
    hyperchaos,
    logistic,
    order,
    piecewise_linear,
    samples,
    sine,
)
from sudokucrypt.analysis.baselines.contract import GrayCipher, register_baseline, undo_xor_chain
from sudokucrypt.analysis.baselines.moving import ArnoldMap
from sudokucrypt.typing import AnyArray, IntArray


@register_baseline(
    limits="rows and columns of bits keep their number of ones",
    source="G. Ye, Image scrambling encryption algorithm of pixel bit based on chaos map, 2010, "
    "doi:10.1016/j.patrec.2009.11.008",
    broken_by="C. Li, K.-T. Lo, arXiv:0912.1918: about log2 of the number of bits in known or "
    "chosen images",
    basis="The abstracts of the break and of a later one were read; the rest is from memory. "
    "Chosen: one order of columns for all rows, one orbit for both orders, growth 3.9999.",
    key_bits=52,
)
class Isea(GrayCipher):
    """ISEA: the rows and the columns of the matrix of bits, M x 8N, change places."""

    name = "isea"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Move rows, then columns of bits."""
        rows, columns = self._orders(*image.shape)
        return np.packbits(np.unpackbits(image, axis=1)[rows][:, columns], axis=1)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        rows, columns = (np.argsort(each) for each in self._orders(*image.shape))
        return np.packbits(np.unpackbits(image, axis=1)[rows][:, columns], axis=1)

    def _orders(self, rows: int, columns: int) -> tuple[IntArray, IntArray]:
        """Return which row, and which column of bits, comes first, second and so on."""
        values = logistic(fraction(self.key, 0), rows + 8 * columns)
        return order(values[:rows]), order(values[rows:])


# Three of four coordinates, of which Gao and Chen's cipher takes bytes.
_CHOICES = np.array([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])


@register_baseline(
    limits="map, stream and chain are affine over bits",
    source="T. Gao, Z. Chen, A new image encryption algorithm based on hyper-chaos, 2008, "
    "doi:10.1016/j.physleta.2007.07.040",
    broken_by="R. Rhouma, S. Belghith, Cryptanalysis of a new image encryption algorithm based on "
    "hyper-chaos, 2008, doi:10.1016/j.physleta.2008.07.057: 3 chosen images",
    basis="From memory; whether the feedback comes from one pixel before was not verified. Chosen: "
    "parameters, step and start of the hyperchaotic system, and which digits make bytes.",
    key_bits=4 * 52 - 4,
)
class GaoChen(GrayCipher):
    """Gao and Chen: a total shuffle by the logistic map, then a hyperchaotic stream with feedback.

    Rows change places, then columns within each row by an order of its own. The hyperchaotic Chen
    system gives a byte for each of four coordinates; x mod 4 of the first chooses three of them for
    the next three pixels, c(i) = p(i) ^ b(i) ^ c(i - 1).
    """

    name = "gao-chen"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Shuffle, then chain."""
        moved = image.reshape(-1)[self._sources(*image.shape)]
        return np.bitwise_xor.accumulate(moved ^ self._stream(image.size)).reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        plain = np.empty_like(image.reshape(-1))
        moved = undo_xor_chain(image.reshape(-1)) ^ self._stream(image.size)
        plain[self._sources(*image.shape)] = moved
        return plain.reshape(image.shape)

    def _sources(self, rows: int, columns: int) -> IntArray:
        """Return from which index of the image each pixel of the shuffled image comes."""
        lines = order(logistic(fraction(self.key, 0), rows))
        cells = logistic(fraction(self.key, 1), rows * columns).reshape(rows, columns)
        inside = np.argsort(cells, axis=1, kind="stable")
        return (lines[:, None] * columns + inside).reshape(-1)

    def _stream(self, count: int) -> AnyArray:
        start = (0.3 + fraction(self.key, 2), -0.4 + fraction(self.key, 3), 1.2, 1.0)
        drawn = samples(hyperchaos(start, -(-count // 3)))
        chosen = _CHOICES[drawn[0] % 4]
        return np.take_along_axis(drawn.T, chosen, axis=1).reshape(-1)[:count]


@register_baseline(
    limits="shifts keep rows and columns together, and the chain is affine over bits",
    source="S. J. Sheela, K. V. Suresh, D. Tandur, Image encryption based on modified Henon map "
    "using hybrid chaotic shift transform, 2018, doi:10.1007/s11042-018-5782-2",
    broken_by="Digital Signal Processing 93, 2019: chosen images",
    basis="From memory, the DOI too; authors and title of the break were not verified. Chosen: how "
    "sums enter the shifts, parameters of the maps, the scan of diagonals.",
    key_bits=3 * 52,
)
class Mhm(GrayCipher):
    """Sheela, Suresh and Tandur: shifts of rows and columns by a Henon orbit, then a sine chain.

    Each row is turned by an amount of the orbit and by the sum of its pixels, then each column; the
    pixels are read along the diagonals, and c(i) = p(i) ^ s(i) ^ c(i - 1), s by the sine map.
    """

    name = "mhm"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Turn rows and columns, then chain."""
        across, down = self._shifts(*image.shape)
        moved = self.turn_rows(self.turn_rows(image, across).T, down).T
        row = moved.reshape(-1)[_diagonal_order(*image.shape)]
        return np.bitwise_xor.accumulate(row ^ self._stream(image.size)).reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        across, down = self._shifts(*image.shape)
        moved = self.undo_chain(image, self._stream(image.size))
        return self.turn_rows(self.turn_rows(moved.T, down, back=True).T, across, back=True)

    def _shifts(self, rows: int, columns: int) -> tuple[IntArray, IntArray]:
        """Return the amounts of rows and of columns, without those of their sums."""
        x, y = fraction(self.key, 0), fraction(self.key, 1)
        drawn = _henon_map(x, y, 2 * (rows + columns)).astype(np.int64)
        amounts = 256 * drawn[::2] + drawn[1::2]
        return amounts[:rows], amounts[rows:]

    def _stream(self, count: int) -> AnyArray:
        return samples(sine(fraction(self.key, 2), count))

    @staticmethod
    def turn_rows(image: AnyArray, amounts: IntArray, *, back: bool = False) -> AnyArray:
        """Return an image whose rows are turned to the right by amounts and by their sums."""
        amounts = amounts + image.sum(axis=1, dtype=np.int64)
        positions = np.arange(image.shape[1]) + (amounts if back else -amounts)[:, None]
        return np.take_along_axis(image, positions % image.shape[1], axis=1)

    @staticmethod
    def undo_chain(image: AnyArray, stream: AnyArray) -> AnyArray:
        """Return the image before the chain, from the stream in the order of diagonals."""
        row = undo_xor_chain(image.reshape(-1)) ^ stream
        moved = np.empty_like(row)
        moved[_diagonal_order(*image.shape)] = row
        return moved.reshape(image.shape)


def _henon_map(x: float, y: float, count: int) -> AnyArray:
    """Return bytes of a Henon map whose square is a cosine, which keeps it bounded."""
    values = []
    for _ in range(SKIPPED + count):
        x, y = 1 - 3.58 * np.cos(x) + y, 0.56 * x
        values.append(x)
    return samples(np.array(values[SKIPPED:]))


def _diagonal_order(rows: int, columns: int) -> IntArray:
    """Return the indexes of the pixels along diagonals, from the first corner to the last."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    return np.lexsort((row, row + column))


@register_baseline(
    limits="one change of a pixel reaches a row and a column; no break of it is known to us",
    source="K. Loukhaoukha, J.-Y. Chouinard, A. Berdai, A secure image encryption algorithm based "
    "on Rubik's cube principle, 2012, doi:10.1155/2012/173931",
    basis="From memory. Chosen: one iteration, and key vectors from logistic orbits, which the "
    "paper draws at random.",
    key_bits=2 * 52,
)
class Rubik(GrayCipher):
    """Loukhaoukha, Chouinard and Berdai: rows and columns turn like those of a Rubik's cube.

    Each row is turned to the right if its sum is even and else to the left, by a number of the key,
    and then each column up or down; odd rows take up the key of columns by exclusive-or and even
    ones the same reversed, and columns likewise the key of rows.
    """

    name = "rubik"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Turn rows, then columns, then mask."""
        rows, columns = self._vectors(*image.shape)
        moved = _turn_by_parity(image, rows, back=False)
        # A column goes up where a row would go to the right: the transposed image is read backward.
        moved = _turn_by_parity(moved.T[:, ::-1], columns, back=False)[:, ::-1].T
        return _mask_lines(moved, rows, columns)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        rows, columns = self._vectors(*image.shape)
        moved = _mask_lines(image, rows, columns)
        moved = _turn_by_parity(moved.T[:, ::-1], columns, back=True)[:, ::-1].T
        return _turn_by_parity(moved, rows, back=True)

    def _vectors(self, rows: int, columns: int) -> list[AnyArray]:
        sides = enumerate((rows, columns))
        return [samples(logistic(fraction(self.key, index), side)) for index, side in sides]


def _turn_by_parity(image: AnyArray, amounts: AnyArray, *, back: bool) -> AnyArray:
    """Return an image whose rows of even sum are turned to the right, and others to the left."""
    even = image.sum(axis=1, dtype=np.int64) % 2 == 0
    steps = np.where(even != back, amounts.astype(np.int64), -amounts.astype(np.int64))
    positions = (np.arange(image.shape[1]) - steps[:, None]) % image.shape[1]
    return np.take_along_axis(image, positions, axis=1)


def _mask_lines(image: AnyArray, rows: AnyArray, columns: AnyArray) -> AnyArray:
    result = image.copy()
    result[::2] ^= columns
    result[1::2] ^= columns[::-1]
    result[:, ::2] ^= rows[:, None]
    result[:, 1::2] ^= rows[::-1, None]
    return result


@register_baseline(
    limits="all results of one number of ones have one map of bits",
    source="L. Xu, Z. Li, J. Li, W. Hua, A novel bit-level image encryption algorithm based on "
    "chaotic maps, 2016, doi:10.1016/j.optlaseng.2015.09.007",
    broken_by="doi:10.1016/j.jestch.2024.101634: 37 chosen ciphertexts for 256 x 256",
    basis="From memory. Chosen: the planes of both rows, chains over the bit before, and the map.",
    key_bits=2 * 52,
)
class Bciea(GrayCipher):
    """BCIEA, after Xu and others: two rows of bits that mask each other, then change bits by maps.

    The high four bits of all pixels make one row, the low four the other. Each moves by the ones of
    the other and is chained to it and to a stream; then bits swap with those that a map names.
    """

    name = "bciea"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Chain both rows, then swap their bits."""
        (high, low), (one, other) = self.split_bits(image), self._masks(4 * image.size)
        first = self.chain(high, low, one)
        both = np.concatenate([first, self.chain(low, first, other)])
        sources = _bit_sources(self.key, len(high), int(both.sum()))
        return self.join_bits(both[sources], image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        both, length = np.empty(8 * image.size, np.uint8), 4 * image.size
        sources = _bit_sources(self.key, length, int(np.bitwise_count(image).sum()))
        both[sources] = np.concatenate(self.split_bits(image))
        (first, second), (one, other) = np.split(both, 2), self._masks(length)
        low = self.undo_chain(second, first, other)
        return self.join_bits(np.concatenate([self.undo_chain(first, low, one), low]), image.shape)

    def _masks(self, length: int) -> list[AnyArray]:
        """Return the two streams of bits."""
        values = piecewise_linear(fraction(self.key, 0), 2 * length, bend=_BEND)
        return np.split((values > 0.5).astype(np.uint8), 2)

    @staticmethod
    def split_bits(image: AnyArray) -> list[AnyArray]:
        """Return the high and the low bits of an image, plane after plane."""
        return np.split(np.unpackbits(image.reshape(-1, 1), axis=1).T.reshape(-1), 2)

    @staticmethod
    def join_bits(both: AnyArray, shape: tuple[int, ...]) -> AnyArray:
        """Return the image of both rows, one after the other."""
        return np.packbits(both.reshape(8, -1).T, axis=1).reshape(shape)

    @staticmethod
    def chain(row: AnyArray, other: AnyArray, mask: AnyArray) -> AnyArray:
        """Return a row turned by the ones of another, chained to it and to a stream."""
        turned = np.roll(row, int(other.sum()))
        masked = turned ^ other ^ mask
        masked[0] ^= turned[-1]
        return np.bitwise_xor.accumulate(masked)

    @staticmethod
    def undo_chain(row: AnyArray, other: AnyArray, mask: AnyArray) -> AnyArray:
        """Undo `chain`."""
        turned = undo_xor_chain(row) ^ other ^ mask
        turned[0] ^= turned[-1]
        return np.roll(turned, -int(other.sum()))


_BEND = 0.25678900  # of the piecewise linear map


@lru_cache(maxsize=4)
def _bit_sources(key: bytes, length: int, ones: int) -> IntArray:
    """Return from which bit of both rows, one after the other, each bit comes."""
    start = (fraction(key, 1) + ones / (2 * length)) % 1 or 0.5
    values = piecewise_linear(start, 2 * length, bend=_BEND)
    partners = np.minimum((values * length).astype(np.int64), length - 1)
    partners[:length] += length  # bits of the first row swap with ones of the second, then back
    sources = list(range(2 * length))
    for index, partner in enumerate(partners.tolist()):
        sources[index], sources[partner] = sources[partner], sources[index]
    return np.array(sources)


_FRIDRICH_ROUNDS = 2
_CAT_MAPS = 3  # in each round


@register_baseline(
    limits="a changed sample of the result changes at most 2^rounds samples of the picture",
    source="J. Fridrich, Symmetric ciphers based on two-dimensional chaotic maps, 1998, "
    "doi:10.1142/S021812749800098X",
    broken_by="E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010, "
    "doi:10.1142/S0218127410026563; E. Y. Xie, C. Li, S. Yu, J. Lu, 2017, "
    "doi:10.1016/j.sigpro.2016.10.002: chosen ciphertexts",
    basis=f"From memory. Chosen: the cat map in place of the baker map, {_CAT_MAPS} times in each "
    f"of {_FRIDRICH_ROUNDS} rounds (the paper leaves rounds to the key, and the break gets harder "
    "with each), a table from a logistic orbit, and no third coordinate.",
    key_bits=52 + 16,
)
class Fridrich(GrayCipher):
    """Fridrich's design: rounds of a chaotic map of positions and of sums through a table.

    In each round pixels move by Arnold's cat map with the parameters a and b, then
    v'(i) = v(i) + G(v'(i - 1)) modulo 256 in reading order, with v'(-1) = 0. Map and table are the
    same in all rounds.
    """

    name = "fridrich"
    square = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Move, then sum up, some rounds."""
        positions, step = self._targets(image.shape[0]), self._table().tolist()
        values = image.reshape(-1)
        for _ in range(_FRIDRICH_ROUNDS):
            moved = np.empty_like(values)
            moved[positions] = values
            last, sums = 0, []
            for value in moved.tolist():
                last = value + step[last] & 255
                sums.append(last)
            values = np.array(sums, dtype=np.uint8)
        return values.reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        positions, step = self._targets(image.shape[0]), self._table()
        values = image.reshape(-1)
        for _ in range(_FRIDRICH_ROUNDS):
            before = np.concatenate([np.zeros(1, dtype=np.uint8), values[:-1]])
            values = (values - step[before])[positions]
        return values.reshape(image.shape)

    def _table(self) -> AnyArray:
        """Return G, a permutation of the levels."""
        return order(logistic(fraction(self.key, 0), 256)).astype(np.uint8)

    def _targets(self, side: int) -> IntArray:
        """Return where the map sends each pixel of a square in one round."""
        cat = ArnoldMap(iterations=_CAT_MAPS, a=self.key[7] + 1, b=self.key[8] + 1)
        return cat.targets(side, side)


# Of a quarter turn each, so that the shape is that of the image at the end.
_HUA_ROUNDS = 4


@register_baseline(
    limits="affine modulo 256, whatever the rounds",
    source="Z. Hua, Y. Zhou, Design of image cipher using block-based scrambling and image "
    "filtering, 2017, doi:10.1016/j.ins.2017.02.036",
    broken_by="F. Yu, X. Gong, H. Li, X. Zhao, S. Wang, arXiv:1812.11693: MN + 1 chosen images",
    basis="The abstract of the break was read; the rest is from memory, the DOI of the cipher too. "
    "Chosen: blocks of the root of the shorter side, three neighbors of odd weights, the logistic "
    "map, and bytes of the key beyond the edge.",
    key_bits=2 * 52 + 116,
)
class HuaFilter(GrayCipher):
    """Hua and Zhou: blocks and the pixels in them move, the image turns, a filter mixes: 4 rounds.

    The filter is y(r, c) = x(r, c) + f y(r - 1, c) + g y(r - 1, c - 1) + h y(r, c - 1) modulo 256,
    with weights of the round and bytes of the key where there is no neighbor.
    """

    name = "hua-filter"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Move, turn and filter, four times."""
        for turn in range(_HUA_ROUNDS):
            moved = image.reshape(-1)[self._sources(turn, *image.shape)].reshape(image.shape)
            image = _filter_image(np.rot90(moved), *self._weights(turn))
        return image

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        for turn in reversed(range(_HUA_ROUNDS)):
            moved = np.rot90(_undo_filter(image, *self._weights(turn)), -1)
            image = np.empty_like(moved)
            np.put(image, self._sources(turn, *moved.shape), moved)
        return image

    def _sources(self, turn: int, rows: int, columns: int) -> IntArray:
        """Return from which index each pixel comes; what whole blocks leave over stays."""
        side = isqrt(min(rows, columns))
        down, across = rows // side, columns // side
        blocks = down * across
        values = logistic(fraction(self.key, turn % 2), _HUA_ROUNDS * (blocks + side**2))
        values = values[turn * (blocks + side**2) :][: blocks + side**2]
        image = np.arange(rows * columns).reshape(rows, columns)
        whole = image[: down * side, : across * side].reshape(down, side, across, side)
        cut = whole.swapaxes(1, 2).reshape(blocks, side**2)
        cut = cut[order(values[:blocks])][:, order(values[blocks:])]
        moved = cut.reshape(down, across, side, side).swapaxes(1, 2)
        image[: down * side, : across * side] = moved.reshape(down * side, across * side)
        return image.reshape(-1)

    def _weights(self, turn: int) -> tuple[tuple[int, ...], int]:
        """Return the three weights of a round, and the byte beyond the edge."""
        # Odd, since powers of even weights soon vanish.
        weights = tuple(byte | 1 for byte in self.key[14 + 4 * turn : 17 + 4 * turn])
        return weights, self.key[17 + 4 * turn]


def _filter_image(image: AnyArray, weights: tuple[int, ...], edge: int) -> AnyArray:
    up, corner, left = weights
    columns = image.shape[1]
    # Powers of the weight of the left neighbor run along a row at once; sums stay below 2^53.
    powers = np.array([pow(left, exponent, 256) for exponent in range(columns)], dtype=np.float64)
    gap = np.subtract.outer(np.arange(columns), np.arange(columns))
    along = np.where(gap >= 0, powers[np.abs(gap)], 0)
    result, above = np.empty_like(image), np.full(columns + 1, edge, dtype=np.int64)
    for row, line in enumerate(image.astype(np.int64)):
        filtered = (line + up * above[1:] + corner * above[:-1]) % 256
        filtered[0] += left * edge
        above[1:] = result[row] = (along @ filtered).astype(np.int64) % 256
    return result


def _undo_filter(image: AnyArray, weights: tuple[int, ...], edge: int) -> AnyArray:
    padded = np.pad(image.astype(np.int64), ((1, 0), (1, 0)), constant_values=edge)
    neighbors = padded[:-1, 1:], padded[:-1, :-1], padded[1:, :-1]
    weighted = sum(weight * each for weight, each in zip(weights, neighbors, strict=True))
    return np.asarray((image - weighted).astype(np.uint8))


_LATIN_ROUNDS = 8  # as in the paper


@register_baseline(
    limits="no break of eight rounds is known to us",
    source="Y. Wu, Y. Zhou, J. P. Noonan, S. Agaian, Design of image cipher using Latin squares, "
    "2014, doi:10.1016/j.ins.2013.11.027",
    basis="From memory. Chosen: squares from logistic orbits; chains that substitute by the "
    "neighbor; images of any sides in place of blocks of 256 x 256. The noise that the paper puts "
    "into the lowest plane is left out, so that the cipher restores exactly.",
    key_bits=3 * 52,
)
class LatinSquare(GrayCipher):
    """LSIC, after Wu and others: whitening, substitution and moves by Latin squares, eight rounds.

    The square is L(r, c) = q(c + s(r)) with two permutations q and s of the levels. In a round a
    sum with L whitens the image; x becomes L(y, x) with y the result to the left, then with y the
    result above; rows, then columns, move by orders of such squares.
    """

    name = "latin-square"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Whiten, substitute and move, eight times."""
        for turn in range(_LATIN_ROUNDS):
            square = self._square(turn)
            image = image + _whitening(square, image.shape)
            image = _substitute(_substitute(image, square).T, square).T
            image = np.take_along_axis(image, self._orders(turn, *image.shape), axis=1)
            image = np.take_along_axis(image.T, self._orders(turn, *image.shape[::-1]), axis=1).T
        return np.ascontiguousarray(image)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        for turn in reversed(range(_LATIN_ROUNDS)):
            square = self._square(turn)
            shapes = image.shape, image.shape[::-1]
            across, down = (np.argsort(self._orders(turn, *shape), axis=1) for shape in shapes)
            image = np.take_along_axis(image.T, down, axis=1).T
            image = np.take_along_axis(image, across, axis=1)
            image = _undo_substitution(_undo_substitution(image.T, square).T, square)
            image = image - _whitening(square, image.shape)
        return np.ascontiguousarray(image)

    def _square(self, turn: int) -> tuple[AnyArray, AnyArray]:
        """Return q and s of a round."""
        values = logistic(fraction(self.key, 0), 512 * _LATIN_ROUNDS)
        values = values[512 * turn : 512 * (turn + 1)]
        return order(values[:256]).astype(np.uint8), order(values[256:]).astype(np.uint8)

    def _orders(self, turn: int, rows: int, columns: int) -> IntArray:
        """Return the orders of the columns in each row: those of a Latin square, row after row."""
        values = logistic(fraction(self.key, 1 + rows % 2), _LATIN_ROUNDS * (rows + columns))
        values = values[turn * (rows + columns) :][: rows + columns]
        first, shifts = order(values[:columns]), order(values[columns:])
        orders: IntArray = first[(np.arange(columns) + shifts[:, None]) % columns]
        return orders


def _whitening(square: tuple[AnyArray, AnyArray], shape: tuple[int, ...]) -> AnyArray:
    q, s = square
    row, column = np.indices(shape) % 256
    added: AnyArray = q[(column + s[row]) % 256]
    return added


def _substitute(image: AnyArray, square: tuple[AnyArray, AnyArray]) -> AnyArray:
    """Substitute along rows, all rows at once."""
    q, s = square
    lines = np.ascontiguousarray(image.T)
    left = np.arange(lines.shape[1]).astype(np.uint8)
    for index, line in enumerate(lines):
        lines[index] = left = q[line + s[left]]
    return lines.T


def _undo_substitution(image: AnyArray, square: tuple[AnyArray, AnyArray]) -> AnyArray:
    left = np.roll(image, 1, axis=1)
    left[:, 0] = np.arange(len(image))
    return np.asarray(np.argsort(square[0]).astype(np.uint8)[image] - square[1][left])
