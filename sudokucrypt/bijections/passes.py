"""The passes: each moves the units of a raster layout in place by one Sudoku bijection.

A pass cuts its window into lanes (rows, columns or bands) that are permuted each on its own, so
it needs room for a few lanes only and never an index of the whole image.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.sudoku import ParametricGrid
    from sudokucrypt.typing import AnyArray, IntArray

_CHUNK = 1 << 16
"""Units that are moved at a time: their index and copy stay in the cache."""


class Pass(Protocol):
    """A permutation of N units that is applied to an array of shape (N,) in place."""

    def apply(self, units: AnyArray, /) -> None:
        """Move every unit to its new place."""
        ...

    def invert(self, units: AnyArray, /) -> None:
        """Move every unit back."""
        ...


class _LanePass(ABC):
    """What the three Sudoku passes share: lanes, and where each unit of a lane goes."""

    @abstractmethod
    def _lanes(self, units: AnyArray) -> Iterator[tuple[AnyArray, IntArray]]:
        """Yield views of a few lanes, and for each cell its new place in the flattened view."""

    def apply(self, units: AnyArray, /) -> None:
        """Move every unit to its new place."""
        for lanes, places in self._lanes(units):
            moved = np.empty(lanes.size, dtype=lanes.dtype)
            moved[places] = lanes
            lanes[...] = moved.reshape(lanes.shape)

    def invert(self, units: AnyArray, /) -> None:
        """Move every unit back."""
        for lanes, places in self._lanes(units):
            lanes[...] = lanes.ravel().take(places, mode="clip")


@dataclass(frozen=True, eq=False)
class RowPass(_LanePass):
    """Row-digit: in each of `rows` full rows, column c goes to column S[r mod n, c]."""

    grid: ParametricGrid
    rows: int

    def _lanes(self, units: AnyArray) -> Iterator[tuple[AnyArray, IntArray]]:
        n = self.grid.order
        square = units[: self.rows * n].reshape(self.rows, n)
        every = np.arange(n)
        for chunk in _chunks(self.rows, n):
            lanes = square[chunk]
            digits = self.grid.digits(np.arange(self.rows)[chunk, None] % n, every)
            yield lanes, digits + np.arange(len(lanes))[:, None] * n


@dataclass(frozen=True, eq=False)
class ColumnPass(_LanePass):
    """Digit-column: in each column, row r of the window goes to row S[r, c].

    The window is the n rows from `top` on.
    """

    grid: ParametricGrid
    top: int

    def _lanes(self, units: AnyArray) -> Iterator[tuple[AnyArray, IntArray]]:
        n = self.grid.order
        columns = _window(units, self.top, n).T
        every = np.arange(n)
        for chunk in _chunks(n, n):
            lanes = columns[chunk]
            digits = self.grid.digits(every, every[chunk, None])
            yield lanes, digits + np.arange(len(lanes))[:, None] * n


@dataclass(frozen=True, eq=False)
class BlockPass(_LanePass):
    """Block-digit: the cell in band i, stack j with digit d goes to row i * p + j, column d.

    The window is the n rows from `top` on; the units of a band stay in it.
    """

    grid: ParametricGrid
    top: int

    def _lanes(self, units: AnyArray) -> Iterator[tuple[AnyArray, IntArray]]:
        n = self.grid.order
        p, q = self.grid.box
        bands = _window(units, self.top, n).reshape(n // p, p, n)
        every = np.arange(n)
        for chunk in _chunks(n // p, p * n):
            lanes = bands[chunk]
            rows = every.reshape(-1, p, 1)[chunk]
            digits = self.grid.digits(rows, every)
            yield lanes, digits + ((rows - rows[0, 0]) // p * p + every // q) * n


@dataclass(frozen=True, eq=False)
class TailSwap:
    """Exchange tail unit t with the unit in column t of row `partners[t]`; its own inverse."""

    partners: IntArray
    order: int

    def apply(self, units: AnyArray, /) -> None:
        """Exchange the units."""
        places = self.partners * self.order + np.arange(len(self.partners))
        tail = units[len(units) - len(self.partners) :]
        tail[...], units[places] = units[places], tail.copy()

    invert = apply


@dataclass(frozen=True, eq=False)
class Shuffle:
    """A permutation given in full, for counts too small for a grid: place i takes unit f[i]."""

    sources: IntArray

    def apply(self, units: AnyArray, /) -> None:
        """Move every unit to its new place."""
        units[...] = units[self.sources]

    def invert(self, units: AnyArray, /) -> None:
        """Move every unit back."""
        units[self.sources] = units.copy()


def _window(units: AnyArray, top: int, order: int) -> AnyArray:
    return units[top * order : (top + order) * order].reshape(order, order)


def _chunks(lanes: int, size: int) -> Iterator[slice]:
    """Cut `lanes` lanes of `size` units into runs of about `_CHUNK` units."""
    step = max(1, _CHUNK // size)
    for start in range(0, lanes, step):
        yield slice(start, start + step)
