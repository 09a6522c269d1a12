"""The plain twins: what the kernels compute, in NumPy and Python.

Every function that moves units reads the lanes start..stop-1 of a source and writes them to a
target, which may be the same array; units may have any item size. Three tables of unsigned numbers
of 16 or 32 bits, (outer, inner, shifts), say what belongs together: the cell with number x in lane
y is looked up at ``outer[inner[x] + shifts[y]]``, where `outer` holds 2n numbers so that no sum
needs a remainder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import Box, IntArray

if TYPE_CHECKING:
    from sudokucrypt.bijections.passes import StackTables
    from sudokucrypt.sudoku.model import ParametricGrid

Units = NDArray[Any]
Table = NDArray[np.unsignedinteger]
Tables = tuple[Table, Table, Table]

STACKED = False
"""Whether pictures may be stacked between two passes; here that would save nothing."""

_CHUNK = 1 << 16
_CHUNK_BYTES = 1 << 19
"""How much is moved at a time: index and copy of that many units, or bytes, stay in the cache."""


def row_tables(grid: ParametricGrid, undo: bool) -> Tables:
    """Return the tables that move the unit in column c of row r to column S[r, c], or back."""
    return _tables(np.arange(grid.order), np.arange(grid.order), grid, undo)


def stack_tables(
    column: ParametricGrid,
    block: ParametricGrid,
    row: ParametricGrid | None,
    undo: bool,
    stacked: bool,
) -> tuple[Any, ...]:
    """Return the fields of `passes.StackTables` for the grids of three passes.

    With `stacked`, rows are counted as a stacked picture has them.
    """
    (p, q), n = block.box, block.order
    beta = block.beta.reshape(p, q)
    # The columns of a stack have q offsets in a row, or else, transposed, q apart.
    transposed = bool((beta[0] // q != beta[0, 0] // q).any())
    within, starts = (beta // q, beta % q) if transposed else (beta % q, beta // q * q)
    sums = np.arange(n)
    spread = sums % q * 2 * q + sums // q if transposed else sums
    rows = np.argsort(column.alpha)
    numbers = (
        rows % p * q + rows // p if stacked else rows,
        column.beta,
        column.sigma // p,
        block.alpha[column.sigma],
        starts[:, 0],
        np.argsort(within, axis=1).ravel(),
    )
    tables = _tables(block.sigma, spread, row, undo)
    return (block.box, transposed, *(each.astype(np.uint32) for each in numbers), *tables)


def _tables(sigma: IntArray, spread: IntArray, row: ParametricGrid | None, undo: bool) -> Tables:
    """Return the last three tables, for sums that lie at the places `spread` of a segment."""
    n = len(sigma)
    outer, shifts = np.empty(0, np.int64), np.zeros(n, np.int64)
    inner = sigma[np.argsort(spread)] if undo else spread[np.argsort(sigma)]
    if row is not None and undo:
        outer, inner, shifts = row.sigma, row.beta[inner], row.alpha
    elif row is not None:
        outer, inner = inner[np.argsort(row.beta)], np.argsort(row.sigma)
        shifts = -row.alpha % n
    kind = np.uint16 if 2 * n <= 1 << 16 else np.uint32
    return np.tile(outer, 2).astype(kind), inner.astype(kind), shifts.astype(np.uint32)


def exchange(units: Units, places: NDArray[np.int64], undo: bool) -> None:
    """Exchange, from the last unit backwards, each with the one at the next of `places`.

    With `undo`, make the same exchanges from the last one to the first.
    """
    last = len(units) - 1
    pairs = list(zip(range(last, last - len(places), -1), places.tolist(), strict=True))
    # Exchanging numbers in a dictionary is quicker than exchanging the units themselves.
    found: dict[int, int] = {}
    for one, other in reversed(pairs) if undo else pairs:
        found[one], found[other] = found.get(other, other), found.get(one, one)
    new, old = (np.array(list(ends), dtype=np.int64) for ends in (found, found.values()))
    units[new] = units[old]


def move_rows(
    source: Units, target: Units, start: int, stop: int, tables: Tables, box: Box
) -> None:
    """In row r of n x n units, place x takes the unit at ``outer[inner[x] + shifts[r]]``.

    Rows are counted as stacks need them: i p + j is the one with number j q + i.
    """
    outer, inner, shifts = tables
    n = len(inner)
    old, new = source.reshape(n, n), target.reshape(n, n)
    order = np.arange(n).reshape(box[1], box[0]).T.ravel()
    for lanes in _chunks(start, stop, old[0]):
        rows = order[lanes]
        new[rows] = np.take_along_axis(
            old[rows], outer[inner + shifts[rows, None]].astype(np.intp), 1
        )


def move_stacks(
    source: Units, target: Units, start: int, stop: int, tables: StackTables, undo: bool
) -> None:
    """Make a column, a block and perhaps a row pass over stacks of n x n units, or undo them.

    `target` is another array than `source`. The tables are those of `passes.StackTables`.
    """
    p, q = tables.box
    n = p * q
    old, new = source.reshape(n, n), target.reshape(n, n)
    every = np.arange(n)
    spread = every // q * 2 * q + every % q if tables.transposed else every
    for stack in range(start, stop):
        columns = stack * q + tables.columns[stack * q : stack * q + q].astype(np.intp)
        lanes = (every[:, None] - tables.turns[columns].astype(np.intp)) % n
        cells = tables.rows[lanes] * np.intp(n) + columns
        places = tables.places.astype(np.intp)[:, None] + tables.starts[stack]
        if tables.transposed:
            places = places % q * 2 * q + (places // q + np.arange(q)) % q
        else:
            places = (places + np.arange(q)) % n
        places += tables.bands[:, None] * np.intp(2 * n)
        rows = np.arange(stack, n, p)
        found = tables.inner.astype(np.intp)
        if tables.outer.size:
            found = tables.outer[found + tables.shifts[rows, None]].astype(np.intp)
        segments = np.empty((q, 2 * n), dtype=old.dtype)
        if undo:
            segments[:, spread] = np.take_along_axis(old[rows], np.broadcast_to(found, (q, n)), 1)
            new.reshape(-1)[cells] = segments.reshape(-1)[places]
        else:
            segments.reshape(-1)[places] = old.reshape(-1)[cells]
            new[rows] = np.take_along_axis(segments, np.broadcast_to(found, (q, n)), 1)


def _chunks(start: int, stop: int, lane: Units) -> Iterator[slice]:
    """Cut lanes start..stop-1, each like `lane`, into runs of bounded size."""
    step = max(1, min(_CHUNK // lane.size, _CHUNK_BYTES // lane.nbytes))
    for first in range(start, stop, step):
        yield slice(first, min(first + step, stop))
