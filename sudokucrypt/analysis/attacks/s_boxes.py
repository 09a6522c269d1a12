"""Attack affine structure with unknown S-boxes before or after it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.affine import BitMatrix, solve_bits, solve_modulo_256
from sudokucrypt.analysis.attacks.scan_orders import list_both_ways
from sudokucrypt.analysis.baselines import SBox
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# At most this many samples, since each takes eight queries or more.
_SAMPLES = 16 * 16
_ALL_LEVELS = np.arange(256, dtype=np.uint8)
# The number of levels per sample that are queried: the S-box maps nearly always 8 of 12 levels to
# linearly independent values.
_QUERIED_LEVELS = 12
# The number of samples whose levels may number the states of other samples.
_REFERENCE_SAMPLES = 8
# The structure counts as found from this share of predicted samples; chance predicts 1 in 256.
_MIN_PREDICTED = 0.9

_UndoChain = Callable[[AnyArray], AnyArray]


def _unpack_bits(samples: AnyArray) -> BitMatrix:
    """Return the bits of rows of samples; the bits of a sample are adjacent."""
    return np.unpackbits(samples, axis=-1).astype(bool)


def _iterate_images(base: AnyArray, index: int, levels: AnyArray) -> Iterator[AnyArray]:
    """Yield copies of an image in which one sample has each of some levels."""
    for level in levels:
        image = base.copy()
        image.reshape(-1)[index] = level
        yield image


def _query_results(query: probing.Queries, images: Iterator[AnyArray]) -> AnyArray:
    return np.stack([query(image).reshape(-1) for image in images])


def _measure_superposition(query: probing.Queries, template: AnyArray) -> dict[str, float]:
    """Return the share of a result that the changes of two halves of an image predict.

    The changes are combined by exclusive-or ("^") or by sum ("+").
    """
    random = probing.make_generator(22)
    first, second = (probing.draw_noise(random, template) for _ in range(2))
    half = random.random(template.shape) < 0.5
    first_result, second_result, mixed_result, swapped_result = (
        query(image)
        for image in (first, second, np.where(half, first, second), np.where(half, second, first))
    )
    return {
        "^": float(np.mean(first_result ^ second_result == mixed_result ^ swapped_result)),
        "+": float(np.mean(first_result + second_result == mixed_result + swapped_result)),
    }


def _solve_first_boxes(query: probing.Queries, target_result: AnyArray, operation: str) -> AnyArray:
    """Return the picture if S-boxes come first: the changes of single samples add up to results."""
    zeros = np.zeros_like(target_result)
    zero_result = query(zeros).reshape(-1)
    basis = probing.make_generator(23).permutation(_ALL_LEVELS[1:])[:_QUERIED_LEVELS]
    constant_results = _query_results(
        query, (np.full_like(target_result, level) for level in _ALL_LEVELS)
    )
    results = np.stack(
        [
            _query_results(query, _iterate_images(zeros, index, basis))
            for index in range(target_result.size)
        ]
    )
    targets = np.concatenate([constant_results, target_result.reshape(1, -1)])
    if operation == "^":
        columns = (results ^ zero_result).reshape(-1, target_result.size)
        solution = solve_bits(_unpack_bits(columns).T, _unpack_bits(targets ^ zero_result).T)
        number_bytes = np.packbits(
            solution.reshape(target_result.size, _QUERIED_LEVELS, -1), axis=1
        ).astype(np.int64)
        change_numbers = number_bytes[:, 0] << 8 | number_bytes[:, 1]
    else:
        # A change by an odd number has all other changes as multiples.
        changes = results - zero_result
        odd_change = (changes & 1).any(axis=2).argmax(axis=1)
        columns = changes[np.arange(target_result.size), odd_change]
        change_numbers = solve_modulo_256(columns.T, (targets - zero_result).T).astype(np.int64)
    # The number of the change for each level of a sample, and last for the picture's level.
    levels = np.argmax(change_numbers[:, :-1] == change_numbers[:, -1:], axis=1)
    return np.asarray(levels.astype(np.uint8).reshape(target_result.shape))


def _iterate_chain_removals(shape: tuple[int, ...]) -> Iterator[tuple[str, _UndoChain]]:
    """Yield functions that undo a final chain in rows of samples; the first undoes no chain."""
    yield "", lambda rows: rows
    for name, order in list_both_ways(shape).items():
        for sign, operation in (("^", np.bitwise_xor), ("-", np.subtract)):

            def undo_chain(
                rows: AnyArray, order: IntArray = order, operation: np.ufunc = operation
            ) -> AnyArray:
                samples = rows.copy()
                samples[..., order[1:]] = operation(rows[..., order[1:]], rows[..., order[:-1]])
                return samples

            yield f", before c {sign} q, q before c by {name}", undo_chain


def _iterate_last_box_pictures(
    query: probing.Queries, target_result: AnyArray
) -> Iterator[tuple[str, AnyArray]]:
    """Yield pictures for S-boxes after affine structure.

    The 256 levels of one sample may give a sample of the result all its states. Then each state is
    named by its level, and the names depend on the image by exclusive-or or sum.
    """
    zeros, random = np.zeros_like(target_result), probing.make_generator(24)
    positions = random.choice(
        target_result.size, min(_REFERENCE_SAMPLES, target_result.size), replace=False
    )
    references = [
        _query_results(query, _iterate_images(zeros, index, _ALL_LEVELS)) for index in positions
    ]
    powers_of_two = 1 << np.arange(7, -1, -1).astype(np.uint8)
    bit_results = np.concatenate(
        [
            _query_results(query, _iterate_images(zeros, index, powers_of_two))
            for index in range(target_result.size)
        ]
    )
    first, second = (probing.draw_noise(random, target_result) for _ in range(2))
    tests = _query_results(query, iter((first, second, first ^ second, first + second)))
    for text, undo_chain in _iterate_chain_removals(target_result.shape):
        names, is_known = _match_levels([undo_chain(each) for each in references])
        if not is_known.any():
            continue

        def name_states(
            rows: AnyArray, names: AnyArray = names, undo_chain: _UndoChain = undo_chain
        ) -> AnyArray:
            return np.asarray(names[np.arange(target_result.size), undo_chain(rows)])

        first_names, second_names, xor_names, sum_names = (
            each[is_known] for each in name_states(tests)
        )
        columns, target_names = (
            name_states(bit_results)[:, is_known],
            name_states(target_result.reshape(-1))[is_known],
        )
        if np.mean(first_names ^ second_names == xor_names) >= _MIN_PREDICTED:
            guess = np.packbits(solve_bits(_unpack_bits(columns).T, _unpack_bits(target_names)))
            yield text, guess.reshape(target_result.shape)
        elif np.mean(first_names + second_names == sum_names) >= _MIN_PREDICTED:
            # Every eighth column is for 1, the last of the eight powers of two.
            yield text, solve_modulo_256(columns[7::8].T, target_names).reshape(target_result.shape)


def _match_levels(references: list[AnyArray]) -> tuple[AnyArray, BitMatrix]:
    """Return the level for each state of a sample, and a mask of samples with all states."""
    size = references[0].shape[1]
    names, is_known = np.zeros((size, 256), np.uint8), np.zeros(size, bool)
    for states in references:
        # The sum excludes nearly all samples, for a hundredth of the cost of sorting.
        is_new = ~is_known & (states.sum(axis=0, dtype=np.int64) == _ALL_LEVELS.sum(dtype=np.int64))
        is_new[is_new] = (np.sort(states[:, is_new], axis=0) == _ALL_LEVELS[:, None]).all(axis=0)
        names[np.flatnonzero(is_new), states[:, is_new]] = _ALL_LEVELS[:, None]
        is_known |= is_new
    return names, is_known


def _chain_both_ways(image: AnyArray) -> AnyArray:
    """Chain by exclusive-or, substitute, and chain again from the other end."""
    inner = np.bitwise_xor.accumulate(image.reshape(-1))
    outer = np.bitwise_xor.accumulate(SBox().scramble(inner.reshape(image.shape)).reshape(-1)[::-1])
    return outer[::-1].reshape(image.shape)


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
    small_picture = probing.shrink_target(target.oracle, picture, samples=_SAMPLES)
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
    if share >= _MIN_PREDICTED:
        guesses = iter(
            [("S-boxes come first", _solve_first_boxes(query, target_result, operation))]
        )
    text = f"neither changes of halves of an image nor states add up ({share:.4f})"
    finding = probing.report_nothing(
        target_result, small_picture, queries=query.count, text=text, superposed=share
    )
    for text, guess in guesses:
        finding = probing.judge(
            target_result, guess, small_picture, queries=query.count, text=text, superposed=share
        )
        if finding.outcome is contract.Outcome.BROKEN:
            break
    return replace(finding, queries=query.count)
