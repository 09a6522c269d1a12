"""Anagrams: permutations by their number in lexicographic order."""

from itertools import permutations

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.historical.anagrams import (
    anagram_index,
    anagrams,
    random_descent,
    set_masks,
)
from sudokucrypt.sudoku.seeded import seeded_draws


@pytest.mark.parametrize("order", [0, 1, 2, 5, 7])
def test_the_table_is_in_lexicographic_order(order: int) -> None:
    """The rows are those of itertools, which are lexicographic, and know their own number."""
    table = anagrams(order)
    assert [tuple(row) for row in table.tolist()] == list(permutations(range(order)))
    for number in range(0, len(table), 97):
        assert anagram_index(table[number].tolist()) == number


def test_bad_input_is_refused() -> None:
    """What repeats or lacks a digit has no number; long tables are not made."""
    with pytest.raises(InvalidParameterError, match="not a permutation"):
        anagram_index([1, 1, 0])
    with pytest.raises(UnsupportedError, match="up to order 9, not 10"):
        anagrams(10)


def test_masks_hold_the_sets_side_by_side() -> None:
    """Digit d of set s is bit s * order + d."""
    parts = np.array([[[0, 2], [1, 3]]], dtype=np.uint8)
    assert set_masks(parts, 4).tolist() == [0b1010_0101]


def test_descent_goes_back_and_ends() -> None:
    """Of all binary words only one leads to the end, and each dead end is met once at most."""
    goal = (1, 0, 1, 1, 0)
    met: list[tuple[int, ...]] = []

    def fitting(path: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        met.append(path)
        return np.arange(2 if path == goal[: len(path)] else 0)

    assert random_descent(fitting, 5, seeded_draws(1)) == goal
    assert len(met) == len(set(met)) > 6
