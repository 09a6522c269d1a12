"""Which blocks were neighbors, though the signs of their frequencies may be anything.

The attacker knows that blocks of 8 x 8 samples moved and that signs of their frequencies changed,
as under `robust-v1`, and ranks for each block which of all others was at its right. This is the
core of a jigsaw: where few true neighbors come first, nothing can be put together.
"""

from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.blocks import cut_blocks, middle_blocks
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# The side of the blocks of JPEG, whose frequencies the attack compares.
SIDE = 8
# Blocks that are ranked, from the middle of the picture: tables hold the square of their number,
# 256 times over while signs are guessed.
MOST_BLOCKS = 576

# Signs are guessed of so many of the lowest frequencies in either direction, which make up most of
# an edge.
_GUESSED = 2

# How far magnitudes of a block may be from those of the plain one, as a share of their size.
_ALIKE = 0.15

# What is added to magnitudes before their logarithms are compared.
_FLOOR = 4.0

BlockTable = NDArray[np.float64]

# The cosine transform of JPEG: its rows are the frequencies of 8 samples.
_U, _X = np.indices((SIDE, SIDE))
_BASIS = np.where(_U, 0.5, np.sqrt(0.125)) * np.cos((2 * _X + 1) * _U * np.pi / (2 * SIDE))


def mirrored_attack(oracle: contract.Oracle, image: AnyArray) -> contract.Finding:
    """Rank the blocks of a scrambled picture as right neighbors of each other.

    The picture is cut to whole blocks of 8 x 8 pixels, and to the middle of it if there are more
    than 576; its channels are averaged. It is scrambled once, and afterwards serves to score the
    attack only.

    Details are `edges`, `signs` and `texture`, the shares of blocks whose true right neighbor came
    first, by the edges as they are, with the best signs of the lowest frequencies, and by the
    magnitudes of all frequencies; `recovered` is the largest. `blocks` counts the blocks, and
    `known` those that a known picture would find again by their magnitudes, as a share; only these
    are scored.

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
    levels = checked_image(image)[1]
    if image.shape[0] < SIDE or image.shape[1] < 2 * SIDE:
        raise InvalidImageError(
            f"an image of {image.shape[0]}x{image.shape[1]} has no two blocks of {SIDE} in a row"
        )
    plain, (rows, columns) = middle_blocks(image, SIDE, most=MOST_BLOCKS)
    scrambled = contract.query(oracle, plain)
    before, after = (_gray_blocks(each, levels) for each in (plain, scrambled))
    spectra = _BASIS @ after @ _BASIS.T
    magnitudes = np.abs(spectra)
    indices = _find_known_blocks(np.abs(_BASIS @ before @ _BASIS.T), magnitudes)
    tables = {
        "edges": _edge_costs(after),
        "signs": _fit_signs(spectra),
        "texture": _distances(*2 * [np.log(magnitudes + _FLOOR).reshape(len(after), -1)]),
    }
    shares, trials = {}, 0
    for name, table in tables.items():
        shares[name], trials = _first_ranks(table, indices.reshape(rows, columns))
    # The attacker may choose the best of three tables; each chooses among all other blocks.
    best, chance = max(shares.values()), 1 / (rows * columns - 1)
    outcome = contract.outcome_of(best, chance=chance, trials=trials)
    figures = ", ".join(f"{share:.3f} by {name}" for name, share in shares.items())
    text = (
        f"of {trials} blocks of 8 pixels a side the true right neighbor came first for {figures}, "
        f"where chance gives {chance:.3f}"
    )
    return contract.Finding(
        outcome=outcome,
        text=text,
        recovered=best,
        seen=scrambled,
        picture=scrambled,
        details={
            **shares,
            "blocks": rows * columns,
            "known": float(np.mean(indices >= 0)),
        },
    )


def _gray_blocks(image: AnyArray, levels: int) -> BlockTable:
    """Return blocks of shape (n, 8, 8), of levels around 0 as in JPEG, the channels averaged."""
    gray = np.atleast_3d(image).mean(axis=2, dtype=np.float64)
    blocks: BlockTable = cut_blocks(gray, SIDE)[..., 0] * (255 / (levels - 1)) - 127.5
    return blocks


def _find_known_blocks(plain: BlockTable, seen: BlockTable) -> IntArray:
    """Return where each plain block is, by its magnitudes, or -1: each other's nearest, and near.

    All magnitudes may have changed by one factor.
    """
    first, second = plain.reshape(len(plain), -1), seen.reshape(len(seen), -1)
    sizes = [float(np.linalg.norm(each)) or 1.0 for each in (first, second)]
    # Robust pictures change the contrast as a whole, which says nothing about a block.
    second = second * (sizes[0] / sizes[1])
    distances = _distances(first, second)
    nearest, back = distances.argmin(axis=1), distances.argmin(axis=0)
    own = np.arange(len(first))
    near = np.sqrt(distances[own, nearest]) <= _ALIKE * np.linalg.norm(first, axis=1)
    return np.where((back[nearest] == own) & near, nearest, -1)


def _edge_costs(blocks: BlockTable) -> BlockTable:
    """Return how far each right edge, drawn on by half a step, is from each left edge."""
    # The seam lies half a step beyond either edge: both are continued to it by their own slope.
    right = 1.5 * blocks[:, :, -1] - 0.5 * blocks[:, :, -2]
    left = 1.5 * blocks[:, :, 0] - 0.5 * blocks[:, :, 1]
    return _distances(right, left)


def _fit_signs(spectra: BlockTable) -> BlockTable:
    """Return the same with those signs of the lowest frequencies that fit best.

    A sign changes one frequency of an edge only, so that each of these is fitted alone.
    """
    right, left = (spectra @ _BASIS[:, end] for end in (-1, 0))
    # The transform keeps distances: frequencies of edges count as their samples do.
    costs = _distances(right[:, _GUESSED:], left[:, _GUESSED:])
    for row in range(_GUESSED):
        mine, theirs = (
            [
                edges[:, row] + spectra[:, row, :_GUESSED] @ (_BASIS[:_GUESSED, end] * flips)
                for flips in product((0, -2), repeat=_GUESSED)
            ]
            for edges, end in ((right, -1), (left, 0))
        )
        costs += reduce(np.minimum, (_square_gaps(*pair) for pair in product(mine, theirs)))
    return costs


def _square_gaps(first: BlockTable, second: BlockTable) -> BlockTable:
    gaps: BlockTable = np.subtract.outer(first, second)
    return np.square(gaps, out=gaps)


def _distances(first: BlockTable, second: BlockTable) -> BlockTable:
    """Return the square of the distance of each row to each other row."""
    mine, theirs = (np.square(each).sum(axis=1) for each in (first, second))
    # The threads of a product of matrices would wait for each other longer than it takes.
    table = np.add.outer(mine, theirs) - 2 * np.einsum("ik,jk->ij", first, second)
    return np.asarray(np.maximum(table, 0, out=table))


def _first_ranks(costs: BlockTable, indices: IntArray) -> tuple[float, int]:
    """Return for which share of known pairs the true neighbor costs least, and how many there are.

    Of several that cost as little, each is as likely to be taken.
    """
    left, right = indices[:, :-1].reshape(-1), indices[:, 1:].reshape(-1)
    known = (left >= 0) & (right >= 0)
    left, right = left[known], right[known]
    if not len(left):
        return 0.0, 0
    table = costs[left]
    # No block is its own neighbor.
    table[np.arange(len(left)), left] = np.inf
    least = table.min(axis=1, keepdims=True)
    # Where several cost as little, the attacker picks one at random: the score is shared.
    first = table <= least
    shares = first[np.arange(len(left)), right] / first.sum(axis=1)
    return float(shares.mean()), len(left)


@contract.attack(
    name="mirrored-blocks",
    threat="ciphertext only",
    title="Mirrored blocks",
    control=lambda: contract.Target(name="block", oracle=BlockShuffle(SIDE).scramble),
    blocks=True,
    details={
        "blocks": "how many blocks were attacked",
        "known": "the share of blocks that somebody with the plain picture finds again",
        "edges": "the share of true neighbors that come first by their edges",
        "signs": "the same with the best signs of the four lowest frequencies",
        "texture": "the same by the magnitudes of all frequencies",
    },
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Find neighbors among blocks whose frequencies changed their signs.

    Needs: one result; blocks of 8 x 8 pixels

    The attacker has one result and nothing else, and ranks for each block which one was at its
    right: by edges, by edges with guessed signs of low frequencies, and by texture.
    """
    return mirrored_attack(target.oracle, plain)
