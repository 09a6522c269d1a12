"""The plain twins: what the kernels compute, in NumPy and Python.

Every function that moves units reads the lanes start..stop-1 of a source and writes them to a
target, which may be the same array; units may have any item size. Three tables of unsigned numbers
of 16 or 32 bits, (outer, inner, shifts), say what belongs together: the cell with number x in lane
y is looked up at ``outer[inner[x] + shifts[y]]``, where `outer` holds 2n numbers so that no sum
needs a remainder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Units = NDArray[Any]
Table = NDArray[np.unsignedinteger]
Tables = tuple[Table, Table, Table]

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


def move_rows(source: Units, target: Units, start: int, stop: int, tables: Tables) -> None:
    """In row r of n x n units, place x takes the unit at ``outer[inner[x] + shifts[r]]``."""
    outer, inner, shifts = tables
    n = len(inner)
    old, new = source.reshape(n, n), target.reshape(n, n)
    for lanes in _chunks(start, stop, old[0]):
        _gather(old[lanes], new[lanes], outer[inner + shifts[lanes, None]])


def move_columns(source: Units, target: Units, start: int, stop: int, tables: Tables) -> None:
    """In column c of n x n units, place x takes the unit at ``outer[inner[x] + shifts[c]]``."""
    outer, inner, shifts = tables
    n = len(inner)
    old, new = source.reshape(n, n).T, target.reshape(n, n).T
    for lanes in _chunks(start, stop, old[0]):
        _gather(old[lanes], new[lanes], outer[inner + shifts[lanes, None]])


def spread_bands(
    source: Units, target: Units, start: int, stop: int, tables: Tables, box_rows: int
) -> None:
    """In each band of n x n units, the unit (r, c) goes to row c div q of the band.

    Its column there is ``outer[inner[c] + shifts[r]]``; q is n div `box_rows`.
    """
    for old, new, places in _bands(source, target, start, stop, tables, box_rows):
        moved = np.empty(old.size, dtype=old.dtype)
        moved[places] = old
        new[...] = moved.reshape(new.shape)


def collect_bands(
    source: Units, target: Units, start: int, stop: int, tables: Tables, box_rows: int
) -> None:
    """Undo `spread_bands` with the same tables."""
    for old, new, places in _bands(source, target, start, stop, tables, box_rows):
        new[...] = old.ravel().take(places)


def _bands(
    source: Units, target: Units, start: int, stop: int, tables: Tables, box_rows: int
) -> Iterator[tuple[Units, Units, NDArray[np.intp]]]:
    """Yield a few bands, old and new, and for each unit its place in them when spread."""
    outer, inner, shifts = tables
    n = len(inner)
    old, new = (units.reshape(n // box_rows, box_rows, n) for units in (source, target))
    stacks = np.arange(n) // (n // box_rows)
    for bands in _chunks(start, stop, old[0]):
        places = outer[inner + shifts.reshape(-1, box_rows, 1)[bands]].astype(np.intp)
        tops = np.arange(len(places))[:, None, None] * box_rows
        places += (tops + stacks) * n
        yield old[bands], new[bands], places


def _gather(old: Units, new: Units, places: Table) -> None:
    """Let place x of each lane take the unit at ``places[lane, x]`` of that lane."""
    indices = places.astype(np.intp)
    indices += np.arange(len(old))[:, None] * old.shape[1]
    new[...] = old.ravel().take(indices)


def _chunks(start: int, stop: int, lane: Units) -> Iterator[slice]:
    """Cut lanes start..stop-1, each like `lane`, into runs of bounded size."""
    step = max(1, min(_CHUNK // lane.size, _CHUNK_BYTES // lane.nbytes))
    for first in range(start, stop, step):
        yield slice(first, min(first + step, stop))
