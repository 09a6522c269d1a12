"""Which block goes where, and how it is turned, from what joints cost."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from sudokucrypt.analysis.attacks.assembly_scores import Assembly
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

# So many joints a block are tried, the cheapest; what they leave out is added one by one.
_JOINTS = 16

# Row and column, which may be negative while a component grows.
_BlockCell: TypeAlias = tuple[int, int]

# The cell and the turn of each block of a component, relative to each other.
_Held: TypeAlias = dict[int, tuple[int, int, int]]

# The block in each cell, and its turn.
_Placed: TypeAlias = dict[_BlockCell, tuple[int, int]]


def assemble(costs: Costs, group: Sequence[int], shape: tuple[int, int]) -> Assembly:
    """Return which block goes where and how it is turned, a board of that shape.

    The `costs` are those of `joint_costs` for these turns. Joints are made from the cheapest to
    the dearest, as in Kruskal's algorithm, unless two blocks would lie in one position or the
    whole exceed the picture. The largest component then grows: the cheapest of all pairs of a free
    position beside it and a block left over, until none is left.
    Source: A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.
    """
    # A turn that transposes exchanges the sides of the whole.
    frames = {shape, shape[::-1]} if any(turn & 1 for turn in group) else {shape}
    held = _grown(_largest(costs, group, frames), costs, group, frames)
    top, left = (min(position[axis] for position in held.values()) for axis in (0, 1))
    rows, columns = (max(position[axis] for position in held.values()) for axis in (0, 1))
    # Turned blocks may have made the picture lying on its side: one turn of the whole puts it up.
    if (rows - top + 1, columns - left + 1) != shape:
        held = _seen_turned(held, 1)
        top, left = left, top
    board, turns = np.empty((2, *shape), dtype=np.int64)
    for block, (row, column, turn) in held.items():
        board[row - top, column - left] = block
        turns[row - top, column - left] = turn
    return Assembly(board, turns)


def _seen_turned(held: _Held, turn: int) -> _Held:
    """Return the same positions after a turn of the whole."""
    (a, b), (c, d) = STEPS[turn].tolist()
    then = COMPOSED[turn].tolist()
    return {
        block: (a * row + b * column, c * row + d * column, then[before])
        for block, (row, column, before) in held.items()
    }


class _BlockGroup:
    """Blocks whose positions relative to each other are settled."""

    def __init__(self, block: int) -> None:
        self.held: _Held = {block: (0, 0, 0)}
        self.cells = {(0, 0)}
        self.bounds = (0, 0, 0, 0)
        """First and last row, first and last column."""

    def joined(self, other: _Held, frames: set[_BlockCell]) -> bool:
        """Take in other positions, and return true, or false if there is no room."""
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
    """Return side, index of the turn, and both blocks of joints, the cheapest first."""
    count = costs.shape[2]
    upper = np.triu(np.ones((count, count), dtype=bool), 1)  # each joint is there twice
    # Only the cheapest of each table can be among the cheapest of all, so no whole table is sorted.
    most = min(_JOINTS * count, count * (count - 1) // 2)
    prices, joints = [], []
    for side, index in np.ndindex(*costs.shape[:2]):
        table = np.where(upper, costs[side, index], np.inf)
        candidates = np.argwhere(table <= np.partition(table, most - 1, axis=None)[most - 1])
        price = table[candidates[:, 0], candidates[:, 1]]
        order = np.argsort(price, kind="stable")[:most]
        prices.append(price[order])
        joints.append(np.insert(candidates[order], [0], [side, index], axis=1))
    order = np.argsort(np.concatenate(prices), kind="stable")[: _JOINTS * count]
    return [tuple(joint) for joint in np.concatenate(joints)[order].tolist()]


def _largest(costs: Costs, group: Sequence[int], frames: set[_BlockCell]) -> _Held:
    """Return the largest component of Kruskal's algorithm."""
    component = [_BlockGroup(block) for block in range(costs.shape[2])]
    for side, index, first, second in _cheapest(costs):
        here, there = component[first], component[second]
        # Both blocks are settled already: the joint says nothing new, or contradicts cheaper ones.
        if here is there:
            continue
        # The smaller part moves to the larger one, so that each block moves at most log n times.
        if len(here.held) >= len(there.held):
            joint = first, side, group[index], second
        else:  # as the other block sees it
            here, there, back = there, here, INVERSE[group[index]]
            joint = second, int(TURNED_SIDES[back, FACING[side]]), int(back), first
        if here.joined(_brought(there.held, joint, here.held), frames):
            for block in there.held:
                component[block] = here
    return max(component, key=lambda part: len(part.held)).held


def _brought(held: _Held, joint: tuple[int, int, int, int], here: _Held) -> _Held:
    """Return positions as a joint brings them to others: block, side, turn of the next, and it."""
    first, side, turn, second = joint
    row, column, own_turn = here[first]
    undone = COMPOSED[turn, INVERSE[held[second][2]]]
    moved = _seen_turned(held, int(COMPOSED[own_turn, undone]))
    down, right = SIDES[TURNED_SIDES[own_turn, side]]
    down, right = down + row - moved[second][0], right + column - moved[second][1]
    return {block: (r + down, c + right, t) for block, (r, c, t) in moved.items()}


def _grown(held: _Held, costs: Costs, group: Sequence[int], frames: set[_BlockCell]) -> _Held:
    """Add the blocks left over to a component one by one, until the picture is full."""
    held, count = dict(held), costs.shape[2]
    at = {(row, column): (block, turn) for block, (row, column, turn) in held.items()}
    tables: dict[_BlockCell, Costs] = {}
    best: dict[_BlockCell, tuple[float, int]] = {}
    while len(held) < count:
        free = _free_around(at, frames)
        for cell in free - best.keys():
            # A table holds until a neighbour of its cell is filled; most cells keep theirs for many
            # steps.
            if cell not in tables:
                tables[cell] = _mean_costs(cell, at, costs, group)
                tables[cell][:, list(held)] = np.inf
            position = int(tables[cell].argmin())
            best[cell] = float(tables[cell].flat[position]), position
        _, cell = min((best[cell], cell) for cell in free)
        index, block = divmod(best[cell][1], count)
        held[block] = (*cell, group[index])
        at[cell] = block, group[index]
        # Only cells around the new block have new costs.
        for changed in (cell, *_around(cell)):
            tables.pop(changed, None)
            best.pop(changed, None)
        for other, table in tables.items():
            table[:, block] = np.inf
            # Its best block has just been placed elsewhere: the next best is looked for later.
            if other in best and best[other][1] % count == block:
                del best[other]
    return held


def _mean_costs(cell: _BlockCell, at: _Placed, costs: Costs, group: Sequence[int]) -> Costs:
    """Return the mean cost of the joints at a position, for each turn and block."""
    index_of = np.zeros(COUNT, dtype=np.int64)
    index_of[list(group)] = np.arange(len(group))
    met = []
    for side, neighbour in enumerate(_around(cell)):
        if neighbour in at:
            block, turn = at[neighbour]
            back = INVERSE[turn]
            met.append(
                costs[TURNED_SIDES[back, FACING[side]], index_of[COMPOSED[back, group]], block]
            )
    return np.asarray(np.mean(met, axis=0))


def _around(cell: _BlockCell) -> list[_BlockCell]:
    """Return the positions around one, in the order of `SIDES`."""
    return [(cell[0] + row, cell[1] + column) for row, column in SIDES]


def _free_around(at: _Placed, frames: set[_BlockCell]) -> set[_BlockCell]:
    """Return the free positions beside what is held that keep it inside a picture."""
    rows, columns = zip(*at, strict=True)
    top, bottom, left, right = min(rows), max(rows), min(columns), max(columns)
    return {
        (row, column)
        for row, column in {position for cell in at for position in _around(cell)} - at.keys()
        if any(
            max(row, bottom) - min(row, top) < high
            and max(column, right) - min(column, left) < wide
            for high, wide in frames
        )
    }
