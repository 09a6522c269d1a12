"""The fallbacks of the draws and the shuffle."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Values of a word of 32 bits; those in its last, incomplete multiple of a bound are rejected.
_SPAN = 1 << 32


def below_each(
    bounds: NDArray[np.int64], words: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], int]:
    """Return integers in 0..bound-1 for the first bounds, and how many words they took.

    A word in the incomplete last multiple of its bound, at most 2**32, is used up, and the next
    one serves the same bound. Where the words or the patience end, bounds are left over.
    """
    # What follows a rejected word is looked at again: the more are rejected, the less at once.
    step = min(len(words), max(64, 2 * _SPAN // int(bounds.max(initial=1))))
    bounds, values = bounds[:step], words[: min(step, len(bounds))].astype(np.int64)
    rejected = values >= _SPAN - _SPAN % bounds
    if not rejected.any():
        return values % bounds, len(values)
    taken = int(rejected.argmax())
    return values[:taken] % bounds[:taken], taken + 1


def permutations(
    sizes: Sequence[int], words: NDArray[np.uint32]
) -> tuple[NDArray[np.int64] | None, int]:
    """Return a permutation of 0..size-1 for each size, one after the other, and the words used.

    Position i is exchanged with one drawn below i + 1, for i from size - 1 down to 1. There is
    no result where the words end first. A size is at most 2**32.
    """
    bounds, used = np.concatenate([np.arange(size, 1, -1) for size in sizes]), 0
    draws: list[int] = []
    while len(draws) < len(bounds):
        values, taken = below_each(bounds[len(draws) :], words[used:])
        if not taken:
            return None, used
        draws += values.tolist()
        used += taken
    following = iter(draws)
    shuffled: list[int] = []
    for size in sizes:
        fresh = list(range(size))
        for index in range(size - 1, 0, -1):
            other = next(following)
            fresh[index], fresh[other] = fresh[other], fresh[index]
        shuffled += fresh
    return np.array(shuffled, dtype=np.int64), used
