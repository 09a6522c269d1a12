"""Color maps of TIFF: 16 bits a channel, all reds before all greens before all blues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.picture import Palette

if TYPE_CHECKING:
    from collections.abc import Sequence

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
