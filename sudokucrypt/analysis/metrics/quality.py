"""How close one image is to another: mean squared error, peak signal-to-noise ratio, SSIM."""

from math import inf, log10

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.inputs import checked_pair, require, tiles
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray

_SSIM_WINDOW = 11
_SSIM_ROWS = 128
"""Rows that are measured at a time: scikit-image holds a dozen copies of 64 bits a sample."""


@metric("similarity", "pair", "mean squared error", title="MSE", aim=None)
def mse(first: ArrayLike, second: ArrayLike) -> float:
    """Return the mean squared error of two images of one shape and dtype, in squared levels.

    Mean of (first - second)^2 over all samples, with an exact sum. Two random images of L levels
    have the mean (L^2 - 1) / 6: 10922.5 for 8 bits.
    Source: Z. Wang, A. C. Bovik, 2009, doi:10.1109/MSP.2008.930649.

    Examples
    --------
    >>> mse(np.zeros((4, 4), dtype=np.uint8), np.full((4, 4), 3, dtype=np.uint8))
    9.0
    """
    one, other, _ = checked_pair(first, second)
    return squared_gaps(one, other) / one.size


def squared_gaps(one: AnyArray, other: AnyArray) -> int:
    """Return the exact sum of the squared differences of two arrays of samples."""
    total = 0
    for tile in tiles(one.shape):
        gap = np.subtract(one[tile], other[tile], dtype=np.int64)
        total += int(np.vdot(gap, gap))
    return total


@metric(
    "similarity",
    "pair",
    "peak signal-to-noise ratio in decibels",
    title="PSNR",
    column="PSNR",
    unit="dB",
    aim=None,
)
def psnr(first: ArrayLike, second: ArrayLike, *, levels: int | None = None) -> float:
    """Return the peak signal-to-noise ratio of two images in decibels, infinite for equal ones.

    10 log10((L - 1)^2 / mse), see `mse`. Two random images have about 7.75 dB at 8 bits.
    """
    one, other, levels = checked_pair(first, second, levels=levels)
    error = mse(one, other)
    return 10 * log10((levels - 1) ** 2 / error) if error > 0 else inf


@metric("similarity", "pair", "structural similarity", title="SSIM", aim=None)
def ssim(first: ArrayLike, second: ArrayLike, *, levels: int | None = None) -> float:
    """Return the mean structural similarity of two images, -1..1; 1 for equal ones.

    They have one shape and dtype and at least 11 x 11 pixels; the mean is taken over channels.
    Needs scikit-image.

    As in the reference: an 11 x 11 Gaussian window of deviation 1.5, K1 = 0.01, K2 = 0.03, and
    population variances; scikit-image's own defaults differ. Two random images of 8 bits have
    about 0.006, which comes from the constants, with a deviation of 0.004 at 256 x 256 pixels.
    Source: Z. Wang et al., 2004, doi:10.1109/TIP.2003.819861.
    """
    one, other, levels = checked_pair(first, second, levels=levels)
    if min(one.shape[:2]) < _SSIM_WINDOW:
        raise InvalidImageError(
            f"an image of shape {one.shape} is smaller than the window of SSIM",
            hint=f"{_SSIM_WINDOW} x {_SSIM_WINDOW} pixels are the least",
        )
    similarity = require("skimage.metrics").structural_similarity
    total, rows = 0.0, one.shape[0] - _SSIM_WINDOW + 1
    for top in range(0, rows, _SSIM_ROWS):
        bottom = min(top + _SSIM_ROWS, rows) + _SSIM_WINDOW - 1
        band = similarity(
            one[top:bottom],
            other[top:bottom],
            data_range=levels - 1,
            channel_axis=2 if one.ndim == 3 else None,
            gaussian_weights=True,
            sigma=1.5,
            use_sample_covariance=False,
        )
        total += float(band) * (bottom - top - _SSIM_WINDOW + 1)
    return float(total / rows)


@metric("similarity", "pair", "share of samples that are as in the plain picture", aim=None)
def equal_samples(first: ArrayLike, second: ArrayLike) -> float:
    """Return the share of samples that are the same in two images."""
    one, other, _ = checked_pair(first, second)
    return int(np.count_nonzero(one == other)) / one.size
