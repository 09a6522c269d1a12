"""Huffman tables: as short as they can be, never longer than 16 bits, the same both ways."""

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.huffman import HuffmanTable, read_tables
from sudokucrypt.typing import AnyArray

_SOURCE = Source(b"", "the picture", 0)


def _cost(frequencies: list[int]) -> int:
    """The bits of the best code, whose inner nodes together weigh as much."""
    heap = [frequency for frequency in frequencies if frequency]
    heapq.heapify(heap)
    total = 0
    while len(heap) > 1:
        total += (both := heapq.heappop(heap) + heapq.heappop(heap))
        heapq.heappush(heap, both)
    return total


def _table(frequencies: AnyArray | list[int]) -> HuffmanTable:
    padded = np.zeros(256, dtype=np.int64)
    padded[: len(frequencies)] = frequencies
    return HuffmanTable.of_frequencies(padded)


def _check_codes(table: HuffmanTable) -> None:
    """No code begins another or is all ones, and the lookup finds each."""
    for symbol, entry in enumerate(table.codes.tolist()):
        code, length = entry >> 5, entry & 31
        assert (length > 0) == (symbol in table.symbols)
        if length:
            assert code + 1 < 1 << length
            start = code << (16 - length)
            found = table.lookup[start : start + (1 << (16 - length))]
            assert (found == (length << 8 | symbol)).all()
    taken = sum(1 << (16 - length) for length in table.lengths.tolist())
    assert np.count_nonzero(table.lookup) == taken < 1 << 16


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=256).filter(any))
def test_tables_are_the_shortest(frequencies: list[int]) -> None:
    """The code takes as many bits as Huffman's, with one code more that occurs once."""
    table = _table(frequencies)
    _check_codes(table)
    lengths = table.codes & 31
    assert sorted(table.symbols) == np.flatnonzero(frequencies).tolist()
    bits = int((lengths[: len(frequencies)] * frequencies).sum())
    # The code that stays free is one of the longest.
    assert bits + int(lengths.max()) == _cost([*frequencies, 1]) or lengths.max() == 16


@pytest.mark.parametrize("count", [17, 20, 40])
def test_codes_have_at_most_16_bits(count: int) -> None:
    """Frequencies that double, whose codes would be longer and longer, keep to 16 bits."""
    frequencies = [2**place for place in range(count)]
    table = _table(frequencies)
    _check_codes(table)
    assert table.lengths.max() == 16
    assert (np.diff((table.codes & 31)[:count].astype(int)) <= 0).all()


def test_tables_of_one_symbol_and_of_all() -> None:
    """One symbol takes one bit; 256 equal ones take 8 or 9."""
    assert _table([0, 5]).lengths.tolist() == [1]
    assert sorted(set(_table(np.ones(256)).lengths.tolist())) == [8, 9]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=256).filter(any), st.integers(0, 7))
def test_segments_hold_what_was_written(frequencies: list[int], place: int) -> None:
    """A table is read back as it was written, under its kind and number."""
    table, other = _table(frequencies), _table([1, 2, 3])
    kind, number = divmod(place, 4)
    body = table.to_bytes(kind, number) + other.to_bytes(1 - kind, number)
    assert read_tables(_SOURCE, body) == {(kind, number): table, (1 - kind, number): other}


def test_longest_run_follows_from_the_symbols() -> None:
    """A run takes as many blocks as the largest of its symbols can say."""
    for symbols, longest in (([], 1), ([0], 1), ([0x01, 0x11], 1), ([0x00, 0x10], 3)):
        assert _table(np.isin(np.arange(256), [*symbols, 0x22])).longest_run == longest
    assert _table(np.isin(np.arange(256), [0xE0, 0xF0])).longest_run == 0x7FFF
