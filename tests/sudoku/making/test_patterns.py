"""Symmetric patterns: groups of cells, and puzzles that have them."""

from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku import Variant, is_unique, make_puzzle, seeded_draws
from sudokucrypt.sudoku.making.patterns import PATTERNS, Pattern, groups_of
from tests.sudoku.puzzles import puzzle_of

IMAGES: dict[Pattern, Callable[[NDArray[np.bool_]], NDArray[np.bool_]]] = {
    "half-turn": lambda sheet: sheet[::-1, ::-1],
    "quarter-turn": np.rot90,
    "left-right": np.fliplr,
    "top-bottom": np.flipud,
    "diagonal": np.transpose,
}
"""What each pattern does not change."""

SHEETS = [Variant.standard(), Variant.samurai((2, 2))]


@pytest.mark.parametrize("variant", SHEETS, ids=str)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_puzzles_have_the_pattern(pattern: Pattern, variant: Variant) -> None:
    """The places of the givens are symmetric, and no group of them can be spared."""
    puzzle, _ = make_puzzle(seeded_draws(9), sheet=variant, pattern=pattern)
    assert is_unique(puzzle)
    given = puzzle.cells >= 0
    assert (IMAGES[pattern](given) == given).all()
    for members in groups_of(variant, pattern).members:
        if puzzle.givens[members[0]] >= 0:
            fewer = puzzle.givens.copy()
            fewer[members] = -1
            assert not is_unique(puzzle_of(fewer, variant))


@pytest.mark.parametrize("pattern", [None, *PATTERNS])
@pytest.mark.parametrize("variant", SHEETS, ids=str)
def test_groups_divide_the_sheet(variant: Variant, pattern: Pattern | None) -> None:
    """Each cell is in one group, and what fills up the table repeats the first member."""
    members, sizes = groups_of(variant, pattern)
    cells = [group[:size] for group, size in zip(members.tolist(), sizes.tolist(), strict=True)]
    assert sorted(chain(*cells)) == list(range(len(variant.cells)))
    for group, size in zip(members, sizes, strict=True):
        assert (group[size:] == group[0]).all()


def test_groups_are_as_large_as_their_symmetry() -> None:
    """On a 9x9 sheet the middle cell or line stays, everything else moves."""
    sizes = {pattern: groups_of(Variant.standard(), pattern).sizes for pattern in PATTERNS}
    assert np.bincount(sizes["half-turn"]).tolist() == [0, 1, 40]
    assert np.bincount(sizes["quarter-turn"]).tolist() == [0, 1, 0, 0, 20]
    for pattern in ("left-right", "top-bottom", "diagonal"):
        assert np.bincount(sizes[pattern]).tolist() == [0, 9, 36]


def test_sheets_without_the_pattern() -> None:
    """A sheet that is no square cannot be turned by a quarter, but by half."""
    variant = Variant.array((1, 2, 3, 3))
    for pattern in ("quarter-turn", "diagonal"):
        with pytest.raises(InvalidParameterError):
            groups_of(variant, pattern)
    assert groups_of(variant, "half-turn").sizes.tolist() == [2] * 9
    with pytest.raises(InvalidParameterError) as caught:
        make_puzzle(seeded_draws(1), pattern="spiral")  # type: ignore[arg-type]
    assert "half-turn" in (caught.value.hint or "")
