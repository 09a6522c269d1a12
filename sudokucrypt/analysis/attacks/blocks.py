"""Blocks of pictures: how they are turned, cut and found, and what their joints cost.

There are sixteen ways to put a block down: in eight orientations, each of them inverted or not.
Edges of blocks that moved show as steps at equal distances.
"""

from collections.abc import Sequence
from itertools import product
from math import inf, isqrt, log

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray, IntArray

# Turn 0 leaves a block as it is. Bit 0 transposes it, bit 1 then turns it upside down, bit 2
# mirrors it from left to right, and bit 3 inverts its samples.
COUNT = 16

# Steps to the neighbors of a block: right, below, left, above.
SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))

# What schemes do to blocks, as groups of turns: two of one group make another one of it.
TURN_GROUPS: dict[str, tuple[int, ...]] = {
    "not rotated": (0,),
    "inverted": (0, 8),
    "mirrored": (0, 2, 4, 6),
    "mirrored and inverted": (0, 2, 4, 6, 8, 10, 12, 14),
    "rotated": (0, 3, 5, 6),
    "rotated and inverted": (0, 3, 5, 6, 8, 11, 13, 14),
    "rotated and mirrored": tuple(range(8)),
    "rotated, mirrored and inverted": tuple(range(COUNT)),
}


def apply_turn(blocks: AnyArray, turn: int, levels: int) -> AnyArray:
    """Return blocks of shape (n, b, b, C) after a turn; inverted they hold levels - 1 - sample."""
    if turn & 1:
        blocks = blocks.swapaxes(1, 2)
    blocks = blocks[:, :: -1 if turn & 2 else 1, :: -1 if turn & 4 else 1]
    return blocks.dtype.type(levels - 1) - blocks if turn & 8 else blocks


def _matrix(turn: int) -> IntArray:
    """Return what a turn does to a step (row, column), in the third place with inversion."""
    # As matrices, turns are composed by multiplication, so that no table needs to be written by
    # hand.
    signs = [-1 if turn & bit else 1 for bit in (2, 4, 8)]
    return np.diag(signs) @ np.eye(3, dtype=np.int64)[[1, 0, 2] if turn & 1 else [0, 1, 2]]


# What each turn does to a step, as matrices of shape (16, 2, 2).
STEPS = np.array([_matrix(turn)[:2, :2] for turn in range(COUNT)])

_NUMBERS = {_matrix(turn).tobytes(): turn for turn in range(COUNT)}

# Entry (s, t) is the turn that does t first and then s.
COMPOSED = np.zeros((COUNT, COUNT), dtype=np.int64)

for _second, _first in product(range(COUNT), repeat=2):
    COMPOSED[_second, _first] = _NUMBERS[(_matrix(_second) @ _matrix(_first)).tobytes()]

# Which turn undoes each.
INVERSE = np.argmin(COMPOSED, axis=1)

# Entry (t, a) is the side on which side a of a block lies after the turn t.
TURNED_SIDES = np.array(
    [[SIDES.index(tuple((matrix @ side).tolist())) for side in SIDES] for matrix in STEPS]
)

# The opposite of each side.
FACING = np.array([2, 3, 0, 1])


# Evidence of blocks; without blocks there is less, save in pictures that have a grid anyway.
_PLAIN = 5.0


def middle_blocks(
    image: AnyArray, block_size: int, *, most: int
) -> tuple[AnyArray, tuple[int, int]]:
    """Return the middle of an image, of whole blocks, and how many there are in each direction.

    There are no more than `most`, in about the proportions of the image.
    """
    down, across = image.shape[0] // block_size, image.shape[1] // block_size
    rows, columns = down, across
    if rows * columns > most:
        rows = min(rows, max(1, isqrt(most * rows // columns)))
        columns = min(columns, most // rows)
    top, left = (down - rows) // 2 * block_size, (across - columns) // 2 * block_size
    part = image[top : top + rows * block_size, left : left + columns * block_size]
    return np.ascontiguousarray(part), (rows, columns)


def cut_blocks(image: AnyArray, block_size: int) -> AnyArray:
    """Return the blocks of an image in reading order, of shape (n, b, b, C)."""
    rows, columns = image.shape[0] // block_size, image.shape[1] // block_size
    grid = image.reshape(rows, block_size, columns, block_size, -1).swapaxes(1, 2)
    return np.ascontiguousarray(grid.reshape(rows * columns, block_size, block_size, -1))


def estimate_block_size(image: AnyArray) -> int | None:
    """Return the side of the blocks that an image is made of, None if no blocks show.

    The image has the shape (M, N) or (M, N, C). Sides are from 2 to half the shorter one.
    """
    evidence = block_evidence(image)
    side = int(evidence.argmax())
    return side if evidence[side] >= _PLAIN else None


def block_evidence(image: AnyArray) -> NDArray[np.float64]:
    """Return for each side of blocks how plainly they show, from 0 to half the shorter side.

    Steps between neighboring pixels are averaged along each line between two rows or columns.
    Where blocks meet, at each multiple of their side, they are larger: the evidence is the
    difference of the means there and elsewhere, over its deviation (Student's t). Divisors and
    multiples of the side show less.
    """
    lines = [_mean_steps(image), _mean_steps(image.swapaxes(0, 1))]
    total, squares = (sum(float(np.sum(steps**power)) for steps in lines) for power in (1, 2))
    count = sum(map(len, lines))
    evidence = np.zeros(min(image.shape[:2]) // 2 + 1)
    # Student's t for two means, with sums that are shared by all sides: linear in the lines for
    # each side.
    for side in range(2, len(evidence)):
        edges = np.concatenate([steps[side - 1 :: side] for steps in lines])
        here, rest = edges.sum(), count - len(edges)
        mean, other = here / len(edges), (total - here) / rest
        within = squares - here * mean - (total - here) * other
        # Without any spread, as in a constant picture, there is nothing to tell apart.
        if within > 0:
            spread = within / (count - 2) * (1 / len(edges) + 1 / rest)
            evidence[side] = (mean - other) / np.sqrt(spread)
    return evidence


def _mean_steps(image: AnyArray) -> NDArray[np.float64]:
    """Return the mean step from each row to the next."""
    pairs = zip(image[1:], image[:-1], strict=True)
    steps = (np.abs(np.subtract(*pair, dtype=np.int32)).mean() for pair in pairs)
    return np.fromiter(steps, dtype=np.float64)


Costs = NDArray[np.float32]

# For each side of a block a turn that brings it to the right.
_TO_THE_RIGHT = [
    next(turn for turn in range(COUNT // 2) if TURNED_SIDES[turn, side] == 0) for side in range(4)
]

# Blocks that are compared with all others at a time.
_ROWS = 128

# Equal edges cost 0, by which nothing can be divided.
_TINY = 1e-6
# Costs are of single precision: the least one may differ from itself in the sixth digit.
_ROUNDING = 1e-5

# How much more likely, as a logarithm, fewer orientations must be than all eight.
#
# Neighbors may be turned alike by chance; above all blocks are often not turned at all.
_DOUBT = {1: 3.0, 4: 8.0, 8: 0.0}


class BlockEdges:
    """The edges of blocks, ready to be compared.

    Blocks are an array of shape (n, b, b, C), with n and b of 2 or more, and samples below
    `levels`. Mahalanobis gradient compatibility: the step across a joint is compared, pixel by
    pixel, with mean and covariance of the steps just before it in either block, so that shading
    may go on but not break. The sum of squares is one matrix product for all pairs of blocks.
    Source: A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.
    """

    def __init__(self, blocks: AnyArray, levels: int) -> None:
        self.count = len(blocks)
        self._far: dict[int, NDArray[np.float64]] = {}
        self._near: dict[int, NDArray[np.float64]] = {}
        for turn in range(COUNT):
            last, features = _features(apply_turn(blocks, turn, levels), (levels - 1) / 2)
            if turn in _TO_THE_RIGHT:
                self._far[turn] = np.hstack([last, features])
            # What a turn brings to the right, it brings to the left when mirrored.
            self._near[int(COMPOSED[4, turn])] = np.hstack([features, last])

    def costs(self, side: int, turn: int, first: int = 0, last: int | None = None) -> AnyArray:
        """Return what it costs to put turned blocks beside others, as they are.

        Entry (i, j) is for block j on that side of block i, infinite for i = j; i is in
        first..last - 1.
        """
        turn_right = _TO_THE_RIGHT[side]
        table = self._far[turn_right][first:last] @ self._near[int(COMPOSED[turn_right, turn])].T
        np.maximum(table, 0, out=table)
        own = np.arange(len(table))
        table[own, own + first] = np.inf
        return table


def _features(blocks: AnyArray, middle: float) -> tuple[AnyArray, AnyArray]:
    """Return two tables, whose rows multiplied give the cost of one right edge at another.

    The second block is met with its right edge too, hence mirrored. The sum over pixels of
    (other - predicted)' S (other - predicted) is written out: its parts with the other edge, its
    square and 1 are in the second table, and the rest is in the first.
    """
    # Samples around 0 keep the products small, so that rounding does not decide between joints.
    edge, before = (blocks[:, :, -k].astype(np.float64) - middle for k in (1, 2))
    steps = edge - before
    count, _, channels = edge.shape
    # Steps of size 0 and 1 in every direction keep the covariance of smooth edges regular.
    unit = np.eye(channels)
    usual = np.concatenate([np.zeros((1, channels)), unit, -unit])
    seen = np.concatenate([steps, np.broadcast_to(usual, (count, *usual.shape))], axis=1)
    off = seen - seen.mean(axis=1, keepdims=True)
    spread = np.linalg.inv(off.swapaxes(1, 2) @ off / (seen.shape[1] - 1))
    predicted = edge + steps.mean(axis=1, keepdims=True)
    weighed = predicted @ spread
    constant = np.sum(weighed * predicted, axis=(1, 2))[:, None]
    squares = (edge.swapaxes(1, 2) @ edge).reshape(count, -1)
    first = np.hstack([spread.reshape(count, -1), -2 * weighed.reshape(count, -1), constant])
    second = np.hstack([squares, edge.reshape(count, -1), np.ones((count, 1))])
    return first, second


def partners(edges: BlockEdges) -> IntArray:
    """Count by turn the pairs of edges that are each other's best partner.

    The result has an entry for each turn, for how the second block is turned as the first sees it.
    """
    # Blocks are compared a stripe at a time: all turns at once take 16 tables of n x n.
    best = np.empty((4, edges.count), dtype=np.int64)  # turn and block, as one integer
    for side in range(4):
        for first in range(0, edges.count, _ROWS):
            rows = np.hstack(
                [edges.costs(side, turn, first, first + _ROWS) for turn in range(COUNT)]
            )
            best[side, first : first + _ROWS] = rows.argmin(axis=1)
    turn, other = np.divmod(best, edges.count)
    back = TURNED_SIDES[INVERSE[turn], FACING[np.arange(4)][:, None]]
    # One block may be the best partner of many; both must choose each other to count.
    mutual = (other[back, other] == np.arange(edges.count)) & (turn[back, other] == INVERSE[turn])
    return np.bincount(turn[mutual], minlength=COUNT)


def likely_turns(pairs: IntArray) -> str:
    """Return which of `TURN_GROUPS` best explains how often each turn occurs among pairs that fit.

    Some pairs have any orientation, by chance; the others have those of the kind equally often.
    Fewer than all eight are assumed if they are much more likely. If blocks are inverted, so is one
    of each pair in two; by chance fewer are, since that changes how bright they are.
    """
    upright, inverted = np.split(pairs, 2)
    counts = upright + inverted
    total = int(counts.sum())

    def likelihood(group: tuple[int, ...]) -> float:
        inside, share = int(counts[list(group)].sum()), len(group) / len(counts)
        # Fewer than by chance: that these are the turns would be absurd, whatever the likelihood.
        if inside < share * total:
            return -inf
        parts = [(inside, share), (total - inside, 1 - share)]
        gain = sum(n * log(n / total / usual) for n, usual in parts if n)
        return gain / 2 - _DOUBT[len(group)]  # each pair counts twice, once from either side

    kinds = {group: name for name, group in TURN_GROUPS.items()}
    upright_kinds = [group for group in kinds if max(group) < len(counts)]
    best = max(upright_kinds, key=likelihood)
    group = list(best)
    # Of blocks that are inverted by a coin, every other pair has one: as many as upright pairs. By
    # chance it is far fewer.
    if 2 * inverted[group].sum() > upright[group].sum():
        group += [turn + len(counts) for turn in group]
    return kinds[tuple(group)]


def joint_costs(edges: BlockEdges, group: Sequence[int]) -> Costs:
    """Return what all joints cost, an array of shape (4, len(group), n, n).

    Entry (a, k, i, j) is for block j, turned by group[k], on side a of block i.
    Costs are relative: divided by the cheapest other joint of either edge, so that they are below
    1 if there is no better neighbor.
    """
    count = edges.count
    costs = np.empty((4, len(group), count, count), dtype=np.float32)
    for side, index in np.ndindex(4, len(group)):
        costs[side, index] = edges.costs(side, group[index])
    costs += _TINY
    least = np.full((4, count, 2), np.inf, dtype=np.float32)
    for side, index in np.ndindex(4, len(group)):
        least[side] = _two_least(np.hstack([least[side], costs[side, index]]))
    for side, index in np.ndindex(4, len(group)):
        back = TURNED_SIDES[INVERSE[group[index]], FACING[side]]
        table = costs[side, index]
        # Gallagher's relative cost: a joint is good if no other is nearly as good for either edge.
        table /= np.minimum(_other(table, least[side]), _other(table.T, least[back]).T)
    return costs


def _two_least(table: Costs) -> Costs:
    """Return the two smallest entries of each row, in order."""
    return np.partition(table, 1, axis=1)[:, :2]


def _other(table: Costs, least: Costs) -> Costs:
    """Return for each entry the smallest other one of its row."""
    same = table <= least[:, :1] * np.float32(1 + _ROUNDING)
    return np.where(same, least[:, 1:], least[:, :1])
