"""The plain twin: the smallest image of a grid when rows, columns and digits are exchanged."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.uint8]
Places = NDArray[Any]


def smallest(
    cells: Cells, box_rows: int, heads: Cells, columns: Cells, best: Cells
) -> tuple[int, int, int]:
    """Write the smallest image, in reading order, to `best`.

    Each candidate is the rows of the first band in order, one of `heads`, and the columns in
    order, one of `columns`. It fixes the rest: the first row is relabelled to 0, 1, 2, ..., other
    rows of a band and bands rise in their first column. Returned are the first head and columns
    that give the smallest image, and how many pairs of them do.
    """
    n = len(cells)
    chosen = []
    tops = []
    for number, head in enumerate(heads):
        own = cells[head[:, None], columns[:, None, :]].astype(np.intp)
        label = np.argsort(own[:, 0], axis=1)
        top = np.take_along_axis(label[:, None], own, axis=2).reshape(len(columns), -1)
        places = _least(top)
        tops.append(top[places])
        chosen.append(np.stack([np.full(len(places), number), places], axis=1))
    pairs = np.concatenate(chosen)
    pairs = pairs[_least(np.concatenate(tops))]
    images = np.array([_image(cells, box_rows, heads[i], columns[j]) for i, j in pairs])
    found = _least(images.reshape(len(images), n * n))
    best[...] = images[found[0]]
    return int(pairs[found[0], 0]), int(pairs[found[0], 1]), len(found)


def _image(cells: Cells, box_rows: int, head: Cells, columns: Cells) -> Cells:
    """Return the image that the rows of the first band and the columns fix."""
    moved = np.argsort(cells[head[0], columns])[cells[:, columns]]
    image: Cells = moved[rows_of(moved[:, 0], box_rows, head)].astype(np.uint8)
    return image


def rows_of(first: Places, box_rows: int, head: Cells) -> Places:
    """Return all rows in order, the first band as in `head`, others by their first digits."""
    bands = np.arange(len(first)).reshape(-1, box_rows)
    others = np.delete(bands, head[0] // box_rows, axis=0)
    others = np.take_along_axis(others, np.argsort(first[others], axis=1), axis=1)
    others = others[np.argsort(first[others[:, 0]])]
    return np.concatenate([head.astype(np.intp), others.ravel()])


def _least(lines: Places) -> Places:
    """Return the places of the lexicographically smallest lines."""
    places = np.arange(len(lines))
    for column in lines.T:
        values = column[places]
        places = places[values == values.min()]
    return places
