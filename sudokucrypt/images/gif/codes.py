"""GIF samples: the codes of LZW, which imagecodecs reads and Pillow writes.

Neither gets near anything else of a file. giflib, behind imagecodecs, sees images that are cut; its
writer has too little room for noise, which Pillow's has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.images.gif.blocks import TRAILER, Image, Screen
from sudokucrypt.images.picture import Palette

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

GRAYS = Palette(colors=bytes(value for value in range(256) for _ in range(3)))
"""The palette whose color number x is gray number x."""

_MOST_FROM_A_BYTE = 4096


def unpack(source: Source, image: Image) -> AnyArray:
    """Return the samples of an image, uint8 of shape (M, N), whatever its palette.

    Raises
    ------
    InvalidImageError
        If the codes do not give every sample.
    """
    from imagecodecs import gif_decode

    shape = source.shape(image.rows, image.columns, 1)
    # A code of 12 bits gives up to 4096 samples; fewer codes are no reason to fill the memory.
    if image.rows * image.columns > _MOST_FROM_A_BYTE * len(image.coded):
        raise source.damaged("it holds fewer samples than it promises")
    if not 1 <= image.coded[0] <= 8:
        raise source.damaged(f"its codes begin with {image.coded[0]} bits")
    alone = Image(
        row=0,
        column=0,
        rows=image.rows,
        columns=image.columns,
        coded=b"",
        interlaced=image.interlaced,
    )
    screen = Screen(rows=image.rows, columns=image.columns, palette=GRAYS)
    data = b"".join((screen.to_bytes(), alone.to_bytes(), image.coded, TRAILER))
    pixels: AnyArray = source.call(gif_decode, data, index=0, asrgb=False)
    if pixels.shape != shape or pixels.dtype != "uint8":
        raise source.damaged("it does not hold the samples that it promises")
    return pixels


def pack(pixels: AnyArray) -> bytes:
    """Return the coded form of samples of type uint8 and shape (M, N)."""
    from PIL import Image as Pillow

    bits = max(2, int(pixels.max()).bit_length())
    coded = Pillow.fromarray(pixels).tobytes("gif", "L", bits, 0)
    return b"".join((bytes([bits]), coded, b"\0"))
