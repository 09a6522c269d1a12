"""Measure the deviation of histograms from even ones, and of results from their plain images.

These metrics are common in papers, but none of them is a test: `chi_square_uniformity` tests the
same histogram, and a result that is far from the plain image need not be random. Each metric has
the mean for random results as its expected value.
"""

from math import isnan, nan
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.inputs import (
    check_image_pair,
    iterate_tiles,
    require_library,
    split_channels,
)
from sudokucrypt.analysis.metrics.correlation import correlate_pixels
from sudokucrypt.analysis.metrics.entropy import HISTOGRAM_NOTE, histogram
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.typing import IntArray

_EXPECTED_NOTE = "expected: random samples in place of the result, for this plain image"
_CORRELATION_NOTE = "near 0 for any thorough scrambling; says nothing about secrecy"


@metric("histogram", "image", "variance of the counts of the levels", column="", aim=None)
def histogram_variance(image: ArrayLike, *, levels: int | None = None) -> Measurement:
    """Return the variance of the histogram, all channels together, in squared samples.

    The variance is the mean of (count - T/L)^2 over the levels. It is half the mean of
    (count - count')^2 over all pairs of levels, which the reference uses. For T random samples its
    mean is T (L - 1) / L^2.
    Source: Y.-Q. Zhang, X.-Y. Wang, 2014, doi:10.1016/j.ins.2014.02.156.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> result = histogram_variance(np.zeros((16, 16), dtype=np.uint8))
    >>> result.value, result.expected
    (255.0, 0.99609375)
    """
    counts = histogram(image, levels=levels)
    samples, count = int(counts.sum()), len(counts)
    return Measurement(
        name="histogram_variance",
        value=float(np.var(counts)),
        expected=samples * (count - 1) / count**2,
        note=HISTOGRAM_NOTE,
    )


@metric(
    "histogram", "image", "deviation of the histogram from an even one, 0..2", column="", aim=None
)
def uniform_deviation(image: ArrayLike, *, levels: int | None = None) -> Measurement:
    """Return the deviation of the histogram from an even one: 0 if even, always below 2.

    The deviation is the sum of abs(count - T/L) over the levels, divided by the T samples, in all
    channels. For random samples each count is binomial, and its mean deviation gives the expected
    value. Needs SciPy.
    Source: I. F. Elashry et al., A new method for encrypting images with few details, Information
    Security Journal 21, 2012, who call it the deviation from ideality.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> round(uniform_deviation(np.eye(3, dtype=bool)).value, 6)
    0.333333
    """
    counts = histogram(image, levels=levels)
    samples, count = int(counts.sum()), len(counts)
    share = np.array([samples / count])
    return Measurement(
        name="uniform_deviation",
        value=float(np.sum(np.abs(counts - share))) / samples,
        expected=count * float(_compute_mean_deviations(share, samples, 1 / count)[0]) / samples,
        note=HISTOGRAM_NOTE,
    )


def _compute_mean_deviations(
    points: NDArray[np.float64], trials: Any, chance: Any
) -> NDArray[np.float64]:
    """Return the mean of abs(B - a) for each point a and a binomial variable B.

    `trials` and `chance` are numbers, or arrays with an entry for each point.
    """
    with require_library("scipy"):
        from scipy import special

    def compute_cdf(count: NDArray[np.float64], trials: Any) -> NDArray[np.float64]:
        # The incomplete beta function is used, since scipy.stats is slow to import and to compute.
        # It is not defined if the count is the number of trials.
        inner_count = np.clip(count, 0, np.maximum(trials - 1, 0))
        probabilities = special.betainc(
            np.maximum(trials - inner_count, 1), inner_count + 1, 1 - chance
        )
        return np.asarray(np.where(count < 0, 0.0, np.where(count >= trials, 1.0, probabilities)))

    mean, floors = trials * chance, np.floor(points)
    # E abs(B - a) = mean - a + 2 E (a - B) over B < a, from two values of the distribution
    # function.
    partial_mean = points * compute_cdf(floors, trials)
    # k times the probability of k in n trials is the mean times the probability of k - 1 in n - 1.
    partial_mean -= mean * compute_cdf(floors - 1, trials - 1)
    result: NDArray[np.float64] = mean - points + 2 * partial_mean
    return result


@metric("similarity", "pair", "area between both histograms, in samples", column="", aim=None)
def maximum_deviation(
    first: ArrayLike, second: ArrayLike, *, levels: int | None = None
) -> Measurement:
    """Return the maximum deviation of a plain image and a result: the area between histograms.

    The deviation is the sum of the absolute differences of both counts over the levels in all
    channels, with half the weight for the first and the last level. The counts of random samples
    are binomial. Needs SciPy.
    Source: N. El-Fishawy, O. M. Abu Zaid, Quality of encryption measurement of bitmap images with
    RC6, MRC6, and Rijndael block cipher algorithms, International Journal of Network Security 5,
    2007.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The plain image.
    second : array_like of the shape and dtype of `first`
        The result that a scheme made of it.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> dark = np.zeros((4, 4), dtype=np.uint8)
    >>> maximum_deviation(dark, dark + 9).value
    24.0
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    plain_counts = histogram(first, levels=levels)
    # The trapezoidal rule of the reference: the first and the last level have half the weight.
    weights = np.ones(levels)
    weights[[0, -1]] = 0.5
    differences = np.abs(histogram(second, levels=levels) - plain_counts)
    expected_differences = _compute_mean_deviations(
        plain_counts.astype(np.float64), first.size, 1 / levels
    )
    return Measurement(
        name="maximum_deviation",
        value=float(weights @ differences),
        expected=float(weights @ expected_differences),
        note=_EXPECTED_NOTE,
    )


@metric(
    "similarity",
    "pair",
    "unevenness of the histogram of differences of samples, in samples",
    column="",
    aim=None,
)
def irregular_deviation(
    first: ArrayLike, second: ArrayLike, *, levels: int | None = None
) -> Measurement:
    """Return the irregular deviation: the unevenness of the differences of image and result.

    The deviation is the sum of abs(H - T/L) over the differences 0..L-1, with H the number of
    samples with this absolute difference from the plain image, in all channels. For random samples
    H is a sum of two binomial counts, approximated by one with the same mean and variance. Needs
    SciPy.
    Source: H. M. Elkamchouchi, M. A. Makar, Measuring encryption quality for bitmap images
    encrypted with Rijndael and KAMKAR block ciphers, National Radio Science Conference, 2005.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The plain image.
    second : array_like of the shape and dtype of `first`
        The result that a scheme made of it.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> dark = np.zeros((16, 16), dtype=np.uint8)
    >>> irregular_deviation(dark, dark + 9).value
    510.0
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    counts = np.zeros(levels, dtype=np.int64)
    for tile in iterate_tiles(first.shape):
        # The smaller sample is subtracted from the larger one, since differences of unsigned
        # samples would wrap around.
        differences = np.maximum(first[tile], second[tile]) - np.minimum(first[tile], second[tile])
        counts += np.bincount(differences.ravel(), minlength=levels)
    share = first.size / levels
    return Measurement(
        name="irregular_deviation",
        value=float(np.sum(np.abs(counts - share))),
        expected=_expect_irregularity(histogram(first, levels=levels)),
        note=_EXPECTED_NOTE,
    )


def _expect_irregularity(plain_counts: IntArray) -> float:
    """Return the mean irregular deviation of random results, from the plain image's histogram.

    A sample x differs by k from one level if only one of x - k and x + k is a level, and from two
    levels if both are.
    """
    levels, samples = len(plain_counts), int(plain_counts.sum())
    counts_below = np.concatenate([[0], np.cumsum(plain_counts)])  # samples below each level
    differences = np.arange(levels)
    rising_counts, falling_counts = (
        counts_below[levels - differences],
        samples - counts_below[differences],
    )
    falling_counts[0] = 0  # a difference of 0 has only one level, already in `rising_counts`
    both_counts = np.maximum(0, counts_below[levels - differences] - counts_below[differences])
    both_counts[0] = 0
    means = (rising_counts + falling_counts) / levels
    variances = (
        (rising_counts + falling_counts - 2 * both_counts) * (levels - 1)
        + 2 * both_counts * (levels - 2)
    ) / levels**2
    # The success probability of a binomial distribution is 1 minus its variance divided by its
    # mean.
    probabilities = np.divide(means - variances, means, out=np.ones(levels), where=means > 0)
    # The number of samples with each difference is approximated by a binomial distribution of the
    # same mean and variance, for a whole number of trials.
    trials = np.maximum(1, np.round(means / probabilities))
    share = np.full(levels, samples / levels)
    return float(np.sum(_compute_mean_deviations(share, trials, means / trials)))


@metric("similarity", "pair", "mean absolute error", title="MAE", column="", aim=None)
def mae(first: ArrayLike, second: ArrayLike, *, levels: int | None = None) -> Measurement:
    """Return the mean absolute error of a plain image and a result, in levels.

    The error is the mean of abs(first - second) over all samples. A sample x and a random one
    differ by (x (x + 1) + (F - x)(F - x + 1)) / 2 L on average, with F = L - 1.
    Source: C. J. Willmott, K. Matsuura, 2005, doi:10.3354/cr030079.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The plain image.
    second : array_like of the shape and dtype of `first`
        The result that a scheme made of it.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> result = mae(np.zeros((4, 4), dtype=np.uint8), np.full((4, 4), 3, dtype=np.uint8))
    >>> result.value, result.expected
    (3.0, 127.5)
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    total = np.sum(np.maximum(first, second) - np.minimum(first, second), dtype=np.int64)
    values = np.arange(levels)
    expected_by_level = (values * (values + 1) + values[::-1] * (values[::-1] + 1)) / (2 * levels)
    return Measurement(
        name="mae",
        value=int(total) / first.size,
        expected=float(histogram(first, levels=levels) @ expected_by_level) / first.size,
        note=_EXPECTED_NOTE,
    )


@metric("similarity", "pair", "Pearson's correlation with the plain picture", column="", aim=None)
def plain_correlation(first: ArrayLike, second: ArrayLike) -> Measurement:
    """Correlate the samples of a plain image and a result in each channel: -1..1.

    The value is the mean of Pearson's r over the channels that are not constant, or NaN if all
    are. For a random result it has mean 0 and, with C channels of n pixels, deviation
    1 / sqrt(C (n - 1)).
    Source: as in `maximum_deviation`.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The plain image.
    second : array_like of the shape and dtype of `first`
        The result that a scheme made of it.

    Examples
    --------
    >>> ramp = np.arange(16, dtype=np.uint8).reshape(4, 4)
    >>> plain_correlation(ramp, 15 - ramp).value
    -1.0
    """
    first, second, _ = check_image_pair(first, second)
    pairs = zip(split_channels(first), split_channels(second), strict=True)
    coefficients = [
        correlate_pixels(plain_channel, result_channel)
        for (_, plain_channel), (_, result_channel) in pairs
    ]
    coefficients = [each for each in coefficients if not isnan(each)]
    return Measurement(
        name="plain_correlation",
        value=fmean(coefficients) if coefficients else nan,
        expected=0.0,
        note=_CORRELATION_NOTE,
    )
