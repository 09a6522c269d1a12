"""Measure entropy and histogram of an image, and compare them with random images."""

from functools import lru_cache, partial
from math import log2, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.inputs import (
    check_counts,
    check_image,
    count_sample_bits,
    iterate_tiles,
    require_library,
)
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import (
    SIGNIFICANCE_LEVEL,
    Measurement,
    check_level,
    make_chi_square_measurement,
    make_normal_measurement,
)
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, FloatArray, IntArray, RandomSource

# Counts that are farther from the mean than this number of standard deviations have a probability
# below 1e-30.
_RANGE_DEVIATIONS = 12
_PRECISION = 1e-17

HISTOGRAM_NOTE = "depends only on the histogram: moving pixels never changes it"
_LOCAL_ENTROPY_NOTE = "random-looking blocks do not prove secrecy"
_PUBLISHED_INTERVAL_NOTE = (
    "the published interval divides the deviation of one block by k and not by sqrt(k): for k = 30 "
    "it contains only about 27% of truly random images at level 0.05"
)


@metric(
    "entropy",
    "image",
    "Shannon entropy of all samples, in bits; moving samples never changes it",
    column="global entropy",
    unit="bits",
)
def global_entropy(
    image: ArrayLike, *, levels: int | None = None, level: float = SIGNIFICANCE_LEVEL
) -> Measurement:
    """Return the Shannon entropy of all samples of an image, in bits per sample: 0..log2(L).

    All channels are counted together; the image needs two samples or more. A histogram that is too
    even is rejected too. Needs SciPy.

    H = -sum of p log2(p) over the levels. Mean and variance for T random samples are exact. The
    difference to log2(L) is close to a gamma distribution with these moments: nearly chi-square
    with L - 1 degrees of freedom over 2 T ln 2 for large T, and nearly normal for many levels.
    Source: C. E. Shannon, 1948, doi:10.1002/j.1538-7305.1948.tb01338.x.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> result = global_entropy(np.zeros((256, 256), dtype=np.uint8))
    >>> result.value, round(result.expected, 6), result.passed
    (0.0, 7.997191, False)
    """
    pixels, levels = check_image(image, levels=levels)
    check_level(level)
    if pixels.size < 2:
        raise InvalidImageError("the entropy of one sample is always 0")
    with require_library("scipy"):
        from scipy import special
    value = _compute_entropy(histogram(pixels, levels=levels))
    mean, deviation = entropy_moments(levels, pixels.size)
    max_entropy = log2(levels)
    # The difference to the maximum entropy is approximated by a gamma distribution with the exact
    # mean and variance.
    shape, scale = ((max_entropy - mean) / deviation) ** 2, deviation**2 / (max_entropy - mean)
    scaled_difference = max(0.0, max_entropy - value) / scale
    # The smaller tail decides, since too even histograms are as unlikely as too uneven ones.
    tail_probability = min(
        special.gammainc(shape, scaled_difference), special.gammaincc(shape, scaled_difference)
    )
    return Measurement(
        name="global_entropy",
        value=value,
        expected=mean,
        lower=max_entropy - scale * float(special.gammainccinv(shape, level / 2)),
        upper=max_entropy - scale * float(special.gammaincinv(shape, level / 2)),
        p_value=min(1.0, 2 * float(tail_probability)),
        level=level,
        note=HISTOGRAM_NOTE,
    )


def _compute_entropy(counts: AnyArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(np.sum(shares * -np.log2(shares)))


@metric(
    "entropy",
    "image",
    "mean entropy of 30 blocks of 1936 pixels, in bits, with the correct interval",
    column="local entropy",
    unit="bits",
)
def local_entropy(
    image: ArrayLike,
    *,
    blocks: int = 30,
    block_size: int = 1936,
    levels: int | None = None,
    level: float = SIGNIFICANCE_LEVEL,
    interval: Literal["exact", "published"] = "exact",
    source: RandomSource | None = None,
) -> Measurement:
    """Return the mean Shannon entropy of random blocks that do not overlap, in bits per sample.

    A block has T = `block_size` pixels of one channel. Blocks are the most nearly square rectangles
    of which k fit side by side in the image: 44 x 44 for 1936 pixels, or 16 x 121 in an image of
    256 x 256 pixels.

    With m and s the exact mean and deviation of the entropy of one random block, the mean of k
    independent blocks is about normal with mean m and deviation s / sqrt(k). The reference has
    s / k; "published" gives this interval, which is too narrow by sqrt(k), with its p-value.

    Source: Y. Wu et al., 2013, doi:10.1016/j.ins.2012.07.049.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    blocks : int, default 30
        The number k of blocks, 1 or more.
    block_size : int, default 1936
        The number T of pixels in a block, 2 or more.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    interval : {"exact", "published"}, default "exact"
        The accepted interval: the correct one, or the one of the reference.
    source : RandomSource, optional
        The stream of random choices; by default ``seeded_draws(0)``, so that results repeat.

    Examples
    --------
    >>> result = local_entropy(np.zeros((256, 256), dtype=np.uint8))
    >>> [round(x, 6) for x in (result.value, result.expected, result.lower, result.upper)]
    [0.0, 7.902469, 7.899358, 7.90558]
    """
    pixels, levels = check_image(image, levels=levels)
    if blocks < 1 or block_size < 2:
        raise InvalidParameterError(
            f"the entropy needs at least one block of two pixels, not {blocks} of {block_size}"
        )
    if interval not in {"exact", "published"}:
        raise InvalidParameterError(f"an interval is exact or published, not {interval!r}")
    source = seeded_draws(0) if source is None else source
    height, width, depth = (*pixels.shape, 1)[:3]
    rows, columns = _choose_block_sides((height, width, depth), blocks, block_size)
    block_rows, block_columns = height // rows, width // columns
    chosen_block_indices = source.permutations([block_rows * block_columns * depth])[:blocks]
    # The grid of blocks is shifted at random, so that no edge of the image is always left out.
    top = source.below(height - block_rows * rows + 1)
    left = source.below(width - block_columns * columns + 1)
    shifted_image = np.atleast_3d(pixels)[top:, left:]
    entropies = [
        _compute_entropy(
            np.bincount(
                shifted_image[row * rows :, column * columns :, channel][:rows, :columns].ravel()
            )
        )
        for channel, row, column in zip(
            *np.unravel_index(chosen_block_indices, (depth, block_rows, block_columns)), strict=True
        )
    ]
    mean, deviation = entropy_moments(levels, block_size)
    divisor, note = sqrt(blocks), _LOCAL_ENTROPY_NOTE
    if interval == "published":
        divisor, note = blocks, _PUBLISHED_INTERVAL_NOTE
    value = float(np.mean(entropies))
    return make_normal_measurement(
        "local_entropy", value, mean, deviation / divisor, level, note=note
    )


def _choose_block_sides(
    shape: tuple[int, int, int], blocks: int, block_size: int
) -> tuple[int, int]:
    """Return the sides of blocks: as square as possible, while enough blocks fit in the image."""
    height, width, depth = shape
    sides = [rows for rows in range(1, block_size + 1) if block_size % rows == 0]
    # Square blocks as in the reference, or long ones if too few square blocks fit.
    for rows in sorted(sides, key=lambda rows: (abs(rows - block_size // rows), rows)):
        columns = block_size // rows
        if (height // rows) * (width // columns) * depth >= blocks:
            return rows, columns
    raise InvalidImageError(
        f"an image of shape {height} x {width} is too small for {blocks} blocks of {block_size} "
        "pixels that do not overlap",
        hint="use fewer or smaller blocks, and state their number and size with the result",
    )


metric(
    "entropy",
    "image",
    "local entropy with the interval of most papers, which is too narrow: it contains only about "
    "27 of 100 random images",
    name="local_entropy_published",
    unit="bits",
    aim=None,
)(partial(local_entropy, interval="published"))


class EntropyMoments(NamedTuple):
    """Mean and standard deviation of an entropy, in bits."""

    mean: float
    deviation: float


@lru_cache(maxsize=64)
def entropy_moments(levels: int, samples: int) -> EntropyMoments:
    """Return the moments of the Shannon entropy of T uniform random samples of L levels, in bits.

    The entropy is the sum of f(M) over the levels, with f(m) = -(m/T) log2(m/T) and M the number of
    samples at a level, binomial with chance 1/L:
    mean = L E[f(M)]; variance = L E[f(M)^2] + L (L - 1) E[f(M) f(M')] - mean^2.

    The counts of two levels are dependent, so a direct sum takes time quadratic in their range. The
    sum is diagonal in the polynomials that are orthonormal for the binomial distribution: the
    counts of two levels have the correlation -1/(L - 1), and their n-th polynomials the n-th power
    of it. With c_n the coefficients of f in these polynomials, and g = f minus its constant and
    linear parts, which cancel, variance = L (E[g^2] + (L - 1) sum over n > 1 of
    c_n^2 (-1/(L-1))^n). Time and memory are proportional to sqrt(T / L).

    Source: Y. Wu et al. as in `local_entropy`. G. K. Eagleson, Polynomial expansions of bivariate
    distributions, Annals of Mathematical Statistics 35, 1964.

    Parameters
    ----------
    levels : int
        The number L of levels, 2 or more.
    samples : int
        The number T of samples, 1 or more.

    Examples
    --------
    >>> mean, deviation = entropy_moments(256, 1936)
    >>> round(mean, 9), round(deviation, 7)
    (7.902469317, 0.0086942)
    """
    check_counts(samples, levels)
    counts, weights = _list_likely_counts(samples, 1 / levels)
    shares = counts / samples
    terms = -shares * np.log2(np.where(shares > 0, shares, 1))
    mean = levels * float(weights @ terms)
    # With two levels, one count determines the other, so the sums are computed directly.
    if levels == 2:
        other_shares = 1 - shares
        pair_terms = terms - other_shares * np.log2(np.where(other_shares > 0, other_shares, 1))
        return EntropyMoments(mean, sqrt(float(weights @ (pair_terms - mean) ** 2)))
    pair_correlation = -1 / (levels - 1)
    variance_sum, power, degree = 0.0, 1.0, 0
    remainder = terms
    previous_polynomial, current_polynomial = np.zeros_like(terms), np.ones_like(terms)
    # Powers of -1/(L - 1) decrease so fast that a few polynomials are enough for many levels.
    while degree <= samples and abs(power) > _PRECISION:
        share = float(weights @ (remainder * current_polynomial))
        remainder = remainder - share * current_polynomial if degree < 2 else remainder
        if degree >= 2:
            variance_sum += (levels - 1) * power * share**2
        previous_polynomial, current_polynomial = (
            current_polynomial,
            _evaluate_next_polynomial(
                counts, previous_polynomial, current_polynomial, degree, samples, 1 / levels
            ),
        )
        degree, power = degree + 1, power * pair_correlation
    variance_sum += float(weights @ remainder**2)
    return EntropyMoments(mean, sqrt(max(0.0, levels * variance_sum)))


def _list_likely_counts(trials: int, probability: float) -> tuple[FloatArray, FloatArray]:
    """Return the likely counts of successes and their probabilities, from successive ratios."""
    center, deviation = trials * probability, sqrt(trials * probability * (1 - probability))
    # The second term is for small means, for which the distribution has long tails.
    margin = _RANGE_DEVIATIONS * deviation + 3 * _RANGE_DEVIATIONS
    low_count, high_count = max(0, int(center - margin)), min(trials, int(center + margin))
    counts = np.arange(low_count, high_count + 1, dtype=np.float64)
    ratios = (trials - counts[:-1]) / counts[1:] * (probability / (1 - probability))
    log_weights = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    weights = np.exp(log_weights - log_weights.max())
    return counts, weights / weights.sum()


def _evaluate_next_polynomial(
    counts: FloatArray,
    previous_polynomial: FloatArray,
    current_polynomial: FloatArray,
    degree: int,
    trials: int,
    probability: float,
) -> FloatArray:
    """Return the orthonormal polynomial of the next degree at the counts."""
    if degree >= trials:
        return np.zeros_like(current_polynomial)
    center = probability * (trials - degree) + degree * (1 - probability)
    previous_norm, next_norm = (
        sqrt(order * probability * (1 - probability) * (trials - order + 1))
        for order in (degree, degree + 1)
    )
    return (
        (counts - center) * current_polynomial - previous_norm * previous_polynomial
    ) / next_norm


def histogram(image: ArrayLike, *, levels: int | None = None) -> IntArray:
    """Count the samples of each level in all channels: an int64 array of shape (levels,).

    The expected count for a random image is samples / levels.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.

    Examples
    --------
    >>> histogram(np.eye(3, dtype=bool)).tolist()
    [6, 3]
    """
    pixels, levels = check_image(image, levels=levels)
    counts = np.zeros(levels, dtype=np.int64)
    # bincount widens its argument to 64 bits, so it gets one tile at a time.
    for tile in iterate_tiles(pixels.shape):
        counts += np.bincount(pixels[tile].ravel(), minlength=levels)
    return counts


@metric("histogram", "image", "whether all levels are equally frequent", column="")
def chi_square_uniformity(
    image: ArrayLike, *, levels: int | None = None, level: float = SIGNIFICANCE_LEVEL
) -> Measurement:
    """Test whether all levels are equally frequent in all channels; large values are rejected.

    Sum of (count - T/L)^2 / (T/L) over the levels, for T samples: Pearson's statistic, with L - 1
    degrees of freedom, which is also its expected value. A p-value above 0.999 is suspicious too:
    the histogram is more even than by chance. For T < 5 L the distribution of the statistic is only
    roughly chi-square, as its note then says. The p-value needs SciPy.
    Source: K. Pearson, 1900, doi:10.1080/14786440009463897.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> even = np.arange(256, dtype=np.uint8).reshape(16, 16).repeat(16, axis=0)
    >>> result = chi_square_uniformity(even)
    >>> result.value, round(result.upper, 4), round(result.p_value, 6)
    (0.0, 293.2478, 1.0)
    """
    counts = histogram(image, levels=levels)
    expected_count = counts.sum() / len(counts)
    value = float(np.sum((counts - expected_count) ** 2) / expected_count)
    # The usual rule for Pearson's statistic: an expected count of 5 or more in each class.
    warnings = (
        ["fewer than 5 samples per level: the p-value is rough"] if expected_count < 5 else []
    )
    return make_chi_square_measurement(
        "chi_square_uniformity", value, len(counts) - 1, level, notes=[HISTOGRAM_NOTE, *warnings]
    )


@metric(
    "histogram",
    "image",
    "share of ones in each bit, the lowest first",
    name="bit_plane",
    figures=("bit_plane_0",),
)
def bit_plane_balance(
    image: ArrayLike, *, levels: int | None = None, level: float = SIGNIFICANCE_LEVEL
) -> tuple[Measurement, ...]:
    """Return the share of ones in each bit plane: "bit_plane_0" for the lowest plane, and so on.

    All channels are counted together. A share of T random bits has mean 1/2 and deviation
    1 / (2 sqrt(T)).
    Source: NIST SP 800-22 rev. 1a, 2010, section 2.1, doi:10.6028/NIST.SP.800-22r1a.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    levels : int, optional
        The number of levels, a power of two; by default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> [plane.value for plane in bit_plane_balance(np.full((8, 8), 3, dtype=np.uint8))]
    [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    counts = histogram(image, levels=levels)
    depth, total = count_sample_bits(len(counts)), int(counts.sum())
    values, deviation = np.arange(len(counts)), 1 / (2 * sqrt(total))
    shares = (int(counts[values >> bit & 1 == 1].sum()) / total for bit in range(depth))
    return tuple(
        make_normal_measurement(
            f"bit_plane_{bit}", share, 0.5, deviation, level, note=HISTOGRAM_NOTE
        )
        for bit, share in enumerate(shares)
    )
