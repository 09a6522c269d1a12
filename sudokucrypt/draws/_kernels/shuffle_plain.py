"""The draws and the shuffle, from words of 32 bits. This text is compiled as well."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *

# Values of a word; those in its last, incomplete multiple of a bound are rejected.
SPAN = 1 << 32


def below_each(bounds: Any, words: Any) -> tuple[NDArray[np.int64], int]:
    """Return integers in 0..bound-1 for the first bounds, and how many words they took.

    A word in the incomplete last multiple of its bound, at most 2**32, is used up, and the next
    one serves the same bound. Where the words or the patience end, bounds are left over.
    """
    if not cython.compiled:
        return _below_each_at_once(bounds, words)
    values = np.empty(len(bounds), dtype=np.int64)
    drawn: Longs = values
    below: GivenLongs = bounds
    source: GivenMasks = words
    done: Long = 0
    used: Long = 0
    room: Long = len(source)
    span: Bits = ONE << 32
    count: Long = len(below)
    while done < count and used < room:
        bound: Bits = below[done]
        word: Mask = source[used]
        used += 1
        if word < span - bound or word < span - span % bound:
            drawn[done] = word if bound == span else word % cast(Mask, bound)
            done += 1
    return values[:done], used


def permutations(sizes: Sequence[int], words: Any) -> tuple[NDArray[np.int64] | None, int]:
    """Return a permutation of 0..size-1 for each size, one after the other, and the words used.

    Position i is exchanged with one drawn below i + 1, for i from size - 1 down to 1. There is
    no result where the words end first. A size is at most 2**32.
    """
    result = np.empty(sum(sizes), dtype=np.int64)
    shuffled: Longs = to_list(result)
    source: GivenMasks = to_list(words)
    start: Long = 0
    used: Long = 0
    room: Long = len(source)
    span: Bits = ONE << 32
    each: Long
    for each in sizes:
        for index in range(each):
            shuffled[start + index] = index
        for index in range(each - 1, 0, -1):
            bound: Bits = index + 1
            while True:
                if used >= room:
                    return None, used
                word: Mask = source[used]
                used += 1
                # A division takes most of the time; this comparison spares it for nearly every one.
                if word < span - bound or word < span - span % bound:
                    break
            other: Long = start + (word if bound == span else word % cast(Mask, bound))
            held: Long = shuffled[start + index]
            shuffled[start + index] = shuffled[other]
            shuffled[other] = held
        start += each
    return (result if cython.compiled else np.array(shuffled, dtype=np.int64)), used


if not cython.compiled:

    def _below_each_at_once(
        bounds: NDArray[np.int64], words: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int64], int]:
        """Return what `below_each` says, some thousand draws at once."""
        # What follows a rejected word is looked at again: the more are rejected, the less at once.
        step = min(len(words), max(64, 2 * SPAN // int(bounds.max(initial=1))))
        bounds, values = bounds[:step], words[: min(step, len(bounds))].astype(np.int64)
        rejected = values >= SPAN - SPAN % bounds
        if not rejected.any():
            return values % bounds, len(values)
        taken = int(rejected.argmax())
        return values[:taken] % bounds[:taken], taken + 1
