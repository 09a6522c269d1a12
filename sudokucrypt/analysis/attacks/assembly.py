"""Find position and orientation of each block from the costs of joints, and score the assembly.

Scores are computed with the plain picture, which no attacker has. A picture that is only turned as
a whole counts as fully recovered: positions and pairs of neighbors are compared after each turn.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from sudokucrypt.analysis.attacks.blocks import (
    COMPOSED_TURNS,
    INVERSE_TURNS,
    OPPOSITE_SIDES,
    SIDES,
    TURN_COUNT,
    TURN_MATRICES,
    TURNED_SIDES,
    Costs,
    apply_turn,
)
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# The number of random assemblies that are scored to estimate the share of right joints by chance.
_RANDOM_ASSEMBLY_COUNT = 32

# Fixed, so that the share by chance is the same in each run.
_SEED = 1


@dataclass(frozen=True, eq=False)
class Assembly:
    """The block at each position and its turn: two arrays of shape (rows, columns)."""

    blocks: IntArray
    turns: IntArray

    def turn(self, turn: int) -> "Assembly":
        """Return the assembly after a turn of the whole picture."""
        turned_grids = np.stack([self.blocks, COMPOSED_TURNS[turn][self.turns]])[..., None]
        return Assembly(*apply_turn(turned_grids, turn & 7, 0)[..., 0])

    def render_picture(self, pieces: AnyArray, levels: int) -> AnyArray:
        """Return the assembled picture, of shape (M, N, C), from blocks of shape (n, b, b, C)."""
        placed_blocks = pieces[self.blocks.reshape(-1)]
        turns = self.turns.reshape(-1)
        for turn in set(turns.tolist()):
            placed_blocks[turns == turn] = apply_turn(placed_blocks[turns == turn], turn, levels)
        _, side, _, channels = pieces.shape
        rows, columns = self.blocks.shape
        tiles = placed_blocks.reshape(rows, columns, side, side, channels).swapaxes(1, 2)
        return tiles.reshape(rows * side, columns * side, channels)


@dataclass(frozen=True, kw_only=True)
class AssemblyScores:
    """The scores of an assembly: shares 0..1, and `count`, the number of all joints.

    `direct` is the share of blocks in their right position, `joints` the share of right
    joints between neighboring blocks, `largest` the share of blocks in the largest part
    whose joints are all right, and `chance` the mean share of right joints in random
    assemblies.
    """

    count: int
    direct: float
    joints: float
    largest: float
    chance: float


class BlockIdentities:
    """Blocks as numbers, in each of the sixteen orientations: equal blocks have equal numbers."""

    def __init__(
        self, plain: AnyArray, pieces: AnyArray, shape: tuple[int, int], levels: int
    ) -> None:
        numbers_by_digest: dict[bytes, int] = {}
        self._plain_block_numbers, self._piece_numbers = (
            np.array(
                [
                    [
                        numbers_by_digest.setdefault(
                            blake2b(block.tobytes(), digest_size=16).digest(),
                            len(numbers_by_digest),
                        )
                        for block in apply_turn(blocks, turn, levels)
                    ]
                    for turn in range(TURN_COUNT)
                ]
            ).T
            for blocks in (plain, pieces)
        )
        self._plain_block_numbers = self._plain_block_numbers.reshape(*shape, TURN_COUNT)
        self._distinct_block_count = len(numbers_by_digest)

    def turn_upright(self, assembly: Assembly) -> Assembly:
        """Turn a whole assembly so that as many blocks as possible have their right orientation."""
        # An attacker cannot know the orientation of the whole picture, but a viewer would see it.
        match_counts = (
            np.isin(self._get_block_numbers(assembly), self._plain_block_numbers[..., 0])
            .sum(axis=(0, 1))
            .tolist()
        )
        turned_assemblies = (
            assembly.turn(turn) for turn in np.argsort(match_counts, kind="stable")[::-1].tolist()
        )
        return next(
            turned_assembly
            for turned_assembly in turned_assemblies
            if turned_assembly.blocks.shape == assembly.blocks.shape
        )

    def score_assembly(self, assembly: Assembly, turn_group: tuple[int, ...]) -> AssemblyScores:
        """Score an assembly, and random assemblies with turns of the group for comparison."""
        true_joints, joints = (
            self._number_joints(self._plain_block_numbers),
            self._number_joints(self._get_block_numbers(assembly)),
        )
        shares = [
            _count_shared_joints(
                true_joints, self._number_joints(self._get_block_numbers(random_assembly))
            )
            / len(true_joints)
            for random_assembly in _draw_assemblies(assembly.blocks.shape, turn_group)
        ]
        return AssemblyScores(
            count=len(true_joints),
            direct=float(
                (self._get_block_numbers(assembly) == self._plain_block_numbers)[..., 0].mean()
            ),
            joints=_count_shared_joints(true_joints, joints) / len(true_joints),
            largest=_measure_largest_part(true_joints, joints, assembly.blocks.shape),
            chance=float(np.mean(shares)),
        )

    def _get_block_numbers(self, assembly: Assembly) -> IntArray:
        """Return the number of the block at each position after each turn, of shape (M, N, 16)."""
        turns = COMPOSED_TURNS[:, assembly.turns].transpose(1, 2, 0)
        return self._piece_numbers[assembly.blocks[..., None], turns]

    def _number_joints(self, block_numbers: IntArray) -> IntArray:
        """Return a number for each joint, by its blocks and side; horizontal joints come first.

        Each joint has sixteen encodings, one for each turn of the whole; the least one is returned.
        """
        joints = []
        for side, (first_block, second_block) in enumerate(_pair_positions(block_numbers)):
            sides = TURNED_SIDES[:, side]
            # A joint to the left or above is encoded from the other block, for which it is to the
            # right or below.
            is_reversed = sides > 1
            first_numbers, second_numbers = (
                np.where(is_reversed, second_block, first_block),
                np.where(is_reversed, first_block, second_block),
            )
            direction = np.where(is_reversed, OPPOSITE_SIDES[sides], sides)
            # The pair and the side as one integer, so that the least one can be chosen.
            joint_numbers = (
                first_numbers * self._distinct_block_count + second_numbers
            ) * 2 + direction
            joints.append(joint_numbers.min(axis=-1).reshape(-1))
        return np.concatenate(joints)


def _pair_positions(positions: IntArray) -> tuple[tuple[IntArray, IntArray], ...]:
    """Return the two positions of each horizontal joint, then those of each vertical one."""
    return (positions[:, :-1], positions[:, 1:]), (positions[:-1], positions[1:])


def _draw_assemblies(shape: tuple[int, ...], turn_group: tuple[int, ...]) -> Iterator[Assembly]:
    """Yield assemblies of the blocks in random order, each block after a random turn."""
    source, count = seeded_draws(_SEED), shape[0] * shape[1]
    for _ in range(_RANDOM_ASSEMBLY_COUNT):
        order = source.permutations([count])
        turns = np.array(turn_group)[source.below_each(np.full(count, len(turn_group)))]
        yield Assembly(order.reshape(shape), turns.reshape(shape))


def _count_shared_joints(true_joints: IntArray, joints: IntArray) -> int:
    """Count the joints in both arrays; a joint that occurs n times in both counts n times."""
    return (Counter(true_joints.tolist()) & Counter(joints.tolist())).total()


def _measure_largest_part(true_joints: IntArray, joints: IntArray, shape: tuple[int, ...]) -> float:
    """Return the share of positions in the largest part that is connected by right joints."""
    remaining_joints = Counter(true_joints.tolist())
    positions = np.arange(shape[0] * shape[1])
    connected_parts = [{position} for position in positions.tolist()]
    joint_positions = [
        np.stack(pair, axis=-1).reshape(-1, 2) for pair in _pair_positions(positions.reshape(shape))
    ]
    for joint, (first, second) in zip(
        joints.tolist(), np.concatenate(joint_positions).tolist(), strict=True
    ):
        # A joint that occurs twice in the picture can be right at most twice.
        if remaining_joints[joint] == 0:
            continue
        remaining_joints[joint] -= 1
        # All members of a part share one set, so a union enlarges one set and assigns it to all.
        if connected_parts[first] is not connected_parts[second]:
            connected_parts[first] |= connected_parts[second]
            for position in connected_parts[second]:
                connected_parts[position] = connected_parts[first]
    largest_size = max(map(len, connected_parts))
    return largest_size / len(connected_parts) if largest_size > 1 else 0.0


# The number of cheapest joints per block that are tried to connect components.
_JOINTS_PER_BLOCK = 16

# Row and column of a position, which may be negative while a component grows.
_BlockCell: TypeAlias = tuple[int, int]

# Row, column and turn of each block of a component, relative to each other.
_BlockPositions: TypeAlias = dict[int, tuple[int, int, int]]

# The block at each position, and its turn.
_BlockGrid: TypeAlias = dict[_BlockCell, tuple[int, int]]


def assemble_blocks(costs: Costs, turn_group: Sequence[int], shape: tuple[int, int]) -> Assembly:
    """Assemble a picture of this shape in blocks, from the costs of joints.

    The `costs` are from `compute_joint_costs` for the turns in `turn_group`. Joints are made in
    order of increasing cost, as in Kruskal's algorithm, unless two blocks would share a position or
    the component would exceed the picture. Then the remaining blocks are added to the largest
    component one by one, each time the block and free position with the cheapest joints.

    Source: A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.
    """
    # A turn that transposes exchanges height and width of the whole picture.
    picture_shapes = {shape, shape[::-1]} if any(turn & 1 for turn in turn_group) else {shape}
    positions = _fill_picture(
        _find_largest_component(costs, turn_group, picture_shapes),
        costs,
        turn_group,
        picture_shapes,
    )
    top, left = (min(position[axis] for position in positions.values()) for axis in (0, 1))
    rows, columns = (max(position[axis] for position in positions.values()) for axis in (0, 1))
    # The picture may have been assembled lying on its side, which a turn of the whole corrects.
    if (rows - top + 1, columns - left + 1) != shape:
        positions = _turn_positions(positions, 1)
        top, left = left, top
    blocks, turns = np.empty((2, *shape), dtype=np.int64)
    for block, (row, column, turn) in positions.items():
        blocks[row - top, column - left] = block
        turns[row - top, column - left] = turn
    return Assembly(blocks, turns)


def _turn_positions(positions: _BlockPositions, turn: int) -> _BlockPositions:
    """Return the positions of a component's blocks after the whole component is turned."""
    (row_per_row, row_per_column), (column_per_row, column_per_column) = TURN_MATRICES[
        turn
    ].tolist()
    composed_turns = COMPOSED_TURNS[turn].tolist()
    return {
        block: (
            row_per_row * row + row_per_column * column,
            column_per_row * row + column_per_column * column,
            composed_turns[old_turn],
        )
        for block, (row, column, old_turn) in positions.items()
    }


class _BlockComponent:
    """A component: blocks whose positions relative to each other are known."""

    def __init__(self, block: int) -> None:
        self.positions: _BlockPositions = {block: (0, 0, 0)}
        self.cells = {(0, 0)}
        self.bounds = (0, 0, 0, 0)
        """First and last row, first and last column."""

    def add_component(self, positions: _BlockPositions, picture_shapes: set[_BlockCell]) -> bool:
        """Add the blocks of another component and return True, or False if they do not fit."""
        cells = {(row, column) for row, column, _ in positions.values()}
        if not self.cells.isdisjoint(cells):
            return False
        top, bottom, left, right = self.bounds
        rows, columns = zip(*cells, strict=True)
        top, bottom = min(top, *rows), max(bottom, *rows)
        left, right = min(left, *columns), max(right, *columns)
        if not any(
            bottom - top < height and right - left < width for height, width in picture_shapes
        ):
            return False
        self.bounds = top, bottom, left, right
        self.cells |= cells
        self.positions |= positions
        return True


def _sort_joints(costs: Costs) -> list[tuple[int, ...]]:
    """Return the side, the index of the turn and both blocks of each joint, by increasing cost."""
    count = costs.shape[2]
    # The table contains each joint twice, so only its upper triangle is used.
    is_above_diagonal = np.triu(np.ones((count, count), dtype=bool), 1)
    # Only the cheapest joints of each table can be among the cheapest joints of all tables, so no
    # table is sorted completely.
    joint_limit = min(_JOINTS_PER_BLOCK * count, count * (count - 1) // 2)
    joint_costs, joints = [], []
    for side, index in np.ndindex(*costs.shape[:2]):
        cost_table = np.where(is_above_diagonal, costs[side, index], np.inf)
        candidates = np.argwhere(
            cost_table <= np.partition(cost_table, joint_limit - 1, axis=None)[joint_limit - 1]
        )
        candidate_costs = cost_table[candidates[:, 0], candidates[:, 1]]
        order = np.argsort(candidate_costs, kind="stable")[:joint_limit]
        joint_costs.append(candidate_costs[order])
        joints.append(np.insert(candidates[order], [0], [side, index], axis=1))
    order = np.argsort(np.concatenate(joint_costs), kind="stable")[: _JOINTS_PER_BLOCK * count]
    return [tuple(joint) for joint in np.concatenate(joints)[order].tolist()]


def _find_largest_component(
    costs: Costs, turn_group: Sequence[int], picture_shapes: set[_BlockCell]
) -> _BlockPositions:
    """Connect blocks by Kruskal's algorithm, and return the positions of the largest component."""
    components = [_BlockComponent(block) for block in range(costs.shape[2])]
    for side, index, first, second in _sort_joints(costs):
        target, source = components[first], components[second]
        # Both blocks are in one component: the joint adds nothing, or contradicts cheaper ones.
        if target is source:
            continue
        # The smaller part moves to the larger one, so that each block moves at most log n times.
        if len(target.positions) >= len(source.positions):
            joint = first, side, turn_group[index], second
        else:  # the same joint, seen from the other block
            target, source, inverse_turn = source, target, INVERSE_TURNS[turn_group[index]]
            joint = (
                second,
                int(TURNED_SIDES[inverse_turn, OPPOSITE_SIDES[side]]),
                int(inverse_turn),
                first,
            )
        if target.add_component(
            _attach_component(source.positions, joint, target.positions), picture_shapes
        ):
            for block in source.positions:
                components[block] = target
    return max(components, key=lambda part: len(part.positions)).positions


def _attach_component(
    positions: _BlockPositions, joint: tuple[int, int, int, int], target_positions: _BlockPositions
) -> _BlockPositions:
    """Move the positions of a component so that a joint connects it to another component.

    The joint is a block of the other component, the side, the turn of the next block, and that
    block.
    """
    first, side, turn, second = joint
    row, column, target_turn = target_positions[first]
    needed_turn = COMPOSED_TURNS[turn, INVERSE_TURNS[positions[second][2]]]
    turned_positions = _turn_positions(positions, int(COMPOSED_TURNS[target_turn, needed_turn]))
    row_shift, column_shift = SIDES[TURNED_SIDES[target_turn, side]]
    row_shift, column_shift = (
        row_shift + row - turned_positions[second][0],
        column_shift + column - turned_positions[second][1],
    )
    return {
        block: (r + row_shift, c + column_shift, t) for block, (r, c, t) in turned_positions.items()
    }


def _fill_picture(
    positions: _BlockPositions,
    costs: Costs,
    turn_group: Sequence[int],
    picture_shapes: set[_BlockCell],
) -> _BlockPositions:
    """Add the remaining blocks to a component one by one, until the picture is full."""
    positions, count = dict(positions), costs.shape[2]
    grid = {(row, column): (block, turn) for block, (row, column, turn) in positions.items()}
    cost_tables: dict[_BlockCell, Costs] = {}
    best_placements: dict[_BlockCell, tuple[float, int]] = {}
    while len(positions) < count:
        free_cells = _find_free_cells(grid, picture_shapes)
        for cell in free_cells - best_placements.keys():
            # A table of costs is valid until a neighbor of its cell is filled.
            if cell not in cost_tables:
                cost_tables[cell] = _average_costs(cell, grid, costs, turn_group)
                cost_tables[cell][:, list(positions)] = np.inf
            position = int(cost_tables[cell].argmin())
            best_placements[cell] = float(cost_tables[cell].flat[position]), position
        _, cell = min((best_placements[cell], cell) for cell in free_cells)
        index, block = divmod(best_placements[cell][1], count)
        positions[block] = (*cell, turn_group[index])
        grid[cell] = block, turn_group[index]
        # Only cells around the new block have new costs.
        for outdated_cell in (cell, *_find_neighbors(cell)):
            cost_tables.pop(outdated_cell, None)
            best_placements.pop(outdated_cell, None)
        for free_cell, cost_table in cost_tables.items():
            cost_table[:, block] = np.inf
            # The block that was just placed was the best one for this free position, so the best
            # remaining block is found in a later step.
            if free_cell in best_placements and best_placements[free_cell][1] % count == block:
                del best_placements[free_cell]
    return positions


def _average_costs(
    cell: _BlockCell, grid: _BlockGrid, costs: Costs, turn_group: Sequence[int]
) -> Costs:
    """Return the mean cost of joining each block in each turn to the neighbors of a position."""
    turn_indices = np.zeros(TURN_COUNT, dtype=np.int64)
    turn_indices[list(turn_group)] = np.arange(len(turn_group))
    neighbor_costs = []
    for side, neighbor in enumerate(_find_neighbors(cell)):
        if neighbor in grid:
            block, turn = grid[neighbor]
            inverse_turn = INVERSE_TURNS[turn]
            neighbor_costs.append(
                costs[
                    TURNED_SIDES[inverse_turn, OPPOSITE_SIDES[side]],
                    turn_indices[COMPOSED_TURNS[inverse_turn, turn_group]],
                    block,
                ]
            )
    return np.asarray(np.mean(neighbor_costs, axis=0))


def _find_neighbors(cell: _BlockCell) -> list[_BlockCell]:
    """Return the four positions next to a position, in the order of `SIDES`."""
    return [(cell[0] + row, cell[1] + column) for row, column in SIDES]


def _find_free_cells(grid: _BlockGrid, picture_shapes: set[_BlockCell]) -> set[_BlockCell]:
    """Return the free positions next to placed blocks that are within the size of the picture."""
    rows, columns = zip(*grid, strict=True)
    top, bottom, left, right = min(rows), max(rows), min(columns), max(columns)
    return {
        (row, column)
        for row, column in {position for cell in grid for position in _find_neighbors(cell)}
        - grid.keys()
        if any(
            max(row, bottom) - min(row, top) < height
            and max(column, right) - min(column, left) < width
            for height, width in picture_shapes
        )
    }
