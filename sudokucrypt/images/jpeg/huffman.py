"""Huffman tables: reading, writing, lookup in both directions, and creation from frequencies.

References
----------
.. [1] ITU-T T.81 (1992), annex C and K.2.
"""

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.driver import Source

# The maximum number of bits of a code.
MAX_CODE_BITS: Final = 16

# A symbol is a byte: the length of a run of zeros, and the number of bits of the value after it.
SYMBOL_COUNT: Final = 256
_TABLE_HEAD_BYTES: Final = (
    1 + MAX_CODE_BITS
)  # bytes: kind and number of a table, then the count of each code length
# A segment can define at most four tables for DC and four for AC.
_MAX_BODY_BYTES: Final = 8 * (_TABLE_HEAD_BYTES + SYMBOL_COUNT)


@dataclass(frozen=True)
class HuffmanTable:
    """The symbols of a table in the order of their codes, and the count of codes of each length."""

    counts: bytes  # the numbers of codes that have 1, 2, ... 16 bits
    symbols: bytes  # one for each code

    @classmethod
    def from_frequencies(cls, frequencies: NDArray[np.int64]) -> Self:
        """Return the table that codes 256 symbols of these frequencies in the fewest bits.

        This is the procedure of annex K.2. It leaves the code of only ones unused, and shortens
        codes of more than 16 bits by lengthening others.
        """
        depths = _compute_depths([*frequencies.tolist(), 1])
        counts = [0] * max(MAX_CODE_BITS + 1, *(depth + 1 for depth in depths.values()))
        for depth in depths.values():
            counts[depth] += 1
        for depth in range(len(counts) - 1, MAX_CODE_BITS, -1):
            while counts[depth]:
                shorter_depth = depth - 2
                while not counts[shorter_depth]:
                    shorter_depth -= 1
                counts[depth] -= 2
                counts[depth - 1] += 1
                counts[shorter_depth + 1] += 2
                counts[shorter_depth] -= 1
        counts[max(depth for depth in range(MAX_CODE_BITS + 1) if counts[depth])] -= (
            1  # the unused code
        )
        del depths[SYMBOL_COUNT]
        sorted_symbols = sorted(depths, key=lambda symbol: (depths[symbol], symbol))
        return cls(bytes(counts[1 : MAX_CODE_BITS + 1]), bytes(sorted_symbols))

    def to_bytes(self, kind: int, name: int) -> bytes:
        """Return the bytes of this table in a segment, with its kind (0 DC, 1 AC) and number."""
        return bytes([kind << 4 | name]) + self.counts + self.symbols

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The number of bits of each code."""
        return np.repeat(np.arange(1, MAX_CODE_BITS + 1), np.frombuffer(self.counts, np.uint8))

    @cached_property
    def lookup(self) -> NDArray[np.uint16]:
        """For each value of 16 bits, 256 times the length of its leading code, plus the symbol.

        The entry is 0 for a value that begins with no code.
        """
        table = np.zeros(1 << MAX_CODE_BITS, dtype=np.uint16)
        entries = (self.lengths << 8 | np.frombuffer(self.symbols, np.uint8)).astype(np.uint16)
        repeated_entries = np.repeat(entries, 1 << (MAX_CODE_BITS - self.lengths))
        table[: len(repeated_entries)] = repeated_entries
        return table

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """For each symbol, 32 times its code, plus the length of the code; 0 without a code."""
        codes = np.zeros(SYMBOL_COUNT, dtype=np.uint32)
        code_steps = 1 << (MAX_CODE_BITS - self.lengths)
        starts = (np.cumsum(code_steps) - code_steps) >> (MAX_CODE_BITS - self.lengths)
        codes[np.frombuffer(self.symbols, np.uint8)] = starts << 5 | self.lengths
        return codes

    @property
    def longest_run(self) -> int:
        """The largest number of blocks whose end one of these symbols can signal, at least 1."""
        sizes = [symbol >> 4 for symbol in self.symbols if not symbol & 0x0F and symbol < 0xF0]
        return (2 << max(sizes, default=0)) - 1


def read_tables(source: Source, body: bytes) -> dict[tuple[int, int], HuffmanTable]:
    """Return the tables of a segment by their kind, 0 for DC or 1 for AC, and number.

    Raises `InvalidImageError` if a table is cut short, or has more codes than are possible.
    """
    tables = {}
    position = 0
    while position < len(body):
        counts = body[position + 1 : position + _TABLE_HEAD_BYTES]
        symbols = body[position + _TABLE_HEAD_BYTES : position + _TABLE_HEAD_BYTES + sum(counts)]
        kind, name = divmod(body[position], 16)
        # The code of only ones must stay unused.
        used_code_space = sum(
            count << (MAX_CODE_BITS - length) for length, count in enumerate(counts, 1)
        )
        is_valid = (
            len(body) <= _MAX_BODY_BYTES
            and len(counts) == MAX_CODE_BITS
            and len(symbols) == sum(counts) <= SYMBOL_COUNT
        )
        if not is_valid or kind > 1 or name > 3 or used_code_space >= 1 << MAX_CODE_BITS:
            raise source.report_damage("it has an invalid Huffman table")
        tables[kind, name] = HuffmanTable(counts, symbols)
        position += _TABLE_HEAD_BYTES + len(symbols)
    return tables


def _compute_depths(frequencies: list[int]) -> dict[int, int]:
    """Return the depth of each item of nonzero frequency in the code tree, at least 1.

    Of equally frequent items, later ones become deeper.
    """
    heap = [(frequency, -item) for item, frequency in enumerate(frequencies) if frequency]
    items_by_node = {-item: [-item] for _, item in heap}
    depths = dict.fromkeys(items_by_node, 0)
    heapq.heapify(heap)
    while len(heap) > 1:
        first_frequency, first_node = heapq.heappop(heap)
        second_frequency, second_node = heapq.heappop(heap)
        items_by_node[-first_node] += items_by_node.pop(-second_node)
        for item in items_by_node[-first_node]:
            depths[item] += 1
        heapq.heappush(heap, (first_frequency + second_frequency, first_node))
    return {item: max(depth, 1) for item, depth in depths.items()}
