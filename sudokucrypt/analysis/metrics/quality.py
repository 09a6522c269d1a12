"""Measure the difference of two images: of a plain image and a result, or of two results.

MSE, PSNR and SSIM compare a plain image with a result. NPCR and UACI compare the results, under one
key, for two plain images that differ in one pixel; to compute them for a plain image and its cipher
image is a common mistake. With a fixed salt, they show how far the change of a pixel spreads; with
fresh salts, they are as for random images under any scheme. So reports show both.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf, log10, sqrt
from statistics import NormalDist
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.inputs import (
    check_counts,
    check_image,
    check_image_pair,
    count_sample_bits,
    iterate_tiles,
    require_library,
)
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import (
    SIGNIFICANCE_LEVEL,
    Measurement,
    check_level,
    make_normal_measurement,
)
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import AnyArray

# The side of the window in pixels, as in the paper by Wang and others.
_SSIM_WINDOW = 11
# The number of rows that are measured at a time, since scikit-image needs a dozen copies with
# 64 bits per sample.
_SSIM_BAND_ROWS = 128


@metric("similarity", "pair", "mean squared error", title="MSE", aim=None)
def mse(first: ArrayLike, second: ArrayLike) -> float:
    """Return the mean squared error of two images of one shape and dtype, in squared levels.

    The mean of (first - second)^2 over all samples, with an exact sum. For two random images of L
    levels it is (L^2 - 1) / 6 on average: 10922.5 for 8 bits.
    Source: Z. Wang, A. C. Bovik, 2009, doi:10.1109/MSP.2008.930649.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        One of the two images.
    second : array_like of the shape and dtype of `first`
        The other image.

    Examples
    --------
    >>> mse(np.zeros((4, 4), dtype=np.uint8), np.full((4, 4), 3, dtype=np.uint8))
    9.0
    """
    first, second, _ = check_image_pair(first, second)
    return sum_squared_differences(first, second) / first.size


def sum_squared_differences(first: AnyArray, second: AnyArray) -> int:
    """Return the exact sum of the squared differences of two arrays of samples."""
    total = 0
    for tile in iterate_tiles(first.shape):
        # Floats are exact for the sum of a tile, which is below 2**53.
        differences = np.subtract(first[tile], second[tile], dtype=np.float64).ravel()
        total += int(differences @ differences)
    return total


def psnr(first: ArrayLike, second: ArrayLike, *, levels: int | None = None) -> float:
    """Return the peak signal-to-noise ratio of two images in decibels, infinite for equal ones.

    10 log10((L - 1)^2 / mse), see `mse`. Two random images have about 7.75 dB at 8 bits.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        One of the two images.
    second : array_like of the shape and dtype of `first`
        The other image.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    mean_squared_error = mse(first, second)
    return 10 * log10((levels - 1) ** 2 / mean_squared_error) if mean_squared_error > 0 else inf


@metric(
    "similarity",
    "pair",
    "peak signal-to-noise ratio in decibels",
    name="psnr",
    title="PSNR",
    column="PSNR",
    unit="dB",
    aim=None,
)
def _measure_psnr(first: ArrayLike, second: ArrayLike, *, levels: int | None = None) -> Measurement:
    """Return `psnr` with the PSNR of a random result as the expected value.

    The mean squared difference of a sample x and a random one of levels 0..F is
    (x - F / 2)^2 + ((F + 1)^2 - 1) / 12.
    """
    value = psnr(first, second, levels=levels)
    plain, levels = check_image(first, levels=levels)
    mean_squared_error = float(np.mean((plain - (levels - 1) / 2) ** 2)) + (levels**2 - 1) / 12
    expected = 10 * log10((levels - 1) ** 2 / mean_squared_error)
    return Measurement(
        name="psnr",
        value=value,
        expected=expected,
        note="expected: the PSNR of random samples",
    )


@metric("similarity", "pair", "structural similarity", title="SSIM", aim=None)
def ssim(first: ArrayLike, second: ArrayLike, *, levels: int | None = None) -> float:
    """Return the mean structural similarity of two images, -1..1; 1 for equal ones.

    The images need at least 11 x 11 pixels; the mean is taken over channels. Needs scikit-image.

    As in the reference: an 11 x 11 Gaussian window of deviation 1.5, K1 = 0.01, K2 = 0.03, and
    population variances; scikit-image's own defaults differ. For two random images of 8 bits, the
    value is about 0.006, because of the constants, with a deviation of 0.004 at 256 x 256 pixels.
    Source: Z. Wang et al., 2004, doi:10.1109/TIP.2003.819861.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        One of the two images.
    second : array_like of the shape and dtype of `first`
        The other image.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    if min(first.shape[:2]) < _SSIM_WINDOW:
        raise InvalidImageError(
            f"an image of shape {first.shape} is smaller than the window of SSIM",
            hint=f"SSIM needs at least {_SSIM_WINDOW} x {_SSIM_WINDOW} pixels",
        )
    with require_library("scikit-image"):
        from skimage import metrics
    compute_similarity: Callable[..., float] = metrics.structural_similarity
    total, rows = 0.0, first.shape[0] - _SSIM_WINDOW + 1
    # Bands overlap by the window, so that their weighted means give the mean of the whole image.
    for top in range(0, rows, _SSIM_BAND_ROWS):
        bottom = min(top + _SSIM_BAND_ROWS, rows) + _SSIM_WINDOW - 1
        band_similarity = compute_similarity(
            first[top:bottom],
            second[top:bottom],
            data_range=levels - 1,
            channel_axis=2 if first.ndim == 3 else None,
            gaussian_weights=True,
            sigma=1.5,
            use_sample_covariance=False,
        )
        total += float(band_similarity) * (bottom - top - _SSIM_WINDOW + 1)
    return float(total / rows)


@metric("similarity", "pair", "share of samples that equal those of the plain picture", aim=None)
def equal_samples(first: ArrayLike, second: ArrayLike) -> float:
    """Return the share of samples that are equal in two images."""
    first, second, _ = check_image_pair(first, second)
    return int(np.count_nonzero(first == second)) / first.size


_SECURITY_NOTE = (
    "a pass does not prove security; with a fresh salt any scheme that masks values passes"
)
# With fewer expected equal samples, the tails of the normal and the binomial distribution differ
# noticeably.
_MIN_EQUAL_SAMPLES = 20
_ROUGH_TAIL_NOTE = (
    f"fewer than {_MIN_EQUAL_SAMPLES} equal samples are expected: the normal tail is rough, use "
    "tail='binomial'"
)


@metric(
    "differential",
    "twins",
    "share of samples that differ",
    title="NPCR",
    column="NPCR",
    unit="%",
)
def npcr(
    first: ArrayLike,
    second: ArrayLike,
    *,
    levels: int | None = None,
    level: float = SIGNIFICANCE_LEVEL,
    tail: Literal["normal", "binomial"] = "normal",
) -> Measurement:
    """Return the share of samples in which two cipher images differ.

    The images are the results for two plain images that differ in one pixel, under one key. Small
    values are rejected. The tail "binomial", which needs SciPy, is exact for small images of many
    levels.

    The share is the mean of (first != second). For K random samples and F = L - 1, its mean is
    F / (F + 1) and its variance F / ((F + 1)^2 K). A scheme that only moves samples changes one
    sample: 1 / K.

    Source: Y. Wu, J. P. Noonan, S. Agaian, NPCR and UACI randomness tests for image encryption,
    Journal of Selected Areas in Telecommunications, 2011.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        One of the two images.
    second : array_like of the shape and dtype of `first`
        The other image.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    tail : {"normal", "binomial"}, default "normal"
        The distribution for critical value and p-value: normal, as in the reference, or exact.

    Examples
    --------
    >>> one = np.zeros((256, 256), dtype=np.uint8)
    >>> result = npcr(one, one + 1)
    >>> result.value, round(result.expected, 6), round(result.lower, 6)
    (1.0, 0.996094, 0.995693)
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    count = int(np.count_nonzero(first != second))
    return judge_changed_share(
        "npcr", count, first.size, levels=levels, level=level, tail=tail, note=_SECURITY_NOTE
    )


def judge_changed_share(
    name: str,
    changed_samples: int,
    samples: int,
    *,
    levels: int,
    level: float = SIGNIFICANCE_LEVEL,
    tail: Literal["normal", "binomial"] = "normal",
    note: str = "",
) -> Measurement:
    """Test a number of changed samples as `npcr` does."""
    if tail not in {"normal", "binomial"}:
        raise InvalidParameterError(f"a tail is normal or binomial, not {tail!r}")
    mean, value = (levels - 1) / levels, changed_samples / samples
    deviation = sqrt(mean / levels / samples)
    if value > mean + NormalDist().inv_cdf(1 - check_level(level)) * deviation:
        note = f"more even than by chance; {note}"  # only small values are rejected
    if tail == "normal":
        # The normal tail is inexact if fewer than 20 samples are expected to agree.
        note = note if samples >= _MIN_EQUAL_SAMPLES * levels else f"{note}; {_ROUGH_TAIL_NOTE}"
        return make_normal_measurement(name, value, mean, deviation, level, sides="low", note=note)
    with require_library("scipy"):
        from scipy import stats
    binomial_distribution = stats.binom(samples, 1 / levels)
    max_equal_samples = int(binomial_distribution.isf(check_level(level)))
    return Measurement(
        name=name,
        value=value,
        expected=mean,
        lower=(samples - max_equal_samples) / samples,
        p_value=float(binomial_distribution.sf(samples - changed_samples - 1)),
        level=level,
        note=note,
    )


@metric(
    "differential",
    "twins",
    "mean difference of samples, as a fraction of the largest one",
    title="UACI",
    column="UACI",
    unit="%",
)
def uaci(
    first: ArrayLike,
    second: ArrayLike,
    *,
    levels: int | None = None,
    level: float = SIGNIFICANCE_LEVEL,
) -> Measurement:
    """Return the mean difference of two cipher images, as a fraction of the largest possible one.

    Images and reference are as for `npcr`; large and small values are rejected.

    The value is the mean of abs(first - second) / F with F = L - 1. For K random samples, its mean
    is (F + 2) / (3 F + 3) and its variance (F + 2)(F^2 + 2 F + 3) / (18 (F + 1)^2 K F).

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        One of the two images.
    second : array_like of the shape and dtype of `first`
        The other image.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    difference_sum = int(
        np.sum(np.maximum(first, second) - np.minimum(first, second), dtype=np.int64)
    )
    return _judge_uaci(difference_sum / (first.size * (levels - 1)), first.size, levels, level)


def _judge_uaci(value: float, samples: int, levels: int, level: float) -> Measurement:
    largest_level = levels - 1
    variance = (
        (largest_level + 2)
        * (largest_level**2 + 2 * largest_level + 3)
        / (18 * (largest_level + 1) ** 2 * samples * largest_level)
    )
    mean = (largest_level + 2) / (3 * largest_level + 3)
    return make_normal_measurement("uaci", value, mean, sqrt(variance), level, note=_SECURITY_NOTE)


@metric("differential", "twins", "share of bits that differ", title="NBCR", column="", unit="%")
def nbcr(
    first: ArrayLike,
    second: ArrayLike,
    *,
    levels: int | None = None,
    level: float = SIGNIFICANCE_LEVEL,
) -> Measurement:
    """Return the share of bits in which two cipher images differ (number of bit change rate).

    Images are as for `npcr`; large and small values are rejected. The share of K log2(L) random
    bits has mean 1/2 and deviation 1 / (2 sqrt(K log2(L))).
    Source: J. C. Hernandez Castro et al., The strict avalanche criterion randomness test, 2005,
    doi:10.1016/j.matcom.2004.09.001.

    Parameters
    ----------
    first : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        One of the two images.
    second : array_like of the shape and dtype of `first`
        The other image.
    levels : int, optional
        The number of levels, a power of two; by default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> one = np.zeros((16, 16), dtype=np.uint8)
    >>> nbcr(one, one + 3).value
    0.25
    """
    first, second, levels = check_image_pair(first, second, levels=levels)
    depth = count_sample_bits(levels)
    changed_bits = first ^ second
    count = sum(int(np.count_nonzero(changed_bits & (1 << bit))) for bit in range(depth))
    bit_count = first.size * depth
    return make_normal_measurement(
        "nbcr", count / bit_count, 0.5, 1 / (2 * sqrt(bit_count)), level, note=_SECURITY_NOTE
    )


# For each metric of two results, its function of two levels u and v and the largest level.
_DIFFERENCE_FUNCTIONS: dict[str, Callable[[AnyArray, AnyArray, int], AnyArray]] = {
    "npcr": lambda u, v, _: u != v,
    "uaci": lambda u, v, top: np.abs(u - v) / top,
    "nbcr": lambda u, v, top: np.bitwise_count(u ^ v) / top.bit_length(),
}
# The maximum number of pairs of levels, since the table of their differences is kept in memory.
_MAX_LEVEL_PAIRS = 1 << 22


def replace_expected_value(
    measurement: Measurement, first: AnyArray, second: AnyArray, *, levels: int, level: float
) -> Measurement:
    """Return npcr, uaci or nbcr with the expected value for unrelated moves of the same samples.

    Schemes that keep values cannot reach the values of random images. For counts h and h' of the
    levels, the mean of a difference d is the sum of h(u) h'(v) d(u, v) / K^2, and its variance is
    the variance for a random matching. For pictures of very many levels, the measurement is
    returned unchanged.
    """
    difference = _DIFFERENCE_FUNCTIONS.get(measurement.name.partition("_")[0])
    counts = [np.bincount(each.ravel()) for each in (first, second)]
    first_levels, second_levels = map(np.flatnonzero, counts)
    if difference is None or first_levels.size * second_levels.size > _MAX_LEVEL_PAIRS:
        return measurement
    first_counts, second_counts = counts[0][first_levels], counts[1][second_levels]
    differences = difference(first_levels[:, None], second_levels, levels - 1).astype(float)
    row_means, column_means = (
        differences @ second_counts / second.size,
        first_counts @ differences / first.size,
    )
    mean = float(first_counts @ row_means / first.size)
    squared_deviations = (differences - row_means[:, None] - column_means + mean) ** 2
    deviation = (
        sqrt(float(first_counts @ squared_deviations @ second_counts) / max(1, first.size - 1))
        / first.size
    )
    note = "expected: unrelated moves of the samples of this picture"
    if deviation == 0:
        return replace(measurement, expected=mean, lower=mean, upper=mean, p_value=None, note=note)
    sides: Literal["both", "low"] = "low" if measurement.upper is None else "both"
    return make_normal_measurement(
        measurement.name, measurement.value, mean, deviation, level, sides=sides, note=note
    )


def npcr_critical(samples: int, *, levels: int = 256, level: float = SIGNIFICANCE_LEVEL) -> float:
    """Return the npcr below which images of K samples are rejected, by the normal tail.

    It is the mean minus z deviations, as in `npcr`, with z the upper quantile of the level: a
    fraction 0..1, though it may be outside if K is too small for the normal tail.

    Parameters
    ----------
    samples : int
        The number K of samples of each image, 1 or more.
    levels : int, default 256
        The number L of levels, 2 or more.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> round(npcr_critical(512 * 512), 6)
    0.995893
    """
    check_counts(samples, levels)
    return cast("float", judge_changed_share("npcr", 0, samples, levels=levels, level=level).lower)


def uaci_critical(
    samples: int, *, levels: int = 256, level: float = SIGNIFICANCE_LEVEL
) -> tuple[float, float]:
    """Return the interval of uaci, two fractions, outside which images of K samples are rejected.

    It is the mean minus and plus z deviations, as in `uaci`, with z the upper quantile of half the
    level.

    Parameters
    ----------
    samples : int
        The number K of samples of each image, 1 or more.
    levels : int, default 256
        The number L of levels, 2 or more.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    check_counts(samples, levels)
    interval = _judge_uaci(0.0, samples, levels, level)
    return cast("float", interval.lower), cast("float", interval.upper)
