"""Disturbances that strike sample by sample: noise, flipped bits, and a part that is lost."""

from collections.abc import Callable
from functools import partial
from math import sqrt

import numpy as np

from sudokucrypt.analysis.inputs import optional_library, whole_bits
from sudokucrypt.analysis.robustness.disturbance import LevelMoments, disturbance
from sudokucrypt.typing import AnyArray, IntArray, RandomSource

# Draws of 32 bits: a strength is hit within 2^-32.
_DRAWS = 1 << 32
# Samples that are disturbed at a time: draws are 8 bytes each.
_PART = 1 << 20


def _struck(
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
def untouched(image: AnyArray, strength: float, *, source: RandomSource, levels: int) -> AnyArray:
    """Return a copy of an image."""
    del strength, source, levels
    return image.copy()


def _salt_moments(levels: int, strength: float) -> LevelMoments:
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
    moments=_salt_moments,
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

    return _struck(image, source, strike)


def _gaussian_moments(levels: int, strength: float) -> LevelMoments:
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
    moments=_gaussian_moments,
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

    return _struck(image, source, strike)


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

    return _struck(image, source, strike)


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
