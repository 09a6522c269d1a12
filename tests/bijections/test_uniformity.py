"""The keyed map is statistically like a uniform permutation, and the battery can tell."""

import numpy as np
import pytest

from sudokucrypt import ParametricGrid
from sudokucrypt.bijections import RasterLayout
from sudokucrypt.bijections.keyed import RemainderExchange, RowPass, StackPass
from sudokucrypt.workers import Workers
from tests.bijections.batches import Exchange, Grids, Schedule, exchange, maps, move
from tests.bijections.battery import batches, examine, keyed
from tests.bijections.chances import cycles

pytestmark = pytest.mark.kernels

slow, nightly = pytest.mark.slow, pytest.mark.nightly

SIZES = [
    pytest.param(63, 500, marks=slow),
    pytest.param(97, 500, marks=slow),
    (300, 40),
    pytest.param(4096, 200, marks=slow),
    pytest.param(4355, 200, marks=slow),
    pytest.param(65536, 20, marks=slow),
    pytest.param(186_623, 6, marks=slow),  # as many spares as a large count can have
    pytest.param(512 * 512, 16, marks=slow),
    pytest.param(1024 * 1023, 6, marks=nightly),
    pytest.param(1920 * 1080, 6, marks=nightly),
]
ACCEPTED = 1e-5
"""Some five hundred p-values are looked at; the seeds are fixed, so the result is too."""
REFUSED = 1e-8

SKETCH: Exchange = "own column"
"""Spares exchanged in their columns, as in a design that was given up."""
WEAKENED = [
    pytest.param(Schedule(1, passes=("row", "column")), 4096, 20, marks=slow),
    pytest.param(Schedule(1, passes=("row", "column")), 65536, 5, marks=slow),
    (Schedule(1), 97, 1500),
    pytest.param(Schedule(2), 63, 4000, marks=slow),
    pytest.param(Schedule(4, passes=("row", "block")), 97, 500, marks=slow),
    (Schedule(4, exchange="never"), 97, 500),
    pytest.param(Schedule(4, exchange="never"), 4097, 400, marks=slow),
    pytest.param(Schedule(3, exchange=SKETCH), 63, 4000, marks=slow),
    pytest.param(Schedule(3, exchange=SKETCH), 143, 4000, marks=slow),
    pytest.param(Schedule(2, exchange=SKETCH), 13688, 20, marks=slow),
]


@pytest.mark.parametrize(("count", "keys"), SIZES)
def test_keyed_maps_pass(count: int, keys: int) -> None:
    """No statistic of the keyed maps is unlikely under the uniform distribution."""
    result = examine(keyed(count, keys, None), count)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize(("count", "keys"), SIZES)
def test_uniform_maps_pass(count: int, keys: int) -> None:
    """The p-values are right: uniform permutations pass the same battery."""
    rng = np.random.default_rng(count)
    result = examine((rng.permutation(count) for _ in range(keys)), count)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize(("schedule", "count", "keys"), WEAKENED)
def test_weakened_maps_fail(schedule: Schedule, count: int, keys: int) -> None:
    """The battery bites: what leaves out a part of the schedule is refused."""
    result = examine(batches(count, keys, schedule), count)
    assert min(result.values()) < REFUSED, result


@pytest.mark.slow
@pytest.mark.parametrize("count", [36, 37, 48, 63, 80, 143, 211, 224, 300])
def test_small_counts_pass(count: int) -> None:
    """With the rounds of small counts, 10,000 keys show nothing, however many spares there are."""
    result = examine(batches(count, 10_000, Schedule(4)), count)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize("count", [36, 63, 81, 97, 300])
def test_steps_equal_those_of_the_package(count: int) -> None:
    """Exchange and passes with the same places and tables move the same units."""
    rng = np.random.default_rng(count)
    box, spares = (layout := RasterLayout.of(count)).box, layout.remainder
    units = rng.permuted(np.tile(np.arange(count), (5, 1)), axis=1)
    alone = units.copy()
    positions = rng.integers(0, np.arange(count, count - spares, -1), (5, spares))
    exchange(units, positions)
    for line, others in zip(alone, positions, strict=True):
        RemainderExchange(others).apply(line)
    assert np.array_equal(units, alone)
    drawn = {name: Grids.drawn(box, 5, rng) for name in ("row", "column", "block")}
    for name, grids in drawn.items():
        move(units, name, grids)
    for index, line in enumerate(alone):
        row, *others = np.array(
            [
                [table[index] for table in (each.alpha, each.beta, each.sigma)]
                for each in drawn.values()
            ]
        )
        for grid in (row, *others):
            assert ParametricGrid(box, *grid).to_grid().to_text()  # keeps the rules
        RowPass(box, row).move(line, line, Workers(1), banded=True)
        StackPass(box, np.stack(others)).move(line, line, Workers(1), banded=True)
    assert np.array_equal(units, alone)


def test_maps_are_maps() -> None:
    """Each map reaches each place once, and no two are equal."""
    result = maps(97, 50, Schedule(2), np.random.default_rng(1))
    assert np.array_equal(np.sort(result, axis=1), np.tile(np.arange(97), (50, 1)))
    assert len({line.tobytes() for line in result}) == 50


def test_cycles_are_counted() -> None:
    """Maps of one, two and five cycles."""
    perms = [[1, 2, 3, 4, 0], [1, 0, 3, 4, 2], [0, 1, 2, 3, 4]]
    assert cycles(np.array(perms)).tolist() == [1, 2, 5]
