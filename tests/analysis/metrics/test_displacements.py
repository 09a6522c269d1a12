"""How far permutations move pixels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.analysis import displacement, displacement_counts
from sudokucrypt.errors import InvalidParameterError
from tests.analysis.metrics.chance import confirm, rows

SMALL = [(1, 2), (1, 5), (2, 3), (3, 2), (7, 1)]


@pytest.mark.parametrize("shape", SMALL)
def test_moments_are_those_over_all_permutations(shape: tuple[int, int]) -> None:
    """Expected value, interval and expected counts equal those of all permutations."""
    units = shape[0] * shape[1]
    orders = [np.array(order) for order in itertools.permutations(range(units))]
    results = [displacement(order, shape=shape) for order in orders]
    values = np.array([row.value for row in results])
    assert results[0].expected == pytest.approx(values.mean(), abs=1e-12)
    assert (results[0].lower, results[0].upper) == pytest.approx(
        stats.norm.interval(0.95, values.mean(), values.std()), abs=1e-9
    )
    counts = [displacement_counts(order, shape=shape) for order in orders]
    mean = np.mean([row.counts for row in counts], axis=0)
    np.testing.assert_allclose(counts[0].expected, mean, atol=1e-12)


def test_distances_add_rows_and_columns() -> None:
    """Value and counts agree with distances found one pixel at a time."""
    order = rows(1, 15 * 22, seed=1)[0]
    distances = [
        abs(place // 22 - unit // 22) + abs(place % 22 - unit % 22)
        for unit, place in enumerate(order.tolist())
    ]
    assert displacement(order, shape=(15, 22)).value == pytest.approx(np.mean(distances), abs=1e-12)
    counts = displacement_counts(order, shape=(15, 22))
    assert counts.counts.tolist() == [distances.count(d) for d in range(36)]
    assert counts.expected.sum() == pytest.approx(15 * 22, abs=1e-9)


@pytest.mark.parametrize("shape", [(12, 15), (1, 100)])
def test_uniform_permutations_move_as_far_as_expected(shape: tuple[int, int]) -> None:
    """Means and rates of rejection are as stated."""
    orders = rows(2000, shape[0] * shape[1], seed=2)
    confirm(displacement(order, shape=shape) for order in orders)


def test_one_row_is_the_footrule() -> None:
    """Without a shape, distances are those of Spearman's footrule, N^2/3 in all."""
    result = displacement(np.arange(1000)[::-1])
    assert result.value == 500.0
    assert result.expected == pytest.approx((1000**2 - 1) / 3000, abs=1e-9)
    assert displacement(np.arange(9)).value == 0.0


def test_shapes_of_other_sizes_are_refused() -> None:
    """The shape must hold all units, and the row be a permutation."""
    for metric in (displacement, displacement_counts):
        with pytest.raises(InvalidParameterError, match="units"):
            metric(np.arange(6), shape=(2, 2))
        with pytest.raises(InvalidParameterError):
            metric(np.array([0, 0, 1]))
