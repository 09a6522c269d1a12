"""Symmetries and parametric grids: images are grids, can be undone, and are all that is drawn."""

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError, ParametricGrid, SudokuGrid, Symmetry
from sudokucrypt.sudoku.seeded import seeded_draws

SLOW_BOX = pytest.param((32, 32), marks=pytest.mark.slow)


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 2), (3, 3), (2, 7), (7, 2), (5, 8), SLOW_BOX])
def test_drawn_grids_are_valid(box: tuple[int, int]) -> None:
    """A drawn grid obeys the rules, and single cells agree with the whole grid."""
    for seed in range(3):
        table = ParametricGrid.random(box, seeded_draws(seed))
        grid = table.to_grid()
        assert SudokuGrid(grid, box) == grid
        for row, column in np.random.default_rng(seed).integers(0, table.order, (20, 2)):
            assert table.cell(row, column) + 1 == grid[row, column]


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 3), (4, 3), (2, 5)])
def test_inverse_undoes(box: tuple[int, int]) -> None:
    """inverse().apply(apply(grid)) is the grid, images are valid, tables agree with them."""
    source = seeded_draws(1)
    base = ParametricGrid.base(box).to_grid()
    transposed = set()
    for _ in range(20):
        symmetry = Symmetry.random(box, source)
        grid = ParametricGrid.random(box, source).to_grid()
        image = symmetry.apply(grid)
        assert SudokuGrid(image, box) == image
        assert symmetry.inverse().apply(image) == grid
        assert ParametricGrid.from_symmetry(symmetry).to_grid() == symmetry.apply(base)
        transposed.add(symmetry.transposed)
    assert transposed == ({True, False} if box[0] == box[1] else {False})


def test_draws_reach_every_image_of_the_base_grid() -> None:
    """With 2 x 2 boxes, the drawn grids are the images under generators of the symmetries."""
    every = np.arange(4)
    generators = [
        Symmetry(box=(2, 2), rows=np.array(rows), columns=every, digits=np.array(digits))
        for rows, digits in (
            ([1, 0, 2, 3], every),
            ([2, 3, 0, 1], every),
            (every, [1, 0, 2, 3]),
            (every, [1, 2, 3, 0]),
        )
    ]
    generators.append(
        Symmetry(box=(2, 2), rows=every, columns=every, digits=every, transposed=True)
    )
    result = {ParametricGrid.base((2, 2)).to_grid()}
    waiting = list(result)
    while waiting:
        grid = waiting.pop()
        images = {generator.apply(grid) for generator in generators} - result
        result |= images
        waiting += images
    source = seeded_draws(7)
    assert {ParametricGrid.random((2, 2), source).to_grid() for _ in range(1500)} == result


def test_bad_symmetries_are_refused() -> None:
    """Rows must stay in their bands, digits be a permutation, boxes be square to transpose."""
    every = np.arange(6)
    good = {"box": (2, 3), "rows": every, "columns": every, "digits": every}
    for change in (
        {"rows": np.array([1, 2, 0, 3, 4, 5])},
        {"columns": np.array([0, 1, 3, 2, 4, 5])},
        {"digits": np.array([0, 0, 2, 3, 4, 5])},
        {"digits": every[:5]},
        {"transposed": True},
    ):
        with pytest.raises(InvalidParameterError):
            Symmetry(**{**good, **change})  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError):
        Symmetry(**good).apply(ParametricGrid.base((3, 2)).to_grid())  # type: ignore[arg-type]
