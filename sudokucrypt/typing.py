"""Public type aliases and protocols."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

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
    "RegionLike",
    "Samples",
    "Unit",
]

# An array of any shape and dtype.
AnyArray: TypeAlias = NDArray[Any]


class SupportsArray(Protocol):
    """An object that NumPy converts to an array, such as a tensor."""

    def __array__(self) -> AnyArray:
        """Return the array."""
        ...


class SupportsArrayInterface(Protocol):
    """An object that tells NumPy where its samples are in memory, such as an image of Pillow."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The description of the array, as NumPy defines it."""
        ...


# The types of an image in memory. Names and bytes of files have functions of their own, so that
# type checkers find a wrong call.
ImageLike: TypeAlias = SupportsArray | SupportsArrayInterface | list[Any] | tuple[Any, ...]

# Bytes that are written to a file without being copied first.
Buffer: TypeAlias = bytes | memoryview

# An array of 64-bit signed integers.
IntArray: TypeAlias = NDArray[np.int64]

# An array of doubles.
FloatArray: TypeAlias = NDArray[np.float64]

# Digits of cells, counted from 0; an empty cell is -1.
CellDigits: TypeAlias = NDArray[np.int32]

# A function that is called with the number of finished steps and the number of all steps.
ProgressCallback: TypeAlias = Callable[[int, int], None]

# The number of rows and of columns of one box, (p, q).
Box: TypeAlias = tuple[int, int]


class Region(NamedTuple):
    """A rectangle of pixels in a picture as it is shown, that is, upright.

    It is a tuple, and functions that take regions also take plain tuples in this order. The methods
    make a region from the numbers that other programs use.

    >>> Region.xywh(60, 20, 90, 80) == Region.box(60, 20, 150, 100) == (20, 60, 80, 90)
    True
    """

    row: int  #: The first row, from 0.
    column: int  #: The first column, from 0.
    rows: int  #: How many rows it has, at least 1.
    columns: int  #: How many columns it has, at least 1.

    @classmethod
    def xywh(cls, x: int, y: int, w: int, h: int) -> "Region":
        """Return the region of width w and height h whose top-left pixel is in column x, row y."""
        return cls(y, x, h, w)

    @classmethod
    def box(cls, left: int, top: int, right: int, bottom: int) -> "Region":
        """Return the region of columns left..right-1 and rows top..bottom-1."""
        return cls(top, left, bottom - top, right - left)


# A `Region`, or a tuple in its order: row, column, rows, columns.
RegionLike: TypeAlias = tuple[int, int, int, int]

# An array of samples of 8 bits.
Samples: TypeAlias = NDArray[np.uint8]

# The unit that moves as a whole: a pixel, one channel of one pixel, or a block of pixels.
Unit: TypeAlias = Literal["pixel", "sample", "block"]


class RandomSource(Protocol):
    """A source of unbiased random numbers: a key stream, or a seeded generator."""

    def below(self, bound: int, /) -> int:
        """Return an integer in 0..bound-1, all of which are equally likely."""
        ...

    def below_each(self, bounds: IntArray, /) -> IntArray:
        """Return one integer in 0..bound-1 for each bound, as repeated `below` would."""
        ...

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        """Return a permutation of 0..size-1 for each size, one after the other in one array."""
        ...
