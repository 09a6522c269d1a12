"""Hilbert's scan, the logistic sort and the shuffles against what defines them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sudokucrypt.analysis.baselines import (
    BlockShuffle,
    HilbertScan,
    LogisticSort,
    RowColumnShuffle,
    UniformShuffle,
)


@pytest.mark.parametrize("side", [1, 2, 4, 8, 32])
def test_hilbert_steps_to_a_neighbour(side: int) -> None:
    """On sides 2^m consecutive pixels of the scan lie beside each other, from corner to corner."""
    order = HilbertScan().scramble(np.arange(side * side).reshape(side, side)).reshape(-1)
    row, column = np.divmod(order, side)
    assert (np.abs(np.diff(row)) + np.abs(np.diff(column)) == 1).all()
    assert (row[0], column[0]) == (0, 0)
    assert {int(row[-1]), int(column[-1])} <= {0, side - 1}


def test_hilbert_of_a_part_is_a_part_of_the_scan() -> None:
    """Other shapes are scanned in the order of the square around them."""
    square = np.arange(64).reshape(8, 8)
    whole = HilbertScan().scramble(square).reshape(-1)
    part = HilbertScan().scramble(square[:5, :7]).reshape(-1)
    assert part.tolist() == [pixel for pixel in whole if pixel // 8 < 5 and pixel % 8 < 7]


def test_logistic_sort_follows_the_orbit() -> None:
    """Place k gets the pixel of the k-th smallest of the values after the first 1000."""
    x, values = 0.25, []
    for step in range(1000 + 12):
        x = 3.9 * x * (1 - x)
        if step >= 1000:
            values.append(x)
    order = sorted(range(12), key=lambda pixel: values[pixel])
    image = np.arange(12).reshape(3, 4)
    assert LogisticSort(0.25, 3.9).scramble(image).reshape(-1).tolist() == order


@pytest.mark.parametrize("scheme", [UniformShuffle, RowColumnShuffle])
def test_seeds_decide(scheme: type[UniformShuffle | RowColumnShuffle]) -> None:
    """A seed gives one map, other seeds others; shapes of one size need not share it."""
    assert np.array_equal(scheme(3).targets(20, 30), scheme(3).targets(20, 30))
    assert not np.array_equal(scheme(3).targets(20, 30), scheme(4).targets(20, 30))


def test_uniform_shuffle_is_uniform() -> None:
    """Over 1200 seeds each of the 24 orders of 4 pixels comes about 50 times (chi-square)."""
    codes = [tuple(UniformShuffle(seed).targets(2, 2).tolist()) for seed in range(1200)]
    seen = np.array([codes.count(code) for code in set(codes)])
    assert len(seen) == math.factorial(4)
    critical_at_one_in_a_thousand = 49.73  # 23 degrees of freedom
    assert ((seen - 50) ** 2 / 50).sum() < critical_at_one_in_a_thousand


def test_row_column_shuffle_keeps_lines() -> None:
    """Rows and columns move as a whole, and both do."""
    rows, columns = np.divmod(RowColumnShuffle(5).targets(11, 13).reshape(11, 13), 13)
    assert (rows == rows[:, :1]).all()
    assert (columns == columns[:1]).all()
    assert rows[:, 0].tolist() != list(range(11))
    assert columns[0].tolist() != list(range(13))


def test_block_shuffle_keeps_blocks() -> None:
    """Blocks stay whole, those that an edge cuts stay where they are, and the seed decides."""
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


def test_an_image_smaller_than_a_block_stays() -> None:
    """Without a whole block nothing moves."""
    image = np.arange(30).reshape(5, 6)
    assert np.array_equal(BlockShuffle(16).scramble(image), image)
