"""Seeded draws: the same numbers for a seed, now and on every platform."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws

BOUNDS = (2, 6, 9, 1000, 2**32, 2**40, 2**70)
EACH = np.array([1, 2, 3, 10, 100, 2**32])


@pytest.mark.parametrize(
    ("seed", "singles", "each", "permutations"),
    [
        (
            0,
            [1, 5, 4, 112, 1322117304, 124730031529, 1036250779024149391286],
            [0, 1, 1, 7, 41, 3133163871],
            [0, 2, 1, 0, 3, 7, 8, 2, 5, 3, 6, 0, 4, 1],
        ),
        (
            1,
            [1, 5, 2, 491, 149690573, 902562292982, 594893267227570253998],
            [0, 1, 2, 1, 62, 1757496908],
            [0, 3, 0, 1, 2, 8, 3, 2, 7, 6, 4, 0, 5, 1],
        ),
        (
            2**64,
            [0, 2, 4, 48, 3295010594, 363255314927, 1179663732290354977491],
            [0, 1, 2, 4, 31, 461668579],
            [0, 3, 1, 2, 0, 3, 6, 8, 7, 4, 0, 1, 2, 5],
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


def test_a_long_stream_never_changes() -> None:
    """The first 100,000 words of seed 7, over many reads, as recorded."""
    words = seeded_draws(7).below_each(np.full(100_000, 2**32))
    digest = hashlib.sha256(words.astype("<i8").tobytes()).hexdigest()
    assert digest == "3f8a8217f8267690941878e33158fa9b3db273ba5d24e25b7f11c2dd3ae1b9e7"


def test_words_are_those_of_pcg64() -> None:
    """The words are the halves, lower first, of what NumPy documents as PCG64 from the seed."""
    raw = np.random.PCG64(np.random.SeedSequence(5)).random_raw(100)
    halves = np.stack([raw & np.uint64(2**32 - 1), raw >> np.uint64(32)], axis=1).reshape(-1)
    assert np.array_equal(seeded_draws(5).below_each(np.full(200, 2**32)), halves)


def test_without_a_seed_each_source_differs() -> None:
    """Two sources without a seed agree in 128 bits once in 2**64 pairs."""
    assert seeded_draws().below(2**128) != seeded_draws().below(2**128)


@pytest.mark.parametrize("seed", [-1, 1.0, "1", True])
def test_bad_seeds_are_refused(seed: object) -> None:
    """A seed is an integer of 0 or more."""
    with pytest.raises(InvalidParameterError, match="a seed must be an integer of 0 or more"):
        seeded_draws(seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("bound", [0, -1])
def test_bad_bounds_are_refused(bound: int) -> None:
    """Nothing lies below 0 or less."""
    with pytest.raises(InvalidParameterError, match="positive"):
        seeded_draws(1).below(bound)
