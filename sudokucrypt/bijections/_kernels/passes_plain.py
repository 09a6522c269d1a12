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

from sudokucrypt.typing import Box

if TYPE_CHECKING:
    from sudokucrypt.bijections.passes import StackTables

Units = NDArray[Any]
Table = NDArray[np.unsignedinteger]
Tables = tuple[Table, Table, Table]

STACKED = False
"""Whether pictures may be stacked between two passes; here that would save nothing."""

_CHUNK = 1 << 16
_CHUNK_BYTES = 1 << 19
"""How much is moved at a time: index and copy of that many units, or bytes, stay in the cache."""


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
        columns = stack * q + tables.columns[stack].astype(np.intp)
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
