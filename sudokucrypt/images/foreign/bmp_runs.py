"""BMP run lengths: pairs of count and color, and a count of zero that says something else.

::

    3 7      three pixels of color 7; with 4 bits, 3 0x78 is 7 8 7
    0 0      end of the row        0 1      end of the picture
    0 2 r d  go right and down     0 n ...  n pixels as they are, filled up to two bytes
"""

from __future__ import annotations

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_END_OF_ROW, _END, _MOVE = 0, 1, 2


def expand_runs(source: Source, data: memoryview, bits: int, shape: tuple[int, ...]) -> AnyArray:
    """Return the samples of run lengths in the order in which they are stored.

    Parameters
    ----------
    source : Source
        The file.
    data : memoryview
        The codes, and perhaps something behind them.
    bits : int
        Bits of a sample, 4 or 8.
    shape : tuple of int
        Rows and columns.

    Returns
    -------
    ndarray of uint8
        Pixels that the codes pass over are 0, and runs that leave their row are cut: so does
        Pillow.

    Raises
    ------
    InvalidImageError
        If the codes stop before the last row, or lead out of the picture.
    """
    # No writer needs more codes: a move and a pixel for each pixel, and an end for each row.
    most = 6 * shape[0] * (shape[1] + 1)
    codes = np.frombuffer(data[:most], dtype=np.uint8)
    # Where counts of zero may stand, by whether codes begin at even or odd bytes.
    zeros = [np.flatnonzero(codes[start:-1:2] == 0) * 2 + start for start in (0, 1)]
    pixels = np.zeros(shape, dtype=np.uint8)
    position = row = column = 0
    while row < shape[0]:
        following = zeros[position % 2]
        index = int(np.searchsorted(following, position))
        escape = int(following[index]) if index < len(following) else len(codes)
        run = _runs(codes[position:escape], bits, shape[1] - column)
        pixels[row, column : column + len(run)] = run
        column += len(run)
        kind = _END if escape == len(codes) else int(codes[escape + 1])
        position = escape + 2
        if kind == _END:
            if row < shape[0] - 1 or column < shape[1]:
                raise source.cut_short()
            break
        if kind == _END_OF_ROW:
            row, column = row + 1, 0
        elif kind == _MOVE:
            if position + 2 > len(codes):
                raise source.cut_short()
            column = min(column + int(codes[position]), shape[1])
            row += int(codes[position + 1])
            position += 2
        else:
            size = (kind * bits + 7) // 8
            stored = codes[position : position + size]
            if len(stored) < size:
                raise source.cut_short()
            samples = stored if bits == 8 else unpack_bits(stored[np.newaxis], bits, kind)[0]
            part = samples[: shape[1] - column]
            pixels[row, column : column + len(part)] = part
            column += len(part)
            position += size + size % 2
    return pixels


def _runs(pairs: AnyArray, bits: int, most: int) -> AnyArray:
    """Return the pixels of count and color, count and color, ...; at most `most`."""
    pairs = pairs[: len(pairs) // 2 * 2].reshape(-1, 2)
    # Each run has a pixel or more: a row of them can stop at as many runs as it has pixels.
    counts, colors = pairs[:most, 0], pairs[:most, 1]
    if bits == 8:
        return np.repeat(colors, counts)[:most]
    lengths = counts.astype(np.int64)
    places = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    both = np.repeat(colors, lengths)
    return np.where(places % 2 == 0, both >> 4, both & 15).astype(np.uint8)[:most]
