"""Test whether ones and zeros are equally frequent: overall, in blocks, runs and running sums."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import erfc, floor, sqrt, trunc
from typing import Any

import numpy as np

from sudokucrypt.analysis.inputs import require_library
from sudokucrypt.analysis.randomness.bit_sequences import (
    CHUNK_BITS,
    SIGNIFICANCE_LEVEL,
    BitArray,
    BitsLike,
    RandomnessResult,
    Reference,
    ResultFields,
    compute_chi_square,
    compute_upper_tail,
    iterate_block_tables,
    prepare_test,
    uses_published_constants,
)
from sudokucrypt.options import check_integer
from sudokucrypt.typing import IntArray

# The minimum number of bits for tests of frequencies. Sections 2.1.7 to 2.3.7 require 100, but by
# simulation the frequency test rejects 1.2% of sequences of 100 random bits at the level 0.01, and
# 0.8% with 104 bits.
MIN_BITS = 104


def frequency(
    bits: BitsLike, *, level: float = SIGNIFICANCE_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    r"""Test whether ones and zeros are equally frequent (section 2.1).

    The statistic is abs(ones - zeros) / sqrt(n), the p-value erfc(statistic / sqrt(2)). Needs
    n >= 104.

    Without `enforce_length`, sequences that are shorter than the document allows, such as its
    worked examples, have p-values too, which are rough.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.

    Examples
    --------
    >>> result = frequency(b"\x55\x00" * 10)
    >>> round(result.statistics[0], 6), result.passed
    (6.324555, False)
    """
    sequence, length, fields = prepare_test("frequency", "2.1", bits, level)
    if enforce_length and length < MIN_BITS:
        return fields.make_too_short_result(MIN_BITS)
    statistic = abs(2 * int(np.count_nonzero(sequence)) - length) / sqrt(length)
    return fields.make_result([statistic], [erfc(statistic / sqrt(2))])


def block_frequency(
    bits: BitsLike,
    *,
    block_length: int = 128,
    level: float = SIGNIFICANCE_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test whether ones and zeros are equally frequent in each block (section 2.2).

    The statistic is 4 M times the sum of (share of ones - 1/2)^2 over the N blocks, chi-square with
    N degrees of freedom; bits after the last block are ignored. Needs n >= 104 and one block. The
    document recommends a `block_length` M >= 20, M > n / 100 and fewer than 100 blocks; its own
    results for a million bits have M = 128.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    block_length : int, default 128
        The number M of bits in a block, 1 or more.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("block_frequency", "2.2", bits, level)
    check_integer("block_length", block_length)
    blocks = length // block_length
    min_length = max(MIN_BITS if enforce_length else 0, block_length)
    if length < min_length:
        return fields.make_too_short_result(min_length, details={"block_length": block_length})
    square_sum = 0
    for block_rows in iterate_block_tables(sequence, block_length):
        one_counts = block_rows.sum(axis=1, dtype=int)
        square_sum += int(np.sum((2 * one_counts - block_length) ** 2))
    statistic = square_sum / block_length
    details = {"block_length": block_length, "blocks": blocks}
    return fields.make_result([statistic], [compute_upper_tail(statistic, blocks)], details=details)


# For each block length, the length of the longest run in the first class (or shorter) and in the
# last class (or longer).
_RUN_CLASS_LIMITS = {8: (1, 4), 128: (4, 9), 10_000: (10, 16)}

# The minimum number of bits for which each block length is used.
_MIN_BITS_BY_BLOCK_LENGTH = {8: 128, 128: 6272, 10_000: 750_000}

# The probabilities of the reference program for blocks of 10,000; the first should be .0866.
_STS_LONGEST_RUN_SHARES = (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727)


def runs(
    bits: BitsLike, *, level: float = SIGNIFICANCE_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test whether bits change too often or too seldom (section 2.3).

    The statistic V is the number of runs of equal bits. With p the share of ones, the p-value is
    erfc(abs(V - 2 n p (1 - p)) / (2 sqrt(2 n) p (1 - p))). If p differs from 1/2 by 2 / sqrt(n) or
    more, it is 0, as in the document, with a note. Needs n >= 104.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("runs", "2.3", bits, level)
    if enforce_length and length < MIN_BITS:
        return fields.make_too_short_result(MIN_BITS)
    run_count = 1 + int(np.count_nonzero(sequence[1:] != sequence[:-1]))
    share = np.count_nonzero(sequence) / length
    # The document's precondition: the distribution of runs is only valid for balanced bits.
    if abs(share - 0.5) >= min(0.5, 2 / sqrt(length)):
        return fields.make_result(
            [run_count], [0.0], note="ones are too rare or too frequent to test runs"
        )
    variance = share * (1 - share)
    p_value = erfc(abs(run_count - 2 * length * variance) / (2 * sqrt(2 * length) * variance))
    return fields.make_result([run_count], [p_value])


def longest_run(
    bits: BitsLike, *, level: float = SIGNIFICANCE_LEVEL, reference: Reference = "corrected"
) -> RandomnessResult:
    """Test the lengths of the longest runs of ones in blocks (sections 2.4 and 3.4).

    The statistic is Pearson's, over classes of longest runs. Blocks have 8 bits, from n = 6272 on
    128, and from n = 750,000 on 10,000. Needs n >= 128. For blocks of 10,000 bits, the
    probabilities of the reference program and the document have errors of up to 0.0016.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    """
    sequence, length, fields = prepare_test("longest_run", "2.4", bits, level)
    has_published_constants = uses_published_constants(reference)
    if length < min(_MIN_BITS_BY_BLOCK_LENGTH.values()):
        return fields.make_too_short_result(min(_MIN_BITS_BY_BLOCK_LENGTH.values()))
    block_length = max(
        size for size, min_bits in _MIN_BITS_BY_BLOCK_LENGTH.items() if length >= min_bits
    )
    blocks = length // block_length
    first_class_length, last_class_length = _RUN_CLASS_LIMITS[block_length]
    counts, positions = (
        np.zeros(last_class_length - first_class_length + 1, dtype=int),
        np.arange(1, block_length + 1),
    )
    for block_rows in iterate_block_tables(sequence, block_length):
        # The longest run of each row is the largest distance of a position from the last zero.
        last_zeros = np.maximum.accumulate(np.where(block_rows == 0, positions, 0), axis=1)
        longest_runs = np.clip(
            (positions - last_zeros).max(axis=1), first_class_length, last_class_length
        )
        counts += np.bincount(longest_runs - first_class_length, minlength=len(counts))
    shares = (
        _STS_LONGEST_RUN_SHARES
        if has_published_constants and block_length == 10_000
        else compute_run_probabilities(block_length)
    )
    statistic, p_value = compute_chi_square(counts, shares)
    details = {"block_length": block_length, "blocks": blocks}
    return fields.make_result([statistic], [p_value], details=details)


@lru_cache
def compute_run_probabilities(block_length: int) -> tuple[float, ...]:
    """Return the probability of each class of longest runs in a block.

    The probability f(k) that k bits contain no run longer than r is f(k-1) - f(k-r-2) / 2^(r+2):
    the first longer run ends at bit k if bits 1..k end with a zero and r + 1 ones.
    """
    first_class_length, last_class_length = _RUN_CLASS_LIMITS[block_length]
    # The distribution of the longest run by recurrence, without enumerating blocks.
    cumulated_shares = [0.0]
    for longest_length in range(first_class_length, last_class_length):
        probabilities = [1.0] * (longest_length + 1) + [1 - 0.5 ** (longest_length + 1)]
        while len(probabilities) <= block_length:
            probabilities.append(
                probabilities[-1] - probabilities[-longest_length - 2] * 0.5 ** (longest_length + 2)
            )
        cumulated_shares.append(probabilities[-1])
    return tuple(np.diff([*cumulated_shares, 1.0]).tolist())


def cumulative_sums(
    bits: BitsLike,
    *,
    level: float = SIGNIFICANCE_LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test the largest distance of the running sum from 0 (sections 2.13 and 3.13).

    The sum adds +1 for ones and -1 for zeros, "forward" and "backward"; the statistic is its
    largest absolute value. The p-value is from the limit distribution of the maximum of a random
    walk, two sums of differences of the normal distribution function. Needs n >= 104. The reference
    program rounds the limits of the sums toward zero instead of down, which makes no difference for
    long sequences.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("cumulative_sums", "2.13", bits, level)
    round_limit = trunc if uses_published_constants(reference) else floor
    if enforce_length and length < MIN_BITS:
        return fields.make_too_short_result(MIN_BITS)
    lowest_sum = highest_sum = final_sum = 0
    for walk in _iterate_walk_chunks(sequence):
        lowest_sum, highest_sum, final_sum = (
            min(lowest_sum, int(walk.min())),
            max(highest_sum, int(walk.max())),
            int(walk[-1]),
        )
    # A backward sum is the total minus a forward sum, so one walk gives both.
    distances = [
        max(highest_sum, -lowest_sum),
        max(final_sum - lowest_sum, highest_sum - final_sum),
    ]
    p_values = [_compute_distance_tail(distance, length, round_limit) for distance in distances]
    return fields.make_result(distances, p_values, labels=("forward", "backward"))


def _compute_distance_tail(
    distance: int, length: int, round_limit: Callable[[float], int]
) -> float:
    """Return the probability that a random walk reaches this distance from 0."""
    with require_library("scipy"):
        from scipy.special import ndtr
    step, ratio = distance / sqrt(length), length / distance
    last_index = round_limit((ratio - 1) / 4)
    first_indices = np.arange(round_limit((1 - ratio) / 4), last_index + 1)
    second_indices = np.arange(round_limit((-3 - ratio) / 4), last_index + 1)
    first_sum = np.sum(ndtr((4 * first_indices + 1) * step) - ndtr((4 * first_indices - 1) * step))
    second_sum = np.sum(
        ndtr((4 * second_indices + 3) * step) - ndtr((4 * second_indices + 1) * step)
    )
    return float(np.clip(1 - first_sum + second_sum, 0, 1))


# SP 800-22, 2.14 and 2.15: the minimum numbers of bits and cycles, and the states of both tests.
_MIN_WALK_STEPS = 1_000_000
_MIN_CYCLES = 500
_EXCURSION_STATES = (-4, -3, -2, -1, 1, 2, 3, 4)
_VARIANT_STATES = tuple(state for state in range(-9, 10) if state)
_MAX_VISITS = 5


def random_excursions(
    bits: BitsLike, *, level: float = SIGNIFICANCE_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how often each cycle of the running sum visits the states -4..4 (2.14 and 3.14).

    A cycle is the part between two zeros of the sum of +1 for ones and -1 for zeros; the last one
    may be incomplete. For each state, labeled "-4" to "+4", the statistic is Pearson's, over the
    cycles with 0, 1, 2, 3, 4, and 5 or more visits. The probability of k > 0 visits of state x is
    (1 - 1/(2 abs(x)))^(k-1) / (4 x^2). Needs n >= 1,000,000, and is not applicable with fewer than
    max(0.005 sqrt(n), 500) cycles, as for 38% of all random sequences of a million bits.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, _, fields = prepare_test("random_excursions", "2.14", bits, level)
    counts = [np.zeros(_MAX_VISITS + 1, dtype=int) for _ in _EXCURSION_STATES]
    # In the current cycle, which may continue in the next chunk.
    visit_counts = [0] * len(_EXCURSION_STATES)
    for walk in _iterate_walk_chunks(sequence):
        cycle_numbers = np.cumsum(walk == 0)
        for index, state in enumerate(_EXCURSION_STATES):
            cycle_visits = np.bincount(
                cycle_numbers[walk == state], minlength=cycle_numbers[-1] + 1
            )
            cycle_visits[0] += visit_counts[index]
            visit_counts[index] = int(cycle_visits[-1])
            counts[index] += np.bincount(
                np.minimum(cycle_visits[:-1], _MAX_VISITS), minlength=_MAX_VISITS + 1
            )
    for index, last_visit_count in enumerate(visit_counts):
        counts[index][min(last_visit_count, _MAX_VISITS)] += walk[-1] != 0
    cycle_count = int(counts[0].sum())
    if enforce_length and (refusal := _make_short_walk_result(fields, cycle_count)):
        return refusal
    results = [
        compute_chi_square(*each)
        for each in zip(counts, map(compute_visit_probabilities, _EXCURSION_STATES), strict=True)
    ]
    statistics, p_values = zip(*results, strict=True)
    labels = [f"{state:+d}" for state in _EXCURSION_STATES]
    return fields.make_result(statistics, p_values, labels=labels, details={"cycles": cycle_count})


def random_excursions_variant(
    bits: BitsLike, *, level: float = SIGNIFICANCE_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how often the running sum visits the states -9..9 (sections 2.15 and 3.15).

    For J cycles and V visits of state x, labeled "-9" to "+9", the statistic is V and the p-value
    erfc(abs(V - J) / sqrt(2 J (4 abs(x) - 2))). The minimum numbers of bits and cycles are those of
    `random_excursions`.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, _, fields = prepare_test("random_excursions_variant", "2.15", bits, level)
    farthest_state = max(_VARIANT_STATES)
    counts = np.zeros(2 * farthest_state + 1, dtype=int)
    for walk in _iterate_walk_chunks(sequence):
        counts += np.bincount(
            walk[np.abs(walk) <= farthest_state] + farthest_state, minlength=len(counts)
        )
    cycle_count = int(counts[farthest_state] + (walk[-1] != 0))
    visit_counts = np.delete(counts, farthest_state)
    if enforce_length and (refusal := _make_short_walk_result(fields, cycle_count)):
        return refusal
    p_values = [
        erfc(abs(int(count) - cycle_count) / sqrt(2 * cycle_count * (4 * abs(state) - 2)))
        for state, count in zip(_VARIANT_STATES, visit_counts, strict=True)
    ]
    labels = [f"{state:+d}" for state in _VARIANT_STATES]
    return fields.make_result(
        visit_counts.tolist(), p_values, labels=labels, details={"cycles": cycle_count}
    )


def compute_visit_probabilities(state: int) -> list[float]:
    """Return the probabilities of 0, 1, 2, 3, 4, and 5 or more visits of a state in one cycle."""
    leaving_probability = 1 / (2 * abs(state))
    shares = [
        1 - leaving_probability,
        *(
            leaving_probability**2 * (1 - leaving_probability) ** (k - 1)
            for k in range(1, _MAX_VISITS)
        ),
    ]
    return [*shares, 1 - sum(shares)]


def _iterate_walk_chunks(sequence: BitArray) -> Iterator[IntArray]:
    """Yield the running sum in chunks."""
    position = 0
    for start in range(0, len(sequence), CHUNK_BITS):
        walk = position + np.cumsum(2 * sequence[start : start + CHUNK_BITS].astype(np.int64) - 1)
        position = walk[-1]
        yield walk


def _make_short_walk_result(fields: ResultFields, cycle_count: int) -> RandomnessResult | None:
    """Return the result for a walk with too few steps or cycles, or None for other walks."""
    if fields.length < _MIN_WALK_STEPS:
        return fields.make_too_short_result(_MIN_WALK_STEPS)
    min_cycles = max(0.005 * sqrt(fields.length), _MIN_CYCLES)
    if cycle_count >= min_cycles:
        return None
    note = f"{cycle_count} cycles, but the test needs {min_cycles:.0f}"
    all_fields: dict[str, Any] = {**vars(fields), "details": {"cycles": cycle_count}}
    return RandomnessResult(verdict="not applicable", note=note, **all_fields)
