"""Whether all patterns are equally frequent, and how far apart equal ones stand."""

from collections.abc import Iterator
from functools import lru_cache
from math import erfc, log, sqrt

import numpy as np

from sudokucrypt.analysis.randomness.bits import (
    BitArray,
    BitsLike,
    blocks_of,
    checked_bits,
    count_windows,
)
from sudokucrypt.analysis.randomness.outcome import (
    LEVEL,
    RandomnessResult,
    Reference,
    Setting,
    checked_reference,
    upper_tail,
)
from sudokucrypt.checks import checked_integer
from sudokucrypt.typing import IntArray

_LONGEST = 24


def serial(
    bits: BitsLike, *, pattern_length: int = 16, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test whether all patterns of m bits are equally frequent (section 2.11).

    psi^2(m) = 2^m / n times the sum of count^2 over all patterns, minus n, in the sequence bent to
    a ring. The "first" difference psi^2(m) - psi^2(m-1) is chi-square with 2^(m-1) degrees of
    freedom, the "second" psi^2(m) - 2 psi^2(m-1) + psi^2(m-2) with 2^(m-2). Needs
    m < floor(log2 n) - 2: n >= 524,288 for m = 16.
    The `pattern_length` m is in 2..24.
    """
    sequence = checked_bits(bits)
    checked_integer("pattern_length", pattern_length, least=2, most=_LONGEST)
    length = len(sequence)
    setting = Setting("serial", "2.11", length, level)
    needed = 2 ** (pattern_length + 3) if enforce_length else 1
    if length < needed:
        return setting.too_short(needed, details={"pattern_length": pattern_length})
    counts = count_windows(sequence, pattern_length, circular=True)
    parts = (counts, *_shorter(counts, 2))
    most, fewer, fewest = (len(part) * int(part @ part) / length - length for part in parts)
    statistics = (most - fewer, most - 2 * fewer + fewest)
    freedoms = (2 ** (pattern_length - 1), 2 ** (pattern_length - 2))
    return setting.tested(
        statistics,
        [upper_tail(*pair) for pair in zip(statistics, freedoms, strict=True)],
        labels=("first", "second"),
        details={"pattern_length": pattern_length},
    )


def approximate_entropy(
    bits: BitsLike, *, pattern_length: int = 10, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how well m bits foretell the next one (section 2.12).

    The approximate entropy is phi(m) - phi(m+1), where phi is the sum of share * ln(share) over
    all patterns in the sequence bent to a ring. The statistic 2 n (ln 2 - approximate entropy) is
    chi-square with 2^m degrees of freedom. Needs m < floor(log2 n) - 5: n >= 65,536 for m = 10.
    The `pattern_length` m is in 1..23.
    """
    sequence = checked_bits(bits)
    checked_integer("pattern_length", pattern_length, least=1, most=_LONGEST - 1)
    length = len(sequence)
    setting = Setting("approximate_entropy", "2.12", length, level)
    needed = 2 ** (pattern_length + 6) if enforce_length else 1
    if length < needed:
        return setting.too_short(needed, details={"pattern_length": pattern_length})
    longer = count_windows(sequence, pattern_length + 1, circular=True)
    entropy = _phi(_shorter(longer, 1)[0], length) - _phi(longer, length)
    statistic = 2 * length * (log(2) - entropy)
    p_value = upper_tail(statistic, 2**pattern_length)
    return setting.tested([statistic], [p_value], details={"pattern_length": pattern_length})


def _shorter(counts: IntArray, steps: int) -> list[IntArray]:
    """Return the counts of patterns one bit shorter, two, and so on: in a ring sums give them."""
    found = [counts]
    for _ in range(steps):
        found.append(found[-1].reshape(-1, 2).sum(axis=1))
    return found[1:]


def _phi(counts: IntArray, length: int) -> float:
    shares = counts[counts > 0] / length
    return float(shares @ np.log(shares))


_PUBLISHED = {
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
"""Mean and variance by block length, to the digits of section 2.9.4."""

_WIDTHS = tuple(_PUBLISHED)
_ROOM = 1010
"""Blocks a pattern: 10 to begin with, 1000 to measure (section 2.9.7)."""


def universal(
    bits: BitsLike,
    *,
    block_length: int | None = None,
    warm_up: int | None = None,
    level: float = LEVEL,
    reference: Reference = "corrected",
) -> RandomnessResult:
    """Test how far back each block occurred last (section 2.9).

    The statistic is the mean of log2(distance to the last equal block), and the p-value
    erfc(abs(statistic - mean) / (sqrt(2) s)) with s = c sqrt(variance / K) for K measured blocks
    and c = 0.7 - 0.8/L + (4 + 32/L) K^(-3/L) / 15. The document's worked example leaves out c and
    K. Needs n >= 387,840, unless a block length is given. The `block_length` L is in 2..16, by
    default the longest in 6..16 with n >= 1010 2^L L; the `warm_up`, 10 2^L blocks by default, is
    not measured. The reference program has mean and variance with 7 and 4 digits.
    Source: U. M. Maurer, 1992, doi:10.1007/BF00193563.
    """
    sequence = checked_bits(bits)
    old = checked_reference(reference)
    length = len(sequence)
    setting = Setting("universal", "2.9", length, level)
    if block_length is None:
        needed = {width: _ROOM * 2**width * width for width in _WIDTHS}
        fitting = [width for width in _WIDTHS if length >= needed[width]]
        if not fitting:
            return setting.too_short(needed[_WIDTHS[0]])
        block_length = max(fitting)
    checked_integer("block_length", block_length, least=6 if old else 2, most=16)
    warm_up = 10 * 2**block_length if warm_up is None else checked_integer("warm_up", warm_up)
    measured = length // block_length - warm_up
    details = {"block_length": block_length, "warm_up": warm_up, "measured": measured}
    if measured < 1:
        return setting.too_short((warm_up + 1) * block_length, details=details)
    total, skipped = 0.0, warm_up
    for distances in _distances(sequence, block_length):
        total += float(np.log2(distances[skipped:]).sum())
        skipped = max(0, skipped - len(distances))
    statistic = total / measured
    mean, variance = _PUBLISHED[block_length] if old else distance_moments(block_length)
    factor = (4 + 32 / block_length) * measured ** (-3 / block_length) / 15
    deviation = (0.7 - 0.8 / block_length + factor) * sqrt(variance / measured)
    p_value = erfc(abs(statistic - mean) / (sqrt(2) * deviation))
    return setting.tested([statistic], [p_value], details=details)


def _distances(sequence: BitArray, width: int) -> Iterator[IntArray]:
    """Yield how many blocks back each block occurred last; from the start if it is new."""
    last, done = np.zeros(2**width, dtype=np.int64), 0
    for blocks in blocks_of(sequence, width):
        values = blocks @ (1 << np.arange(width)[::-1])
        order = np.argsort(values, kind="stable")  # equal blocks side by side, in their order
        values, places = values[order], done + 1 + order
        before = last[values]
        same = values[1:] == values[:-1]
        before[1:][same] = places[:-1][same]
        last[values] = places  # the last of equal ones stays
        distances = np.empty_like(places)
        distances[order] = places - before
        done += len(blocks)
        yield distances


@lru_cache
def distance_moments(block_length: int) -> tuple[float, float]:
    """Return mean and variance of log2 of the distance for random bits: it is geometric."""
    share = 0.5**block_length
    steps = np.arange(1, 50 * 2**block_length)  # the rest weighs less than exp(-49)
    weights = share * np.exp((steps - 1) * np.log1p(-share))
    logs = np.log2(steps)
    mean = float(weights @ logs)
    return mean, float(weights @ logs**2) - mean**2
