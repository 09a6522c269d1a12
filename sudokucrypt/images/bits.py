"""Samples in other forms: packed in rows of bytes, small in 16 bits, or as the colors they mean."""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.picture import Picture
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray


def unpack_bits(lines: AnyArray, bits: int, count: int) -> AnyArray:
    """Return the first samples of each row of bytes."""
    if bits == 1:
        return np.unpackbits(lines, axis=1, count=count).view(np.bool_)
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    samples = (lines[:, :, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    return samples.reshape(len(lines), -1)[:, :count]


def spread(source: Source, pixels: AnyArray, bits: int) -> AnyArray:
    """Return samples that use all 16 bits, made by repeating the highest bits of each.

    Samples of 8 bits stay as they are.
    """
    if pixels.dtype == np.uint8:
        return pixels
    if int(pixels.max()) >> bits:
        raise source.damaged(f"it holds samples of more than {bits} bits")
    return (pixels << (16 - bits)) | (pixels >> (2 * bits - 16))


def seen_colors(picture: Picture) -> NDArray[np.uint8]:
    """Return what a picture shows as RGB, transparency and color profile left out of account.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    samples = _eight_bits(picture.pixels)
    if picture.mode == "cmyk":
        ink = samples.astype(np.uint16)
        light: NDArray[np.uint8] = ((255 - ink[..., :3]) * (255 - ink[..., 3:]) // 255).astype("u1")
        return light
    channels = np.atleast_3d(samples)[..., : 3 if samples.ndim == 3 and samples.shape[2] > 2 else 1]
    return np.ascontiguousarray(np.broadcast_to(channels, (*samples.shape[:2], 3)))


def on_white(picture: Picture) -> NDArray[np.uint8]:
    """Return what a picture shows as RGB where what is transparent lies on white."""
    colors, pixels = seen_colors(picture), picture.pixels
    if picture.mode not in ("gray-alpha", "rgba") or pixels.dtype.kind not in "bu":
        return colors
    opacity = _eight_bits(pixels[..., -1:]).astype(np.uint16)
    laid: NDArray[np.uint8] = ((colors * opacity + 255 * (255 - opacity)) // 255).astype("u1")
    return laid


def _eight_bits(samples: AnyArray) -> NDArray[np.uint8]:
    """Bring samples of any type to 0..255; those without a fixed range fill it."""
    if samples.dtype == np.bool_:
        return np.where(samples, np.uint8(255), np.uint8(0))
    if samples.dtype == np.uint8:
        return np.asarray(samples, dtype=np.uint8)
    if samples.dtype == np.uint16:
        # A table: wider samples of a large picture would fill the memory.
        values = np.arange(np.iinfo(samples.dtype).max + 1, dtype=np.uint32)
        eight: NDArray[np.uint8] = (values * 255 // 65535).astype(np.uint8)[samples]
        return eight
    # Halves, whose differences are no larger than a float can be.
    halves = np.nan_to_num(samples.astype(np.float64), posinf=0.0, neginf=0.0) / 2
    low, high = halves.min(), halves.max()
    scaled = (halves - low) / ((high - low) or 1.0) * 255.0
    return np.asarray(scaled, dtype=np.uint8)
