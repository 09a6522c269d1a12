"""Lines that hold together: one known image is enough for them, and ours have none."""

import numpy as np
import pytest

from sudokucrypt import Representation, bijection, invert
from sudokucrypt.analysis.attacks import Outcome, row_column_attack
from sudokucrypt.analysis.baselines import (
    FibonacciPCode,
    GrayCode,
    RowColumnShuffle,
    UniformShuffle,
)
from sudokucrypt.sudoku import ParametricGrid
from sudokucrypt.sudoku.seeded import seeded_draws
from tests.analysis.pictures import picture

SIDES = (60, 70)


@pytest.mark.parametrize(
    "scheme", [RowColumnShuffle(4), FibonacciPCode(), FibonacciPCode(p=3)], ids=repr
)
@pytest.mark.parametrize("shape", [(37, 80), (90, 41, 3)])
def test_moved_lines_fall_to_one_image(
    scheme: RowColumnShuffle | FibonacciPCode, shape: tuple[int, ...]
) -> None:
    """The whole map comes back from one image, exactly."""
    result = row_column_attack(scheme.scramble, shape)
    assert np.array_equal(result.sources, invert(scheme.targets(*shape[:2])))
    assert (result.rows_found, result.columns_found, result.recovered) == (1, 1, 1)
    assert result.verdict.startswith("broken: 1 known image gave the places of all")


def test_lines_that_salt_moves_anew_leak() -> None:
    """Which pixels share a line shows, although no map holds; a uniform shuffle shows nothing."""
    numbers = iter(range(10))
    result = row_column_attack(lambda image: RowColumnShuffle(next(numbers)).scramble(image), SIDES)
    assert (result.rows_found, result.columns_found) == (1, 1)
    assert (result.outcome, result.recovered < 0.01) == (Outcome.LEAKS, True)
    assert result.verdict.endswith("which pixels share a line shows")
    result = row_column_attack(UniformShuffle(1).scramble, SIDES)
    assert (result.outcome, result.rows_found) == (Outcome.NOTHING, 0)
    narrow = row_column_attack(UniformShuffle(1).scramble, (400, 1))  # rows of one pixel
    assert narrow.rows_found == 1
    assert narrow.outcome is not Outcome.LEAKS


def test_a_photograph_will_do() -> None:
    """The known image may be a picture; equal lines are taken in order, and say nothing."""
    scheme = RowColumnShuffle(4)
    constant = row_column_attack(scheme.scramble, image=np.full((12, 12), 7, dtype=np.uint8))
    assert (constant.sources.tolist(), constant.broken) == (list(range(144)), False)
    result = row_column_attack(scheme.scramble, image=picture("camera")[:200, :210])
    later = picture("grass")[:200, :210]
    assert result.broken
    assert np.array_equal(result.restore(scheme.scramble(later)), later)


@pytest.mark.parametrize(
    ("representation", "kept"),
    [(Representation.ROW_DIGIT, "rows_kept"), (Representation.DIGIT_COLUMN, "columns_kept")],
)
def test_one_sudoku_pass_keeps_lines(representation: Representation, kept: str) -> None:
    """One bijection alone keeps all rows or all columns, and falls in most of its map."""
    grid = ParametricGrid.random((16, 16), seeded_draws(1)).to_grid()
    targets = bijection(grid, Representation.ROW_COLUMN, representation)

    def one_pass(image: np.ndarray) -> np.ndarray:
        moved = np.empty_like(image)
        moved.reshape(-1)[targets] = image.reshape(-1)
        return moved

    result = row_column_attack(one_pass, (256, 256))
    assert getattr(result, kept) == 1.0
    assert result.recovered > 0.6
    assert result.broken
    # Gray's code moves rows as a whole at 256x256 and shuffles inside: 1 - 1/e and more.
    result = row_column_attack(GrayCode().scramble, (256, 256))
    assert (result.rows_found, result.columns_found) == (1, 0)
    assert result.recovered > 0.63
    assert result.broken
