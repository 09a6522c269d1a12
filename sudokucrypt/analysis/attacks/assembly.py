"""Blocks of a picture: how well their edges fit together, and which one goes where."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray, IntArray

Floats = NDArray[np.float64]

_TINY = 1e-9


def edge_costs(blocks: AnyArray) -> tuple[Floats, Floats]:
    """Return what it costs to put one block to the right of another, and below it.

    Blocks are an array of shape (n, b, b, C), with n and b of 2 or more. In both tables entry
    (i, j) is for block j to the right of block i or below it, infinite for i = j. Costs are
    relative: below 1 if there is no better neighbour on either side.

    Mahalanobis gradient compatibility: the step across the joint is compared, pixel by pixel, with
    mean and covariance of the steps just before it in either block, so that shading may go on but
    not break. Each cost is divided by the smallest other one of its row and of its column.
    Source: A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.
    """
    pixels = blocks.astype(np.float64)
    right, down = (
        _relative(_one_way(side) + _one_way(side[:, :, ::-1]).T)  # from left to right, and mirrored
        for side in (pixels, pixels.swapaxes(1, 2))
    )
    return right, down


def _one_way(blocks: Floats) -> Floats:
    first, last = blocks[:, :, 0], blocks[:, :, -1]
    steps = last - blocks[:, :, -2]
    channels = blocks.shape[-1]
    # Steps of size 0 and 1 in every direction keep the covariance of smooth edges regular.
    unit = np.eye(channels)
    usual = np.concatenate([np.zeros((1, channels)), unit, -unit])
    costs = np.empty((len(blocks), len(blocks)))
    for number, step in enumerate(steps):
        seen = np.concatenate([step, usual])
        spread = np.cov(seen, rowvar=False).reshape(channels, channels)
        whitening = np.linalg.cholesky(np.linalg.inv(spread))
        gaps = (first - (last[number] + step.mean(axis=0))) @ whitening
        costs[number] = np.einsum("nbc,nbc->n", gaps, gaps)
    return costs


def _relative(costs: Floats) -> Floats:
    np.fill_diagonal(costs, np.inf)
    others = np.minimum(_least_other(costs), _least_other(costs.T).T)
    return np.asarray((costs + _TINY) / (others + _TINY))


def _least_other(costs: Floats) -> Floats:
    """Return for each entry the smallest other one of its row."""
    least, second = np.partition(costs, 1, axis=1)[:, :2].T
    return np.asarray(np.where(costs == least[:, None], second[:, None], least[:, None]))


_Cell = tuple[int, int]
"""Row and column, which may be negative while a component grows."""

_Places = dict[int, _Cell]
"""The cell of each block of a component, relative to each other."""


def assemble(right: Floats, down: Floats, shape: tuple[int, int]) -> IntArray:
    """Return which block goes where, an array of that shape, from the tables of `edge_costs`.

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
        """Take in another component moved so far, and return true, or false if it cannot be."""
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


def _largest(right: Floats, down: Floats, shape: tuple[int, int]) -> _Places:
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


def _grown(places: _Places, right: Floats, down: Floats, shape: tuple[int, int]) -> _Places:
    """Add the blocks left over to a component one by one, until the picture is full."""
    held = {cell: block for block, cell in places.items()}
    costs: dict[_Cell, Floats] = {}
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
    return (row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column)


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


def _mean_costs(cell: _Cell, held: dict[_Cell, int], right: Floats, down: Floats) -> Floats:
    """Return for each block the mean cost of its joints at a place."""
    joints = zip(_beside(cell), (right, right.T, down, down.T), strict=True)
    costs = [table[held[place]] for place, table in joints if place in held]
    return np.asarray(np.mean(costs, axis=0))
