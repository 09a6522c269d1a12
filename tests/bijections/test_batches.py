"""Maps that are made together are those that the package makes one by one."""

import numpy as np
import pytest

from sudokucrypt import ParametricGrid
from sudokucrypt.bijections import RasterLayout
from sudokucrypt.bijections import passes as room
from sudokucrypt.workers import Workers
from tests.bijections.batches import Grids, Schedule, exchange, maps, move
from tests.bijections.chances import cycles

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("count", [36, 63, 81, 97, 300])
def test_steps_equal_those_of_the_package(count: int) -> None:
    """Exchange and passes with the same places and tables move the same units."""
    rng = np.random.default_rng(count)
    box, spares = (layout := RasterLayout.of(count)).box, layout.remainder
    units = rng.permuted(np.tile(np.arange(count), (5, 1)), axis=1)
    alone = units.copy()
    places = rng.integers(0, np.arange(count, count - spares, -1), (5, spares))
    exchange(units, places)
    for line, others in zip(alone, places, strict=True):
        room.RemainderExchange(others).apply(line)
    assert np.array_equal(units, alone)
    drawn = {name: Grids.drawn(box, 5, rng) for name in ("row", "column", "block")}
    for name, grids in drawn.items():
        move(units, name, grids)
    for number, line in enumerate(alone):
        row, *others = np.array(
            [
                [table[number] for table in (each.alpha, each.beta, each.sigma)]
                for each in drawn.values()
            ]
        )
        for grid in (row, *others):
            assert ParametricGrid(box, *grid).to_grid().to_text()  # keeps the rules
        room.RowPass(box, row).move(line, line, Workers(1))
        room.StackPass(box, np.stack(others)).move(line.copy(), line, Workers(1))
    assert np.array_equal(units, alone)


def test_maps_are_maps() -> None:
    """Each map reaches each place once, and no two are equal."""
    made = maps(97, 50, Schedule(2), np.random.default_rng(1))
    assert np.array_equal(np.sort(made, axis=1), np.tile(np.arange(97), (50, 1)))
    assert len({line.tobytes() for line in made}) == 50


def test_cycles_are_counted() -> None:
    """Maps of one, two and five cycles."""
    perms = [[1, 2, 3, 4, 0], [1, 0, 3, 4, 2], [0, 1, 2, 3, 4]]
    assert cycles(np.array(perms)).tolist() == [1, 2, 5]
