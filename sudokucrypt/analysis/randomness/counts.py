"""Whether ones and zeros are equally frequent, and how long runs of them are."""

from functools import lru_cache
from math import erfc, sqrt

import numpy as np

from sudokucrypt.analysis.randomness.bits import BitArray, BitsLike, blocks_of, checked_bits
from sudokucrypt.analysis.randomness.outcome import (
    LEVEL,
    RandomnessResult,
    Reference,
    Setting,
    checked_reference,
    chi_square,
    upper_tail,
)
from sudokucrypt.checks import checked_integer

SHORTEST = 100
"""Bits that sections 2.1.7, 2.2.7, 2.3.7 and 2.13.7 ask for."""


def frequency(
    bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    r"""Test whether ones and zeros are equally frequent (section 2.1).

    The statistic is abs(ones - zeros) / sqrt(n), the p-value erfc(statistic / sqrt(2)). Needs
    n >= 100.

    Parameters
    ----------
    bits : bytes-like, or array_like of shape (n,) of 0 and 1
        The sequence; bytes give eight bits each, the highest first.
    level : float
        The level of significance, in 0..1, which `RandomnessResult` judges by.
    enforce_length : bool
        False computes p-values for sequences that are shorter than the document allows, such as
        its worked examples; they are rough.

    Examples
    --------
    >>> result = frequency(b"\x55\x00" * 10)
    >>> round(result.statistics[0], 6), result.passed
    (6.324555, False)
    """
    sequence = checked_bits(bits)
    length = len(sequence)
    setting = Setting("frequency", "2.1", length, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    statistic = abs(2 * int(np.count_nonzero(sequence)) - length) / sqrt(length)
    return setting.tested([statistic], [erfc(statistic / sqrt(2))])


def block_frequency(
    bits: BitsLike, *, block_length: int = 128, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test whether ones and zeros are equally frequent in each block (section 2.2).

    The statistic is 4 M times the sum of (share of ones - 1/2)^2 over the N blocks, chi-square with
    N degrees of freedom; bits after the last block are dropped. Needs n >= 100 and one block. The
    document advises a `block_length` M >= 20, M > n / 100 and fewer than 100 blocks; its own
    results for a million bits have M = 128.
    """
    sequence = checked_bits(bits)
    checked_integer("block_length", block_length)
    length, blocks = len(sequence), len(sequence) // block_length
    setting = Setting("block_frequency", "2.2", length, level)
    needed = max(SHORTEST if enforce_length else 0, block_length)
    if length < needed:
        return setting.too_short(needed, details={"block_length": block_length})
    total = 0
    for table in blocks_of(sequence, block_length):
        ones = table.sum(axis=1, dtype=int)
        total += int(np.sum((2 * ones - block_length) ** 2))
    statistic = total / block_length
    details = {"block_length": block_length, "blocks": blocks}
    return setting.tested([statistic], [upper_tail(statistic, blocks)], details=details)


_CLASSES = {8: (1, 4), 128: (4, 9), 10_000: (10, 16)}
"""For each block length the longest runs of the first class (or less) and the last (or more)."""

_FROM = {8: 128, 128: 6272, 10_000: 750_000}
"""The shortest sequences for which these block lengths are used."""

_STS_LONGEST = (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727)
"""What the reference program has for blocks of 10,000; the first should be .0866."""


def runs(bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True) -> RandomnessResult:
    """Test whether bits change too often or too seldom (section 2.3).

    The statistic V is the number of runs, stretches of equal bits. With p the share of ones, the
    p-value is erfc(abs(V - 2 n p (1 - p)) / (2 sqrt(2 n) p (1 - p))). If p is off 1/2 by
    2 / sqrt(n) or more it is 0, as the document has it, and the note says so. Needs n >= 100.
    """
    sequence = checked_bits(bits)
    length = len(sequence)
    setting = Setting("runs", "2.3", length, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    changes = 1 + int(np.count_nonzero(sequence[1:] != sequence[:-1]))
    share = np.count_nonzero(sequence) / length
    if abs(share - 0.5) >= min(0.5, 2 / sqrt(length)):
        return setting.tested([changes], [0.0], note="ones are too rare or frequent to test runs")
    spread = share * (1 - share)
    p_value = erfc(abs(changes - 2 * length * spread) / (2 * sqrt(2 * length) * spread))
    return setting.tested([changes], [p_value])


def longest_run(
    bits: BitsLike, *, level: float = LEVEL, reference: Reference = "corrected"
) -> RandomnessResult:
    """Test how long the longest run of ones in each block is (sections 2.4 and 3.4).

    Pearson's statistic over classes of longest runs. Blocks have 8 bits, from 6272 bits on 128, and
    from 750,000 on 10,000. Needs n >= 128. For blocks of 10,000 bits the probabilities of the
    reference program and the document are off by up to 0.0016.
    """
    sequence = checked_bits(bits)
    old = checked_reference(reference)
    length = len(sequence)
    setting = Setting("longest_run", "2.4", length, level)
    if length < min(_FROM.values()):
        return setting.too_short(min(_FROM.values()))
    block_length = max(size for size, least in _FROM.items() if length >= least)
    blocks = length // block_length
    first, last = _CLASSES[block_length]
    counts = np.zeros(last - first + 1, dtype=int)
    for table in blocks_of(sequence, block_length):
        longest = np.clip(_longest_runs(table), first, last)
        counts += np.bincount(longest - first, minlength=len(counts))
    shares = _STS_LONGEST if old and block_length == 10_000 else longest_run_shares(block_length)
    statistic, p_value = chi_square(counts, shares)
    details = {"block_length": block_length, "blocks": blocks}
    return setting.tested([statistic], [p_value], details=details)


def _longest_runs(blocks: BitArray) -> BitArray:
    """Return the longest run of ones in each row: how far each one is from the last zero."""
    places = np.arange(1, blocks.shape[1] + 1)
    zeros = np.where(blocks == 0, places, 0)
    longest: BitArray = (places - np.maximum.accumulate(zeros, axis=1)).max(axis=1)
    return longest


@lru_cache
def longest_run_shares(block_length: int) -> tuple[float, ...]:
    """Return the probability of each class of longest runs in a block.

    The chance f(k) that k bits hold no run above r follows f(k) = f(k-1) - f(k-r-2) / 2^(r+2):
    a first such run ends at bit k if a zero and r + 1 ones end there.
    """
    first, last = _CLASSES[block_length]
    below = [0.0]
    for longest in range(first, last):
        chance = [1.0] * (longest + 1) + [1 - 0.5 ** (longest + 1)]
        while len(chance) <= block_length:
            chance.append(chance[-1] - chance[-longest - 2] * 0.5 ** (longest + 2))
        below.append(chance[-1])
    return tuple(np.diff([*below, 1.0]).tolist())
