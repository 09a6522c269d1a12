"""PNG filters: lines stored as their differences from what neighbouring bytes let expect."""

from typing import Final

import numpy as np

from sudokucrypt.typing import AnyArray

NONE, SUB, UP, AVERAGE, PAETH = KINDS = range(5)

_BLOCK: Final = 2**16  # bytes filtered at a time, so that what they take stays in the cache


def padded(raw: AnyArray, size: int, *, top: bool) -> AnyArray:
    """Return lines with a pixel of zeros to the left, and at the top a line of zeros if asked.

    Parameters
    ----------
    raw : ndarray of shape (M, L), dtype uint8
        The bytes of lines, with the one above them first unless `top`.
    size : int
        Bytes of a pixel.
    """
    lines = np.zeros((top + len(raw), size + raw.shape[1]), dtype=np.uint8)
    lines[top:, size:] = raw
    return lines


def filtered(lines: AnyArray, size: int, kind: int) -> AnyArray:
    """Return what is stored of padded lines: the filter and L bytes of each but the first."""
    rows, length = len(lines) - 1, lines.shape[1] - size
    stored = np.empty((rows, 1 + length), dtype=np.uint8)
    stored[:, 0] = kind
    if kind == NONE:
        stored[:, 1:] = lines[1:, size:]
        return stored
    step = max(1, _BLOCK // length)
    for row in range(0, rows, step):
        for start in range(0, length, _BLOCK):
            part = lines[row : row + step + 1, start : start + size + _BLOCK]
            left, above, corner = part[1:, :-size], part[:-1, size:], part[:-1, :-size]
            target = stored[row : row + step, 1 + start : 1 + start + _BLOCK]
            np.subtract(part[1:, size:], _expected(left, above, corner, kind), out=target)
    return stored


def _expected(left: AnyArray, above: AnyArray, corner: AnyArray, kind: int) -> AnyArray:
    if kind == SUB:
        return left
    if kind == UP:
        return above
    if kind == AVERAGE:
        return (left & above) + ((left ^ above) >> 1)
    # Paeth takes of three neighbours the one nearest to left + above - corner. That is the corner
    # if it lies between the others, and from neither at least twice as far as from the other.
    low, high = np.minimum(left, above), np.maximum(left, above)
    middle = np.minimum(np.maximum(corner, low), high)
    up, down = high - middle, middle - low
    # As products: to choose by a mask takes NumPy twenty times as long.
    nearest: AnyArray = middle + up * (up >> 1 >= down) - down * (down >> 1 >= up)
    return nearest
