"""The plain twin of the shuffle."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


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
