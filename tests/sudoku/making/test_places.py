"""Puzzles with givens in places of the user's choice."""

import numpy as np
import pytest

from sudokucrypt.errors import (
    InvalidGridError,
    InvalidParameterError,
    UndecidedError,
    UnsupportedError,
)
from sudokucrypt.sudoku import Variant, is_unique, make_puzzle_at, solve
from tests.sudoku.kernels import COMPILED

STAR = """
    x..x.x..x .x.....x. ..x.x.x..
    x.......x ..x...x.. x.......x
    ..x.x.x.. .x.....x. x..x.x..x
"""


@pytest.mark.parametrize(
    ("places", "variant"),
    [
        pytest.param(
            STAR,
            None,
            marks=pytest.mark.skipif(not COMPILED, reason="takes minutes with the twin"),
        ),
        ("xx.. ..xx .x.. ..x.", Variant.standard((2, 2))),
        ("1200 0034 0500 0060", Variant.x((2, 2))),
        ("xxx....xx..x.x.....x.x.x.....x.x.xx.", Variant.latin(6)),
    ],
)
def test_givens_stand_in_the_places(places: str, variant: Variant | None) -> None:
    """There is one solution, no given stands elsewhere, and none is left out."""
    puzzle, solution = make_puzzle_at(places, 7, variant=variant)
    wanted = [symbol not in ".0" for symbol in "".join(places.split())]
    assert (puzzle.givens >= 0).tolist() == wanted
    assert is_unique(puzzle)
    assert solve(puzzle) == solution
    sheet = np.array(wanted).reshape(puzzle.variant.shape)
    assert make_puzzle_at(sheet, 7, variant=variant) == (puzzle, solution)
    assert make_puzzle_at(wanted, 8, variant=variant).puzzle != puzzle


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ("." * 81, "givens in 0 places"),
        ("x" * 16 + "." * 65, "givens in 16 places"),
        ("." * 18 + "x" * 63, "rows 1 and 2"),
        (("x" * 7 + "..") * 9, "columns 8 and 9"),
    ],
)
def test_hopeless_places_are_refused_at_once(places: str, said: str) -> None:
    """Too few givens, or two lines without any that can change places."""
    with pytest.raises(UnsupportedError, match=said):
        make_puzzle_at(places, 1)


def test_empty_lines_of_different_bands_are_no_obstacle() -> None:
    """A row without givens is determined by the others."""
    positions = "." * 9 + "x" * 63 + "." * 9
    assert make_puzzle_at(positions, 2).puzzle.number_of_givens == 63


def test_what_is_not_found_is_said() -> None:
    """Puzzles of order 4 need four givens, which is not known beforehand."""
    with pytest.raises(UndecidedError, match="in 2 attempts"):
        make_puzzle_at("x... ..x. .x.. ....", 3, variant=Variant.standard((2, 2)), attempts=2)


def test_places_that_do_not_fit_are_refused() -> None:
    """Another number of cells, or a number of attempts below 1."""
    for positions in ("x" * 80, [True] * 82, np.ones((9, 8), dtype=bool)):
        with pytest.raises(InvalidGridError, match="do not fit"):
            make_puzzle_at(positions)
    for value in ([[True], [True, False]], ["x."] * 41, np.ones(81)):
        with pytest.raises(InvalidGridError, match="an array of true and false"):
            make_puzzle_at(value)
    with pytest.raises(InvalidParameterError, match="attempts"):
        make_puzzle_at(STAR, attempts=0)
