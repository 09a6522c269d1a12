"""The table of where units land over many keys."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.analysis import position_table, position_uniformity
from sudokucrypt.errors import InvalidParameterError
from tests.analysis.metrics.chance import confirm, rows


def test_tables_count_units_and_places() -> None:
    """With a bin for each unit, the entry (i, j) counts the maps that send i to j."""
    orders = rows(40, 6, seed=1)
    table = position_table(orders, bins=6)
    for unit, place in itertools.product(range(6), repeat=2):
        assert table[unit, place] == np.count_nonzero(orders[:, unit] == place)


@pytest.mark.parametrize(("units", "bins"), [(10, 3), (64, 16), (7, 7), (100, 16)])
def test_stretches_cut_the_places_evenly(units: int, bins: int) -> None:
    """The identity fills the diagonal with lengths that differ by one at most."""
    table = position_table([np.arange(units)] * 3, bins=bins)
    lengths = np.diag(table) // 3
    assert (table == np.diag(3 * lengths)).all()
    assert lengths.sum() == units
    assert lengths.max() - lengths.min() <= 1


@pytest.mark.parametrize(("units", "bins", "keys"), [(6, 6, 150), (50, 7, 20), (64, 4, 10)])
def test_uniform_permutations_have_the_expected_figure(units: int, bins: int, keys: int) -> None:
    """Tables of uniform permutations have the stated mean, and fail at the level."""
    orders = rows(600 * keys, units, seed=2).reshape(600, keys, units)
    confirm(position_uniformity(position_table(some, bins=bins), units=units) for some in orders)


def test_figures_are_those_of_scipy() -> None:
    """The statistic is SciPy's, times (N - 1)/N."""
    table = position_table(rows(30, 48, seed=3), bins=6)
    result = position_uniformity(table, units=48)
    expected = stats.chisquare(table.ravel(), axis=None).statistic * 47 / 48
    assert result.value == pytest.approx(expected, abs=1e-9)
    assert result.p_value == pytest.approx(stats.chi2.sf(expected, 25), abs=1e-9)
    assert result.upper == pytest.approx(stats.chi2.ppf(0.95, 25), abs=1e-9)


def test_units_that_stay_near_are_seen() -> None:
    """Maps that move each unit within its quarter fail, and even tables are named."""
    near = [np.concatenate([row + 25 * i for i, row in enumerate(rows(4, 25, seed=s))])
            for s in range(10)]  # fmt: skip
    result = position_uniformity(position_table(near, bins=8), units=100)
    assert result.passed is False
    rolled = position_table([np.roll(np.arange(32), key) for key in range(32)], bins=4)
    assert "more even" in position_uniformity(rolled, units=32).note
    few = position_table([np.arange(32)], bins=4)
    assert "rough" in position_uniformity(few, units=32).note


def test_permutations_are_read_one_at_a_time() -> None:
    """A generator is as good as a list."""
    orders = rows(5, 20, seed=4)
    assert (position_table((row for row in orders), bins=4) == position_table(orders, bins=4)).all()


@pytest.mark.parametrize(
    ("orders", "bins"),
    [
        ([], 4),
        ([np.arange(8), np.arange(9)], 4),
        ([np.zeros(8, dtype=int)], 4),
        ([np.arange(8)], 9),
        ([np.arange(8)], 1),
        ([np.arange(8)], -1),
    ],
)
def test_other_permutations_are_refused(orders: Any, bins: int) -> None:
    """No permutation, different lengths, and bins out of range."""
    with pytest.raises(InvalidParameterError):
        position_table(orders, bins=bins)


@pytest.mark.parametrize(
    "table",
    [np.zeros((4, 4), dtype=int), np.eye(4), np.eye(4, 5, dtype=int),
     np.array([[4, 0], [1, 3]]), np.array([[4, 1], [0, 3]]),
     np.array([[5, -1], [-1, 5]]), 8 * np.eye(16, dtype=int)],
)  # fmt: skip
def test_other_tables_are_refused(table: Any) -> None:
    """Tables whose margins are not those of permutations of so many units."""
    with pytest.raises(InvalidParameterError):
        position_uniformity(table, units=8)
