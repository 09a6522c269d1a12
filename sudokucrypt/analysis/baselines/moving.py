"""Schemes to compare with that move pixels or bits: seeded shuffles, scans and chaotic maps."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import gcd
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.baselines.chaos import (
    FRACTION_BITS,
    argsort_orbit,
    follow_orbit,
    read_fraction,
)
from sudokucrypt.analysis.baselines.contract import (
    Baseline,
    PixelMap,
    check_image_of_any_type,
    iterate_map,
    make_integer_field,
    register_baseline,
    require_square,
)
from sudokucrypt.analysis.inputs import check_image
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray


@register_baseline()
@dataclass(frozen=True)
class UniformShuffle(PixelMap):
    """A uniform permutation of all pixels: the ideal of schemes that only move pixels.

    Every permutation is equally likely, so other schemes that only move pixels are better only by
    chance. Limits: as in all these schemes, one map for all images; and a seed, 0 or more, is not a
    key.

    Limits: the best that moving pixels can be

    Source: R. Durstenfeld, Algorithm 235: random permutation, 1964, doi:10.1145/364520.364540
    """

    name = "uniform"
    seed: int = make_integer_field(0, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        return seeded_draws(self.seed).permutations([rows * columns])


@register_baseline()
@dataclass(frozen=True)
class RowColumnShuffle(PixelMap):
    """A uniform permutation of the rows and one of the columns, from a seed of 0 or more.

    Limits: rows and columns stay together: one known image is enough

    Broken by: S. Li et al., 2008, doi:10.1016/j.image.2008.01.003
    """

    name = "row-column"
    seed: int = make_integer_field(0, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        line_targets = seeded_draws(self.seed).permutations([rows, columns])
        return np.add.outer(line_targets[:rows] * columns, line_targets[rows:]).reshape(-1)


@register_baseline()
@dataclass(frozen=True)
class BlockShuffle(PixelMap):
    """A uniform permutation of square blocks, whose pixels keep their order, from a seed.

    Blocks that are cut by the right or the bottom edge do not move. Limits: each block is visible,
    and photographs in large blocks can be reassembled, see
    `sudokucrypt.analysis.attacks.jigsaw_attack`.

    Limits: blocks can be reassembled like a jigsaw, without any query

    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677
    """

    name = "block"
    block_size: int = make_integer_field(16)
    seed: int = make_integer_field(0, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        side = self.block_size
        block_rows, block_columns = rows // side, columns // side
        sources = np.arange(rows * columns).reshape(rows, columns)
        blocks = (
            sources[: block_rows * side, : block_columns * side]
            .reshape(block_rows, side, block_columns, side)
            .swapaxes(1, 2)
        )
        if blocks.size:
            order = seeded_draws(self.seed).permutations([block_rows * block_columns])
            blocks[...] = blocks.reshape(-1, side, side)[order].reshape(blocks.shape)
        return sources.reshape(-1)


@register_baseline(
    falls_to="adaptive",
)
@dataclass(frozen=True)
class ContentKeyedShuffle(Baseline):
    """A uniform permutation of all pixels that also depends on the histogram of the samples.

    Moving pixels does not change the histogram, so the permutation can be undone. Papers let the
    key depend on the plain image to prevent attacks with chosen images, which then have another map
    than the target. Limits: this does not work, as the result reveals the histogram, and images of
    the same histogram have the same map, see `sudokucrypt.analysis.attacks.adaptive_attack`; a sum
    in place of the histogram is no better.

    Limits: one map for all images of one histogram, which the result shows
    """

    name = "content-keyed"
    moves_only = True
    seed: int = make_integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        # Moving samples does not change the sorted samples, so both directions find the same seed.
        samples = np.sort(check_image_of_any_type(image), axis=None).tobytes()
        digest = sha256(b"%d " % self.seed + samples).digest()
        shuffle = UniformShuffle(int.from_bytes(digest, "big"))
        return shuffle.unscramble(image) if undo else shuffle.scramble(image)


@register_baseline(
    falls_to="chosen-plaintext",
)
@dataclass(frozen=True)
class BitShuffle(Baseline):
    """A uniform permutation of all bits of all samples, from a seed of 0 or more.

    The histogram becomes that of noise, although bits only move. Limits: one map of bits for all
    images, see
    `sudokucrypt.analysis.attacks.chosen_plaintext_attack`.

    Limits: one map of bits for all images of a size, which chosen images show

    Source: Z. Zhu, W. Zhang, K. Wong, H. Yu, 2011, doi:10.1016/j.ins.2010.11.009
    """

    name = "bit-shuffle"
    seed: int = make_integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, shuffle = np.ascontiguousarray(image), UniformShuffle(self.seed)
        move_bits = shuffle.unscramble if undo else shuffle.scramble
        if check_image(array)[1] == 2:
            return move_bits(array)
        # The bits are moved as the pixels of an image with one row.
        moved_bits = move_bits(np.unpackbits(array.reshape(-1).view(np.uint8))[None])
        return np.packbits(moved_bits).view(array.dtype).reshape(array.shape)


@register_baseline()
@dataclass(frozen=True)
class Fibonacci(PixelMap):
    """The Fibonacci transform of the pixels in reading order, iterated.

    Position k gets pixel k F(n) mod F(n + 1), with F(n + 1) the first Fibonacci number that is not
    less than the number of pixels; numbers beyond the last pixel are left out. Limits: the only key
    is the number of iterations, the first pixel never moves, and pixels at equal distances stay so.

    Limits: no key; all neighbors have the same distance afterwards

    Source: J. Zou, R. K. Ward, D. Qi, A new digital image scrambling method based on Fibonacci
    numbers, IEEE International Symposium on Circuits and Systems, 2004, volume 3, pages 965-968

    >>> Fibonacci().scramble(np.arange(8).reshape(2, 4)).tolist()
    [[0, 5, 2, 7], [4, 1, 6, 3]]
    """

    name = "fibonacci"
    iterations: int = make_integer_field(1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        count = rows * columns
        step, modulus = 1, 1
        # The modulus becomes the first Fibonacci number that is not less than the count; the step
        # becomes its predecessor, which is coprime.
        while modulus < count:
            step, modulus = modulus, step + modulus
        sources = np.arange(modulus) * step % modulus
        return iterate_map(np.argsort(sources[sources < count]), self.iterations)


@register_baseline()
@dataclass(frozen=True)
class FibonacciPCode(PixelMap):
    """The transform of rows and columns by Fibonacci p-codes.

    The key is p, the distance of the two numbers that are added (1 gives Fibonacci numbers), and
    the offset, which is added to the step; by default the smallest offset that gives a permutation.

    F(n) = F(n - 1) + F(n - p - 1), with F(1) = 1 and zeros before it. With F(n + 1) the first
    number greater than a side, row k of 1, 2, ... comes from row k (F(n) + offset) mod F(n + 1),
    and columns in the same way; numbers beyond the side are left out. Step and modulus must be
    coprime. Limits: few keys, and rows and columns stay together, so one known image shows the map.

    Limits: few keys; rows and columns stay together

    Source: Y. Zhou, S. Agaian, V. M. Joyner, K. Panetta, Two Fibonacci p-code based image
    scrambling algorithms, Proceedings of SPIE 6812, 2008

    >>> FibonacciPCode().scramble(np.arange(1, 8).reshape(1, 7)).tolist()
    [[5, 2, 7, 4, 1, 6, 3]]
    """

    name = "fibonacci-p-code"
    p: int = make_integer_field(1)
    offset: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.offset is not None:
            check_integer("offset", self.offset, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return targets as in `PixelMap.targets`; the offset must give permutations."""
        row_targets, column_targets = (
            self._find_line_targets(rows),
            self._find_line_targets(columns),
        )
        return np.add.outer(row_targets * columns, column_targets).reshape(-1)

    def _find_line_targets(self, side: int) -> IntArray:
        """Return the targets of `side` rows or columns."""
        numbers = [0] * self.p + [1]
        while numbers[-1] <= side:
            numbers.append(numbers[-1] + numbers[-1 - self.p])
        usual_step, modulus = numbers[-2], numbers[-1]
        if self.offset is None:
            step = next(step for step in range(usual_step, modulus) if gcd(step, modulus) == 1)
        else:
            step = usual_step + self.offset
            if step >= modulus or gcd(step, modulus) != 1:
                raise InvalidParameterError(
                    f"the offset {self.offset} makes no permutation of {side} lines",
                    hint="leave the offset out",
                )
        sources = np.arange(1, modulus) * step % modulus
        return np.argsort(sources[sources <= side])


@register_baseline()
@dataclass(frozen=True)
class GrayCode(PixelMap):
    """Each pixel moves to the Gray code of its position, iterated.

    Pixel i moves to i xor (i >> 1). If the number of pixels is not a power of two, a position
    outside the image is coded again until it is inside. Limits: the only key is the number of
    iterations; for 2^m pixels the image is restored after a number of iterations that is the first
    power of two not less than m; the first pixels hardly move; and the map is linear in the bits.

    Limits: no key; rows nearly stay together

    Source: Y. Zhou, K. Panetta, S. Agaian, C. L. P. Chen, 2013, doi:10.1109/TSMCB.2012.2210706

    >>> GrayCode(iterations=1).targets(2, 4).tolist()
    [0, 1, 3, 2, 6, 7, 5, 4]
    """

    name = "gray-code"
    iterations: int = make_integer_field(3)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        count = rows * columns
        codes = np.arange(count)
        codes ^= codes >> 1
        # Repeated coding follows a cycle of positions below the power of two, which leads back
        # into the image.
        while (is_outside := codes >= count).any():
            codes[is_outside] ^= codes[is_outside] >> 1
        return iterate_map(codes, self.iterations)


@register_baseline()
@dataclass(frozen=True)
class HilbertScan(PixelMap):
    """Pixels are read in the order of Hilbert's curve and written line by line.

    The curve fills the smallest square around the image whose side is a power of two; positions
    outside of the image are left out. Limits: there is no key, and neighbors on the curve stay
    neighbors, so most of the picture's smoothness remains.

    Limits: no key; neighbors stay close

    Source: Y. Matias, A. Shamir, 1988, doi:10.1007/3-540-48184-2_35

    >>> HilbertScan().scramble(np.arange(16).reshape(4, 4)).tolist()
    [[0, 1, 5, 4], [8, 12, 13, 9], [10, 14, 15, 11], [7, 6, 2, 3]]
    """

    name = "hilbert"

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        row, column = np.divmod(np.arange(rows * columns), columns)
        distance = _measure_curve_distance(row, column, (max(rows, columns) - 1).bit_length())
        return np.argsort(np.argsort(distance))


# The golden ratio: the share of the curve by which "tomato" shifts pixels along it.
_GOLDEN_SHARE = (5**0.5 - 1) / 2


@register_baseline()
@dataclass(frozen=True)
class Tomato(PixelMap):
    """Pixels are shifted along the Gilbert curve by 0.618 (the golden ratio) of its length.

    The curve visits all pixels of a rectangle with any sides, in steps to neighboring pixels except
    with odd sides. Each pixel moves 0.618 of the length of the curve along it, and from its end to
    its beginning. Many tools on the web do this, under names such as "tomato scramble". Limits:
    there is no key, and neighbors on the curve stay neighbors.

    Limits: no key: anyone who knows the method restores every picture

    Source: code of comfyui-encrypt-image and similar tools (2024); the curve is the generalized
    Hilbert curve of J. Cervenka, github.com/jakubcerveny/gilbert
    """

    name = "tomato"

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        curve = _trace_gilbert_curve(rows, columns)
        targets = np.empty(rows * columns, dtype=np.int64)
        # Halves are rounded up, as in JavaScript.
        targets[curve] = np.roll(curve, -int(_GOLDEN_SHARE * len(curve) + 0.5))
        return targets


@lru_cache(maxsize=4)
def _trace_gilbert_curve(rows: int, columns: int) -> IntArray:
    """Return the positions along the generalized Hilbert curve, as indices in reading order."""
    positions: list[int] = []

    def walk(x: int, y: int, ax: int, ay: int, bx: int, by: int) -> None:
        """Append the positions of a parallelogram with corner (x, y) along its sides a, then b."""
        width, height = abs(ax + ay), abs(bx + by)
        ax_sign, ay_sign, bx_sign, by_sign = (int(np.sign(each)) for each in (ax, ay, bx, by))
        if 1 in {width, height}:
            dx, dy, count = (ax_sign, ay_sign, width) if height == 1 else (bx_sign, by_sign, height)
            positions.extend((y + dy * n) * columns + x + dx * n for n in range(count))
            return
        half_ax, half_ay, half_bx, half_by = ax // 2, ay // 2, bx // 2, by // 2
        if 2 * width > 3 * height:
            if abs(half_ax + half_ay) % 2 and width > 2:
                half_ax, half_ay = half_ax + ax_sign, half_ay + ay_sign
            walk(x, y, half_ax, half_ay, bx, by)
            walk(x + half_ax, y + half_ay, ax - half_ax, ay - half_ay, bx, by)
            return
        if abs(half_bx + half_by) % 2 and height > 2:
            half_bx, half_by = half_bx + bx_sign, half_by + by_sign
        walk(x, y, half_bx, half_by, half_ax, half_ay)
        walk(x + half_bx, y + half_by, ax, ay, bx - half_bx, by - half_by)
        walk(
            x + ax - ax_sign + half_bx - bx_sign,
            y + ay - ay_sign + half_by - by_sign,
            -half_bx,
            -half_by,
            half_ax - ax,
            half_ay - ay,
        )

    if columns >= rows:
        walk(0, 0, columns, 0, 0, rows)
    else:
        walk(0, 0, 0, rows, columns, 0)
    return np.array(positions, dtype=np.int64)


def _measure_curve_distance(row: IntArray, column: IntArray, bits: int) -> IntArray:
    """Return the distance of pixels along the curve, in a square of 2^bits pixels a side.

    The curve visits the quarters in the order upper left, lower left, lower right, upper right. In
    the first quarter it is transposed, in the last one transposed about the other diagonal.
    """
    distance = np.zeros_like(row)
    # From the largest square to the smallest: each bit gives the quarter that contains the pixel.
    for bit in range(bits - 1, -1, -1):
        half_side = 1 << bit
        is_below, is_right = row // half_side, column // half_side
        distance += ((3 * is_right) ^ is_below) * half_side * half_side
        row, column = row % half_side, column % half_side
        is_mirrored = (is_right == 1) & (is_below == 0)
        row = np.where(is_mirrored, half_side - 1 - row, row)
        column = np.where(is_mirrored, half_side - 1 - column, column)
        row, column = np.where(is_below == 0, (column, row), (row, column))
    return distance


@register_baseline()
@dataclass(frozen=True)
class ArnoldMap(PixelMap):
    """Arnold's cat map: row and column are multiplied by a matrix of determinant 1.

    Pixel (r, c) moves to (r + a c, b r + (a b + 1) c) modulo the side, `iterations` times; a and b
    are 1 or more, and 1 in the original map. Limits: square images only; the pixel in the corner
    never moves; the map is linear, so three pixels show it; and after `period` iterations, at most
    three times the side for a = b = 1, the image is restored.

    Limits: square pictures only; periodic, and its only key is the number of iterations

    Source: F. J. Dyson, H. Falk, Period of a discrete cat mapping, 1992, doi:10.2307/2324989;
    with a and b: G. Chen, Y. Mao, C. K. Chui, 2004, doi:10.1016/j.chaos.2003.12.022

    >>> ArnoldMap(iterations=1).scramble(np.arange(9).reshape(3, 3)).tolist()
    [[0, 7, 5], [8, 3, 1], [4, 2, 6]]
    """

    name = "arnold"
    iterations: int = make_integer_field(10)
    a: int = make_integer_field(1)
    b: int = make_integer_field(1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        side = require_square("the Arnold map", rows, columns)
        row, column = self._get_matrix(side) @ np.divmod(np.arange(side * side), side) % side
        return iterate_map(row * side + column, self.iterations)

    def period(self, side: int) -> int:
        """Return the number of iterations after which an image of this side is first restored."""
        check_integer("side", side)
        matrix = power = self._get_matrix(side)
        count = 1
        # The period of the map is the period of its matrix, which is found without an image.
        while (power != np.eye(2) % side).any():
            power = power @ matrix % side
            count += 1
        return count

    def _get_matrix(self, side: int) -> IntArray:
        rows = (1, self.a), (self.b, self.a * self.b + 1)
        return np.array([[entry % side for entry in row] for row in rows])


@register_baseline()
@dataclass(frozen=True)
class BakerMap(PixelMap):
    """The discretized baker map of a square image, iterated.

    The key is `parts`, the widths of vertical strips from left to right. Each width divides the
    side, and their sum is the side. By default the widths are a quarter, a half and a quarter if
    the side is a multiple of 4; otherwise the strips are equal, and their number is the smallest
    prime factor of the side.

    A strip of width w that starts at column S is cut into w boxes of side / w rows, and each box
    is read column by column into one row: with q = side / w, pixel (r, c) moves to row
    S + r // q and column q (c - S) + r mod q. Limits: square images only, of a composite side
    (a prime side allows only the identity and a transposition); the first pixel never moves; there
    are few keys, some of them weak: with two halves of a side 2^m, each iteration rotates the 2 m
    bits of a position by one, so the image is restored after 2 m iterations.

    Limits: square pictures only; few keys

    Source: J. Fridrich, 1998, doi:10.1142/S021812749800098X

    >>> BakerMap(iterations=1, parts=(2, 2)).scramble(np.arange(16).reshape(4, 4)).tolist()
    [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]]
    """

    name = "baker"
    iterations: int = make_integer_field(10)
    parts: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for width in self.parts or ():
            check_integer("the width of a part", width)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        side = require_square("the baker map", rows, columns)
        widths = np.array(_get_default_widths(side) if self.parts is None else self.parts)
        if widths.sum() != side or (side % widths).any():
            raise InvalidImageError(
                f"parts of widths {widths.tolist()} do not cut a side of {side} pixels",
                hint="each width must divide the side, and their sum must be the side",
            )
        width = np.repeat(widths, widths)
        strip_start = np.repeat(np.cumsum(widths) - widths, widths)
        height = side // width
        row, column = np.divmod(np.arange(side * side), side)
        box, row_in_box = np.divmod(row, height[column])
        target = (
            (strip_start[column] + box) * side
            + height[column] * (column - strip_start[column])
            + row_in_box
        )
        return iterate_map(target, self.iterations)


def _get_default_widths(side: int) -> tuple[int, ...]:
    if side % 4 == 0:
        return side // 4, side // 2, side // 4
    factor = next((divisor for divisor in range(2, side) if side % divisor == 0), None)
    if factor is None:
        raise InvalidImageError(
            f"the baker map does not mix an image of side {side}, which has no divisor",
            hint="crop the image to a side that 4 divides",
        )
    return (side // factor,) * factor


# The number of values that are skipped at the start of an orbit, as in papers: similar keys give
# similar first values.
_SKIPPED_COUNT = 1000


@register_baseline(
    limits=f"at most {FRACTION_BITS} bits of key, and close keys are correlated",
    key_bits=FRACTION_BITS,
)
@dataclass(frozen=True)
class LogisticSort(PixelMap):
    """Pixels are permuted as sorting permutes the values of a chaotic orbit.

    x becomes growth x (1 - x); the key is the start between 0 and 1 and the growth between 3.57 and
    4; the first 1000 values are left out. Position k gets the pixel of the k-th smallest value.
    Limits: an orbit of floating-point numbers always ends in a short cycle, neighboring values
    depend on each other, some growths are not chaotic at all, and close keys may give the same map.

    Source: G. Ye, 2010, doi:10.1016/j.patrec.2009.11.008

    Broken by: C. Li, D. Lin, J. Lu, 2017, doi:10.1109/MMUL.2017.3051512
    """

    name = "logistic-sort"
    start: float = 0.3567
    growth: float = 3.99

    def __post_init__(self) -> None:
        if not 0 < self.start < 1:
            raise InvalidParameterError(f"the start must lie between 0 and 1, not {self.start!r}")
        if not 3.57 < self.growth < 4:
            raise InvalidParameterError(
                f"the growth must lie between 3.57 and 4, not {self.growth!r}"
            )

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the scheme whose start is in the first 7 bytes of a key."""
        return cls(start=read_fraction(key, 0))

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return the targets of pixels, as in `PixelMap.targets`."""
        growth = self.growth
        values = follow_orbit(
            lambda x: growth * x * (1 - x), self.start, rows * columns, skipped_count=_SKIPPED_COUNT
        )
        return np.argsort(argsort_orbit(values))
