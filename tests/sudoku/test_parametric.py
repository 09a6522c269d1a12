"""Parametric grids: valid at every order, equal cell by cell to the grid they describe."""

from __future__ import annotations

import numpy as np
import pytest

from sudokucrypt import Key, ParametricGrid, StreamDraws, SudokuGrid


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


def test_every_grid_of_order_four_that_is_reachable_occurs() -> None:
    """All 288 grids with 2 x 2 boxes are images of the base grid, and the draws reach them all."""
    seen = {ParametricGrid.random((2, 2), source).to_grid() for source in [draws(7)] * 4000}
    assert len(seen) in (96, 192, 288)
    assert len(seen) == len(_orbit())


def _orbit() -> set[SudokuGrid]:
    """Return the base grid's images under all symmetries, by closure under generators."""
    base = ParametricGrid.base((2, 2)).to_grid().cells
    moves = [
        lambda g: g.T,
        lambda g: g[[1, 0, 2, 3]],
        lambda g: g[[2, 3, 0, 1]],
        lambda g: np.array([1, 0, 2, 3])[g],
        lambda g: np.array([1, 2, 3, 0])[g],
    ]
    found = {base.tobytes(): base}
    waiting = [base]
    while waiting:
        cells = waiting.pop()
        for move in moves:
            image = np.ascontiguousarray(move(cells), dtype=np.int32)
            if image.tobytes() not in found:
                found[image.tobytes()] = image
                waiting.append(image)
    return {SudokuGrid(cells) for cells in found.values()}
