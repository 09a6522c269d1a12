"""Grids, puzzles and arrays are values: they never change, and are equal by what they hold."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt.sudoku import ParametricGrid, SudokuArray, SudokuGrid, SudokuPuzzle, Variant

GRID = np.array(ParametricGrid.base((2, 3)).to_grid())
ARRAY = np.array(SudokuArray.base((1, 2, 2, 2)))

# How it is made of cells, these, what holds other ones or has another form, names of attributes.
VALUES: list[tuple[Callable[[Any], Any], Any, list[object], str, str]] = [
    (SudokuGrid, GRID, [SudokuGrid(GRID, (1, 6))], "cells", "box"),
    (
        SudokuPuzzle,
        np.zeros((4, 4), int),
        [SudokuPuzzle.empty(Variant.x((2, 2)))],
        "givens",
        "variant",
    ),
    (SudokuArray, ARRAY, [SudokuArray.base((2, 1, 2, 2))], "cells", "cells"),
]


@pytest.mark.parametrize(("make", "cells", "others", "held", "name"), VALUES)
def test_values_cannot_change(
    make: Callable[[Any], Any], cells: Any, others: list[object], held: str, name: str
) -> None:
    """Neither it nor the array it was made from can alter its cells; equal ones hash alike."""
    given = cells.copy()
    value, twin = make(given), make(cells.copy())
    given.reshape(-1)[0] = 3
    assert value == twin
    assert hash(value) == hash(twin)
    assert all(value != other for other in [*others, "value", cells.tolist()])
    with pytest.raises(ValueError, match="read-only"):
        getattr(value, held).reshape(-1)[0] = 3
    with pytest.raises(AttributeError):
        setattr(value, name, None)


@pytest.mark.parametrize(("make", "cells"), [value[:2] for value in VALUES])
def test_to_numpy_they_are_arrays_from_one(make: Callable[[Any], Any], cells: Any) -> None:
    """The array is the one it was made from, indices and rows are its own, and it is a copy."""
    value = make(cells)
    assert np.array_equal(np.asarray(value), cells)
    assert np.asarray(value).dtype == np.int32
    assert np.asarray(value, dtype=np.uint8).dtype == np.uint8
    corner = (0,) * cells.ndim
    assert value[corner] == cells[corner]
    assert type(value[corner]) is int
    assert np.array_equal(value[-1], cells[-1])
    assert np.array_equal(np.array([*value]), cells)
    assert len(value) == len(cells)
    np.asarray(value)[corner] = 3
    assert value == make(cells)
    with pytest.raises(ValueError, match="copy"):
        value.__array__(copy=False)
