"""Symmetries: images of grids are grids, and every symmetry can be undone."""

from __future__ import annotations

import numpy as np
import pytest

from sudokucrypt import (
    InvalidParameterError,
    Key,
    ParametricGrid,
    StreamDraws,
    SudokuGrid,
    Symmetry,
)


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 3), (4, 3), (5, 5)])
def test_inverse_undoes(box: tuple[int, int]) -> None:
    """inverse().apply(apply(grid)) is the grid, transposed or not, and images are valid."""
    source = StreamDraws(Key(bytes(32)).stream("test", b"symmetry"))
    grid = ParametricGrid.random(box, source).to_grid()
    transposed = set()
    for _ in range(20):
        symmetry = Symmetry.random(box, source)
        image = symmetry.apply(grid)
        assert SudokuGrid(image.cells, box) == image
        assert symmetry.inverse().apply(image) == grid
        transposed.add(symmetry.transposed)
    assert transposed == ({True, False} if box[0] == box[1] else {False})


def test_tables_agree_with_the_grid() -> None:
    """The table form of an image is the image of the base grid."""
    source = StreamDraws(Key(bytes(32)).stream("test", b"tables"))
    for box in [(2, 2), (3, 3), (2, 5)] * 5:
        symmetry = Symmetry.random(box, source)
        image = symmetry.apply(ParametricGrid.base(box).to_grid())
        assert ParametricGrid.from_symmetry(symmetry).to_grid() == image


def test_bad_symmetries_are_refused() -> None:
    """Rows must stay in their bands, digits be a permutation, boxes be square to transpose."""
    every = np.arange(6)
    good = {"box": (2, 3), "rows": every, "columns": every, "digits": every}
    Symmetry(**good)  # type: ignore[arg-type]
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
