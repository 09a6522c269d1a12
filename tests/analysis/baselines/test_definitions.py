"""The scramblers of the literature against their definitions and their known periods."""

import math
from itertools import count

import numpy as np
import pytest

from sudokucrypt import InvalidImageError, InvalidParameterError
from sudokucrypt.analysis.baselines import Fibonacci, FibonacciPCode, GrayCode, HilbertScan
from sudokucrypt.analysis.baselines.orbits import ArnoldMap, BakerMap, LogisticSort
from sudokucrypt.analysis.baselines.orders import BlockShuffle, RowColumnShuffle
from sudokucrypt.typing import IntArray


def identity_after(targets: IntArray) -> int:
    """Return how often a map is applied until all is back."""
    places = targets
    for times in count(1):
        if np.array_equal(places, np.arange(len(places))):
            return times
        places = targets[places]
    raise AssertionError


@pytest.mark.parametrize(
    ("side", "period"),
    [(124, 15), (128, 96), (256, 192), pytest.param(1024, 768, marks=pytest.mark.slow)],
)
def test_arnold_periods(side: int, period: int) -> None:
    """The periods that Dyson and Falk (1992) state come out, and the image is back then."""
    assert ArnoldMap().period(side) == period
    back = ArnoldMap(iterations=period).targets(side, side)
    assert np.array_equal(back, np.arange(side * side))


@pytest.mark.parametrize(("a", "b", "side"), [(1, 1, 12), (2, 3, 15), (40, 8, 16), (5, 1, 1)])
def test_arnold_period_is_that_of_the_map(a: int, b: int, side: int) -> None:
    """The period from matrices is the one of the places, a and b included."""
    one = ArnoldMap(iterations=1, a=a, b=b)
    targets = one.targets(side, side)
    assert one.period(side) == identity_after(targets)
    for r, c in np.ndindex(side, side):
        row, column = (r + a * c) % side, (b * r + (a * b + 1) * c) % side
        assert targets[r * side + c] == row * side + column


@pytest.mark.parametrize("parts", [(12,), (1, 2, 3, 6), (2, 6, 4)])
def test_baker_reads_boxes_column_by_column(parts: tuple[int, ...]) -> None:
    """Boxes of side / w rows in strips of width w become one line each, from left to right."""
    image = np.arange(144).reshape(12, 12)
    lines, start = [], 0
    for width in parts:
        for top in range(0, 12, 12 // width):
            lines.append(image[top : top + 12 // width, start : start + width].T.reshape(-1))
        start += width
    scheme = BakerMap(iterations=1, parts=parts)
    assert np.array_equal(scheme.scramble(image), lines)
    thrice = scheme.scramble(scheme.scramble(scheme.scramble(image)))
    assert np.array_equal(BakerMap(iterations=3, parts=parts).scramble(image), thrice)
    for wrong in ((5, 7), (6,), (12, 12)):
        with pytest.raises(InvalidImageError, match="do not cut a side of 12"):
            BakerMap(parts=wrong).targets(12, 12)
    for side in (1, 2, 13):
        with pytest.raises(InvalidImageError, match="no divisor"):
            BakerMap().targets(side, side)


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (10, 10), (6, 89)])
def test_fibonacci_steps(shape: tuple[int, int]) -> None:
    """Place k holds pixel k F(n) mod F(n + 1), what lies beyond left out."""
    pixels = math.prod(shape)
    step, modulus = 1, 1
    while modulus < pixels:
        step, modulus = modulus, step + modulus
    order = [k * step % modulus for k in range(modulus) if k * step % modulus < pixels]
    assert Fibonacci().scramble(np.arange(pixels).reshape(shape)).reshape(-1).tolist() == order


@pytest.mark.parametrize(
    ("p", "numbers"), [(1, [1, 1, 2, 3, 5, 8, 13, 21]), (2, [1, 1, 1, 2, 3, 4, 6, 9, 13])]
)
def test_p_code_steps(p: int, numbers: list[int]) -> None:
    """The published sequences give the step and the modulus, for rows as for columns."""
    for side in range(1, 13):
        place = next(i for i, number in enumerate(numbers) if number > side)
        step, modulus = numbers[place - 1], numbers[place]
        while np.gcd(step, modulus) != 1:
            step += 1
        lines = [k * step % modulus for k in range(1, modulus) if k * step % modulus <= side]
        column = np.arange(1, side + 1).reshape(side, 1)
        assert FibonacciPCode(p=p).scramble(column).reshape(-1).tolist() == lines
        assert FibonacciPCode(p=p).scramble(column.T).reshape(-1).tolist() == lines
    # An offset is added to the step, and refused where it makes no permutation.
    row = np.tile(np.arange(1, 8), (7, 1))
    with pytest.raises(InvalidParameterError, match="offset 1 makes no permutation"):
        FibonacciPCode(offset=1).scramble(row)
    stepped = [k * (5 + 2) % 8 for k in range(1, 8)]
    assert FibonacciPCode(offset=2).scramble(row)[0].tolist() == stepped


def test_gray_code_neighbours_and_period() -> None:
    """Consecutive codes differ in one bit; the period is the first power of two from m on."""
    codes = GrayCode(iterations=1).targets(16, 64)
    assert {code.bit_count() for code in (codes[1:] ^ codes[:-1]).tolist()} == {1}
    for bits in (1, 2, 4, 5, 8, 10):
        targets = GrayCode(iterations=1).targets(1, 2**bits)
        assert identity_after(targets) == 1 << (bits - 1).bit_length()


def test_hilbert_steps_to_a_neighbour() -> None:
    """On sides 2^m consecutive pixels of the scan lie beside each other, from corner to corner."""
    for side in (1, 2, 4, 32):
        order = HilbertScan().scramble(np.arange(side * side).reshape(side, side)).reshape(-1)
        row, column = np.divmod(order, side)
        assert (np.abs(np.diff(row)) + np.abs(np.diff(column)) == 1).all()
        assert (row[0], column[0]) == (0, 0)
        assert {int(row[-1]), int(column[-1])} <= {0, side - 1}
    square = np.arange(64).reshape(8, 8)  # other shapes go in the order of the square around them
    whole = HilbertScan().scramble(square).reshape(-1)
    part = HilbertScan().scramble(square[:5, :7]).reshape(-1)
    assert part.tolist() == [pixel for pixel in whole if pixel // 8 < 5 and pixel % 8 < 7]


def test_logistic_sort_follows_the_orbit() -> None:
    """Place k gets the pixel of the k-th smallest of the values after the first 1000."""
    x, values = 0.25, []
    for _ in range(1000 + 12):
        x = 3.9 * x * (1 - x)
        values.append(x)
    order = np.argsort(values[1000:])
    assert np.array_equal(LogisticSort(0.25, 3.9).scramble(np.arange(12)[None])[0], order)


def test_shuffles_keep_lines_or_blocks() -> None:
    """Rows and columns move, or blocks but for those that an edge cuts; the seed decides."""
    rows, columns = np.divmod(RowColumnShuffle(5).targets(11, 13).reshape(11, 13), 13)
    assert (rows == rows[:, :1]).all()
    assert (columns == columns[:1]).all()
    assert rows[:, 0].tolist() != list(range(11))
    assert columns[0].tolist() != list(range(13))
    image = np.arange(11 * 14).reshape(11, 14)
    moved = BlockShuffle(3, seed=1).scramble(image)
    assert np.array_equal(moved[9:], image[9:])
    assert np.array_equal(moved[:, 12:], image[:, 12:])
    starts = [(row, column) for row in range(0, 9, 3) for column in range(0, 12, 3)]
    for row, column in starts:
        block = moved[row : row + 3, column : column + 3]
        assert np.array_equal(block - block[0, 0], image[:3, :3])
        assert divmod(int(block[0, 0]), 14) in starts
    assert not np.array_equal(moved, BlockShuffle(3, seed=2).scramble(image))
    assert np.array_equal(BlockShuffle(16).scramble(image), image)
