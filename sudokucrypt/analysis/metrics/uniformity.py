"""Whether the samples of an image are evenly spread over their levels and their bits."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import (
    DEFAULT_LEVEL,
    Measurement,
    checked_level,
    normal_measurement,
)
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.typing import IntArray

_NOTE = "of the histogram alone: moving pixels never changes it"
_TOO_EVEN = 0.999


def histogram(image: ArrayLike, *, levels: int | None = None) -> IntArray:
    """Count the samples of each level, all channels together.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        Pass ``image[..., c]`` for one channel.
    levels : int, optional
        Samples are 0..levels-1; as many as the dtype has by default.

    Returns
    -------
    ndarray of shape (levels,), dtype int64
        The expected count for a random image is samples / levels.

    Raises
    ------
    InvalidImageError
        If this is no image, or a sample is above its levels.

    Examples
    --------
    >>> histogram(np.eye(3, dtype=bool)).tolist()
    [6, 3]
    """
    pixels, levels = checked_image(image, levels=levels)
    return np.bincount(pixels.ravel(), minlength=levels).astype(np.int64)


@metric("histogram", "image", "whether all levels are equally frequent", column="")
def chi_square_uniformity(
    image: ArrayLike, *, levels: int | None = None, level: float = DEFAULT_LEVEL
) -> Measurement:
    """Test whether all levels are equally frequent.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        Channels count together.
    levels : int, optional
        Samples are 0..levels-1, L of them; as many as the dtype has by default.
    level : float
        The level of significance; large figures are rejected.

    Returns
    -------
    Measurement
        Pearson's statistic, with L - 1 degrees of freedom, its expected value.

    Raises
    ------
    UnsupportedError
        If SciPy is not installed.

    Notes
    -----
    Sum of (count - T/L)^2 / (T/L) over the levels, for T samples. A p-value above 0.999 is
    suspicious too: the histogram is more even than chance makes it. For T < 5 L the law of the
    statistic is only roughly chi-square, which the note then says.

    References
    ----------
    K. Pearson, On the criterion that a given system of deviations is such that it can be
    reasonably supposed to have arisen from random sampling, 1900, doi:10.1080/14786440009463897.

    Examples
    --------
    >>> even = np.arange(256, dtype=np.uint8).reshape(16, 16).repeat(16, axis=0)
    >>> result = chi_square_uniformity(even)
    >>> result.value, round(result.upper, 4), round(result.p_value, 6)
    (0.0, 293.2478, 1.0)
    """
    counts = histogram(image, levels=levels)
    checked_level(level)
    special = require("scipy.special")
    share = counts.sum() / len(counts)
    value = float(np.sum((counts - share) ** 2) / share)
    freedom = len(counts) - 1
    p_value = float(special.chdtrc(freedom, value))
    notes = [_NOTE]
    if p_value > _TOO_EVEN:
        notes.append("more even than chance makes it")
    if share < 5:
        notes.append("fewer than 5 samples a level: the p-value is rough")
    return Measurement(
        name="chi_square_uniformity",
        value=value,
        expected=float(freedom),
        upper=float(special.chdtri(freedom, level)),
        p_value=p_value,
        level=level,
        note="; ".join(notes),
    )


@metric(
    "histogram",
    "image",
    "share of ones in each bit, the lowest first",
    name="bit_plane",
    figures=("bit_plane_0",),
)
def bit_plane_balance(
    image: ArrayLike, *, levels: int | None = None, level: float = DEFAULT_LEVEL
) -> tuple[Measurement, ...]:
    """Return the share of ones in each bit plane.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        Channels count together.
    levels : int, optional
        A power of two, 2^b: samples have b bits; as many as the dtype has by default.
    level : float
        The level of significance of each plane, two-sided.

    Returns
    -------
    tuple of Measurement
        "bit_plane_0", the lowest, and so on; 1/2 is expected.

    Raises
    ------
    InvalidParameterError
        If the levels are not a power of two.

    Notes
    -----
    A share of T random bits has the deviation 1 / (2 sqrt(T)).

    References
    ----------
    L. E. Bassham et al., NIST SP 800-22 rev. 1a, 2010, section 2.1, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> [plane.value for plane in bit_plane_balance(np.full((8, 8), 3, dtype=np.uint8))]
    [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    counts = histogram(image, levels=levels)
    if len(counts) & (len(counts) - 1):
        raise InvalidParameterError(
            f"{len(counts)} levels do not fill whole bits", hint="levels must be a power of two"
        )
    total = int(counts.sum())
    values = np.arange(len(counts))
    return tuple(
        normal_measurement(
            f"bit_plane_{bit}",
            int(counts[values >> bit & 1 == 1].sum()) / total,
            expected=0.5,
            deviation=1 / (2 * sqrt(total)),
            level=level,
            note=_NOTE,
        )
        for bit in range(len(counts).bit_length() - 1)
    )
