"""How much neighboring pixels have in common: correlation, scatter data, spectrum.

Arguments that several functions share are described in `sudokucrypt.analysis`.
"""

from dataclasses import replace
from functools import partial
from math import nan, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.inputs import (
    channels_of,
    checked_gray,
    checked_image,
    optional_library,
    tiles,
)
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import LEVEL, Measurement, normal_test
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray, RandomSource

Direction: TypeAlias = Literal["horizontal", "vertical", "diagonal", "antidiagonal"]
"""The neighbor to the right, below, to the right and below, or to the left and below."""

# Pixels of the rows, or columns, that are transformed at a time, if these are not longer.
_CELLS = 1 << 17

_NOTE = (
    "near 0 for any thorough scrambling; says nothing about secrecy, and a permutation that is "
    "known to an attacker passes too"
)


def neighbors(image: AnyArray, direction: Direction) -> tuple[AnyArray, AnyArray]:
    """Return views of all pixels that have a neighbor in a direction, and of the neighbors."""
    if direction not in get_args(Direction):
        known = ", ".join(get_args(Direction))
        raise InvalidParameterError(f"a direction is one of {known}, not {direction!r}")
    down, right = direction != "horizontal", direction != "vertical"
    rows, columns = image.shape
    seen = image[:, ::-1] if direction == "antidiagonal" else image
    pair = seen[: rows - down, : columns - right], seen[down:, right:]
    if pair[0].size < 2:
        raise InvalidImageError(
            f"an image of shape {image.shape} has fewer than two {direction} pairs"
        )
    return pair


def adjacent_correlation(
    image: ArrayLike, direction: Direction = "horizontal", *, level: float = LEVEL
) -> Measurement:
    """Correlate all pixels of one channel with their neighbors: Pearson's r, -1..1.

    The channel has two pairs of neighbors or more.

    r = (n Sxy - Sx Sy) / sqrt((n Sxx - Sx^2)(n Syy - Sy^2)) over all n pairs, with exact sums; NaN
    if the pixels or their neighbors are constant. For a random image r has mean 0 (within 1/n)
    and deviation 1/sqrt(n - 1), and z = r sqrt(n - 1) is normal.
    Source: G. Chen, Y. Mao, C. K. Chui, 2004, doi:10.1016/j.chaos.2003.12.022.

    Parameters
    ----------
    image : array_like of shape (M, N), bool, uint8 or uint16
        The channel that is measured.
    direction : {"horizontal", "vertical", "diagonal", "antidiagonal"}, default "horizontal"
        Where the neighbor of a pixel is.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.

    Examples
    --------
    >>> ramp = np.add.outer(np.arange(16), np.arange(16)).astype(np.uint8)
    >>> round(adjacent_correlation(ramp, "diagonal").value, 6)
    1.0
    """
    pixels, _ = checked_gray(image)
    first, second = neighbors(pixels, direction)
    name, deviation = f"correlation_{direction}", 1 / sqrt(first.size - 1)
    return normal_test(name, pearson(first, second), 0.0, deviation, level, note=_NOTE)


def pearson(first: AnyArray, second: AnyArray) -> float:
    """Return Pearson's coefficient of whole numbers; NaN if one side is constant."""
    # Exact integer sums: in floating point a constant channel would get a coefficient from
    # rounding.
    sums = [0] * 5
    for tile in tiles(first.shape):
        # Of a tile all sums are below 2**53, so that floats, whose products are quicker, hold them.
        x, y = (each[tile].astype(np.float64).ravel() for each in (first, second))
        sums_here = x.sum(), y.sum(), x @ x, y @ y, x @ y
        sums = [total + int(each) for total, each in zip(sums, sums_here, strict=True)]
    return pearson_of_sums(first.size, *sums)


def pearson_of_sums(
    count: int, sum_x: int, sum_y: int, squares_x: int, squares_y: int, products: int
) -> float:
    """Return Pearson's coefficient from the sums of so many pairs; NaN if one side is constant."""
    spread_x, spread_y = count * squares_x - sum_x**2, count * squares_y - sum_y**2
    if spread_x == 0 or spread_y == 0:
        return nan
    return (count * products - sum_x * sum_y) / sqrt(spread_x * spread_y)


def correlations(image: ArrayLike, *, level: float = LEVEL) -> tuple[Measurement, ...]:
    """Correlate neighbors in all four directions, channel by channel.

    Figures are those of `adjacent_correlation`, named "correlation_horizontal" and so on, with
    "_0" and so on behind it for channels. Channels are never mixed: their different means would
    pass for correlation.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    """
    measured = (
        (ending, adjacent_correlation(channel, direction, level=level))
        for ending, channel in channels_of(checked_image(image)[0])
        for direction in get_args(Direction)
    )
    return tuple(replace(result, name=result.name + ending) for ending, result in measured)


def scatter_pairs(
    image: ArrayLike,
    direction: Direction = "horizontal",
    *,
    count: int = 5000,
    source: RandomSource | None = None,
) -> AnyArray:
    """Return some pixels of one channel with their neighbors, for a scatter plot.

    The pairs are an array of shape (count, 2) and dtype uint8 or uint16, each drawn from all pairs
    with equal chance; other arguments are as in `adjacent_correlation`.

    Parameters
    ----------
    image : array_like of shape (M, N), bool, uint8 or uint16
        The channel that the pairs are drawn from.
    direction : {"horizontal", "vertical", "diagonal", "antidiagonal"}, default "horizontal"
        Where the neighbor of a pixel is.
    count : int, default 5000
        The number of pairs, 1 or more.
    source : RandomSource, optional
        The stream of random choices; by default ``seeded_draws(0)``, so that results repeat.
    """
    pixels, _ = checked_gray(image)
    first, second = neighbors(pixels, direction)
    checked_integer("count", count)
    source = seeded_draws(0) if source is None else source
    picked = np.unravel_index(source.below_each(np.full(count, first.size)), first.shape)
    return np.stack([first[picked], second[picked]], axis=1)


def autocorrelation_map(image: ArrayLike) -> NDArray[np.float64]:
    """Correlate each channel with itself moved by every offset, through the Fourier transform.

    The map has the shape of the image and dtype float64. Row M // 2 and column N // 2 hold offset
    (0, 0), which is 1; offsets wrap around. A constant channel gives NaN.

    It is the inverse transform of abs(F)^2 by the theorem of Wiener and Khinchin, divided by its
    value at offset 0. For a random image every other entry has mean -1/(MN - 1) and deviation about
    1/sqrt(MN). Peaks show periods, such as those of blocks that were moved as a whole.
    Source: N. Wiener, Generalized harmonic analysis, 1930, doi:10.1007/BF02546511.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image; each channel counts by itself.
    """
    pixels, _ = checked_image(image)
    centered = pixels - pixels.mean(axis=(0, 1))
    power = np.abs(np.fft.fft2(centered, axes=(0, 1))) ** 2
    moved = np.fft.ifft2(power, axes=(0, 1)).real
    # Dividing by the tiny power that rounding leaves would make peaks of noise.
    constant = (pixels == pixels[0, 0]).all(axis=(0, 1))
    moved /= np.where(constant, nan, moved[0, 0])
    return np.fft.fftshift(moved, axes=(0, 1))


def spectrum_magnitude(image: ArrayLike) -> NDArray[np.float64]:
    """Return the magnitude of the discrete Fourier transform of each channel.

    It has the shape of the image and dtype float64. Row M // 2 and column N // 2 hold frequency
    (0, 0), the sum of all samples.

    abs(sum over (r, c) of image[r, c] exp(-2 pi i (k r / M + l c / N))). For a random image all
    other frequencies have the mean square MN (L^2 - 1) / 12 for L levels, in no pattern.
    Source: J. W. Cooley, J. W. Tukey, 1965, doi:10.1090/S0025-5718-1965-0178586-1.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image; each channel counts by itself.
    """
    pixels, _ = checked_image(image)
    return np.fft.fftshift(np.abs(np.fft.fft2(pixels, axes=(0, 1))), axes=(0, 1))


def texture_views(image: ArrayLike, *, step: int, reach: int) -> tuple[AnyArray, AnyArray]:
    """Return the parts of `spectrum_magnitude` and `autocorrelation_map` that a report draws.

    They are the magnitudes of the frequencies that are multiples of `step`, and the correlations
    for offsets of up to `reach` rows and columns, 0 for a constant channel: means over the
    channels, in the order of the whole maps, of dtype float32.

    One real transform of single precision a channel serves both, for 4 bytes a pixel. It is off by
    about 1e-7 of the root of the mean square. Needs SciPy.
    """
    pixels, _ = checked_image(image)
    rows, columns = (_list_multiples(side, step, side) for side in pixels.shape[:2])
    down, right = (_list_multiples(side, 1, reach) for side in pixels.shape[:2])
    magnitude = np.zeros((len(rows), len(columns)), dtype=np.float32)
    moved = np.zeros((len(down), len(right)), dtype=np.float32)
    # Channels are added up one at a time: maps of all of them would be kept in memory at once.
    channels = channels_of(pixels)
    for _, channel in channels:
        spectrum, shares = _transform(channel, rows, columns, int(abs(down).max()) + 1)
        spectrum[np.ix_(rows == 0, columns == 0)] = channel.sum()
        magnitude += spectrum / len(channels)
        if shares[0, 0] > 0:
            # What is moved up and to the left is what is moved down and to the right.
            columns_moved = np.where(down[:, None] < 0, -right, right)
            moved += shares[abs(down)[:, None], columns_moved] / shares[0, 0] / len(channels)
    return magnitude, moved


def _list_multiples(side: int, step: int, most: int) -> IntArray:
    """Return the multiples of `step` that a map with this side has around its center."""
    first, last = min(most, side // 2), min(most, (side - 1) // 2)
    return step * np.arange(-(first // step), last // step + 1)


def _transform(
    channel: AnyArray, rows: IntArray, columns: IntArray, reach: int
) -> tuple[AnyArray, AnyArray]:
    """Return the magnitudes at some frequencies, and the products with rows moved by 0..reach-1."""
    with optional_library("scipy"):
        from scipy import fft
    mean, (height, width) = channel.mean(), channel.shape
    half = np.empty((height, width // 2 + 1), dtype=np.complex64)
    band, strip = -(-_CELLS // width), -(-_CELLS // height)
    for top in range(0, height, band):
        centered = np.subtract(channel[top : top + band], mean, dtype=np.float32)
        half[top : top + band] = fft.rfft(centered)
    # The transform of a real channel is conjugate to itself turned by half a turn.
    row_of = np.where(columns < 0, -rows[:, None], rows[:, None])
    magnitude = np.empty(row_of.shape, dtype=np.float32)
    shares = np.empty((reach, width // 2 + 1), dtype=np.complex64)
    # Columns are transformed in strips, so that no second copy of the whole transform is held.
    for left in range(0, half.shape[1], strip):
        whole = fft.fft(half[:, left : left + strip], axis=0)
        here = abs(columns) // strip == left // strip
        magnitude[:, here] = np.abs(whole[row_of[:, here], abs(columns[here]) - left])
        power = whole.real**2 + whole.imag**2
        shares[:, left : left + strip] = fft.rfft(power, axis=0)[:reach].conj()
    return magnitude, fft.irfft(shares, width)


# Papers have three directions, so the fourth is in the data and not in the table.
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
