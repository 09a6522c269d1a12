"""Lines that hold together: one known image is enough for them, and ours have none."""

from __future__ import annotations

import numpy as np
import pytest

from sudokucrypt import InvalidImageError, Representation, bijection, invert
from sudokucrypt.analysis.attacks import row_column_attack
from sudokucrypt.analysis.baselines import FibonacciPCode, GrayCode, RowColumnShuffle
from sudokucrypt.sudoku import ParametricGrid
from sudokucrypt.sudoku.seeded import seeded_draws
from tests.analysis.attacks.photographs import picture
from tests.analysis.attacks.schemes import NEW_MAPS, ONE_MAP


@pytest.mark.parametrize(
    "scheme", [RowColumnShuffle(4), FibonacciPCode(), FibonacciPCode(p=3)], ids=repr
)
@pytest.mark.parametrize("shape", [(60, 60), (37, 80), (90, 41, 3)])
def test_moved_lines_fall_to_one_image(
    scheme: RowColumnShuffle | FibonacciPCode, shape: tuple[int, ...]
) -> None:
    """The whole map comes back from one image, exactly."""
    result = row_column_attack(scheme.scramble, shape)
    assert np.array_equal(result.sources, invert(scheme.targets(*shape[:2])))
    assert (result.rows_found, result.columns_found, result.recovered) == (1, 1, 1)
    assert result.verdict.startswith("broken: 1 known image gave the places of all")


def test_a_photograph_will_do() -> None:
    """The known image may be a picture, and another one comes back."""
    scheme = RowColumnShuffle(4)
    result = row_column_attack(scheme.scramble, image=picture("camera"))
    later = picture("brick")
    assert result.broken
    assert np.array_equal(result.restore(scheme.scramble(later)), later)


def test_lines_of_equal_content_are_taken_in_order() -> None:
    """A constant image says nothing, and the guess is the identity."""
    result = row_column_attack(
        RowColumnShuffle(4).scramble, image=np.full((12, 12), 7, dtype=np.uint8)
    )
    assert result.sources.tolist() == list(range(144))
    assert not result.broken


def test_rows_alone_give_most_of_the_map() -> None:
    """Gray's code moves rows as a whole at 256x256 and shuffles inside: 1 - 1/e and more."""
    result = row_column_attack(GrayCode().scramble, (256, 256))
    assert (result.rows_found, result.columns_found) == (1, 0)
    assert result.recovered > 0.63
    assert result.broken


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


@pytest.mark.parametrize("name", [*ONE_MAP, *NEW_MAPS])
def test_our_schemes_keep_no_line(name: str) -> None:
    """Not one row or column of 256 is found again in whole rounds, blocks included."""
    result = row_column_attack({**ONE_MAP, **NEW_MAPS}[name], (256, 256))
    assert result.rows_found == result.columns_found == 0
    assert result.rows_kept == result.columns_kept == 0
    assert result.recovered < 0.02
    assert result.verdict.startswith("not broken by this attack: 0 of 256 rows")


def test_a_shape_or_an_image_is_needed() -> None:
    """Neither of them is refused."""
    with pytest.raises(InvalidImageError):
        row_column_attack(RowColumnShuffle().scramble)
