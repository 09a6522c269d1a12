"""Test the distances between equal blocks of bits: Maurer's universal test."""

from collections.abc import Iterator
from functools import lru_cache
from math import erfc, sqrt

import numpy as np

from sudokucrypt.analysis.randomness.bit_sequences import (
    SIGNIFICANCE_LEVEL,
    BitArray,
    BitsLike,
    RandomnessResult,
    Reference,
    iterate_block_tables,
    prepare_test,
    uses_published_constants,
)
from sudokucrypt.options import check_integer
from sudokucrypt.typing import IntArray

# Mean and variance by block length, as printed in section 2.9.4.
_PUBLISHED_MOMENTS = {
    6: (5.2177052, 2.954),
    7: (6.1962507, 3.125),
    8: (7.1836656, 3.238),
    9: (8.1764248, 3.311),
    10: (9.1723243, 3.356),
    11: (10.170032, 3.384),
    12: (11.168765, 3.401),
    13: (12.168070, 3.410),
    14: (13.167693, 3.416),
    15: (14.167488, 3.419),
    16: (15.167379, 3.421),
}

# The constants d and e for each block length. They correct the standard deviation of the mean
# distance, since distances are not independent.
_DEVIATION_CONSTANTS = {
    3: (0.2732725, 0.4890883),
    4: (0.3045101, 0.4435381),
    5: (0.3296587, 0.4137196),
    6: (0.3489769, 0.3941338),
    7: (0.3631815, 0.3813210),
    8: (0.3732189, 0.3730195),
    9: (0.3800637, 0.3677118),
    10: (0.3845867, 0.3643695),
    11: (0.3874942, 0.3622979),
    12: (0.3893189, 0.3610336),
    13: (0.3904405, 0.3602731),
    14: (0.3911178, 0.3598216),
    15: (0.3915202, 0.3595571),
    16: (0.3917561, 0.3594040),
}

_BLOCK_LENGTHS = tuple(_PUBLISHED_MOMENTS)
# The number of blocks for each pattern: 10 to initialize, and 1000 to measure (section 2.9.7).
_BLOCKS_PER_PATTERN = 1010


def universal(
    bits: BitsLike,
    *,
    block_length: int | None = None,
    warm_up: int | None = None,
    level: float = SIGNIFICANCE_LEVEL,
    reference: Reference = "corrected",
) -> RandomnessResult:
    """Test the distances of blocks to their previous occurrences (section 2.9).

    The statistic is the mean of log2(distance to the last equal block), and the p-value
    erfc(abs(statistic - mean) / (sqrt(2) s)) with s = c sqrt(variance / K) for K measured blocks
    and c^2 = d + e 2^L / K, where d and e depend on the block length. The reference program has
    c = 0.7 - 0.8/L + (4 + 32/L) K^(-3/L) / 15, which rejects 1.3% of random sequences at the level
    0.01, and mean and variance with 7 and 4 digits. This c is also used for blocks of 2 bits. The
    document's worked example leaves out c and K. Needs n >= 387,840, unless a block length is
    given; the default block length is the largest L with n >= 1010 2^L L.
    Source: U. M. Maurer, 1992, doi:10.1007/BF00193563; d and e from J.-S. Coron, D. Naccache,
    1999, doi:10.1007/3-540-48892-8_5.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    block_length : int, optional
        The number L of bits in a block, 2..16; by default the largest in 6..16 for which the
        sequence is long enough.
    warm_up : int, optional
        The number of blocks before the first one that is measured; by default 10 2^L.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    """
    sequence, length, fields = prepare_test("universal", "2.9", bits, level)
    has_published_constants = uses_published_constants(reference)
    if block_length is None:
        min_lengths = {width: _BLOCKS_PER_PATTERN * 2**width * width for width in _BLOCK_LENGTHS}
        widths = [width for width in _BLOCK_LENGTHS if length >= min_lengths[width]]
        if not widths:
            return fields.make_too_short_result(min_lengths[_BLOCK_LENGTHS[0]])
        block_length = max(widths)
    check_integer("block_length", block_length, least=6 if has_published_constants else 2, most=16)
    warm_up = 10 * 2**block_length if warm_up is None else check_integer("warm_up", warm_up)
    measured_block_count = length // block_length - warm_up
    details = {"block_length": block_length, "warm_up": warm_up, "measured": measured_block_count}
    if measured_block_count < 1:
        return fields.make_too_short_result((warm_up + 1) * block_length, details=details)
    log_sum, unmeasured_block_count = 0.0, warm_up
    for distances in _iterate_distances(sequence, block_length):
        log_sum += float(np.log2(distances[unmeasured_block_count:]).sum())
        unmeasured_block_count = max(0, unmeasured_block_count - len(distances))
    statistic = log_sum / measured_block_count
    mean, variance = (
        _PUBLISHED_MOMENTS[block_length]
        if has_published_constants
        else compute_distance_moments(block_length)
    )
    if has_published_constants or block_length not in _DEVIATION_CONSTANTS:
        factor = (4 + 32 / block_length) * measured_block_count ** (-3 / block_length) / 15
        factor += 0.7 - 0.8 / block_length
    else:
        constant_term, growth = _DEVIATION_CONSTANTS[block_length]
        factor = sqrt(constant_term + growth * 2**block_length / measured_block_count)
    deviation = factor * sqrt(variance / measured_block_count)
    p_value = erfc(abs(statistic - mean) / (sqrt(2) * deviation))
    return fields.make_result([statistic], [p_value], details=details)


def _iterate_distances(sequence: BitArray, width: int) -> Iterator[IntArray]:
    """Yield the distance of each block to its last occurrence, or to the start if it is new."""
    last_positions, processed_block_count = np.zeros(2**width, dtype=np.int64), 0
    for blocks in iterate_block_tables(sequence, width):
        values = blocks @ (1 << np.arange(width)[::-1])
        # Sorting groups equal blocks, so that distances need no loop over blocks.
        order = np.argsort(values, kind="stable")  # equal blocks are adjacent, in their order
        values, positions = values[order], processed_block_count + 1 + order
        previous_positions = last_positions[values]
        equals_previous = values[1:] == values[:-1]
        previous_positions[1:][equals_previous] = positions[:-1][equals_previous]
        # NumPy stores the position of the last of several equal blocks.
        last_positions[values] = positions
        distances = np.empty_like(positions)
        distances[order] = positions - previous_positions
        processed_block_count += len(blocks)
        yield distances


@lru_cache
def compute_distance_moments(block_length: int) -> tuple[float, float]:
    """Return mean and variance of log2 of distances, which are geometric for random bits."""
    share = 0.5**block_length
    # Larger distances have probability exp(-49) or less.
    distances = np.arange(1, 50 * 2**block_length)
    weights = share * np.exp((distances - 1) * np.log1p(-share))
    log_distances = np.log2(distances)
    mean = float(weights @ log_distances)
    return mean, float(weights @ log_distances**2) - mean**2
