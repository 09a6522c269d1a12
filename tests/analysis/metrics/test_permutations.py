"""Fixed points, cycles, rank and serial correlation of permutations, and all figures at once."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sudokucrypt.analysis import (
    cycles,
    fixed_points,
    permutation_statistics,
    rank_correlation,
    serial_correlation,
)
from sudokucrypt.analysis.metrics.permutations import _cycle_chances
from sudokucrypt.errors import InvalidParameterError
from tests.analysis.metrics.chance import confirm, rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.analysis import Measurement


@pytest.mark.parametrize("units", [2, 3, 5, 7])
def test_small_counts_have_the_law_of_all_permutations(units: int) -> None:
    """Expected values and p-values of both counts equal those over all permutations."""
    everything = [np.array(order) for order in itertools.permutations(range(units))]
    for metric, high in ((fixed_points, True), (cycles, False)):
        results = [metric(order) for order in everything]
        counts = np.array([row.value for row in results])
        for row in results[:: len(results) // 6 + 1]:
            above, below = np.mean(counts >= row.value), np.mean(counts <= row.value)
            p_value = above if high else min(1.0, 2 * min(above, below))
            assert row.p_value == pytest.approx(p_value, abs=1e-9)
            assert row.expected == pytest.approx(counts.mean(), abs=1e-9)


def test_cycle_counts_have_the_stirling_law() -> None:
    """Chances for 60 units equal Stirling numbers of the first kind over 60!."""
    numbers = [1]
    for n in range(60):
        numbers = [n * a + b for a, b in zip([*numbers, 0], [0, *numbers], strict=True)]
    expected = [number / math.factorial(60) for number in numbers]
    np.testing.assert_allclose(_cycle_chances(60)[:61], expected, atol=1e-15)


@pytest.mark.parametrize("units", [999, 1000, 1001, 3_000_000])
def test_cycle_counts_have_exact_moments(units: int) -> None:
    """Mean and variance are the harmonic sums, where the series takes over as well."""
    chances = _cycle_chances(units)
    counts = np.arange(len(chances))
    shares = 1 / np.arange(units, 0, -1)
    mean = chances @ counts
    assert mean == pytest.approx(shares.sum(), abs=1e-9)
    assert chances @ counts**2 - mean**2 == pytest.approx(
        shares.sum() - (shares**2).sum(), abs=1e-8
    )
    assert mean == pytest.approx(math.log(units) + 0.577, abs=1e-2)


def test_counts_are_those_of_scipy() -> None:
    """Cycles are the connected parts of the map, and correlations those of SciPy."""
    for order in [*rows(20, 200, seed=1), np.arange(200), np.roll(np.arange(200), 50)]:
        graph = coo_array((np.ones(200), (np.arange(200), order)))
        assert cycles(order).value == connected_components(graph)[0]
        assert fixed_points(order).value == Counter(order == np.arange(200))[True]
        rho = stats.spearmanr(np.arange(200), order).statistic
        assert rank_correlation(order).value == pytest.approx(rho, abs=1e-9)
        centred = order - order.mean()
        serial = np.sum(centred[:-1] * centred[1:]) / np.sum(centred**2)
        assert serial_correlation(order).value == pytest.approx(serial, abs=1e-9)


def test_uniform_permutations_have_the_expected_figures() -> None:
    """Means and rates of rejection are as stated; for counts that of the exact law."""
    orders = rows(2000, 100, seed=2)
    points = [fixed_points(order) for order in orders]
    assert points[0].upper == 3
    confirm(points, rejected=stats.poisson(1).sf(3))
    counts = [cycles(order) for order in orders]
    law = _cycle_chances(100)
    assert counts[0].lower is not None
    assert counts[0].upper is not None
    inside = law[int(counts[0].lower) : int(counts[0].upper) + 1].sum()
    confirm(counts, rejected=1 - inside)
    confirm(rank_correlation(order) for order in orders)
    confirm(serial_correlation(order) for order in orders)


@pytest.mark.parametrize("units", [4, 5, 7])
@pytest.mark.parametrize("metric", [rank_correlation, serial_correlation])
def test_correlations_have_exact_moments(metric: Callable[[Any], Measurement], units: int) -> None:
    """Expected value and interval come from the moments over all permutations."""
    results = [metric(np.array(order)) for order in itertools.permutations(range(units))]
    values = np.array([row.value for row in results])
    assert results[0].expected == pytest.approx(values.mean(), abs=1e-12)
    assert (results[0].lower, results[0].upper) == pytest.approx(
        stats.norm.interval(0.95, values.mean(), values.std()), abs=1e-9
    )


def test_the_identity_fails_everything() -> None:
    """No figure takes the identity for a uniform permutation, nor the reversal for one in order."""
    results = permutation_statistics(np.arange(400), shape=(20, 20))
    assert [row.name for row in results] == [
        "fixed_points",
        "cycles",
        "rank_correlation",
        "serial_correlation",
        "displacement",
        "neighbours_kept",
        "neighbour_separation",
    ]
    assert [row.passed for row in results] == [False] * 7
    backward = np.arange(400)[::-1]
    assert [rank_correlation(backward).value, fixed_points(backward).value] == [-1.0, 0.0]
    assert cycles(backward).value == 200


def test_all_figures_together_reject_about_a_third() -> None:
    """Of uniform permutations, 18% to 40% fail at least one of the seven figures."""
    failed = sum(
        any(row.passed is False for row in permutation_statistics(order, shape=(12, 15)))
        for order in rows(300, 180, seed=3)
    )
    assert 0.18 < failed / 300 < 0.40


def test_the_inverse_has_the_same_points_cycles_and_ranks() -> None:
    """Three of the figures do not tell a map from its inverse."""
    order = rows(1, 300, seed=4)[0]
    inverse = np.argsort(order)
    for metric in (fixed_points, cycles, rank_correlation):
        assert metric(order).value == pytest.approx(metric(inverse).value, abs=1e-12)


def test_other_arguments_are_refused() -> None:
    """Rows that are no permutation, too short ones, and shapes of other sizes."""
    for metric in (fixed_points, cycles, rank_correlation, serial_correlation):
        with pytest.raises(InvalidParameterError, match="must occur once"):
            metric(np.zeros(5, dtype=int))
        with pytest.raises(InvalidParameterError, match="level of significance"):
            metric(np.arange(5), level=1.5)
    with pytest.raises(InvalidParameterError, match="4 or more"):
        serial_correlation(np.arange(3))
    with pytest.raises(InvalidParameterError, match="9 rows"):
        permutation_statistics(np.arange(80), shape=(9, 9))
