"""The fallbacks: what the kernels compute, in NumPy and Python.

A grid is an array of shape (3, n), dtype int64, whose rows alpha, beta and sigma are those of
`ParametricGrid`. Every function that moves units reads a window of n x n units at the start of a
source and writes it to a target, which may be the source; units may have any item size. It moves
the segments start..stop-1, and with `undo` it brings them back.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import Box, IntArray

Units = NDArray[Any]

_CHUNK = 1 << 16
# How much is moved at a time: index and copy of that many units, or bytes, stay in the cache.
_CHUNK_BYTES = 1 << 19


def grids(drawn: IntArray, box: Box) -> IntArray:
    """Return grids, shape (count, 3, n), from what was drawn for each, shape (count, numbers).

    Drawn are the order of the bands, that of the rows in each, the order of the stacks, that of
    the columns in each, the digits and, where p is q, whether rows and columns change places.
    """
    (p, q), n, count = box, box[0] * box[1], len(drawn)
    bands, rows, stacks, columns, digits, turned = np.split(
        drawn, np.cumsum([q, n, p, n, n]), axis=1
    )
    alpha = q * rows.reshape(count, q, p) + bands[:, :, None]
    beta = q * stacks[:, :, None] + columns.reshape(count, p, q)
    stacked = np.stack([alpha.reshape(count, n), beta.reshape(count, n), digits], axis=1)
    if p == q:
        exchanged = turned[:, -1] == 1
        stacked[exchanged, :2] = stacked[exchanged, 1::-1]
    return stacked


def exchange(units: Units, partners: IntArray, undo: bool) -> None:
    """Exchange, from the last unit backwards, each with the one at the next of `partners`.

    With `undo`, make the same exchanges from the last one to the first.
    """
    last = len(units) - 1
    pairs = list(zip(range(last, last - len(partners), -1), partners.tolist(), strict=True))
    # Exchanging indices in a dictionary is quicker than exchanging the units themselves.
    moved: dict[int, int] = {}
    for one, other in reversed(pairs) if undo else pairs:
        moved[one], moved[other] = moved.get(other, other), moved.get(one, one)
    new, old = (np.array(list(ends), dtype=np.int64) for ends in (moved, moved.values()))
    units[new] = units[old]


def move_rows(
    source: Units,
    target: Units,
    start: int,
    stop: int,
    grid: IntArray,
    box: Box,
    undo: bool,
    banded: bool = False,
) -> None:
    """Make a row pass: in row r, the unit in column c goes to column S[r, c].

    The segments are bands of p rows. `target`, which may be `source`, is in the banded layout if
    asked, or with `undo` the source is.
    """
    (p, q), n = box, box[0] * box[1]
    old, new = (units[: n * n].reshape(q, p, p, q) for units in (source, target))
    if banded:
        old, new = (old.swapaxes(1, 2), new) if undo else (old, new.swapaxes(1, 2))
    for bands in _chunks(start, stop, old[0]):
        rows = old[bands].reshape(-1, n)
        lines = np.arange(len(rows))[:, None]
        digits = _digits(grid, lines + bands.start * p, np.arange(n))
        moved = np.empty_like(rows)
        if undo:
            moved[...] = rows[lines, digits]
        else:
            moved[lines, digits] = rows
        new[bands] = moved.reshape(-1, p, p, q)


def move_stacks(
    source: Units,
    target: Units,
    start: int,
    stop: int,
    grids: IntArray,
    box: Box,
    undo: bool,
    banded: bool = False,
) -> None:
    """Make a column, a block and, with a third grid, a row pass.

    In column c, row r goes to row S[r, c]; then the unit in band i and stack j, with the digit d,
    goes to row i p + j, column d. The segments are stacks. Columns are read in the raster or the
    banded layout, and rows written in the other one, to the same memory; `target` may be `source`.
    """
    (p, q), n = box, box[0] * box[1]
    old, new = (
        np.moveaxis(units[: n * n].reshape(q, p, p, q), 1 if banded else 2, 0)
        for units in (source, target)
    )
    for stack in range(start, stop):
        units = old[stack].reshape(n, q)
        moved = np.empty_like(units)
        for lines in _chunks(0, n, units[0]):
            columns = np.arange(stack * q, stack * q + q)
            rows = _digits(grids[0], np.arange(lines.start, lines.stop)[:, None], columns)
            columns = _digits(grids[1], rows, columns)
            rows //= p  # the bands
            if len(grids) > 2:
                columns = _digits(grids[2], rows * p + stack, columns)
            offsets = rows * n + columns
            if undo:
                moved[lines] = units.reshape(-1)[offsets.reshape(-1)].reshape(-1, q)
            else:
                moved.reshape(-1)[offsets.reshape(-1)] = units[lines].reshape(-1)
        new[stack] = moved.reshape(new[stack].shape)


def _digits(grid: IntArray, rows: IntArray, columns: IntArray) -> IntArray:
    """Return the digits of a grid at rows and columns that broadcast together."""
    alpha, beta, sigma = grid
    digits: IntArray = np.concatenate([sigma, sigma])[alpha[rows] + beta[columns]]
    return digits


def _chunks(start: int, stop: int, segment: Units) -> Iterator[slice]:
    """Cut segments start..stop-1, each like `segment`, into runs of bounded size."""
    step = max(1, min(_CHUNK // segment.size, _CHUNK_BYTES // segment.nbytes))
    for first in range(start, stop, step):
        yield slice(first, min(first + step, stop))
