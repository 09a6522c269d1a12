"""What a picture looks like, roughly: 8-bit RGB to be looked at, never to be restored."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.picture import Frame, Picture
from sudokucrypt.images.write import encode_picture
from sudokucrypt.typing import AnyArray


def previews(picture: Picture) -> Iterator[NDArray[np.uint8]]:
    """Yield what each frame shows as an array of shape (M, N, 3).

    The frames of an animation are laid over each other on its canvas, pages are shown one by one.
    Transparency and color profiles are left out of account.
    """
    if picture.animation is None:
        yield from (_still(frame) for frame in picture.frames)
        return
    from PIL import Image, ImageSequence

    # Laying frames over each other has its rules in each format; Pillow knows them.
    data = encode_picture(picture, picture.format)
    with Image.open(io.BytesIO(data), formats=[picture.format]) as image:
        for shown in ImageSequence.Iterator(image):
            yield np.asarray(shown.convert("RGB"))


def _still(frame: Frame) -> NDArray[np.uint8]:
    """Return one frame on its own."""
    if frame.palette is not None:
        dtype = ">u2" if frame.palette.wide else "u1"
        colors = _eight_bits(np.frombuffer(frame.palette.colors, dtype=dtype), None).reshape(-1, 3)
        shown: NDArray[np.uint8] = colors[np.minimum(frame.pixels, len(colors) - 1).astype(np.intp)]
        return shown
    samples = _eight_bits(frame.pixels, frame.bits)
    if frame.mode == "cmyk":
        ink = samples.astype(np.uint16)
        light: NDArray[np.uint8] = ((255 - ink[..., :3]) * (255 - ink[..., 3:]) // 255).astype("u1")
        return light
    channels = np.atleast_3d(samples)[..., : 3 if samples.ndim == 3 and samples.shape[2] > 2 else 1]
    return np.ascontiguousarray(np.broadcast_to(channels, (*samples.shape[:2], 3)))


def _eight_bits(samples: AnyArray, bits: int | None) -> NDArray[np.uint8]:
    """Bring samples of any type to 0..255; those without a fixed range fill it."""
    if samples.dtype == np.bool_:
        return np.where(samples, np.uint8(255), np.uint8(0))
    if samples.dtype.kind == "u" and samples.dtype.itemsize <= 2:
        largest = 2 ** (bits or 8 * samples.dtype.itemsize) - 1
        scaled = samples.astype(np.uint32) * 255 // largest
        return np.asarray(scaled, dtype=np.uint8)
    finite = np.nan_to_num(samples.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = finite.min(), finite.max()
    scaled = (finite - low) * (255.0 / max(high - low, np.finfo(float).tiny))
    return np.asarray(scaled, dtype=np.uint8)
