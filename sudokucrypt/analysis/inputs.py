"""What the metrics take: images of whole numbers, and how many values a sample can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import InvalidImageError, InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudokucrypt.typing import AnyArray

_LEVELS = {"bool": 2, "uint8": 2**8, "uint16": 2**16}


def checked_image(image: ArrayLike, *, levels: int | None = None) -> tuple[AnyArray, int]:
    """Return an image as unsigned integers, and the number of levels L.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        With one sample at least.
    levels : int, optional
        Samples are 0..levels-1; as many as the dtype has by default.

    Raises
    ------
    InvalidImageError
        If the image has another shape or dtype, is empty, or has a sample above its levels.
    InvalidParameterError
        If the levels are not in 2..L of the dtype.
    """
    array = np.asarray(image)
    most = _LEVELS.get(array.dtype.name)
    if most is None:
        raise InvalidImageError(
            f"samples must be bool, uint8 or uint16, not {array.dtype}",
            hint="convert the image without loss before it is measured",
        )
    if array.ndim not in {2, 3} or array.size == 0:
        raise InvalidImageError(
            f"an image has the shape (M, N) or (M, N, C) and a sample, not {array.shape}"
        )
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if levels is None:
        return array, most
    if isinstance(levels, bool) or not isinstance(levels, int) or not 2 <= levels <= most:
        raise InvalidParameterError(f"levels must be an integer in 2..{most}, not {levels!r}")
    if array.max() >= levels:
        raise InvalidImageError(f"a sample is {array.max()}, not in 0..{levels - 1}")
    return array, levels


def checked_gray(image: ArrayLike, *, levels: int | None = None) -> tuple[AnyArray, int]:
    """Do as `checked_image`, for images of one channel."""
    array, levels = checked_image(image, levels=levels)
    if array.ndim != 2:
        raise InvalidImageError(
            f"one channel is measured at a time, not {array.shape[2]}",
            hint="pass image[..., 0] for the first channel",
        )
    return array, levels


def checked_pair(
    first: ArrayLike, second: ArrayLike, *, levels: int | None = None
) -> tuple[AnyArray, AnyArray, int]:
    """Do as `checked_image`, for two images of one shape and dtype."""
    one, other = np.asarray(first), np.asarray(second)
    if one.shape != other.shape or one.dtype != other.dtype:
        raise InvalidImageError(
            f"both images need one shape and dtype, not {one.shape} of {one.dtype} and "
            f"{other.shape} of {other.dtype}"
        )
    one, count = checked_image(one, levels=levels)
    return one, checked_image(other, levels=levels)[0], count
