"""Huffman tables: shortest codes of at most 16 bits, and consistent lookups."""

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.huffman import HuffmanTable, read_tables
from sudokucrypt.typing import AnyArray

_SOURCE = Source(b"", "the picture", 0)


def _compute_cost(frequencies: list[int]) -> int:
    """Return the number of bits of the best code, which is the sum of its inner nodes."""
    heap = [frequency for frequency in frequencies if frequency]
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        cost += (joined_weight := heapq.heappop(heap) + heapq.heappop(heap))
        heapq.heappush(heap, joined_weight)
    return cost


def _make_table(frequencies: AnyArray | list[int]) -> HuffmanTable:
    padded = np.zeros(256, dtype=np.int64)
    padded[: len(frequencies)] = frequencies
    return HuffmanTable.from_frequencies(padded)


def _check_codes(table: HuffmanTable) -> None:
    """Check that no code begins another or is all ones, and that the lookup finds each code."""
    for symbol, entry in enumerate(table.codes.tolist()):
        code, length = entry >> 5, entry & 31
        assert (length > 0) == (symbol in table.symbols)
        if length:
            assert code + 1 < 1 << length
            first_entry = code << (16 - length)
            entries = table.lookup[first_entry : first_entry + (1 << (16 - length))]
            assert (entries == (length << 8 | symbol)).all()
    used_codes = sum(1 << (16 - length) for length in table.lengths.tolist())
    assert np.count_nonzero(table.lookup) == used_codes < 1 << 16


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=256).filter(any))
def test_tables_are_the_shortest(frequencies: list[int]) -> None:
    """The code has as many bits as Huffman's, with one more symbol that occurs once."""
    table = _make_table(frequencies)
    _check_codes(table)
    lengths = table.codes & 31
    assert sorted(table.symbols) == np.flatnonzero(frequencies).tolist()
    bits = int((lengths[: len(frequencies)] * frequencies).sum())
    # The unused code is one of the longest.
    assert bits + int(lengths.max()) == _compute_cost([*frequencies, 1]) or lengths.max() == 16


@pytest.mark.parametrize("count", [17, 20, 40])
def test_codes_have_at_most_16_bits(count: int) -> None:
    """Frequencies that double, whose best codes would be longer, give codes of at most 16 bits."""
    frequencies = [2**exponent for exponent in range(count)]
    table = _make_table(frequencies)
    _check_codes(table)
    assert table.lengths.max() == 16
    assert (np.diff((table.codes & 31)[:count].astype(int)) <= 0).all()


def test_tables_of_one_symbol_and_of_all() -> None:
    """The code of one symbol has 1 bit, the codes of 256 equal symbols have 8 or 9."""
    assert _make_table([0, 5]).lengths.tolist() == [1]
    assert sorted(set(_make_table(np.ones(256)).lengths.tolist())) == [8, 9]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=256).filter(any), st.integers(0, 7))
def test_tables_are_read_from_segments(frequencies: list[int], table_place: int) -> None:
    """A table is read from its segment with its kind and number."""
    table, second_table = _make_table(frequencies), _make_table([1, 2, 3])
    kind, number = divmod(table_place, 4)
    body = table.to_bytes(kind, number) + second_table.to_bytes(1 - kind, number)
    assert read_tables(_SOURCE, body) == {(kind, number): table, (1 - kind, number): second_table}


def test_longest_run_follows_from_the_symbols() -> None:
    """The longest run is that of the largest symbol for runs."""
    for symbols, longest in (([], 1), ([0], 1), ([0x01, 0x11], 1), ([0x00, 0x10], 3)):
        assert _make_table(np.isin(np.arange(256), [*symbols, 0x22])).longest_run == longest
    assert _make_table(np.isin(np.arange(256), [0xE0, 0xF0])).longest_run == 0x7FFF
