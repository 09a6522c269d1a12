"""Shannon entropy of a whole image and of its blocks, tested against random images."""

from __future__ import annotations

from functools import partial
from math import log2, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.analysis.metrics.entropy_law import entropy_moments
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import (
    DEFAULT_LEVEL,
    Measurement,
    checked_level,
    normal_measurement,
)
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, RandomSource

_GLOBAL_NOTE = "of the histogram alone: moving pixels never changes it"
_LOCAL_NOTE = "random-looking blocks do not prove secrecy"
_PUBLISHED_NOTE = (
    "the published interval divides the deviation of one block by k and not by sqrt(k): for k = 30 "
    "only about 27% of truly random images lie inside at level 0.05"
)


@metric(
    "entropy",
    "image",
    "Shannon entropy of all samples, in bits; moving samples never changes it",
    column="global entropy",
    unit="bits",
)
def global_entropy(
    image: ArrayLike, *, levels: int | None = None, level: float = DEFAULT_LEVEL
) -> Measurement:
    """Return the Shannon entropy of all samples of an image.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        Channels count together; two samples or more.
    levels : int, optional
        Samples are 0..levels-1, L of them; as many as the dtype has by default.
    level : float
        The level of significance, two-sided: a histogram that is too even is no random one.

    Returns
    -------
    Measurement
        Bits a sample, 0..log2(L).

    Raises
    ------
    InvalidImageError
        If the image has one sample.
    UnsupportedError
        If SciPy is not installed.

    Notes
    -----
    H = -sum of p log2(p) over the levels. Mean and variance for T random samples are exact. What
    lacks to log2(L) is close to a gamma distribution with these moments: nearly chi-square with
    L - 1 degrees of freedom over 2 T ln 2 for large T, nearly normal for many levels.

    References
    ----------
    C. E. Shannon, A mathematical theory of communication, 1948,
    doi:10.1002/j.1538-7305.1948.tb01338.x.

    Examples
    --------
    >>> result = global_entropy(np.zeros((256, 256), dtype=np.uint8))
    >>> result.value, round(result.expected, 6), result.passed
    (0.0, 7.997191, False)
    """
    pixels, levels = checked_image(image, levels=levels)
    checked_level(level)
    if pixels.size < 2:
        raise InvalidImageError("the entropy of one sample is always 0")
    special = require("scipy.special")
    value = _entropy(pixels, levels)
    mean, deviation = entropy_moments(levels, pixels.size)
    most = log2(levels)
    shape, scale = ((most - mean) / deviation) ** 2, deviation**2 / (most - mean)
    missing = max(0.0, most - value) / scale
    tail = min(special.gammainc(shape, missing), special.gammaincc(shape, missing))
    return Measurement(
        name="global_entropy",
        value=value,
        expected=mean,
        lower=most - scale * float(special.gammainccinv(shape, level / 2)),
        upper=most - scale * float(special.gammaincinv(shape, level / 2)),
        p_value=min(1.0, 2 * float(tail)),
        level=level,
        note=_GLOBAL_NOTE,
    )


def _entropy(samples: AnyArray, levels: int) -> float:
    """Return the Shannon entropy of samples in bits."""
    counts = np.bincount(samples.ravel(), minlength=levels)
    shares = counts[counts > 0] / samples.size
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
    level: float = DEFAULT_LEVEL,
    interval: Literal["exact", "published"] = "exact",
    source: RandomSource | None = None,
) -> Measurement:
    """Return the mean Shannon entropy of random blocks that do not overlap.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        A block lies in one channel.
    blocks : int
        How many blocks are drawn, k.
    block_size : int
        How many pixels a block has, T. Blocks are the most nearly square rectangles of T pixels of
        which the image holds k side by side: 44 x 44 for 1936, or 16 x 121 in 256 x 256 pixels.
    levels : int, optional
        Samples are 0..levels-1, L of them; as many as the dtype has by default.
    level : float
        The level of significance, two-sided.
    interval : {"exact", "published"}
        The right interval, or the one of the reference, which is too narrow by sqrt(k).
    source : RandomSource, optional
        Where the choice of blocks comes from; ``seeded_draws(0)`` by default, the same each time.

    Returns
    -------
    Measurement
        Bits a sample.

    Raises
    ------
    InvalidImageError
        If the image is too small for so many blocks.
    InvalidParameterError
        If a number is out of range.

    Notes
    -----
    With m and s the exact mean and deviation of the entropy of one random block, the mean of k
    independent blocks is about normal with mean m and deviation s / sqrt(k). The reference has
    s / k; "published" gives its interval, and a p-value to match.

    References
    ----------
    Y. Wu et al., Local Shannon entropy measure with statistical tests for image randomness, 2013,
    doi:10.1016/j.ins.2012.07.049.

    Examples
    --------
    >>> result = local_entropy(np.zeros((256, 256), dtype=np.uint8))
    >>> [round(x, 6) for x in (result.value, result.expected, result.lower, result.upper)]
    [0.0, 7.902469, 7.899358, 7.90558]
    """
    pixels, levels = checked_image(image, levels=levels)
    if blocks < 1 or block_size < 2:
        raise InvalidParameterError(
            f"one block of two pixels is the least, not {blocks} of {block_size}"
        )
    if interval not in {"exact", "published"}:
        raise InvalidParameterError(f"an interval is exact or published, not {interval!r}")
    source = seeded_draws(0) if source is None else source
    channels = pixels[..., None] if pixels.ndim == 2 else pixels
    tiles = _tiling(channels, blocks, block_size)
    picked = source.permutations([tiles.total])[:blocks]
    top = source.below(len(channels) - tiles.down * tiles.rows + 1)
    left = source.below(channels.shape[1] - tiles.across * tiles.columns + 1)
    entropies = []
    for place in picked.tolist():
        channel, rest = divmod(place, tiles.down * tiles.across)
        row = top + rest // tiles.across * tiles.rows
        column = left + rest % tiles.across * tiles.columns
        block = channels[row : row + tiles.rows, column : column + tiles.columns, channel]
        entropies.append(_entropy(block, levels))
    mean, deviation = entropy_moments(levels, block_size)
    return normal_measurement(
        "local_entropy",
        float(np.mean(entropies)),
        expected=mean,
        deviation=deviation / (sqrt(blocks) if interval == "exact" else blocks),
        level=level,
        note=_LOCAL_NOTE if interval == "exact" else _PUBLISHED_NOTE,
    )


class _Tiling(NamedTuple):
    """Equal rectangles side by side: their sides, and how many there are each way and in all."""

    rows: int
    columns: int
    down: int
    across: int
    total: int


def _tiling(channels: AnyArray, blocks: int, block_size: int) -> _Tiling:
    """Return the most nearly square blocks of which the image holds enough."""
    height, width, depth = channels.shape
    sides = [rows for rows in range(1, block_size + 1) if block_size % rows == 0]
    for rows in sorted(sides, key=lambda rows: (abs(rows - block_size // rows), rows)):
        columns = block_size // rows
        down, across = height // rows, width // columns
        if down * across * depth >= blocks:
            return _Tiling(rows, columns, down, across, down * across * depth)
    raise InvalidImageError(
        f"an image of shape {height} x {width} is too small for {blocks} blocks of {block_size} "
        "pixels that do not overlap",
        hint="take fewer or smaller blocks, and name them with the result",
    )


metric(
    "entropy",
    "image",
    "the same with the interval that is widely printed, which is too narrow: only about 27 of 100 "
    "random images lie inside",
    name="local_entropy_published",
    unit="bits",
    aim=None,
)(partial(local_entropy, interval="published"))
