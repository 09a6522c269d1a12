"""From the package's pictures to the reference's frames, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.ciphers import scheme_named
from sudokucrypt.formats import unpack_mask
from sudokucrypt.images import Frame as PackageFrame
from sudokucrypt.images import Picture, describe
from sudokucrypt.images.picture import NATURAL_MODES
from sudokucrypt.recipes.parts import Protection
from sudokucrypt.recipes.pictures import canvas_of, parts_of
from sudokucrypt.recipes.selection import Selection
from tests.reference.frames import Frame
from tests.vectors.common import KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.typing import AnyArray
    from tests.reference.header import Header

SECRET = KEY.to_bytes()


def stored_pixels(frame: Frame) -> AnyArray:
    """A frame of the reference as an array."""
    little = np.dtype(frame.dtype).newbyteorder("<")
    return np.frombuffer(frame.data, little).reshape(frame.shape).astype(frame.dtype)


def frame_of(pixels: AnyArray) -> Frame:
    """An array as a frame of the reference."""
    return Frame(shape=pixels.shape, dtype=pixels.dtype.name, data=data_of([pixels])[0])


def stored(frames: Sequence[Frame]) -> Picture:
    """A picture of bare frames, as the package reads it."""
    made = [
        PackageFrame(pixels=stored_pixels(frame), mode=NATURAL_MODES[[*frame.shape, 1][2]])
        for frame in frames
    ]
    return Picture(frames=tuple(made), format="PNG")


def data_of(arrays: Sequence[AnyArray]) -> list[bytes]:
    """Samples of each frame, lowest byte first."""
    return [array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays]


def protect_by_package(
    picture: Picture, header: Header, context: str | None
) -> tuple[list[bytes], bytes]:
    """What the package makes of a picture under the choices of a header of the reference."""
    selection = None
    if header.regions is not None or header.mask is not None:
        canvas = canvas_of(picture, None)
        mask = None if header.mask is None else unpack_mask(header.mask, (canvas[0], canvas[1]))
        selection = Selection.chosen(canvas, header.regions, mask, allow_none=True)
    how = Protection(
        scheme=scheme_named(header.scheme, context),
        unit=header.unit,  # type: ignore[arg-type]
        block_size=header.block_size,
        salt=None if header.salt is None else bytes.fromhex(header.salt),
    )
    pixels, written = how.protect(
        parts_of(picture, selection), KEY, selection=selection, extras=describe(picture)
    )
    return data_of(pixels), written.to_bytes()
