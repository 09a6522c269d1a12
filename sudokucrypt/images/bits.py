"""Samples in other forms: packed in rows of bytes, small in 16 bits, or as the colors they mean."""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.picture import Frame
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray


def unpack_bits(lines: AnyArray, bits: int, count: int) -> AnyArray:
    """Return the first samples of each row of bytes."""
    if bits == 1:
        return np.unpackbits(lines, axis=1, count=count).view(np.bool_)
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    samples = (lines[:, :, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    return samples.reshape(len(lines), -1)[:, :count]


def pack_bits(samples: AnyArray, bits: int) -> AnyArray:
    """Return samples in rows of whole bytes: `unpack_bits` the other way round."""
    if bits == 1:
        return np.packbits(samples, axis=1)
    rows, columns = samples.shape
    each = 8 // bits
    padded = np.zeros((rows, -(-columns // each), each), dtype=np.uint8)
    padded.reshape(rows, -1)[:, :columns] = samples
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    packed: AnyArray = np.bitwise_or.reduce(padded << shifts, axis=2)
    return packed


def spread(source: Source, pixels: AnyArray, bits: int) -> AnyArray:
    """Return samples that use all 16 bits, made by repeating the highest bits of each.

    Samples of 8 bits stay as they are.
    """
    if pixels.dtype == np.uint8:
        return pixels
    if int(pixels.max()) >> bits:
        raise source.damaged(f"it holds samples of more than {bits} bits")
    return (pixels << (16 - bits)) | (pixels >> (2 * bits - 16))


def seen_colors(frame: Frame) -> NDArray[np.uint8]:
    """Return what a frame shows as RGB, transparency and color profile left out of account."""
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


def on_white(frame: Frame) -> NDArray[np.uint8]:
    """Return what a frame shows as RGB where what is transparent lies on white."""
    colors = seen_colors(frame)
    samples, palette = np.atleast_3d(frame.pixels), frame.palette
    transparent = frame.mode in ("gray-alpha", "rgba") or frame.transparent is not None
    if not transparent and not (palette and palette.alphas):
        return colors
    opacity = np.full((*colors.shape[:2], 1), 255, dtype=np.uint16)
    if palette is not None and palette.alphas:
        alphas = np.full(256, 255, dtype=np.uint16)
        alphas[: len(palette.alphas)] = np.frombuffer(palette.alphas, np.uint8)
        opacity = alphas[np.minimum(samples, 255).astype(np.intp)]
    elif frame.mode in ("gray-alpha", "rgba") and samples.dtype.kind in "bu":
        opacity = _eight_bits(samples[..., -1:], frame.bits).astype(np.uint16)
    if frame.transparent is not None:
        opacity[(samples == frame.transparent).all(axis=2)] = 0
    laid: NDArray[np.uint8] = ((colors * opacity + 255 * (255 - opacity)) // 255).astype("u1")
    return laid


def _eight_bits(samples: AnyArray, bits: int | None) -> NDArray[np.uint8]:
    """Bring samples of any type to 0..255; those without a fixed range fill it."""
    if samples.dtype == np.bool_:
        return np.where(samples, np.uint8(255), np.uint8(0))
    if samples.dtype.kind == "u" and samples.dtype.itemsize <= 2:
        largest = 2 ** (bits or 8 * samples.dtype.itemsize) - 1
        if largest == 255:  # a sample of 8 bits
            return np.asarray(samples, dtype=np.uint8)
        # A table: wider samples of a large picture would fill the memory.
        values = np.arange(np.iinfo(samples.dtype).max + 1, dtype=np.uint32)
        eight: NDArray[np.uint8] = (values * 255 // largest).astype(np.uint8)[samples]
        return eight
    # Halves, whose differences are no larger than a float can be.
    halves = np.nan_to_num(samples.astype(np.float64), posinf=0.0, neginf=0.0) / 2
    low, high = halves.min(), halves.max()
    scaled = (halves - low) / ((high - low) or 1.0) * 255.0
    return np.asarray(scaled, dtype=np.uint8)
