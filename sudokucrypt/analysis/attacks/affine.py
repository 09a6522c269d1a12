"""Break affine schemes by linear equations over bits, for all bits at once or by bit plane.

Moves, exclusive-or, sums and products modulo 2^n, and chains of these carry only from low bits to
high ones. So the lowest bits of a result are affine over GF(2) in the lowest bits of the image,
after any number of rounds; once these are known and fixed, the next bits are affine too.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.typing import AnyArray

# A scheme counts as affine from this share of predicted bits; half are predicted by chance.
_MIN_PREDICTED_SHARE = 0.9

# The maximum number of unknown bits in one system: the cost grows with its cube.
_MAX_UNKNOWNS = 2048

BitMatrix = NDArray[np.bool_]


def solve_modulo_2(matrix: BitMatrix, target: BitMatrix) -> BitMatrix:
    """Return a solution of ``matrix @ x = target`` over GF(2); undetermined unknowns are 0.

    `matrix` has shape (M, N), and `target` (M,) or (M, R) for R systems at once. Equations that
    contradict earlier ones are ignored.
    Cost: M N^2 / 128 operations on words of 64 bits.

    >>> solve_modulo_2(np.array([[1, 1], [0, 1]], bool), np.array([1, 1], bool)).tolist()
    [False, True]
    """
    unknown_count = matrix.shape[1]
    packed_rows = np.packbits(np.column_stack([matrix, target]), axis=1)
    # Rows are padded to whole words, so that one exclusive-or combines 64 coefficients.
    rows = np.zeros((len(packed_rows), -(-packed_rows.shape[1] // 8) * 8), np.uint8)
    rows[:, : packed_rows.shape[1]] = packed_rows
    row_words = rows.view(np.uint64)

    def get_column(index: int) -> BitMatrix:
        return (rows[:, index >> 3] >> (7 - (index & 7)) & 1).astype(bool)

    pivot_unknowns: list[int] = []
    for unknown_index in range(unknown_count):
        row_has_unknown = get_column(unknown_index)
        pivot_row = len(pivot_unknowns)
        candidates = np.flatnonzero(row_has_unknown[pivot_row:])
        if not candidates.size:
            continue
        row_words[[pivot_row, pivot_row + candidates[0]]] = row_words[
            [pivot_row + candidates[0], pivot_row]
        ]
        row_has_unknown = get_column(unknown_index)
        row_has_unknown[pivot_row] = False
        row_words[row_has_unknown] ^= row_words[pivot_row]
        pivot_unknowns.append(unknown_index)
    reduced_bits = np.unpackbits(rows[: len(pivot_unknowns)], axis=1).astype(bool)
    solved_columns = reduced_bits[:, unknown_count : unknown_count + (target.size // len(target))]
    solution = np.zeros((unknown_count, *target.shape[1:]), bool)
    solution[pivot_unknowns] = solved_columns.reshape(len(pivot_unknowns), *target.shape[1:])
    return solution


def solve_modulo_256(matrix: AnyArray, target: AnyArray) -> AnyArray:
    """Return a solution of ``matrix @ x = target`` modulo 256 as uint8, solved bit by bit.

    `matrix` has shape (M, N), `target` (M,) or (M, R), and both dtype uint8. The lowest bits of the
    matrix must determine x; equations that contradict earlier ones are ignored.

    >>> matrix, right = np.array([[1, 2], [0, 3]], np.uint8), np.array([5, 6], np.uint8)
    >>> solve_modulo_256(matrix, right).tolist()
    [1, 2]
    """
    solution = np.zeros((matrix.shape[1], *target.shape[1:]), np.int64)
    for bit in range(8):
        # Floats are exact here, since sums of products stay below 2^53.
        product = (matrix.astype(float) @ solution).astype(np.int64)
        bits = solve_modulo_2(
            (matrix & 1).astype(bool), ((target - product) >> bit & 1).astype(bool)
        )
        solution += bits.astype(np.int64) << bit
    return solution.astype(np.uint8)


def affine_attack(oracle: contract.Oracle, picture: ArrayLike) -> contract.Finding:
    """Test whether results are affine in their images over GF(2), and solve for the picture.

    If f(a) ^ f(b) ^ f(c) = f(a ^ b ^ c) for random images, all bits are solved for at once.
    Otherwise the bit planes are tested from the lowest on, with images whose lower planes are
    equal, and solved for one after another. Each system takes an image for every unknown bit, and
    one more; a picture with too many bits is shrunk.
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
    small_picture = probing.shrink_picture(
        oracle, plain, max_samples=_MAX_UNKNOWNS // max(depth, 8)
    )
    # First, all planes form one group; then every second plane does, every fourth plane and so on.
    # If a scheme adds only a few bits, carries do not reach the next plane of a group.
    share, groups = 0.0, list[tuple[int, ...]]()
    for group_step in (1 << power for power in range(depth.bit_length())):
        groups = [tuple(range(first, depth, group_step)) for first in range(group_step)]
        share = _measure_predicted_share(query, plain, groups[:1])
        if share >= _MIN_PREDICTED_SHARE:
            break
    solved_group_count = 0
    while share >= _MIN_PREDICTED_SHARE and solved_group_count < len(groups):
        solved_group_count += 1
        share = (
            _measure_predicted_share(query, plain, groups[: solved_group_count + 1])
            if solved_group_count < len(groups)
            else 0.0
        )
    if solved_group_count == 0:
        text = f"three results predict {share:.4f} of the lowest bits of a fourth"
        target_result = query(small_picture)
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, planes=0
        )
    text = (
        f"{sum(map(len, groups[:solved_group_count]))} of {depth} planes of bits follow by "
        "exclusive-or"
    )
    text += ", all at once" if len(groups) == 1 else f", in {solved_group_count} steps"
    return _solve_planes(query, small_picture, groups[:solved_group_count], text)


def _measure_predicted_share(
    query: probing.Queries, template: AnyArray, groups: Sequence[tuple[int, ...]]
) -> float:
    """Return the share of bits of a fourth result that three results predict in the last group.

    The images are equal in the planes of the previous groups. Bits that never change do not count.
    """
    generator, planes = probing.make_generator(), groups[-1]
    fixed_mask = sum(1 << plane for group in groups[:-1] for plane in group)
    fixed_part = probing.draw_noise(generator, template) & np.array(fixed_mask, template.dtype)
    first_image, second_image, third_image = (
        fixed_part
        | (probing.draw_noise(generator, template) & ~np.array(fixed_mask, template.dtype))
        for _ in range(3)
    )
    results = [
        _select_planes(query(image), planes)
        for image in (
            first_image,
            second_image,
            third_image,
            first_image ^ second_image ^ third_image,
        )
    ]
    # Bits that never change would be predicted under any scheme.
    is_changed_bit = (results[0] != results[1]) | (results[0] != results[2])
    if np.count_nonzero(is_changed_bit) < is_changed_bit.size / 8:
        return 0.0
    return float(np.mean(np.bitwise_xor.reduce(results)[is_changed_bit] == 0))


def _select_planes(image: AnyArray, planes: tuple[int, ...]) -> BitMatrix:
    """Return the bits of these planes of all samples, plane after plane."""
    samples = image.reshape(-1)
    return np.concatenate([(samples >> plane & 1).astype(bool) for plane in planes])


def _solve_planes(
    query: probing.Queries, plain: AnyArray, groups: list[tuple[int, ...]], text: str
) -> contract.Finding:
    """Solve for the planes of each group, with the planes of previous groups fixed."""
    target_result, guess = query(plain), np.zeros_like(plain)
    for planes in groups:
        base_bits = _select_planes(query(guess), planes)
        columns = []
        for plane in planes:
            bit = np.array(1 << plane, plain.dtype)
            for index in range(plain.size):
                image = guess.copy()
                image.reshape(-1)[index] ^= bit
                columns.append(_select_planes(query(image), planes) ^ base_bits)
        bits = solve_modulo_2(
            np.stack(columns, axis=1), _select_planes(target_result, planes) ^ base_bits
        )
        for plane, plane_bits in zip(planes, np.split(bits, len(planes)), strict=True):
            guess |= (
                (plane_bits.astype(plain.dtype) << plane).astype(plain.dtype).reshape(plain.shape)
            )
    count = sum(map(len, groups))
    return probing.judge_guess(
        target_result, guess, plain, queries=query.count, text=text, planes=count
    )


def combine_by_xor(
    oracle: contract.Oracle,
    picture: AnyArray,
    copy_summary: Callable[[AnyArray, AnyArray], AnyArray],
    *,
    text: str,
) -> contract.Finding:
    """Restore a small picture as the exclusive-or of random images whose results give its result.

    If all bits are affine, an odd number of results whose exclusive-or is the result of the picture
    belong to images whose exclusive-or is the picture. There are 16 images more than bits, since
    some may be linearly dependent. `copy_summary` gives each of them the summary of the picture.
    """
    depth = probing.count_bits(picture)
    small_picture = probing.shrink_picture(oracle, picture, max_samples=_MAX_UNKNOWNS // depth)
    query, generator = probing.Queries(oracle), probing.make_generator(17)
    planes, target_result = tuple(range(depth)), query(small_picture)
    known_images = [
        copy_summary(probing.draw_noise(generator, small_picture), small_picture)
        for _ in range(depth * small_picture.size + 16)
    ]
    results = np.stack([_select_planes(query(each), planes) for each in known_images], axis=1)
    odd_count_row = np.ones((1, len(known_images)), bool)
    target_bits = np.append(_select_planes(target_result, planes), True)
    chosen_indices = np.flatnonzero(
        solve_modulo_2(np.vstack([results, odd_count_row]), target_bits)
    )
    guess = np.bitwise_xor.reduce(
        [known_images[index] for index in chosen_indices] or [small_picture ^ small_picture]
    )
    return probing.judge_guess(target_result, guess, small_picture, queries=query.count, text=text)


@lru_cache(maxsize=4)
def _draw_map_and_mask(shape: tuple[int, ...], dtype: str) -> tuple[AnyArray, AnyArray]:
    generator = probing.make_generator(3)
    return generator.permutation(prod(shape)), probing.draw_noise(generator, np.empty(shape, dtype))


def _move_add_and_mask(image: AnyArray) -> AnyArray:
    """Move samples, accumulate sums, and mask: not linear over exclusive-or, nor over sums."""
    order, mask = _draw_map_and_mask(image.shape, image.dtype.name)
    combine = np.bitwise_xor if image.dtype == np.bool_ else np.add
    moved_samples = image.reshape(-1)[order]
    return np.asarray(
        combine.accumulate(moved_samples, dtype=image.dtype).reshape(image.shape) ^ mask
    )


@contract.attack(
    name="affine",
    threat="adaptive",
    title="Affine structure",
    control=lambda: contract.Target(
        name="a chain of sums, a map and a mask", oracle=_move_add_and_mask
    ),
    details={"planes": "the number of affine bit planes, from the lowest on"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Solve for the picture as linear equations over bits.

    Needs: images of the attacker's choice, one for each bit of a small picture

    Exclusive-or, sums, products and moves carry from low bits to high ones only. The attacker
    tests whether three results predict a fourth in the lowest bit plane, solves linear equations
    for this plane, and goes on to the next one, in spite of any number of rounds.
    """
    return affine_attack(target.oracle, picture)
