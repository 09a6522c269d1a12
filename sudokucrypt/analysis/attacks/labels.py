"""Numbers for all units of an image, and classes of units that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import DTypeLike

from sudokucrypt.analysis.attacks.attack import AttackUnit
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray


@dataclass(frozen=True)
class Labels:
    """How the units of images of one shape and dtype are numbered.

    Parameters
    ----------
    shape : tuple of int
        (M, N) or (M, N, C).
    dtype : dtype
        bool, uint8 or uint16: samples have L = 2, 256 or 65536 levels.
    unit : {"pixel", "sample"}
        K = M N pixels of C samples each, or K = M N C single samples, in reading order.

    Raises
    ------
    InvalidImageError
        If images of that shape or dtype are not taken.
    InvalidParameterError
        If the unit is neither.

    Examples
    --------
    >>> Labels((512, 512), "uint8").images, Labels((512, 512, 3), "uint8").images
    (3, 1)
    """

    shape: tuple[int, ...]
    dtype: DTypeLike
    unit: AttackUnit = "pixel"

    def __post_init__(self) -> None:
        checked_image(np.empty(self.shape, bool))
        checked_image(np.zeros((1, 1), self.dtype))
        if self.unit not in get_args(AttackUnit):
            known = " or ".join(get_args(AttackUnit))
            raise InvalidParameterError(f"a unit that is traced is {known}, not {self.unit!r}")

    @classmethod
    def like(cls, image: AnyArray, unit: AttackUnit = "pixel") -> Labels:
        """Return the labels of images that are like one."""
        return cls(image.shape, image.dtype, unit)

    @property
    def levels(self) -> int:
        """L, how many values a sample can have."""
        return checked_image(np.zeros((1, 1), self.dtype))[1]

    @property
    def samples(self) -> int:
        """How many samples a unit has."""
        return self.shape[2] if len(self.shape) == 3 and self.unit == "pixel" else 1

    @property
    def count(self) -> int:
        """K, the number of units."""
        return int(np.prod(self.shape)) // self.samples

    @property
    def images(self) -> int:
        """How many images hold every number: ceil(log_L(K)), over the samples of a unit."""
        digits, reach = 1, self.levels
        while reach < self.count:
            digits, reach = digits + 1, reach * self.levels
        return -(-digits // self.samples)

    def encode(self, numbers: IntArray) -> tuple[AnyArray, ...]:
        """Return the images whose unit i shows the digits of ``numbers[i]``, lowest first."""
        digits = []
        for _ in range(self.images * self.samples):
            numbers, digit = np.divmod(numbers, self.levels)
            digits.append(digit.astype(self.dtype))
        per_image = range(0, len(digits), self.samples)
        return tuple(
            np.stack(digits[first : first + self.samples], axis=1).reshape(self.shape)
            for first in per_image
        )

    def decode(self, images: Sequence[AnyArray]) -> IntArray:
        """Return the number that each unit shows; numbers of K or more stand for no unit."""
        numbers = np.zeros(self.count, dtype=np.int64)
        for digit in reversed(np.concatenate([self.split(image) for image in images], axis=1).T):
            # Surplus digits of many channels are 0 in what `encode` returns.
            numbers = np.minimum(numbers, self.count) * self.levels + digit
        return numbers

    def split(self, image: AnyArray) -> AnyArray:
        """Return the units of an image as rows of samples."""
        return image.reshape(self.count, self.samples)


def random_images(
    shape: tuple[int, ...], count: int, *, dtype: DTypeLike = np.uint8, seed: int = 0
) -> tuple[AnyArray, ...]:
    """Return images of independent uniform samples, the same ones for a seed.

    Parameters
    ----------
    shape : tuple of int
        (M, N) or (M, N, C).
    count : int
        How many images, 1 or more.
    dtype : dtype
        bool, uint8 or uint16.
    seed : int
        0 or more.

    Examples
    --------
    >>> [image.shape for image in random_images((2, 3), 2)]
    [(2, 3), (2, 3)]
    """
    levels = Labels(shape, dtype).levels
    checked_integer("count", count)
    size = int(np.prod(shape))
    drawn = seeded_draws(seed).below_each(np.full(count * size, levels))
    return tuple(drawn.astype(dtype).reshape(count, *shape))


def refined(
    before: tuple[IntArray, AnyArray], after: tuple[IntArray, AnyArray]
) -> tuple[IntArray, IntArray]:
    """Split the classes of units by one more property.

    Parameters
    ----------
    before, after : tuple of two ndarray of shape (K,) and (K, C)
        The class of each unit, and what it shows: integers of 0 or more.

    Returns
    -------
    tuple of two ndarray of shape (K,), dtype int64
        The new classes before and after; equal numbers stand for equal units.

    Examples
    --------
    >>> none = np.zeros(3, dtype=np.int64)
    >>> shown = np.array([[7], [9], [7]]), np.array([[9], [7], [7]])
    >>> [classes.tolist() for classes in refined((none, shown[0]), (none, shown[1]))]
    [[0, 1, 0], [1, 0, 0]]
    """
    classes = np.concatenate([before[0], after[0]])
    for sample in np.concatenate([before[1], after[1]]).T:
        _, classes = np.unique(classes * (int(sample.max()) + 1) + sample, return_inverse=True)
    middle = len(before[0])
    return classes[:middle], classes[middle:]


def matched(before: IntArray, after: IntArray) -> IntArray:
    """Return for each place a unit of its class, in reading order; -1 where there is none left.

    Examples
    --------
    >>> matched(np.array([0, 1, 0]), np.array([1, 0, 0])).tolist()
    [1, 0, 2]
    """
    units, places = np.argsort(before, kind="stable"), np.argsort(after, kind="stable")
    held, wanted = before[units], after[places]
    rank = np.arange(len(places)) - np.searchsorted(wanted, wanted)
    index = np.searchsorted(held, wanted) + rank
    fits = index < np.searchsorted(held, wanted, side="right")
    sources = np.full(len(places), -1, dtype=np.int64)
    sources[places[fits]] = units[index[fits]]
    return sources
