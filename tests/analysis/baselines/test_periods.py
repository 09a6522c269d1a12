"""The maps of the literature against their definitions and their known periods."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from sudokucrypt import InvalidImageError, InvalidParameterError
from sudokucrypt.analysis.baselines import ArnoldMap, BakerMap, Fibonacci, FibonacciPCode, GrayCode


def identity_after(targets: np.ndarray) -> int:
    """Return how often a map is applied until all is back."""
    places = targets
    for times in count(1):
        if np.array_equal(places, np.arange(len(places))):
            return times
        places = targets[places]
    raise AssertionError


@pytest.mark.parametrize(
    ("side", "period"), [(124, 15), (128, 96), (256, 192), (512, 384), (1024, 768)]
)
def test_arnold_periods(side: int, period: int) -> None:
    """The periods that Dyson and Falk (1992) state come out, and the image is back then."""
    assert ArnoldMap().period(side) == period
    back = ArnoldMap(iterations=period).targets(side, side)
    assert np.array_equal(back, np.arange(side * side))


def test_arnold_period_is_half_of_fibonacci_period() -> None:
    """For sides above 2 the period is half of Pisano's, and at most three sides."""
    for side in range(3, 130):
        one, two, steps = 0, 1, 0
        while steps == 0 or (one, two) != (0, 1):
            one, two, steps = two, (one + two) % side, steps + 1
        assert 2 * ArnoldMap().period(side) == steps
        assert ArnoldMap().period(side) <= 3 * side


@pytest.mark.parametrize(("a", "b", "side"), [(1, 1, 12), (2, 3, 15), (40, 8, 16), (5, 1, 1)])
def test_arnold_period_is_that_of_the_map(a: int, b: int, side: int) -> None:
    """The period from matrices is the one of the places, a and b included."""
    one = ArnoldMap(iterations=1, a=a, b=b)
    assert one.period(side) == identity_after(one.targets(side, side))
    for r, c in np.ndindex(side, side):
        row, column = (r + a * c) % side, (b * r + (a * b + 1) * c) % side
        assert one.targets(side, side)[r * side + c] == row * side + column


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5])
def test_baker_period_of_two_halves(bits: int) -> None:
    """Two halves turn the bits of a place in a circle: the period is twice their number a side."""
    side = 2**bits
    one = BakerMap(iterations=1, parts=(side // 2, side // 2))
    assert identity_after(one.targets(side, side)) == 2 * bits


@pytest.mark.parametrize("parts", [(12,), (6, 6), (1, 2, 3, 6), (4, 4, 4), (2, 6, 4)])
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


@pytest.mark.parametrize("parts", [(5, 7), (6,), (12, 12)])
def test_baker_refuses_parts_that_do_not_fit(parts: tuple[int, ...]) -> None:
    """Widths divide the side and make it up, or the error says so."""
    with pytest.raises(InvalidImageError, match="do not cut a side of 12"):
        BakerMap(parts=parts).targets(12, 12)


@pytest.mark.parametrize("side", [1, 2, 13])
def test_baker_refuses_sides_without_divisor(side: int) -> None:
    """A side that no strip divides is refused."""
    with pytest.raises(InvalidImageError, match="no divisor"):
        BakerMap().targets(side, side)


@pytest.mark.parametrize(
    ("pixels", "period"), [(5, 2), (8, 4), (13, 2), (21, 4), (34, 2), (55, 4), (89, 2), (144, 4)]
)
def test_fibonacci_periods(pixels: int, period: int) -> None:
    """F(n)^2 is +1 or -1 modulo F(n + 1) (Cassini), so the image is back after 2 or 4 times."""
    targets = Fibonacci().targets(1, pixels)
    assert identity_after(targets) in {period, 6 - period}
    square = targets[targets]
    sign = 1 if identity_after(targets) == 2 else -1
    assert np.array_equal(square, sign * np.arange(pixels) % pixels)


def test_fibonacci_periods_alternate() -> None:
    """Neighbouring Fibonacci numbers have the two different periods."""
    found = [identity_after(Fibonacci().targets(1, pixels)) for pixels in (5, 8, 13, 21, 34, 55)]
    assert found in ([2, 4] * 3, [4, 2] * 3)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 7), (10, 10), (6, 89)])
def test_fibonacci_steps(rows: int, columns: int) -> None:
    """Place k holds pixel k F(n) mod F(n + 1), what lies beyond left out."""
    pixels = rows * columns
    step, modulus = 1, 1
    while modulus < pixels:
        step, modulus = modulus, step + modulus
    order = [k * step % modulus for k in range(modulus) if k * step % modulus < pixels]
    assert Fibonacci().scramble(np.arange(pixels).reshape(rows, columns)).reshape(-1).tolist() == (
        order
    )


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


def test_p_code_offset() -> None:
    """An offset is added to the step, and refused where it makes no permutation."""
    row = np.arange(1, 8).reshape(1, 7)
    with pytest.raises(InvalidParameterError, match="offset 1 makes no permutation"):
        FibonacciPCode(offset=1).scramble(row)
    column = [k * (5 + 2) % 8 for k in range(1, 8)]
    assert FibonacciPCode(offset=2)._line(7)[np.array(column) - 1].tolist() == list(range(7))


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 8, 10])
def test_gray_code_period(bits: int) -> None:
    """For 2^m pixels the period is the first power of two that is no less than m."""
    targets = GrayCode(iterations=1).targets(1, 2**bits)
    assert identity_after(targets) == 1 << (bits - 1).bit_length()


def test_gray_code_neighbours_differ_in_one_bit() -> None:
    """Consecutive codes differ in one bit, as F. Gray's do."""
    codes = GrayCode(iterations=1).targets(16, 64)
    assert {code.bit_count() for code in (codes[1:] ^ codes[:-1]).tolist()} == {1}
