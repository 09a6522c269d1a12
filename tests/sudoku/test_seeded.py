"""Seeded draws: the same numbers for a seed, now and on every platform."""

import numpy as np
import pytest

from sudokucrypt.sudoku.seeded import seeded_draws

BOUNDS = (2, 6, 9, 1000, 2**32, 2**40, 2**70)
EACH = np.array([1, 2, 3, 10, 100, 2**32])


@pytest.mark.parametrize(
    ("seed", "singles", "each", "permutations"),
    [
        (
            1,
            [1, 5, 2, 491, 149690573, 902562292982, 594893267227570253998],
            [0, 1, 2, 1, 62, 1757496908],
            [0, 3, 0, 1, 2, 8, 3, 2, 7, 6, 4, 0, 5, 1],
        ),
        (
            12345678901234567890123456789,
            [0, 3, 6, 921, 211549211, 15160031175, 313081100093239173397],
            [0, 1, 0, 8, 35, 2457508701],
            [0, 1, 0, 2, 3, 3, 6, 4, 8, 7, 2, 0, 1, 5],
        ),
    ],
)
def test_the_draws_of_a_seed_never_change(
    seed: int, singles: list[int], each: list[int], permutations: list[int]
) -> None:
    """Values recorded when seeds were introduced: grids made from seeds depend on them."""
    source = seeded_draws(seed)
    assert [source.below(bound) for bound in BOUNDS] == singles
    assert source.below_each(EACH).tolist() == each
    assert source.permutations([1, 4, 9]).tolist() == permutations


def test_words_are_those_of_pcg64() -> None:
    """The words are the halves, lower first, of what NumPy documents as PCG64 from the seed."""
    raw = np.random.PCG64(np.random.SeedSequence(5)).random_raw(50_000)
    halves = np.stack([raw & np.uint64(2**32 - 1), raw >> np.uint64(32)], axis=1).reshape(-1)
    assert np.array_equal(seeded_draws(5).below_each(np.full(100_000, 2**32)), halves)


def test_without_a_seed_each_source_differs() -> None:
    """Two sources without a seed agree in 128 bits once in 2**64 pairs."""
    assert seeded_draws().below(2**128) != seeded_draws().below(2**128)
