"""The plain twins of the draws and the shuffle."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
    bounds, numbers = bounds[:step], words[: min(step, len(bounds))].astype(np.int64)
    rejected = numbers >= _SPAN - _SPAN % bounds
    if not rejected.any():
        return numbers % bounds, len(numbers)
    taken = int(rejected.argmax())
    return numbers[:taken] % bounds[:taken], taken + 1


def shuffle(sizes: Sequence[int], draws: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a permutation of 0..size-1 for each size, one after the other.

    Place i is exchanged with the next drawn place, for i from size - 1 down to 1.
    """
    following = iter(draws.tolist())
    places: list[int] = []
    for size in sizes:
        fresh = list(range(size))
        for place in range(size - 1, 0, -1):
            other = next(following)
            fresh[place], fresh[other] = fresh[other], fresh[place]
        places += fresh
    return np.array(places, dtype=np.int64)
