"""The passes: each moves the units of the window by one Sudoku bijection.

A pass cuts the window into lanes (rows, columns or bands) that are permuted each on its own, so
it needs room for a few lanes only and never an index of the whole image, and threads can share
the lanes. It leaves the spares behind the window alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.bijections.maps import invert
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.model import ParametricGrid
from sudokucrypt.typing import AnyArray, IntArray
from sudokucrypt.workers import Workers

Table = NDArray[np.unsignedinteger]
Tables = tuple[Table, Table, Table]
Lanes = Callable[[int, int], None]

_kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")


class Pass(Protocol):
    """A permutation of N units, from one array of shape (N,) to another or in place."""

    def apply(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` to its new place in `target`."""
        ...

    def invert(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` back to its old place in `target`."""
        ...


@dataclass(frozen=True, eq=False)
class RowPass:
    """Row-digit: in each row r, column c goes to column S[r, c]."""

    grid: ParametricGrid

    def apply(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` to its new place in `target`."""
        workers.share(self.grid.order, self.lanes(source, target, undo=False))

    def invert(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` back to its old place in `target`."""
        workers.share(self.grid.order, self.lanes(source, target, undo=True))

    def lanes(self, source: AnyArray, target: AnyArray, *, undo: bool) -> Lanes:
        """Return what moves the rows start..stop-1."""
        old, new = _windows(source, target, self.grid.order)
        tables = (_targets if undo else _sources)(self.grid.sigma, self.grid.beta, self.grid.alpha)
        return lambda start, stop: _kernels.move_rows(old, new, start, stop, tables)

    def moved(self, places: IntArray) -> IntArray:
        """Return where the units at `places`, inside the window or behind it, go."""
        n = self.grid.order
        rows, columns = np.divmod(places, n)
        inside = rows < n
        return np.where(inside, rows * n + self.grid.digits(rows * inside, columns), places)


@dataclass(frozen=True, eq=False)
class ColumnPass:
    """Digit-column: in each column c, row r goes to row S[r, c]."""

    grid: ParametricGrid

    def apply(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` to its new place in `target`."""
        workers.share(self.grid.order, self._lanes(source, target, undo=False))

    def invert(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` back to its old place in `target`."""
        workers.share(self.grid.order, self._lanes(source, target, undo=True))

    def _lanes(self, source: AnyArray, target: AnyArray, *, undo: bool) -> Lanes:
        old, new = _windows(source, target, self.grid.order)
        tables = (_targets if undo else _sources)(self.grid.sigma, self.grid.alpha, self.grid.beta)
        return lambda start, stop: _kernels.move_columns(old, new, start, stop, tables)


@dataclass(frozen=True, eq=False)
class BlockPass:
    """Block-digit: the cell in band i, stack j with digit d goes to row i * p + j, column d.

    The units of a band stay in it.
    """

    grid: ParametricGrid

    def apply(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` to its new place in `target`."""
        workers.share(self.grid.box[1], self.lanes(source, target, undo=False))

    def invert(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` back to its old place in `target`."""
        workers.share(self.grid.box[1], self.lanes(source, target, undo=True))

    def lanes(self, source: AnyArray, target: AnyArray, *, undo: bool) -> Lanes:
        """Return what moves the bands start..stop-1."""
        old, new = _windows(source, target, self.grid.order)
        tables = _targets(self.grid.sigma, self.grid.beta, self.grid.alpha)
        move = _kernels.collect_bands if undo else _kernels.spread_bands
        return lambda start, stop: move(old, new, start, stop, tables, self.grid.box[0])


@dataclass(frozen=True, eq=False)
class BlockThenRowPass:
    """A block pass and the row pass of the next round, joined band by band.

    The row pass finds the rows of a band in the cache.
    """

    block: BlockPass
    row: RowPass

    def apply(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` to its new place in `target`."""
        p, q = self.block.grid.box
        blocks = self.block.lanes(source, target, undo=False)
        rows = self.row.lanes(target, target, undo=False)

        def bands(start: int, stop: int) -> None:
            for band in range(start, stop):
                blocks(band, band + 1)
                rows(band * p, (band + 1) * p)

        workers.share(q, bands)

    def invert(self, source: AnyArray, target: AnyArray, workers: Workers, /) -> None:
        """Write every unit of `source` back to its old place in `target`."""
        p, q = self.block.grid.box
        rows = self.row.lanes(source, target, undo=True)
        blocks = self.block.lanes(target, target, undo=True)

        def bands(start: int, stop: int) -> None:
            for band in range(start, stop):
                rows(band * p, (band + 1) * p)
                blocks(band, band + 1)

        workers.share(q, bands)


@dataclass(frozen=True, eq=False)
class SpareExchange:
    """The last places exchange their units, one after the other, with units anywhere before them.

    From the last place of all backwards, each place takes the unit at the next of `places` and
    gives its own for it.
    """

    places: IntArray

    def apply(self, source: AnyArray, target: AnyArray, _: Workers, /) -> None:
        """Write the units of `source`, exchanged, to `target`."""
        self._exchange(source, target, undo=False)

    def invert(self, source: AnyArray, target: AnyArray, _: Workers, /) -> None:
        """Write the units of `source`, exchanged back, to `target`."""
        self._exchange(source, target, undo=True)

    def _exchange(self, source: AnyArray, target: AnyArray, *, undo: bool) -> None:
        if target is not source:
            np.copyto(target, source)
        _kernels.exchange(target, self.places, undo)


@dataclass(frozen=True, eq=False)
class Shuffle:
    """A permutation given in full, for counts too small for a grid: place i takes unit f[i]."""

    sources: IntArray

    def apply(self, source: AnyArray, target: AnyArray, _: Workers, /) -> None:
        """Write every unit of `source` to its new place in `target`."""
        target[...] = source[self.sources]

    def invert(self, source: AnyArray, target: AnyArray, _: Workers, /) -> None:
        """Write every unit of `source` back to its old place in `target`."""
        target[self.sources] = source.copy()


def _windows(source: AnyArray, target: AnyArray, order: int) -> tuple[AnyArray, AnyArray]:
    """Return the window in both arrays, with the spares behind it already in their place."""
    size = order * order
    if target is not source:
        target[size:] = source[size:]
    return source[:size], target[:size]


def _targets(sigma: IntArray, inner: IntArray, shifts: IntArray) -> Tables:
    """Return tables for the digit of cell x in lane y: sigma[(inner[x] + shifts[y]) mod n]."""
    return _tables(sigma, inner, shifts)


def _sources(sigma: IntArray, inner: IntArray, shifts: IntArray) -> Tables:
    """Return tables for the other way: the cell x in lane y that has a given digit."""
    return _tables(invert(inner), invert(sigma), (len(sigma) - shifts) % len(sigma))


def _tables(outer: IntArray, inner: IntArray, shifts: IntArray) -> Tables:
    # Sums of two entries stay below 2n; short tables leave more of the cache to the units.
    kind = np.dtype(np.uint16 if 2 * len(outer) <= 1 << 16 else np.uint32)
    return np.concatenate([outer, outer]).astype(kind), inner.astype(kind), shifts.astype(kind)
