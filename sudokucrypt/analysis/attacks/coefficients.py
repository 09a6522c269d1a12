"""JPEG files as attacks see them, and the control that leaves blocks where they are."""

import numpy as np

from sudokucrypt.analysis.attacks.attack import JpegOracle, JpegTarget
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images import MAX_PIXELS, decode_picture
from sudokucrypt.images.jpeg import JpegFile, read_coefficients
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray


def coefficients_of(data: bytes, *, max_pixels: int = MAX_PIXELS) -> JpegFile:
    """Return the coefficients of a JPEG file."""
    return read_coefficients(data, max_pixels=max_pixels)


def pixels_of(data: bytes, *, max_pixels: int = MAX_PIXELS) -> AnyArray:
    """Return the pixels that a viewer shows, of shape (M, N) or (M, N, C)."""
    return decode_picture(data, max_pixels=max_pixels).frames[0].pixels


def query_jpeg(
    oracle: JpegOracle, plain: JpegFile, data: bytes, *, max_pixels: int
) -> tuple[JpegFile, AnyArray]:
    """Return what a scheme makes of a file: one with as many blocks, and what viewers show."""
    made = bytes(oracle(data))
    found = read_coefficients(made, max_pixels=max_pixels, name="the result")
    if found.frame.components != plain.frame.components:
        raise InvalidImageError(
            "the scheme made a JPEG with other blocks",
            hint="attacks take schemes that keep the size and the sampling of JPEG files",
        )
    return found, pixels_of(made, max_pixels=max_pixels)


def block_starts(file: JpegFile) -> tuple[IntArray, IntArray]:
    """Return the first rows, and columns, of pixels of the blocks of the first component."""
    first, side = file.frame.components[0], file.frame.unit_side
    sampling = first.sampling if len(file.frame.components) > 1 else (1, 1)
    rows, columns = (
        np.arange(count) * length // own
        for count, length, own in zip(first.blocks, side, sampling, strict=True)
    )
    return rows, columns


def sizes_of(values: AnyArray) -> IntArray:
    """Return how many bits JPEG sends of each coefficient, which is its size class.

    Examples
    --------
    >>> sizes_of(np.int16([0, 1, -1, 2, -3, 4])).tolist()
    [0, 1, 1, 2, 2, 3]
    """
    return np.frexp(np.abs(values).astype(np.float32))[1]


def masked_in_place(data: bytes, *, max_pixels: int = MAX_PIXELS) -> bytes:
    """Mask signs and mantissas of a JPEG and move nothing: the weak scheme that is the control.

    The key stream is the same each time. Means (DC) stay, and so does the length of the file, but
    for what its codes are padded with.
    """
    file = coefficients_of(data, max_pixels=max_pixels)
    draws, planes = seeded_draws(0), []
    for plane in file.coefficients:
        masked = plane.copy()
        others = masked[..., 1:]
        chosen = others != 0
        old = others[chosen].astype(np.int64)
        ones = (1 << sizes_of(old).astype(np.int64)) - 1
        bits = np.where(old < 0, old + ones, old) ^ draws.below_each(ones + 1)
        others[chosen] = np.where(bits > ones >> 1, bits, bits - ones)
        planes.append(masked)
    return file.with_coefficients(planes).to_bytes()


def control() -> JpegTarget:
    """Return the scheme that attacks on JPEG files must break."""
    return JpegTarget(name="signs and mantissas", oracle=masked_in_place)
