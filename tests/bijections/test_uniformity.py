"""The keyed map is statistically like a uniform permutation, and the battery can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt import Key, ParametricGrid, StreamDraws, permutation
from sudokucrypt.bijections import RasterLayout
from sudokucrypt.bijections.passes import ColumnPass, RowPass
from sudokucrypt.workers import Workers
from tests.bijections.battery import examine

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.typing import IntArray

KEY = Key(bytes(range(32)))
SIZES = [
    pytest.param(97, 1500, id="97"),
    pytest.param(4096, 400, id="4096"),
    pytest.param(65536, 60, id="65536"),
    pytest.param(512 * 512, 16, id="512x512", marks=pytest.mark.slow),
    pytest.param(1920 * 1080, 6, id="1920x1080", marks=pytest.mark.slow),
]
ACCEPTED = 1e-4
"""Some sixty p-values are looked at; the seeds are fixed, so the result is too."""
REFUSED = 1e-8


def keyed(count: int, number: int) -> IntArray:
    return permutation(count, KEY, nonce=number.to_bytes(4, "little"))


def uniform(count: int, number: int) -> IntArray:
    return np.random.default_rng(number).permutation(count)


def weakened(count: int, number: int) -> IntArray:
    """One row pass and one column pass, without block pass, tail swap or second window."""
    source = StreamDraws(KEY.stream("weakened", number.to_bytes(4, "little")))
    layout = RasterLayout.of(count)
    places = np.arange(count)
    RowPass(ParametricGrid.random(layout.box, source), layout.rows).apply(
        places, places, Workers(1)
    )
    ColumnPass(ParametricGrid.random(layout.box, source), 0).apply(places, places, Workers(1))
    return places


def p_values(draw: Callable[[int, int], IntArray], count: int, keys: int) -> dict[str, float]:
    return examine((draw(count, number) for number in range(keys)), count)


@pytest.mark.parametrize(("count", "keys"), SIZES)
def test_keyed_maps_pass(count: int, keys: int) -> None:
    """No statistic of the keyed maps is unlikely under the uniform distribution."""
    result = p_values(keyed, count, keys)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize(("count", "keys"), SIZES)
def test_uniform_maps_pass(count: int, keys: int) -> None:
    """The p-values are right: uniform permutations pass the same battery."""
    result = p_values(uniform, count, keys)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize(("count", "keys"), SIZES)
def test_weakened_maps_fail(count: int, keys: int) -> None:
    """The battery bites: a schedule of one row and one column pass is refused."""
    result = p_values(weakened, count, keys)
    assert min(result.values()) < REFUSED, result


@pytest.mark.slow
@pytest.mark.parametrize("count", [36, 63, 143, 211, 224])
def test_small_layouts_with_many_spare_rows_pass(count: int) -> None:
    """Where the rows exceed the order most, the default rounds still mix top and bottom."""
    result = p_values(keyed, count, 2000)
    assert min(result.values()) > ACCEPTED, result
