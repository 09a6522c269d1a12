"""Public type aliases and protocols."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AnyArray",
    "Box",
    "Buffer",
    "ImageLike",
    "IntArray",
    "RandomSource",
    "Region",
    "Samples",
    "Unit",
]

# An array of any shape and dtype.
AnyArray: TypeAlias = NDArray[Any]


class SupportsArray(Protocol):
    """What becomes an array by itself, such as one of NumPy, or a tensor."""

    def __array__(self) -> AnyArray:
        """Return the array."""
        ...


class SupportsArrayInterface(Protocol):
    """What tells NumPy where its samples are, such as a picture of Pillow."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The description."""
        ...


# What is taken for an image: neither the name of a file nor its bytes, which have functions of
# their own, so that type checkers see the difference.
ImageLike: TypeAlias = SupportsArray | SupportsArrayInterface | list[Any] | tuple[Any, ...]

# Bytes that are written as they are, without another copy.
Buffer: TypeAlias = bytes | memoryview

# An array of 64-bit signed integers.
IntArray: TypeAlias = NDArray[np.int64]

# An array of doubles.
FloatArray: TypeAlias = NDArray[np.float64]

# Digits of cells from 0, and -1 where a cell is open.
CellDigits: TypeAlias = NDArray[np.int32]

# What is called with the number of steps done, and that of all.
ProgressCallback: TypeAlias = Callable[[int, int], None]

# Rows and columns of one box, (p, q).
Box: TypeAlias = tuple[int, int]

# A rectangle of pixels: its first row and column, and how many of both it has.
Region: TypeAlias = tuple[int, int, int, int]

# An array of samples of 8 bits.
Samples: TypeAlias = NDArray[np.uint8]

# What moves as a whole: a pixel, one channel of one pixel, or a block of pixels.
Unit: TypeAlias = Literal["pixel", "sample", "block"]


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
