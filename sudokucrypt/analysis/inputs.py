"""Inputs of metrics: images and their levels, permutations, random samples, and libraries."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.errors import (
    InvalidImageError,
    InvalidParameterError,
    UnsupportedError,
    extra_hint,
)
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import AnyArray, IntArray

# Pixels that are widened at a time: a whole image of 64-bit numbers takes eight images of room.
_TILE = 1 << 17

_OPTIONAL = {"scipy", "skimage", "matplotlib", "jinja2"}

# What cannot be told from the samples: how many values each type has.
_LEVELS = {"bool": 2, "uint8": 2**8, "uint16": 2**16}


def checked_image(image: ArrayLike, *, levels: int | None = None) -> tuple[AnyArray, int]:
    """Return an image as unsigned integers, and the number of levels L."""
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
    # Metrics count and subtract, which bits do not do as numbers.
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if levels is None:
        return array, most
    levels = checked_integer("levels", levels, least=2, most=most)
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


def split_channels(image: AnyArray) -> list[tuple[str, AnyArray]]:
    """Return a view of each channel, and the suffix for the names of its values."""
    if image.ndim == 2:
        return [("", image)]
    return [(f"_{channel}", image[..., channel]) for channel in range(image.shape[2])]


def tiles(shape: Sequence[int]) -> Iterator[tuple[slice, slice]]:
    """Cut an image of this shape into rectangles of at most 2^17 pixels, to be indexed with."""
    columns = min(shape[1], _TILE)
    rows = _TILE // columns
    for top in range(0, shape[0], rows):
        for left in range(0, shape[1], columns):
            yield slice(top, top + rows), slice(left, left + columns)


def checked_pair(
    first: ArrayLike, second: ArrayLike, *, levels: int | None = None
) -> tuple[AnyArray, AnyArray, int]:
    """Do as `checked_image`, for two images of one shape and dtype, of any byte order."""
    first, second = np.asarray(first), np.asarray(second)
    if first.shape != second.shape or first.dtype.name != second.dtype.name:
        raise InvalidImageError(
            f"both images need one shape and dtype, not {first.shape} of {first.dtype} and "
            f"{second.shape} of {second.dtype}"
        )
    first, count = checked_image(first, levels=levels)
    return first, checked_image(second, levels=levels)[0], count


def checked_counts(samples: int, levels: int) -> None:
    """Raise `InvalidParameterError` unless there is a sample, and levels to tell apart."""
    if samples < 1 or levels < 2:
        raise InvalidParameterError(
            f"needs at least 1 sample of 2 levels, not {samples} of {levels}"
        )


def whole_bits(levels: int) -> int:
    """Return how many bits a sample has, or raise `InvalidParameterError` if they are not whole."""
    if levels & (levels - 1):
        raise InvalidParameterError(
            f"{levels} levels do not fill whole bits", hint="levels must be a power of two"
        )
    return levels.bit_length() - 1


def checked_permutation(permutation: ArrayLike, *, least: int = 2) -> IntArray:
    """Return a permutation of 0..N-1 as int64, or raise `InvalidParameterError`."""
    array = np.asarray(permutation)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < least:
        raise InvalidParameterError(
            f"a permutation is a row of {least} or more integers, not {array.dtype} of shape "
            f"{array.shape}"
        )
    targets = array.astype(np.int64)
    seen = np.zeros(len(targets), dtype=bool)
    seen[targets[(targets >= 0) & (targets < len(targets))]] = True
    if not seen.all():
        raise InvalidParameterError(f"each place 0..{len(targets) - 1} must occur once")
    return targets


def checked_sides(shape: tuple[int, int] | None, units: int) -> tuple[int, int]:
    """Return the rows and columns of an image of this many pixels; one row by default."""
    rows, columns = (1, units) if shape is None else shape
    if rows < 1 or columns < 1 or rows * columns != units:
        raise InvalidParameterError(
            f"{rows} rows of {columns} pixels are not the {units} units of the permutation"
        )
    return rows, columns


@contextmanager
def optional_library(name: str) -> Iterator[None]:
    """Let imports of an optional library raise `UnsupportedError` with cause and cure."""
    try:
        yield
    except ImportError as error:
        # One that is installed and broken says why.
        missing = isinstance(error, ModuleNotFoundError) and error.name in _OPTIONAL
        cause = "" if missing else f", which cannot be imported: {error}"
        raise UnsupportedError(
            f"this analysis needs {name}{cause}", hint=extra_hint("analysis")
        ) from error


def uniform_samples(seed: int, count: int, dtype: DTypeLike = np.uint8) -> AnyArray:
    """Return uniform samples of bool, uint8 or uint16, the same ones for a seed.

    The seed is 0 or more. Samples are the bytes of PCG64, whose stream NumPy promises never to
    change; it is good for statistics and predictable.

    >>> uniform_samples(1, 4).tolist() == uniform_samples(1, 8)[:4].tolist()
    True
    """
    kind = np.dtype(dtype)
    words = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(-(-count * kind.itemsize // 8))
    samples = words.astype("<u8", copy=False).view(f"<u{kind.itemsize}")[:count]
    return (samples & 1 if kind == np.bool_ else samples).astype(kind, copy=False)
