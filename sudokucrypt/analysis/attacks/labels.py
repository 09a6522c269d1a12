"""Numbers for all units of an image, spelled as samples: how attacks mark where units go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from sudokucrypt.typing import IntArray

Oracle: TypeAlias = Callable[[AnyArray], AnyArray]
"""A scheme under one key: takes an image, returns one of the same shape and dtype."""

AttackUnit: TypeAlias = Literal["pixel", "sample"]
"""What is traced: whole pixels with their channels, or single samples."""


def asked(oracle: Oracle, image: AnyArray) -> AnyArray:
    """Return what a scheme makes of an image.

    Parameters
    ----------
    oracle : callable
        Takes an image and returns its scrambled or encrypted form, of the same shape and dtype.
    image : ndarray of shape (M, N) or (M, N, C)
        Any image. The scheme gets a copy, so that it may work in place.

    Raises
    ------
    InvalidImageError
        If the result has another shape or dtype.
    """
    result = np.asarray(oracle(image.copy()))
    if result.shape != image.shape or result.dtype.name != image.dtype.name:
        raise InvalidImageError(
            f"the scheme made {result.shape} of {result.dtype} from {image.shape} of {image.dtype}",
            hint="attacks take schemes that keep shape and dtype",
        )
    return result.astype(image.dtype, copy=False)


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
        """How many images spell every number: ceil(log_L(K)), over the samples of a unit."""
        digits, reach = 1, self.levels
        while reach < self.count:
            digits, reach = digits + 1, reach * self.levels
        return -(-digits // self.samples)

    def spell(self, numbers: IntArray) -> tuple[AnyArray, ...]:
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

    def read(self, images: Sequence[AnyArray]) -> IntArray:
        """Return the number that each unit shows; numbers of K or more stand for no unit."""
        numbers = np.zeros(self.count, dtype=np.int64)
        for digit in reversed(np.concatenate([self.split(image) for image in images], axis=1).T):
            # Surplus digits of many channels are 0 in what `spell` returns.
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
    if count < 1:
        raise InvalidParameterError(f"at least one image is needed, not {count}")
    size = int(np.prod(shape))
    drawn = seeded_draws(seed).below_each(np.full(count * size, levels))
    return tuple(drawn.astype(dtype).reshape(count, *shape))
