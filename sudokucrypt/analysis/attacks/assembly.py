"""Which block goes where, and how it is turned, from what joints cost; and what is right of it.

Scores need the plain picture, as no attacker has. Turning a whole picture makes it no less plain:
blocks and pairs of neighbors that differ from those of the plain picture only in that way are as
good as they are.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from sudokucrypt.analysis.attacks.blocks import (
    COMPOSED,
    COUNT,
    FACING,
    INVERSE,
    SIDES,
    STEPS,
    TURNED_SIDES,
    Costs,
    apply_turn,
)
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# Assemblies that are drawn at random, to see what chance gives.
_SHUFFLES = 32

# Fixed, so that a report gives the same scores by chance each time.
_SEED = 1


@dataclass(frozen=True, eq=False)
class Assembly:
    """Which block lies where, and how it is turned: two arrays of shape (rows, columns)."""

    blocks: IntArray
    turns: IntArray

    def turn(self, turn: int) -> "Assembly":
        """Return the assembly after a turn of the whole."""
        pair = np.stack([self.blocks, COMPOSED[turn][self.turns]])[..., None]
        return Assembly(*apply_turn(pair, turn & 7, 0)[..., 0])

    def picture(self, pieces: AnyArray, levels: int) -> AnyArray:
        """Return what it shows, of shape (M, N, C), with these blocks of shape (n, b, b, C)."""
        placed = pieces[self.blocks.reshape(-1)]
        turns = self.turns.reshape(-1)
        for turn in set(turns.tolist()):
            placed[turns == turn] = apply_turn(placed[turns == turn], turn, levels)
        _, b, _, channels = pieces.shape
        rows, columns = self.blocks.shape
        tiles = placed.reshape(rows, columns, b, b, channels).swapaxes(1, 2)
        return tiles.reshape(rows * b, columns * b, channels)


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Shares 0..1, of which `joints` and `chance` are of that number of joints.

    `direct` are blocks in their right position, `joints` the right joints between neighboring
    blocks, `largest` the blocks of the largest part whose joints are all right, and `chance` the
    right joints that blocks joined at random score on average.
    """

    count: int
    direct: float
    joints: float
    largest: float
    chance: float


class BlockIdentities:
    """What blocks show, as numbers: equal ones for equal blocks, in each of the sixteen turns."""

    def __init__(
        self, plain: AnyArray, pieces: AnyArray, shape: tuple[int, int], levels: int
    ) -> None:
        numbers: dict[bytes, int] = {}
        self._plain, self._pieces = (
            np.array(
                [
                    [
                        numbers.setdefault(
                            blake2b(block.tobytes(), digest_size=16).digest(), len(numbers)
                        )
                        for block in apply_turn(blocks, turn, levels)
                    ]
                    for turn in range(COUNT)
                ]
            ).T
            for blocks in (plain, pieces)
        )
        self._plain = self._plain.reshape(*shape, COUNT)
        self._count = len(numbers)

    def upright(self, assembly: Assembly) -> Assembly:
        """Return an assembly after that turn of the whole after which most blocks look right."""
        # No attacker can know which way up the picture was; the score shows it as a viewer would.
        right = (
            np.isin(self._find_identities(assembly), self._plain[..., 0]).sum(axis=(0, 1)).tolist()
        )
        views = (assembly.turn(turn) for turn in np.argsort(right, kind="stable")[::-1].tolist())
        return next(view for view in views if view.blocks.shape == assembly.blocks.shape)

    def scores(self, assembly: Assembly, group: tuple[int, ...]) -> Scores:
        """Return how much of an assembly is right, and how much of random ones with these turns."""
        due, joints = self._joints(self._plain), self._joints(self._find_identities(assembly))
        shares = [
            _count_shared(due, self._joints(self._find_identities(other))) / len(due)
            for other in _random_assemblies(assembly.blocks.shape, group)
        ]
        return Scores(
            count=len(due),
            direct=float((self._find_identities(assembly) == self._plain)[..., 0].mean()),
            joints=_count_shared(due, joints) / len(due),
            largest=_largest_part(due, joints, assembly.blocks.shape),
            chance=float(np.mean(shares)),
        )

    def _find_identities(self, assembly: Assembly) -> IntArray:
        """Return what an assembly shows at each position after each turn, of shape (M, N, 16)."""
        turns = COMPOSED[:, assembly.turns].transpose(1, 2, 0)
        return self._pieces[assembly.blocks[..., None], turns]

    def _joints(self, shown: IntArray) -> IntArray:
        """Return a number for each joint, those to the right first: what meets on which side.

        Of the sixteen turns in which both blocks can be seen, the one with the least number counts.
        """
        joints = []
        for side, (one, other) in enumerate(_joint_pairs(shown)):
            sides = TURNED_SIDES[:, side]
            # A joint to the left or above is that of the other block to the right or below.
            back = sides > 1
            first, second = np.where(back, other, one), np.where(back, one, other)
            below = np.where(back, FACING[sides], sides)
            # The pair and the side as one integer, so that turns of the whole can be compared by
            # minimum.
            numbers = (first * self._count + second) * 2 + below
            joints.append(numbers.min(axis=-1).reshape(-1))
        return np.concatenate(joints)


def _joint_pairs(positions: IntArray) -> tuple[tuple[IntArray, IntArray], ...]:
    """Return what is to the left and right of each joint, and what above and below."""
    return (positions[:, :-1], positions[:, 1:]), (positions[:-1], positions[1:])


def _random_assemblies(shape: tuple[int, ...], group: tuple[int, ...]) -> Iterator[Assembly]:
    """Yield assemblies of the blocks in any order, each after any of these turns."""
    draws, count = seeded_draws(_SEED), shape[0] * shape[1]
    for _ in range(_SHUFFLES):
        order = draws.permutations([count])
        turns = np.array(group)[draws.below_each(np.full(count, len(group)))]
        yield Assembly(order.reshape(shape), turns.reshape(shape))


def _count_shared(due: IntArray, joints: IntArray) -> int:
    """Count the joints that both have, each as often as both have it."""
    return (Counter(due.tolist()) & Counter(joints.tolist())).total()


def _largest_part(due: IntArray, joints: IntArray, shape: tuple[int, ...]) -> float:
    """Return the share of positions in the largest part that right joints make."""
    left = Counter(due.tolist())
    positions = np.arange(shape[0] * shape[1])
    part = [{position} for position in positions.tolist()]
    ends = [
        np.stack(pair, axis=-1).reshape(-1, 2) for pair in _joint_pairs(positions.reshape(shape))
    ]
    for joint, (first, second) in zip(joints.tolist(), np.concatenate(ends).tolist(), strict=True):
        # A joint that occurs twice in the picture may be right twice, and no more often.
        if left[joint] == 0:
            continue
        left[joint] -= 1
        # Sets are shared by all their members: to unite two is to hand the larger one on.
        if part[first] is not part[second]:
            part[first] |= part[second]
            for position in part[second]:
                part[position] = part[first]
    largest = max(map(len, part))
    return largest / len(part) if largest > 1 else 0.0


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
    held = _fill_picture(_largest(costs, group, frames), costs, group, frames)
    top, left = (min(position[axis] for position in held.values()) for axis in (0, 1))
    rows, columns = (max(position[axis] for position in held.values()) for axis in (0, 1))
    # Turned blocks may have made the picture lying on its side: one turn of the whole puts it up.
    if (rows - top + 1, columns - left + 1) != shape:
        held = _turn_positions(held, 1)
        top, left = left, top
    board, turns = np.empty((2, *shape), dtype=np.int64)
    for block, (row, column, turn) in held.items():
        board[row - top, column - left] = block
        turns[row - top, column - left] = turn
    return Assembly(board, turns)


def _turn_positions(held: _Held, turn: int) -> _Held:
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

    def take_in(self, other: _Held, frames: set[_BlockCell]) -> bool:
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
        if here.take_in(_attach(there.held, joint, here.held), frames):
            for block in there.held:
                component[block] = here
    return max(component, key=lambda part: len(part.held)).held


def _attach(held: _Held, joint: tuple[int, int, int, int], here: _Held) -> _Held:
    """Return positions as a joint brings them to others: block, side, turn of the next, and it."""
    first, side, turn, second = joint
    row, column, own_turn = here[first]
    undone = COMPOSED[turn, INVERSE[held[second][2]]]
    moved = _turn_positions(held, int(COMPOSED[own_turn, undone]))
    down, right = SIDES[TURNED_SIDES[own_turn, side]]
    down, right = down + row - moved[second][0], right + column - moved[second][1]
    return {block: (r + down, c + right, t) for block, (r, c, t) in moved.items()}


def _fill_picture(
    held: _Held, costs: Costs, group: Sequence[int], frames: set[_BlockCell]
) -> _Held:
    """Add the blocks left over to a component one by one, until the picture is full."""
    held, count = dict(held), costs.shape[2]
    at = {(row, column): (block, turn) for block, (row, column, turn) in held.items()}
    tables: dict[_BlockCell, Costs] = {}
    best: dict[_BlockCell, tuple[float, int]] = {}
    while len(held) < count:
        free = _free_around(at, frames)
        for cell in free - best.keys():
            # A table holds until a neighbor of its cell is filled; most cells keep theirs for many
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
        for changed in (cell, *_find_neighbors(cell)):
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
    for side, neighbor in enumerate(_find_neighbors(cell)):
        if neighbor in at:
            block, turn = at[neighbor]
            back = INVERSE[turn]
            met.append(
                costs[TURNED_SIDES[back, FACING[side]], index_of[COMPOSED[back, group]], block]
            )
    return np.asarray(np.mean(met, axis=0))


def _find_neighbors(cell: _BlockCell) -> list[_BlockCell]:
    """Return the positions around one, in the order of `SIDES`."""
    return [(cell[0] + row, cell[1] + column) for row, column in SIDES]


def _free_around(at: _Placed, frames: set[_BlockCell]) -> set[_BlockCell]:
    """Return the free positions beside what is held that keep it inside a picture."""
    rows, columns = zip(*at, strict=True)
    top, bottom, left, right = min(rows), max(rows), min(columns), max(columns)
    return {
        (row, column)
        for row, column in {position for cell in at for position in _find_neighbors(cell)}
        - at.keys()
        if any(
            max(row, bottom) - min(row, top) < high
            and max(column, right) - min(column, left) < wide
            for high, wide in frames
        )
    }
