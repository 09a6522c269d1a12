"""The contract of disturbances: name, strengths, effect, and expected values by theory."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, log10, nan, sqrt
from statistics import fmean
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.inputs import checked_image, optional_library, split_channels, whole_bits
from sudokucrypt.analysis.metrics.entropy import histogram
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray, RandomSource

# For each level, the mean and the mean square of a disturbed sample of that level.
LevelMoments: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


class ApplyDisturbance(Protocol):
    """What a disturbance does to an image, see `Disturbance`."""

    def __call__(
        self, image: AnyArray, strength: float, /, *, source: RandomSource, levels: int
    ) -> AnyArray:
        """Return a disturbed image of the same shape and dtype."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Disturbance:
    """A disturbance as commands and reports take it.

    `name` is used everywhere, such as "salt-and-pepper"; `meaning` says in a phrase what it does.
    `unit` is what a strength is, such as "share of samples", from `least` to `most`, and `usual`
    are the strengths that are measured, the mildest first.

    `apply` takes an image of uint8 or uint16 and a strength, and as options `source`, which makes
    the random choices, and `levels`. It returns an image of the same shape and dtype, and raises
    `UnsupportedError` for images that it is not defined for.

    `moments` takes the number of levels and a strength and returns `LevelMoments`, if all samples
    of one level fare alike wherever a uniform permutation has put them.
    """

    name: str
    meaning: str
    unit: str
    least: float
    most: float
    usual: tuple[float, ...]
    apply: ApplyDisturbance
    moments: Callable[[int, float], LevelMoments] | None = None

    def __reduce__(self) -> tuple[Callable[[str], "Disturbance"], tuple[str]]:
        """Pass on the name only: functions cannot be pickled."""
        return _find_disturbance, (self.name,)

    def label(self, strength: float) -> str:
        """Return its name and a strength, such as "jpeg 50"; alone if there is one strength."""
        return self.name if self.least == self.most else f"{self.name} {strength:g}"

    def checked(self, strength: float) -> float:
        """Return a strength, or raise `InvalidParameterError` if it is out of range."""
        if not self.least <= strength <= self.most:
            raise InvalidParameterError(
                f"the strength of {self.name} is {self.least:g} to {self.most:g}, not {strength:g}",
                hint=f"it is the {self.unit}",
            )
        return strength

    def disturbed(
        self,
        image: AnyArray,
        strength: float,
        *,
        levels: int | None = None,
        source: RandomSource | None = None,
    ) -> AnyArray:
        """Return a disturbed image, of the shape and dtype of this one."""
        pixels, levels = checked_image(image, levels=levels)
        draws = seeded_draws(0) if source is None else source
        made = self.apply(pixels, self.checked(strength), source=draws, levels=levels)
        if made.shape != pixels.shape or made.dtype != pixels.dtype:
            raise InvalidImageError(
                f"{self.name} made {made.shape} of {made.dtype} from {pixels.shape} of "
                f"{pixels.dtype}",
                hint="a disturbance keeps shape and dtype",
            )
        return made.astype(image.dtype, copy=False)


DISTURBANCES = Registry(
    Disturbance,
    called="a disturbance",
    group="sudokucrypt.disturbances",
    package="sudokucrypt.analysis.robustness",
)
"""Every disturbance, by name."""


def _find_disturbance(name: str) -> Disturbance:
    return DISTURBANCES[name]


def disturbance(
    name: str, meaning: str, **fields: Any
) -> Callable[[ApplyDisturbance], ApplyDisturbance]:
    """Return a decorator that registers a function as the `apply` of a `Disturbance`.

    Parameters
    ----------
    name : str
        The name that commands and reports use, such as "salt-and-pepper".
    meaning : str
        What the disturbance does, as a phrase.
    **fields : Any
        Other fields of `Disturbance`: `unit`, `least`, `most` and `usual` are required.
    """

    def decorate(apply: ApplyDisturbance) -> ApplyDisturbance:
        DISTURBANCES.register(Disturbance(name=name, meaning=meaning, apply=apply, **fields))
        return apply

    return decorate


class Expected(NamedTuple):
    """Values that theory expects of a restored picture."""

    psnr: float
    correlation: float


def expected_figures(
    plain: NamedImage, disturbance: Disturbance, strength: float
) -> Expected | None:
    """Return the values that theory expects under a uniform permutation, or None.

    PSNR, in decibels, is that of the mean squared error expected, and the correlation is that of
    the moments expected, the mean over the channels that are not constant.

    Parameters
    ----------
    plain : NamedImage
        The plain picture.
    disturbance : Disturbance
        What happens to the protected picture.
    strength : float
        How much of it, in the unit of the disturbance.

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
    means, squares = disturbance.moments(plain.levels, disturbance.checked(strength))
    errors, correlations = [], []
    for channel in plain.channels:
        shares = histogram(channel, levels=plain.levels) / channel.size

        def mean(figures: NDArray[np.float64], shares: NDArray[np.float64] = shares) -> float:
            return float(shares @ figures)

        errors.append(mean(squares - 2 * levels * means + levels**2))
        # After a uniform permutation every position is equally likely, so moments over levels are
        # enough.
        spread = mean(levels**2) - mean(levels) ** 2
        after = mean(squares) - mean(means) ** 2
        if np.count_nonzero(shares) > 1 and after > 0:
            both = mean(levels * means) - mean(levels) * mean(means)
            correlations.append(both / sqrt(spread * after))
    error = fmean(errors)
    return Expected(
        psnr=10 * log10((plain.levels - 1) ** 2 / error) if error > 0 else inf,
        correlation=fmean(correlations) if correlations else nan,
    )


# Draws of 32 bits: a strength is hit within 2^-32.
_DRAWS = 1 << 32
# Samples that are disturbed at a time: draws are 8 bytes each.
_PART = 1 << 20


def _strike_parts(
    image: AnyArray,
    source: RandomSource,
    strike: Callable[[AnyArray, Callable[[], IntArray]], AnyArray],
) -> AnyArray:
    """Return an image that was disturbed part by part; `strike` may draw for each sample."""
    result = image.ravel().copy()
    for start in range(0, result.size, _PART):
        part = result[start : start + _PART]
        bounds = np.full(part.size, _DRAWS)
        result[start : start + _PART] = strike(part, partial(source.below_each, bounds))
    return result.reshape(image.shape)


@disturbance(
    "none",
    "nothing: what an undisturbed picture gives",
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


def _compute_salt_moments(levels: int, strength: float) -> LevelMoments:
    x, top = np.arange(levels, dtype=np.float64), levels - 1
    return (
        (1 - strength) * x + strength * top / 2,
        (1 - strength) * x**2 + strength * top**2 / 2,
    )


@disturbance(
    "salt-and-pepper",
    "samples become black or white, with equal chance",
    unit="share of samples",
    least=0,
    most=1,
    usual=(0.01, 0.05, 0.1, 0.25),
    moments=_compute_salt_moments,
)
def salt_and_pepper(
    image: AnyArray, strength: float, *, source: RandomSource, levels: int
) -> AnyArray:
    """Return an image where each sample is black or white with the chance `strength`."""
    half = round(strength / 2 * _DRAWS)

    def strike(part: AnyArray, draw: Callable[[], IntArray]) -> AnyArray:
        drawn = draw()
        part[drawn < half] = 0
        part[drawn >= _DRAWS - half] = levels - 1
        return part

    return _strike_parts(image, source, strike)


def _compute_gaussian_moments(levels: int, strength: float) -> LevelMoments:
    """Sum the chances that a sample reaches each level: those that it reaches are its value."""
    with optional_library("scipy"):
        from scipy.special import ndtr
    top = levels - 1
    steps = np.arange(-top, top)  # from a level that may be reached to the sample
    # Sums over levels in place of integrals, since samples are rounded and cut off.
    reached = ndtr((steps + 0.5) / (max(strength, 1e-9) * top))
    sums = np.concatenate([[0.0], np.cumsum(reached)])
    weighted = np.concatenate([[0.0], np.cumsum(steps * reached)])
    x = np.arange(levels)
    means = sums[x + top] - sums[x]
    # The square of a number is the sum of 2 t - 1 over t up to it.
    return means, (2 * x - 1) * means - 2 * (weighted[x + top] - weighted[x])


@disturbance(
    "gaussian",
    "normal noise is added to samples, which are rounded and stay in range",
    unit="deviation, as a fraction of the largest level",
    least=0,
    most=1,
    usual=(0.01, 0.05, 0.1),
    moments=_compute_gaussian_moments,
)
def gaussian(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return an image with normal noise; needs SciPy."""
    with optional_library("scipy"):
        from scipy.special import ndtri
    top = levels - 1

    def strike(part: AnyArray, draw: Callable[[], IntArray]) -> AnyArray:
        # By inversion: one draw a sample, and never infinite.
        noise = ndtri((draw() + 0.5) / _DRAWS) * (strength * top)
        moved: AnyArray = np.clip(np.floor(part + noise + 0.5), 0, top)
        return moved

    return _strike_parts(image, source, strike)


def _flip_moments(levels: int, strength: float) -> LevelMoments:
    """Use that flipping each bit adds or takes its weight, which bits set and unset decide."""
    x, top = np.arange(levels, dtype=np.float64), levels - 1
    weights = (levels**2 - 1) / 3  # of the squared weights 1, 4, 16 and so on
    moved = strength * (top - 2 * x)
    spread = strength * (1 - strength) * weights
    return x + moved, (x + moved) ** 2 + spread


@disturbance(
    "bit-flips",
    "bits of samples are flipped",
    unit="share of bits",
    least=0,
    most=1,
    usual=(0.001, 0.01, 0.05),
    moments=_flip_moments,
)
def bit_flips(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return an image where each bit is flipped with the chance `strength`."""
    depth, limit = whole_bits(levels), round(strength * _DRAWS)

    def strike(part: AnyArray, draw: Callable[[], IntArray]) -> AnyArray:
        for bit in range(depth):
            part[draw() < limit] ^= part.dtype.type(1 << bit)
        return part

    return _strike_parts(image, source, strike)


def _crop_moments(levels: int, strength: float) -> LevelMoments:
    x = np.arange(levels, dtype=np.float64)
    return (1 - strength) * x, (1 - strength) * x**2


@disturbance(
    "crop",
    "a rectangle from the top-left corner is lost and filled with black",
    unit="share of the area",
    least=0,
    most=1,
    usual=(1 / 16, 1 / 8, 1 / 4, 1 / 2),
    moments=_crop_moments,
)
def crop(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return an image with a black corner, of its proportions."""
    del source, levels
    result = image.copy()
    rows, columns = image.shape[:2]
    lost = max(1, round(rows * sqrt(strength)))
    result[:lost, : round(strength * rows * columns / lost)] = 0
    return result


# Services recompress as JPEG, whose blocks have this side.
_BLOCK = 8
_BAND = 64 * _BLOCK  # rows that are coded at a time
# Annex K of ITU-T T.81, tables K.1 and K.2, which most encoders scale.
_LIGHT = np.array(
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
# The table of colors in annex K of ITU-T T.81.
_COLOR = np.full((_BLOCK, _BLOCK), 99)
_COLOR[:4, :4] = [[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99]]

# From red, green and blue to light and both color differences, as JFIF has it.
_LIGHT_SHARES = (0.299, 0.587, 0.114)
_MIX = np.array(
    [_LIGHT_SHARES, (-0.168735892, -0.331264108, 0.5), (0.5, -0.418687589, -0.081312411)]
)
_UNMIX = np.array([(1, 0, 1.402), (1, -0.344136286, -0.714136286), (1, 1.772, 0)])

Plane: TypeAlias = NDArray[np.float64]

_FREQUENCIES, _PLACES = np.indices((_BLOCK, _BLOCK))
_COSINES = np.cos((2 * _PLACES + 1) * _FREQUENCIES * np.pi / (2 * _BLOCK)) / 2
_COSINES[0] /= np.sqrt(2)


@disturbance(
    "jpeg",
    "the picture is compressed as JPEG, colors at half the resolution",
    unit="quality",
    least=1,
    most=100,
    usual=(90, 70, 50),
)
def jpeg(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return a gray or color image of 8 bits after JPEG; `strength` is the quality.

    The steps that lose something, without the entropy code, which loses nothing: the tables of
    Annex K scaled by the Independent JPEG Group's quality, and colors at half the resolution.
    Source: ITU-T T.81, 1992; ITU-T T.871, 2011.
    """
    del source
    if levels != 256 or image.shape[2:] not in {(), (1,), (3,)}:
        raise UnsupportedError("JPEG takes gray and color pictures of 8 bits")
    quality = round(strength)
    # The Independent JPEG Group's formula, by which services state their quality.
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    light, color = (np.clip((each * scale + 50) // 100, 1, 255) for each in (_LIGHT, _COLOR))
    pixels = image.reshape(*image.shape[:2], -1)
    if pixels.shape[2] == 1:
        gray = _code_plane(pixels[..., 0] - 128.0, light) + 128
        return gray.astype(np.uint8).reshape(image.shape)
    planes = []
    for index, shares in enumerate(_MIX):
        mixed = np.round(sum(map(np.multiply, shares, np.moveaxis(pixels, 2, 0))))
        left = _code_small_plane(mixed, color) if index else _code_plane(mixed - 128, light) + 128
        planes.append(left.astype(np.int16))
    layers = (sum(map(np.multiply, shares, planes)) for shares in _UNMIX)
    return np.stack([np.clip(np.round(each), 0, 255).astype(np.uint8) for each in layers], axis=2)


def _code_plane(plane: Plane, table: AnyArray) -> Plane:
    """Return a plane of -128..127 with rounded frequencies."""
    result = np.empty_like(plane)
    for top in range(0, len(plane), _BAND):
        band = plane[top : top + _BAND]
        rows, columns = band.shape
        wide = np.pad(band, ((0, -rows % _BLOCK), (0, -columns % _BLOCK)), mode="edge")
        blocks = wide.reshape(-1, _BLOCK, wide.shape[1] // _BLOCK, _BLOCK).swapaxes(1, 2)
        steps = np.round(_COSINES @ blocks @ _COSINES.T / table)
        back = np.clip(np.round(_COSINES.T @ (steps * table) @ _COSINES), -128, 127)
        result[top : top + _BAND] = back.swapaxes(1, 2).reshape(wide.shape)[:rows, :columns]
    return result


def _code_small_plane(plane: Plane, table: AnyArray) -> Plane:
    """Do as `_coded` at half the resolution, and return to the whole one by straight lines."""
    rows, columns = plane.shape
    # libjpeg repeats the last row and column to fill a pair.
    even = np.pad(plane, ((0, rows % 2), (0, columns % 2)), mode="edge")
    quarters = even.reshape(even.shape[0] // 2, 2, even.shape[1] // 2, 2)
    small = _code_plane(np.round(quarters.mean(axis=(1, 3))), table)
    return np.round(_double_rows(_double_rows(small).T).T[:rows, :columns])


def _double_rows(plane: Plane) -> Plane:
    """Return a plane of twice as many rows: three quarters of the nearest and one of the next."""
    around = np.pad(plane, ((1, 1), (0, 0)), mode="edge")
    upper, lower = (3 * plane + around[:-2]) / 4, (3 * plane + around[2:]) / 4
    return np.stack([upper, lower], axis=1).reshape(-1, plane.shape[1])


@disturbance(
    "resize",
    "the picture is made smaller and brought back to its size",
    unit="factor of both sides",
    least=1 / 64,
    most=1,
    usual=(0.75, 0.5, 0.25),
)
def resize(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return an image that was scaled there and back, by straight lines; needs scikit-image.

    Before it shrinks it is smoothed, as by any service that resizes.
    """
    del source
    with optional_library("scikit-image"):
        from skimage import transform
    resized: Callable[..., AnyArray] = transform.resize
    small = tuple(max(1, round(side * strength)) for side in image.shape[:2])
    result = np.empty_like(image)
    pairs = zip(split_channels(image), split_channels(result), strict=True)
    for (_, channel), (_, target) in pairs:
        there = resized(channel, small, order=1, preserve_range=True)
        back = resized(there, channel.shape, order=1, preserve_range=True)
        target[...] = np.clip(np.round(back), 0, levels - 1)
    return result
