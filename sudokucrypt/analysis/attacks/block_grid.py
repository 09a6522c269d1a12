"""Blocks of pictures: cutting them, and how large those of a scrambled picture are.

BlockEdges of blocks that moved show as steps at equal distances.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray

# Evidence of blocks; without blocks there is less, save in pictures that have a grid anyway.
_PLAIN = 5.0


def middle_blocks(
    image: AnyArray, block_size: int, *, most: int
) -> tuple[AnyArray, tuple[int, int]]:
    """Return the middle of an image, of whole blocks, and how many there are in each direction.

    There are no more than `most`, in about the proportions of the image.
    """
    down, across = image.shape[0] // block_size, image.shape[1] // block_size
    rows, columns = down, across
    if rows * columns > most:
        rows = min(rows, max(1, isqrt(most * rows // columns)))
        columns = min(columns, most // rows)
    top, left = (down - rows) // 2 * block_size, (across - columns) // 2 * block_size
    part = image[top : top + rows * block_size, left : left + columns * block_size]
    return np.ascontiguousarray(part), (rows, columns)


def cut_blocks(image: AnyArray, block_size: int) -> AnyArray:
    """Return the blocks of an image in reading order, of shape (n, b, b, C)."""
    rows, columns = image.shape[0] // block_size, image.shape[1] // block_size
    grid = image.reshape(rows, block_size, columns, block_size, -1).swapaxes(1, 2)
    return np.ascontiguousarray(grid.reshape(rows * columns, block_size, block_size, -1))


def estimated_block_size(image: AnyArray) -> int | None:
    """Return the side of the blocks that an image is made of, None if no blocks show.

    The image has the shape (M, N) or (M, N, C). Sides are from 2 to half the shorter one.
    """
    evidence = block_evidence(image)
    side = int(evidence.argmax())
    return side if evidence[side] >= _PLAIN else None


def block_evidence(image: AnyArray) -> NDArray[np.float64]:
    """Return for each side of blocks how plainly they show, from 0 to half the shorter side.

    Steps between neighbouring pixels are averaged along each line between two rows or columns.
    Where blocks meet, at each multiple of their side, they are larger: the evidence is the
    difference of the means there and elsewhere, over its deviation (Student's t). Divisors and
    multiples of the side show less.
    """
    lines = [_mean_steps(image), _mean_steps(image.swapaxes(0, 1))]
    total, squares = (sum(float(np.sum(steps**power)) for steps in lines) for power in (1, 2))
    count = sum(map(len, lines))
    evidence = np.zeros(min(image.shape[:2]) // 2 + 1)
    # Student's t for two means, with sums that are shared by all sides: linear in the lines for
    # each side.
    for side in range(2, len(evidence)):
        edges = np.concatenate([steps[side - 1 :: side] for steps in lines])
        here, rest = edges.sum(), count - len(edges)
        mean, other = here / len(edges), (total - here) / rest
        within = squares - here * mean - (total - here) * other
        # Without any spread, as in a constant picture, there is nothing to tell apart.
        if within > 0:
            spread = within / (count - 2) * (1 / len(edges) + 1 / rest)
            evidence[side] = (mean - other) / np.sqrt(spread)
    return evidence


def _mean_steps(image: AnyArray) -> NDArray[np.float64]:
    """Return the mean step from each row to the next."""
    pairs = zip(image[1:], image[:-1], strict=True)
    steps = (np.abs(np.subtract(*pair, dtype=np.int32)).mean() for pair in pairs)
    return np.fromiter(steps, dtype=np.float64)
