"""Test statistics of permutations by all permutations, SciPy, loops and formulas."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sudokucrypt.analysis import (
    cycles,
    displacement,
    displacement_counts,
    fixed_points,
    neighbor_separation,
    neighbors_kept,
    permutation_statistics,
    position_table,
    position_uniformity,
    rank_correlation,
    serial_correlation,
)
from sudokucrypt.analysis.metrics.permutations import _compute_count_probabilities
from tests.analysis.metrics.chance import make_permutations

UNIT_METRICS = (fixed_points, cycles, rank_correlation, serial_correlation)
PIXEL_METRICS = (displacement, neighbors_kept, neighbor_separation)
SHAPES = [(1, 4), (2, 2), (5, 1), pytest.param((2, 3), marks=pytest.mark.slow)]


@pytest.mark.parametrize("units", [2, 3, 5])
def test_small_counts_have_the_law_of_all_permutations(units: int) -> None:
    """Expected values and p-values of fixed points and cycles equal those over all permutations."""
    everything = [np.array(order) for order in itertools.permutations(range(units))]
    for metric, high in ((fixed_points, True), (cycles, False)):
        results = [metric(order) for order in everything]
        counts = np.array([row.value for row in results])
        for row in results[:: len(results) // 6 + 1]:
            above, below = np.mean(counts >= row.value), np.mean(counts <= row.value)
            p_value = above if high else min(1.0, 2 * min(above, below))
            assert row.p_value == pytest.approx(p_value, abs=1e-9)
            assert row.expected == pytest.approx(counts.mean(), abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_moments_are_those_over_all_permutations(shape: tuple[int, int]) -> None:
    """Expected values and intervals equal the moments over all permutations."""
    orders = [np.array(order) for order in itertools.permutations(range(math.prod(shape)))]
    kept_neighbors = [neighbors_kept(order, shape=shape) for order in orders]
    assert kept_neighbors[0].expected == pytest.approx(
        np.mean([row.value for row in kept_neighbors]), abs=1e-12
    )
    moves = [displacement_counts(order, shape=shape) for order in orders]
    mean = np.mean([row.counts for row in moves], axis=0)
    np.testing.assert_allclose(moves[0].expected, mean, atol=1e-12)
    for results in (
        [rank_correlation(order) for order in orders],
        [serial_correlation(order) for order in orders],
        [displacement(order, shape=shape) for order in orders],
        [neighbor_separation(order, shape=shape) for order in orders],
    ):
        values = np.array([row.value for row in results])
        assert results[0].expected == pytest.approx(values.mean(), abs=1e-12)
        interval = stats.norm.interval(0.95, values.mean(), values.std())
        assert (results[0].lower, results[0].upper) == pytest.approx(interval, abs=1e-9)


def test_cycle_counts_have_the_stirling_law() -> None:
    """Probabilities of cycles for 60 units equal Stirling numbers of the first kind over 60!."""
    numbers = [1]
    for n in range(60):
        numbers = [n * a + b for a, b in zip([*numbers, 0], [0, *numbers], strict=True)]
    expected = [number / math.factorial(60) for number in numbers]
    np.testing.assert_allclose(_compute_count_probabilities(60)[:61], expected, atol=1e-15)


@pytest.mark.parametrize("units", [999, 1001, pytest.param(3_000_000, marks=pytest.mark.slow)])
def test_cycle_counts_have_exact_moments(units: int) -> None:
    """Mean and variance of cycle counts equal harmonic sums, with and without the series."""
    chances = _compute_count_probabilities(units)
    counts = np.arange(len(chances))
    shares = 1 / np.arange(units, 0, -1)
    mean = chances @ counts
    variance = shares.sum() - (shares**2).sum()
    assert mean == pytest.approx(shares.sum(), abs=1e-9)
    assert chances @ counts**2 - mean**2 == pytest.approx(variance, abs=1e-8)


def test_figures_of_units_are_those_of_scipy() -> None:
    """Cycles equal the connected components of the map, and correlations those of SciPy."""
    for order in [*make_permutations(5, 200, seed=1), np.arange(200), np.roll(np.arange(200), 50)]:
        graph = coo_array((np.ones(200), (np.arange(200), order)))
        assert cycles(order).value == connected_components(graph)[0]
        assert fixed_points(order).value == Counter(order == np.arange(200))[True]
        rho = stats.spearmanr(np.arange(200), order).statistic
        assert rank_correlation(order).value == pytest.approx(rho, abs=1e-9)
        centered = order - order.mean()
        serial = np.sum(centered[:-1] * centered[1:]) / np.sum(centered**2)
        assert serial_correlation(order).value == pytest.approx(serial, abs=1e-9)


def test_figures_of_pixels_are_those_of_single_pixels() -> None:
    """Statistics of pixels equal loops over single pixels and pairs of neighbors."""
    swapped = np.arange(9 * 13)
    swapped[[5, 70]] = [70, 5]
    for order in (make_permutations(1, 9 * 13, seed=1)[0], swapped, np.roll(swapped, 13)):
        positions = [divmod(position, 13) for position in order.tolist()]
        moves = [
            measure_distance(divmod(unit, 13), position) for unit, position in enumerate(positions)
        ]
        pairs = [(unit, unit + 13) for unit in range(8 * 13)]
        pairs += [(unit, unit + 1) for unit in range(9 * 13) if (unit + 1) % 13]
        pair_distances = [
            measure_distance(positions[one], positions[other]) for one, other in pairs
        ]
        values = [metric(order, shape=(9, 13)).value for metric in PIXEL_METRICS]
        assert values == pytest.approx(
            [np.mean(moves), pair_distances.count(1), np.mean(pair_distances)]
        )
        kept_neighbors = neighbors_kept(order, shape=(9, 13))
        law = stats.poisson(kept_neighbors.expected)
        p_value = min(1.0, 2 * min(law.cdf(kept_neighbors.value), law.sf(kept_neighbors.value - 1)))
        assert kept_neighbors.p_value == pytest.approx(p_value, abs=1e-12)
        counts = displacement_counts(order, shape=(9, 13))
        assert counts.counts.tolist() == [moves.count(d) for d in range(21)]
        assert counts.expected.sum() == pytest.approx(9 * 13, abs=1e-9)


def measure_distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the sum of the row and column distances of two positions."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def test_the_identity_fails_everything() -> None:
    """The identity fails all seven tests; the reversal has the values that are known."""
    results = permutation_statistics(np.arange(400), shape=(20, 20))
    assert [row.name for row in results] == [each.__name__ for each in UNIT_METRICS + PIXEL_METRICS]
    assert [row.passed for row in results] == [False] * 7
    backward = np.arange(400)[::-1]
    result = [metric(backward).value for metric in (rank_correlation, fixed_points, cycles)]
    assert result == [-1.0, 0.0, 200]
    # Without a shape, the sum of distances is Spearman's footrule, N^2/3 on average.
    footrule = displacement(backward)
    assert (footrule.value, displacement(np.arange(9)).value) == (200.0, 0.0)
    assert footrule.expected == pytest.approx((400**2 - 1) / 1200, abs=1e-9)


def test_tables_count_units_and_places() -> None:
    """Table entries count the maps from interval to interval, whose lengths differ by at most 1."""
    orders = make_permutations(40, 6, seed=1)
    table = position_table((order for order in orders), bins=6)
    for unit, position in itertools.product(range(6), repeat=2):
        assert table[unit, position] == np.count_nonzero(orders[:, unit] == position)
    # The identity fills the diagonal with the lengths of intervals, which differ by at most one.
    for units, bins in ((10, 3), (64, 16), (7, 7), (100, 16)):
        table = position_table([np.arange(units)] * 3, bins=bins)
        lengths = np.diag(table) // 3
        assert (table == np.diag(3 * lengths)).all()
        assert lengths.sum() == units
        assert lengths.max() - lengths.min() <= 1


def test_figures_are_those_of_scipy() -> None:
    """The statistic of `position_uniformity` is SciPy's chi-square times (N - 1)/N."""
    table = position_table(make_permutations(30, 48, seed=3), bins=6)
    result = position_uniformity(table, units=48)
    value = stats.chisquare(table.ravel(), axis=None).statistic * 47 / 48
    expected = (value, stats.chi2.sf(value, 25), stats.chi2.ppf(0.95, 25))
    assert (result.value, result.p_value, result.upper) == pytest.approx(expected, abs=1e-9)
    assert result.expected == 25


def test_maps_that_move_units_only_nearby_fail() -> None:
    """Maps that move units only within a quarter fail; too even and small tables have a note."""
    quarters = [
        make_permutations(4, 25, seed=seed) + 25 * np.arange(4)[:, None] for seed in range(10)
    ]
    near = [each.reshape(-1) for each in quarters]
    result = position_uniformity(position_table(near, bins=8), units=100)
    assert result.passed is False
    rolled = position_table([np.roll(np.arange(32), key) for key in range(32)], bins=4)
    assert "more even" in position_uniformity(rolled, units=32).note
    few = position_table([np.arange(32)], bins=4)
    assert "rough" in position_uniformity(few, units=32).note
