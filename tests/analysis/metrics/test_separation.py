"""Whether permutations part neighbours."""

from __future__ import annotations

import itertools
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.analysis import neighbour_separation, neighbours_kept
from sudokucrypt.errors import InvalidParameterError
from tests.analysis.metrics.chance import confirm, rows

SMALL = [(1, 4), (2, 2), (1, 6), (2, 3), (3, 2), (7, 1)]


@pytest.mark.parametrize("shape", SMALL)
def test_moments_are_those_over_all_permutations(shape: tuple[int, int]) -> None:
    """Expected values and the interval equal those of all permutations."""
    orders = list(itertools.permutations(range(shape[0] * shape[1])))
    kept = [neighbours_kept(order, shape=shape) for order in orders]
    assert kept[0].expected == pytest.approx(np.mean([row.value for row in kept]), abs=1e-12)
    apart = [neighbour_separation(order, shape=shape) for order in orders]
    values = np.array([row.value for row in apart])
    assert apart[0].expected == pytest.approx(values.mean(), abs=1e-12)
    assert (apart[0].lower, apart[0].upper) == pytest.approx(
        stats.norm.interval(0.95, values.mean(), values.std()), abs=1e-9
    )


def apart(order: Any, columns: int) -> list[int]:
    """Distances after the map of all pairs of neighbours, one by one."""
    places = order.tolist()
    pairs = [(unit, unit + columns) for unit in range(len(places) - columns)]
    pairs += [(unit, unit + 1) for unit in range(len(places)) if (unit + 1) % columns]
    return [
        abs(places[a] // columns - places[b] // columns)
        + abs(places[a] % columns - places[b] % columns)
        for a, b in pairs
    ]


def test_figures_are_those_of_single_pairs() -> None:
    """Both figures agree with distances found one pair at a time."""
    uniform = rows(1, 9 * 13, seed=1)[0]
    swapped = np.arange(9 * 13)
    swapped[[5, 70]] = [70, 5]
    for order in (uniform, swapped, np.roll(swapped, 13)):
        distances = apart(order, 13)
        assert neighbours_kept(order, shape=(9, 13)).value == distances.count(1)
        assert neighbour_separation(order, shape=(9, 13)).value == pytest.approx(
            np.mean(distances), abs=1e-12
        )


@pytest.mark.parametrize("shape", [(20, 25), (1, 400)])
def test_uniform_permutations_have_the_expected_figures(shape: tuple[int, int]) -> None:
    """Means and rates of rejection are as stated, that of the count by Poisson's law."""
    orders = rows(2000, shape[0] * shape[1], seed=2)
    confirm(neighbour_separation(order, shape=shape) for order in orders)
    kept = [neighbours_kept(order, shape=shape) for order in orders]
    first = kept[0]
    assert first.expected is not None
    assert first.lower is not None
    assert first.upper is not None
    law = stats.poisson(first.expected)
    confirm(kept, rejected=law.cdf(first.lower - 1) + law.sf(first.upper))
    assert np.std([row.value for row in kept]) == pytest.approx(sqrt(first.expected), rel=0.1)


@pytest.mark.parametrize(("shape", "expected"), [((1024, 1024), 8.0), ((1, 10**6), 2.0)])
def test_large_images_keep_eight_pairs_and_rows_two(
    shape: tuple[int, int], expected: float
) -> None:
    """The expected count hardly depends on the size."""
    result = neighbours_kept(np.arange(shape[0] * shape[1]), shape=shape)
    assert result.expected == pytest.approx(expected, rel=0.003)
    assert result.passed is False


def test_blocks_that_move_whole_are_seen() -> None:
    """Where blocks of 4 x 4 move as a whole, most neighbours stay neighbours."""
    places = np.arange(32 * 32).reshape(8, 4, 8, 4).transpose(0, 2, 1, 3).reshape(64, 4, 4)
    moved = np.random.default_rng(3).permutation(places).reshape(8, 8, 4, 4)
    order = moved.transpose(0, 2, 1, 3).ravel()
    kept = neighbours_kept(order, shape=(32, 32))
    assert kept.value >= 64 * 24
    assert kept.passed is False
    assert neighbour_separation(order, shape=(32, 32)).passed is False


def test_other_arguments_are_refused() -> None:
    """Fewer than four units, and shapes of other sizes."""
    for metric in (neighbours_kept, neighbour_separation):
        with pytest.raises(InvalidParameterError, match="4 or more"):
            metric(np.arange(3))
        with pytest.raises(InvalidParameterError, match="units"):
            metric(np.arange(8), shape=(3, 3))
