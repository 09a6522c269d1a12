"""Attack schemes in which unknown S-boxes come before or after an affine map."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.affine import BitMatrix, solve_modulo_2, solve_modulo_256
from sudokucrypt.analysis.attacks.scan_orders import list_two_way_orders
from sudokucrypt.analysis.baselines import SBox
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# At most this many samples, since each takes eight queries or more.
_MAX_SAMPLES = 16 * 16
_ALL_LEVELS = np.arange(256, dtype=np.uint8)
# The number of levels per sample that are queried: among 12 levels there are nearly always 8
# that the S-box maps to linearly independent values.
_QUERIED_LEVEL_COUNT = 12
# The number of samples that are tried as references. The result for each of the 256 levels of a
# reference shows one state of the other samples, which is numbered by this level.
_REFERENCE_SAMPLE_COUNT = 8
# The structure counts as found from this share of predicted samples; chance predicts 1 in 256.
_MIN_PREDICTED_SHARE = 0.9

_UndoChain = Callable[[AnyArray], AnyArray]


def _unpack_bits(samples: AnyArray) -> BitMatrix:
    """Return the bits of rows of samples; the bits of a sample are adjacent."""
    return np.unpackbits(samples, axis=-1).astype(bool)


def _iterate_level_images(base_image: AnyArray, index: int, levels: AnyArray) -> Iterator[AnyArray]:
    """Yield a copy of an image for each of the given levels, with one sample set to the level."""
    for level in levels:
        image = base_image.copy()
        image.reshape(-1)[index] = level
        yield image


def _query_results(query: probing.Queries, images: Iterator[AnyArray]) -> AnyArray:
    return np.stack([query(image).reshape(-1) for image in images])


def _measure_superposition(query: probing.Queries, template: AnyArray) -> dict[str, float]:
    """Return, for each operation, how well changes of two image halves predict a joint change.

    The changes are combined by exclusive-or ("^") or by sum ("+").
    """
    generator = probing.make_generator(22)
    first, second = (probing.draw_noise(generator, template) for _ in range(2))
    half_mask = generator.random(template.shape) < 0.5
    first_result, second_result, mixed_result, swapped_result = (
        query(image)
        for image in (
            first,
            second,
            np.where(half_mask, first, second),
            np.where(half_mask, second, first),
        )
    )
    return {
        "^": float(np.mean(first_result ^ second_result == mixed_result ^ swapped_result)),
        "+": float(np.mean(first_result + second_result == mixed_result + swapped_result)),
    }


def _solve_first_boxes(query: probing.Queries, target_result: AnyArray, operation: str) -> AnyArray:
    """Solve for the picture, assuming that S-boxes come first: then changes of samples add up."""
    zero_image = np.zeros_like(target_result)
    zero_result = query(zero_image).reshape(-1)
    queried_levels = probing.make_generator(23).permutation(_ALL_LEVELS[1:])[:_QUERIED_LEVEL_COUNT]
    constant_results = _query_results(
        query, (np.full_like(target_result, level) for level in _ALL_LEVELS)
    )
    results = np.stack(
        [
            _query_results(query, _iterate_level_images(zero_image, index, queried_levels))
            for index in range(target_result.size)
        ]
    )
    targets = np.concatenate([constant_results, target_result.reshape(1, -1)])
    if operation == "^":
        columns = (results ^ zero_result).reshape(-1, target_result.size)
        solution = solve_modulo_2(_unpack_bits(columns).T, _unpack_bits(targets ^ zero_result).T)
        number_bytes = np.packbits(
            solution.reshape(target_result.size, _QUERIED_LEVEL_COUNT, -1), axis=1
        ).astype(np.int64)
        change_numbers = number_bytes[:, 0] << 8 | number_bytes[:, 1]
    else:
        # Modulo 256, all changes are multiples of one change by an odd number.
        changes = results - zero_result
        odd_change_indices = (changes & 1).any(axis=2).argmax(axis=1)
        columns = changes[np.arange(target_result.size), odd_change_indices]
        change_numbers = solve_modulo_256(columns.T, (targets - zero_result).T).astype(np.int64)
    # The columns contain the numbers of the changes by each level of a sample. The last column
    # contains the number of the change by the level in the picture.
    levels = np.argmax(change_numbers[:, :-1] == change_numbers[:, -1:], axis=1)
    return np.asarray(levels.astype(np.uint8).reshape(target_result.shape))


def _iterate_chain_removals(shape: tuple[int, ...]) -> Iterator[tuple[str, _UndoChain]]:
    """Yield functions that undo a final chain in rows of samples; the first undoes no chain."""
    yield "", lambda rows: rows
    for name, order in list_two_way_orders(shape).items():
        for operator_sign, operation in (("^", np.bitwise_xor), ("-", np.subtract)):

            def undo_chain(
                rows: AnyArray, order: IntArray = order, operation: np.ufunc = operation
            ) -> AnyArray:
                samples = rows.copy()
                samples[..., order[1:]] = operation(rows[..., order[1:]], rows[..., order[:-1]])
                return samples

            yield f", before c {operator_sign} q, q before c by {name}", undo_chain


def _iterate_last_box_pictures(
    query: probing.Queries, target_result: AnyArray
) -> Iterator[tuple[str, AnyArray]]:
    """Yield guesses of the picture, assuming that S-boxes come after an affine map.

    The 256 levels of one sample may give a sample of the result all its states. Then each state is
    named by its level, and the names depend on the image by exclusive-or or sum.
    """
    zero_image, generator = np.zeros_like(target_result), probing.make_generator(24)
    positions = generator.choice(
        target_result.size, min(_REFERENCE_SAMPLE_COUNT, target_result.size), replace=False
    )
    reference_results = [
        _query_results(query, _iterate_level_images(zero_image, index, _ALL_LEVELS))
        for index in positions
    ]
    powers_of_two = 1 << np.arange(7, -1, -1).astype(np.uint8)
    bit_results = np.concatenate(
        [
            _query_results(query, _iterate_level_images(zero_image, index, powers_of_two))
            for index in range(target_result.size)
        ]
    )
    first, second = (probing.draw_noise(generator, target_result) for _ in range(2))
    test_results = _query_results(query, iter((first, second, first ^ second, first + second)))
    for text, undo_chain in _iterate_chain_removals(target_result.shape):
        state_levels, is_known = _match_levels([undo_chain(each) for each in reference_results])
        if not is_known.any():
            continue

        def find_state_levels(
            rows: AnyArray, names: AnyArray = state_levels, undo_chain: _UndoChain = undo_chain
        ) -> AnyArray:
            return np.asarray(names[np.arange(target_result.size), undo_chain(rows)])

        first_levels, second_levels, xor_levels, sum_levels = (
            each[is_known] for each in find_state_levels(test_results)
        )
        columns, target_levels = (
            find_state_levels(bit_results)[:, is_known],
            find_state_levels(target_result.reshape(-1))[is_known],
        )
        if np.mean(first_levels ^ second_levels == xor_levels) >= _MIN_PREDICTED_SHARE:
            guess = np.packbits(
                solve_modulo_2(_unpack_bits(columns).T, _unpack_bits(target_levels))
            )
            yield text, guess.reshape(target_result.shape)
        elif np.mean(first_levels + second_levels == sum_levels) >= _MIN_PREDICTED_SHARE:
            # Sums need only the results of level 1, which is the last of the eight powers of two
            # of each sample.
            yield (
                text,
                solve_modulo_256(columns[7::8].T, target_levels).reshape(target_result.shape),
            )


def _match_levels(reference_results: list[AnyArray]) -> tuple[AnyArray, BitMatrix]:
    """Return the reference level for each state of a sample, and a mask of complete samples."""
    size = reference_results[0].shape[1]
    state_levels, is_known = np.zeros((size, 256), np.uint8), np.zeros(size, bool)
    for states in reference_results:
        # Comparing sums excludes nearly all samples that lack a state, for a hundredth of the cost
        # of sorting.
        is_newly_known = ~is_known & (
            states.sum(axis=0, dtype=np.int64) == _ALL_LEVELS.sum(dtype=np.int64)
        )
        is_newly_known[is_newly_known] = (
            np.sort(states[:, is_newly_known], axis=0) == _ALL_LEVELS[:, None]
        ).all(axis=0)
        state_levels[np.flatnonzero(is_newly_known), states[:, is_newly_known]] = _ALL_LEVELS[
            :, None
        ]
        is_known |= is_newly_known
    return state_levels, is_known


def _chain_both_ways(image: AnyArray) -> AnyArray:
    """Chain by exclusive-or, substitute, and chain again from the other end."""
    inner_chain = np.bitwise_xor.accumulate(image.reshape(-1))
    outer_chain = np.bitwise_xor.accumulate(
        SBox().scramble(inner_chain.reshape(image.shape)).reshape(-1)[::-1]
    )
    return outer_chain[::-1].reshape(image.shape)


@contract.attack(
    name="s-boxes",
    threat="chosen",
    title="S-boxes and affine structure",
    control=lambda: contract.Target(
        name="chains both ways around an S-box", oracle=_chain_both_ways
    ),
    details={"superposed": "the share of a result that two halves of an image predict, 0..1"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Solve linear equations before or after unknown S-boxes.

    Needs: 12 images of the attacker's choice for each sample of a small picture

    If S-boxes come first, each level of a sample has its own change of the result, and such
    changes add up by exclusive-or in spite of all moves and chains that follow. If S-boxes come
    last, or only before a final chain, the levels of one sample number the states of all others,
    and these numbers add up. In both cases linear equations give the picture.
    """
    if picture.dtype != np.uint8:
        raise InvalidImageError(
            "the attack on S-boxes takes images of 8 bits per sample",
            hint="convert the picture to 8 bits per sample",
        )
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    query = probing.Queries(target.oracle)
    target_result = query(small_picture)
    if not probing.is_repeatable(query, picture):
        text = "equal images give different results"
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, superposed=0.0
        )
    shares = _measure_superposition(query, picture)
    operation = max(shares, key=shares.__getitem__)
    share = shares[operation]
    guesses: Iterator[tuple[str, AnyArray]] = (
        (f"S-boxes come last{text}", guess)
        for text, guess in _iterate_last_box_pictures(query, target_result)
    )
    if share >= _MIN_PREDICTED_SHARE:
        guesses = iter(
            [("S-boxes come first", _solve_first_boxes(query, target_result, operation))]
        )
    text = f"neither changes of halves of an image nor states add up ({share:.4f})"
    finding = probing.report_nothing(
        target_result, small_picture, queries=query.count, text=text, superposed=share
    )
    for text, guess in guesses:
        finding = probing.judge_guess(
            target_result, guess, small_picture, queries=query.count, text=text, superposed=share
        )
        if finding.outcome is contract.Outcome.BROKEN:
            break
    return replace(finding, queries=query.count)
