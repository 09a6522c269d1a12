"""Draws: unbiased, sequential, and the same whether drawn together or one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sudokucrypt import (
    InvalidKeyError,
    InvalidParameterError,
    Key,
    KeyStream,
    StreamDraws,
    UnsupportedError,
)
from tests.spies import watch_memory

pytestmark = pytest.mark.kernels


def make_draws(label: bytes = b"") -> StreamDraws:
    return StreamDraws(Key(bytes(32)).stream("test", label))


def test_stream_is_chacha20() -> None:
    """The stream of the zero key equals vectors 1 and 2 of RFC 8439, appendix A.1."""
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
    """`below_each` gives the same numbers as `below` for each bound, even after rejections."""
    single, many = make_draws(), make_draws()
    assert many.below_each(np.array(bounds)).tolist() == [single.below(bound) for bound in bounds]
    assert single.below(2**20) == many.below(2**20)


def test_many_draws_take_little_memory() -> None:
    """100,000 draws at once take at most the memory of six numbers each."""
    source, bounds = make_draws(), np.full(100_000, 77)
    with watch_memory() as memory:
        source.below_each(bounds)
    assert memory.peak < 6 * bounds.nbytes


def test_bounds_of_two_words() -> None:
    """With a bound above 2**32 a draw takes two words, also if smaller bounds follow."""
    smaller_bounds = [2**32 + 1, 2**32, 2**32 - 1, 5]
    single, many = make_draws(), make_draws()
    for bounds in ([2**40 + 3, *smaller_bounds], smaller_bounds):
        values = many.below_each(np.array(bounds)).tolist()
        assert values == [single.below(bound) for bound in bounds]
    assert many.below_each(np.arange(0)).tolist() == []
    assert single.below(2**20) == many.below(2**20)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6))
def test_permutations_in_any_grouping(sizes: list[int]) -> None:
    """Permutations that are drawn together equal those that are drawn one by one."""
    single, many = make_draws(), make_draws()
    together = np.split(many.permutations(sizes), np.cumsum(sizes)[:-1])
    for size, permutation in zip(sizes, together, strict=True):
        assert np.array_equal(np.sort(permutation), np.arange(size))
        assert np.array_equal(permutation, single.permutations([size]))


def test_permutations_outlast_rejections() -> None:
    """Permutations are right even if 1000 words are rejected."""
    for count in (1, 64, 65, 1000):
        source = StreamDraws(WordStream(2, *[2**32 - 1] * count, 1, 7))
        assert source.permutations([4, 3]).tolist() == [0, 3, 1, 2, 0, 2, 1]
        assert source.below(10) == 1


def test_permutations_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A permutation that would need draws of two words is refused, before anything is read."""

    def refuse(_: StreamDraws, count: int) -> None:
        raise MemoryError(f"{count} words")

    monkeypatch.setattr(StreamDraws, "_peek_words", refuse)
    for sizes in ([5, 2**32], [2**32 + 1]):
        with pytest.raises(UnsupportedError, match="places"):
            make_draws().permutations(sizes)
    with pytest.raises(MemoryError, match=f"^{2**32 - 1} words"):
        make_draws().permutations([2**32])


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 2**31 + 1, 2**32, 2**32 + 1, 6670903752021072936960])
def test_draws_stay_below(bound: int) -> None:
    """Each draw is in 0..bound-1, and both halves of the range occur."""
    source = make_draws()
    values = [source.below(bound) for _ in range(200)]
    assert all(0 <= value < bound for value in values)
    if bound > 1:
        assert min(values) < bound // 2 <= max(values)


def test_draws_are_uniform() -> None:
    """Draws below a bound that does not divide 2**32 pass a test of uniformity."""
    values = make_draws(b"uniform").below_each(np.full(60_000, 3 * 2**30))
    observed = np.bincount(values // 2**30, minlength=3)
    assert stats.chisquare(observed).pvalue > 1e-3
    permutations = make_draws(b"shuffle").permutations([4] * 24_000).reshape(-1, 4) @ np.array(
        [64, 16, 4, 1]
    )
    assert stats.chisquare(np.unique(permutations, return_counts=True)[1]).pvalue > 1e-3
    assert len(np.unique(permutations)) == 24


class WordStream:
    """A stream of chosen words, after which every word is 1."""

    def __init__(self, *words: int) -> None:
        self._data = b"".join(word.to_bytes(4, "little") for word in words)

    def read(self, length: int) -> bytes:
        """Return the next bytes."""
        data, self._data = self._data[:length], self._data[length:]
        return data + b"\1\0\0\0" * ((length - len(data)) // 4)


@pytest.mark.parametrize("bound", [3, 5, 6, 7, 10, 3 * 2**30, 2**31 - 1, 2**31 + 1, 2**32 - 1])
def test_the_edge_of_rejection(bound: int) -> None:
    """The largest word below the last multiple of a bound is used, greater words are rejected."""
    first_rejected = 2**32 - 2**32 % bound
    stream_words = [
        first_rejected,
        first_rejected - 1,
        2**32 - 1,
        0,
        first_rejected,
        2**32 - 1,
        first_rejected - 1,
        bound,
        first_rejected,
    ]
    expected = [word % bound for word in stream_words if word < first_rejected] + [1 % bound]
    source = StreamDraws(WordStream(*stream_words))
    assert [source.below(bound) for _ in expected] == expected
    source = StreamDraws(WordStream(*stream_words))
    assert source.below_each(np.full(len(expected), bound)).tolist() == expected


@pytest.mark.parametrize("bound", [1, 2, 2**16, 2**31, 2**32])
def test_powers_of_two_reject_nothing(bound: int) -> None:
    """With a bound that divides 2**32, no word is rejected."""
    stream_words = [2**32 - 1, 0, 2**32 - bound, bound - 1]
    expected = [word % bound for word in stream_words]
    assert [
        (source := StreamDraws(WordStream(*stream_words))).below(bound),
        source.below(bound),
    ] == expected[:2]
    assert StreamDraws(WordStream(*stream_words)).below_each(np.full(4, bound)).tolist() == expected


@pytest.mark.parametrize("bound", [2**32 + 1, 2**33 - 1, 2**63 + 5, 2**64 - 1])
def test_the_edge_of_rejection_in_two_words(bound: int) -> None:
    """A draw of two words, low word first, is rejected above the last multiple of the bound."""
    first_rejected = 2**64 - 2**64 % bound
    values = [first_rejected, first_rejected - 1, 2**64 - 1, 7, first_rejected - 1]
    words = [half for value in values for half in (value & (2**32 - 1), value >> 32)]
    source = StreamDraws(WordStream(*words))
    expected = [value % bound for value in values if value < first_rejected]
    assert [source.below(bound) for _ in expected] == expected


@pytest.mark.parametrize("bound", [0, -1])
def test_bounds_are_positive(bound: int) -> None:
    """A bound of zero or less is refused."""
    with pytest.raises(InvalidParameterError):
        make_draws().below(bound)
