"""Disturbances by services that take no care: JPEG, and another size."""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.inputs import channels_of, optional_library
from sudokucrypt.analysis.robustness.disturbance import disturbance
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.typing import AnyArray, RandomSource

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Return what JPEG leaves of a gray or color image of 8 bits; `strength` is the quality.

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
        gray = _coded(pixels[..., 0] - 128.0, light) + 128
        return gray.astype(np.uint8).reshape(image.shape)
    planes = []
    for index, shares in enumerate(_MIX):
        mixed = np.round(sum(map(np.multiply, shares, np.moveaxis(pixels, 2, 0))))
        left = _coded_small(mixed, color) if index else _coded(mixed - 128, light) + 128
        planes.append(left.astype(np.int16))
    layers = (sum(map(np.multiply, shares, planes)) for shares in _UNMIX)
    return np.stack([np.clip(np.round(each), 0, 255).astype(np.uint8) for each in layers], axis=2)


def _coded(plane: Plane, table: AnyArray) -> Plane:
    """Return what is left of a plane of -128..127 after its frequencies were rounded."""
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


def _coded_small(plane: Plane, table: AnyArray) -> Plane:
    """Do as `_coded` at half the resolution, and return to the whole one by straight lines."""
    rows, columns = plane.shape
    # libjpeg repeats the last row and column to fill a pair.
    even = np.pad(plane, ((0, rows % 2), (0, columns % 2)), mode="edge")
    quarters = even.reshape(even.shape[0] // 2, 2, even.shape[1] // 2, 2)
    small = _coded(np.round(quarters.mean(axis=(1, 3))), table)
    return np.round(_doubled(_doubled(small).T).T[:rows, :columns])


def _doubled(plane: Plane) -> Plane:
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
    pairs = zip(channels_of(image), channels_of(result), strict=True)
    for (_, channel), (_, target) in pairs:
        there = resized(channel, small, order=1, preserve_range=True)
        back = resized(there, channel.shape, order=1, preserve_range=True)
        target[...] = np.clip(np.round(back), 0, levels - 1)
    return result
