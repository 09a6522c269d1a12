"""Measure the texture of an image: gray differences and co-occurrence features."""

from dataclasses import replace
from functools import partial
from math import nan, sqrt
from statistics import fmean
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis import inputs
from sudokucrypt.analysis.metrics.correlation import (
    Direction,
    compute_pearson,
    correlate_pixels,
    find_neighbor_pairs,
)
from sudokucrypt.analysis.metrics.entropy import histogram
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.metrics.quality import sum_squared_differences
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import AnyArray, IntArray

_PERMUTATION_NOTE = (
    "expected: a uniform permutation of the plain image; a scheme that changes values may exceed it"
)
_FEATURE_NAMES = ("contrast", "homogeneity", "energy", "correlation")
# The default of NumLevels in MATLAB's graycomatrix.
_MATLAB_LEVELS = 8
# The maximum number of cells of a co-occurrence matrix in memory; with more, pairs are sorted.
_MAX_MATRIX_CELLS = 1 << 20
# The maximum number of levels for which a pair of levels fits into 16 bits.
_MAX_16_BIT_PAIR_LEVELS = 1 << 8


@metric("texture", "image", "mean squared difference to the four neighbors", aim=None)
def gray_difference(image: ArrayLike) -> float:
    """Return the mean squared difference of pixels to their four neighbors, in squared levels.

    The mean is taken over all interior pixels and channels. For a uniform permutation of the
    pixels, it is twice their sample variance on average.
    Source: G. Ye, 2010, doi:10.1016/j.patrec.2009.11.008.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), at least 3 x 3 pixels
        The image; channels count equally.

    Examples
    --------
    >>> gray_difference(np.array([[9, 1, 9], [1, 0, 1], [9, 3, 9]], dtype=np.uint8))
    3.0
    """
    pixels, _ = inputs.check_image(image)
    if min(pixels.shape[:2]) < 3:
        raise InvalidImageError(
            f"an image of shape {pixels.shape} has no pixel with four neighbors",
            hint="the metric needs at least 3 x 3 pixels",
        )
    inner_pixels = pixels[1:-1, 1:-1]
    neighbor_views = (pixels[:-2, 1:-1], pixels[2:, 1:-1], pixels[1:-1, :-2], pixels[1:-1, 2:])
    return sum(sum_squared_differences(inner_pixels, neighbors) for neighbors in neighbor_views) / (
        4 * inner_pixels.size
    )


@metric(
    "similarity",
    "pair",
    "growth of the differences of neighbors, -1..1",
    column="gray difference degree",
    aim=None,
)
def gray_difference_degree(plain: ArrayLike, scrambled: ArrayLike) -> Measurement:
    """Compare the gray differences of an image before and after scrambling, -1..1; 0 is no change.

    The degree is (G' - G) / (G' + G) with `gray_difference` G of the plain and G' of the scrambled
    image, and NaN if both are 0. The expected value is the degree for a uniform permutation of the
    plain image, with the mean of G' over all permutations; its error is about 1 / MN. Textured
    images have a low degree even if they are scrambled well.

    Parameters
    ----------
    plain : array_like of shape (M, N) or (M, N, C), at least 3 x 3 pixels
        The image before scrambling.
    scrambled : array_like of the shape and dtype of `plain`
        The image after scrambling.
    """
    pixels, scrambled_pixels, _ = inputs.check_image_pair(plain, scrambled)
    plain_difference, scrambled_difference = (
        gray_difference(pixels),
        gray_difference(scrambled_pixels),
    )
    permuted_difference = 2 * fmean(
        _compute_variance(channel) for _, channel in inputs.split_channels(pixels)
    )
    return Measurement(
        name="gray_difference_degree",
        value=_compute_difference_degree(plain_difference, scrambled_difference),
        expected=_compute_difference_degree(plain_difference, permuted_difference),
        note=_PERMUTATION_NOTE,
    )


def _compute_variance(channel: AnyArray) -> float:
    """Return the sample variance of a channel, with exact sums."""
    counts, size = histogram(channel), channel.size
    values = np.arange(len(counts))
    level_sum, square_sum = int(counts @ values), int(counts @ values**2)
    return (size * square_sum - level_sum**2) / (size * (size - 1))


def _compute_difference_degree(plain_difference: float, result_difference: float) -> float:
    return (
        (result_difference - plain_difference) / (result_difference + plain_difference)
        if result_difference + plain_difference > 0
        else nan
    )


def cooccurrence_features(
    image: ArrayLike,
    direction: Direction = "horizontal",
    *,
    convention: Literal["skimage", "matlab"] = "skimage",
    levels: int | None = None,
) -> tuple[Measurement, ...]:
    """Return contrast, homogeneity, energy and correlation of pairs of neighbors.

    Names are "cooccurrence_contrast" and so on. The expected values are for a random image of this
    size; none is a test.

    With p(i, j) the share of pairs with levels i and j, not made symmetric: contrast is the sum of
    (i - j)^2 p. The convention "skimage" uses all levels, homogeneity is the sum of
    p / (1 + (i - j)^2) and energy sqrt(sum of p^2). The convention "matlab" first scales more than
    8 levels to 8; homogeneity is the sum of p / (1 + abs(i - j)) and energy the sum of p^2. The
    correlation of constant pixels is NaN, as in MATLAB; in scikit-image it is 1. With many levels,
    pairs are sorted instead of counted in a matrix, so images of 16 bits take little more memory.
    Source: R. M. Haralick, K. Shanmugam, I. Dinstein, 1973, doi:10.1109/TSMC.1973.4309314; the
    documentation of skimage.feature.graycoprops and of MATLAB's graycomatrix and graycoprops.

    Parameters
    ----------
    image : array_like of shape (M, N), bool, uint8 or uint16
        The channel that is measured.
    direction : {"horizontal", "vertical", "diagonal", "antidiagonal"}, default "horizontal"
        Where the neighbor of a pixel is.
    convention : {"skimage", "matlab"}, default "skimage"
        The definition of homogeneity, energy and levels.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> board = np.indices((8, 8)).sum(axis=0).astype(np.uint8) % 2 * 255
    >>> [round(each.value, 4) for each in cooccurrence_features(board, convention="matlab")]
    [49.0, 0.125, 0.5, -1.0]
    """
    pixels, levels = inputs.check_gray_image(image, levels=levels)
    if convention not in {"skimage", "matlab"}:
        raise InvalidParameterError(f"a convention is skimage or matlab, not {convention!r}")
    is_matlab = convention == "matlab"
    classes = np.arange(levels)
    if is_matlab and levels > _MATLAB_LEVELS:
        # MATLAB scales 0..levels-1 to the classes, and the highest level goes to the last class.
        classes = np.minimum(classes * _MATLAB_LEVELS // (levels - 1), _MATLAB_LEVELS - 1)
    first, second = find_neighbor_pairs(pixels, direction)
    if levels**2 <= _MAX_MATRIX_CELLS:
        # Cells are merged into classes after counting, since there are fewer cells than pixels.
        class_starts = np.unique(classes, return_index=True)[1]
        cells = np.add.reduceat(_count_pairs(first, second, levels), class_starts, axis=0)
        differences, squares, correlation = _summarize_cells(
            np.add.reduceat(cells, class_starts, axis=1)
        )
    elif is_matlab:
        first, second = (classes.astype(np.uint8)[each] for each in (first, second))
        differences, squares, correlation = _summarize_cells(
            _count_pairs(first, second, _MATLAB_LEVELS)
        )
    else:
        differences, squares = _count_sorted_pairs(first, second, levels)
        correlation = correlate_pixels(first, second)
    differences, energy = differences / first.size, squares / first.size**2
    shares = np.bincount(classes) / levels
    # The probability of each absolute difference of two independent levels is computed as an
    # autocorrelation, since a transform takes time L log L instead of L^2.
    spectrum = np.abs(np.fft.rfft(shares, 2 * len(shares))) ** 2
    expected_differences = np.fft.irfft(spectrum, 2 * len(shares))[: len(shares)]
    expected_differences[1:] *= 2
    equal_pair_share = float(np.sum(shares**2)) ** 2
    expected_energy = equal_pair_share + (1 - equal_pair_share) / first.size
    distances = np.arange(len(differences))
    weights = 1 / (1 + (distances if is_matlab else distances**2))
    if not is_matlab:
        energy, expected_energy = sqrt(energy), sqrt(expected_energy)
    value_pairs: tuple[tuple[Any, Any], ...] = (
        (differences @ distances**2, expected_differences @ distances**2),
        (differences @ weights, expected_differences @ weights),
        (energy, expected_energy),
        (correlation, 0.0),
    )
    return tuple(
        Measurement(
            name=f"cooccurrence_{name}",
            value=float(value),
            expected=float(expected),
            note=f"convention of {convention}",
        )
        for name, (value, expected) in zip(_FEATURE_NAMES, value_pairs, strict=True)
    )


def _count_pairs(first: AnyArray, second: AnyArray, levels: int) -> IntArray:
    """Count how often each pair of levels occurs, in an array of shape (levels, levels)."""
    cells = np.zeros(levels**2, dtype=np.int64)
    for tile in inputs.iterate_tiles(first.shape):
        dtype = np.uint16 if levels <= _MAX_16_BIT_PAIR_LEVELS else np.uint32
        pairs = np.multiply(first[tile], levels, dtype=dtype) + second[tile]
        cells += np.bincount(pairs.ravel(), minlength=levels**2)
    return cells.reshape(levels, levels)


def _summarize_cells(cells: IntArray) -> tuple[AnyArray, int, float]:
    """Return the counts of absolute differences, the sum of squared cells, and the correlation."""
    values = np.arange(len(cells))
    rows, columns, squares = cells.sum(axis=1), cells.sum(axis=0), values**2
    differences = np.bincount(
        np.abs(np.subtract.outer(values, values)).ravel(), weights=cells.ravel()
    )
    sums = (rows @ values, columns @ values, rows @ squares, columns @ squares)
    correlation = compute_pearson(*map(int, (cells.sum(), *sums, values @ cells @ values)))
    return differences, int(np.sum(cells**2)), correlation


def _count_sorted_pairs(first: AnyArray, second: AnyArray, levels: int) -> tuple[IntArray, int]:
    """Count the absolute differences of pairs, and sum the squared counts of equal pairs.

    A table of 65,536^2 cells does not fit into memory, but sorted pairs do.
    """
    differences = np.zeros(levels, dtype=np.int64)
    pairs = np.empty(first.size, dtype=np.uint32)
    pair_count = 0
    for tile in inputs.iterate_tiles(first.shape):
        first_levels, second_levels = (
            first[tile].astype(np.int64).ravel(),
            second[tile].astype(np.int64).ravel(),
        )
        differences += np.bincount(np.abs(first_levels - second_levels), minlength=levels)
        pairs[pair_count : pair_count + first_levels.size] = first_levels * levels + second_levels
        pair_count += first_levels.size
    pairs.sort()
    chunk_start = square_sum = 0
    # Equal pairs are counted in chunks that do not split a run of equal pairs.
    while chunk_start < pair_count:
        last_pair = pairs[min(chunk_start + _MAX_MATRIX_CELLS, pair_count) - 1]
        chunk_stop = int(np.searchsorted(pairs, last_pair, side="right"))
        counts = np.unique(pairs[chunk_start:chunk_stop], return_counts=True)[1]
        square_sum, chunk_start = square_sum + int(counts @ counts), chunk_stop
    return differences, square_sum


def _measure_named_features(
    channel: ArrayLike, *, convention: Literal["skimage", "matlab"], levels: int
) -> list[Measurement]:
    """Return the co-occurrence features, with the convention in their names."""
    features = cooccurrence_features(channel, convention=convention, levels=levels)
    prefix = f"cooccurrence_{convention}"
    return [replace(each, name=each.name.replace("cooccurrence", prefix)) for each in features]


_CONVENTION_ORIGINS: dict[Literal["skimage", "matlab"], str] = {
    "skimage": "scikit-image",
    "matlab": "MATLAB, with 8 levels,",
}
for _convention, _origin in _CONVENTION_ORIGINS.items():
    metric(
        "texture",
        "channel",
        f"features of the co-occurrence matrix as {_origin} defines them",
        name=f"cooccurrence_{_convention}",
        figures=tuple(f"cooccurrence_{_convention}_{name}" for name in _FEATURE_NAMES),
        aim=None,
    )(partial(_measure_named_features, convention=_convention))
