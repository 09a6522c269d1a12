"""Which block goes where, and how it is turned, from what joints cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from sudokucrypt.analysis.attacks.boards import Board
from sudokucrypt.analysis.attacks.joints import Costs
from sudokucrypt.analysis.attacks.turns import (
    COMPOSED,
    COUNT,
    FACING,
    INVERSE,
    SIDES,
    STEPS,
    TURNED_SIDES,
)

_JOINTS = 16
"""So many joints a block are tried, the cheapest; what they leave out is added one by one."""

_Cell: TypeAlias = tuple[int, int]
"""Row and column, which may be negative while a component grows."""

_Held: TypeAlias = dict[int, tuple[int, int, int]]
"""The cell and the turn of each block of a component, relative to each other."""

_Placed: TypeAlias = dict[_Cell, tuple[int, int]]
"""The block in each cell, and its turn."""


def assemble(costs: Costs, ways: Sequence[int], shape: tuple[int, int]) -> Board:
    """Return which block goes where and how it is turned, a board of that shape.

    The `costs` are those of `joint_costs` for these turns. Joints are made from the cheapest to
    the dearest, as in Kruskal's algorithm, unless two blocks would lie on one place or the whole
    exceed the picture. The largest component then grows: the cheapest of all pairs of a free place
    beside it and a block left over, until none is left.
    Source: A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.
    """
    frames = {shape, shape[::-1]} if any(turn & 1 for turn in ways) else {shape}
    held = _grown(_largest(costs, ways, frames), costs, ways, frames)
    top, left = (min(place[axis] for place in held.values()) for axis in (0, 1))
    rows, columns = (max(place[axis] for place in held.values()) for axis in (0, 1))
    if (rows - top + 1, columns - left + 1) != shape:
        held = _seen_turned(held, 1)
        top, left = left, top
    board, turns = np.empty((2, *shape), dtype=np.int64)
    for block, (row, column, turn) in held.items():
        board[row - top, column - left] = block
        turns[row - top, column - left] = turn
    return Board(board, turns)


def _seen_turned(held: _Held, turn: int) -> _Held:
    """Return the same places after a turn of the whole."""
    (a, b), (c, d) = STEPS[turn].tolist()
    then = COMPOSED[turn].tolist()
    return {
        block: (a * row + b * column, c * row + d * column, then[how])
        for block, (row, column, how) in held.items()
    }


class _Component:
    """Blocks whose places relative to each other are settled."""

    def __init__(self, block: int) -> None:
        self.held: _Held = {block: (0, 0, 0)}
        self.cells = {(0, 0)}
        self.bounds = (0, 0, 0, 0)
        """First and last row, first and last column."""

    def joined(self, other: _Held, frames: set[_Cell]) -> bool:
        """Take in other places, and return true, or false if there is no room."""
        cells = {(row, column) for row, column, _ in other.values()}
        if not self.cells.isdisjoint(cells):
            return False
        top, bottom, left, right = self.bounds
        rows, columns = zip(*cells, strict=True)
        top, bottom = min(top, *rows), max(bottom, *rows)
        left, right = min(left, *columns), max(right, *columns)
        if not any(bottom - top < high and right - left < wide for high, wide in frames):
            return False
        self.bounds = top, bottom, left, right
        self.cells |= cells
        self.held |= other
        return True


def _cheapest(costs: Costs) -> list[tuple[int, ...]]:
    """Return side, number of the turn, and both blocks of joints, the cheapest first."""
    count = costs.shape[2]
    upper = np.triu(np.ones((count, count), dtype=bool), 1)  # each joint is there twice
    most = min(_JOINTS * count, count * (count - 1) // 2)
    prices, joints = [], []
    for side, number in np.ndindex(*costs.shape[:2]):
        table = np.where(upper, costs[side, number], np.inf)
        kept = np.argwhere(table <= np.partition(table, most - 1, axis=None)[most - 1])
        price = table[kept[:, 0], kept[:, 1]]
        order = np.argsort(price, kind="stable")[:most]
        prices.append(price[order])
        joints.append(np.insert(kept[order], [0], [side, number], axis=1))
    order = np.argsort(np.concatenate(prices), kind="stable")[: _JOINTS * count]
    return [tuple(joint) for joint in np.concatenate(joints)[order].tolist()]


def _largest(costs: Costs, ways: Sequence[int], frames: set[_Cell]) -> _Held:
    """Return the largest component of Kruskal's algorithm."""
    component = [_Component(block) for block in range(costs.shape[2])]
    for side, number, one, other in _cheapest(costs):
        here, there = component[one], component[other]
        if here is there:
            continue
        if len(here.held) >= len(there.held):
            joint = one, side, ways[number], other
        else:  # as the other block sees it
            here, there, back = there, here, INVERSE[ways[number]]
            joint = other, int(TURNED_SIDES[back, FACING[side]]), int(back), one
        if here.joined(_brought(there.held, joint, here.held), frames):
            for block in there.held:
                component[block] = here
    return max(component, key=lambda part: len(part.held)).held


def _brought(held: _Held, joint: tuple[int, int, int, int], here: _Held) -> _Held:
    """Return places as a joint brings them to others: block, side, turn of the next, and it."""
    one, side, turn, other = joint
    row, column, how = here[one]
    undone = COMPOSED[turn, INVERSE[held[other][2]]]
    moved = _seen_turned(held, int(COMPOSED[how, undone]))
    down, right = SIDES[TURNED_SIDES[how, side]]
    down, right = down + row - moved[other][0], right + column - moved[other][1]
    return {block: (r + down, c + right, t) for block, (r, c, t) in moved.items()}


def _grown(held: _Held, costs: Costs, ways: Sequence[int], frames: set[_Cell]) -> _Held:
    """Add the blocks left over to a component one by one, until the picture is full."""
    held, count = dict(held), costs.shape[2]
    at = {(row, column): (block, turn) for block, (row, column, turn) in held.items()}
    tables: dict[_Cell, Costs] = {}
    best: dict[_Cell, tuple[float, int]] = {}
    while len(held) < count:
        free = _free_beside(at, frames)
        for cell in free - best.keys():
            if cell not in tables:
                tables[cell] = _mean_costs(cell, at, costs, ways)
                tables[cell][:, list(held)] = np.inf
            place = int(tables[cell].argmin())
            best[cell] = float(tables[cell].flat[place]), place
        _, cell = min((best[cell], cell) for cell in free)
        number, block = divmod(best[cell][1], count)
        held[block] = (*cell, ways[number])
        at[cell] = block, ways[number]
        for changed in (cell, *_beside(cell)):
            tables.pop(changed, None)
            best.pop(changed, None)
        for other, table in tables.items():
            table[:, block] = np.inf
            if other in best and best[other][1] % count == block:
                del best[other]
    return held


def _mean_costs(cell: _Cell, at: _Placed, costs: Costs, ways: Sequence[int]) -> Costs:
    """Return the mean cost of the joints at a place, for each turn and block."""
    numbers = np.zeros(COUNT, dtype=np.int64)
    numbers[list(ways)] = np.arange(len(ways))
    met = []
    for side, beside in enumerate(_beside(cell)):
        if beside in at:
            block, turn = at[beside]
            back = INVERSE[turn]
            met.append(
                costs[TURNED_SIDES[back, FACING[side]], numbers[COMPOSED[back, ways]], block]
            )
    return np.asarray(np.mean(met, axis=0))


def _beside(cell: _Cell) -> list[_Cell]:
    """Return the places around one, in the order of `SIDES`."""
    return [(cell[0] + row, cell[1] + column) for row, column in SIDES]


def _free_beside(at: _Placed, frames: set[_Cell]) -> set[_Cell]:
    """Return the free places beside what is held that keep it inside a picture."""
    rows, columns = zip(*at, strict=True)
    top, bottom, left, right = min(rows), max(rows), min(columns), max(columns)
    return {
        (row, column)
        for row, column in {place for cell in at for place in _beside(cell)} - at.keys()
        if any(
            max(row, bottom) - min(row, top) < high
            and max(column, right) - min(column, left) < wide
            for high, wide in frames
        )
    }
