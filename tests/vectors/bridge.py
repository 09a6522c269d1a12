"""From the package's pictures to the reference's frames, and back."""

from collections.abc import Sequence

import numpy as np
from sudokucrypt.recipes.selection import Selection

from sudokucrypt.header import unpack_mask
from sudokucrypt.images import Frame as PackageFrame
from sudokucrypt.images import Picture, PictureRecord, described
from sudokucrypt.images.picture import NATURAL_MODES
from sudokucrypt.recipes.records import canvas_of, parts_of
from sudokucrypt.typing import AnyArray
from tests.kit.reference.frames import Frame
from tests.kit.reference.header import Header
from tests.vectors.common import KEY, little, protection


def stored_pixels(frame: Frame) -> AnyArray:
    """A frame of the reference as an array."""
    little_endian = np.dtype(frame.dtype).newbyteorder("<")
    return np.frombuffer(frame.data, little_endian).reshape(frame.shape).astype(frame.dtype)


def frame_of(pixels: AnyArray) -> Frame:
    """An array as a frame of the reference."""
    return Frame(shape=pixels.shape, dtype=pixels.dtype.name, data=little(pixels))


def stored(frames: Sequence[Frame]) -> Picture:
    """A picture of bare frames, as the package reads it."""
    result = [
        PackageFrame(pixels=stored_pixels(frame), mode=NATURAL_MODES[[*frame.shape, 1][2]])
        for frame in frames
    ]
    return Picture(frames=tuple(result), format="PNG")


def described_frames(frames: Sequence[Frame], extras: bytes | None) -> PictureRecord:
    """What the package makes of frames with the meaning that extras give them."""
    bare = stored(frames)
    return PictureRecord(picture=bare) if extras is None else described(bare.frames, extras)


def data_of(arrays: Sequence[AnyArray]) -> list[bytes]:
    """Samples of each frame, lowest byte first."""
    return [little(array) for array in arrays]


def protect_by_package(
    record: PictureRecord, header: Header, context: str | None
) -> tuple[list[bytes], bytes]:
    """What the package makes of a picture under the choices of a header of the reference."""
    picture, selection = record.picture, None
    if header.regions is not None or header.mask is not None:
        canvas = canvas_of(picture, None)
        mask = None if header.mask is None else unpack_mask(header.mask, (canvas[0], canvas[1]))
        selection = Selection.chosen(canvas, header.regions, mask, allow_none=True)
    size = header.block_size
    settings = protection(
        header.scheme, context=context, unit=header.unit, block_size=size, salt=header.salt
    )
    parts = parts_of(picture, selection)
    pixels, written = settings.protect(
        parts, KEY, selection=selection, encrypted_metadata=header.extras
    )
    return data_of(pixels), written.to_bytes()
