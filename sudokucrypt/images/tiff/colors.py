"""Colors of TIFF: color maps, and what is stored in another form and becomes RGB.

Color maps have 16 bits a channel, all reds before all greens before all blues.

References
----------
.. [1] TIFF 6.0 specification, 1992, sections 20 to 23.
"""

import struct
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from sudokucrypt.images.picture import Palette
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import tags as t
from sudokucrypt.images.tiff.directory import ByteOrder, Directory
from sudokucrypt.typing import AnyArray, Buffer

_WIDENING: Final = 257  # what 8-bit colors are multiplied with to reach the same white in 16 bits


def to_palette(color_map: Sequence[int]) -> Palette:
    """Return the palette of a color map; colors that fit 8 bits are given in 8 bits."""
    colors = np.array(color_map, dtype=np.uint16).reshape(3, -1).T
    if (colors % _WIDENING == 0).all():
        return Palette(colors=(colors // _WIDENING).astype(np.uint8).tobytes())
    return Palette(colors=colors.astype(">u2").tobytes(), wide=True)


def to_color_map(palette: Palette) -> list[int]:
    """Return the color map of a palette."""
    dtype, factor = (">u2", 1) if palette.wide else ("u1", _WIDENING)
    colors = np.frombuffer(palette.colors, dtype=dtype).astype(np.uint16) * np.uint16(factor)
    return [int(value) for value in colors.reshape(-1, 3).T.ravel()]


def palette_fault(palette: Palette | None, depth: int) -> str | None:
    """Return why a color map would not give this palette back, or return none."""
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


class Mixing(NamedTuple):
    """How YCbCr is meant.

    The weights are those of red, green and blue in the luminance; the levels are the lowest and
    highest value of luminance, and middle and highest of both differences.
    """

    weights: tuple[float, ...]
    levels: tuple[float, ...]


def read_mixing(source: Source, page: Directory, order: ByteOrder) -> Mixing:
    """Return what the tags of a page say, or what is meant where they say nothing."""
    weights = _fractions(page, t.COLOR_MIXING, order) or (0.299, 0.587, 0.114)
    levels = _fractions(page, t.REFERENCE_LEVELS, order) or (0, 255, 128, 255, 128, 255)
    if (
        len(weights) != 3
        or len(levels) != 6
        or not weights[1]
        or any(low == high for low, high in zip(levels[::2], levels[1::2], strict=True))
    ):
        raise source.damaged("it does not say how its colors are mixed")
    return Mixing(weights, levels)


def _fractions(page: Directory, tag: int, order: ByteOrder) -> tuple[float, ...]:
    fields = page.fields(tag)
    if not fields or len(fields[0].data) % 8:
        return ()
    pairs = struct.iter_unpack(order + "II", fields[0].data)
    return tuple(float(Fraction(above, below)) if below else 0.0 for above, below in pairs)


def from_ycbcr(
    raw: Buffer, shared: tuple[int, int], size: tuple[int, int], mixing: Mixing
) -> AnyArray:
    """Return the RGB samples of a piece, with a row or column too many where groups are cut.

    A group has luminances, row by row, and its two differences behind them; as many columns and
    rows as `shared` says. `size` are the rows of groups, and the columns of the piece.
    """
    across, down = shared
    groups, columns = size
    count = -(-columns // across)
    units = np.frombuffer(raw, np.uint8, groups * count * (across * down + 2))
    units = units.reshape(groups, count, across * down + 2)
    luminances = units[..., :-2].reshape(groups, count, down, across).swapaxes(1, 2)
    differences = [np.broadcast_to(units[:, None, :, None, n], luminances.shape) for n in (-2, -1)]
    planes = zip((luminances, *differences), mixing.levels[::2], mixing.levels[1::2], strict=True)
    luma, blue, red = (
        # Differences reach as far below their middle as above it.
        (plane.reshape(groups * down, count * across) - np.float32(low))
        * np.float32((127 if index else 255) / (high - low))
        for index, (plane, low, high) in enumerate(planes)
    )
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

    Two differences follow lightness, signed or with their middle at 128, or 32768.
    """
    from imagecodecs import cms_profile, cms_transform

    size = pixels.dtype.itemsize
    whole = pixels.view(f"u{size}").astype(np.float64)
    behind = pixels[..., 1:].view(f"i{size}") if signed else whole[..., 1:]
    differences = behind / (256.0 if size == 2 else 1.0) - (0 if signed else 128)
    encoded = np.empty(pixels.shape, dtype=np.uint16)
    encoded[..., 0] = whole[..., 0] * (1 if size == 2 else _WIDENING)
    encoded[..., 1:] = np.clip(np.rint((differences + 128) * 257), 0, 65535)
    profiles = cms_profile("lab4"), cms_profile("srgb")
    form = {"colorspace": "lab", "outcolorspace": "rgb", "outdtype": "u2"}
    colors: AnyArray = cms_transform(encoded, *profiles, **form)
    return colors
