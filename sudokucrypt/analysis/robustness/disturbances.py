"""Define disturbances of protected pictures, and the expected values of restored pictures."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, log10, nan, sqrt
from statistics import fmean
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.inputs import (
    check_image,
    count_sample_bits,
    require_library,
    split_channels,
)
from sudokucrypt.analysis.metrics.entropy import histogram
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray, RandomSource

# For each level, the mean and the mean square of samples of this level after a disturbance.
LevelMoments: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


class DisturbanceFunction(Protocol):
    """The function of a disturbance, see `Disturbance`."""

    def __call__(
        self, image: AnyArray, strength: float, /, *, source: RandomSource, levels: int
    ) -> AnyArray:
        """Return a disturbed image of the same shape and dtype."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Disturbance:
    """A disturbance, with its description for commands and reports.

    `name` identifies the disturbance, such as "salt-and-pepper", and `meaning` is a phrase that
    describes it. `unit` is the unit of a strength, such as "share of samples". Strengths are
    `least` to `most`, and `usual` are the strengths that are measured by default, the mildest
    first.

    `apply` takes an image of uint8 or uint16 and a strength, and the options `source`, for random
    choices, and `levels`. It returns an image of the same shape and dtype, and raises
    `UnsupportedError` for images for which it is not defined.

    `moments` takes the number of levels and a strength, and returns `LevelMoments`. It is None if
    the effect on a sample also depends on its position or its neighbors.
    """

    name: str
    meaning: str
    unit: str
    least: float
    most: float
    usual: tuple[float, ...]
    apply: DisturbanceFunction
    moments: Callable[[int, float], LevelMoments] | None = None

    def __reduce__(self) -> tuple[Callable[[str], "Disturbance"], tuple[str]]:
        """Pickle only the name, since functions cannot be pickled."""
        return _find_disturbance, (self.name,)

    def label(self, strength: float) -> str:
        """Return the name with a strength, such as "jpeg 50", unless it has only one strength."""
        return self.name if self.least == self.most else f"{self.name} {strength:g}"

    def check_strength(self, strength: float) -> float:
        """Return a strength, or raise `InvalidParameterError` if it is out of range."""
        if not self.least <= strength <= self.most:
            raise InvalidParameterError(
                f"the strength of {self.name} must be {self.least:g} to {self.most:g}, not "
                f"{strength:g}",
                hint=f"it is the {self.unit}",
            )
        return strength

    def disturb(
        self,
        image: AnyArray,
        strength: float,
        *,
        levels: int | None = None,
        source: RandomSource | None = None,
    ) -> AnyArray:
        """Return the disturbed image, with the shape and dtype of the image."""
        pixels, levels = check_image(image, levels=levels)
        random_source = seeded_draws(0) if source is None else source
        result = self.apply(
            pixels, self.check_strength(strength), source=random_source, levels=levels
        )
        if result.shape != pixels.shape or result.dtype != pixels.dtype:
            raise InvalidImageError(
                f"{self.name} returned shape {result.shape} and dtype {result.dtype} "
                f"for an image of shape {pixels.shape} and dtype {pixels.dtype}",
                hint="a disturbance must keep shape and dtype",
            )
        return result.astype(image.dtype, copy=False)


DISTURBANCES = Registry(
    Disturbance,
    item_noun="a disturbance",
    group="sudokucrypt.disturbances",
    package="sudokucrypt.analysis.robustness",
)
"""Every disturbance, by name."""


def _find_disturbance(name: str) -> Disturbance:
    return DISTURBANCES[name]


def disturbance(
    name: str, meaning: str, **fields: Any
) -> Callable[[DisturbanceFunction], DisturbanceFunction]:
    """Return a decorator that registers a function as the `apply` of a `Disturbance`.

    Parameters
    ----------
    name : str
        The name that commands and reports use, such as "salt-and-pepper".
    meaning : str
        A phrase that describes the disturbance.
    **fields : Any
        Other fields of `Disturbance`: `unit`, `least`, `most` and `usual` are required.
    """

    def decorate(apply: DisturbanceFunction) -> DisturbanceFunction:
        DISTURBANCES.register(Disturbance(name=name, meaning=meaning, apply=apply, **fields))
        return apply

    return decorate


class ExpectedFigures(NamedTuple):
    """Values that theory expects for a restored picture."""

    psnr: float
    correlation: float


def expected_figures(
    plain: NamedImage, disturbance: Disturbance, strength: float
) -> ExpectedFigures | None:
    """Return the expected values for a scheme that moves samples uniformly, or None.

    The PSNR, in decibels, is computed from the expected mean squared error, and the correlation
    from expected moments, as the mean over the channels that are not constant. None means that the
    disturbance has no `moments`.

    Parameters
    ----------
    plain : NamedImage
        The plain picture.
    disturbance : Disturbance
        The disturbance of the protected picture.
    strength : float
        The strength, in the unit of the disturbance.

    Examples
    --------
    >>> from sudokucrypt.analysis import specimens
    >>> black = specimens(32)[0]
    >>> round(expected_figures(black, DISTURBANCES["salt-and-pepper"], 0.2).psnr, 6)
    10.0
    """
    if disturbance.moments is None:
        return None
    levels = np.arange(plain.levels, dtype=np.float64)
    means, squares = disturbance.moments(plain.levels, disturbance.check_strength(strength))
    errors, correlations = [], []
    for channel in plain.channels:
        shares = histogram(channel, levels=plain.levels) / channel.size

        def compute_mean(
            values: NDArray[np.float64], shares: NDArray[np.float64] = shares
        ) -> float:
            return float(shares @ values)

        errors.append(compute_mean(squares - 2 * levels * means + levels**2))
        # After a uniform permutation every position is equally likely, so only levels matter.
        plain_variance = compute_mean(levels**2) - compute_mean(levels) ** 2
        restored_variance = compute_mean(squares) - compute_mean(means) ** 2
        if np.count_nonzero(shares) > 1 and restored_variance > 0:
            covariance = compute_mean(levels * means) - compute_mean(levels) * compute_mean(means)
            correlations.append(covariance / sqrt(plain_variance * restored_variance))
    mean_squared_error = fmean(errors)
    return ExpectedFigures(
        psnr=10 * log10((plain.levels - 1) ** 2 / mean_squared_error)
        if mean_squared_error > 0
        else inf,
        correlation=fmean(correlations) if correlations else nan,
    )


# Random draws have 32 bits, so strengths are exact within 2^-32.
_DRAW_BOUND = 1 << 32
# The number of samples that are disturbed at a time, since each draw takes 8 bytes.
_SAMPLES_PER_PART = 1 << 20


def _disturb_parts(
    image: AnyArray,
    source: RandomSource,
    disturb_part: Callable[[AnyArray, Callable[[], IntArray]], AnyArray],
) -> AnyArray:
    """Disturb an image in parts by `disturb_part`, which may draw a number for each sample."""
    result = image.ravel().copy()
    for start in range(0, result.size, _SAMPLES_PER_PART):
        part = result[start : start + _SAMPLES_PER_PART]
        bounds = np.full(part.size, _DRAW_BOUND)
        result[start : start + _SAMPLES_PER_PART] = disturb_part(
            part, partial(source.below_each, bounds)
        )
    return result.reshape(image.shape)


@disturbance(
    "none",
    "no disturbance, for comparison",
    unit="number 0",
    least=0,
    most=0,
    usual=(0,),
    moments=lambda levels, _: (np.arange(levels) * 1.0, np.arange(levels) ** 2.0),
)
def copy(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return a copy of an image."""
    del strength, source, levels
    return image.copy()


def _compute_salt_pepper_moments(levels: int, strength: float) -> LevelMoments:
    samples, largest_level = np.arange(levels, dtype=np.float64), levels - 1
    return (
        (1 - strength) * samples + strength * largest_level / 2,
        (1 - strength) * samples**2 + strength * largest_level**2 / 2,
    )


@disturbance(
    "salt-and-pepper",
    "samples become black or white, with equal probability",
    unit="share of samples",
    least=0,
    most=1,
    usual=(0.01, 0.05, 0.1, 0.25),
    moments=_compute_salt_pepper_moments,
)
def salt_and_pepper(
    image: AnyArray, strength: float, *, source: RandomSource, levels: int
) -> AnyArray:
    """Make each sample black or white with the probability `strength`."""
    black_bound = round(strength / 2 * _DRAW_BOUND)

    def disturb_part(part: AnyArray, draw_numbers: Callable[[], IntArray]) -> AnyArray:
        draws = draw_numbers()
        part[draws < black_bound] = 0
        part[draws >= _DRAW_BOUND - black_bound] = levels - 1
        return part

    return _disturb_parts(image, source, disturb_part)


def _compute_gaussian_moments(levels: int, strength: float) -> LevelMoments:
    """Return moments from the probabilities that a noisy sample is at least each level."""
    with require_library("scipy"):
        from scipy.special import ndtr
    largest_level = levels - 1
    steps = np.arange(-largest_level, largest_level)  # the sample minus a level
    # Sums over levels instead of integrals, since samples are rounded and clipped.
    tail_probabilities = ndtr((steps + 0.5) / (max(strength, 1e-9) * largest_level))
    sums = np.concatenate([[0.0], np.cumsum(tail_probabilities)])
    weighted_sums = np.concatenate([[0.0], np.cumsum(steps * tail_probabilities)])
    sample_levels = np.arange(levels)
    means = sums[sample_levels + largest_level] - sums[sample_levels]
    # The square of n is the sum of 2 t - 1 over t = 1..n.
    return means, (2 * sample_levels - 1) * means - 2 * (
        weighted_sums[sample_levels + largest_level] - weighted_sums[sample_levels]
    )


@disturbance(
    "gaussian",
    "normal noise is added to samples, which are rounded and clipped",
    unit="deviation, as a fraction of the largest level",
    least=0,
    most=1,
    usual=(0.01, 0.05, 0.1),
    moments=_compute_gaussian_moments,
)
def gaussian(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Add normal noise to an image; needs SciPy."""
    with require_library("scipy"):
        from scipy.special import ndtri
    largest_level = levels - 1

    def disturb_part(part: AnyArray, draw_numbers: Callable[[], IntArray]) -> AnyArray:
        # The inverse normal distribution function needs only one draw for each sample. With 0.5
        # added to the draw, the noise is never infinite.
        noise = ndtri((draw_numbers() + 0.5) / _DRAW_BOUND) * (strength * largest_level)
        noisy_part: AnyArray = np.clip(np.floor(part + noise + 0.5), 0, largest_level)
        return noisy_part

    return _disturb_parts(image, source, disturb_part)


def _compute_flip_moments(levels: int, strength: float) -> LevelMoments:
    """Return moments from the weights of flipped bits: flipping adds or subtracts the weight."""
    samples, largest_level = np.arange(levels, dtype=np.float64), levels - 1
    weights = (levels**2 - 1) / 3  # the sum of the squared weights 1, 4, 16 and so on
    mean_change = strength * (largest_level - 2 * samples)
    variance = strength * (1 - strength) * weights
    return samples + mean_change, (samples + mean_change) ** 2 + variance


@disturbance(
    "bit-flips",
    "bits of samples are flipped",
    unit="share of bits",
    least=0,
    most=1,
    usual=(0.001, 0.01, 0.05),
    moments=_compute_flip_moments,
)
def bit_flips(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Flip each bit of an image with the probability `strength`."""
    depth, draw_limit = count_sample_bits(levels), round(strength * _DRAW_BOUND)

    def disturb_part(part: AnyArray, draw_numbers: Callable[[], IntArray]) -> AnyArray:
        for bit in range(depth):
            part[draw_numbers() < draw_limit] ^= part.dtype.type(1 << bit)
        return part

    return _disturb_parts(image, source, disturb_part)


def _compute_crop_moments(levels: int, strength: float) -> LevelMoments:
    samples = np.arange(levels, dtype=np.float64)
    return (1 - strength) * samples, (1 - strength) * samples**2


@disturbance(
    "crop",
    "a rectangle from the top-left corner is lost and filled with black",
    unit="share of the area",
    least=0,
    most=1,
    usual=(1 / 16, 1 / 8, 1 / 4, 1 / 2),
    moments=_compute_crop_moments,
)
def crop(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Blacken a corner of an image; the corner has the same proportions as the image."""
    del source, levels
    result = image.copy()
    rows, columns = image.shape[:2]
    lost_rows = max(1, round(rows * sqrt(strength)))
    result[:lost_rows, : round(strength * rows * columns / lost_rows)] = 0
    return result


# The side of the blocks of JPEG.
_BLOCK_SIDE = 8
_BAND_ROWS = 64 * _BLOCK_SIDE  # the number of rows that are coded at a time
# The table for luminance in annex K of ITU-T T.81, which most encoders scale.
_LUMINANCE_STEPS = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)
# The table for colors in annex K of ITU-T T.81.
_COLOR_STEPS = np.full((_BLOCK_SIDE, _BLOCK_SIDE), 99)
_COLOR_STEPS[:4, :4] = [[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99]]

# The matrix of JFIF from red, green and blue to luminance and both color differences, and its
# inverse.
_LUMINANCE_WEIGHTS = (0.299, 0.587, 0.114)
_RGB_TO_YCBCR = np.array(
    [_LUMINANCE_WEIGHTS, (-0.168735892, -0.331264108, 0.5), (0.5, -0.418687589, -0.081312411)]
)
_YCBCR_TO_RGB = np.array([(1, 0, 1.402), (1, -0.344136286, -0.714136286), (1, 1.772, 0)])

Plane: TypeAlias = NDArray[np.float64]

_FREQUENCIES, _POSITIONS = np.indices((_BLOCK_SIDE, _BLOCK_SIDE))
_DCT_MATRIX = np.cos((2 * _POSITIONS + 1) * _FREQUENCIES * np.pi / (2 * _BLOCK_SIDE)) / 2
_DCT_MATRIX[0] /= np.sqrt(2)


@disturbance(
    "jpeg",
    "the picture is compressed as JPEG, with colors at half the resolution",
    unit="quality",
    least=1,
    most=100,
    usual=(90, 70, 50),
)
def jpeg(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return a gray or color image of 8 bits after JPEG; `strength` is the quality.

    Only the lossy steps are applied, without the lossless entropy code: the tables of Annex K
    scaled by the quality of the Independent JPEG Group, and colors at half the resolution.

    Source: ITU-T T.81, 1992; ITU-T T.871, 2011.
    """
    del source
    if levels != 256 or image.shape[2:] not in {(), (1,), (3,)}:
        raise UnsupportedError("JPEG takes only gray and color pictures of 8 bits")
    quality = round(strength)
    # The usual formula of the Independent JPEG Group for quality.
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    luminance_table, color_table = (
        np.clip((each * scale + 50) // 100, 1, 255) for each in (_LUMINANCE_STEPS, _COLOR_STEPS)
    )
    pixels = image.reshape(*image.shape[:2], -1)
    if pixels.shape[2] == 1:
        gray_plane = _quantize_plane(pixels[..., 0] - 128.0, luminance_table) + 128
        return gray_plane.astype(np.uint8).reshape(image.shape)
    planes = []
    for index, shares in enumerate(_RGB_TO_YCBCR):
        component = np.round(sum(map(np.multiply, shares, np.moveaxis(pixels, 2, 0))))
        coded_plane = (
            _quantize_at_half_size(component, color_table)
            if index
            else _quantize_plane(component - 128, luminance_table) + 128
        )
        planes.append(coded_plane.astype(np.int16))
    color_channels = (sum(map(np.multiply, shares, planes)) for shares in _YCBCR_TO_RGB)
    return np.stack(
        [np.clip(np.round(each), 0, 255).astype(np.uint8) for each in color_channels], axis=2
    )


def _quantize_plane(plane: Plane, table: AnyArray) -> Plane:
    """Return a plane of levels -128..127 after quantizing its DCT coefficients by a table."""
    result = np.empty_like(plane)
    for top in range(0, len(plane), _BAND_ROWS):
        band = plane[top : top + _BAND_ROWS]
        rows, columns = band.shape
        padded_band = np.pad(
            band, ((0, -rows % _BLOCK_SIDE), (0, -columns % _BLOCK_SIDE)), mode="edge"
        )
        blocks = padded_band.reshape(
            -1, _BLOCK_SIDE, padded_band.shape[1] // _BLOCK_SIDE, _BLOCK_SIDE
        ).swapaxes(1, 2)
        steps = np.round(_DCT_MATRIX @ blocks @ _DCT_MATRIX.T / table)
        restored_blocks = np.clip(
            np.round(_DCT_MATRIX.T @ (steps * table) @ _DCT_MATRIX), -128, 127
        )
        result[top : top + _BAND_ROWS] = restored_blocks.swapaxes(1, 2).reshape(padded_band.shape)[
            :rows, :columns
        ]
    return result


def _quantize_at_half_size(plane: Plane, table: AnyArray) -> Plane:
    """Quantize a plane at half the resolution, and interpolate linearly to the full resolution."""
    rows, columns = plane.shape
    # As in libjpeg, the last row and column are repeated if their number is odd.
    even_plane = np.pad(plane, ((0, rows % 2), (0, columns % 2)), mode="edge")
    pixel_squares = even_plane.reshape(even_plane.shape[0] // 2, 2, even_plane.shape[1] // 2, 2)
    small_plane = _quantize_plane(np.round(pixel_squares.mean(axis=(1, 3))), table)
    return np.round(_double_rows(_double_rows(small_plane).T).T[:rows, :columns])


def _double_rows(plane: Plane) -> Plane:
    """Double the rows of a plane: each is 3/4 of the nearest row and 1/4 of the next nearest."""
    padded_plane = np.pad(plane, ((1, 1), (0, 0)), mode="edge")
    upper_rows, lower_rows = (3 * plane + padded_plane[:-2]) / 4, (3 * plane + padded_plane[2:]) / 4
    return np.stack([upper_rows, lower_rows], axis=1).reshape(-1, plane.shape[1])


@disturbance(
    "resize",
    "the picture is shrunk and enlarged to its original size",
    unit="factor of both sides",
    least=1 / 64,
    most=1,
    usual=(0.75, 0.5, 0.25),
)
def resize(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Shrink an image and enlarge it again by linear interpolation; needs scikit-image.

    It is smoothed before it is shrunk, as most services do.
    """
    del source
    with require_library("scikit-image"):
        from skimage import transform
    resize_image: Callable[..., AnyArray] = transform.resize
    small_shape = tuple(max(1, round(side * strength)) for side in image.shape[:2])
    result = np.empty_like(image)
    pairs = zip(split_channels(image), split_channels(result), strict=True)
    for (_, channel), (_, result_channel) in pairs:
        small_channel = resize_image(channel, small_shape, order=1, preserve_range=True)
        restored_channel = resize_image(small_channel, channel.shape, order=1, preserve_range=True)
        result_channel[...] = np.clip(np.round(restored_channel), 0, levels - 1)
    return result
