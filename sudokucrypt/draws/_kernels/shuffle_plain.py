"""Draw integers and permutations from words of 32 bits. This file is also compiled."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *

# The number of values of a word. Words in the last, incomplete multiple of a bound are rejected.
WORD_RANGE = 1 << 32


def below_each(bounds: Any, words: Any) -> tuple[NDArray[np.int64], int]:
    """Return integers in 0..bound-1 for the first bounds, and how many words were used.

    A bound is at most 2**32. A word in the incomplete last multiple of a bound is skipped, and the
    next word is used for the same bound. There may be fewer integers than bounds.
    """
    if not cython.compiled:
        return _draw_below_each(bounds, words)
    values = np.empty(len(bounds), dtype=np.int64)
    value_view: Longs = values
    bound_view: GivenLongs = bounds
    source: GivenMasks = words
    value_count: Long = 0
    used_word_count: Long = 0
    word_count: Long = len(source)
    word_range: Bits = ONE << 32
    count: Long = len(bound_view)
    while value_count < count and used_word_count < word_count:
        bound: Bits = bound_view[value_count]
        word: Mask = source[used_word_count]
        used_word_count += 1
        if word < word_range - bound or word < word_range - word_range % bound:
            value_view[value_count] = word if bound == word_range else word % cast(Mask, bound)
            value_count += 1
    return values[:value_count], used_word_count


def permutations(sizes: Sequence[int], words: Any) -> tuple[NDArray[np.int64] | None, int]:
    """Return permutations of 0..size-1 for all sizes, concatenated, and how many words were used.

    Position i is exchanged with a position drawn below i + 1, for i from size - 1 down to 1. If the
    words do not suffice, the first result is None. A size is at most 2**32.
    """
    result = np.empty(sum(sizes), dtype=np.int64)
    shuffled_items: Longs = to_list(result)
    word_view: GivenMasks = to_list(words)
    first_index: Long = 0
    used_word_count: Long = 0
    word_count: Long = len(word_view)
    word_range: Bits = ONE << 32
    size: Long
    for size in sizes:
        for index in range(size):
            shuffled_items[first_index + index] = index
        for index in range(size - 1, 0, -1):
            bound: Bits = index + 1
            while True:
                if used_word_count >= word_count:
                    return None, used_word_count
                word: Mask = word_view[used_word_count]
                used_word_count += 1
                # Division is slow; the first comparison avoids it for nearly all words.
                if word < word_range - bound or word < word_range - word_range % bound:
                    break
            drawn_index: Long = first_index + (
                word if bound == word_range else word % cast(Mask, bound)
            )
            swapped_item: Long = shuffled_items[first_index + index]
            shuffled_items[first_index + index] = shuffled_items[drawn_index]
            shuffled_items[drawn_index] = swapped_item
        first_index += size
    return (
        result if cython.compiled else np.array(shuffled_items, dtype=np.int64)
    ), used_word_count


if not cython.compiled:

    def _draw_below_each(
        bounds: NDArray[np.int64], words: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int64], int]:
        """Compute `below_each` with NumPy, for a run of bounds up to the first rejected word."""
        # Words after a rejected one are read again, so runs are shorter where rejection is likely.
        length = min(len(words), max(64, 2 * WORD_RANGE // int(bounds.max(initial=1))))
        bounds, values = bounds[:length], words[: min(length, len(bounds))].astype(np.int64)
        rejected_flags = values >= WORD_RANGE - WORD_RANGE % bounds
        if not rejected_flags.any():
            return values % bounds, len(values)
        accepted_count = int(rejected_flags.argmax())
        return values[:accepted_count] % bounds[:accepted_count], accepted_count + 1
