"""The fallbacks of the kernels of passes, in NumPy and Python.

A grid is an array of shape (3, n), dtype int64, with the rows alpha, beta and sigma of
`ParametricGrid`. Each function that moves units reads the window, the first n x n units of a
source, and writes it to a target, which may be the source; units may have any item size. It moves
the segments start..stop-1; with `undo` it moves them back.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import Box, IntArray

Units = NDArray[Any]

# The largest numbers of units and bytes that are moved at a time, so that they stay in the cache.
_CHUNK_UNITS = 1 << 16
_CHUNK_BYTES = 1 << 19


def grids(drawn_orders: IntArray, box: Box) -> IntArray:
    """Return grids, shape (count, 3, n), from rows of concatenated permutations, one row per grid.

    These are the order of the bands, the order of the rows in each band, the order of the stacks,
    the order of the columns in each stack, the order of the digits and, if p equals q, an order of
    two that says whether the grid is transposed.
    """
    (p, q), n, count = box, box[0] * box[1], len(drawn_orders)
    bands, rows, stacks, columns, digits, transposition_orders = np.split(
        drawn_orders, np.cumsum([q, n, p, n, n]), axis=1
    )
    alpha = q * rows.reshape(count, q, p) + bands[:, :, None]
    beta = q * stacks[:, :, None] + columns.reshape(count, p, q)
    grid_tables = np.stack([alpha.reshape(count, n), beta.reshape(count, n), digits], axis=1)
    if p == q:
        is_transposed = transposition_orders[:, -1] == 1
        grid_tables[is_transposed, :2] = grid_tables[is_transposed, 1::-1]
    return grid_tables


def exchange(units: Units, partners: IntArray, undo: bool) -> None:
    """Exchange the last units, going backward, with the units at the positions in `partners`.

    With `undo`, make the same exchanges in reverse order.
    """
    last_index = len(units) - 1
    pairs = list(
        zip(range(last_index, last_index - len(partners), -1), partners.tolist(), strict=True)
    )
    # Exchanging indexes in a dictionary is faster than exchanging the units.
    indexes: dict[int, int] = {}
    for position, partner in reversed(pairs) if undo else pairs:
        moved_indexes = indexes.get(partner, partner), indexes.get(position, position)
        indexes[position], indexes[partner] = moved_indexes
    units[list(indexes)] = units[list(indexes.values())]


def move_rows(
    source: Units,
    target: Units,
    first_band: int,
    end_band: int,
    grid: IntArray,
    box: Box,
    undo: bool,
    banded: bool = False,
) -> None:
    """Make a row pass: in row r, the unit in column c moves to column S[r, c].

    The segments are bands of p rows. With `banded`, the moved units (in `target`, or with `undo` in
    `source`) are in the banded layout. `target` may be `source`.
    """
    (p, q), n = box, box[0] * box[1]
    sources, targets = (units[: n * n].reshape(q, p, p, q) for units in (source, target))
    if banded:
        sources, targets = (
            (sources.swapaxes(1, 2), targets) if undo else (sources, targets.swapaxes(1, 2))
        )
    for band_slice in _cut_into_chunks(first_band, end_band, sources[0]):
        rows = sources[band_slice].reshape(-1, n)
        row_numbers = np.arange(len(rows))[:, None]
        digits = _get_digits(grid, row_numbers + band_slice.start * p, np.arange(n))
        moved_rows = np.empty_like(rows)
        if undo:
            moved_rows[...] = rows[row_numbers, digits]
        else:
            moved_rows[row_numbers, digits] = rows
        targets[band_slice] = moved_rows.reshape(-1, p, p, q)


def move_stacks(
    source: Units,
    target: Units,
    first_stack: int,
    end_stack: int,
    grids: IntArray,
    box: Box,
    undo: bool,
    banded: bool = False,
) -> None:
    """Make a column pass, a block pass and, with a third grid, a row pass.

    In column c, the unit in row r moves to row S[r, c]; then the unit in band i and stack j with
    digit d moves to row i p + j, column d. The segments are stacks. With `banded`, units are read
    in the banded layout and written in raster order; otherwise it is the reverse. `target` may be
    `source`.
    """
    (p, q), n = box, box[0] * box[1]
    source_stacks, target_stacks = (
        np.moveaxis(units[: n * n].reshape(q, p, p, q), 1 if banded else 2, 0)
        for units in (source, target)
    )
    for stack in range(first_stack, end_stack):
        units = source_stacks[stack].reshape(n, q)
        moved_units = np.empty_like(units)
        for row_slice in _cut_into_chunks(0, n, units[0]):
            columns = np.arange(stack * q, stack * q + q)
            rows = _get_digits(
                grids[0], np.arange(row_slice.start, row_slice.stop)[:, None], columns
            )
            columns = _get_digits(grids[1], rows, columns)
            rows //= p  # the bands
            if len(grids) > 2:
                columns = _get_digits(grids[2], rows * p + stack, columns)
            offsets = rows * n + columns
            if undo:
                moved_units[row_slice] = units.reshape(-1)[offsets.reshape(-1)].reshape(-1, q)
            else:
                moved_units.reshape(-1)[offsets.reshape(-1)] = units[row_slice].reshape(-1)
        target_stacks[stack] = moved_units.reshape(target_stacks[stack].shape)


def _get_digits(grid: IntArray, rows: IntArray, columns: IntArray) -> IntArray:
    """Return the digits of a grid at rows and columns, which are broadcast together."""
    alpha, beta, sigma = grid
    digits: IntArray = np.concatenate([sigma, sigma])[alpha[rows] + beta[columns]]
    return digits


def _cut_into_chunks(first_segment: int, end_segment: int, segment: Units) -> Iterator[slice]:
    """Divide segments, each of the size of `segment`, into chunks of limited size."""
    chunk_size = max(1, min(_CHUNK_UNITS // segment.size, _CHUNK_BYTES // segment.nbytes))
    for chunk_start in range(first_segment, end_segment, chunk_size):
        yield slice(chunk_start, min(chunk_start + chunk_size, end_segment))
