"""Cell by cell: no digit is taken back, and those that are refused lead nowhere."""

from __future__ import annotations

import numpy as np
import pytest

from sudokucrypt import SudokuGrid
from sudokucrypt.sudoku.historical.cells import grid_by_cells
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.search import fill
from tests.sudoku.kernels import COMPILED

BOXES = [(1, 1), (1, 6), (2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 4)]


@pytest.mark.parametrize("box", BOXES if COMPILED else BOXES[:6])
def test_grids_are_valid(box: tuple[int, int]) -> None:
    """Every seed makes a valid grid, and not always the same."""
    grids = {grid_by_cells(box, seeded_draws(seed)) for seed in range(4)}
    assert all(SudokuGrid(grid.cells, box) == grid for grid in grids)
    assert len(grids) > 1 or box == (1, 1)


def test_trace_tells_what_stays() -> None:
    """Digits that stay make up the grid in reading order; the others have no completion."""
    steps: list[tuple[int, int, bool]] = []
    grid = grid_by_cells((2, 3), seeded_draws(1), trace=lambda *step: steps.append(step))
    digits = grid.cells.reshape(-1).tolist()
    assert [(cell, digit) for cell, digit, stays in steps if stays] == list(enumerate(digits))
    refused = [(cell, digit) for cell, digit, stays in steps if not stays]
    assert refused
    for cell, digit in refused:
        givens = np.full(36, -1, dtype=np.int32)
        givens[:cell] = digits[:cell]
        givens[cell] = digit
        assert fill(Variant.standard((2, 3)).rules, seeded_draws(99), givens=givens) is None


def test_grids_of_a_seed_never_change() -> None:
    """A grid as recorded when the method was introduced."""
    assert grid_by_cells((3, 3), seeded_draws(1)).to_text() == (
        "729643158654718392183295467976581234831426975542379681215967843497832516368154729"
    )
