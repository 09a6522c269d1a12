"""Measure the dependence of neighboring pixels: correlation, scatter data and spectrum.

`sudokucrypt.analysis` describes parameters that several functions share.
"""

from dataclasses import replace
from functools import partial
from math import nan, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.inputs import (
    check_gray_image,
    check_image,
    iterate_tiles,
    require_library,
    split_channels,
)
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import SIGNIFICANCE_LEVEL, Measurement, make_normal_measurement
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray, RandomSource

Direction: TypeAlias = Literal["horizontal", "vertical", "diagonal", "antidiagonal"]
"""The direction of a neighbor: right, below, right and below, or left and below."""

# The number of pixels in the rows, or columns, that are transformed at a time.
_TRANSFORMED_PIXELS = 1 << 17

_CORRELATION_NOTE = (
    "near 0 for any thorough scrambling; says nothing about secrecy, and a permutation that is "
    "known to an attacker passes too"
)


def find_neighbor_pairs(image: AnyArray, direction: Direction) -> tuple[AnyArray, AnyArray]:
    """Return views of all pixels that have a neighbor in a direction, and of these neighbors."""
    if direction not in get_args(Direction):
        direction_names = ", ".join(get_args(Direction))
        raise InvalidParameterError(f"a direction is one of {direction_names}, not {direction!r}")
    row_step, column_step = direction != "horizontal", direction != "vertical"
    rows, columns = image.shape
    oriented_image = image[:, ::-1] if direction == "antidiagonal" else image
    pair = (
        oriented_image[: rows - row_step, : columns - column_step],
        oriented_image[row_step:, column_step:],
    )
    if pair[0].size < 2:
        raise InvalidImageError(
            f"an image of shape {image.shape} has fewer than two {direction} pairs"
        )
    return pair


def adjacent_correlation(
    image: ArrayLike, direction: Direction = "horizontal", *, level: float = SIGNIFICANCE_LEVEL
) -> Measurement:
    """Correlate all pixels of one channel with their neighbors: Pearson's r, -1..1.

    The channel needs two pairs of neighbors or more.

    r = (n Sxy - Sx Sy) / sqrt((n Sxx - Sx^2)(n Syy - Sy^2)) over all n pairs, with exact sums; NaN
    if the pixels or their neighbors are constant. For a random image r has mean 0 (within 1/n)
    and deviation 1/sqrt(n - 1), and z = r sqrt(n - 1) is normal.
    Source: G. Chen, Y. Mao, C. K. Chui, 2004, doi:10.1016/j.chaos.2003.12.022.

    Parameters
    ----------
    image : array_like of shape (M, N), bool, uint8 or uint16
        The channel that is measured.
    direction : {"horizontal", "vertical", "diagonal", "antidiagonal"}, default "horizontal"
        The direction from a pixel to its neighbor.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> ramp = np.add.outer(np.arange(16), np.arange(16)).astype(np.uint8)
    >>> round(adjacent_correlation(ramp, "diagonal").value, 6)
    1.0
    """
    pixels, _ = check_gray_image(image)
    first, second = find_neighbor_pairs(pixels, direction)
    name, deviation = f"correlation_{direction}", 1 / sqrt(first.size - 1)
    return make_normal_measurement(
        name, correlate_pixels(first, second), 0.0, deviation, level, note=_CORRELATION_NOTE
    )


def correlate_pixels(first: AnyArray, second: AnyArray) -> float:
    """Return Pearson's coefficient of two arrays of integers, or NaN if one of them is constant."""
    # The sums are exact integers, since rounding would give a constant channel a coefficient.
    sums = [0] * 5
    for tile in iterate_tiles(first.shape):
        # Floats, whose products are faster, are exact, since all sums of a tile are below 2**53.
        first_tile, second_tile = (
            each[tile].astype(np.float64).ravel() for each in (first, second)
        )
        tile_sums = (
            first_tile.sum(),
            second_tile.sum(),
            first_tile @ first_tile,
            second_tile @ second_tile,
            first_tile @ second_tile,
        )
        sums = [total + int(each) for total, each in zip(sums, tile_sums, strict=True)]
    return compute_pearson(first.size, *sums)


def compute_pearson(
    count: int, sum_x: int, sum_y: int, square_sum_x: int, square_sum_y: int, product_sum: int
) -> float:
    """Return Pearson's coefficient from sums of `count` pairs, or NaN if one side is constant."""
    spread_x, spread_y = count * square_sum_x - sum_x**2, count * square_sum_y - sum_y**2
    if spread_x == 0 or spread_y == 0:
        return nan
    return (count * product_sum - sum_x * sum_y) / sqrt(spread_x * spread_y)


def correlations(image: ArrayLike, *, level: float = SIGNIFICANCE_LEVEL) -> tuple[Measurement, ...]:
    """Correlate neighbors in all four directions, in each channel.

    Measurements are as for `adjacent_correlation`, with names such as "correlation_horizontal", to
    which channels add "_0" and so on. Channels are never mixed, since their different means would
    look like correlation.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    results = (
        (suffix, adjacent_correlation(channel, direction, level=level))
        for suffix, channel in split_channels(check_image(image)[0])
        for direction in get_args(Direction)
    )
    return tuple(replace(result, name=result.name + suffix) for suffix, result in results)


def scatter_pairs(
    image: ArrayLike,
    direction: Direction = "horizontal",
    *,
    count: int = 5000,
    source: RandomSource | None = None,
) -> AnyArray:
    """Return some pixels of one channel with their neighbors, for a scatter plot.

    Returns an array of shape (count, 2) and dtype uint8 or uint16; each pair is drawn from all
    pairs with equal probability.

    Parameters
    ----------
    image : array_like of shape (M, N), bool, uint8 or uint16
        The channel from which pairs are drawn.
    direction : {"horizontal", "vertical", "diagonal", "antidiagonal"}, default "horizontal"
        The direction from a pixel to its neighbor.
    count : int, default 5000
        The number of pairs, 1 or more.
    source : RandomSource, optional
        The stream of random choices; by default ``seeded_draws(0)``, so that results repeat.
    """
    pixels, _ = check_gray_image(image)
    first, second = find_neighbor_pairs(pixels, direction)
    check_integer("count", count)
    source = seeded_draws(0) if source is None else source
    chosen_indices = np.unravel_index(source.below_each(np.full(count, first.size)), first.shape)
    return np.stack([first[chosen_indices], second[chosen_indices]], axis=1)


def autocorrelation_map(image: ArrayLike) -> NDArray[np.float64]:
    """Correlate each channel with itself shifted by every offset.

    The map has the shape of the image and dtype float64. Row M // 2 and column N // 2 is the offset
    (0, 0), with the value 1; offsets wrap around. A constant channel gives NaN.

    It is the inverse transform of abs(F)^2 by the theorem of Wiener and Khinchin, divided by its
    value at offset 0. For a random image every other entry has mean -1/(MN - 1) and deviation about
    1/sqrt(MN). Peaks show periods, such as the side of blocks that were moved as a whole.
    Source: N. Wiener, Generalized harmonic analysis, 1930, doi:10.1007/BF02546511.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image; each channel is processed separately.
    """
    pixels, _ = check_image(image)
    centered_pixels = pixels - pixels.mean(axis=(0, 1))
    power = np.abs(np.fft.fft2(centered_pixels, axes=(0, 1))) ** 2
    correlation = np.fft.ifft2(power, axes=(0, 1)).real
    # The power of a constant channel is only rounding error, by which nothing should be divided.
    is_constant = (pixels == pixels[0, 0]).all(axis=(0, 1))
    correlation /= np.where(is_constant, nan, correlation[0, 0])
    return np.fft.fftshift(correlation, axes=(0, 1))


def spectrum_magnitude(image: ArrayLike) -> NDArray[np.float64]:
    """Return the magnitude of the discrete Fourier transform of each channel.

    It has the shape of the image and dtype float64. Row M // 2 and column N // 2 is the frequency
    (0, 0), with the sum of all samples.

    The magnitude is abs(sum over (r, c) of image[r, c] exp(-2 pi i (k r / M + l c / N))). For a
    random image of L levels, all other frequencies have the mean square MN (L^2 - 1) / 12, without
    a pattern.
    Source: J. W. Cooley, J. W. Tukey, 1965, doi:10.1090/S0025-5718-1965-0178586-1.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image; each channel is processed separately.
    """
    pixels, _ = check_image(image)
    return np.fft.fftshift(np.abs(np.fft.fft2(pixels, axes=(0, 1))), axes=(0, 1))


def compute_texture_views(
    image: ArrayLike, *, step: int, max_offset: int
) -> tuple[AnyArray, AnyArray]:
    """Return the parts of `spectrum_magnitude` and `autocorrelation_map` that a report draws.

    These are the magnitudes of the frequencies that are multiples of `step`, and the correlations
    for offsets of up to `max_offset` rows and columns, 0 for a constant channel. Both are means
    over the channels, of dtype float32, in the order of the whole maps.

    One real transform of single precision for each channel gives both, with 4 bytes per pixel. Its
    error is about 1e-7 of the root mean square. Needs SciPy.
    """
    pixels, _ = check_image(image)
    rows, columns = (_list_multiples(side, step, side) for side in pixels.shape[:2])
    row_offsets, column_offsets = (
        _list_multiples(side, 1, max_offset) for side in pixels.shape[:2]
    )
    magnitude = np.zeros((len(rows), len(columns)), dtype=np.float32)
    correlation = np.zeros((len(row_offsets), len(column_offsets)), dtype=np.float32)
    # Channels are added one at a time, so that only one is transformed in memory.
    channels = split_channels(pixels)
    for _, channel in channels:
        spectrum, autocorrelation = _transform_channel(
            channel, rows, columns, int(abs(row_offsets).max()) + 1
        )
        spectrum[np.ix_(rows == 0, columns == 0)] = channel.sum()
        magnitude += spectrum / len(channels)
        if autocorrelation[0, 0] > 0:
            # A shift up and left gives the same correlation as one down and right.
            signed_column_offsets = np.where(
                row_offsets[:, None] < 0, -column_offsets, column_offsets
            )
            correlation += (
                autocorrelation[abs(row_offsets)[:, None], signed_column_offsets]
                / autocorrelation[0, 0]
                / len(channels)
            )
    return magnitude, correlation


def _list_multiples(side: int, step: int, limit: int) -> IntArray:
    """Return the multiples of `step`, up to `limit` steps from the center of a map of this side."""
    steps_before, steps_after = min(limit, side // 2), min(limit, (side - 1) // 2)
    return step * np.arange(-(steps_before // step), steps_after // step + 1)


def _transform_channel(
    channel: AnyArray, rows: IntArray, columns: IntArray, shift_count: int
) -> tuple[AnyArray, AnyArray]:
    """Return magnitudes at some frequencies, and autocorrelations for `shift_count` row shifts."""
    with require_library("scipy"):
        from scipy import fft
    mean, (height, width) = channel.mean(), channel.shape
    half_transform = np.empty((height, width // 2 + 1), dtype=np.complex64)
    band_rows, strip_columns = -(-_TRANSFORMED_PIXELS // width), -(-_TRANSFORMED_PIXELS // height)
    for top in range(0, height, band_rows):
        centered_band = np.subtract(channel[top : top + band_rows], mean, dtype=np.float32)
        half_transform[top : top + band_rows] = fft.rfft(centered_band)
    # The transform of a real channel is conjugate symmetric, so half of its columns are enough.
    row_indices = np.where(columns < 0, -rows[:, None], rows[:, None])
    magnitude = np.empty(row_indices.shape, dtype=np.float32)
    autocorrelation = np.empty((shift_count, width // 2 + 1), dtype=np.complex64)
    # Columns are transformed in strips, which avoids a second copy of the whole transform.
    for left in range(0, half_transform.shape[1], strip_columns):
        strip_transform = fft.fft(half_transform[:, left : left + strip_columns], axis=0)
        is_in_strip = abs(columns) // strip_columns == left // strip_columns
        magnitude[:, is_in_strip] = np.abs(
            strip_transform[row_indices[:, is_in_strip], abs(columns[is_in_strip]) - left]
        )
        power = strip_transform.real**2 + strip_transform.imag**2
        autocorrelation[:, left : left + strip_columns] = fft.rfft(power, axis=0)[
            :shift_count
        ].conj()
    return magnitude, fft.irfft(autocorrelation, width)


# Papers show three directions, so the fourth one has no column in tables.
for _direction, _column in zip(
    get_args(Direction),
    ("correlation →", "correlation ↓", "correlation ↘", ""),
    strict=True,
):
    metric(
        "neighbors",
        "channel",
        f"Pearson's correlation of all pixels with their {_direction} neighbors",
        name=f"correlation_{_direction}",
        column=_column,
    )(partial(adjacent_correlation, direction=_direction))
