"""What every scrambler for comparison is: a map of pixel places that depends on the shape only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.errors import InvalidImageError, InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudokucrypt.typing import AnyArray, IntArray


class Baseline(ABC):
    """A scrambler that moves whole pixels, the same way for every image of one shape.

    All of them keep the histogram and fall to a few chosen images, see
    `sudokucrypt.analysis.attacks.chosen_plaintext_attack`. Their parameters are the key, where
    there is one.
    """

    name: ClassVar[str]
    """A stable machine name."""

    @abstractmethod
    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go: number i in reading order lands at place ``targets[i]``.

        Parameters
        ----------
        rows, columns : int
            Sides of the image in pixels.

        Returns
        -------
        ndarray of shape (rows * columns,), dtype int64
            A permutation.

        Raises
        ------
        InvalidImageError
            If the scheme is not defined for these sides.
        """

    def scramble(self, image: ArrayLike) -> AnyArray:
        """Return the image with its pixels moved.

        Parameters
        ----------
        image : array_like of shape (M, N) or (M, N, C)
            Samples of any dtype; never changed.

        Raises
        ------
        InvalidImageError
            If the image is empty, or of a shape that the scheme is not defined for.
        """
        pixels, targets = self._prepared(image)
        moved = np.empty_like(pixels)
        moved[targets] = pixels
        return moved.reshape(np.shape(image))

    def unscramble(self, image: ArrayLike) -> AnyArray:
        """Return the image that `scramble` was given; arguments and errors as there."""
        pixels, targets = self._prepared(image)
        return pixels[targets].reshape(np.shape(image))

    def _prepared(self, image: ArrayLike) -> tuple[AnyArray, IntArray]:
        array = np.asarray(image)
        if array.ndim not in {2, 3} or array.size == 0:
            raise InvalidImageError(
                f"an image has the shape (M, N) or (M, N, C) and a sample, not {array.shape}"
            )
        rows, columns = array.shape[:2]
        return array.reshape(rows * columns, *array.shape[2:]), self.targets(rows, columns)


def checked_count(name: str, value: object, *, least: int) -> int:
    """Return a whole number of `least` or more, or raise `InvalidParameterError` naming it."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidParameterError(f"{name} must be an integer of {least} or more, not {value!r}")
    return value


def square_side(name: str, rows: int, columns: int) -> int:
    """Return the side of a square image, or raise `InvalidImageError` naming the scheme."""
    if rows != columns:
        raise InvalidImageError(
            f"the {name} is defined for square images only, not {rows}x{columns}",
            hint="crop the image to a square",
        )
    return rows


def repeated(targets: IntArray, times: int) -> IntArray:
    """Return the map that applies a map so many times, by repeated squaring."""
    result = np.arange(len(targets))
    while times:
        if times & 1:
            result = targets[result]
        targets = targets[targets]
        times >>= 1
    return result
