"""What the metrics take and refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis.inputs import (
    checked_counts,
    checked_gray,
    checked_image,
    checked_pair,
    checked_permutation,
    checked_sides,
)
from sudokucrypt.errors import InvalidImageError, InvalidParameterError

SMALL = np.zeros((2, 3), dtype=np.uint8)


@pytest.mark.parametrize(("dtype", "levels"), [("bool", 2), ("uint8", 256), ("uint16", 65536)])
def test_levels_come_from_the_dtype(dtype: str, levels: int) -> None:
    """Each dtype has all its levels, and bool is counted as 0 and 1."""
    array, count = checked_image(np.ones((2, 2, 3), dtype=dtype))
    assert (count, array.dtype.kind, int(array.max())) == (levels, "u", 1)


@pytest.mark.parametrize(
    "image",
    [
        np.zeros(4, dtype=np.uint8),
        np.zeros((2, 2, 2, 2), dtype=np.uint8),
        np.zeros((0, 4), dtype=np.uint8),
        np.zeros((2, 2)),
        np.zeros((2, 2), dtype=np.int64),
        [[1, 2], [3, 4]],
    ],
)
def test_other_arrays_are_no_images(image: Any) -> None:
    """Other shapes and dtypes are refused, never cast."""
    with pytest.raises(InvalidImageError):
        checked_image(image)


@pytest.mark.parametrize("levels", [1, 257, 2.0, True])
def test_levels_must_fit_the_dtype(levels: Any) -> None:
    """Levels are an integer from 2 to what the dtype holds."""
    with pytest.raises(InvalidParameterError, match=r"2\.\.256"):
        checked_image(SMALL, levels=levels)


def test_samples_must_fit_their_levels() -> None:
    """A sample above the stated levels is refused."""
    assert checked_image(SMALL + 3, levels=4)[1] == 4
    with pytest.raises(InvalidImageError, match=r"4, not in 0\.\.3"):
        checked_image(SMALL + 4, levels=4)


def test_one_channel_means_two_dimensions() -> None:
    """A coloured image is refused with the way to pass one channel."""
    with pytest.raises(InvalidImageError) as caught:
        checked_gray(np.zeros((2, 2, 3), dtype=np.uint8))
    assert "image[..., 0]" in str(caught.value.hint)


@pytest.mark.parametrize("other", [SMALL.T, SMALL.astype(np.uint16)])
def test_pairs_share_shape_and_dtype(other: Any) -> None:
    """Two images of different shape or dtype are never compared."""
    with pytest.raises(InvalidImageError, match="one shape and dtype"):
        checked_pair(SMALL, other)


def test_pairs_may_differ_in_byte_order() -> None:
    """Samples of 16 bits mean the same in the byte order of a TIFF and in that of the machine."""
    image = np.arange(6, dtype=np.uint16).reshape(2, 3) * 1000
    one, other, levels = checked_pair(image.astype(">u2"), image.astype("<u2"))
    assert (one == other).all()
    assert levels == 65536


@pytest.mark.parametrize(
    "row", [[0, 0], [0, 2], [-1, 0], [0.0, 1.0], [[0, 1]], [0], [True, False], []]
)
def test_other_rows_are_no_permutations(row: Any) -> None:
    """Each place must occur once, as an integer."""
    with pytest.raises(InvalidParameterError):
        checked_permutation(row)


def test_permutations_come_back_as_they_are() -> None:
    """Any integer dtype is taken, and the least length can be raised."""
    assert checked_permutation(np.array([2, 0, 1], dtype=np.uint8)).tolist() == [2, 0, 1]
    with pytest.raises(InvalidParameterError, match="4 or more"):
        checked_permutation([2, 0, 1], least=4)


@pytest.mark.parametrize("shape", [(2, 2), (0, 6), (-2, -3), (6, 0)])
def test_sides_multiply_to_the_units(shape: tuple[int, int]) -> None:
    """A shape of other than the units of the permutation is refused."""
    assert checked_sides(None, 6) == (1, 6)
    assert checked_sides((3, 2), 6) == (3, 2)
    with pytest.raises(InvalidParameterError, match="6 units"):
        checked_sides(shape, 6)


@pytest.mark.parametrize(("samples", "levels"), [(0, 256), (4, 1)])
def test_counts_are_positive(samples: int, levels: int) -> None:
    """Critical values need a sample and two levels."""
    with pytest.raises(InvalidParameterError):
        checked_counts(samples, levels)
