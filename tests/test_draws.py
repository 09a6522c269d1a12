"""Draws: unbiased, sequential, and the same however they are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sudokucrypt import InvalidKeyError, InvalidParameterError, Key, KeyStream, StreamDraws


def draws(label: bytes = b"") -> StreamDraws:
    return StreamDraws(Key(bytes(32)).stream("test", label))


def test_stream_is_chacha20() -> None:
    """The stream of the zero key is RFC 8439, appendix A.1, vectors 1 and 2."""
    expected = bytes.fromhex(
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
    )
    stream = KeyStream(bytes(32))
    assert stream.read(1) + stream.read(63) + stream.read(64) == expected
    with pytest.raises(InvalidKeyError):
        KeyStream(bytes(16))


@given(st.lists(st.integers(1, 2**32), min_size=1, max_size=300))
def test_many_draws_equal_single_ones(bounds: list[int]) -> None:
    """below_each(bounds) is below(bound) for each bound in turn, rejections included."""
    one, many = draws(), draws()
    assert many.below_each(np.array(bounds)).tolist() == [one.below(bound) for bound in bounds]
    assert one.below(2**20) == many.below(2**20)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6))
def test_permutations_in_any_grouping(sizes: list[int]) -> None:
    """Drawing permutations together or one by one takes the same words."""
    one, many = draws(), draws()
    together = np.split(many.permutations(sizes), np.cumsum(sizes)[:-1])
    for size, permutation in zip(sizes, together, strict=True):
        assert np.array_equal(np.sort(permutation), np.arange(size))
        assert np.array_equal(permutation, one.permutations([size]))


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 2**31 + 1, 2**32, 2**32 + 1, 6670903752021072936960])
def test_draws_stay_below(bound: int) -> None:
    """Every draw lies in 0..bound-1, and both halves of the range occur."""
    source = draws()
    values = [source.below(bound) for _ in range(200)]
    assert all(0 <= value < bound for value in values)
    if bound > 1:
        assert min(values) < bound // 2 <= max(values)


def test_draws_are_uniform() -> None:
    """Draws below a bound that does not divide 2**32, and their rejections, are not biased."""
    values = draws(b"uniform").below_each(np.full(300_000, 3 * 2**30))
    observed = np.bincount(values // 2**30, minlength=3)
    assert stats.chisquare(observed).pvalue > 1e-3
    permutations = draws(b"shuffle").permutations([4] * 24_000).reshape(-1, 4) @ np.array(
        [64, 16, 4, 1]
    )
    assert stats.chisquare(np.unique(permutations, return_counts=True)[1]).pvalue > 1e-3
    assert len(np.unique(permutations)) == 24


@pytest.mark.parametrize("bound", [0, -1])
def test_bounds_are_positive(bound: int) -> None:
    """There is nothing below zero to draw."""
    with pytest.raises(InvalidParameterError):
        draws().below(bound)
