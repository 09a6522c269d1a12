"""PNG samples in lines of bytes: the highest bit first, and the higher byte of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sudokucrypt.images.png.modes import Layout
    from sudokucrypt.typing import AnyArray


def empty(shape: tuple[int, ...], bits: int) -> AnyArray:
    """Return an array for samples of this many bits: bool, uint8 or uint16."""
    return np.empty(shape, dtype={1: "?", 16: "u2"}.get(bits, "u1"))


def samples_of(lines: AnyArray, layout: Layout) -> AnyArray:
    """Return the samples in these lines.

    Parameters
    ----------
    lines : ndarray of shape (M, L), uint8
        The bytes of each line, without the one that names its filter.
    layout : Layout
        How long a line is and what is in it.

    Returns
    -------
    ndarray of shape (M, N) or (M, N, channels)
        bool, uint8, or uint16 of whichever byte order.
    """
    if layout.bits == 1:
        return np.unpackbits(lines, axis=1, count=layout.columns).view(np.bool_)
    if layout.bits < 8:
        shifts = np.arange(8 - layout.bits, -1, -layout.bits, dtype=np.uint8)
        parts = lines[:, :, np.newaxis] >> shifts & np.uint8(2**layout.bits - 1)
        return parts.reshape(len(lines), -1)[:, : layout.columns]
    samples = np.ascontiguousarray(lines).view(f">u{layout.bits // 8}")
    shape = (len(lines), layout.columns, layout.channels)
    return samples.reshape(shape[:2] if layout.channels == 1 else shape)


def bytes_of(pixels: AnyArray, bits: int) -> AnyArray:
    """Return the lines of bytes that hold these samples of this many bits each."""
    if bits == 1:
        return np.packbits(pixels, axis=1)
    if bits < 8:
        per_byte = 8 // bits
        padded = np.zeros((len(pixels), -(-pixels.shape[1] // per_byte) * per_byte), np.uint8)
        padded[:, : pixels.shape[1]] = pixels
        lines = padded[:, ::per_byte]
        for place in range(1, per_byte):
            lines = lines << np.uint8(bits) | padded[:, place::per_byte]
        return lines
    swapped = pixels.astype(pixels.dtype.newbyteorder(">"), copy=False)
    return np.ascontiguousarray(swapped).reshape(len(pixels), -1).view(np.uint8)
