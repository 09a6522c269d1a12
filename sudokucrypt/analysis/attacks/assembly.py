"""Putting blocks together by the costs of their joints, the best joint first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.typing import IntArray

_Cell = tuple[int, int]
"""Row and column, which may be negative while a component grows."""

_Places = dict[int, _Cell]
"""The cell of each block of a component, relative to each other."""


def assemble(
    right: NDArray[np.float64], down: NDArray[np.float64], shape: tuple[int, int]
) -> IntArray:
    """Return which block goes where.

    Parameters
    ----------
    right, down : ndarray of shape (n, n)
        Costs of joints, as `edge_costs` returns them.
    shape : tuple of int
        Rows and columns of blocks; their product is n.

    Returns
    -------
    ndarray of shape (rows, columns), dtype int64
        Numbers of blocks, each once.

    Notes
    -----
    Joints are made from the cheapest to the dearest, as in Kruskal's algorithm, unless two blocks
    would lie on one place or the whole exceed the picture. The largest component then grows: the
    cheapest of all pairs of a free place beside it and a block left over, until none is left.
    """
    places = _grown(_largest(right, down, shape), right, down, shape)
    top = min(row for row, _ in places.values())
    left = min(column for _, column in places.values())
    board = np.empty(shape, dtype=np.int64)
    for block, (row, column) in places.items():
        board[row - top, column - left] = block
    return board


class _Component:
    """Blocks whose places relative to each other are settled."""

    def __init__(self, block: int) -> None:
        self.places: _Places = {block: (0, 0)}
        self.cells = {(0, 0)}
        self.bounds = (0, 0, 0, 0)
        """First and last row, first and last column."""

    def joined(self, other: _Component, rows: int, columns: int, shape: tuple[int, int]) -> bool:
        """Take in another component moved so far, and return true, or false if it cannot be.

        Two blocks never lie on one place, and all of them together in a picture of that shape.
        """
        top, bottom, left, right = self.bounds
        upper, lower, first, last = other.bounds
        top, bottom = min(top, upper + rows), max(bottom, lower + rows)
        left, right = min(left, first + columns), max(right, last + columns)
        if bottom - top >= shape[0] or right - left >= shape[1]:
            return False
        if any((row + rows, column + columns) in self.cells for row, column in other.cells):
            return False
        self.bounds = top, bottom, left, right
        for block, (row, column) in other.places.items():
            self.places[block] = row + rows, column + columns
        self.cells = set(self.places.values())
        return True


def _largest(
    right: NDArray[np.float64], down: NDArray[np.float64], shape: tuple[int, int]
) -> _Places:
    """Return the largest component of Kruskal's algorithm."""
    count = len(right)
    component = [_Component(block) for block in range(count)]
    order = np.argsort(np.concatenate([right, down], axis=None), kind="stable")
    joints = 1
    for joint in order.tolist():
        side, pair = divmod(joint, count * count)
        one, other = divmod(pair, count)
        here, there = component[one], component[other]
        if here is there:
            continue
        rows = here.places[one][0] - there.places[other][0] + side
        columns = here.places[one][1] - there.places[other][1] + 1 - side
        if len(here.places) < len(there.places):
            here, there, rows, columns = there, here, -rows, -columns
        if here.joined(there, rows, columns, shape):
            for block in there.places:
                component[block] = here
            joints += 1
            if joints == count:
                break
    return max(component, key=lambda part: len(part.places)).places


def _grown(
    places: _Places,
    right: NDArray[np.float64],
    down: NDArray[np.float64],
    shape: tuple[int, int],
) -> _Places:
    """Add the blocks left over to a component one by one, until the picture is full."""
    held = {cell: block for block, cell in places.items()}
    costs: dict[_Cell, NDArray[np.float64]] = {}
    while len(held) < len(right):
        best = (np.inf, (0, 0), 0)
        for cell in _free_beside(held, shape):
            if cell not in costs:
                costs[cell] = _mean_costs(cell, held, right, down)
                costs[cell][list(held.values())] = np.inf
            block = int(np.argmin(costs[cell]))
            best = min(best, (float(costs[cell][block]), cell, block))
        _, cell, block = best
        held[cell] = block
        for place in (cell, *_beside(cell)):
            costs.pop(place, None)
        for others in costs.values():
            others[block] = np.inf
    return {block: cell for cell, block in held.items()}


def _beside(cell: _Cell) -> tuple[_Cell, ...]:
    row, column = cell
    return (row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)


def _free_beside(held: dict[_Cell, int], shape: tuple[int, int]) -> set[_Cell]:
    """Return the free places beside what is held that keep it inside a picture."""
    rows, columns = zip(*held, strict=True)
    lowest = max(rows) - shape[0] + 1, max(columns) - shape[1] + 1
    highest = min(rows) + shape[0] - 1, min(columns) + shape[1] - 1
    beside = {place for cell in held for place in _beside(cell)}
    return {
        (row, column)
        for row, column in beside - held.keys()
        if lowest[0] <= row <= highest[0] and lowest[1] <= column <= highest[1]
    }


def _mean_costs(
    cell: _Cell,
    held: dict[_Cell, int],
    right: NDArray[np.float64],
    down: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return for each block the mean cost of its joints at a place."""
    row, column = cell
    costs = []
    if (row, column - 1) in held:
        costs.append(right[held[row, column - 1]])
    if (row, column + 1) in held:
        costs.append(right[:, held[row, column + 1]])
    if (row - 1, column) in held:
        costs.append(down[held[row - 1, column]])
    if (row + 1, column) in held:
        costs.append(down[:, held[row + 1, column]])
    mean: NDArray[np.float64] = np.mean(costs, axis=0)
    return mean
