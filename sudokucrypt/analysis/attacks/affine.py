"""Affine schemes: linear equations over bits, all bits at once or plane after plane.

Exclusive-or, sums and products modulo 2^n, chains of them and moves carry from low bits to high
ones only. So the lowest bits of a result are affine over GF(2) in the lowest bits of the image, in
any number of rounds; once these are known and kept, the next bits are affine again.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.typing import AnyArray

# From this share of foretold bits counts as affine; half is chance.
_AFFINE = 0.9

# Unknown bits that are solved for at once: the cost grows with their cube.
_UNKNOWNS = 2048

BitMatrix = NDArray[np.bool_]


def solve_bits(matrix: BitMatrix, right: BitMatrix) -> BitMatrix:
    """Return a solution of ``matrix @ x = right`` over GF(2); unknowns that stay free are 0.

    `matrix` has shape (M, N), and `right` (M,) or (M, R) for R systems at once. Equations that
    contradict the others are left out.
    Cost: M N^2 / 128 operations on words of 64 bits.

    >>> solve_bits(np.array([[1, 1], [0, 1]], bool), np.array([1, 1], bool)).tolist()
    [False, True]
    """
    unknowns = matrix.shape[1]
    packed = np.packbits(np.column_stack([matrix, right]), axis=1)
    # Rows of whole words: one exclusive-or takes 64 coefficients.
    rows = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    rows[:, : packed.shape[1]] = packed
    words = rows.view(np.uint64)

    def column(index: int) -> BitMatrix:
        return (rows[:, index >> 3] >> (7 - (index & 7)) & 1).astype(bool)

    pivots: list[int] = []
    for unknown in range(unknowns):
        holders = column(unknown)
        top = len(pivots)
        below = np.flatnonzero(holders[top:])
        if not below.size:
            continue
        words[[top, top + below[0]]] = words[[top + below[0], top]]
        holders = column(unknown)
        holders[top] = False
        words[holders] ^= words[top]
        pivots.append(unknown)
    bits = np.unpackbits(rows[: len(pivots)], axis=1).astype(bool)
    columns = bits[:, unknowns : unknowns + (right.size // len(right))]
    solution = np.zeros((unknowns, *right.shape[1:]), bool)
    solution[pivots] = columns.reshape(len(pivots), *right.shape[1:])
    return solution


def solve_modulo_256(matrix: AnyArray, right: AnyArray) -> AnyArray:
    """Return a solution of ``matrix @ x = right`` modulo 256, one bit after another, as uint8.

    `matrix` has shape (M, N), `right` (M,) or (M, R), and both dtype uint8. The lowest bits of the
    matrix must determine x; equations that contradict the others are left out.

    >>> matrix, right = np.array([[1, 2], [0, 3]], np.uint8), np.array([5, 6], np.uint8)
    >>> solve_modulo_256(matrix, right).tolist()
    [1, 2]
    """
    solution = np.zeros((matrix.shape[1], *right.shape[1:]), np.int64)
    for bit in range(8):
        # Sums of products stay below 2^53.
        product = (matrix.astype(float) @ solution).astype(np.int64)
        bits = solve_bits((matrix & 1).astype(bool), ((right - product) >> bit & 1).astype(bool))
        solution += bits.astype(np.int64) << bit
    return solution.astype(np.uint8)


def affine_attack(oracle: contract.Oracle, picture: ArrayLike) -> contract.Finding:
    """Test whether results are affine in their images over GF(2), and solve for the picture.

    If f(a) ^ f(b) ^ f(c) = f(a ^ b ^ c) for random images, all bits are solved for at once. Else
    the planes of bits are tested from the lowest on, in images whose lower planes are equal, and
    solved for one after another. Each takes an image for every unknown bit, and one more; the
    picture is made smaller where it has too many.
    Source of the order: A. Klimov, A. Shamir, 2003, doi:10.1007/3-540-36400-5_34 (T-functions).

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    picture : ndarray of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The picture that the attacker is after.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ChainAdd
    >>> waves = np.uint8(np.add.outer(np.arange(32), np.arange(32)) ** 2 % 256)
    >>> result = affine_attack(lambda image: ChainAdd().scramble(image) ^ 90, waves)
    >>> result.recovered, result.picture.shape
    (1.0, (16, 16))
    """
    plain = np.asarray(picture)
    depth = probing.count_bits(plain)
    query = probing.Queries(oracle)
    small = probing.shrink_target(oracle, plain, samples=_UNKNOWNS // max(depth, 8))
    # All planes, every second one, every fourth and so on: sums of few bits carry no further.
    share, groups = 0.0, list[tuple[int, ...]]()
    for width in (1 << power for power in range(depth.bit_length())):
        groups = [tuple(range(first, depth, width)) for first in range(width)]
        share = _measure_foretold(query, plain, groups[:1])
        if share >= _AFFINE:
            break
    count = 0
    while share >= _AFFINE and count < len(groups):
        count += 1
        share = _measure_foretold(query, plain, groups[: count + 1]) if count < len(groups) else 0.0
    if count == 0:
        text = f"three results foretell {share:.4f} of the lowest bits of a fourth"
        seen = query(small)
        return probing.report_nothing(seen, small, queries=query.count, text=text, planes=0)
    text = f"{sum(map(len, groups[:count]))} of {depth} planes of bits follow by exclusive-or"
    text += ", all at once" if len(groups) == 1 else f", in {count} steps"
    return _solve_planes(query, small, groups[:count], text)


def _measure_foretold(
    query: probing.Queries, like: AnyArray, groups: Sequence[tuple[int, ...]]
) -> float:
    """Return how many changing bits of the last planes follow from three results.

    The images are alike in the planes before.
    """
    random, planes = probing.make_generator(), groups[-1]
    low = sum(1 << plane for group in groups[:-1] for plane in group)
    base = probing.draw_noise(random, like) & np.array(low, like.dtype)
    a, b, c = (
        base | (probing.draw_noise(random, like) & ~np.array(low, like.dtype)) for _ in range(3)
    )
    seen = [_select_planes(query(image), planes) for image in (a, b, c, a ^ b ^ c)]
    # What never changes would follow from anything.
    moving = (seen[0] != seen[1]) | (seen[0] != seen[2])
    if np.count_nonzero(moving) < moving.size / 8:
        return 0.0
    return float(np.mean(np.bitwise_xor.reduce(seen)[moving] == 0))


def _select_planes(image: AnyArray, planes: tuple[int, ...]) -> BitMatrix:
    """Return these bits of all samples, plane after plane."""
    flat = image.reshape(-1)
    return np.concatenate([(flat >> plane & 1).astype(bool) for plane in planes])


def _solve_planes(
    query: probing.Queries, plain: AnyArray, groups: list[tuple[int, ...]], text: str
) -> contract.Finding:
    """Solve for the planes of each group, while those of the groups before stay as they are."""
    seen, guess = query(plain), np.zeros_like(plain)
    for planes in groups:
        base = _select_planes(query(guess), planes)
        columns = []
        for plane in planes:
            bit = np.array(1 << plane, plain.dtype)
            for index in range(plain.size):
                image = guess.copy()
                image.reshape(-1)[index] ^= bit
                columns.append(_select_planes(query(image), planes) ^ base)
        bits = solve_bits(np.stack(columns, axis=1), _select_planes(seen, planes) ^ base)
        for plane, part in zip(planes, np.split(bits, len(planes)), strict=True):
            guess |= (part.astype(plain.dtype) << plane).astype(plain.dtype).reshape(plain.shape)
    count = sum(map(len, groups))
    return probing.judge(seen, guess, plain, queries=query.count, text=text, planes=count)


def combine_by_xor(
    oracle: contract.Oracle,
    picture: AnyArray,
    fit: Callable[[AnyArray, AnyArray], AnyArray],
    *,
    text: str,
) -> contract.Finding:
    """Put a small picture together of random images, as its result is of theirs by exclusive-or.

    Wherever all bits are affine, an odd number of results that give that of the picture belong to
    images that give the picture. There is one image more than bits, and a few for those that repeat
    others; `fit` gives each what it must share with the picture.
    """
    depth = probing.count_bits(picture)
    small = probing.shrink_target(oracle, picture, samples=_UNKNOWNS // depth)
    query, random = probing.Queries(oracle), probing.make_generator(17)
    planes, seen = tuple(range(depth)), query(small)
    known = [fit(probing.draw_noise(random, small), small) for _ in range(depth * small.size + 16)]
    results = np.stack([_select_planes(query(each), planes) for each in known], axis=1)
    odd = np.ones((1, len(known)), bool)
    goal = np.append(_select_planes(seen, planes), True)
    chosen = np.flatnonzero(solve_bits(np.vstack([results, odd]), goal))
    guess = np.bitwise_xor.reduce([known[index] for index in chosen] or [small ^ small])
    return probing.judge(seen, guess, small, queries=query.count, text=text)


@lru_cache(maxsize=4)
def _map_and_mask(shape: tuple[int, ...], dtype: str) -> tuple[AnyArray, AnyArray]:
    random = probing.make_generator(3)
    return random.permutation(prod(shape)), probing.draw_noise(random, np.empty(shape, dtype))


def _move_add_and_mask(image: AnyArray) -> AnyArray:
    """Move, add up, and mask: neither exclusive-or nor sums alone explain that."""
    order, mask = _map_and_mask(image.shape, image.dtype.name)
    sums = np.bitwise_xor if image.dtype == np.bool_ else np.add
    moved = image.reshape(-1)[order]
    return np.asarray(sums.accumulate(moved, dtype=image.dtype).reshape(image.shape) ^ mask)


@contract.attack(
    name="affine",
    threat="adaptive",
    title="Affine structure",
    control=lambda: contract.Target(
        name="a chain of sums, a map and a mask", oracle=_move_add_and_mask
    ),
    details={"planes": "how many planes of bits are affine, from the lowest on"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Solve for the picture as linear equations over bits.

    Needs: images of the attacker's choice, one for each bit of a small picture

    Exclusive-or, sums, products and moves carry from low bits to high ones only. The attacker
    tests whether three results foretell a fourth in the lowest plane of bits, solves linear
    equations for it, and goes on to the next plane, however many rounds there are.
    """
    return affine_attack(target.oracle, plain)
