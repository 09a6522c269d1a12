"""Scramblers that read pixels in another order: shuffles from a seed, Fibonacci, Gray, Hilbert."""

from dataclasses import dataclass
from math import gcd
from typing import ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import (
    Baseline,
    integer_field,
    iterated,
    register_baseline,
    register_seeded,
)
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import IntArray


@dataclass(frozen=True)
class UniformShuffle(Baseline):
    """A uniform permutation of all pixels: the ideal of position-only schemes.

    Every permutation is equally likely, so that no position-only scheme beats it but by chance.
    Limits: those of them all, one map for all images; and a seed, 0 or more, is no key.
    Source: R. Durstenfeld, Algorithm 235: random permutation, 1964, doi:10.1145/364520.364540.
    """

    name: ClassVar[str] = "uniform"
    seed: int = integer_field(0, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        return seeded_draws(self.seed).permutations([rows * columns])


@dataclass(frozen=True)
class RowColumnShuffle(Baseline):
    """A uniform permutation of the rows and one of the columns, from a seed of 0 or more.

    Limits: lines stay together, so that one known image gives the map away, see
    `sudokucrypt.analysis.attacks.row_column_attack`.
    Source: S. Li et al., 2008, doi:10.1016/j.image.2008.01.003, which breaks it.
    """

    name: ClassVar[str] = "row-column"
    seed: int = integer_field(0, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        lines = seeded_draws(self.seed).permutations([rows, columns])
        return np.add.outer(lines[:rows] * columns, lines[rows:]).reshape(-1)


@dataclass(frozen=True)
class BlockShuffle(Baseline):
    """A uniform permutation of square blocks that stay as they are inside, from a seed.

    Blocks that the right or the bottom edge cuts stay. Limits: each block can be looked at, and
    photographs of large ones are put together again, see
    `sudokucrypt.analysis.attacks.jigsaw_attack`.
    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677.
    """

    name: ClassVar[str] = "block"
    block_size: int = integer_field(16)
    seed: int = integer_field(0, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        b = self.block_size
        down, across = rows // b, columns // b
        sources = np.arange(rows * columns).reshape(rows, columns)
        blocks = sources[: down * b, : across * b].reshape(down, b, across, b).swapaxes(1, 2)
        if blocks.size:
            order = seeded_draws(self.seed).permutations([down * across])
            blocks[...] = blocks.reshape(-1, b, b)[order].reshape(blocks.shape)
        return sources.reshape(-1)


@dataclass(frozen=True)
class Fibonacci(Baseline):
    """The Fibonacci transform of the pixels in reading order, iterated.

    Place k gets pixel k F(n) mod F(n + 1), with F(n + 1) the first Fibonacci number that is no
    less than the number of pixels; numbers beyond the last pixel are left out. Limits: there is no
    key but the iterations, the first pixel never moves, and pixels at equal distances stay so.
    Source: J. Zou, R. K. Ward, D. Qi, A new digital image scrambling method based on Fibonacci
    numbers, IEEE International Symposium on Circuits and Systems, 2004, volume 3, pages 965-968.

    >>> Fibonacci().scramble(np.arange(8).reshape(2, 4)).tolist()
    [[0, 5, 2, 7], [4, 1, 6, 3]]
    """

    name: ClassVar[str] = "fibonacci"
    iterations: int = integer_field(1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        count = rows * columns
        step, modulus = 1, 1
        # The first Fibonacci number that holds every pixel; its predecessor is coprime to it.
        while modulus < count:
            step, modulus = modulus, step + modulus
        steps = np.arange(modulus) * step % modulus
        return iterated(np.argsort(steps[steps < count]), self.iterations)


@dataclass(frozen=True)
class FibonacciPCode(Baseline):
    """The transform by Fibonacci p-codes, of rows and of columns.

    The key is p, the distance of the two numbers that are added (1 gives Fibonacci's), and the
    offset, which is added to the step; by default the smallest that works.

    F(n) = F(n - 1) + F(n - p - 1), from F(1) = 1 and 0 before. With F(n + 1) the first that is
    greater than a side, row k of 1, 2, ... comes from row k (F(n) + offset) mod F(n + 1), and
    likewise columns; numbers beyond the side are left out. Step and modulus must be coprime.
    Limits: a handful of keys, and lines stay together, so that one known image gives the map away.
    Source: Y. Zhou, S. Agaian, V. M. Joyner, K. Panetta, Two Fibonacci p-code based image
    scrambling algorithms, Proceedings of SPIE 6812, 2008.

    >>> FibonacciPCode().scramble(np.arange(1, 8).reshape(1, 7)).tolist()
    [[5, 2, 7, 4, 1, 6, 3]]
    """

    name: ClassVar[str] = "fibonacci-p-code"
    p: int = integer_field(1)
    offset: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.offset is not None:
            checked_integer("offset", self.offset, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`; the offset must make permutations."""
        row, column = self._line(rows), self._line(columns)
        return np.add.outer(row * columns, column).reshape(-1)

    def _line(self, side: int) -> IntArray:
        """Return where the lines of one side go."""
        numbers = [0] * self.p + [1]
        while numbers[-1] <= side:
            numbers.append(numbers[-1] + numbers[-1 - self.p])
        before, modulus = numbers[-2], numbers[-1]
        if self.offset is None:
            step = next(step for step in range(before, modulus) if gcd(step, modulus) == 1)
        else:
            step = before + self.offset
            if step >= modulus or gcd(step, modulus) != 1:
                raise InvalidParameterError(
                    f"the offset {self.offset} makes no permutation of {side} lines",
                    hint="leave the offset out",
                )
        sources = np.arange(1, modulus) * step % modulus
        return np.argsort(sources[sources <= side])


@dataclass(frozen=True)
class GrayCode(Baseline):
    """Each pixel goes to the position that the Gray code of its number names, again and again.

    Pixel i goes to i xor (i >> 1). A position beyond the image, where the number of pixels is no
    power of two, is coded again until it lies inside. Limits: there is no key but the iterations;
    for 2^m pixels the image is back after the first power of two that is no less than m; the first
    pixels hardly move; and the map is linear in the bits.
    Source: Y. Zhou, K. Panetta, S. Agaian, C. L. P. Chen, 2013, doi:10.1109/TSMCB.2012.2210706.

    >>> GrayCode(iterations=1).targets(2, 4).tolist()
    [0, 1, 3, 2, 6, 7, 5, 4]
    """

    name: ClassVar[str] = "gray-code"
    iterations: int = integer_field(3)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        count = rows * columns
        codes = np.arange(count)
        codes ^= codes >> 1
        # Coding again walks along a cycle of the whole power of two, which comes back inside.
        while (outside := codes >= count).any():
            codes[outside] ^= codes[outside] >> 1
        return iterated(codes, self.iterations)


@dataclass(frozen=True)
class HilbertScan(Baseline):
    """Pixels in the order of Hilbert's curve are written line by line.

    The curve fills the smallest square around the image whose side is a power of two; what lies
    outside of the image is left out. Limits: there is no key, and neighbours on the curve stay
    neighbours, so that most of the picture's smoothness remains.
    Source: Y. Matias, A. Shamir, 1988, doi:10.1007/3-540-48184-2_35.

    >>> HilbertScan().scramble(np.arange(16).reshape(4, 4)).tolist()
    [[0, 1, 5, 4], [8, 12, 13, 9], [10, 14, 15, 11], [7, 6, 2, 3]]
    """

    name: ClassVar[str] = "hilbert"

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        row, column = np.divmod(np.arange(rows * columns), columns)
        order = np.argsort(_distance(row, column, (max(rows, columns) - 1).bit_length()))
        return np.argsort(order)


def _distance(row: IntArray, column: IntArray, bits: int) -> IntArray:
    """Return how far along the curve pixels lie, in a square of 2^bits pixels a side.

    The curve visits the quarters in the order upper left, lower left, lower right, upper right. In
    the first of them it runs transposed, in the last one transposed about the other diagonal.
    """
    distance = np.zeros_like(row)
    # From the largest square to the smallest: each says in which quarter the pixel lies.
    for bit in range(bits - 1, -1, -1):
        half = 1 << bit
        below, right = row // half, column // half
        distance += ((3 * right) ^ below) * half * half
        row, column = row % half, column % half
        mirrored = (right == 1) & (below == 0)
        row = np.where(mirrored, half - 1 - row, row)
        column = np.where(mirrored, half - 1 - column, column)
        row, column = np.where(below == 0, (column, row), (row, column))
    return distance


register_baseline(lambda _: Fibonacci(), limits="no key; neighbours stay at one distance")
register_baseline(lambda _: FibonacciPCode(), limits="few keys; rows and columns stay together")
register_baseline(lambda _: GrayCode(), limits="no key; rows nearly stay together")
register_baseline(lambda _: HilbertScan(), limits="no key; neighbours stay close")


register_seeded(UniformShuffle, limits="the best that moving pixels can be")
register_seeded(
    RowColumnShuffle, limits="rows and columns stay together: one known image is enough"
)
register_seeded(BlockShuffle, limits="blocks can be put together like a jigsaw, without any query")
