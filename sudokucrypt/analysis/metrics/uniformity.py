"""Whether the samples of an image are evenly spread over their levels and their bits."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.inputs import checked_image, tiles, whole_bits
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import LEVEL, Measurement, chi_square_test, normal_test
from sudokucrypt.typing import IntArray

_NOTE = "of the histogram alone: moving pixels never changes it"


def histogram(image: ArrayLike, *, levels: int | None = None) -> IntArray:
    """Count the samples of each level, all channels together: an array of shape (levels,), int64.

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
    pixels, levels = checked_image(image, levels=levels)
    counts = np.zeros(levels, dtype=np.int64)
    # bincount widens its argument to 64 bits, so it gets a tile at a time.
    for tile in tiles(pixels.shape):
        counts += np.bincount(pixels[tile].ravel(), minlength=levels)
    return counts


@metric("histogram", "image", "whether all levels are equally frequent", column="")
def chi_square_uniformity(
    image: ArrayLike, *, levels: int | None = None, level: float = LEVEL
) -> Measurement:
    """Test whether all levels are equally frequent, channels together; large figures are rejected.

    Sum of (count - T/L)^2 / (T/L) over the levels, for T samples: Pearson's statistic, with L - 1
    degrees of freedom, its expected value. A p-value above 0.999 is suspicious too: the histogram
    is more even than chance makes it. For T < 5 L the law of the statistic is only roughly
    chi-square, which the note then says. The p-value needs SciPy.
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
    share = counts.sum() / len(counts)
    value = float(np.sum((counts - share) ** 2) / share)
    # The usual rule for Pearson's statistic: 5 expected in each class.
    rough = ["fewer than 5 samples a level: the p-value is rough"] if share < 5 else []
    return chi_square_test(
        "chi_square_uniformity", value, len(counts) - 1, level, notes=[_NOTE, *rough]
    )


@metric(
    "histogram",
    "image",
    "share of ones in each bit, the lowest first",
    name="bit_plane",
    figures=("bit_plane_0",),
)
def bit_plane_balance(
    image: ArrayLike, *, levels: int | None = None, level: float = LEVEL
) -> tuple[Measurement, ...]:
    """Return the share of ones in each bit plane: "bit_plane_0", the lowest, and so on.

    Channels count together; the levels are a power of two. A share of T random bits has mean 1/2
    and deviation 1 / (2 sqrt(T)).
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
    depth, total = whole_bits(len(counts)), int(counts.sum())
    values, deviation = np.arange(len(counts)), 1 / (2 * sqrt(total))
    shares = (int(counts[values >> bit & 1 == 1].sum()) / total for bit in range(depth))
    return tuple(
        normal_test(f"bit_plane_{bit}", share, 0.5, deviation, level, note=_NOTE)
        for bit, share in enumerate(shares)
    )
