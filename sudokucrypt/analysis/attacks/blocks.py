"""Cut pictures into blocks, turn blocks, estimate their size, and compute the costs of joints.

A block has sixteen turns: eight orientations, each with plain or inverted samples. Where blocks
have moved, their edges are steps between pixels at regular distances, which show the block size.
"""

from collections.abc import Sequence
from itertools import product
from math import inf, isqrt, log

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray, IntArray

# Turn 0 leaves a block as it is. Bit 0 transposes it, bit 1 then turns it upside down, bit 2
# mirrors it from left to right, and bit 3 inverts its samples.
TURN_COUNT = 16

# Steps to the neighbors of a block: right, below, left, above.
SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))

# Groups of turns that schemes apply to blocks. Applying two turns of a group in succession is the
# same as applying one turn of it.
TURN_GROUPS: dict[str, tuple[int, ...]] = {
    "not rotated": (0,),
    "inverted": (0, 8),
    "mirrored": (0, 2, 4, 6),
    "mirrored and inverted": (0, 2, 4, 6, 8, 10, 12, 14),
    "rotated": (0, 3, 5, 6),
    "rotated and inverted": (0, 3, 5, 6, 8, 11, 13, 14),
    "rotated and mirrored": tuple(range(8)),
    "rotated, mirrored and inverted": tuple(range(TURN_COUNT)),
}


def apply_turn(blocks: AnyArray, turn: int, levels: int) -> AnyArray:
    """Turn blocks of shape (n, b, b, C); an inverted sample is `levels` - 1 - sample."""
    if turn & 1:
        blocks = blocks.swapaxes(1, 2)
    blocks = blocks[:, :: -1 if turn & 2 else 1, :: -1 if turn & 4 else 1]
    return blocks.dtype.type(levels - 1) - blocks if turn & 8 else blocks


def _get_turn_matrix(turn: int) -> IntArray:
    """Return the 3 x 3 matrix of a turn: 2 x 2 for steps (row, column), a sign for inversion."""
    # Products of matrices compose turns, so that no table has to be written by hand.
    signs = [-1 if turn & bit else 1 for bit in (2, 4, 8)]
    return np.diag(signs) @ np.eye(3, dtype=np.int64)[[1, 0, 2] if turn & 1 else [0, 1, 2]]


# The matrix by which each turn maps a step, of shape (16, 2, 2).
TURN_MATRICES = np.array([_get_turn_matrix(turn)[:2, :2] for turn in range(TURN_COUNT)])

_TURN_NUMBERS = {_get_turn_matrix(turn).tobytes(): turn for turn in range(TURN_COUNT)}

# Entry (s, t) is the turn that applies t first and then s.
COMPOSED_TURNS = np.zeros((TURN_COUNT, TURN_COUNT), dtype=np.int64)

for _second_turn, _first_turn in product(range(TURN_COUNT), repeat=2):
    COMPOSED_TURNS[_second_turn, _first_turn] = _TURN_NUMBERS[
        (_get_turn_matrix(_second_turn) @ _get_turn_matrix(_first_turn)).tobytes()
    ]

# The inverse of each turn.
INVERSE_TURNS = np.argmin(COMPOSED_TURNS, axis=1)

# Entry (t, a) is the side of a block to which turn t brings its side a.
TURNED_SIDES = np.array(
    [[SIDES.index(tuple((matrix @ side).tolist())) for side in SIDES] for matrix in TURN_MATRICES]
)

# The opposite of each side.
OPPOSITE_SIDES = np.array([2, 3, 0, 1])


# The least evidence from which a picture counts as cut into blocks. Pictures without blocks have
# less evidence, unless they show grids.
_MIN_BLOCK_EVIDENCE = 5.0


def crop_to_blocks(
    image: AnyArray, block_size: int, *, max_blocks: int
) -> tuple[AnyArray, tuple[int, int]]:
    """Return the middle of an image, in whole blocks, and the numbers of their rows and columns.

    There are at most `max_blocks` blocks, in about the proportions of the image.
    """
    rows_in_image, columns_in_image = image.shape[0] // block_size, image.shape[1] // block_size
    rows, columns = rows_in_image, columns_in_image
    if rows * columns > max_blocks:
        rows = min(rows, max_blocks, max(1, isqrt(max_blocks * rows // columns)))
        columns = min(columns, max_blocks // rows)
    top, left = (
        (rows_in_image - rows) // 2 * block_size,
        (columns_in_image - columns) // 2 * block_size,
    )
    cropped_image = image[top : top + rows * block_size, left : left + columns * block_size]
    return np.ascontiguousarray(cropped_image), (rows, columns)


def cut_blocks(image: AnyArray, block_size: int) -> AnyArray:
    """Return the blocks of an image in reading order, of shape (n, b, b, C)."""
    rows, columns = image.shape[0] // block_size, image.shape[1] // block_size
    grid = image.reshape(rows, block_size, columns, block_size, -1).swapaxes(1, 2)
    return np.ascontiguousarray(grid.reshape(rows * columns, block_size, block_size, -1))


def estimate_block_size(image: AnyArray) -> int | None:
    """Return the estimated side of the blocks of an image, or None if no blocks show.

    The image has the shape (M, N) or (M, N, C). Sides are 2 to half the shorter side of the image.
    """
    evidence = measure_block_evidence(image)
    side = int(evidence.argmax())
    return side if evidence[side] >= _MIN_BLOCK_EVIDENCE else None


def measure_block_evidence(image: AnyArray) -> NDArray[np.float64]:
    """Return the evidence for each block side, from 0 to half the shorter side of the image.

    Differences of neighboring pixels are averaged along each line between two rows or columns.
    They are larger where blocks meet, at each multiple of their side: the evidence is the
    difference of the means there and elsewhere, over its deviation (Student's t). Divisors and
    multiples of the true side have less evidence.
    """
    step_means = [_average_steps(image), _average_steps(image.swapaxes(0, 1))]
    step_sum, square_sum = (
        sum(float(np.sum(steps**power)) for steps in step_means) for power in (1, 2)
    )
    step_count = sum(map(len, step_means))
    evidence = np.zeros(min(image.shape[:2]) // 2 + 1)
    # Sums over all lines are computed once, so that each block side takes only the time to add the
    # lines at its block edges.
    for side in range(2, len(evidence)):
        edge_steps = np.concatenate([steps[side - 1 :: side] for steps in step_means])
        edge_step_sum, inner_step_count = edge_steps.sum(), step_count - len(edge_steps)
        edge_step_mean, inner_step_mean = (
            edge_step_sum / len(edge_steps),
            (step_sum - edge_step_sum) / inner_step_count,
        )
        squared_deviation_sum = (
            square_sum
            - edge_step_sum * edge_step_mean
            - (step_sum - edge_step_sum) * inner_step_mean
        )
        # A constant picture has no spread, and so no evidence.
        if squared_deviation_sum > 0:
            variance = (
                squared_deviation_sum
                / (step_count - 2)
                * (1 / len(edge_steps) + 1 / inner_step_count)
            )
            evidence[side] = (edge_step_mean - inner_step_mean) / np.sqrt(variance)
    return evidence


def _average_steps(image: AnyArray) -> NDArray[np.float64]:
    """Return the mean absolute difference of each row and the next."""
    pairs = zip(image[1:], image[:-1], strict=True)
    steps = (np.abs(np.subtract(*pair, dtype=np.int32)).mean() for pair in pairs)
    return np.fromiter(steps, dtype=np.float64)


Costs = NDArray[np.float32]

# For each side of a block, a turn that brings this side to the right.
_TURNS_TO_RIGHT = [
    next(turn for turn in range(TURN_COUNT // 2) if TURNED_SIDES[turn, side] == 0)
    for side in range(4)
]

# The number of blocks that are compared with all others at a time.
_BLOCKS_PER_STEP = 128

# Added to all costs, since equal edges cost 0 and costs are divided by other costs.
_COST_OFFSET = 1e-6
# Relative tolerance to recognize the least cost, since costs have single precision.
_COST_TOLERANCE = 1e-5

# For each size of a group of orientations, the margin by which its log-likelihood must exceed the
# log-likelihood of all eight. Groups of 1 and 4 need evidence, since neighbors may have the same
# turn by chance.
_LIKELIHOOD_MARGINS = {1: 3.0, 4: 8.0, 8: 0.0}


class BlockEdges:
    """The edges of blocks, as tables whose products are the costs of joints.

    Blocks are an array of shape (n, b, b, C), with n and b of 2 or more, and samples below
    `levels`. Mahalanobis gradient compatibility: the step across a joint is compared, pixel by
    pixel, with mean and covariance of the steps just before it in either block, so that shading
    may go on but not break. The sum of squares is one matrix product for all pairs of blocks.
    Source: A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.
    """

    def __init__(self, blocks: AnyArray, levels: int) -> None:
        self.count = len(blocks)
        self._first_edge_features: dict[int, NDArray[np.float64]] = {}
        self._second_edge_features: dict[int, NDArray[np.float64]] = {}
        for turn in range(TURN_COUNT):
            coefficients, features = _make_edge_features(
                apply_turn(blocks, turn, levels), (levels - 1) / 2
            )
            if turn in _TURNS_TO_RIGHT:
                self._first_edge_features[turn] = np.hstack([coefficients, features])
            # If a turn brings a side to the right, the same turn followed by mirroring brings it
            # to the left.
            self._second_edge_features[int(COMPOSED_TURNS[4, turn])] = np.hstack(
                [features, coefficients]
            )

    def compute_costs(
        self, side: int, turn: int, first_block: int = 0, stop_block: int | None = None
    ) -> AnyArray:
        """Return the costs of putting turned blocks next to blocks that are not turned.

        Entry (i, j) is the cost of block j on side `side` of block i, infinite for i = j; i is in
        first..last - 1.
        """
        turn_to_right = _TURNS_TO_RIGHT[side]
        table = (
            self._first_edge_features[turn_to_right][first_block:stop_block]
            @ self._second_edge_features[int(COMPOSED_TURNS[turn_to_right, turn])].T
        )
        np.maximum(table, 0, out=table)
        row_indices = np.arange(len(table))
        table[row_indices, row_indices + first_block] = np.inf
        return table


def _make_edge_features(blocks: AnyArray, middle_level: float) -> tuple[AnyArray, AnyArray]:
    """Return two tables; a row of one times a row of the other is the cost of joining right edges.

    The second block is mirrored, so that its right edge is at the joint. The cost, the sum over
    pixels of (other - predicted)' S (other - predicted), is expanded: the second table has the
    other edge, its square and 1, and the first table their coefficients.
    """
    # Centered samples keep the products small, so that rounding does not choose between joints.
    edge_samples, inner_samples = (
        blocks[:, :, -k].astype(np.float64) - middle_level for k in (1, 2)
    )
    steps = edge_samples - inner_samples
    count, _, channels = edge_samples.shape
    # Steps of 0, and of 1 up or down in each channel, are added to the samples, so that the
    # covariance matrix of smooth edges can be inverted.
    unit_matrix = np.eye(channels)
    unit_steps = np.concatenate([np.zeros((1, channels)), unit_matrix, -unit_matrix])
    sampled_steps = np.concatenate(
        [steps, np.broadcast_to(unit_steps, (count, *unit_steps.shape))], axis=1
    )
    centered_steps = sampled_steps - sampled_steps.mean(axis=1, keepdims=True)
    precision_matrices = np.linalg.inv(
        centered_steps.swapaxes(1, 2) @ centered_steps / (sampled_steps.shape[1] - 1)
    )
    predicted_edges = edge_samples + steps.mean(axis=1, keepdims=True)
    weighted_edges = predicted_edges @ precision_matrices
    constant_terms = np.sum(weighted_edges * predicted_edges, axis=(1, 2))[:, None]
    edge_products = (edge_samples.swapaxes(1, 2) @ edge_samples).reshape(count, -1)
    coefficients = np.hstack(
        [
            precision_matrices.reshape(count, -1),
            -2 * weighted_edges.reshape(count, -1),
            constant_terms,
        ]
    )
    features = np.hstack([edge_products, edge_samples.reshape(count, -1), np.ones((count, 1))])
    return coefficients, features


def count_partner_pairs(edges: BlockEdges) -> IntArray:
    """Count the pairs of edges that are each other's best partner, by the turn between the blocks.

    The result has an entry for each of the 16 turns: the turn of the second block relative to the
    first.
    """
    # Blocks are processed in groups: the costs of all blocks at once would take 16 tables of n x
    # n.
    # Turn and block, as one integer.
    best_partner_codes = np.empty((4, edges.count), dtype=np.int64)
    for side in range(4):
        for first in range(0, edges.count, _BLOCKS_PER_STEP):
            cost_rows = np.hstack(
                [
                    edges.compute_costs(side, partner_turns, first, first + _BLOCKS_PER_STEP)
                    for partner_turns in range(TURN_COUNT)
                ]
            )
            best_partner_codes[side, first : first + _BLOCKS_PER_STEP] = cost_rows.argmin(axis=1)
    partner_turns, partner_blocks = np.divmod(best_partner_codes, edges.count)
    partner_sides = TURNED_SIDES[
        INVERSE_TURNS[partner_turns], OPPOSITE_SIDES[np.arange(4)][:, None]
    ]
    # One block may be the best partner of many; both must choose each other to count.
    is_mutual = (partner_blocks[partner_sides, partner_blocks] == np.arange(edges.count)) & (
        partner_turns[partner_sides, partner_blocks] == INVERSE_TURNS[partner_turns]
    )
    return np.bincount(partner_turns[is_mutual], minlength=TURN_COUNT)


def choose_turn_group(pair_counts: IntArray) -> str:
    """Return the name of the group in `TURN_GROUPS` that best explains the counts of turns.

    `pair_counts` is the result of `count_partner_pairs`. Some pairs are chance and have any
    orientation; the others have each turn of the group equally often. A group of fewer than eight
    orientations must be much likelier. If a scheme inverts blocks, half of the pairs have one
    inverted block; by chance fewer pairs have, since inverting changes the brightness.
    """
    upright_counts, inverted_counts = np.split(pair_counts, 2)
    turn_counts = upright_counts + inverted_counts
    pair_total = int(turn_counts.sum())

    def measure_likelihood(turn_group: tuple[int, ...]) -> float:
        count_in_group, share = (
            int(turn_counts[list(turn_group)].sum()),
            len(turn_group) / len(turn_counts),
        )
        # A group whose turns are rarer than by chance is excluded.
        if count_in_group < share * pair_total:
            return -inf
        counts_and_shares = [(count_in_group, share), (pair_total - count_in_group, 1 - share)]
        log_likelihood_ratio = sum(
            count * log(count / pair_total / expected_share)
            for count, expected_share in counts_and_shares
            if count
        )
        return (
            log_likelihood_ratio / 2 - _LIKELIHOOD_MARGINS[len(turn_group)]
        )  # each pair counts twice, once from either side

    group_names = {group: name for name, group in TURN_GROUPS.items()}
    upright_groups = [group for group in group_names if max(group) < len(turn_counts)]
    best_group = max(upright_groups, key=measure_likelihood)
    group = list(best_group)
    # If blocks are inverted at random, half of the pairs have one inverted block; by chance far
    # fewer have.
    if 2 * inverted_counts[group].sum() > upright_counts[group].sum():
        group += [turn + len(turn_counts) for turn in group]
    return group_names[tuple(group)]


def compute_joint_costs(edges: BlockEdges, turn_group: Sequence[int]) -> Costs:
    """Return the costs of all joints, as an array of shape (4, len(group), n, n).

    Entry (a, k, i, j) is the cost of block j, turned by group[k], on side a of block i.
    Costs are relative: divided by the cheapest other joint of either edge, so that they are below
    1 if there is no better neighbor.
    """
    count = edges.count
    costs = np.empty((4, len(turn_group), count, count), dtype=np.float32)
    for side, index in np.ndindex(4, len(turn_group)):
        costs[side, index] = edges.compute_costs(side, turn_group[index])
    costs += _COST_OFFSET
    least_costs = np.full((4, count, 2), np.inf, dtype=np.float32)
    for side, index in np.ndindex(4, len(turn_group)):
        least_costs[side] = _find_two_least_costs(
            np.hstack([least_costs[side], costs[side, index]])
        )
    for side, index in np.ndindex(4, len(turn_group)):
        opposite_side = TURNED_SIDES[INVERSE_TURNS[turn_group[index]], OPPOSITE_SIDES[side]]
        table = costs[side, index]
        # Gallagher's relative cost divides each cost by the least other cost of either edge, since
        # a good joint is much cheaper than all other joints of its edges.
        table /= np.minimum(
            _find_least_other_costs(table, least_costs[side]),
            _find_least_other_costs(table.T, least_costs[opposite_side]).T,
        )
    return costs


def _find_two_least_costs(table: Costs) -> Costs:
    """Return the two smallest entries of each row, in order."""
    return np.partition(table, 1, axis=1)[:, :2]


def _find_least_other_costs(table: Costs, two_least_costs: Costs) -> Costs:
    """Return for each entry the smallest other entry of its row, from the two smallest."""
    is_least = table <= two_least_costs[:, :1] * np.float32(1 + _COST_TOLERANCE)
    return np.where(is_least, two_least_costs[:, 1:], two_least_costs[:, :1])
