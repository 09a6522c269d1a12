"""The plain twin: choices of matchings without a common edge, counted by a product of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Edges = NDArray[np.uint64]


def count_triples(first: Edges, second: Edges, third: Edges) -> int:
    """Return the number of triples, one mask from each array, of which no two share a bit."""
    # Every entry is at most the length of an array, far below the 2**24 that float32 holds.
    paths = _disjoint(first, second) @ _disjoint(second, third)
    return int((paths * _disjoint(first, third)).sum(dtype=np.float64))


def _disjoint(one: Edges, other: Edges) -> NDArray[np.float32]:
    apart: NDArray[np.float32] = ((one[:, None] & other) == 0).astype(np.float32)
    return apart
