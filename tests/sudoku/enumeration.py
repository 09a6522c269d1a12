"""All grids of a small order, enumerated by trying every row."""

from functools import cache
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import Box, IntArray


@cache
def list_reduced_grids(box: Box) -> IntArray:
    """Return all grids whose first row is 0, 1, 2, ..., shape (count, n, n)."""
    box_rows, box_columns = box
    order = box_rows * box_columns
    rows = np.array(list(permutations(range(order))))
    differ_everywhere = (rows[:, None] != rows).all(axis=2)
    boxes = np.sort(rows.reshape(-1, box_rows, box_columns), axis=2)
    share_digit = (boxes[:, None, :, :, None] == boxes[None, :, :, None, :]).any(axis=(2, 3, 4))
    grids = np.zeros((1, 1), dtype=np.int64)
    for number in range(1, order):
        allowed = np.ones((len(grids), factorial(order)), dtype=bool)
        for other_row in range(number):
            allowed &= differ_everywhere[grids[:, other_row]]
            if other_row // box_rows == number // box_rows:
                allowed &= ~share_digit[grids[:, other_row]]
        grid_indexes, row_indexes = np.nonzero(allowed)
        grids = np.hstack([grids[grid_indexes], row_indexes[:, None]])
    return rows[grids]


def relabel_digits(grids: IntArray) -> IntArray:
    """Return the grids relabeled so that their first rows are 0, 1, 2, ...."""
    flat = grids.reshape(len(grids), -1)
    labels = np.argsort(grids[:, 0], axis=1)
    return np.take_along_axis(labels, flat, axis=1).reshape(grids.shape)


def find_indexes(grids: IntArray, known: IntArray) -> NDArray[np.intp]:
    """Return the indexes of grids in an array of grids, which must contain them."""
    known_keys, keys = (_make_keys(group) for group in (known, grids))
    order = np.argsort(known_keys)
    positions: NDArray[np.intp] = order[np.searchsorted(known_keys[order], keys)]
    assert (known_keys[positions] == keys).all()
    return positions


def _make_keys(grids: IntArray) -> NDArray[np.bytes_]:
    cells = grids[0].size
    return np.ascontiguousarray(grids.reshape(len(grids), -1).astype(np.uint8) + 1).view(
        f"S{cells}"
    )[:, 0]
