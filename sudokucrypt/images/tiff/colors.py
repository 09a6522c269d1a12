"""Colors of TIFF: color maps, and what is stored in another form and becomes RGB.

Color maps have 16 bits a channel, all reds before all greens before all blues.

References
----------
.. [1] TIFF 6.0 specification, 1992, sections 20 to 23.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from sudokucrypt.images.picture import Palette
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import layout as t
from sudokucrypt.images.tiff.directory import Directory, Order
from sudokucrypt.typing import AnyArray, Buffer

_WIDENING: Final = 257
"""What 8-bit colors are multiplied with to reach the same white in 16 bits."""


def to_palette(color_map: Sequence[int]) -> Palette:
    r"""Return the palette of a color map; colors that 8 bits can tell are told in 8 bits.

    Examples
    --------
    >>> to_palette([0, 65535, 0, 0, 257, 0])
    Palette(colors=b'\x00\x00\x01\xff\x00\x00', alphas=b'', wide=False)
    """
    colors = np.array(color_map, dtype=np.uint16).reshape(3, -1).T
    if (colors % _WIDENING == 0).all():
        return Palette(colors=(colors // _WIDENING).astype(np.uint8).tobytes())
    return Palette(colors=colors.astype(">u2").tobytes(), wide=True)


def to_color_map(palette: Palette) -> list[int]:
    """Return the color map of a palette."""
    if palette.wide:
        colors = np.frombuffer(palette.colors, dtype=">u2").astype(np.uint16)
    else:
        colors = np.frombuffer(palette.colors, dtype=np.uint8) * np.uint16(_WIDENING)
    return [int(value) for value in colors.reshape(-1, 3).T.ravel()]


def palette_fault(palette: Palette | None, depth: int) -> str | None:
    """Tell why a color map would not give this palette back, or return none."""
    if palette is None:
        return "a palette picture without its palette"
    if palette.alphas:
        return "a palette with transparency"
    count = len(palette.colors) // (6 if palette.wide else 3)
    if depth > 16 or count != 2**depth:
        return f"a palette of {count} colors for {depth}-bit samples"
    if to_palette(to_color_map(palette)) != palette:
        return "a palette of 16-bit colors where 8 bits are enough"
    return None


@dataclass(frozen=True)
class Mixing:
    """How YCbCr is meant.

    Parameters
    ----------
    weights : tuple of float
        Of red, green and blue in the luminance.
    levels : tuple of float
        Lowest and highest value of luminance, and middle and highest of both differences.
    """

    weights: tuple[float, ...] = (0.299, 0.587, 0.114)
    levels: tuple[float, ...] = (0, 255, 128, 255, 128, 255)

    @classmethod
    def read(cls, source: Source, page: Directory, order: Order) -> Mixing:
        """Return what the tags of a page say, or what is meant where they say nothing."""
        weights = _fractions(page, t.COLOR_MIXING, order) or cls.weights
        levels = _fractions(page, t.REFERENCE_LEVELS, order) or cls.levels
        if (
            len(weights) != 3
            or len(levels) != 6
            or not weights[1]
            or any(low == high for low, high in zip(levels[::2], levels[1::2], strict=True))
        ):
            raise source.damaged("it does not say how its colors are mixed")
        return cls(weights, levels)


def _fractions(page: Directory, tag: int, order: Order) -> tuple[float, ...]:
    fields = page.fields(tag)
    if not fields or len(fields[0].data) % 8:
        return ()
    numbers = struct.unpack(f"{order}{len(fields[0].data) // 4}I", fields[0].data)
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return tuple(float(Fraction(above, below)) if below else 0.0 for above, below in pairs)


def from_ycbcr(
    raw: Buffer, shared: tuple[int, int], size: tuple[int, int], mixing: Mixing
) -> AnyArray:
    """Return the RGB samples of a piece, with a row or column too many where groups are cut.

    Parameters
    ----------
    raw : bytes
        Groups of luminances, row by row, each with its two differences behind it.
    shared : tuple of (int, int)
        Columns and rows of a group.
    size : tuple of (int, int)
        Rows of groups, and columns of the piece.
    mixing : Mixing
        How they make colors.
    """
    across, down = shared
    groups, columns = size
    count = -(-columns // across)
    units = np.frombuffer(raw, np.uint8, groups * count * (across * down + 2))
    units = units.reshape(groups, count, across * down + 2)
    planes = [units[..., :-2].reshape(groups, count, down, across).swapaxes(1, 2)]
    planes += [np.broadcast_to(units[:, None, :, None, n], planes[0].shape) for n in (-2, -1)]
    levels = mixing.levels
    luma, blue, red = (
        # Differences reach as far below their middle as above it.
        (plane.reshape(groups * down, count * across) - np.float32(low)) * np.float32(
            (127 if number else 255) / (high - low)
        )
        for number, (plane, low, high) in enumerate(
            zip(planes, levels[::2], levels[1::2], strict=True)
        )
    )  # fmt: skip
    weights = mixing.weights
    pixels = np.empty((*luma.shape, 3), dtype=np.float32)
    pixels[..., 0] = luma + red * (2 - 2 * weights[0])
    pixels[..., 2] = luma + blue * (2 - 2 * weights[2])
    pixels[..., 1] = luma - weights[0] * pixels[..., 0] - weights[2] * pixels[..., 2]
    pixels[..., 1] /= weights[1]
    rounded: AnyArray = np.clip(np.rint(pixels), 0, 255).astype(np.uint8)
    return rounded


def from_lab(pixels: AnyArray, *, signed: bool) -> AnyArray:
    """Return sRGB of 16 bits for CIELab of 8 or 16; colors that sRGB lacks become the nearest.

    Parameters
    ----------
    pixels : ndarray of shape (M, N, 3)
        Lightness, and two differences.
    signed : bool
        Whether the differences are signed; else their middle is 128, or 32768.
    """
    from imagecodecs import cms_profile, cms_transform

    wide = pixels.dtype.itemsize == 2
    whole = pixels.view(f"u{pixels.dtype.itemsize}").astype(np.float64)
    scale = 256.0 if wide else 1.0
    if signed:
        differences = pixels[..., 1:].view(f"i{pixels.dtype.itemsize}") / scale
    else:
        differences = whole[..., 1:] / scale - 128
    encoded = np.empty(pixels.shape, dtype=np.uint16)
    encoded[..., 0] = whole[..., 0] * (1 if wide else 257)
    encoded[..., 1:] = np.clip(np.rint((differences + 128) * 257), 0, 65535)
    colors: AnyArray = cms_transform(
        encoded, cms_profile("lab4"), cms_profile("srgb"), colorspace="lab", outcolorspace="rgb",
        outdtype="u2",
    )  # fmt: skip
    return colors
