"""The keyed map is statistically like a uniform permutation, and the battery can tell."""

import numpy as np
import pytest

from tests.bijections.batches import Schedule
from tests.bijections.battery import batches, examine, keyed

pytestmark = pytest.mark.kernels

SIZES = [
    pytest.param(63, 500, id="63", marks=pytest.mark.slow),
    pytest.param(97, 500, id="97", marks=pytest.mark.slow),
    pytest.param(300, 40, id="300"),
    pytest.param(4096, 200, id="4096", marks=pytest.mark.slow),
    pytest.param(4355, 200, id="4355", marks=pytest.mark.slow),
    pytest.param(65536, 20, id="65536", marks=pytest.mark.slow),
    # As many spares as a large count can have:
    pytest.param(186_623, 6, id="186623", marks=pytest.mark.slow),
    pytest.param(512 * 512, 16, id="512x512", marks=pytest.mark.slow),
    pytest.param(1024 * 1023, 6, id="1024x1023", marks=pytest.mark.slow),
    pytest.param(1920 * 1080, 6, id="1920x1080", marks=pytest.mark.slow),
]
ACCEPTED = 1e-5
"""Some five hundred p-values are looked at; the seeds are fixed, so the result is too."""
REFUSED = 1e-8

SKETCH = Schedule(3, exchange="own column")
WEAKENED = [
    pytest.param(
        Schedule(1, passes=("row", "column")),
        4096,
        20,
        id="one row, one column pass",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        Schedule(1, passes=("row", "column")),
        65536,
        5,
        id="one of each, many units",
        marks=pytest.mark.slow,
    ),
    pytest.param(Schedule(1), 97, 1500, id="one round"),
    pytest.param(Schedule(2), 63, 4000, id="two rounds of few units", marks=pytest.mark.slow),
    pytest.param(
        Schedule(4, passes=("row", "block")), 97, 500, id="no column pass", marks=pytest.mark.slow
    ),
    pytest.param(Schedule(4, exchange="never"), 97, 500, id="no exchange"),
    pytest.param(
        Schedule(4, exchange="never"),
        4097,
        400,
        id="no exchange of one spare",
        marks=pytest.mark.slow,
    ),
    pytest.param(SKETCH, 63, 4000, id="spares exchanged in their columns", marks=pytest.mark.slow),
    pytest.param(SKETCH, 143, 4000, id="the same, another count", marks=pytest.mark.slow),
    pytest.param(
        Schedule(2, exchange="own column"),
        13688,
        20,
        id="the same, many units",
        marks=pytest.mark.slow,
    ),
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
