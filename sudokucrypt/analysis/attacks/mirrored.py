"""Find neighbors among moved blocks in which signs of frequency coefficients are unknown.

The attacker knows that blocks of 8 x 8 samples moved and that signs of their frequencies changed,
as under `robust-v1`, and ranks for each block all others as its right neighbor. This is the core
of a jigsaw: if few true neighbors are ranked first, the picture cannot be assembled.
"""

from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.blocks import crop_to_blocks, cut_blocks
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.analysis.inputs import check_image
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# The side of the blocks of JPEG, whose frequencies the attack compares.
BLOCK_SIDE = 8
# The maximum number of blocks, from the middle of the picture: a table has an entry for each pair
# of them, and 256 tables are needed while signs are guessed.
MAX_BLOCKS = 576

# The number of lowest frequencies in each direction for which the signs of the coefficients are
# guessed: these coefficients make up most of an edge.
_GUESSED_FREQUENCY_COUNT = 2

# The maximum relative distance between the magnitudes of a scrambled block and of its plain block.
_MAX_MATCH_DISTANCE = 0.15

# Added to magnitudes before their logarithms are compared, since magnitudes may be 0.
_LOG_OFFSET = 4.0

BlockTable = NDArray[np.float64]

# The cosine transform of JPEG: its rows are the frequencies of 8 samples.
_FREQUENCY_INDICES, _SAMPLE_INDICES = np.indices((BLOCK_SIDE, BLOCK_SIDE))
_COSINE_BASIS = np.where(_FREQUENCY_INDICES, 0.5, np.sqrt(0.125)) * np.cos(
    (2 * _SAMPLE_INDICES + 1) * _FREQUENCY_INDICES * np.pi / (2 * BLOCK_SIDE)
)


def mirrored_attack(oracle: contract.Oracle, image: AnyArray) -> contract.Finding:
    """Rank all other blocks of a scrambled picture as right neighbors, for each block.

    The picture is cropped to whole blocks of 8 x 8 pixels, at most 576 from its middle; its
    channels are averaged. It is scrambled once, and otherwise only used to score the attack.

    The details `edges`, `signs` and `texture` are the shares of blocks whose true right neighbor
    was ranked first: by edges, by edges with the best signs of the lowest frequencies, and by the
    magnitudes of all frequencies; `recovered` is the largest of them. `blocks` is the number of
    blocks, and `known` the share of blocks that can be identified in the result by their
    magnitudes; only these are scored.


    Sources: the edges after A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699; the attack on
    encryption-then-compression of gray blocks after T. Chuman, W. Sirichotedumrong, H. Kiya, 2019,
    doi:10.1109/TIFS.2018.2881677.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The picture that the attacker is after; it serves to score the attack.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import BlockShuffle
    >>> waves = np.sin(np.add.outer(np.arange(64) ** 2 / 900, np.arange(64) ** 1.5 / 70))
    >>> mirrored_attack(BlockShuffle(8).scramble, np.uint8(127 + 120 * waves)).outcome.value
    'broken'
    """
    image = np.asarray(image)
    levels = check_image(image)[1]
    if image.shape[0] < BLOCK_SIDE or image.shape[1] < 2 * BLOCK_SIDE:
        raise InvalidImageError(
            f"an image of {image.shape[0]}x{image.shape[1]} has fewer than two blocks of side "
            f"{BLOCK_SIDE} in a row"
        )
    plain, (rows, columns) = crop_to_blocks(image, BLOCK_SIDE, max_blocks=MAX_BLOCKS)
    scrambled_image = contract.query(oracle, plain)
    plain_blocks, scrambled_blocks = (
        _cut_gray_blocks(each, levels) for each in (plain, scrambled_image)
    )
    spectra = _COSINE_BASIS @ scrambled_blocks @ _COSINE_BASIS.T
    magnitudes = np.abs(spectra)
    indices = _find_known_blocks(np.abs(_COSINE_BASIS @ plain_blocks @ _COSINE_BASIS.T), magnitudes)
    cost_tables = {
        "edges": _compute_edge_costs(scrambled_blocks),
        "signs": _compute_fitted_costs(spectra),
        "texture": _compute_squared_distances(
            *2 * [np.log(magnitudes + _LOG_OFFSET).reshape(len(scrambled_blocks), -1)]
        ),
    }
    shares, trials = {}, 0
    for name, costs in cost_tables.items():
        shares[name], trials = _measure_first_rank_share(costs, indices.reshape(rows, columns))
    # The attacker may choose the best of the three tables. In each table, chance finds the right
    # one of all other blocks with this share.
    best_share, chance_share = max(shares.values()), 1 / (rows * columns - 1)
    outcome = contract.judge_share(best_share, chance=chance_share, trials=trials)
    shares_text = ", ".join(f"{share:.3f} by {name}" for name, share in shares.items())
    text = (
        f"of {trials} blocks of 8 pixels a side, the true right neighbor is first for "
        f"{shares_text}, "
        f"where chance gives {chance_share:.3f}"
    )
    return contract.Finding(
        outcome=outcome,
        text=text,
        recovered=best_share,
        seen=scrambled_image,
        picture=scrambled_image,
        details={
            **shares,
            "blocks": rows * columns,
            "known": float(np.mean(indices >= 0)),
        },
    )


def _cut_gray_blocks(image: AnyArray, levels: int) -> BlockTable:
    """Return blocks of shape (n, 8, 8) with averaged channels and levels centered as in JPEG."""
    gray_image = np.atleast_3d(image).mean(axis=2, dtype=np.float64)
    blocks: BlockTable = cut_blocks(gray_image, BLOCK_SIDE)[..., 0] * (255 / (levels - 1)) - 127.5
    return blocks


def _find_known_blocks(plain: BlockTable, result_blocks: BlockTable) -> IntArray:
    """Return the index of each plain block in the result, or -1 if it is not found.

    Blocks are matched if their magnitudes are close and each is the nearest of the other. All
    magnitudes may have changed by one factor.
    """
    flat_plain_blocks, flat_result_blocks = (
        plain.reshape(len(plain), -1),
        result_blocks.reshape(len(result_blocks), -1),
    )
    norms = [float(np.linalg.norm(each)) or 1.0 for each in (flat_plain_blocks, flat_result_blocks)]
    # `robust-v1` changes the contrast of the whole picture, so all magnitudes are scaled by one
    # factor.
    flat_result_blocks = flat_result_blocks * (norms[0] / norms[1])
    distances = _compute_squared_distances(flat_plain_blocks, flat_result_blocks)
    nearest_result_indices, nearest_plain_indices = (
        distances.argmin(axis=1),
        distances.argmin(axis=0),
    )
    block_indices = np.arange(len(flat_plain_blocks))
    is_close_match = np.sqrt(
        distances[block_indices, nearest_result_indices]
    ) <= _MAX_MATCH_DISTANCE * np.linalg.norm(flat_plain_blocks, axis=1)
    return np.where(
        (nearest_plain_indices[nearest_result_indices] == block_indices) & is_close_match,
        nearest_result_indices,
        -1,
    )


def _compute_edge_costs(blocks: BlockTable) -> BlockTable:
    """Return the squared distance of each right edge to each left edge, both extrapolated."""
    # The joint is half a pixel beyond either edge, so both edges are extrapolated to it by their
    # slopes.
    right_edges = 1.5 * blocks[:, :, -1] - 0.5 * blocks[:, :, -2]
    left_edges = 1.5 * blocks[:, :, 0] - 0.5 * blocks[:, :, 1]
    return _compute_squared_distances(right_edges, left_edges)


def _compute_fitted_costs(spectra: BlockTable) -> BlockTable:
    """Return the least squared distances of edges over all signs of the lowest coefficients.

    A sign changes only one frequency of an edge, so the frequencies are fitted separately.
    """
    right_edges, left_edges = (spectra @ _COSINE_BASIS[:, sample_index] for sample_index in (-1, 0))
    # The transform preserves distances, so frequencies of edges can replace their samples.
    costs = _compute_squared_distances(
        right_edges[:, _GUESSED_FREQUENCY_COUNT:], left_edges[:, _GUESSED_FREQUENCY_COUNT:]
    )
    for row in range(_GUESSED_FREQUENCY_COUNT):
        right_edge_choices, left_edge_choices = (
            [
                edges[:, row]
                + spectra[:, row, :_GUESSED_FREQUENCY_COUNT]
                @ (_COSINE_BASIS[:_GUESSED_FREQUENCY_COUNT, sample_index] * sign_changes)
                for sign_changes in product((0, -2), repeat=_GUESSED_FREQUENCY_COUNT)
            ]
            for edges, sample_index in ((right_edges, -1), (left_edges, 0))
        )
        costs += reduce(
            np.minimum,
            (_square_differences(*pair) for pair in product(right_edge_choices, left_edge_choices)),
        )
    return costs


def _square_differences(first: BlockTable, second: BlockTable) -> BlockTable:
    differences: BlockTable = np.subtract.outer(first, second)
    return np.square(differences, out=differences)


def _compute_squared_distances(first: BlockTable, second: BlockTable) -> BlockTable:
    """Return the squared distance of each row of `first` to each row of `second`."""
    first_norms, second_norms = (np.square(each).sum(axis=1) for each in (first, second))
    # einsum, since a matrix product would start threads, which takes longer than the computation.
    table = np.add.outer(first_norms, second_norms) - 2 * np.einsum("ik,jk->ij", first, second)
    return np.asarray(np.maximum(table, 0, out=table))


def _measure_first_rank_share(costs: BlockTable, indices: IntArray) -> tuple[float, int]:
    """Return the share of known neighbors that have the least cost, and the number of known pairs.

    Several blocks with the least cost share the score, since the attacker picks one at random.
    """
    left_blocks, right_blocks = indices[:, :-1].reshape(-1), indices[:, 1:].reshape(-1)
    is_known = (left_blocks >= 0) & (right_blocks >= 0)
    left_blocks, right_blocks = left_blocks[is_known], right_blocks[is_known]
    if not len(left_blocks):
        return 0.0, 0
    left_costs = costs[left_blocks]
    # No block is its own neighbor.
    left_costs[np.arange(len(left_blocks)), left_blocks] = np.inf
    least_costs = left_costs.min(axis=1, keepdims=True)

    is_least = left_costs <= least_costs
    shares = is_least[np.arange(len(left_blocks)), right_blocks] / is_least.sum(axis=1)
    return float(shares.mean()), len(left_blocks)


@contract.attack(
    name="mirrored-blocks",
    threat="ciphertext only",
    title="Mirrored blocks",
    control=lambda: contract.Target(name="block", oracle=BlockShuffle(BLOCK_SIDE).scramble),
    blocks=True,
    details={
        "blocks": "the number of blocks that were attacked",
        "known": "the share of blocks that can be identified with the plain picture",
        "edges": "the share of true neighbors that are ranked first by their edges",
        "signs": "this share with the best signs of the four lowest frequencies",
        "texture": "this share by the magnitudes of all frequencies",
    },
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Find neighbors among blocks whose frequencies changed their signs.

    Needs: one result; blocks of 8 x 8 pixels

    The attacker has only one result, and ranks for each block all others as its right neighbor: by
    edges, by edges with guessed signs of low frequencies, and by texture.
    """
    return mirrored_attack(target.oracle, picture)
