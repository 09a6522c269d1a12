"""Check inputs of metrics: images and their levels, permutations, and optional libraries."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.errors import (
    InvalidImageError,
    InvalidParameterError,
    UnsupportedError,
    format_extra_hint,
)
from sudokucrypt.options import check_integer
from sudokucrypt.typing import AnyArray, IntArray

# The number of pixels that are widened to 64 bits at a time: a whole widened image would take 8
# times the memory.
_TILE_PIXELS = 1 << 17

_OPTIONAL_MODULES = {"scipy", "skimage", "matplotlib", "jinja2"}

# The number of levels of each dtype.
_DTYPE_LEVELS = {"bool": 2, "uint8": 2**8, "uint16": 2**16}


def check_image(image: ArrayLike, *, levels: int | None = None) -> tuple[AnyArray, int]:
    """Return an image as unsigned integers, and the number of levels L."""
    array = np.asarray(image)
    dtype_levels = _DTYPE_LEVELS.get(array.dtype.name)
    if dtype_levels is None:
        raise InvalidImageError(
            f"samples must be bool, uint8 or uint16, not {array.dtype}",
            hint="convert the image without loss before it is measured",
        )
    if array.ndim not in {2, 3} or array.size == 0:
        raise InvalidImageError(
            f"an image has the shape (M, N) or (M, N, C) and at least one sample, not {array.shape}"
        )
    # Metrics subtract samples, which booleans do not support.
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if levels is None:
        return array, dtype_levels
    levels = check_integer("levels", levels, least=2, most=dtype_levels)
    if array.max() >= levels:
        raise InvalidImageError(f"a sample is {array.max()}, not in 0..{levels - 1}")
    return array, levels


def check_gray_image(image: ArrayLike, *, levels: int | None = None) -> tuple[AnyArray, int]:
    """Return an image of one channel as `check_image` does, or raise `InvalidImageError`."""
    array, levels = check_image(image, levels=levels)
    if array.ndim != 2:
        raise InvalidImageError(
            f"the metric takes one channel at a time, not {array.shape[2]}",
            hint="pass image[..., 0] for the first channel",
        )
    return array, levels


def split_channels(image: AnyArray) -> list[tuple[str, AnyArray]]:
    """Return a view of each channel, with the suffix for the names of its values."""
    if image.ndim == 2:
        return [("", image)]
    return [(f"_{channel}", image[..., channel]) for channel in range(image.shape[2])]


def iterate_tiles(shape: Sequence[int]) -> Iterator[tuple[slice, slice]]:
    """Yield slices that cut an image of this shape into rectangles of at most 2^17 pixels."""
    columns = min(shape[1], _TILE_PIXELS)
    rows = _TILE_PIXELS // columns
    for top in range(0, shape[0], rows):
        for left in range(0, shape[1], columns):
            yield slice(top, top + rows), slice(left, left + columns)


def check_image_pair(
    first: ArrayLike, second: ArrayLike, *, levels: int | None = None
) -> tuple[AnyArray, AnyArray, int]:
    """Return two images of equal shape and dtype as `check_image` does, and their levels."""
    first, second = np.asarray(first), np.asarray(second)
    if first.shape != second.shape or first.dtype.name != second.dtype.name:
        raise InvalidImageError(
            f"both images need one shape and dtype, not {first.shape} of {first.dtype} and "
            f"{second.shape} of {second.dtype}"
        )
    first, level_count = check_image(first, levels=levels)
    return first, check_image(second, levels=levels)[0], level_count


def check_counts(samples: int, levels: int) -> None:
    """Raise `InvalidParameterError` unless there are at least one sample and two levels."""
    if samples < 1 or levels < 2:
        raise InvalidParameterError(
            f"the metric needs at least 1 sample of 2 levels, not {samples} of {levels}"
        )


def count_sample_bits(levels: int) -> int:
    """Return the number of bits of a sample, if the number of levels is a power of two."""
    if levels & (levels - 1):
        raise InvalidParameterError(f"the number of levels must be a power of two, not {levels}")
    return levels.bit_length() - 1


def check_permutation(permutation: ArrayLike, *, least: int = 2) -> IntArray:
    """Return a permutation of 0..N-1 as int64, or raise `InvalidParameterError`."""
    array = np.asarray(permutation)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < least:
        raise InvalidParameterError(
            f"a permutation is a row of {least} or more integers, not {array.dtype} of shape "
            f"{array.shape}"
        )
    targets = array.astype(np.int64)
    is_target = np.zeros(len(targets), dtype=bool)
    is_target[targets[(targets >= 0) & (targets < len(targets))]] = True
    if not is_target.all():
        raise InvalidParameterError(f"each position 0..{len(targets) - 1} must occur once")
    return targets


def check_sides(shape: tuple[int, int] | None, units: int) -> tuple[int, int]:
    """Return the rows and columns of an image with `units` pixels; by default one row."""
    rows, columns = (1, units) if shape is None else shape
    if rows < 1 or columns < 1 or rows * columns != units:
        raise InvalidParameterError(
            f"{rows} rows of {columns} pixels do not give the {units} units of the permutation"
        )
    return rows, columns


@contextmanager
def require_library(name: str) -> Iterator[None]:
    """Convert a failed import of an optional library to `UnsupportedError` with a hint."""
    try:
        yield
    except ImportError as error:
        # A library that is installed but broken reports its error.
        is_missing = isinstance(error, ModuleNotFoundError) and error.name in _OPTIONAL_MODULES
        cause = "" if is_missing else f", which cannot be imported: {error}"
        raise UnsupportedError(
            f"this analysis needs {name}{cause}", hint=format_extra_hint("analysis")
        ) from error


def draw_uniform_samples(seed: int, count: int, dtype: DTypeLike = np.uint8) -> AnyArray:
    """Return uniform samples of bool, uint8 or uint16, which depend only on the seed.

    The seed is 0 or more. Samples are bytes of PCG64, whose stream NumPy promises never to change;
    it is good for statistics but predictable.

    >>> draw_uniform_samples(1, 4).tolist() == draw_uniform_samples(1, 8)[:4].tolist()
    True
    """
    sample_dtype = np.dtype(dtype)
    words = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(
        -(-count * sample_dtype.itemsize // 8)
    )
    samples = words.astype("<u8", copy=False).view(f"<u{sample_dtype.itemsize}")[:count]
    return (samples & 1 if sample_dtype == np.bool_ else samples).astype(sample_dtype, copy=False)
