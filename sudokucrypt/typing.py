"""Public type aliases and protocols."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["AnyArray", "Box", "Buffer", "IntArray", "RandomSource", "Region", "Samples", "Unit"]

AnyArray: TypeAlias = NDArray[Any]
"""An array of any shape and dtype."""

Buffer: TypeAlias = bytes | memoryview
"""Bytes that are written as they are, without another copy."""

IntArray: TypeAlias = NDArray[np.int64]
"""An array of 64-bit signed integers."""

Box: TypeAlias = tuple[int, int]
"""Rows and columns of one box, (p, q)."""

Region: TypeAlias = tuple[int, int, int, int]
"""A rectangle of pixels: its first row and column, and how many of both it has."""

Samples: TypeAlias = NDArray[np.uint8]
"""An array of samples of 8 bits."""

Unit: TypeAlias = Literal["pixel", "sample", "block"]
"""What moves as a whole: a pixel, one channel of one pixel, or a block of pixels."""


class RandomSource(Protocol):
    """Where unbiased random choices come from: a key stream, or a seeded generator."""

    def below(self, bound: int, /) -> int:
        """Return an integer in 0..bound-1, each equally likely."""
        ...

    def below_each(self, bounds: IntArray, /) -> IntArray:
        """Return one integer in 0..bound-1 for each bound, as repeated `below` would."""
        ...

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        """Return a permutation of 0..size-1 for each size, one after the other in one array."""
        ...
