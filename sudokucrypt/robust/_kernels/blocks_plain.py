"""The compiled kernels as NumPy functions, for machines without a C compiler and for readers.

Blocks are the rows of arrays of shape (n, 64), dtype uint8: 8 x 8 samples, row by row. The blocks
of a plane are in reading order, `blocks_across` in a row. So that threads can share the work, each
function does only a part of it: blocks, rows of blocks or rows of pixels `start`..`stop` - 1. All
results are integers, and equal on all machines.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray, IntArray

Blocks = NDArray[np.uint8]

_FREQUENCIES, _POSITIONS = np.indices((8, 8))
# Floats with integer values, whose products are exact and fast.
_COSINE_BASIS = np.rint(
    8192
    * np.where(_FREQUENCIES, 0.5, np.sqrt(0.125))
    * np.cos((2 * _POSITIONS + 1) * _FREQUENCIES * np.pi / 16)
)

# Blocks that are transformed at a time, which take 2 MiB as floats.
_BLOCKS_AT_ONCE = 1 << 12
_BAND_ROWS = 32  # rows of blocks that are converted at a time


def flip(blocks: Blocks, signs: Blocks, gain: int, start: int, stop: int) -> None:
    """Apply a DCT to blocks, flip signs of coefficients, transform back and scale, in place.

    Parameters
    ----------
    blocks : ndarray of shape (n, 64), dtype uint8
        The samples.
    signs : ndarray of shape (n, 8), dtype uint8
        Frequency (u, v) changes its sign where bit v of byte u is set; u counts from top to
        bottom, v from left to right, and the lowest bit is bit 0.
    gain : int
        The factor of the differences from 128, in 4096ths.
    start, stop : int
        The first block, and the block after the last.
    """
    for first, end in _split_range(start, stop, _BLOCKS_AT_ONCE):
        square = blocks[first:end].reshape(-1, 8, 8) - 128.0
        rows = _divide_rounded(_COSINE_BASIS @ square, 8)
        spectrum = _divide_rounded(rows @ _COSINE_BASIS.T, 14)
        bits = np.unpackbits(signs[first:end], axis=1, bitorder="little").reshape(-1, 8, 8)
        spectrum = np.where(bits, -spectrum, spectrum)
        columns = _divide_rounded(spectrum @ _COSINE_BASIS, 13)
        samples = _divide_rounded(_divide_rounded(_COSINE_BASIS.T @ columns, 13) * gain, 16) + 128
        blocks[first:end] = np.clip(samples, 0, 255).reshape(-1, 64)


def fill_light(pixels: Blocks, luma: Blocks, blocks_across: int, start: int, stop: int) -> None:
    """Write the luma of pixels of shape (M, N, 1) or (M, N, 3) to rows of blocks."""
    for first_row, end_row in _split_range(start, stop, _BAND_ROWS):
        band = _get_extended_band(pixels, (8 * first_row, 8 * end_row), 8 * blocks_across)
        if band.shape[2] == 3:
            band = (band @ np.array([19595, 38470, 7471]) + 32768 >> 16)[..., None]
        luma[first_row * blocks_across : end_row * blocks_across] = _cut_blocks(band[..., 0])


def fill_colors(
    pixels: Blocks, blue: Blocks, red: Blocks, blocks_across: int, start: int, stop: int
) -> None:
    """Write both chroma planes of pixels of shape (M, N, 3), at half size, to rows of blocks."""
    for first_row, end_row in _split_range(start, stop, _BAND_ROWS):
        # If the number of rows or columns is odd, the last one is repeated before averaging.
        even_sized_band = _get_extended_band(
            pixels, (16 * first_row, 16 * end_row), 16 * blocks_across
        )
        pixel_sums = even_sized_band.reshape(
            8 * (end_row - first_row), 2, 8 * blocks_across, 2, 3
        ).sum(axis=(1, 3))
        for plane, shares in ((blue, (-11059, -21709, 32768)), (red, (32768, -27439, -5329))):
            chroma = pixel_sums @ np.array(shares) + (128 << 18) + (1 << 17) - 1 >> 18
            plane[first_row * blocks_across : end_row * blocks_across] = _cut_blocks(chroma)


def join_colors(
    luma: Blocks,
    blue: Blocks,
    red: Blocks,
    luma_columns: int,
    chroma_columns: int,
    pixels: Blocks,
    start: int,
    stop: int,
) -> None:
    """Write rows of pixels of shape (M, N, 3) from the blocks of all planes."""
    rows, columns = pixels.shape[:2]
    for first_row, end_row in _split_range(start, stop, 8 * _BAND_ROWS):
        positions = np.arange(first_row, end_row)
        y = _get_sample_rows(luma, luma_columns, positions)[:, :columns]
        row, next_row = _find_neighbors(positions, (rows + 1) // 2)
        column, next_column = _find_neighbors(np.arange(columns), (columns + 1) // 2)
        b, r = (
            (3 * sums[:, column] + sums[:, next_column] + 8 >> 4) - 128
            for plane in (blue, red)
            for sums in (
                3 * _get_sample_rows(plane, chroma_columns, row)
                + _get_sample_rows(plane, chroma_columns, next_row),
            )
        )
        pixels[first_row:end_row, :, 0] = np.clip(y + (91881 * r + 32768 >> 16), 0, 255)
        pixels[first_row:end_row, :, 1] = np.clip(y - (22554 * b + 46802 * r + 32768 >> 16), 0, 255)
        pixels[first_row:end_row, :, 2] = np.clip(y + (116130 * b + 32768 >> 16), 0, 255)


def _split_range(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(start, stop, size), stop])


def _divide_rounded(values: AnyArray, bits: int) -> AnyArray:
    """Return integers divided by 2 ** `bits` and rounded, halves up."""
    return np.floor((values + 2.0 ** (bits - 1)) / 2.0**bits)


def _get_extended_band(pixels: Blocks, rows: tuple[int, int], columns: int) -> IntArray:
    """Return the pixels `rows[0]`..`rows[1]` - 1 of the first `columns` columns.

    Beyond the picture, the last row and column are repeated.
    """
    row_indexes = np.minimum(np.arange(*rows), pixels.shape[0] - 1)
    column_indexes = np.minimum(np.arange(columns), pixels.shape[1] - 1)
    return np.asarray(pixels[row_indexes][:, column_indexes], dtype=np.int64)


def _cut_blocks(plane: AnyArray) -> AnyArray:
    """Return the blocks of a plane, whose sides are multiples of 8."""
    blocks_down, blocks_across = plane.shape[0] // 8, plane.shape[1] // 8
    return plane.reshape(blocks_down, 8, blocks_across, 8).swapaxes(1, 2).reshape(-1, 64)


def _get_sample_rows(blocks: Blocks, blocks_across: int, rows: IntArray) -> IntArray:
    """Return the given rows of samples of a plane."""
    square = blocks.reshape(-1, blocks_across, 8, 8)
    return np.asarray(square[rows // 8, :, rows % 8].reshape(len(rows), -1), dtype=np.int64)


def _find_neighbors(positions: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Return, for each position, the two nearest of `count` positions in a half-size plane."""
    nearest_positions = positions // 2
    return nearest_positions, np.clip(
        nearest_positions + np.where(positions % 2, 1, -1), 0, count - 1
    )
