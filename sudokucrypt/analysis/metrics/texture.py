"""What is left of the texture of an image: gray differences and co-occurrence features."""

from dataclasses import replace
from functools import partial
from math import nan, sqrt
from statistics import fmean
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis import inputs
from sudokucrypt.analysis.metrics.correlation import Direction, neighbors, pearson, pearson_of_sums
from sudokucrypt.analysis.metrics.entropy import histogram
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.metrics.quality import squared_gaps
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import AnyArray, IntArray

_NOTE = (
    "expected: a uniform permutation of the plain image; a scheme that changes values may exceed it"
)
_FEATURES = ("contrast", "homogeneity", "energy", "correlation")
# NumLevels of graycomatrix, unless another number is given.
_MATLAB_LEVELS = 8
# Cells of a co-occurrence matrix that are counted in a table; more are sorted.
_COUNTED_CELLS = 1 << 20
# Levels of which 16 bits hold a pair.
_SHORT_LEVELS = 1 << 8


@metric("texture", "image", "mean squared difference to the four neighbors", aim=None)
def gray_difference(image: ArrayLike) -> float:
    """Return how far pixels differ from their four neighbors, in squared gray levels.

    The image has at least 3 x 3 pixels; channels count alike. Mean over interior pixels of the mean
    squared difference to the four neighbors. For a uniform permutation of the pixels its mean is
    twice their sample variance.
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
    pixels, _ = inputs.checked_image(image)
    if min(pixels.shape[:2]) < 3:
        raise InvalidImageError(
            f"an image of shape {pixels.shape} has no pixel with four neighbors",
            hint="needs at least 3 x 3 pixels",
        )
    inner = pixels[1:-1, 1:-1]
    around = (pixels[:-2, 1:-1], pixels[2:, 1:-1], pixels[1:-1, :-2], pixels[1:-1, 2:])
    return sum(squared_gaps(inner, other) for other in around) / (4 * inner.size)


@metric(
    "similarity",
    "pair",
    "how much the differences of neighbors grew, beside a uniform permutation",
    column="gray difference degree",
    aim=None,
)
def gray_difference_degree(plain: ArrayLike, scrambled: ArrayLike) -> Measurement:
    """Compare the gray differences of an image before and after scrambling, -1..1; 0 for no change.

    Both images have one shape and dtype, and are as in `gray_difference`. Expected is the figure
    for a uniform permutation of the plain image: what a position-only scheme can reach.

    (G' - G) / (G' + G) with `gray_difference` G of the plain and G' of the scrambled image, NaN if
    both are 0. The expected value has the mean of G' over all permutations of the pixels, and is
    right within about 1 / MN. Textured images have low figures however well they are scrambled.

    Parameters
    ----------
    plain : array_like of shape (M, N) or (M, N, C), at least 3 x 3 pixels
        The image before scrambling.
    scrambled : array_like of the shape and dtype of `plain`
        The image after scrambling.
    """
    pixels, other, _ = inputs.checked_pair(plain, scrambled)
    before, after = gray_difference(pixels), gray_difference(other)
    mixed = 2 * fmean(_variance(channel) for _, channel in inputs.channels_of(pixels))
    return Measurement(
        name="gray_difference_degree",
        value=_degree(before, after),
        expected=_degree(before, mixed),
        note=_NOTE,
    )


def _variance(channel: AnyArray) -> float:
    """Return the sample variance, with exact sums."""
    counts, size = histogram(channel), channel.size
    values = np.arange(len(counts))
    total, squares = int(counts @ values), int(counts @ values**2)
    return (size * squares - total**2) / (size * (size - 1))


def _degree(before: float, after: float) -> float:
    return (after - before) / (after + before) if after + before > 0 else nan


def cooccurrence_features(
    image: ArrayLike,
    direction: Direction = "horizontal",
    *,
    convention: Literal["skimage", "matlab"] = "skimage",
    levels: int | None = None,
) -> tuple[Measurement, ...]:
    """Return contrast, homogeneity, energy and correlation of pairs of neighbors.

    Names are "cooccurrence_contrast" and so on; each has its expected value for a random image of
    this size, and none is a test.

    With p(i, j) the share of pairs with levels i and j, not made symmetric: contrast is the sum of
    (i - j)^2 p. The convention "skimage" takes all levels, homogeneity as the sum of p / (1 + (i -
    j)^2) and energy as sqrt(sum of p^2). "matlab" first scales more than 8 levels to 8, and has p /
    (1 + abs(i - j)) and the sum of p^2 itself. The correlation of constant pixels is NaN, as in
    MATLAB; scikit-image has 1. Nothing is stored by pairs of levels: 16 bits cost no more than 8.
    Source: R. M. Haralick, K. Shanmugam, I. Dinstein, 1973, doi:10.1109/TSMC.1973.4309314; the
    documentation of skimage.feature.graycoprops and of MATLAB's graycomatrix and graycoprops.

    Parameters
    ----------
    image : array_like of shape (M, N), bool, uint8 or uint16
        The channel that is measured.
    direction : {"horizontal", "vertical", "diagonal", "antidiagonal"}, default "horizontal"
        Where the neighbor of a pixel is.
    convention : {"skimage", "matlab"}, default "skimage"
        Whose definition of homogeneity, energy and levels is used.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> board = np.indices((8, 8)).sum(axis=0).astype(np.uint8) % 2 * 255
    >>> [round(each.value, 4) for each in cooccurrence_features(board, convention="matlab")]
    [49.0, 0.125, 0.5, -1.0]
    """
    pixels, levels = inputs.checked_gray(image, levels=levels)
    if convention not in {"skimage", "matlab"}:
        raise InvalidParameterError(f"a convention is skimage or matlab, not {convention!r}")
    matlab = convention == "matlab"
    classes = np.arange(levels)
    if matlab and levels > _MATLAB_LEVELS:
        # MATLAB scales from 0..levels-1, and its last class takes what would be a ninth.
        classes = np.minimum(classes * _MATLAB_LEVELS // (levels - 1), _MATLAB_LEVELS - 1)
    first, second = neighbors(pixels, direction)
    if levels**2 <= _COUNTED_CELLS:
        # Classes are made of the table, which has fewer cells than the image has pixels.
        starts = np.unique(classes, return_index=True)[1]
        cells = np.add.reduceat(_count_pairs(first, second, levels), starts, axis=0)
        gaps, squares, correlation = _sum_cells(np.add.reduceat(cells, starts, axis=1))
    elif matlab:
        first, second = (classes.astype(np.uint8)[each] for each in (first, second))
        gaps, squares, correlation = _sum_cells(_count_pairs(first, second, _MATLAB_LEVELS))
    else:
        gaps, squares = _count_sorted_pairs(first, second, levels)
        correlation = pearson(first, second)
    gaps, moment = gaps / first.size, squares / first.size**2
    chances = np.bincount(classes) / levels
    # The chance of each difference of two independent levels, without its sign.
    # Correlating the shares of levels with themselves by transform costs L log L in place of L^2.
    spectrum = np.abs(np.fft.rfft(chances, 2 * len(chances))) ** 2
    random_gaps = np.fft.irfft(spectrum, 2 * len(chances))[: len(chances)]
    random_gaps[1:] *= 2
    chance = float(np.sum(chances**2)) ** 2
    random_moment = chance + (1 - chance) / first.size
    steps = np.arange(len(gaps))
    closeness = 1 / (1 + (steps if matlab else steps**2))
    if not matlab:
        moment, random_moment = sqrt(moment), sqrt(random_moment)
    figures: tuple[tuple[Any, Any], ...] = (
        (gaps @ steps**2, random_gaps @ steps**2),
        (gaps @ closeness, random_gaps @ closeness),
        (moment, random_moment),
        (correlation, 0.0),
    )
    return tuple(
        Measurement(
            name=f"cooccurrence_{name}",
            value=float(value),
            expected=float(expected),
            note=f"convention of {convention}",
        )
        for name, (value, expected) in zip(_FEATURES, figures, strict=True)
    )


def _count_pairs(first: AnyArray, second: AnyArray, levels: int) -> IntArray:
    """Return how often each pair of levels occurs, as an array of shape (levels, levels)."""
    cells = np.zeros(levels**2, dtype=np.int64)
    for tile in inputs.tiles(first.shape):
        wide = np.uint16 if levels <= _SHORT_LEVELS else np.uint32
        pairs = np.multiply(first[tile], levels, dtype=wide) + second[tile]
        cells += np.bincount(pairs.ravel(), minlength=levels**2)
    return cells.reshape(levels, levels)


def _sum_cells(cells: IntArray) -> tuple[AnyArray, int, float]:
    """Return counts of differences, the sum of squared cells, and the correlation."""
    values = np.arange(len(cells))
    rows, columns, squares = cells.sum(axis=1), cells.sum(axis=0), values**2
    gaps = np.bincount(np.abs(np.subtract.outer(values, values)).ravel(), weights=cells.ravel())
    sums = (rows @ values, columns @ values, rows @ squares, columns @ squares)
    correlation = pearson_of_sums(*map(int, (cells.sum(), *sums, values @ cells @ values)))
    return gaps, int(np.sum(cells**2)), correlation


def _count_sorted_pairs(first: AnyArray, second: AnyArray, levels: int) -> tuple[IntArray, int]:
    """Count the differences of pairs, and sum the squares of how often each pair occurs.

    A table of 65,536^2 cells does not fit memory; sorted pairs do.
    """
    gaps = np.zeros(levels, dtype=np.int64)
    pairs = np.empty(first.size, dtype=np.uint32)
    done = 0
    for tile in inputs.tiles(first.shape):
        x, y = first[tile].astype(np.int64).ravel(), second[tile].astype(np.int64).ravel()
        gaps += np.bincount(np.abs(x - y), minlength=levels)
        pairs[done : done + x.size] = x * levels + y
        done += x.size
    pairs.sort()
    start = squares = 0
    # Runs of equal pairs are counted in chunks that end between two values.
    while start < done:
        last = pairs[min(start + _COUNTED_CELLS, done) - 1]
        stop = int(np.searchsorted(pairs, last, side="right"))
        counts = np.unique(pairs[start:stop], return_counts=True)[1]
        squares, start = squares + int(counts @ counts), stop
    return gaps, squares


def _features(
    channel: ArrayLike, *, convention: Literal["skimage", "matlab"], levels: int
) -> list[Measurement]:
    """Return the features under names that hold the convention."""
    features = cooccurrence_features(channel, convention=convention, levels=levels)
    ours = f"cooccurrence_{convention}"
    return [replace(each, name=each.name.replace("cooccurrence", ours)) for each in features]


_ORIGINS: dict[Literal["skimage", "matlab"], str] = {
    "skimage": "scikit-image",
    "matlab": "MATLAB, with 8 levels,",
}
for _convention, _origin in _ORIGINS.items():
    metric(
        "texture",
        "channel",
        f"features of the co-occurrence matrix as {_origin} defines them",
        name=f"cooccurrence_{_convention}",
        figures=tuple(f"cooccurrence_{_convention}_{name}" for name in _FEATURES),
        aim=None,
    )(partial(_features, convention=_convention))
