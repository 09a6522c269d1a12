"""Parametric grids: valid at every order, equal cell by cell to the grid they describe."""

from __future__ import annotations

import numpy as np
import pytest

from sudokucrypt import Key, ParametricGrid, StreamDraws, SudokuGrid, Symmetry


def draws(seed: int) -> StreamDraws:
    return StreamDraws(Key(bytes([seed]) * 32).stream("test", b""))


@pytest.mark.parametrize(
    "box",
    [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (2, 7), (7, 2), (4, 4), (5, 8), (16, 16)],
)
@pytest.mark.parametrize("seed", range(5))
def test_keyed_grids_are_valid(box: tuple[int, int], seed: int) -> None:
    """A drawn grid obeys the rules, and single cells agree with the whole grid."""
    table = ParametricGrid.random(box, draws(seed))
    grid = table.to_grid()
    assert SudokuGrid(grid.cells, box) == grid
    for row, column in np.random.default_rng(seed).integers(0, table.order, (20, 2)):
        assert table.cell(row, column) == grid[row, column]


@pytest.mark.parametrize("box", [(32, 32), (64, 64)])
def test_large_orders(box: tuple[int, int]) -> None:
    """Orders 1024 and 4096 are made at once and are valid."""
    table = ParametricGrid.random(box, draws(1))
    assert SudokuGrid(table.to_grid().cells, box).order == box[0] * box[1]


def test_draws_reach_every_image_of_the_base_grid() -> None:
    """With 2 x 2 boxes, the drawn grids are all the images under the symmetries, and no others."""
    source = draws(7)
    seen = {ParametricGrid.random((2, 2), source).to_grid() for _ in range(4000)}
    assert seen == _orbit()


def _orbit() -> set[SudokuGrid]:
    """Return the base grid's images under all symmetries, by closure under generators."""
    every = np.arange(4)
    generators = [
        Symmetry(box=(2, 2), rows=rows, columns=every, digits=digits, transposed=transposed)
        for rows, digits, transposed in [
            (every, every, True),
            (np.array([1, 0, 2, 3]), every, False),
            (np.array([2, 3, 0, 1]), every, False),
            (every, np.array([1, 0, 2, 3]), False),
            (every, np.array([1, 2, 3, 0]), False),
        ]
    ]
    found = {ParametricGrid.base((2, 2)).to_grid()}
    waiting = list(found)
    while waiting:
        grid = waiting.pop()
        images = {generator.apply(grid) for generator in generators} - found
        found |= images
        waiting += images
    return found
