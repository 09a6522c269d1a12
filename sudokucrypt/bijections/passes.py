"""The passes: each moves the units of the window by one Sudoku bijection.

A pass cuts the window into lanes (rows or stacks) that are moved each on its own, so it needs room
for a few lanes only and never an index of the whole image, and threads can share the lanes. It
leaves the spares behind the window alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.model import ParametricGrid
from sudokucrypt.typing import AnyArray, Box, IntArray
from sudokucrypt.workers import Workers

Table = NDArray[np.unsignedinteger]
"""Numbers of 16 bits, or of 32 where the order needs them: they share the cache with the units."""

Numbers = NDArray[np.uint32]
Lanes = Callable[[int, int], None]

Layout = tuple[()] | tuple[bool, bool]
"""Whether source and target are stacked; nothing for two pictures in raster order."""

RASTER: Layout = ()

_kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")
STACKED: bool = _kernels.STACKED


@dataclass(frozen=True, eq=False)
class RowPass:
    """Row-digit: in each row r, column c goes to column S[r, c]."""

    grid: ParametricGrid

    def apply(
        self, source: AnyArray, target: AnyArray, workers: Workers, layout: Layout = RASTER
    ) -> None:
        """Write every unit of `source` to its new place in `target`, which may be `source`."""
        workers.share(self.grid.order, self._lanes(source, target, layout, undo=False))

    def invert(
        self, source: AnyArray, target: AnyArray, workers: Workers, layout: Layout = RASTER
    ) -> None:
        """Write every unit of `source` back to its old place in `target`."""
        workers.share(self.grid.order, self._lanes(source, target, layout, undo=True))

    def moved(self, places: IntArray) -> IntArray:
        """Return where the units at `places`, inside the window or behind it, go."""
        if not len(places):
            return places
        n = self.grid.order
        rows, columns = np.divmod(places, n)
        inside = rows < n
        return np.where(inside, rows * n + self.grid.digits(rows * inside, columns), places)

    def _lanes(self, source: AnyArray, target: AnyArray, layout: Layout, *, undo: bool) -> Lanes:
        """Return what moves the rows start..stop-1."""
        tables, box = _kernels.row_tables(self.grid, undo), self.grid.box
        old, new = _windows(source, target, self.grid.order)
        return lambda start, stop: _kernels.move_rows(old, new, start, stop, tables, box, *layout)


class StackTables(NamedTuple):
    """What moves the units of a stack, q columns wide, through a column, block and row pass.

    Each is said of the units of one stack. They are taken column by column, the rows in the order
    in which the column pass adds up, its *lanes*; the pass turns each lane round. Then they lie
    in *segments*, for each band the n units of its box in the order in which the block pass adds
    up; there, the units of a row are side by side. A table takes them to one row of each band.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box.
    transposed : bool
        Whether rows and columns are exchanged in the grid of the block pass (p = q then): the n
        places of a segment are q pieces of q, with q more behind each that are left free.
    rows : ndarray of shape (n,)
        Which row stands at each place of a lane, counted as the picture has them.
    turns : ndarray of shape (n,)
        By how many places the lane of each column of the picture is turned.
    bands, places : ndarray of shape (n,)
        To which band each place of a turned lane goes, and to which place of its segment less
        what the stack adds.
    starts : ndarray of shape (p,)
        What each stack adds.
    columns : ndarray of shape (n,)
        The columns of each stack, counted in it, in the order in which a segment has them.
    outer, inner, shifts : ndarray of shape (2n,) or (0,), (n,) and (n,)
        Column y of row r takes the unit at ``outer[inner[y] + shifts[r]]`` of its segment, or at
        ``inner[y]`` where no row pass follows. On the way back, place y of the segment takes the
        unit in that column.
    """

    box: Box
    transposed: bool
    rows: Numbers
    turns: Numbers
    bands: Numbers
    places: Numbers
    starts: Numbers
    columns: Numbers
    outer: Table
    inner: Table
    shifts: Numbers


@dataclass(frozen=True, eq=False)
class StackPass:
    """A column pass, a block pass and, if another round follows, its row pass, in one trip.

    Digit-column: in each column c, row r goes to row S[r, c]. Block-digit: the cell in band i,
    stack j with digit d goes to row i * p + j, column d.
    """

    column: ParametricGrid
    block: ParametricGrid
    row: ParametricGrid | None = None

    def apply(
        self, source: AnyArray, target: AnyArray, workers: Workers, layout: Layout = RASTER
    ) -> None:
        """Write every unit of `source` to its new place in `target`, another array."""
        workers.share(self.block.box[0], self._stacks(source, target, layout, undo=False))

    def invert(
        self, source: AnyArray, target: AnyArray, workers: Workers, layout: Layout = RASTER
    ) -> None:
        """Write every unit of `source` back to its old place in `target`, another array."""
        workers.share(self.block.box[0], self._stacks(source, target, layout, undo=True))

    def _stacks(self, source: AnyArray, target: AnyArray, layout: Layout, *, undo: bool) -> Lanes:
        """Return what moves the stacks start..stop-1."""
        stacked = bool(layout) and layout[undo]
        tables = self.tables(undo=undo, stacked=stacked)
        old, new = _windows(source, target, self.block.order)
        return lambda start, stop: _kernels.move_stacks(
            old, new, start, stop, tables, undo, *layout
        )

    def tables(self, *, undo: bool, stacked: bool = False) -> StackTables:
        """Return the tables of one way or the other, for a strip that is stacked or not."""
        grids = self.column, self.block, self.row
        return StackTables(*_kernels.stack_tables(*grids, undo, stacked))


@dataclass(frozen=True, eq=False)
class SpareExchange:
    """The last places exchange their units, one after the other, with units anywhere before them.

    From the last place of all backwards, each place takes the unit at the next of `places` and
    gives its own for it.
    """

    places: IntArray

    def apply(self, units: AnyArray) -> None:
        """Exchange in place."""
        _kernels.exchange(units, self.places, False)

    def invert(self, units: AnyArray) -> None:
        """Exchange back in place."""
        _kernels.exchange(units, self.places, True)

    def stacked(self, box: Box) -> Self:
        """Return the same exchange of a picture whose window is stacked."""
        if not len(self.places):
            return self
        (p, q), n = box, box[0] * box[1]
        rows, columns = np.divmod(self.places, n)
        places = (columns // q * n + rows % p * q + rows // p) * q + columns % q
        return type(self)(np.where(rows < n, places, self.places))


def _windows(source: AnyArray, target: AnyArray, order: int) -> tuple[AnyArray, AnyArray]:
    """Return the window in both arrays, with the spares behind it already in their place."""
    size = order * order
    if target is not source:
        target[size:] = source[size:]
    return source[:size], target[:size]
